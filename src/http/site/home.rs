//! The guide's front page, and the answers to what is asked there: a form that works without scripts, five results as
//! the preview gives them, and what to leave out when there are none. Uses [`super::form`], [`super::layout`],
//! [`super::guide`], [`super::record_view`], [`super::i18n`], [`crate::quota::gate`] and the crate `index`.

use std::borrow::Cow;

use chrono::{Datelike, Days};
use index::search::{Interpretation, RelaxedTotals};
use index::vocabulary::ArchivedVocabularyIndex;
use index::{Guide, Page, Window};
use url::form_urlencoded;

use super::super::html::{Language, escaped};
use super::form::{Kind, Question};
use super::guide::Made;
use super::i18n::{self, Plain};
use super::layout::{About, Frame, address, put, wall};
use super::record_view::Record;
use crate::quota::gate::{PREVIEW_RESULTS, preview_days};

/// Most blocks of areas, and of categories, on the front page.
const MOST_BLOCKS: usize = 12;

/// The front page, where nothing is asked yet.
pub(super) fn front(
    frame: &Frame,
    made: &Made,
    language: Language,
    guide: &Guide,
    events: &Page,
    places: &Page,
) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let title = say("O que há em Brasília", "What is on in Brasília");
    let description = say(
        "Guia de eventos, shows e lugares de Brasília, escolhidos a dedo: o que há hoje, onde comer, aonde \
         ir.",
        "A hand-picked guide to events, shows and places in Brasília: what is on today, where to eat, \
         where to go.",
    );
    let about = About { title, description, path: "/", query: "", listed: true };
    frame.page(language, &about, |out| {
        put(out, &["<div class=\"hero\"><div class=\"hero-words\"><h1>"]);
        put(out, &[say("Brasília,<br>escolhida<br>a dedo.", "Brasília,<br>picked<br>by hand.")]);
        put(out, &["</h1><p class=\"lead\">"]);
        put(
            out,
            &[say(
                "Eventos, shows e lugares do Plano Piloto. Para gente, aplicativos e agentes.",
                "Events, shows and places of Plano Piloto. For people, apps and agents.",
            )],
        );
        put(out, &["</p></div>"]);
        wall(out, 12, 5, made.seed(), "wall-hero");
        put(out, &["</div>\n<div class=\"wide\">"]);
        made.form(language).write(out, &Question::default(), None);
        tries(out, language);

        if !events.ranks.is_empty() {
            heading(
                out,
                "next",
                say("Nos próximos dias", "In the next days"),
                &i18n::day(language, made.day),
            );
            list(out, made, language, guide, &events.ranks, true);
            more(out, language, "?kind=events&when=week", say("Buscar eventos", "Search events"));
            put(out, &["</section>\n"]);
        }
        if !places.ranks.is_empty() {
            heading(out, "talked", say("Os lugares mais falados", "The places people talk about"), "");
            list(out, made, language, guide, &places.ranks, false);
            more(out, language, "?kind=places", say("Buscar lugares", "Search places"));
            put(out, &["</section>\n"]);
        }
        heading(out, "areas", say("Por endereço", "By address"), "");
        blocks(out, language, "region", made.areas().take(MOST_BLOCKS), "blocks-areas");
        put(out, &["</section>\n"]);
        heading(out, "kinds", say("Por gosto", "By interest"), "");
        blocks(out, language, "category", made.kinds(language).take(MOST_BLOCKS), "blocks-kinds");
        put(out, &["</section>\n"]);
        frame.credit(out, language);
        builders(out, language);
        put(out, &["</div>\n"]);
    })
}

