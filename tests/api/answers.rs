//! Questions as people ask them: what is met, what was let go, and what a plan may learn from it.

use serde_json::{Value, json};

use crate::service::{Service, Shared, demo_copy, edit, exchange, printed, request, run, shared};
use crate::v1::full_guide;

fn search(service: &Service, key: &str, kind: &str, q: &str) -> Value {
    service.good(key, json!({"action": format!("search_{kind}"), "q": q, "limit": 50}))
}

fn pro(kind: &str, q: &str) -> Value {
    search(&shared().service, &shared().pro, kind, q)
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().map(|one| one["id"].as_str().expect("an id")).collect()
}

#[test]
fn a_question_that_is_met_is_answered_as_if_it_were_strict() {
    let Shared { service, pro, .. } = shared();
    for q in ["sushi asa norte", "samba", "408 norte", "museu"] {
        let strict = json!({"action": "search_places", "q": q, "strict": true});
        let strict = service.good(pro, strict);
        let loose = service.good(pro, json!({"action": "search_places", "q": q}));
        assert_eq!(loose["match"], "exact");
        assert_eq!((&loose["places"], &loose["total"]), (&strict["places"], &strict["total"]), "{q}");
        assert!(loose.get("notice").is_none() && loose["interpreted"].get("left_out").is_none(), "{q}");
    }
}

#[test]
fn words_that_nothing_meets_are_let_go_and_named() {
    let closest = pro("places", "sushi para levar a vovó na asa norte");
    let plain = pro("places", "sushi asa norte");
    assert_eq!((&closest["match"], &closest["places"]), (&json!("closest"), &plain["places"]));
    assert_eq!(closest["interpreted"]["left_out"], json!(["vovo"]));
    assert!(closest["notice"].as_str().is_some_and(|notice| notice.contains("\"vovo\"")), "{closest}");
    let strict =
        json!({"action": "search_places", "q": "sushi para levar a vovó na asa norte", "strict": true});
    let strict = shared().service.good(&shared().pro, strict);
    assert_eq!((&strict["total"], &strict["match"]), (&json!(0), &json!("exact")));
    assert!(strict["relax"]["text:vovo"].as_u64().is_some_and(|total| total > 0), "{strict}");
}

#[test]
fn parameters_are_law() {
    let body =
        json!({"action": "search_places", "q": "sushi qqqxxzz", "region": "Varjão", "category": "museu"});
    let answer = shared().service.good(&shared().pro, body);
    assert_eq!(answer["total"], 0, "{answer}");
    assert!(answer.get("more").is_none() && answer["interpreted"].get("widened").is_none());
}

