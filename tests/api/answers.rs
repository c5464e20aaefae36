//! Questions as people ask them: what is met, what was let go, and what a plan may learn from it.

use serde_json::{Value, json};

use crate::service::{Service, Shared, shared};
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
    for q in ["Iemanjá", "cerimônia qqqxxzz de Iemanjá"] {
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
        for (one, other) in [("zulmira", "quartetona"), ("wuxiria", "zabumbeira"), ("esquisita", "thumpling")]
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
        let counts = nothing["relax"].as_object().into_iter().flatten();
        assert!(counts.into_iter().all(|(name, total)| total == 0 || name == "q"), "{nothing}");
    }
}
