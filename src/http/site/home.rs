//! The guide's front page, and the answers to what is asked there: a form that works without scripts, five results as
//! the preview gives them, and what to leave out when there are none. Uses [`super::frame`], [`super::guide`],
//! [`super::shown`] and [`super::words`].

use std::borrow::Cow;

use chrono::{Datelike, Days, NaiveDate};
use url::form_urlencoded;

use super::super::html::{Language, escaped};
use super::frame::{About, Frame, address, put, wall};
use super::guide::{Made, Options};
use super::shown::{Answer, Interpreted, Record, Relax};
use super::words::{self, Plain};
use crate::actions::Params;
use crate::gate::PREVIEW_RESULTS;

/// What somebody looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    /// Both; events alone when a day is asked for.
    #[default]
    All,
    Events,
    Places,
}

/// A question as the form sends it. Fields left empty are empty.
#[derive(Debug, Clone, Default)]
pub(super) struct Question<'a> {
    q: Cow<'a, str>,
    /// `today`, `tomorrow`, `weekend`, `week` or a day.
    when: Cow<'a, str>,
    region: Cow<'a, str>,
    category: Cow<'a, str>,
    kind: Option<Kind>,
}

/// Most blocks of areas, and of categories, on the front page.
const MOST_BLOCKS: usize = 12;

impl<'a> Question<'a> {
    /// Reads what follows the `?` of an address.
    pub(super) fn of(query: &'a str) -> Question<'a> {
        let mut question = Question::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let field = match &*name {
                "q" => &mut question.q,
                "when" => &mut question.when,
                "region" => &mut question.region,
                "category" => &mut question.category,
                "kind" => {
                    question.kind = match &*value {
                        "events" => Some(Kind::Events),
                        "places" => Some(Kind::Places),
                        _ => None,
                    };
                    continue;
                }
                _ => continue,
            };
            *field = trimmed(value);
        }
        question
    }

    /// Whether nothing is asked.
    pub(super) fn is_empty(&self) -> bool {
        self.kind.is_none()
            && [&self.q, &self.when, &self.region, &self.category].iter().all(|field| field.is_empty())
    }

    /// What is looked for.
    pub(super) fn kind(&self) -> Kind {
        match self.kind {
            Some(kind) => kind,
            None if self.when.is_empty() => Kind::All,
            None => Kind::Events,
        }
    }

    /// What actions are asked with. A day that is none is sent as it is, and refused.
    pub(super) fn params(&self, today: NaiveDate) -> Params<'_> {
        let day = |day: NaiveDate| Cow::Owned(day.to_string());
        let (from, to) = match &*self.when {
            "" | "week" => (Cow::Borrowed(""), Cow::Borrowed("")),
            "today" => (day(today), day(today)),
            "tomorrow" => (day(today + Days::new(1)), day(today + Days::new(1))),
            "weekend" => {
                let to_saturday = u64::from(5_u32.saturating_sub(today.weekday().num_days_from_monday()));
                let from = today + Days::new(to_saturday);
                let is_sunday = from.weekday() == chrono::Weekday::Sun;
                (day(from), day(from + Days::new(u64::from(!is_sunday))))
            }
            written => (Cow::Borrowed(written), Cow::Borrowed(written)),
        };
        let fields = [
            ("q", Cow::Borrowed(&*self.q)),
            ("region", Cow::Borrowed(&*self.region)),
            ("category", Cow::Borrowed(&*self.category)),
            ("from", from),
            ("to", to),
        ];
        Params::of_form(fields.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)))
    }

    /// What follows the path of the same question with one field changed, the `?` included.
    fn query(&self, field: &str, value: &str) -> String {
        let mut out = form_urlencoded::Serializer::for_suffix(String::from("?"), 1);
        let kind = match self.kind {
            None | Some(Kind::All) => "",
            Some(Kind::Events) => "events",
            Some(Kind::Places) => "places",
        };
        for (name, own) in [
            ("q", &*self.q),
            ("kind", kind),
            ("when", &self.when),
            ("region", &self.region),
            ("category", &self.category),
        ] {
            let own = if name == field { value } else { own };
            if !own.is_empty() {
                out.append_pair(name, own);
            }
        }
        out.finish()
    }

    fn of_field(&self, field: &str) -> &str {
        match field {
            "q" => &self.q,
            "region" => &self.region,
            _ => &self.category,
        }
    }
}

