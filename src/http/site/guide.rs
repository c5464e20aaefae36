//! What the pages know of the guide in service: made once for an edition and a day, and kept until there is another.
//! Nothing here holds on to the edition itself. Uses [`super::home`], [`super::finding`], [`crate::dispatch`],
//! [`crate::live`] and the crate `index`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use bytes::Bytes;
use chrono::{Days, NaiveDate};
use hyper::header::HeaderValue;
use index::archive::{ArchivedAreaKind, Atlas};
use index::fold::fold;
use index::{Node, Window};
use snapshots::Digest;

use super::super::html::{Language, escaped};
use super::finding::Map;
use super::frame::{Frame, LANGUAGES};
use super::home;
use super::shown::Answer;
use super::words;
use super::{Rows, schema};
use crate::actions::Params;
use crate::clock::Today;
use crate::dispatch::Rooms;
use crate::gate::PREVIEW_DAYS;
use crate::live::Edition;

/// How many events and places the front page shows.
const ON_FRONT: &str = "6";

/// All that is kept of an edition and a day.
pub(super) struct Made {
    /// The edition.
    serial: u64,
    digest: Digest,
    /// The day in Brasília.
    pub(super) day: NaiveDate,
    /// What the tags of pages are made of.
    mark: u64,
    /// Categories by slug.
    labels: HashMap<String, Label>,
    /// Neighbourhoods with how many records each has: the most first.
    areas: Vec<(String, u32)>,
    /// Roots of the categories: slug and how many records each has.
    kinds: Vec<(String, u32)>,
    options: [AllOptions; 2],
    /// The front page, in both languages.
    pub(super) front: [Bytes; 2],
    /// What search engines are told, and its files.
    pub(super) map: Map,
    pub(super) map_files: Vec<OnceLock<Bytes>>,
}

/// A category, as pages speak of it.
struct Label {
    portuguese: String,
    english: String,
    schema: &'static str,
}

/// The choices of the form, in one language.
#[derive(Default)]
pub(super) struct AllOptions {
    pub(super) when: Options,
    pub(super) regions: Options,
    pub(super) categories: Options,
}

/// The choices of one field, as they stand in pages.
#[derive(Default)]
pub(super) struct Options {
    html: String,
    /// Values, with where in `html` it is to be said that they are chosen.
    values: Vec<(String, usize)>,
}

impl Options {
    fn add(&mut self, value: &str, name: &str) {
        self.html.push_str("<option value=\"");
        self.html.push_str(&escaped(value));
        self.html.push('"');
        self.values.push((value.to_owned(), self.html.len()));
        self.html.push('>');
        self.html.push_str(&escaped(name));
        self.html.push_str("</option>");
    }

    fn group(&mut self, name: &str, fill: impl FnOnce(&mut Options)) {
        self.html.push_str("<optgroup label=\"");
        self.html.push_str(&escaped(name));
        self.html.push_str("\">");
        fill(self);
        self.html.push_str("</optgroup>");
    }

    /// Appends the choices, one of them chosen; one that is not among them is added.
    pub(super) fn write(&self, chosen: &str, out: &mut String) {
        match self.values.iter().find(|(value, _)| value == chosen) {
            Some((_, at)) => {
                out.push_str(&self.html[..*at]);
                out.push_str(" selected");
                out.push_str(&self.html[*at..]);
            }
            None => {
                out.push_str(&self.html);
                let chosen = escaped(chosen);
                out.push_str("<option selected value=\"");
                out.push_str(&chosen);
                out.push_str("\">");
                out.push_str(&chosen);
                out.push_str("</option>");
            }
        }
    }
}

