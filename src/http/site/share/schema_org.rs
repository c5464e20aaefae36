//! Records as schema.org describes them, for search engines.

use chrono::{NaiveDate, NaiveTime};
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};
use snapshots::{Session, Status};

use crate::http::calendar::CITY;
use crate::http::distinct::distinct;
use crate::http::site::data::record_view::Record;

/// The type of a place that has no narrower one.
pub(crate) const PLACE: &str = "Place";

/// The schema.org type of the places of a category, if it has one narrower than [`PLACE`].
pub(crate) fn place_type(slug: &str) -> Option<&'static str> {
    Some(match slug {
        "gastronomia" => "FoodEstablishment",
        "restaurante" => "Restaurant",
        "cafe" => "CafeOrCoffeeShop",
        "padaria" | "confeitaria" => "Bakery",
        "sorveteria" | "acai" => "IceCreamShop",
        "lanchonete" | "hamburgueria" => "FastFoodRestaurant",
        "bar" => "BarOrPub",
        "cervejaria" => "Brewery",
        "balada" => "NightClub",
        "casa-de-show" => "MusicVenue",
        "teatro" => "PerformingArtsTheater",
        "cinema" => "MovieTheater",
        "museu" => "Museum",
        "galeria" => "ArtGallery",
        "biblioteca" => "Library",
        "livraria" | "sebo" => "BookStore",
        "shopping" => "ShoppingCenter",
        "compras" => "Store",
        "feira" => "Place",
        "parque" => "Park",
        "zoologico" => "Zoo",
        "lago-e-praia" => "Beach",
        "templo" => "PlaceOfWorship",
        "monumento" | "arquitetura" => "LandmarksOrHistoricalBuildings",
        "estadio" => "StadiumOrArena",
        "clube" => "SportsClub",
        _ => return None,
    })
}

/// What is said of a record beside its fields.
pub(crate) struct About<'a> {
    /// The address of its page.
    pub(crate) url: String,
    pub(crate) category: &'a str,
    /// The address of the page of the place that is its venue, if it has one.
    pub(crate) place_url: String,
    /// The address of the picture beside links to its page.
    pub(crate) image: String,
    pub(crate) description: &'a str,
}

/// A place or an event as a block of JSON-LD. `kind` is its schema.org type.
pub(crate) fn json_ld(kind: &str, record: &Record<'_>, about: &About<'_>) -> Markup {
    script(&thing(kind, record, &about.url, about))
}

/// A series as a block of JSON-LD, with its next dates and their addresses. `record` is the first of them. The guide
/// does not know when a series ends.
pub(crate) fn series<'r>(
    record: &Record<'_>,
    about: &About<'_>,
    dates: impl Iterator<Item = (Record<'r>, String)>,
) -> Markup {
    let mut series = thing("EventSeries", record, &about.url, about);
    series.as_object_mut().map(|series| series.remove("endDate"));
    let event = |(date, url): (Record<'r>, String)| {
        let mut event = thing("Event", &date, &url, about);
        if let Some(fields) = event.as_object_mut() {
            fields.remove("@context");
            // that of the page names the next date
            fields.remove("description");
        }
        event
    };
    series["subEvent"] = dates.map(event).collect();
    script(&series)
}

/// The pages above one and itself, as addresses with names, as a block of JSON-LD.
pub(crate) fn trail(trail: &[(String, &str)]) -> Markup {
    let mut list = breadcrumbs(trail);
    list["@context"] = json!("https://schema.org");
    script(&list)
}

fn breadcrumbs(trail: &[(String, &str)]) -> Value {
    let trail = (1..).zip(trail).map(|(position, (url, name))| {
        json!({ "@type": "ListItem", "position": position, "name": name, "item": url })
    });
    json!({ "@type": "BreadcrumbList", "itemListElement": trail.collect::<Vec<Value>>() })
}

/// The place of a page among the others, and the records that it lists, as a block of JSON-LD. Both are addresses with
/// names.
pub(crate) fn list(trail: &[(String, &str)], records: &[(String, String)]) -> Markup {
    let items = (1..).zip(records).map(|(position, (url, name))| {
        json!({ "@type": "ListItem", "position": position, "name": name, "url": url })
    });
    script(&json!({
        "@context": "https://schema.org",
        "@graph": [
            breadcrumbs(trail),
            {
                "@type": "ItemList",
                "numberOfItems": records.len(),
                "itemListElement": items.collect::<Vec<Value>>(),
            },
        ],
    }))
}