#[test]
fn pages_of_a_closest_answer_make_up_the_whole() {
    let Shared { service, pro, .. } = shared();
    for q in ["bar com gente qqqxxzz", "un barcito qqqxxzz"] {
        let whole = search(service, pro, "places", q);
        assert_eq!(whole["match"], "closest", "{whole}");
        let (mut seen, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let page = json!({"action": "search_places", "q": q, "limit": 20, "cursor": cursor});
            let page = service.good(pro, page);
            assert_eq!(page["total"], whole["total"]);
            seen.extend(ids(&page["places"]).into_iter().map(str::to_owned));
            cursor = page["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(seen.len() as u64, whole["total"].as_u64().expect("a total"), "{q}");
        assert!(ids(&whole["places"]).iter().zip(&seen).all(|(one, other)| one == other), "{q}");
    }
}

#[test]
fn a_question_without_days_tells_the_next_day_that_has_something() {
    for q in ["Iemanjá", "wwwkkyy qqqxxzz de Iemanjá"] {
        let answer = pro("events", q);
        assert_eq!(answer["total"], 0);
        let next = &answer["next"];
        assert!(ids(&next["events"])[0].starts_with("festa-de-iemanja"), "{answer}");
        assert_eq!(next["date"], next["events"][0]["date"]);
        let notice = answer["notice"].as_str().expect("a notice");
        assert!(notice.contains(next["date"].as_str().expect("a date")), "{notice}");
    }
}

#[test]
fn words_exclude_and_join_in_the_language_of_the_question() {
    let all = pro("places", "restaurante asa sul");
    let without = pro("places", "restaurante asa sul, menos pizzaria");
    assert!(without["total"].as_u64() < all["total"].as_u64(), "{without}");
    assert_eq!(without["interpreted"]["without"], json!(["pizzaria"]));
    assert!(
        without["places"].as_array().is_some_and(|list| list.iter().all(|one| one["category"] != "pizzaria"))
    );
    let [one, other, either] = ["sushi lago sul", "pizza lago sul", "sushi ou pizza lago sul"]
        .map(|q| pro("places", q)["total"].as_u64().expect("a total"));
    assert!(either >= one.max(other) && either <= one + other && either > 0);
    // of one kind, the word alone is excluded
    let churches = pro("places", "igrejas, exceto a catedral");
    assert!(churches["total"].as_u64().is_some_and(|total| total > 5), "{churches}");
    assert!(ids(&churches["places"]).iter().all(|id| !id.starts_with("catedral-metropolitana")));
}

#[test]
fn an_exclusion_that_takes_nothing_away_is_not_told_as_a_wish_that_was_let_go() {
    let answer = pro("places", "hambúrguer em Águas Claras, não McDonalds");
    assert!(answer["total"].as_u64().is_some_and(|total| total > 0), "{answer}");
    assert_eq!(
        answer["notice"],
        "The guide knows of no places with \"mcdonalds\": nothing was taken away for that."
    );
}

#[test]
fn some_events_without_a_time_are_told_among_those_of_an_hour() {
    let answer = shared().service.good(
        &shared().pro,
        json!({"action": "search_events", "time_from": "18:00", "to": "2099-12-31", "limit": 1}),
    );
    let notice = answer["notice"].as_str().unwrap_or_default();
    assert!(
        notice.contains("The guide does not know when ") && notice.contains(" of these events start."),
        "{answer}"
    );
}

#[test]
fn what_the_guide_does_not_know_is_said_and_filters_nothing() {
    let open = pro("places", "sushi aberto agora na asa norte");
    assert_eq!(open["places"], pro("places", "sushi asa norte")["places"]);
    assert_eq!(
        open["interpreted"]["not_known"],
        json!([{"words": ["aberto", "agora"], "about": "opening_hours"}])
    );
    let dentist = pro("places", "dentista na asa sul");
    assert_eq!(dentist["total"], 0);
    assert!(
        dentist.get("more").is_none() && dentist["notice"].as_str().is_some_and(|it| it.contains("dentista"))
    );
}

#[test]
fn what_is_not_known_is_said_beside_hours_that_are_not_known() {
    let told = |kind: &str, q: &str| {
        let answer = pro(kind, q);
        assert!(answer["total"].as_u64() > Some(0), "{answer}");
        answer["notice"].as_str().unwrap_or_default().to_owned()
    };
    let cheap = told("events", "something for kids on Saturday morning, cheap");
    assert!(cheap.contains("The guide does not know when ") && cheap.contains(" start."), "{cheap}");
    assert!(cheap.contains("\"cheap\": the events were not chosen by it."), "{cheap}");
    let open = told("places", "bar aberto domingo com wifi");
    assert_eq!(
        open,
        "The guide does not know when places are open: the days and hours were not counted. The guide does not know \
         about \"wifi\": the places were not chosen by it."
    );
}

#[test]
fn lists_of_filters_mean_any_of_them() {
    let total = |category: Value, region: Value| {
        let body = json!({"action": "search_places", "category": category, "region": region});
        shared().service.good(&shared().pro, body)["total"].as_u64().expect("a total")
    };
    let north = total(json!("sushi"), json!("Asa Norte"));
    let south = total(json!("sushi"), json!("Asa Sul"));
    assert_eq!(total(json!(["sushi"]), json!(["Asa Norte", "Asa Sul"])), north + south);
    assert_eq!(total(json!("sushi"), json!("Asa Norte, Asa Sul")), north + south);
}

#[test]
fn events_of_one_series_are_listed_once_on_demand() {
    let Shared { service, pro, .. } = shared();
    let answer = json!({"action": "search_events", "group": "series", "limit": 50});
    let answer = service.good(pro, answer);
    let events = answer["events"].as_array().expect("events");
    let series: Vec<&Value> = events.iter().filter_map(|event| event.get("series")).collect();
    assert!(!series.is_empty());
    assert!((1..series.len()).all(|at| !series[..at].contains(&series[at])), "{series:?}");
    for event in events.iter().filter(|event| event.get("dates").is_some()) {
        assert_eq!(event["dates"][0], event["date"]);
    }
}

#[test]
fn no_plan_learns_from_a_closest_answer_what_it_may_not_see() {
    // the words of a line-up, an address and a description, and a record outside the area of the free plan
    let service = full_guide();
    let free = service.key("free");
    for (kind, subject) in [("events", "jazz"), ("places", "jazz")] {
        let unknown = search(&service, &free, kind, &format!("{subject} qqqxxzz wwwkkyy"));
        for (one, other) in [("zulmira", "quartetuma"), ("wuxiria", "zabumbeira"), ("esquisita", "thumpling")]
        {
            let hidden = search(&service, &free, kind, &format!("{subject} {one} {other}"));
            let told = |answer: &Value| {
                let fields = ["total", "count", kind, "more", "next", "match", "coverage"];
                fields.map(|field| answer[field].clone())
            };
            assert_eq!(told(&hidden), told(&unknown), "{one} {other}");
            assert_eq!(hidden["interpreted"]["left_out"], json!([one, other]), "{hidden}");
            let text = hidden.to_string().to_lowercase();
            assert!(!text.contains("taguatinga") && !text.contains("quadra wuxiria"), "{text}");
        }
        let nothing = search(&service, &free, kind, "zulmira thumpling");
        assert_eq!(nothing["total"], 0);
        // the zoo is an area outside that of the plan as much as a category: no word on whether the guide has it
        let outside = search(&service, &free, kind, "zoológico");
        assert_eq!((&outside["total"], &outside["coverage"]), (&json!(0), &json!("none")), "{outside}");
        let counts = nothing["relax"].as_object().into_iter().flatten();
        assert!(counts.into_iter().all(|(name, total)| total == 0 || name == "q"), "{nothing}");
    }
}

#[test]
fn days_of_a_question_narrow_those_of_its_parameters_and_may_be_excluded() {
    let Shared { service, pro, .. } = shared();
    let today = service.good(pro, json!({"action": "summary"}))["today"].clone();
    let today: chrono::NaiveDate = today.as_str().and_then(|day| day.parse().ok()).expect("a day");
    let days = |body: Value| {
        let mut body = body;
        body["action"] = json!("search_events");
        body["limit"] = json!(50);
        let answer = service.good(pro, body);
        let events = answer["events"].as_array().expect("events").clone();
        let dates = events.iter().map(|event| event["date"].as_str().and_then(|day| day.parse().ok()));
        let dates: Option<Vec<chrono::NaiveDate>> = dates.collect();
        (dates.expect("days"), answer)
    };
    let is_saturday = |day: &chrono::NaiveDate| chrono::Datelike::weekday(day) == chrono::Weekday::Sat;
    let to = today + chrono::Days::new(20);
    let (saturdays, _) = days(json!({"q": "feira sábado", "from": today, "to": to}));
    assert!(!saturdays.is_empty() && saturdays.iter().all(is_saturday), "{saturdays:?}");
    for q in
        ["feira exceto sábado", "feira sem ser sábado", "market except saturday", "feria menos el sábado"]
    {
        let (others, answer) = days(json!({"q": q}));
        assert!(!others.is_empty() && !others.iter().any(is_saturday), "{q}: {others:?} {answer}");
    }
    // days that lie outside say nothing, which is told
    let far = today + chrono::Days::new(200);
    let (_, answer) = days(json!({"q": "feira hoje", "from": far, "to": far + chrono::Days::new(7)}));
    let notice = answer["notice"].as_str().expect("a notice");
    assert!(notice.contains("were not counted"), "{notice}");
    // of what is over there is nothing: the next are told, or why there are none
    let (_, answer) = days(json!({"q": "feira ontem"}));
    let notice = answer["notice"].as_str().expect("a notice");
    assert!(answer["match"] == "closest" && notice.contains("Nothing on the days you named"), "{notice}");
    let (from, to) = (today - chrono::Days::new(9), today - chrono::Days::new(3));
    let (none, answer) = days(json!({"from": from, "to": to}));
    assert!(
        none.is_empty() && answer["notice"].as_str().is_some_and(|said| said.contains("past")),
        "{answer}"
    );
    let (some, answer) = days(json!({"from": from, "to": today + chrono::Days::new(7)}));
    let notice = answer["notice"].as_str().expect("a notice");
    assert!(!some.is_empty() && notice.contains("Some of those days are past"), "{notice}");
    let (_, answer) = days(json!({"from": today, "to": today + chrono::Days::new(7)}));
    assert!(answer.get("notice").is_none(), "{}", answer["notice"]);
}

#[test]
fn a_region_that_was_sent_stays_when_another_area_of_the_question_is_let_go() {
    let Shared { service, pro, .. } = shared();
    let body =
        json!({"action": "search_places", "q": "museus na Asa Sul", "region": "Asa Norte", "limit": 50});
    let answer = service.good(pro, body);
    let places = answer["places"].as_array().expect("places");
    assert!(!places.is_empty(), "{answer}");
    let widened = answer["interpreted"]["widened"]["region"].as_array().expect("areas");
    assert!(widened.len() == 1 && widened[0]["name"] == "Asa Norte", "{widened:?}");
    assert!(
        answer["notice"].as_str().is_some_and(|said| said.contains("Searched in Asa Norte instead.")),
        "{answer}"
    );
}

#[test]
fn a_cursor_goes_on_only_with_its_own_question() {
    let Shared { service, pro, .. } = shared();
    let first = service.good(pro, json!({"action": "search_places", "q": "pizza", "limit": 1}));
    let cursor = &first["next_cursor"];
    let next =
        json!({"action": "search_places", "q": " pizza", "limit": 3, "cursor": cursor, "fields": "id"});
    assert_eq!(service.good(pro, next)["count"], 3);
    for other in [
        json!({"q": "sushi"}),
        json!({}),
        json!({"q": "pizza", "region": "Asa Sul"}),
        json!({"q": "pizza", "neighbourhood": "Asa Sul"}),
        json!({"q": "pizza", "strict": true}),
        json!({"q": "pizza", "near": "408 Norte"}),
    ] {
        let mut body = other;
        body["action"] = json!("search_places");
        body["cursor"] = cursor.clone();
        let answer = service.ask(pro, body.clone());
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("invalid_cursor")), "{body}");
    }
}