impl Made {
    /// Makes everything. `service` tells this service with its settings from others.
    pub(super) fn of(
        rooms: &Rooms,
        rows: &Rows,
        frame: &Frame,
        edition: &Edition,
        today: &Today,
        service: u64,
    ) -> Made {
        let atlas = edition.guide.atlas();
        let (home, day) = (rooms.shown_area(edition), today.date());
        let week = Window { from: day, to: day + Days::new(PREVIEW_DAYS) };
        let guide = &edition.guide;
        let count = |area: Node, category: Option<Node>| {
            guide.places.filtered(area, category).len() as u32 + guide.events.on_in(week, area, category)
        };
        let mut hasher = DefaultHasher::new();
        (service, edition.digest, day).hash(&mut hasher);

        let mut areas: Vec<(String, u32)> = atlas
            .area_run(home)
            .filter(|node| atlas.areas[usize::from(*node)].kind == ArchivedAreaKind::Neighbourhood)
            .map(|node| (atlas.areas[usize::from(node)].name.as_str().to_owned(), count(node, None)))
            .filter(|(_, count)| *count > 0)
            .collect();
        areas.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| fold(&one.0).cmp(&fold(&other.0))));
        let roots: Vec<(Node, u32)> = (0..atlas.categories.len() as Node)
            .filter(|node| atlas.categories[usize::from(*node)].parent.to_native() == *node)
            .map(|node| (node, count(home, Some(node))))
            .filter(|(_, count)| *count > 0)
            .collect();

        let options = LANGUAGES.map(|language| AllOptions {
            when: when(language, day),
            regions: regions(language, &areas),
            categories: categories(language, atlas, &roots, |node| count(home, Some(node)) > 0),
        });
        let mut kinds: Vec<(String, u32)> = roots
            .iter()
            .map(|(node, count)| (atlas.categories[usize::from(*node)].slug.as_str().to_owned(), *count))
            .collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let map = Map::of(edition, home);
        let mut made = Made {
            serial: edition.serial,
            digest: edition.digest,
            day,
            mark: hasher.finish(),
            labels: labels(atlas),
            areas,
            kinds,
            options,
            front: [Bytes::new(), Bytes::new()],
            map_files: (0..map.files()).map(|_| OnceLock::new()).collect(),
            map,
        };
        let six = || Params::of_form([(Cow::Borrowed("limit"), Cow::Borrowed(ON_FRONT))]);
        let answer = |row| rooms.shown(edition, today, row, &six()).unwrap_or_default();
        let (events, places) = (answer(rows.search_events), answer(rows.search_places));
        if let (Some(events), Some(places)) = (Answer::read(&events), Answer::read(&places)) {
            made.front =
                LANGUAGES.map(|language| home::front(frame, &made, language, &events, &places).into());
        }
        made
    }

    /// Whether it is of that edition and that day.
    pub(super) fn is_of(&self, edition: &Edition, today: NaiveDate) -> bool {
        self.serial == edition.serial && self.day == today && self.digest == edition.digest
    }

    /// Which state of the page at an address it is that this guide makes, for caches.
    pub(super) fn tag(&self, language: Language, path: &str) -> HeaderValue {
        let mut hasher = DefaultHasher::new();
        (self.mark, language.code(), path).hash(&mut hasher);
        tag(hasher.finish())
    }

    /// What walls are laid by.
    pub(super) fn seed(&self) -> u64 {
        self.mark
    }

    /// What a category is called, ready for a page.
    pub(super) fn label<'s>(&'s self, language: Language, slug: &'s str) -> Cow<'s, str> {
        match self.labels.get(slug) {
            Some(label) => escaped(language.pick(&label.portuguese, &label.english)),
            None => escaped(slug),
        }
    }

    /// What schema.org calls places of a category.
    pub(super) fn schema(&self, slug: &str) -> &'static str {
        self.labels.get(slug).map_or("Place", |label| label.schema)
    }

    /// The choices of the form.
    pub(super) fn options(&self, language: Language) -> &AllOptions {
        &self.options[language as usize]
    }

    /// Neighbourhoods: what to send, what to say, how many records.
    pub(super) fn areas(&self) -> impl Iterator<Item = (&str, &str, u32)> {
        self.areas.iter().map(|(name, count)| (name.as_str(), name.as_str(), *count))
    }

    /// The broadest categories: what to send, what to say, how many records.
    pub(super) fn kinds(&self, language: Language) -> impl Iterator<Item = (&str, &str, u32)> {
        self.kinds.iter().map(move |(slug, count)| {
            let name = self.labels.get(slug).map(|label| language.pick(&label.portuguese, &label.english));
            (slug.as_str(), name.map_or(slug.as_str(), String::as_str), *count)
        })
    }
}

