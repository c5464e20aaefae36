//! The form that the guide is asked with: a question as it is sent, and the form as it stands in pages, laid once for an
//! edition and a day, and written with what was asked. Uses [`super::layout`], [`super::i18n`], [`super::super::html`],
//! [`crate::actions`] and the crate `index`.

use std::borrow::Cow;
use std::collections::HashMap;

use chrono::{Datelike, Days, NaiveDate};
use index::CategoryId;
use index::fold::fold;
use index::vocabulary::ArchivedVocabularyIndex;
use url::form_urlencoded;

use super::super::html::{Language, escaped};
use super::i18n;
use super::layout::{address, put};
use crate::actions::Params;
use crate::quota::gate::PREVIEW_DAYS;

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
    pub(super) q: Cow<'a, str>,
    /// `today`, `tomorrow`, `weekend`, `week` or a day.
    pub(super) when: Cow<'a, str>,
    region: Cow<'a, str>,
    category: Cow<'a, str>,
    kind: Option<Kind>,
}

impl<'a> Question<'a> {
    /// Reads what follows the `?` of an address.
    pub(super) fn of(query: &'a str) -> Question<'a> {
        let mut question = Question::default();
        let fields = query.split('&').filter_map(|field| match field.split_once('=') {
            // most have nothing to decode
            Some((name, value)) if !field.bytes().any(|byte| matches!(byte, b'%' | b'+')) => {
                Some((Cow::Borrowed(name), Cow::Borrowed(value)))
            }
            _ => form_urlencoded::parse(field.as_bytes()).next(),
        });
        for (name, value) in fields {
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
        let sent = fields.into_iter().filter(|(_, value)| !value.is_empty());
        Params::of_form(sent.map(|(name, value)| (Cow::Borrowed(name), value)))
    }

    /// What follows the path of the same question with one field changed, the `?` included.
    pub(super) fn query(&self, field: &str, value: &str) -> String {
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

    /// The same for another kind.
    pub(super) fn query_of_kind(&self, kind: &str) -> String {
        // "places" of a day are places: they have none
        let when = if kind == "places" { Cow::Borrowed("") } else { self.when.clone() };
        Question { when, ..self.clone() }.query("kind", kind)
    }

    /// What was sent in a field.
    pub(super) fn of_field(&self, field: &str) -> &str {
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

/// The form in one language: all of it with nothing chosen, and where a question is told in it.
pub(super) struct Form {
    html: String,
    /// Where the text stands that is looked for.
    text: usize,
    /// Where it may be said that this text is wrong.
    text_is_wrong: usize,
    /// Where it is said which kind is chosen: all, events, places.
    kinds: [usize; 3],
    fields: [Field; 3],
}

/// A field with choices.
struct Field {
    name: &'static str,
    /// Where it may be said that it is wrong.
    is_wrong: usize,
    /// Where it is to be said that nothing is chosen.
    nothing: usize,
    /// Where it is to be said of each value that it is chosen.
    values: HashMap<String, usize>,
    /// Where a choice may be added.
    end: usize,
}

/// What a field says that is wrong.
const WRONG: &str = " aria-invalid=\"true\" aria-describedby=\"no\"";

impl Form {
    /// Lays the form. `areas` are offered by name; `roots` are the broadest categories, and of those within them the
    /// ones of which there `is` something.
    pub(super) fn new<'n>(
        language: Language,
        today: NaiveDate,
        areas: impl Iterator<Item = &'n str>,
        vocabulary: &ArchivedVocabularyIndex,
        roots: impl Iterator<Item = CategoryId>,
        is: impl Fn(CategoryId) -> bool,
    ) -> Form {
        let say = |portuguese, english| language.pick(portuguese, english);
        let mut html = String::new();
        let out = &mut html;
        let action = address(language, "/").concat();
        put(
            out,
            &["<form class=\"search\" role=\"search\" method=\"get\" action=\"", &action, "\" data-lean>"],
        );
        put(out, &["<div class=\"field field-q\"><label for=\"q\">"]);
        put(out, &[say("O que você procura", "What you are looking for"), "</label>"]);
        put(
            out,
            &["<input id=\"q\" name=\"q\" type=\"search\" maxlength=\"200\" autocomplete=\"off\" value=\""],
        );
        let text = out.len();
        put(out, &["\" placeholder=\"", say("samba na sexta", "samba on friday"), "\""]);
        let text_is_wrong = out.len();
        put(out, &["></div><fieldset class=\"kinds\"><legend>", say("O quê", "Kind"), "</legend>"]);
        let kinds = [
            ("kind-all", "", say("Tudo", "All")),
            ("kind-events", "events", say("Eventos", "Events")),
            ("kind-places", "places", say("Lugares", "Places")),
        ];
        let kinds = kinds.map(|(id, value, name)| {
            put(out, &["<label for=\"", id, "\"><input type=\"radio\" name=\"kind\" id=\"", id]);
            put(out, &["\" value=\"", value, "\""]);
            let chosen = out.len();
            put(out, &["><span>", name, "</span></label>"]);
            chosen
        });
        put(out, &["</fieldset>"]);
        let fields = [
            Field::lay(out, "when", say("Quando", "When"), say("Qualquer dia", "Any day"), |choices| {
                days(choices, language, today);
            }),
            Field::lay(
                out,
                "region",
                say("Onde", "Where"),
                say("Todo o Plano Piloto", "All of Plano Piloto"),
                |choices| regions(choices, areas),
            ),
            Field::lay(
                out,
                "category",
                say("Categoria", "Category"),
                say("Qualquer uma", "Any"),
                |choices| {
                    categories(choices, language, vocabulary, roots, is);
                },
            ),
        ];
        put(out, &["<button type=\"submit\">", say("Buscar", "Search"), "</button></form>\n"]);
        Form { html, text, text_is_wrong, kinds, fields }
    }

    /// Appends the form as it is with what was asked, and with one of its fields `wrong`. What is chosen and not among
    /// the choices is added to them.
    pub(super) fn write(&self, out: &mut String, question: &Question<'_>, wrong: Option<&str>) {
        let mut written = 0;
        let mut say = |at: usize, texts: &[&str]| {
            put(out, &[&self.html[written..at]]);
            put(out, texts);
            written = at;
        };
        say(self.text, &[&escaped(&question.q)]);
        if wrong == Some("q") {
            say(self.text_is_wrong, &[WRONG]);
        }
        say(self.kinds[question.kind.unwrap_or_default() as usize], &[" checked"]);
        for (field, chosen) in self.fields.iter().zip([&question.when, &question.region, &question.category])
        {
            if wrong == Some(field.name) {
                say(field.is_wrong, &[WRONG]);
            }
            // most fields of most questions are empty
            let at = if chosen.is_empty() { Some(&field.nothing) } else { field.values.get(&**chosen) };
            match at {
                Some(at) => say(*at, &[" selected"]),
                None => {
                    let chosen = escaped(chosen);
                    say(field.end, &["<option selected value=\"", &chosen, "\">", &chosen, "</option>"]);
                }
            }
        }
        say(self.html.len(), &[]);
    }
}

impl Field {
    fn lay(
        out: &mut String,
        name: &'static str,
        label: &str,
        any: &str,
        fill: impl FnOnce(&mut Choices),
    ) -> Field {
        put(out, &["<div class=\"field field-", name, "\"><label for=\"", name, "\">", label, "</label>"]);
        put(out, &["<select id=\"", name, "\" name=\"", name, "\""]);
        let is_wrong = out.len();
        put(out, &[">"]);
        let mut choices = Choices { html: out, values: HashMap::new() };
        let nothing = choices.lay("", any);
        fill(&mut choices);
        let values = choices.values;
        let end = out.len();
        put(out, &["</select></div>"]);
        Field { name, is_wrong, nothing, values, end }
    }
}

/// The choices of a field as they are laid.
struct Choices<'o> {
    html: &'o mut String,
    values: HashMap<String, usize>,
}

impl Choices<'_> {
    fn add(&mut self, value: &str, name: &str) {
        let at = self.lay(value, name);
        self.values.insert(value.to_owned(), at);
    }

    /// Lays a choice, and tells where it may be said that it is chosen.
    fn lay(&mut self, value: &str, name: &str) -> usize {
        put(self.html, &["<option value=\"", &escaped(value), "\""]);
        let at = self.html.len();
        put(self.html, &[">", &escaped(name), "</option>"]);
        at
    }

    fn group(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        put(self.html, &["<optgroup label=\"", &escaped(name), "\">"]);
        fill(self);
        put(self.html, &["</optgroup>"]);
    }
}

fn days(choices: &mut Choices, language: Language, today: NaiveDate) {
    let say = |portuguese, english| language.pick(portuguese, english);
    choices.add("today", say("Hoje", "Today"));
    choices.add("tomorrow", say("Amanhã", "Tomorrow"));
    choices.add("weekend", say("Fim de semana", "Weekend"));
    choices.add("week", say("Próximos 7 dias", "Next 7 days"));
    choices.group(say("Um dia", "One day"), |choices| {
        for days in 2..=PREVIEW_DAYS {
            let day = today + Days::new(days);
            choices.add(&day.to_string(), &i18n::day(language, day));
        }
    });
}

fn regions<'n>(choices: &mut Choices, areas: impl Iterator<Item = &'n str>) {
    let mut names: Vec<&str> = areas.collect();
    names.sort_by_cached_key(|name| fold(name));
    names.iter().for_each(|name| choices.add(name, name));
}

fn categories(
    choices: &mut Choices,
    language: Language,
    vocabulary: &ArchivedVocabularyIndex,
    roots: impl Iterator<Item = CategoryId>,
    is: impl Fn(CategoryId) -> bool,
) {
    let name = |node: CategoryId| {
        let category = &vocabulary.categories[usize::from(node)];
        language.pick(&category.pt, &category.en).as_str()
    };
    let slug = |node: CategoryId| vocabulary.categories[usize::from(node)].slug.as_str();
    for root in roots {
        let mut inside: Vec<CategoryId> =
            vocabulary.category_run(root).filter(|node| *node != root && is(*node)).collect();
        if inside.is_empty() {
            choices.add(slug(root), name(root));
            continue;
        }
        inside.sort_by_cached_key(|node| fold(name(*node)));
        choices.group(name(root), |choices| {
            let all = language.pick("tudo", "all");
            choices.add(slug(root), &format!("{}: {all}", name(root)));
            inside.iter().for_each(|node| choices.add(slug(*node), name(*node)));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn one_choice_is_chosen_and_an_unknown_one_is_kept() {
        let snapshot = snapshots::check(&snapshots::demo::files(), day("2026-11-21")).unwrap();
        let guide = index::Guide::build(&snapshot).unwrap();
        let (areas, roots) =
            (["Vila <b>", "Asa Norte"], 0..guide.vocabulary().categories.len() as CategoryId);
        let form = Form::new(
            Language::English,
            day("2026-11-21"),
            areas.into_iter(),
            guide.vocabulary(),
            roots,
            |_| false,
        );
        let written = |query: &str, wrong: Option<&str>| {
            let mut out = String::new();
            form.write(&mut out, &Question::of(query), wrong);
            assert_eq!(
                (out.matches(" selected").count(), out.matches(" checked").count()),
                (3, 1),
                "{query}"
            );
            assert_eq!(out.matches("aria-invalid").count(), usize::from(wrong.is_some()), "{query}");
            out
        };
        let empty = written("", None);
        assert!(empty.contains("<option value=\"\" selected>All of Plano Piloto</option>"));
        assert!(empty.contains("id=\"kind-all\" value=\"\" checked>"));
        let full = written("q=%3Ci%3E&region=Asa+Norte&kind=events&when=2026-11-23&category=bar", None);
        assert!(full.contains("value=\"&lt;i&gt;\" placeholder="));
        assert!(full.contains("id=\"kind-events\" value=\"events\" checked>"));
        assert!(full.contains("<option value=\"Asa Norte\" selected>Asa Norte</option>"));
        assert!(full.contains("<option value=\"2026-11-23\" selected>Monday, 23 November</option>"));
        assert!(full.contains("<option value=\"bar\" selected>"));
        assert!(full.contains("<option value=\"Vila &lt;b&gt;\">Vila &lt;b&gt;</option>"));
        let unknown = written("region=%3Cx%3E", Some("region"));
        assert!(unknown.contains("<option selected value=\"&lt;x&gt;\">&lt;x&gt;</option></select>"));
        assert!(unknown.contains("name=\"region\" aria-invalid=\"true\" aria-describedby=\"no\">"));
        assert!(
            written("q=a", Some("q")).contains("\" aria-invalid=\"true\" aria-describedby=\"no\"></div>")
        );
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
