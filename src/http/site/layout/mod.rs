//! The frame of every page: its head, the navigation, the foot and the tiles.

pub(crate) mod components;
pub(crate) mod form_fields;
pub(crate) mod i18n;
pub(crate) mod paths;
pub(crate) mod prose;
pub(crate) mod tags;

use std::array;
use std::sync::LazyLock;

use index::question::query::MAX_CHARACTERS;
use maud::{DOCTYPE, Markup, Render, html};

use crate::config::{Config, MailSpec, Payments};
use crate::http::language::Language;
use crate::http::site::assets;
use crate::http::site::cards::Card;
use crate::http::site::layout::paths::localized;
use crate::http::site::texts::{self, Texts};

/// What a page says about itself.
pub(crate) struct Meta<'a> {
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    /// The path in Portuguese.
    pub(crate) path: &'a str,
    /// The query of this request, with its `?`.
    pub(crate) query: &'a str,
    /// Whether search engines may list the page.
    pub(crate) listed: bool,
}

/// What the head of some pages has besides.
#[derive(Default)]
pub(crate) struct Extra<'a> {
    /// The path in Portuguese of a calendar that has what the page shows, without `.ics`.
    pub(crate) calendar: Option<&'a str>,
    /// The path in Portuguese of its Atom feed, without `.atom`.
    pub(crate) feed: Option<&'a str>,
    /// Whether it has a map or a list, whose style and script other pages do without.
    pub(crate) has_more: bool,
    /// The picture beside links to the page; that of the front page if it has none.
    pub(crate) card: Option<&'a Card>,
}

/// What all pages of a language share.
pub(crate) struct Layout {
    pub(crate) language: Language,
    pub(crate) texts: &'static Texts,
    /// The public address of the service.
    pub(crate) base: String,
    /// The host of that address, without a port.
    pub(crate) host: String,
    /// Whether plans can be bought.
    pub(crate) payments_open: bool,
    /// Whether mails are sent, without which nobody can sign up.
    pub(crate) mail_open: bool,
    pub(crate) service_name: String,
    pub(crate) service_site: String,
    /// The address of who runs the service.
    pub(crate) contact: Option<String>,
    /// The picture beside links to the front page.
    pub(crate) card: Card,
    more_style: String,
    more_script: String,
    fixed: Fixed,
}

/// The parts of pages that are the same on all of them, rendered once.
#[derive(Default)]
struct Fixed {
    /// What the head says of the site.
    about: Markup,
    /// What the head says of the picture of the front page.
    card: Markup,
    /// Colours, icons and the style.
    look: Markup,
    script: Markup,
    home: Markup,
    /// The navigation on the page of each of [`SECTIONS`], and on other pages.
    ways: Vec<Markup>,
    search: Markup,
    footer: Markup,
    preview: Markup,
}

/// The paths in Portuguese that the navigation leads to.
const SECTIONS: [&str; 5] = ["/", "/hoje", "/fim-de-semana", "/mapa", "/lista"];

/// The place in [`SECTIONS`] of a page.
fn section_of(Meta { path, listed, .. }: &Meta<'_>) -> Option<usize> {
    let first = path.split('/').nth(1)?;
    let section = match first {
        "amanha" | "dia" | "agenda" => "/hoje",
        "proximo-fim-de-semana" => "/fim-de-semana",
        // results, and what is not there, have the path of the front page in the other language
        "" if !listed => return None,
        _ => path,
    };
    SECTIONS.iter().position(|path| *path == section)
}

/// What a page has around its main part, in bytes; some more where its head has more.
const FRAME_BYTES: usize = 8 * 1024;