#[test]
fn what_is_asked_for_at_a_named_place_is_what_is_there_or_is_said_not_to_be() {
    let silent = pro("events", "what's on at CCBB");
    let said = "The guide lists no events at Centro Cultural Banco do Brasil Brasília on these days.";
    assert_eq!((&silent["total"], &silent["notice"]), (&json!(0), &json!(said)), "{silent}");
    let nearest = pro("places", "jantar no Alameda Shopping");
    let notice = nearest["notice"].as_str().unwrap_or_default();
    assert!(notice.contains("does not say that any of these places is in Alameda Shopping"), "{nearest}");
    assert_eq!(nearest["interpreted"]["near"]["name"], "Alameda Shopping");
    assert!(nearest["places"][0]["distance_m"].is_u64(), "{nearest}");
    let inside = pro("places", "restaurants at Brasília Shopping");
    assert_eq!(ids(&inside["places"]), ["coco-bambu-brasilia-shopping"], "{inside}");
    assert!(!inside["notice"].as_str().unwrap_or_default().contains("nearest"), "{inside}");
}

#[test]
fn a_named_place_is_told_beside_what_meets_the_other_words_and_a_venue_without_events_is_said() {
    let answer = pro("places", "Coco Bambu or Mangai?");
    let all = [ids(&answer["places"]), ids(&answer["more"])].concat();
    assert!(all.contains(&"mangai") && all.iter().any(|id| id.starts_with("coco-bambu")), "{all:?}");
    let near = pro("places", "almoço perto do planetário");
    assert_eq!(near["interpreted"]["near"]["name"], "Planetário de Brasília", "{near}");
    let events = pro("events", "programação do Cine Brasília");
    assert!(
        events["notice"].as_str().is_some_and(|said| said.contains("no events at Cine Brasília")),
        "{}",
        events["notice"]
    );
    // an event of the same name is one
    let events = pro("events", "feira da torre domingo");
    assert!(ids(&events["events"]).iter().any(|id| id.starts_with("feira-da-torre-de-tv")), "{events}");
    assert!(events.get("notice").is_none(), "{}", events["notice"]);
}

