//! The search form: rendered once for a snapshot and a day, and filled in with the fields of a search.

use std::collections::HashMap;

use chrono::{Days, NaiveDate};
use index::CategoryId;
use index::grammar::fold::fold;
use index::question::query::MAX_CHARACTERS;
use index::vocabulary::ArchivedVocabularyIndex;
use maud::{Markup, PreEscaped, Render, html};

use super::search_query::SearchQuery;
use crate::http::language::Language;
use crate::http::site::layout::i18n::category_name;
use crate::http::site::texts::{self, Texts};

/// The last day that the form offers, in days from today.
const DAYS: u64 = 14;

/// The form in one language, rendered once for no search. What a search says is put into it, since a page that lists a
/// few records is mostly form.
pub(crate) struct SearchForm {
    html: String,
    /// Where the text searched for goes.
    text: usize,
    /// Where the attributes of a wrong text go.
    text_attributes: usize,
    /// Where each kind of records says that it is checked, by value.
    kinds: [(&'static str, usize); 3],
    /// Where the filters say that they are open.
    filters: usize,
    selects: [Select; 3],
}

/// A field with choices. Its places are places in the whole form.
struct Select {
    name: &'static str,
    /// Where the attributes of a wrong choice go.
    attributes: usize,
    /// Where a choice says that it is selected, by value.
    choices: HashMap<String, usize>,
    /// Where a choice that is not offered goes.
    end: usize,
}

/// Choices under a common label, or under none.
pub(crate) struct Group {
    label: Option<String>,
    /// Values and their labels.
    choices: Vec<(String, String)>,
}

/// A field with choices before it is rendered.
struct Field {
    name: &'static str,
    label: &'static str,
    groups: Vec<Group>,
}

impl SearchForm {
    /// A form that offers `areas` by name, and [`category_choices`].
    pub(crate) fn new<'n>(
        language: Language,
        today: NaiveDate,
        example: &str,
        areas: impl Iterator<Item = &'n str>,
        categories: Vec<Group>,
    ) -> SearchForm {
        let texts = texts::of(language);
        let (words, layout) = (&texts.search, &texts.layout);
        let kinds = [
            ("kind-all", "", words.all),
            ("kind-events", "events", layout.events),
            ("kind-places", "places", layout.places),
        ];
        let fields = [
            Field::new("when", words.when, words.any_day, days(texts, today)),
            Field::new("region", words.region, layout.all_of_free_area, regions(areas)),
            Field::new("category", words.category, words.any_category, categories),
        ];
        let html = html! {
            // one field that a browser fills in again, after going back, would narrow the next search unseen
            form.search role="search" method="get" action=(language.pick("/", "/en")) autocomplete="off" data-lean {
                div.field.field-q {
                    label for="q" { (words.query) }
                    input #q name="q" type="search" maxlength=(MAX_CHARACTERS)
                        data-one=(words.completions[0]) data-many=(words.completions[1]) value="" placeholder=(example);
                }
                button type="submit" { (layout.search) }
                fieldset.kinds {
                    legend { (words.kind) }
                    @for (id, value, label) in kinds {
                        label {
                            input type="radio" name="kind" id=(id) value=(value);
                            span { (label) }
                        }
                    }
                }
                details.filters {
                    summary { (words.filters) }
                    div { @for field in &fields { (field.html()) } }
                }
            }
        };
        let html = html.into_string();
        let mut places = Places { html: &html, at: 0 };
        places.after(" name=\"q\"");
        let text = places.after(" value=\"");
        places.after(" placeholder=\"");
        SearchForm {
            text,
            text_attributes: places.after("\""),
            kinds: kinds.map(|(_, value, _)| (value, places.after_value(value))),
            filters: places.after("<details class=\"filters\""),
            selects: fields.map(|field| field.found(&mut places)),
            html,
        }
    }

    /// The form filled in with a search, and the fields that are wrong marked.
    pub(crate) fn filled<'f>(&'f self, search: &'f SearchQuery<'f>, wrong: &'f [&'f str]) -> Filled<'f> {
        Filled { form: self, search, wrong }
    }
}