impl Layout {
    pub(crate) fn new(config: &Config, language: Language) -> Layout {
        let texts = texts::of(language);
        let mut layout = Layout {
            language,
            texts,
            base: config.base_url.as_str().to_owned(),
            host: config.base_url.host(),
            payments_open: config.payments != Payments::None,
            mail_open: config.mail != MailSpec::None,
            service_name: config.service_name.clone(),
            service_site: config.service_site.as_str().to_owned(),
            contact: config.contact_email.0.as_ref().map(ToString::to_string),
            card: front_card(texts, &config.service_name),
            more_script: assets::MORE_SCRIPT.versioned_path(),
            more_style: assets::MORE_STYLE.versioned_path(),
            fixed: Fixed::default(),
        };
        layout.fixed = Fixed::of(&layout);
        layout
    }

    /// The path of a page in this language.
    pub(crate) fn path(&self, path: &str) -> String {
        localized(self.language, path)
    }

    /// The address of a page in this language, with the scheme and host of the service.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}{}", self.base, self.path(path))
    }

    /// The language of what the curator wrote, where it is not that of the page.
    pub(crate) fn foreign(&self) -> Option<&'static str> {
        self.language.pick(None, Some(texts::of(Language::Portuguese).lang))
    }

    /// The path of the front page in this language.
    pub(crate) fn home(&self) -> &'static str {
        self.language.pick("/", "/en")
    }

    /// What the paths of this language begin with.
    pub(crate) fn prefix(&self) -> &'static str {
        self.language.pick("", "/en")
    }

    /// A whole page around its main part.
    pub(crate) fn page(&self, meta: &Meta<'_>, main: Markup) -> String {
        self.page_with(meta, &Extra::default(), main)
    }

    /// A page that says what has happened or what comes next. Search engines do not list it.
    pub(crate) fn message(&self, path: &str, title: &str, lead: &str, rest: &Markup) -> String {
        self.message_at([path, ""], title, lead, rest)
    }

    /// Such a page at a path with a query, which the page in the other language needs too.
    pub(crate) fn message_at(
        &self,
        [path, query]: [&str; 2],
        title: &str,
        lead: &str,
        rest: &Markup,
    ) -> String {
        let main = html! {
            (strip(8))
            div.wide.lost {
                h1 { (title) }
                p.lead role="status" { (lead) }
                (rest)
            }
        };
        self.page(&Meta { title, description: title, path, query, listed: false }, main)
    }

    /// A whole page around its main part, with more in its head.
    pub(crate) fn page_with(&self, meta: &Meta<'_>, extra: &Extra<'_>, main: Markup) -> String {
        let page = html! {
            (Room(FRAME_BYTES + main.0.len()))
            (DOCTYPE)
            html lang=(self.texts.lang) {
                (self.head(meta, extra))
                body {
                    a.skip href="#main" { (self.texts.layout.skip) }
                    (self.header(meta))
                    main #main tabindex="-1" { (main) }
                    (self.fixed.footer)
                }
            }
        };
        page.into_string()
    }

    fn head(&self, meta: &Meta<'_>, extra: &Extra<'_>) -> Markup {
        let Meta { title, description, path, query, listed } = *meta;
        let Layout { base, service_name, fixed, .. } = self;
        let [portuguese, english] =
            Language::ALL.map(|language| format!("{base}{}{query}", localized(language, path)));
        html! {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · " (service_name) }
                meta name="description" content=(description);
                @if listed {
                    link rel="canonical" href=(self.language.pick(&portuguese, &english));
                    link rel="alternate" hreflang="pt-BR" href=(portuguese);
                    link rel="alternate" hreflang="en" href=(english);
                    link rel="alternate" hreflang="x-default" href=(portuguese);
                    meta property="og:url" content=(self.language.pick(&portuguese, &english));
                } @else {
                    meta name="robots" content="noindex";
                }
                meta property="og:title" content=(title);
                meta property="og:description" content=(description);
                (fixed.about)
                @match extra.card {
                    Some(card) => (card.meta(base, self.language)),
                    None => (fixed.card),
                }
                (fixed.look)
                @if extra.has_more {
                    link rel="stylesheet" href=(self.more_style);
                    script src=(self.more_script) defer {}
                }
                @if let Some(path) = extra.calendar {
                    link rel="alternate" type="text/calendar" title=(title) href={ (self.path(path)) ".ics" };
                }
                @if let Some(path) = extra.feed {
                    link rel="alternate" type="application/atom+xml" title=(title) href={ (self.path(path)) ".atom" };
                }
                (fixed.script)
            }
        }
    }

    fn header(&self, meta: &Meta<'_>) -> Markup {
        let section = section_of(meta).unwrap_or(SECTIONS.len());
        html! {
            header.top {
                div.wide {
                    (self.fixed.home)
                    @if let Some(ways) = self.fixed.ways.get(section) { (ways) }
                    // the front page, results and what is not there have a form of their own
                    @if meta.path != "/" { (self.fixed.search) }
                    (self.account(meta.path))
                    nav.languages aria-label=(self.texts.language) {
                        @for language in Language::ALL {
                            @let (texts, code) = (texts::of(language), language.pick("PT", "EN"));
                            a href=(in_language(language, meta)) lang=(texts.lang)
                                hreflang=(texts.lang) title=(texts.language_name)
                                aria-current=[(language == self.language).then_some("true")] { (code) }
                        }
                    }
                }
            }
        }
    }

    /// The navigation on the page at `current`.
    fn ways(&self, current: Option<&str>) -> Markup {
        let words = &self.texts.layout;
        let names = [words.guide, words.agenda, self.texts.search.weekend, words.map, words.list];
        html! {
            nav.ways aria-label=(words.main_navigation) {
                @for (path, name) in SECTIONS.into_iter().zip(names) {
                    a href=(self.path(path)) aria-current=[(Some(path) == current).then_some("page")] {
                        (name)
                        // a script shows how long the list is
                        @if path == "/lista" { " " span.count {} }
                    }
                }
            }
        }
    }

    /// The search of pages without a form of their own: a field where there is room, else a link to one.
    fn search(&self) -> Markup {
        let words = self.texts.layout.search;
        let icon = html! {
            svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" { path d="M16 16l6 6M18 10a8 8 0 1 1-16 0 8 8 0 0 1 16 0z" {} }
        };
        html! {
            a.find href={ (self.home()) "#q" } aria-label=(words) { (icon) }
            form.find role="search" action=(self.home()) {
                input name="q" type="search" maxlength=(MAX_CHARACTERS) aria-label=(self.texts.search.query) placeholder=(words);
                button type="submit" aria-label=(words) { (icon) }
            }
        }
    }

    /// The way to the account, signed in or not: no page but those of the account knows.
    fn account(&self, path: &str) -> Markup {
        let title = self.texts.account.title;
        let is_here =
            path.strip_prefix("/conta").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        html! {
            a.me href=(self.path("/conta")) aria-label=(title) title=(title) aria-current=[is_here.then_some("true")] {
                svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" {
                    path d="M16 7.5a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM4 22c0-10 16-10 16 0" {}
                }
            }
        }
    }

    fn footer(&self) -> Markup {
        let words = &self.texts.layout;
        let is_candango = self.service_name == "Candango";
        let guide = vec![
            (self.path("/"), words.search),
            (self.path("/hoje"), self.texts.search.today),
            (self.path("/fim-de-semana"), self.texts.search.weekend),
            (self.path("/mapa"), words.map),
            (self.path("/area"), self.texts.directory.areas),
            (self.path("/categoria"), self.texts.directory.categories),
            (self.path("/sexta"), self.texts.letter.title),
            (self.path("/lista"), self.texts.take.list),
        ];
        let build = vec![
            (self.path("/api"), words.api_reference),
            (self.path("/docs"), self.texts.docs.title),
            (self.path("/agents"), words.connect_agent),
            ("/openapi.json".to_owned(), "openapi.json"),
            ("/llms.txt".to_owned(), "llms.txt"),
        ];
        let mut account =
            vec![(self.path("/signup"), words.get_key), (self.path("/plans"), words.plans_and_prices)];
        account.push((self.path("/conta"), self.texts.account.title));
        if self.payments_open {
            account.push((self.path("/plans#subscribe"), words.subscribe));
        }
        let who = vec![
            (self.path("/status"), self.texts.service.status),
            (self.path("/sobre"), self.texts.about.title),
            (self.path("/sugerir"), self.texts.suggest.title),
            (self.path("/contato"), self.texts.contact.title),
            (self.path("/privacidade"), self.texts.privacy.title),
            (self.path("/termos"), self.texts.terms.title),
        ];
        let columns =
            [(words.guide, guide), (words.build, build), (words.account, account), (words.who, who)];
        html! {
            footer.foot {
                div.arcade aria-hidden="true" {}
                div.wide {
                    div {
                        p.foot-name { (self.service_name) }
                        p { (if is_candango { words.candango_story } else { words.other_story }) }
                        p { (self.attribution()) }
                    }
                    @for (title, links) in columns {
                        nav aria-label=(title) {
                            h2 { (title) }
                            ul { @for (address, text) in links { li { a href=(address) { (text) } } } }
                        }
                    }
                }
            }
        }
    }

    /// What the preview leaves out, and how to get it.
    pub(crate) fn preview(&self) -> &Markup {
        &self.fixed.preview
    }

    /// The credit that the free plan requires of everybody who shows records, and that of positions with their licence.
    pub(crate) fn credit(&self, positions: Option<&(String, String)>) -> Markup {
        html! {
            p.credit {
                (self.attribution())
                @if let Some((credit, licence)) = positions {
                    ". " (self.texts.layout.positions) " "
                    a href="/positions.json" title=[(!licence.is_empty()).then_some(licence)] { (credit) }
                }
            }
        }
    }

    fn attribution(&self) -> Markup {
        html! { (self.texts.layout.tips_by) " " a href=(self.service_site) { (self.service_name) } }
    }
}