/// The way from the guide to what is built on it.
fn builders(out: &mut String, language: Language) {
    let say = |portuguese, english| language.pick(portuguese, english);
    heading(out, "build", say("Para quem constrói", "For those who build"), "");
    put(out, &["<p class=\"lead\">"]);
    put(
        out,
        &[say(
            "O mesmo guia, em JSON, no seu aplicativo. Ou dentro do seu agente, com um endereço só.",
            "The same guide, as JSON, in your app. Or inside your agent, with a single address.",
        )],
    );
    put(out, &["</p><ul class=\"chips\">"]);
    for (path, portuguese, english) in [
        ("/agents", "Conectar um agente", "Connect an agent"),
        ("/api", "Ver a API", "See the API"),
        ("/signup", "Pegar uma chave, de graça", "Get a key for free"),
    ] {
        let [prefix, path] = address(language, path);
        put(out, &["<li><a href=\"", prefix, path, "\">", say(portuguese, english), "</a></li>"]);
    }
    put(out, &["</ul></section>\n"]);
}

/// What was found in the guide by a question: of each kind that was asked.
pub(super) fn found(
    frame: &Frame,
    made: &Made,
    language: Language,
    guide: &Guide,
    question: &Question<'_>,
    query: &str,
    [events, places]: &[Option<Page>; 2],
) -> String {
    let (events, places) = (events.as_ref(), places.as_ref());
    let say = |portuguese, english| language.pick(portuguese, english);
    let query = &["?", query].concat();
    let title = match (&*question.q, question.kind()) {
        ("", Kind::Events) => Cow::Borrowed(say("Eventos em Brasília", "Events in Brasília")),
        ("", Kind::Places) => Cow::Borrowed(say("Lugares em Brasília", "Places in Brasília")),
        ("", Kind::All) => Cow::Borrowed(say("Busca em Brasília", "Search in Brasília")),
        (asked, _) => Cow::Owned([asked, say(": busca", ": search")].concat()),
    };
    let description = say("Busca no guia de Brasília.", "Search in the guide to Brasília.");
    let about = About { title: &title, description, path: "/", query, listed: false };
    frame.page(language, &about, |out| {
        asked_again(out, made, language, question, None);
        let total = events.map_or(0, |events| events.total) + places.map_or(0, |places| places.total);
        let count = |page: Option<&Page>| page.map_or(0, |page| page.ranks.len());
        let (shown_events, shown_places) = shared(count(events), count(places));
        let shown = shown_events + shown_places;
        let seen = preview_days(made.day);
        let days = events.and_then(|events| events.interpretation.window);
        let are_hidden = days.is_some_and(|days| days.within(seen).is_none());
        if total > 0 || !are_hidden {
            status(out, language, total, shown as u32);
        }
        if let Some(page) = events.or(places) {
            let of_days = events.is_some_and(|events| total == 0 || events.total > 0);
            reading(out, language, guide.vocabulary(), &page.interpretation, of_days);
        }
        if are_hidden {
            let left_out = say(
                "Os dias pedidos ficaram de fora: aqui a busca vai de hoje a ",
                "The days you asked for were left out: the search here goes from today to ",
            );
            put(
                out,
                &["<p class=\"note\" role=\"status\">", left_out, &i18n::date(language, seen.to, made.day)],
            );
            let [prefix, path] = address(language, "/signup");
            let key = say("Uma chave, de graça, vê todos.", "A key, for free, sees them all.");
            put(out, &[". <a href=\"", prefix, path, "\">", key, "</a></p>\n"]);
        }
        if total == 0 {
            relaxed(out, language, question, events, places);
        }
        let both = events.is_some() && places.is_some();
        for (page, shown, is_events) in [(events, shown_events, true), (places, shown_places, false)] {
            let Some(page) = page.filter(|page| page.total > 0) else { continue };
            let (id, name) = if is_events {
                ("events", say("Eventos", "Events"))
            } else {
                ("places", say("Lugares", "Places"))
            };
            heading(out, id, name, &i18n::number(language, page.total));
            list(out, made, language, guide, &page.ranks[..shown], is_events);
            if both && page.total as usize > shown && shown < PREVIEW_RESULTS {
                let (kind, name) = if is_events {
                    ("events", say("Só eventos", "Events only"))
                } else {
                    ("places", say("Só lugares", "Places only"))
                };
                more(out, language, &question.query_of_kind(kind), name);
            }
            put(out, &["</section>\n"]);
        }
        if shown > 0 {
            frame.credit(out, language);
        }
        frame.preview(out, language);
        put(out, &["</div>\n"]);
    })
}