#[test]
fn a_question_that_names_only_where_or_when_is_answered_or_told_what_was_understood() {
    let answer = pro("events", "evento em samambaia");
    assert_eq!(answer["match"], "closest");
    assert!(answer["count"].as_u64() > Some(0) && answer["interpreted"]["widened"].is_object(), "{answer}");
    let notice = |q: &str| pro("events", q)["notice"].as_str().unwrap_or_default().to_owned();
    assert!(notice("xyzzy em planaltina").starts_with("Only the area was understood"));
    assert!(notice("xyzzy amanhã").contains("what else is on in the days"));
    assert!(notice("xyzzy").starts_with("No word of the question"));
}

#[test]
fn how_to_get_there_and_what_is_eaten_are_not_known_and_correct_no_word() {
    for (q, about) in [
        ("how do I get to Parque da Cidade by metro", "transport"),
        ("halal food", "diet"),
        ("pizza delivery Águas Claras", "delivery"),
    ] {
        let answer = pro("places", q);
        let not_known = answer["interpreted"]["not_known"].as_array().expect(q);
        assert!(not_known.iter().any(|one| one["about"] == about), "{q}: {not_known:?}");
        assert!(answer["interpreted"].get("corrected").is_none(), "{q}: {}", answer["interpreted"]);
        assert!(answer["count"].as_u64() > Some(0), "{q}");
    }
    // words that mean something else
    for q in ["places to go tonight", "lugar pra levar as crianças"] {
        assert!(!pro("places", q).to_string().contains("delivery"), "{q}");
    }
}