impl Fixed {
    fn of(layout: &Layout) -> Fixed {
        let Layout { base, language, texts, service_name, .. } = layout;
        let pages = SECTIONS.into_iter().map(Some).chain([None]);
        let [signup, plans, known] = ["/signup", "/plans", "/sobre#coverage"].map(|path| layout.path(path));
        Fixed {
            about: html! {
                meta property="og:locale" content=(texts.locale);
                meta property="og:site_name" content=(service_name);
                meta property="og:type" content="website";
            },
            card: layout.card.meta(base, *language),
            look: html! {
                meta name="theme-color" content="#f6f4ee" media="(prefers-color-scheme:light)";
                meta name="theme-color" content="#0d151d" media="(prefers-color-scheme:dark)";
                link rel="icon" href="/favicon.ico" sizes="32x32";
                link rel="icon" href="/favicon.svg" type="image/svg+xml";
                link rel="stylesheet" href=(assets::STYLE.versioned_path());
            },
            script: html! { script src=(assets::SCRIPT.versioned_path()) defer {} },
            home: html! { a.home href=(layout.home()) { (logo()) span { (service_name) } } },
            ways: pages.map(|page| layout.ways(page)).collect(),
            search: layout.search(),
            footer: layout.footer(),
            preview: html! {
                aside.preview aria-label=(texts.layout.about_preview) {
                    p { ((texts.layout.preview)(&signup, &plans, &known)) }
                }
            },
        }
    }
}