/// A question that was refused, and why.
pub(super) fn refused(
    frame: &Frame,
    made: Option<&Made>,
    language: Language,
    question: &Question<'_>,
    query: &str,
    plain: &Plain,
) -> String {
    let title = language.pick("Busca", "Search");
    let query = &if query.is_empty() { String::new() } else { format!("?{query}") };
    let about = About { title, description: title, path: "/", query, listed: false };
    frame.page(language, &about, |out| {
        match made {
            Some(made) => asked_again(out, made, language, question, Some(plain)),
            None => put(out, &["<div class=\"wide narrow-top\"><h1>", title, "</h1>"]),
        }
        put(out, &["<div class=\"no\" role=\"alert\" id=\"no\"><p>", &escaped(&plain.sentence), "</p>"]);
        if let Some(field) = plain.field.filter(|_| !plain.instead.is_empty()) {
            put(out, &["<p>", language.pick("Quem sabe:", "Perhaps:"), "</p><ul class=\"chips\">"]);
            for name in &plain.instead {
                let [prefix, path] = address(language, "/");
                let query = question.query(field, name);
                put(
                    out,
                    &["<li><a href=\"", prefix, path, &escaped(&query), "\">", &escaped(name), "</a></li>"],
                );
            }
            put(out, &["</ul>"]);
        }
        put(out, &["</div>"]);
        frame.preview(out, language);
        put(out, &["</div>\n"]);
    })
}

/// How many of each are shown of so many that were found: the preview's, all together.
fn shared(events: usize, places: usize) -> (usize, usize) {
    let events = events.min(PREVIEW_RESULTS.saturating_sub(places).max(2));
    (events, places.min(PREVIEW_RESULTS - events))
}

/// The heading of the page with results, and the form with what was asked.
fn asked_again(
    out: &mut String,
    made: &Made,
    language: Language,
    question: &Question<'_>,
    wrong: Option<&Plain>,
) {
    put(out, &["<div class=\"wide narrow-top\"><h1>"]);
    match &*question.q {
        "" => put(out, &[language.pick("O que há em Brasília", "What is on in Brasília")]),
        asked => put(out, &["“", &escaped(asked), "”"]),
    }
    put(out, &["</h1>\n"]);
    made.form(language).write(out, question, wrong.and_then(|plain| plain.field));
}

/// Questions that show what may be asked.
fn tries(out: &mut String, language: Language) {
    const TRIES: [(&str, &str); 4] = [
        ("samba na sexta", "samba on friday"),
        ("sushi asa sul", "sushi asa sul"),
        ("boteco 408 norte", "bar 408 norte"),
        ("museu", "museum"),
    ];
    let [prefix, path] = address(language, "/");
    put(out, &["<p class=\"tries\"><span>", language.pick("Experimente", "Try"), "</span> "]);
    for (portuguese, english) in TRIES {
        let asked = language.pick(portuguese, english);
        let query: String = form_urlencoded::byte_serialize(asked.as_bytes()).collect();
        put(out, &["<a href=\"", prefix, path, "?q=", &query, "\">", asked, "</a> "]);
    }
    put(out, &["</p>\n"]);
}

/// Opens a part of the page.
fn heading(out: &mut String, id: &str, title: &str, aside: &str) {
    put(
        out,
        &[
            "<section class=\"part\" aria-labelledby=\"",
            id,
            "\"><div class=\"part-head\"><h2 id=\"",
            id,
            "\">",
        ],
    );
    put(out, &[title, "</h2>"]);
    if !aside.is_empty() {
        put(out, &["<p>", aside, "</p>"]);
    }
    put(out, &["</div>"]);
}