fn script(content: &Value) -> Markup {
    // `<` occurs in strings only; escaped, it cannot end the script element
    let content = content.to_string().replace('<', "\\u003c");
    html! { script type="application/ld+json" { (PreEscaped(content)) } }
}

fn thing(kind: &str, record: &Record<'_>, url: &str, about: &About<'_>) -> Value {
    let About { category, place_url, image, description, .. } = about;
    let address = address(record);
    let mut thing =
        json!({ "@context": "https://schema.org", "@type": kind, "name": record.name, "url": url });
    for (field, text) in [("description", *description), ("image", image)] {
        if !text.is_empty() {
            thing[field] = json!(text);
        }
    }
    let has_price = !record.price.is_empty();
    if record.free {
        thing["isAccessibleForFree"] = json!(true);
    }
    if !category.is_empty() {
        thing["keywords"] = json!(category);
    }
    if !record.instagram.is_empty() {
        thing["sameAs"] = json!(format!("https://www.instagram.com/{}/", record.instagram));
    }
    if let Some(date) = record.date {
        thing["eventStatus"] = json!(event_status(record));
        add_times(&mut thing, record, date);
        let name = if record.venue.is_empty() { record.area() } else { &record.venue };
        thing["location"] = json!({ "@type": PLACE, "name": name, "address": address });
        if !record.place.is_empty() {
            thing["location"]["url"] = json!(place_url);
        }
        if let Some(offer) = offer(record, url) {
            thing["offers"] = offer;
        }
    } else {
        thing["address"] = address;
        if has_price && is_business(kind) {
            thing["priceRange"] = json!(record.price);
        }
    }
    thing
}