/// Room for so many bytes in what is rendered, which is otherwise copied whenever it outgrows its own.
pub(crate) struct Room(pub(crate) usize);

impl Render for Room {
    fn render_to(&self, buffer: &mut String) {
        buffer.reserve(self.0);
    }
}

/// The card of the front page, which does not depend on a snapshot.
fn front_card(texts: &Texts, service: &str) -> Card {
    // each of its lines is a line of the card too
    let title = texts.home.heading.map(|line| line.replace(' ', "\u{a0}")).join(" ");
    Card { title, lines: vec![texts.layout.card.to_owned()], ..Card::of_page("/", service) }
}

/// The address of a page in a language.
fn in_language(language: Language, Meta { path, query, .. }: &Meta<'_>) -> String {
    // the page of an order has one path, which was given out before a language was known
    match path.starts_with("/sandbox/") {
        true => format!("?lang={}", language.code()),
        false => format!("{}{query}", localized(language, path)),
    }
}

/// The logo: a straight line and a curve that cross, after the plan of Brasília.
fn logo() -> Markup {
    html! {
        svg.mark viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" {
            rect.mark-ground width="32" height="32" {}
            path.mark-lines d="M16 5v22M4.5 11.5c4.5 6.5 18.5 6.5 23 0" {}
        }
    }
}