/// A tag of a number.
pub(super) fn tag(mark: u64) -> HeaderValue {
    // hexadecimal digits in quotes are always a value
    HeaderValue::try_from(format!("\"{mark:016x}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

fn labels(atlas: &Atlas) -> HashMap<String, Label> {
    let mut labels = HashMap::with_capacity(atlas.categories.len());
    for (at, category) in atlas.categories.iter().enumerate() {
        // the nearest kind that schema.org has a word for
        let mut node = at;
        let schema = loop {
            let here = &atlas.categories[node];
            let parent = usize::from(here.parent.to_native());
            match schema::place(&here.slug) {
                Some(schema) => break schema,
                None if parent == node => break "Place",
                None => node = parent,
            }
        };
        let label = Label {
            portuguese: category.pt.as_str().to_owned(),
            english: category.en.as_str().to_owned(),
            schema,
        };
        labels.insert(category.slug.as_str().to_owned(), label);
    }
    labels
}

fn when(language: Language, today: NaiveDate) -> Options {
    let say = |portuguese, english| language.pick(portuguese, english);
    let mut options = Options::default();
    options.add("", say("Qualquer dia", "Any day"));
    options.add("today", say("Hoje", "Today"));
    options.add("tomorrow", say("Amanhã", "Tomorrow"));
    options.add("weekend", say("Fim de semana", "Weekend"));
    options.add("week", say("Próximos 7 dias", "Next 7 days"));
    options.group(say("Um dia", "One day"), |options| {
        for days in 2..=PREVIEW_DAYS {
            let day = today + Days::new(days);
            options.add(&day.to_string(), &words::day(language, day));
        }
    });
    options
}

fn regions(language: Language, areas: &[(String, u32)]) -> Options {
    let mut options = Options::default();
    options.add("", language.pick("Todo o Plano Piloto", "All of Plano Piloto"));
    let mut names: Vec<&str> = areas.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_by_cached_key(|name| fold(name));
    names.iter().for_each(|name| options.add(name, name));
    options
}

fn categories(
    language: Language,
    atlas: &Atlas,
    roots: &[(Node, u32)],
    has_records: impl Fn(Node) -> bool,
) -> Options {
    let name = |node: Node| {
        let category = &atlas.categories[usize::from(node)];
        language.pick(&category.pt, &category.en).as_str()
    };
    let slug = |node: Node| atlas.categories[usize::from(node)].slug.as_str();
    let mut options = Options::default();
    options.add("", language.pick("Qualquer uma", "Any"));
    for (root, _) in roots {
        let mut inside: Vec<Node> =
            atlas.category_run(*root).filter(|node| node != root && has_records(*node)).collect();
        if inside.is_empty() {
            options.add(slug(*root), name(*root));
            continue;
        }
        inside.sort_by_cached_key(|node| fold(name(*node)));
        options.group(name(*root), |options| {
            let all = language.pick("tudo", "all");
            options.add(slug(*root), &format!("{}: {all}", name(*root)));
            inside.iter().for_each(|node| options.add(slug(*node), name(*node)));
        });
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_choice_is_chosen_and_an_unknown_one_is_kept() {
        let mut options = Options::default();
        options.add("", "All");
        options.add("a", "A & B");
        let written = |chosen: &str| {
            let mut out = String::new();
            options.write(chosen, &mut out);
            out
        };
        assert_eq!(
            written("a"),
            "<option value=\"\">All</option><option value=\"a\" selected>A &amp; B</option>"
        );
        assert!(written("<x>").ends_with("<option selected value=\"&lt;x&gt;\">&lt;x&gt;</option>"));
        assert_eq!(written("").matches(" selected").count(), 1);
    }
}