fn more(out: &mut String, language: Language, query: &str, text: &str) {
    let [prefix, path] = address(language, "/");
    put(out, &["<p class=\"more\"><a href=\"", prefix, path, &escaped(query), "\">", text, "</a></p>"]);
}

/// Areas or categories as blocks on a green, each with how much there is.
fn blocks<'n>(
    out: &mut String,
    language: Language,
    field: &str,
    names: impl Iterator<Item = (&'n str, &'n str, u32)>,
    class: &str,
) {
    let [prefix, path] = address(language, "/");
    put(out, &["<ul class=\"blocks ", class, "\">"]);
    for (value, name, count) in names {
        let value: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
        put(
            out,
            &[
                "<li><a href=\"",
                prefix,
                path,
                "?",
                field,
                "=",
                &value,
                "\"><span>",
                &escaped(name),
                "</span> ",
            ],
        );
        put(out, &["<small>", itoa::Buffer::new().format(count), "</small></a></li>"]);
    }
    put(out, &["</ul>"]);
}

/// How much was found, told to those who see and to those who listen.
fn status(out: &mut String, language: Language, total: u32, shown: u32) {
    put(out, &["<p class=\"status\" role=\"status\">"]);
    let number = |number| i18n::number(language, number);
    match (language, total) {
        (Language::Portuguese, 0) => put(out, &["Nada encontrado com tudo isso junto."]),
        (Language::English, 0) => put(out, &["Nothing found with all of that together."]),
        (Language::Portuguese, 1) => put(out, &["1 resultado"]),
        (Language::English, 1) => put(out, &["1 result"]),
        (Language::Portuguese, total) => put(out, &[&number(total), " resultados"]),
        (Language::English, total) => put(out, &[&number(total), " results"]),
    }
    if shown < total {
        put(out, &[language.pick(", aqui os primeiros ", ", here the first "), &number(shown)]);
    }
    put(out, &["</p>\n"]);
}

/// How the question was understood.
fn reading(
    out: &mut String,
    language: Language,
    vocabulary: &ArchivedVocabularyIndex,
    read: &Interpretation,
    of_days: bool,
) {
    let days = read.window.filter(|_| of_days);
    if read.areas.is_empty() && read.categories.is_empty() && read.corrected.is_empty() && days.is_none() {
        return;
    }
    put(out, &["<p class=\"reading\"><span>", language.pick("Entendi", "Read as"), "</span>"]);
    for area in &read.areas {
        put(out, &[" <b>", &escaped(&vocabulary.areas[usize::from(*area)].name), "</b>"]);
    }
    // what a word may mean can be many things; three tell enough
    for category in read.categories.iter().take(3) {
        let category = &vocabulary.categories[usize::from(*category)];
        put(out, &[" <b>", &escaped(language.pick(&category.pt, &category.en)), "</b>"]);
    }
    if let Some(Window { from, to }) = days {
        let to = to.min(from + Days::new(365));
        put(out, &[" <b>", &i18n::date(language, from, from)]);
        if to > from {
            put(out, &[language.pick(" a ", " to "), &i18n::date(language, to, from)]);
        }
        put(out, &["</b>"]);
    }
    for (word, meant) in &read.corrected {
        put(out, &[" <b><s>", &escaped(word), "</s> ", &escaped(meant), "</b>"]);
    }
    put(out, &["</p>\n"]);
}

