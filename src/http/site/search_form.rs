//! The search form: its choices are computed once for a snapshot and a day, and rendered with the fields of a search.

use std::collections::HashMap;

use chrono::{Days, NaiveDate};
use index::CategoryId;
use index::fold::fold;
use index::vocabulary::ArchivedVocabularyIndex;
use maud::{Markup, PreEscaped, html};

use super::layout::Room;
use super::search_query::SearchQuery;
use super::texts::{self, Texts};
use crate::http::language::Language;

/// The last day that the form offers, in days from today.
const DAYS: u64 = 14;

/// What the form has besides its choices, in bytes.
const MARKUP_BYTES: usize = 2 * 1024;

/// The form in one language.
pub(super) struct SearchForm {
    texts: &'static Texts,
    action: &'static str,
    /// A search that finds something.
    example: String,
    when: Select,
    region: Select,
    category: Select,
}

/// A field with choices.
struct Select {
    name: &'static str,
    label: &'static str,
    /// The label of the empty choice.
    any: &'static str,
    /// The other choices, none of them selected.
    choices: Markup,
    /// By value, where the choice in `choices` says that it is selected.
    marks: HashMap<String, usize>,
}

/// Choices under a common label, or under none.
struct Group {
    label: Option<String>,
    /// Values and their labels.
    choices: Vec<(String, String)>,
}

impl SearchForm {
    /// A form that offers `areas` by name, and of the categories within `roots` those that `has_records`.
    pub(super) fn new<'n>(
        language: Language,
        today: NaiveDate,
        example: &str,
        areas: impl Iterator<Item = &'n str>,
        vocabulary: &ArchivedVocabularyIndex,
        roots: impl Iterator<Item = CategoryId>,
        has_records: impl Fn(CategoryId) -> bool,
    ) -> SearchForm {
        let texts = texts::of(language);
        let words = &texts.search;
        let categories = categories(language, vocabulary, roots, has_records);
        SearchForm {
            texts,
            action: language.pick("/", "/en"),
            example: example.to_owned(),
            when: Select::new("when", words.when, words.any_day, days(texts, today)),
            region: Select::new("region", words.region, texts.layout.all_of_free_area, regions(areas)),
            category: Select::new("category", words.category, words.any_category, categories),
        }
    }

    /// The form filled in with a search, and the field that is wrong marked.
    pub(super) fn render(&self, search: &SearchQuery<'_>, wrong: Option<&str>) -> Markup {
        let (words, layout) = (&self.texts.search, &self.texts.layout);
        let is_wrong = wrong == Some("q");
        let kinds = [
            ("kind-all", "", words.all),
            ("kind-events", "events", layout.events),
            ("kind-places", "places", layout.places),
        ];
        let choices = [&self.when, &self.region, &self.category].map(|select| select.choices.0.len());
        html! {
            (Room(MARKUP_BYTES + choices.iter().sum::<usize>()))
            form.search role="search" method="get" action=(self.action) data-lean {
                div.field.field-q {
                    label for="q" { (words.query) }
                    input #q name="q" type="search" maxlength="200" autocomplete="off" value=(search.q)
                        placeholder=(self.example) aria-invalid=[is_wrong.then_some("true")]
                        aria-describedby=[is_wrong.then_some("no")];
                }
                fieldset.kinds {
                    legend { (words.kind) }
                    @for (id, value, label) in kinds {
                        label {
                            input type="radio" name="kind" id=(id) value=(value) checked[search.kind == value];
                            span { (label) }
                        }
                    }
                }
                details.filters open[!search.is_empty()] {
                    summary { (words.filters) }
                    div {
                        (self.when.render(&search.when, wrong))
                        (self.region.render(&search.region, wrong))
                        (self.category.render(&search.category, wrong))
                    }
                }
                button type="submit" { (layout.search) }
            }
        }
    }
}

impl Select {
    fn new(name: &'static str, label: &'static str, any: &'static str, groups: Vec<Group>) -> Select {
        let choices = html! {
            @for Group { label, choices } in &groups {
                @match label {
                    Some(label) => optgroup label=(label) { (options(choices)) },
                    None => (options(choices)),
                }
            }
        };
        let mut marks = HashMap::new();
        let mut from = 0;
        for (value, _) in groups.into_iter().flat_map(|group| group.choices) {
            let start = html! { option value=(value) {} }.0.trim_end_matches("></option>").to_owned();
            if let Some(at) = choices.0[from..].find(&start) {
                from += at + start.len();
                marks.insert(value, from);
            }
        }
        Select { name, label, any, choices, marks }
    }

    /// The field with a choice selected, which is added if it is not offered.
    fn render(&self, selected: &str, wrong: Option<&str>) -> Markup {
        let Select { name, label, any, choices, marks } = self;
        let is_wrong = wrong == Some(name);
        html! {
            (Room(MARKUP_BYTES + choices.0.len()))
            div class={ "field field-" (name) } {
                label for=(name) { (label) }
                select id=(name) name=(name) aria-invalid=[is_wrong.then_some("true")]
                    aria-describedby=[is_wrong.then_some("no")] {
                    option value="" selected[selected.is_empty()] { (any) }
                    @if let Some(mark) = marks.get(selected) {
                        (PreEscaped(&choices.0[..*mark])) " selected" (PreEscaped(&choices.0[*mark..]))
                    } @else {
                        (choices)
                        @if !selected.is_empty() { option value=(selected) selected { (selected) } }
                    }
                }
            }
        }
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

fn categories(
    language: Language,
    vocabulary: &ArchivedVocabularyIndex,
    roots: impl Iterator<Item = CategoryId>,
    has_records: impl Fn(CategoryId) -> bool,
) -> Vec<Group> {
    let label = |node: CategoryId| {
        let category = &vocabulary.categories[usize::from(node)];
        language.pick(&category.pt, &category.en).as_str()
    };
    let slug = |node: CategoryId| vocabulary.categories[usize::from(node)].slug.as_str();
    let group = |root: CategoryId| {
        let mut inside: Vec<CategoryId> =
            vocabulary.category_run(root).filter(|node| *node != root && has_records(*node)).collect();
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
        let roots = (0..vocabulary.categories.len()).map(|node| CategoryId::try_from(node).unwrap());
        let areas = ["Vila <b>", "Asa Norte"].into_iter();
        let form = SearchForm::new(Language::English, today, "samba", areas, vocabulary, roots, |_| false);
        let rendered = |query: &str, wrong: Option<&str>| {
            let html = form.render(&SearchQuery::parse(query), wrong).into_string();
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
