//! The client of openapi-generator for Rust, as users call it.

use std::collections::HashSet;
use std::error::Error;

use candango_api::apis::Error as ApiError;
use candango_api::apis::ResponseContent;
use candango_api::apis::configuration::{ApiKey, Configuration};
use candango_api::apis::guide_api::{ask, get_place, get_usage, search_events, search_places};
use candango_api::models::{
    self, Ask200Response, AskRequest, ErrorCode, GetPlace200Response, NameOrNames, Place, SearchEventsRequest,
    SearchPlacesRequest,
};

fn connect(base: &str, key: &str) -> Configuration {
    Configuration {
        base_path: base.to_owned(),
        api_key: Some(ApiKey { prefix: None, key: key.to_owned() }),
        ..Configuration::default()
    }
}

/// Every museum, page by page.
async fn museums(client: &Configuration) -> Result<Vec<Place>, Box<dyn Error>> {
    let mut places = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let museum = Some(vec!["museum".to_owned()]);
        let page = search_places(
            client,
            None,
            None,
            None,
            museum,
            None,
            None,
            None,
            Some(5),
            cursor.as_deref(),
            None,
            None,
            None,
        )
        .await?;
        places.extend(page.places);
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => return Ok(places),
        }
    }
}

/// The error of an answer. The generator's own enumeration of errors takes the first status whose body fits.
fn error_of<T>(answer: &ResponseContent<T>) -> Result<models::Error, Box<dyn Error>> {
    Ok(serde_json::from_str(&answer.content)?)
}

/// Calls until the limit of the minute is used up.
async fn wait_of_a_429(client: &Configuration) -> Result<i32, Box<dyn Error>> {
    for _ in 0..100 {
        if let Err(ApiError::ResponseError(answer)) = get_usage(client, None).await {
            assert_eq!(answer.status.as_u16(), 429);
            let error = error_of(&answer)?;
            assert_eq!(error.code, ErrorCode::RateLimited);
            return Ok(error.retry_after.ok_or("no time to wait")?);
        }
    }
    Err("no 429".into())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [base, key, limited] = args.as_slice() else {
        return Err("usage: candango-openapi-client BASE_URL KEY LIMITED_KEY".into());
    };
    let client = connect(base, key);
    let feira = Some("feira");
    let found = search_events(
        &client,
        None,
        None,
        feira,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        Some(3),
        None,
        None,
        None,
        None,
        None,
    )
    .await?;
    assert!(!found.events.is_empty());

    let request =
        SearchEventsRequest { q: Some("feira".to_owned()), limit: Some(3), ..SearchEventsRequest::default() };
    match ask(&client, AskRequest::SearchEvents(request), None).await? {
        Ask200Response::SearchEventsAnswer(answer) => assert_eq!(answer, found, "POST and GET answer alike"),
        other => return Err(format!("another answer: {other:?}").into()),
    }
    for category in [NameOrNames::String("museum".to_owned()), NameOrNames::ArrayVecString(vec!["museum".to_owned()])]
    {
        let request = SearchPlacesRequest {
            category: Some(category),
            limit: Some(1),
            ..SearchPlacesRequest::default()
        };
        let answer = ask(&client, AskRequest::SearchPlaces(request), None).await?;
        assert!(matches!(answer, Ask200Response::SearchPlacesAnswer(answer) if answer.places.len() == 1));
    }
    let place = get_place(&client, "memorial-jk", None, None, None).await?;
    assert!(matches!(place, GetPlace200Response::GetPlaceAnswer(_)));

    let places = museums(&client).await?;
    let ids: HashSet<&str> = places.iter().map(|place| place.id.as_str()).collect();
    assert!(places.len() > 5 && ids.len() == places.len());

    match get_place(&client, "no-such-place", None, None, None).await {
        Err(ApiError::ResponseError(answer)) => {
            assert_eq!(answer.status.as_u16(), 404);
            assert_eq!(error_of(&answer)?.code, ErrorCode::UnknownRecord);
        }
        other => return Err(format!("no error: {other:?}").into()),
    }

    let wait = wait_of_a_429(&connect(base, limited)).await?;
    assert!((0..=60).contains(&wait));
    println!(
        "openapi-generator, Rust: {} events, {} museums, a 429 with {wait} s",
        found.total,
        places.len()
    );
    Ok(())
}