/// A form with a search in it.
pub(crate) struct Filled<'f> {
    form: &'f SearchForm,
    search: &'f SearchQuery<'f>,
    /// The names of the fields that are wrong.
    wrong: &'f [&'f str],
}

impl Filled<'_> {
    /// About how many bytes it has.
    pub(crate) fn bytes(&self) -> usize {
        self.form.html.len() + SEARCH_BYTES
    }
}

impl Render for Filled<'_> {
    fn render_to(&self, page: &mut String) {
        let Filled { form, search, wrong } = *self;
        let mut from = 0;
        let mut put = |at: usize, text: &str| {
            page.push_str(&form.html[from..at]);
            page.push_str(text);
            from = at;
        };
        put(form.text, &html! { (search.q) }.0);
        if wrong.contains(&"q") {
            put(form.text_attributes, WRONG);
        }
        for (value, at) in form.kinds {
            if search.kind == value {
                put(at, " checked");
            }
        }
        if !search.is_empty() {
            put(form.filters, " open");
        }
        for (select, value) in form.selects.iter().zip([&*search.when, &search.region, &search.category]) {
            if wrong.contains(&select.name) {
                put(select.attributes, WRONG);
            }
            match select.choices.get(value) {
                Some(at) => put(*at, " selected"),
                None => put(select.end, &html! { option value=(value) selected { (value) } }.0),
            }
        }
        page.push_str(&form.html[from..]);
    }
}

/// What a search puts into the form, in bytes; most put in less.
const SEARCH_BYTES: usize = 512;

/// The attributes of a field that is wrong; the error has this id.
const WRONG: &str = " aria-invalid=\"true\" aria-describedby=\"no\"";

/// Finds places in a form, from its start on.
struct Places<'h> {
    html: &'h str,
    at: usize,
}

impl Places<'_> {
    /// The place after the next `text`.
    fn after(&mut self, text: &str) -> usize {
        let found = self.html[self.at..].find(text);
        self.at += found.map_or(0, |at| at + text.len());
        self.at
    }

    /// The place after the next attribute with this value.
    fn after_value(&mut self, value: &str) -> usize {
        self.after(&html! { (PreEscaped(" value=\"")) (value) (PreEscaped("\"")) }.0)
    }
}

impl Field {
    /// A field whose empty choice is labelled `any`.
    fn new(name: &'static str, label: &'static str, any: &'static str, mut groups: Vec<Group>) -> Field {
        groups.insert(0, Group { label: None, choices: vec![choice("", any)] });
        Field { name, label, groups }
    }

    fn html(&self) -> Markup {
        let Field { name, label, groups } = self;
        html! {
            div class={ "field field-" (name) } {
                label for=(name) { (label) }
                select id=(name) name=(name) {
                    @for Group { label, choices } in groups {
                        @match label {
                            Some(label) => optgroup label=(label) { (options(choices)) },
                            None => (options(choices)),
                        }
                    }
                }
            }
        }
    }

    /// Where its parts are.
    fn found(self, places: &mut Places<'_>) -> Select {
        let attributes = places.after(&format!("<select id=\"{0}\" name=\"{0}\"", self.name));
        let choices = self.groups.into_iter().flat_map(|group| group.choices);
        let choices = choices.map(|(value, _)| {
            let at = places.after_value(&value);
            (value, at)
        });
        let choices = choices.collect();
        const END: &str = "</select>";
        Select { name: self.name, attributes, choices, end: places.after(END) - END.len() }
    }
}

fn options(choices: &[(String, String)]) -> Markup {
    html! { @for (value, label) in choices { option value=(value) { (label) } } }
}

fn choice(value: &str, label: &str) -> (String, String) {
    (value.to_owned(), label.to_owned())
}

fn days(texts: &Texts, today: NaiveDate) -> Vec<Group> {
    let words = &texts.search;
    let named = [
        ("today", words.today),
        ("tomorrow", words.tomorrow),
        ("weekend", words.weekend),
        ("week", words.week),
    ];
    let dates = (2..=DAYS).map(|days| today + Days::new(days));
    vec![
        Group { label: None, choices: named.map(|(value, label)| choice(value, label)).into() },
        Group {
            label: Some(words.one_day.to_owned()),
            choices: dates.map(|day| choice(&day.to_string(), &texts.calendar.day(day))).collect(),
        },
    ]
}