/// The same text without blanks around it, copied only when there were any.
fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// The front page, where nothing is asked yet.
pub(super) fn front(
    frame: &Frame,
    made: &Made,
    language: Language,
    events: &Answer<'_>,
    places: &Answer<'_>,
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
    frame.page(language, &about, 32 * 1_024, |out| {
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
        form(out, made, language, &Question::default(), None);
        tries(out, language);

        if !events.records.is_empty() {
            heading(
                out,
                "next",
                say("Nos próximos dias", "In the next days"),
                &words::day(language, made.day),
            );
            list(out, made, language, &events.records, true);
            more(out, language, "?kind=events&when=week", say("Buscar eventos", "Search events"));
            put(out, &["</section>\n"]);
        }
        if !places.records.is_empty() {
            heading(out, "talked", say("Os lugares mais falados", "The places people talk about"), "");
            list(out, made, language, &places.records, false);
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

/// What came of a question: the answer of each kind that was asked, in the order events, places.
pub(super) fn found(
    frame: &Frame,
    made: &Made,
    language: Language,
    question: &Question<'_>,
    query: &str,
    events: Option<&Answer<'_>>,
    places: Option<&Answer<'_>>,
) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let query = &format!("?{query}");
    let title = match (&*question.q, question.kind()) {
        ("", Kind::Events) => Cow::Borrowed(say("Eventos em Brasília", "Events in Brasília")),
        ("", Kind::Places) => Cow::Borrowed(say("Lugares em Brasília", "Places in Brasília")),
        ("", Kind::All) => Cow::Borrowed(say("Busca em Brasília", "Search in Brasília")),
        (asked, _) => Cow::Owned(format!("{asked}: {}", say("busca", "search"))),
    };
    let description = say("Busca no guia de Brasília.", "Search in the guide to Brasília.");
    let about = About { title: &title, description, path: "/", query, listed: false };
    frame.page(language, &about, 24 * 1_024, |out| {
        asked_again(out, made, language, question, None);
        let total = events.map_or(0, |events| events.total) + places.map_or(0, |places| places.total);
        let count = |answer: Option<&Answer>| answer.map_or(0, |answer| answer.records.len());
        let (shown_events, shown_places) = shared(count(events), count(places));
        let shown = shown_events + shown_places;
        status(out, language, total as usize, shown);
        if let Some(answer) = events.or(places) {
            let of_days = events.is_some_and(|events| total == 0 || events.total > 0);
            reading(out, language, &answer.interpreted, of_days);
        }
        if total == 0 {
            relaxed(out, language, question, events, places);
        }
        let both = events.is_some() && places.is_some();
        for (answer, shown, is_events) in [(events, shown_events, true), (places, shown_places, false)] {
            let Some(answer) = answer.filter(|answer| answer.total > 0) else { continue };
            let (id, name) = if is_events {
                ("events", say("Eventos", "Events"))
            } else {
                ("places", say("Lugares", "Places"))
            };
            heading(out, id, name, &words::number(language, answer.total));
            list(out, made, language, &answer.records[..shown], is_events);
            if both && answer.total as usize > shown && shown < PREVIEW_RESULTS {
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
    frame.page(language, &about, 20 * 1_024, |out| {
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

impl Question<'_> {
    fn query_of_kind(&self, kind: &str) -> String {
        // "places" of a day are places: they have none
        let when = if kind == "places" { Cow::Borrowed("") } else { self.when.clone() };
        Question { when, ..self.clone() }.query("kind", kind)
    }
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
    form(out, made, language, question, wrong);
}

fn form(out: &mut String, made: &Made, language: Language, question: &Question<'_>, wrong: Option<&Plain>) {
    let say = |portuguese, english| language.pick(portuguese, english);
    let [prefix, path] = address(language, "/");
    put(
        out,
        &["<form class=\"search\" role=\"search\" method=\"get\" action=\"", prefix, path, "\" data-lean>"],
    );
    let invalid = |field: &str| match wrong {
        Some(plain) if plain.field == Some(field) => " aria-invalid=\"true\" aria-describedby=\"no\"",
        _ => "",
    };
    put(
        out,
        &[
            "<div class=\"field field-q\"><label for=\"q\">",
            say("O que você procura", "What you are looking for"),
        ],
    );
    put(
        out,
        &["</label><input id=\"q\" name=\"q\" type=\"search\" maxlength=\"200\" autocomplete=\"off\" \
             value=\""],
    );
    put(
        out,
        &[
            &escaped(&question.q),
            "\" placeholder=\"",
            say("samba na sexta", "samba on friday"),
            "\"",
            invalid("q"),
            "></div>",
        ],
    );

    put(out, &["<fieldset class=\"kinds\"><legend>", say("O quê", "Kind"), "</legend>"]);
    for (id, kind, value, name) in [
        ("kind-all", None, "", say("Tudo", "All")),
        ("kind-events", Some(Kind::Events), "events", say("Eventos", "Events")),
        ("kind-places", Some(Kind::Places), "places", say("Lugares", "Places")),
    ] {
        let checked = if question.kind == kind { "\" checked>" } else { "\">" };
        put(
            out,
            &[
                "<label for=\"",
                id,
                "\"><input type=\"radio\" name=\"kind\" id=\"",
                id,
                "\" value=\"",
                value,
                checked,
            ],
        );
        put(out, &["<span>", name, "</span></label>"]);
    }
    put(out, &["</fieldset>"]);

    let mut select = |id: &str, class: &str, label: &str, options: &Options, chosen: &str| {
        put(
            out,
            &[
                "<div class=\"field ",
                class,
                "\"><label for=\"",
                id,
                "\">",
                label,
                "</label><select id=\"",
                id,
            ],
        );
        put(out, &["\" name=\"", id, "\"", invalid(id), ">"]);
        options.write(chosen, out);
        put(out, &["</select></div>"]);
    };
    let options = made.options(language);
    select("when", "field-when", say("Quando", "When"), &options.when, &question.when);
    select("region", "field-region", say("Onde", "Where"), &options.regions, &question.region);
    select(
        "category",
        "field-category",
        say("Categoria", "Category"),
        &options.categories,
        &question.category,
    );
    put(out, &["<button type=\"submit\">", say("Buscar", "Search"), "</button></form>\n"]);
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
fn status(out: &mut String, language: Language, total: usize, shown: usize) {
    put(out, &["<p class=\"status\" role=\"status\">"]);
    let number = |number: usize| words::number(language, u32::try_from(number).unwrap_or(u32::MAX));
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
fn reading(out: &mut String, language: Language, read: &Interpreted<'_>, of_days: bool) {
    let days = read.from.zip(read.to).filter(|_| of_days);
    if read.region.is_empty() && read.category.is_empty() && read.corrected.is_empty() && days.is_none() {
        return;
    }
    put(out, &["<p class=\"reading\"><span>", language.pick("Entendi", "Read as"), "</span>"]);
    for area in &read.region {
        put(out, &[" <b>", &escaped(&area.name), "</b>"]);
    }
    // what a word may mean can be many things; three tell enough
    for category in read.category.iter().take(3) {
        put(out, &[" <b>", &escaped(language.pick(&category.pt, &category.en)), "</b>"]);
    }
    if let Some((from, to)) = days {
        let to = to.min(from + Days::new(365));
        put(out, &[" <b>", &words::date(language, from, from)]);
        if to > from {
            put(out, &[language.pick(" a ", " to "), &words::date(language, to, from)]);
        }
        put(out, &["</b>"]);
    }
    for word in &read.corrected {
        put(out, &[" <b><s>", &escaped(word.from), "</s> ", &escaped(&word.to), "</b>"]);
    }
    put(out, &["</p>\n"]);
}

/// What to leave out to find something.
fn relaxed(
    out: &mut String,
    language: Language,
    question: &Question<'_>,
    events: Option<&Answer<'_>>,
    places: Option<&Answer<'_>>,
) {
    let say = |portuguese, english| language.pick(portuguese, english);
    let without = |count: fn(&Relax) -> u32| -> u32 {
        [events, places].into_iter().flatten().map(|answer| count(&answer.relax)).sum()
    };
    let [prefix, path] = address(language, "/");
    let mut chips = String::new();
    let mut chip = |query: &str, text: &str, count: u32| {
        put(&mut chips, &["<li><a href=\"", prefix, path, &escaped(query), "\">", text]);
        if count > 0 {
            put(&mut chips, &[" <small>", &words::number(language, count), "</small>"]);
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

/// Records, one after the other.
fn list(out: &mut String, made: &Made, language: Language, records: &[Record<'_>], is_events: bool) {
    let prefix = language.pick("", "/en");
    put(out, &[if is_events { "<ol class=\"agenda\">" } else { "<ul class=\"places\">" }, "\n"]);
    for record in records {
        put(out, &["<li>"]);
        if let Some(date) = record.date {
            let from = date.max(made.day.min(record.end_date.unwrap_or(date)));
            let mut number = itoa::Buffer::new();
            put(
                out,
                &["<time datetime=\"", &date.to_string(), "\"><b>", number.format(from.day()), "</b> <span>"],
            );
            put(out, &[words::short(words::month(language, from)), "</span> <span>"]);
            put(out, &[words::short(words::weekday(language, from)), "</span></time>"]);
        }
        let path = if is_events { "/event/" } else { "/place/" };
        put(out, &["<div><h3><a href=\"", prefix, path, record.id, "\">", &escaped(&record.name), "</a>"]);
        if record.uau {
            put(out, &[" <span class=\"uau\">UAU</span>"]);
        }
        put(out, &["</h3><p>"]);
        let area = if record.neighbourhood.is_empty() { &record.region } else { &record.neighbourhood };
        let (mut first, area) = (true, if *area == record.venue { "" } else { area });
        for text in [record.start_time, &record.venue, &record.style, area, &record.price] {
            if !text.is_empty() {
                put(out, &[if first { "" } else { " · " }, &escaped(text)]);
                first = false;
            }
        }
        put(
            out,
            &["</p></div><span class=\"tag\">", &made.label(language, record.category), "</span></li>\n"],
        );
    }
    put(out, &[if is_events { "</ol>" } else { "</ul>" }, "\n"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

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

    #[test]
    fn days_are_read_as_people_pick_them() {
        let window = |when: &str, today: &str| {
            let query = format!("when={when}");
            let question = Question::of(&query);
            let params = question.params(day(today));
            (params.date("from").unwrap(), params.date("to").unwrap())
        };
        let days = |from: &str, to: &str| (Some(day(from)), Some(day(to)));
        assert_eq!(window("today", "2026-11-21"), days("2026-11-21", "2026-11-21"));
        assert_eq!(window("tomorrow", "2026-11-30"), days("2026-12-01", "2026-12-01"));
        assert_eq!(window("weekend", "2026-11-18"), days("2026-11-21", "2026-11-22"));
        assert_eq!(window("weekend", "2026-11-21"), days("2026-11-21", "2026-11-22"));
        assert_eq!(window("weekend", "2026-11-22"), days("2026-11-22", "2026-11-22"));
        assert_eq!(window("week", "2026-11-22"), (None, None));
        assert_eq!(window("2026-11-25", "2026-11-22"), days("2026-11-25", "2026-11-25"));
    }

    #[test]
    fn a_question_keeps_its_other_fields() {
        let question = Question::of("q=+caf%C3%A9+&region=Asa+Norte&kind=places&utm=x");
        assert_eq!(question.query("region", ""), "?q=caf%C3%A9&kind=places");
        assert_eq!(question.query("region", "Asa Sul"), "?q=caf%C3%A9&kind=places&region=Asa+Sul");
        assert!(Question::of("q=&when=&region=&category=&kind=&utm=x").is_empty());
        assert_eq!(Question::of("when=today").kind(), Kind::Events);
        assert_eq!(Question::of("when=today&kind=places").kind(), Kind::Places);
    }
}