#[test]
fn one_text_may_join_several_regions() {
    let Shared { service, pro, .. } = shared();
    let ask = |region: Value| {
        let answer = service
            .good(pro, json!({"action": "search_places", "q": "sushi", "region": region, "limit": 50}));
        ids(&answer["places"]).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let both = ask(json!(["Asa Sul", "Asa Norte"]));
    assert!(!both.is_empty());
    for text in ["Asa Sul or Asa Norte", "Asa Sul e Asa Norte", "Asa Sul / Asa Norte", "asa sul, asa norte"] {
        assert_eq!(ask(json!(text)), both, "{text}");
    }
    assert_eq!(ask(json!("Asa Norte, Brasil")), ask(json!("Asa Norte")));
}

#[test]
fn a_category_without_events_tells_of_its_places() {
    let notice = |q: &str| pro("events", q)["notice"].as_str().expect("a notice").to_owned();
    for (q, label) in [("forró no sábado", "Forró"), ("cinema hoje", "Cinema")] {
        let found = match pro("places", label)["total"].as_u64() {
            Some(1) => "is 1 place".to_owned(),
            total => format!("are {} places", total.expect("a total")),
        };
        let told = format!("There {found} of it: ask search_places with q={label}.");
        assert!(notice(q).ends_with(&told), "{}", notice(q));
    }
    // of an area it is the number there
    for (body, label) in [
        (json!({"q": "sushi Asa Sul"}), "Japonês"),
        (json!({"category": "bar", "region": "Asa Norte"}), "Bares"),
        (json!({"q": "bar na Asa Norte hoje"}), "Bares"),
        (json!({"q": "theatre in Asa Sul this weekend"}), "Teatro"),
    ] {
        let (Shared { service, pro, .. }, mut body) = (shared(), body);
        body["action"] = json!("search_events");
        let answer = service.good(pro, body);
        let told = answer["notice"].as_str().unwrap_or_default();
        assert!(
            told.contains("ask search_places with q=") && told.contains(" and region="),
            "{label}: {answer}"
        );
        let (found, asked) = told.split_once(": ask search_places with q=").expect("a question");
        let (_, found) = found.rsplit_once("There ").expect("a number");
        let total = found.split(' ').nth(1).expect("a number");
        let (q, region) = asked.split_once(" and region=").expect("a region");
        let region = region.split_once('.').expect("an end").0;
        let places = service.good(pro, json!({"action": "search_places", "q": q, "region": region}));
        assert_eq!(places["total"].to_string(), total, "{told}");
    }
    // there are no places of it, or something else was asked for too
    for q in ["dança", "cinema sem shopping hoje"] {
        assert!(!notice(q).contains("search_places"), "{}", notice(q));
    }
}

#[test]
fn an_empty_category_as_a_filter_tells_what_is_related_to_it() {
    let Shared { service, pro, .. } = shared();
    let events = |mut body: Value| {
        body["action"] = json!("search_events");
        service.good(pro, body)
    };
    for region in [None, Some("Plano Piloto")] {
        let answer = events(json!({"category": "concert", "region": region}));
        assert_eq!(answer["total"], 0, "{answer}");
        let total = &events(json!({"q": "Show", "region": region}))["total"];
        let told = format!(
            "By words and related categories there are {total} events: send q=Show instead of category."
        );
        assert!(notice(&answer).contains(&told), "{total}: {answer}");
    }
    // nothing is related to it, or the text asks for something else too
    for body in [json!({"category": "dança"}), json!({"category": "concert", "q": "jazz"})] {
        let answer = events(body);
        assert!(!notice(&answer).contains("related categories"), "{answer}");
    }
}

/// The answer of a search for places with a pro key.
fn places(mut body: Value) -> Value {
    body["action"] = json!("search_places");
    shared().service.good(&shared().pro, body)
}

fn notice(answer: &Value) -> &str {
    answer["notice"].as_str().unwrap_or_default()
}

#[test]
fn two_categories_that_no_record_has_together_are_not_said_to_be_empty() {
    let both = places(json!({"q": "sushi", "category": "jazz"}));
    assert_eq!(both["total"], 0);
    assert_eq!(
        notice(&both),
        "None of the places in the areas that were searched has all of these categories, though each has some: \
         Jazz; Japanese."
    );
    assert!(both["relax"]["q"].as_u64() > Some(0) && both["relax"]["category"].as_u64() > Some(0), "{both}");
    // where one has none at all, that is what is said
    let listed = shared().service.good(&shared().pro, json!({"action": "list_categories"}));
    let empty = listed["categories"].as_array().expect("categories").iter().find(|one| one["places"] == 0);
    let empty = &empty.expect("a category without places")["slug"];
    for body in [json!({"category": empty}), json!({"q": "sushi", "category": empty})] {
        let none = places(body);
        assert!(notice(&none).starts_with("The category was understood, but no places of it"), "{none}");
    }
}

#[test]
fn the_category_that_comes_nearest_to_a_diet_is_told_as_such() {
    for (q, words) in [("sem glúten", "sem gluten"), ("gluten free restaurant", "gluten free")] {
        let found = places(json!({"q": q}));
        let told = format!(
            "The guide does not know which places suit \"{words}\": these are of the category that comes nearest, Healthy."
        );
        assert!(found["total"].as_u64() > Some(0) && notice(&found) == told, "{q}: {found}");
    }
    for (category, words) in
        [("gluten-free", "gluten free"), ("sem glúten", "sem gluten"), ("lactose free", "lactose free")]
    {
        let found = places(json!({"category": category}));
        assert!(notice(&found).contains(&format!("which places suit \"{words}\"")), "{category}: {found}");
    }
    let food = places(json!({"q": "halal food"}));
    assert!(notice(&food).contains("\"halal\": the places were not chosen by it."), "{food}");
}

#[test]
fn a_plan_that_covers_a_part_says_so_where_nothing_was_found() {
    let Shared { service, free, .. } = shared();
    for (kind, question) in [
        ("places", json!({"q": "waterfalls"})),
        ("events", json!({"category": "musica-classica", "from": "2001-01-01", "to": "2001-01-02"})),
        ("places", json!({"category": "cachoeira"})),
        ("places", json!({"q": "zzzz"})),
    ] {
        let mut body = question;
        body["action"] = json!(format!("search_{kind}"));
        let found = service.good(free, body.clone());
        let told = "Only Plano Piloto was searched: your plan covers no other area.";
        assert!(found["total"] == 0 && notice(&found).contains(told), "{body}: {found}");
    }
    let all = places(json!({"q": "zzzz"}));
    assert!(!notice(&all).contains("Only "), "{all}");
}

#[test]
fn what_would_find_nothing_either_is_not_offered() {
    for body in [
        json!({"action": "search_events", "q": "zzzz", "category": "jazz", "from": "2001-01-01", "to": "2001-01-02"}),
        json!({"action": "search_places", "q": "sushi", "category": "jazz"}),
        json!({"action": "search_places", "q": "zzzz", "region": "Asa Norte"}),
    ] {
        let nothing = shared().service.good(&shared().pro, body);
        assert_eq!(nothing["total"], 0);
        let counts = nothing["relax"].as_object().into_iter().flatten();
        assert!(counts.clone().all(|(_, count)| count.as_u64() > Some(0)), "{nothing}");
        assert!(nothing.get("relax").is_none() || counts.count() > 0, "{nothing}");
    }
}

#[test]
fn a_guide_without_events_says_so() {
    let service = Service::start();
    let folder = service.data.with_file_name("guide");
    demo_copy(&folder);
    edit(&folder, "events.json", Vec::clear);
    printed(
        &run(
            &service.data,
            &["snapshot", "publish", "--force", "--reason", "a test", &folder.display().to_string()],
        ),
        0,
    );
    service.serves(1);
    let key = service.key("pro");
    for q in ["", "samba no sábado"] {
        let answer = service.good(&key, json!({"action": "search_events", "q": q}));
        assert_eq!((&answer["total"], notice(&answer)), (&json!(0), "The guide has no events at present."));
    }
}

#[test]
fn a_misspelt_category_is_told_as_corrected() {
    let found = places(json!({"category": "jaz"}));
    assert_eq!(found["interpreted"]["corrected"], json!([{"from": "jaz", "to": "Jazz"}]));
    let list = places(json!({"category": ["museu", "muzeu, sushi"]}));
    assert_eq!(list["interpreted"]["corrected"], json!([{"from": "muzeu", "to": "Museu"}]), "{list}");
    assert_eq!(places(json!({"category": "jazz"}))["interpreted"].get("corrected"), None);
    // what is like no name is no misspelling of one
    for (param, hint) in [("region", "list_regions"), ("category", "list_categories")] {
        let refused =
            shared().service.ask(&shared().pro, json!({"action": "search_places", param: "foo"})).json();
        let (error, told) = (refused["error"].as_str(), refused["hint"].as_str());
        assert!(error.is_some_and(|error| !error.contains("such as")), "{refused}");
        assert!(told.is_some_and(|told| told.contains(hint)), "{refused}");
    }
}

#[test]
fn an_address_code_of_several_regions_says_what_was_made_of_it() {
    let of = |region: &str| places(json!({"region": region}));
    let assumed = of("QI 11");
    assert_eq!(assumed["interpreted"]["region"][0]["name"], "QI 11");
    assert!(notice(&assumed).starts_with("\"qi 11\" was read as QI 11 in Lago Sul: "), "{assumed}");
    assert!(notice(&assumed).contains("Lago Norte"), "{assumed}");
    for (region, code, whole) in [
        ("QI 11 Lago Norte", "qi 11", "Lago Norte"),
        ("QI 4, Lago Norte", "qi 4", "Lago Norte"),
        ("SHIN QL 10", "ql 10", "Lago Norte"),
    ] {
        let found = of(region);
        let told = format!("The guide has no area \"{code}\" there: all of {whole} was searched.");
        assert_eq!(notice(&found), told, "{region}");
        assert_eq!(found["places"], of(whole)["places"], "{region}");
    }
    for clear in ["QI 11 Lago Sul", "SHIS QI 11", "Lago Norte", "SQN 408"] {
        assert!(!notice(&of(clear)).contains("qi 11") && !notice(&of(clear)).contains("no area"), "{clear}");
    }
    assert_eq!(
        shared().service.ask(&shared().pro, json!({"action": "search_places", "region": "QI 4"})).json()["code"],
        "ambiguous_region"
    );
}

#[test]
fn a_missing_parameter_is_told_with_the_kind_of_value_and_an_example() {
    let Shared { service, pro, .. } = shared();
    let of = |body: Value| service.ask(pro, body).json();
    let json = [("content-type", "application/json")];
    let changes =
        exchange(service.listen, &request("GET", "/v1/changes", &[("x-api-key", pro.as_str())], b""));
    let signup = exchange(service.listen, &request("POST", "/v1/signup", &json, b"{}"));
    for (answer, param, example) in [
        (of(json!({"action": "search_places", "within_m": 500})), "near", "Torre de TV"),
        (of(json!({"action": "suggest"})), "q", "asa n"),
        (of(json!({"action": "get_event"})), "id", "feira-da-torre-de-tv"),
        (of(json!({"action": "get_place"})), "id", "memorial-jk"),
        (changes.json(), "since", "such as 12"),
        (signup.json(), "email", "maria@example.com"),
    ] {
        assert_eq!((&answer["code"], &answer["param"]), (&json!("missing_param"), &json!(param)), "{answer}");
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(example)), "{answer}");
    }
}