fn regions<'n>(areas: impl Iterator<Item = &'n str>) -> Vec<Group> {
    let mut names: Vec<&str> = areas.collect();
    names.sort_by_cached_key(|name| fold(name));
    vec![Group { label: None, choices: names.into_iter().map(|name| choice(name, name)).collect() }]
}

/// The choices of categories: of those within `roots` the ones that `has_records`.
pub(crate) fn category_choices(
    language: Language,
    vocabulary: &ArchivedVocabularyIndex,
    roots: impl Iterator<Item = CategoryId>,
    has_records: impl Fn(CategoryId) -> bool,
) -> Vec<Group> {
    let label = |node: CategoryId| category_name(vocabulary, language, node);
    let slug = |node: CategoryId| vocabulary.category(node).slug.as_str();
    let group = |root: CategoryId| {
        let mut inside: Vec<CategoryId> = CategoryId::within(vocabulary.category_run(root))
            .filter(|node| *node != root && has_records(*node))
            .collect();
        if inside.is_empty() {
            return Group { label: None, choices: vec![choice(slug(root), label(root))] };
        }
        inside.sort_by_cached_key(|node| fold(label(*node)));
        let whole = (texts::of(language).search.whole_category)(label(root));
        let inside = inside.into_iter().map(|node| choice(slug(node), label(node)));
        Group {
            label: Some(label(root).to_owned()),
            choices: std::iter::once(choice(slug(root), &whole)).chain(inside).collect(),
        }
    };
    roots.map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_has_one_selected_choice_and_an_unknown_value_is_kept() {
        let today = "2026-11-21".parse().unwrap();
        let snapshot = snapshots::check(&snapshots::demo::files(), today).unwrap();
        let snapshot = snapshot.on(today, &snapshots::Hidden::default()).unwrap();
        let guide = index::Guide::build(&snapshot).unwrap();
        let vocabulary = guide.vocabulary();
        let roots = vocabulary.categories_by_id().map(|(node, _)| node);
        let areas = ["Vila <b>", "Asa Norte"].into_iter();
        let categories = category_choices(Language::English, vocabulary, roots, |_| false);
        let form = SearchForm::new(Language::English, today, "samba", areas, categories);
        let rendered = |query: &str, wrong: Option<&str>| {
            let html = form.filled(&SearchQuery::parse(query), wrong.as_slice()).render().into_string();
            assert_eq!(
                (html.matches(" selected").count(), html.matches(" checked").count()),
                (3, 1),
                "{query}"
            );
            assert_eq!(html.matches("aria-invalid").count(), usize::from(wrong.is_some()), "{query}");
            html
        };
        let empty = rendered("", None);
        assert!(empty.contains("<option value=\"\" selected>All of Plano Piloto</option>"));
        assert!(empty.contains("id=\"kind-all\" value=\"\" checked>"));
        let full = rendered("q=%3Ci%3E&region=Asa+Norte&kind=events&when=2026-11-23&category=bar", None);
        assert!(full.contains("value=\"&lt;i&gt;\" placeholder=\"samba\""));
        assert!(full.contains("id=\"kind-events\" value=\"events\" checked>"));
        assert!(full.contains("<option value=\"Asa Norte\" selected>Asa Norte</option>"));
        assert!(full.contains("<option value=\"2026-11-23\" selected>Monday, 23 November</option>"));
        assert!(full.contains("<option value=\"bar\" selected>"));
        assert!(full.contains("<option value=\"Vila &lt;b&gt;\">Vila &lt;b&gt;</option>"));
        let unknown = rendered("region=%3Cx%3E", Some("region"));
        assert!(unknown.contains("<option value=\"&lt;x&gt;\" selected>&lt;x&gt;</option></select>"));
        assert!(unknown.contains("name=\"region\" aria-invalid=\"true\" aria-describedby=\"no\">"));
        assert!(rendered("q=a", Some("q")).contains("\" aria-invalid=\"true\" aria-describedby=\"no\">"));
    }
}