/// One of 32 tile strips for the heads of pages, chosen by `seed`. They are rendered once because a strip takes longer
/// than the rest of a page.
pub(crate) fn strip(seed: u8) -> &'static Markup {
    static STRIPS: LazyLock<[Markup; 32]> =
        LazyLock::new(|| array::from_fn(|index| wall(24, 3, index as u64 + 1, "wall-strip")));
    &STRIPS[usize::from(seed) % STRIPS.len()]
}

/// A tile of a wall.
pub(crate) struct Tile {
    pub(crate) column: u16,
    pub(crate) row: u16,
    /// One of four.
    pub(crate) shape: u8,
    /// Quarter turns.
    pub(crate) turns: u8,
}

/// The tiles of a wall, some of whose places are empty; the same for the same `seed`.
pub(crate) fn tiles(columns: u16, rows: u16, seed: u64) -> Vec<Tile> {
    let mut state = seed | 1;
    let mut random = |sides: u64| {
        // the high bits of a linear congruential generator are random enough for tiles
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) % sides
    };
    let mut tiles = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let shape = match random(25) {
            0..=10 => 0,
            11..=16 => 1,
            17..=21 => 2,
            22..=23 => 3,
            _ => continue,
        };
        let turns = match random(4) {
            0 => 0,
            1 => 1,
            2 => 2,
            _ => 3,
        };
        tiles.push(Tile { column, row, shape, turns });
    }
    tiles
}

/// A wall of tiles with random turns, the same for the same `seed`.
pub(crate) fn wall(columns: u16, rows: u16, seed: u64, class: &str) -> Markup {
    let transform = |Tile { column, row, turns, .. }: &Tile| {
        format!("translate({} {}) rotate({} 24 24)", column * 48, row * 48, u16::from(*turns) * 90)
    };
    html! {
        svg class={ "wall " (class) } viewBox={ "0 0 " (columns * 48) " " (rows * 48) }
            preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false" {
            defs {
                path #t0 .deep d="M0 0h48v48A48 48 0 0 0 0 0z" {}
                g #t1 {
                    path.deep d="M0 0h24a24 24 0 0 1-24 24z" {}
                    path.sky d="M48 48H24a24 24 0 0 1 24-24z" {}
                }
                path #t2 .sky d="M0 48A48 48 0 0 1 48 0v16A32 32 0 0 0 16 48z" {}
                path #t3 .sun d="M24 0a24 24 0 0 0 24 24V0z" {}
            }
            @for tile in tiles(columns, rows, seed) { use href={ "#t" (tile.shape) } transform=(transform(&tile)) {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_differ_by_their_seed_only() {
        assert_eq!(wall(4, 3, 7, "strip").into_string(), wall(4, 3, 7, "strip").into_string());
        assert_ne!(wall(4, 3, 7, "strip").into_string(), wall(4, 3, 9, "strip").into_string());
        assert_eq!(strip(7).0, strip(39).0);
    }
}