/// What to leave out to find something.
fn relaxed(
    out: &mut String,
    language: Language,
    question: &Question<'_>,
    events: Option<&Page>,
    places: Option<&Page>,
) {
    let say = |portuguese, english| language.pick(portuguese, english);
    let without = |count: fn(&RelaxedTotals) -> Option<u32>| -> u32 {
        let relaxed = [events, places].into_iter().flatten().filter_map(|page| page.relax.as_ref());
        relaxed.filter_map(count).sum()
    };
    let [prefix, path] = address(language, "/");
    let mut chips = String::new();
    let mut chip = |query: &str, text: &str, count: u32| {
        put(&mut chips, &["<li><a href=\"", prefix, path, &escaped(query), "\">", text]);
        if count > 0 {
            put(&mut chips, &[" <small>", &i18n::number(language, count), "</small>"]);
        }
        put(&mut chips, &["</a></li>"]);
    };
    for (field, count, text) in [
        ("q", without(|relax| relax.q), say("sem o texto", "without the text")),
        ("region", without(|relax| relax.region), say("em todo o Plano Piloto", "in all of Plano Piloto")),
        ("category", without(|relax| relax.category), say("de qualquer categoria", "of any category")),
    ] {
        if count > 0 && !question.of_field(field).is_empty() {
            chip(&question.query(field, ""), text, count);
        }
    }
    if places.is_none() {
        if !["", "week"].contains(&&*question.when) {
            chip(&question.query("when", "week"), say("nos próximos 7 dias", "in the next 7 days"), 0);
        }
        chip(&question.query_of_kind("places"), say("procurar em lugares", "look among places"), 0);
    }
    if !chips.is_empty() {
        let text = say("O que dá para afrouxar:", "What may be relaxed:");
        put(out, &["<div class=\"relax\"><p>", text, "</p><ul class=\"chips\">", &chips, "</ul></div>"]);
    }
}

/// Records of the guide, one after the other.
fn list(out: &mut String, made: &Made, language: Language, guide: &Guide, ranks: &[u32], is_events: bool) {
    let cards = if is_events { &guide.events.rendered } else { &guide.places.rendered };
    let prefix = language.pick("", "/en");
    put(out, &[if is_events { "<ol class=\"agenda\">" } else { "<ul class=\"places\">" }, "\n"]);
    for record in ranks.iter().map(|rank| Record::of(cards, *rank)) {
        put(out, &["<li>"]);
        if let Some(date) = record.date {
            let from = date.max(made.day.min(record.end_date.unwrap_or(date)));
            let mut number = itoa::Buffer::new();
            put(
                out,
                &["<time datetime=\"", &date.to_string(), "\"><b>", number.format(from.day()), "</b> <span>"],
            );
            put(out, &[i18n::short(i18n::month(language, from)), "</span> <span>"]);
            put(out, &[i18n::short(i18n::weekday(language, from)), "</span></time>"]);
        }
        let path = if is_events { "/event/" } else { "/place/" };
        put(out, &["<div><h3><a href=\"", prefix, path, &record.id, "\">", &escaped(&record.name), "</a>"]);
        if record.uau {
            put(out, &[" <span class=\"uau\">UAU</span>"]);
        }
        put(out, &["</h3><p>"]);
        let area = record.area();
        let (mut first, area) = (true, if area == record.venue { "" } else { area });
        for text in [&*record.start_time, &record.venue, &record.style, area, &record.price] {
            if !text.is_empty() {
                put(out, &[if first { "" } else { " · " }, &escaped(text)]);
                first = false;
            }
        }
        let label = made.label(language, &record.category);
        put(out, &["</p></div><span class=\"tag\">", &escaped(label), "</span></li>\n"]);
    }
    put(out, &[if is_events { "</ol>" } else { "</ul>" }, "\n"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preview_is_shared_between_kinds() {
        for (found, shown) in [
            ((5, 5), (2, 3)),
            ((5, 0), (5, 0)),
            ((0, 5), (0, 5)),
            ((1, 5), (1, 4)),
            ((5, 1), (4, 1)),
            ((0, 0), (0, 0)),
        ] {
            assert_eq!(shared(found.0, found.1), shown);
        }
    }
}