/// Whether an event takes place. One with a new date has that date in the guide, which does not keep the former one.
fn event_status(record: &Record<'_>) -> &'static str {
    match record.status {
        Some(Status::Cancelled) => "https://schema.org/EventCancelled",
        Some(Status::Postponed) => "https://schema.org/EventPostponed",
        Some(Status::SoldOut) | None => "https://schema.org/EventScheduled",
    }
}

/// When an event begins and ends. Where the hour of its end is not known, it ends on its last day; nothing is said of
/// the end of what has an hour and one day, since a day alone would be read as the midnight before.
fn add_times(thing: &mut Value, record: &Record<'_>, date: NaiveDate) {
    let last = record.end_date.unwrap_or(date);
    let Some(first) = record.sessions.first() else {
        let (start, end) = (&*record.start_time, &*record.end_time);
        thing["startDate"] = match start {
            "" => json!(date),
            time => json!(moment(date, time)),
        };
        match end {
            "" if !start.is_empty() && last == date => {}
            "" => thing["endDate"] = json!(last),
            // `HH:MM` compares as a text
            time => {
                let last = if time < start { next(last) } else { last };
                thing["endDate"] = json!(moment(last, time));
            }
        }
        return;
    };
    thing["startDate"] = json!(moment(date, &hour(first.start_time)));
    let end = |session: &Session| {
        let end = session.end_time?;
        Some(json!(moment(if end < session.start_time { next(date) } else { date }, &hour(end))))
    };
    if record.end_date.is_some() {
        thing["endDate"] = json!(last);
        return;
    }
    if let Some(end) = end(record.sessions.last().unwrap_or(first)) {
        thing["endDate"] = end;
    }
    let session = |session: &Session| {
        let mut event = json!({
            "@type": "Event",
            "name": thing["name"],
            "startDate": moment(date, &hour(session.start_time)),
            "eventStatus": thing["eventStatus"],
            "url": thing["url"],
        });
        if let Some(end) = end(session) {
            event["endDate"] = end;
        }
        event
    };
    let sessions: Vec<Value> = record.sessions.iter().map(session).collect();
    thing["subEvent"] = json!(sessions);
}

fn hour(time: NaiveTime) -> String {
    time.format("%H:%M").to_string()
}

fn next(day: NaiveDate) -> NaiveDate {
    day.succ_opt().unwrap_or(day)
}

/// Brasília has kept this offset in summer and winter since 2019.
fn moment(day: NaiveDate, time: &str) -> String {
    format!("{day}T{time}:00-03:00")
}

/// The only city of the Federal District is Brasília, whichever the region.
fn address(record: &Record<'_>) -> Value {
    let mut address = json!({
        "@type": "PostalAddress",
        "addressLocality": CITY,
        "addressRegion": "DF",
        "addressCountry": "BR",
    });
    let street = distinct(&[&record.neighbourhood, &record.region]).join(", ");
    if !street.is_empty() {
        address["streetAddress"] = json!(street);
    }
    address
}

/// What is known of tickets. A price is a number if it is one, else as it is written.
fn offer(record: &Record<'_>, url: &str) -> Option<Value> {
    let price = match &*record.price {
        "" if record.free => Some("0".to_owned()),
        price => amount(price),
    };
    let mut offer = match price {
        Some(amount) => json!({ "@type": "Offer", "price": amount, "priceCurrency": "BRL" }),
        None if !record.price.is_empty() => json!({ "@type": "Offer", "description": record.price }),
        None if record.status == Some(Status::SoldOut) => json!({ "@type": "Offer" }),
        None => return None,
    };
    if record.status == Some(Status::SoldOut) {
        offer["availability"] = json!("https://schema.org/SoldOut");
        offer["url"] = json!(url);
    }
    Some(offer)
}

/// Whether a type is a business, which alone has a price range.
fn is_business(kind: &str) -> bool {
    !matches!(
        kind,
        PLACE
            | "Museum"
            | "Park"
            | "Zoo"
            | "Beach"
            | "PlaceOfWorship"
            | "LandmarksOrHistoricalBuildings"
            | "MusicVenue"
            | "PerformingArtsTheater"
    )
}

/// The amount of a price that is a single one: "R$ 20", "R$ 19,90", "grátis".
fn amount(price: &str) -> Option<String> {
    let price = price.trim().to_lowercase();
    if ["grátis", "gratis", "gratuito", "entrada franca", "free"].contains(&price.as_str()) {
        return Some("0".to_owned());
    }
    let digits = price.strip_prefix("r$")?.trim();
    let (whole, cents) = digits.split_once(',').unwrap_or((digits, "00"));
    let plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let whole = whole.replace('.', "");
    (plain(&whole) && plain(cents) && cents.len() == 2).then(|| format!("{whole}.{cents}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(record: &Record, kind: &str) -> Value {
        let about = About {
            url: "https://guia.example/x".to_owned(),
            category: "Bar",
            place_url: "https://guia.example/place/x".to_owned(),
            image: "https://guia.example/card/x.png".to_owned(),
            description: "Um bar.",
        };
        let block = json_ld(kind, record, &about).into_string();
        let inner = block.strip_prefix("<script type=\"application/ld+json\">").unwrap();
        let inner = inner.strip_suffix("</script>").unwrap();
        assert!(!inner.contains('<'), "{inner}");
        serde_json::from_str(inner).unwrap()
    }

    #[test]
    fn a_name_cannot_end_the_script() {
        let name = "</script><b>\"\\ &\u{2028}";
        let record = Record { name: name.into(), region: "Plano Piloto".into(), ..Record::default() };
        let thing = block(&record, "BarOrPub");
        assert_eq!(thing["name"], name);
        assert_eq!(thing["address"]["addressLocality"], "Brasília");
        assert_eq!(thing["address"]["streetAddress"], "Plano Piloto");
        assert!(thing.get("eventStatus").is_none());
        assert!(thing.get("offers").is_none() && thing.get("priceRange").is_none());
    }

    #[test]
    fn an_event_has_what_is_known() {
        let record = Record {
            name: "Choro".into(),
            date: "2026-11-26".parse().ok(),
            start_time: "19:30".into(),
            venue: "Clube".into(),
            price: "R$ 1.020,50".into(),
            ..Record::default()
        };
        let event = block(&record, "Event");
        assert_eq!(event["startDate"], "2026-11-26T19:30:00-03:00");
        assert!(
            event.get("endDate").is_none(),
            "a day would be read as its midnight, before the start: {event}"
        );
        assert_eq!(event["eventStatus"], "https://schema.org/EventScheduled");
        assert_eq!(event["location"]["name"], "Clube");
        assert_eq!(event["offers"]["price"], "1020.50");
        let postponed = Record {
            end_time: "02:00".into(),
            end_date: "2026-11-28".parse().ok(),
            status: Some(Status::Postponed),
            ..record
        };
        let event = block(&postponed, "Event");
        assert_eq!(event["endDate"], "2026-11-29T02:00:00-03:00");
        assert_eq!(event["eventStatus"], "https://schema.org/EventPostponed");
    }

    #[test]
    fn only_a_single_amount_is_a_number() {
        assert_eq!(amount("R$ 20").as_deref(), Some("20.00"));
        assert_eq!(amount("Grátis").as_deref(), Some("0"));
        for vague in ["R$ 20 a R$ 40", "$$", "R$", "R$ 20,5", "consumação"] {
            assert_eq!(amount(vague), None, "{vague}");
        }
    }
}
