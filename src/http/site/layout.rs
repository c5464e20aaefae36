//! What stands around every page: its head, the way through the site, the foot, and the tiles. The parts that are the
//! same on all pages of a language are rendered once. Uses [`super::super::html`], [`crate::config`], [`crate::quota::gate`] and
//! [`crate::sheets`].

use std::fmt::Write;

use super::super::html::{Language, escaped};
use super::assets;
use crate::config::{Config, Payments};
use crate::quota::gate::{PREVIEW_DAYS, PREVIEW_RESULTS};

/// Both languages, in the order in which things are kept for each.
pub(super) const LANGUAGES: [Language; 2] = [Language::Portuguese, Language::English];

/// The address of a page in a language, in two parts: the English site is the other one under `/en`.
pub(super) fn address(language: Language, path: &str) -> [&str; 2] {
    match (language, path) {
        (Language::Portuguese, path) => ["", path],
        (Language::English, "/") => ["/en", ""],
        (Language::English, path) => ["/en", path],
    }
}

/// Appends texts that may stand in a page as they are.
pub(super) fn put(out: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| out.push_str(part));
}

/// What a page says of itself.
pub(super) struct About<'a> {
    /// What it is called.
    pub(super) title: &'a str,
    /// What it is, in a sentence.
    pub(super) description: &'a str,
    /// Its path in Portuguese.
    pub(super) path: &'a str,
    /// What follows the path and holds for this visit only, the `?` included.
    pub(super) query: &'a str,
    /// Whether search engines may list it.
    pub(super) listed: bool,
}

/// What pages say of the service, and the parts that they share.
pub(super) struct Frame {
    /// The address of the service.
    pub(super) base: String,
    /// Its name, ready for a page.
    pub(super) name: String,
    /// Whether plans may be bought.
    pub(super) payments_open: bool,
    shared: [Shared; 2],
    /// Walls for the heads of pages.
    strips: Vec<String>,
}

/// What all pages of a language share: laid once, for a page is quick when it is put together of a few long pieces.
struct Shared {
    /// From the first byte of a page to its title.
    opening: String,
    /// From its description to its address in both languages: where it is one of the ways, in their order, and at last
    /// where it is none of them.
    heads: Vec<String>,
    /// What follows its address in each language.
    languages: [String; 2],
    /// What follows its main part.
    foot: String,
    /// What the preview leaves out, and the ways to more.
    preview: String,
    /// Whom the records shown are from.
    credit: String,
}

/// How many walls there are for the heads of pages: laying one takes longer than all the rest of a page.
const STRIPS: u64 = 32;

/// The places of the site that its head leads to: path, and what they are called.
const WAYS: [(&str, &str, &str); 4] = [
    ("/", "Guia", "Guide"),
    ("/agents", "Agentes", "Agents"),
    ("/plans", "Planos", "Plans"),
    ("/api", "API", "API"),
];

/// The mark: the two axes that Brasília was drawn from, one of them bent.
const MARK: &str = "<svg class=\"mark\" viewBox=\"0 0 32 32\" width=\"32\" height=\"32\" \
 aria-hidden=\"true\">\
    <rect width=\"32\" height=\"32\" class=\"mark-ground\"/><path d=\"M16 5v22M4.5 11.5c4.5 6.5 18.5 6.5 \
     23 0\" \
    class=\"mark-lines\"/></svg>";

impl Frame {
    pub(super) fn new(config: &Config) -> Frame {
        let name = escaped(&config.service_name).into_owned();
        let site = escaped(config.service_site.as_str()).into_owned();
        let base = config.base_url.as_str().to_owned();
        let shared = LANGUAGES.map(|language| Shared {
            opening: format!(
                "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\
                 <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>",
                language.pick("pt-BR", "en")
            ),
            heads: (0..=WAYS.len()).map(|way| head(language, &name, &base, way)).collect(),
            languages: LANGUAGES.map(|other| {
                let (lang, label, name) = other.pick(("pt-BR", "PT", "Português"), ("en", "EN", "English"));
                let current = if other == language { " aria-current=\"true\"" } else { "" };
                format!("\" lang=\"{lang}\" hreflang=\"{lang}\" title=\"{name}\"{current}>{label}</a>")
            }),
            foot: foot(language, &name, &site, config),
            preview: preview(language),
            credit: format!(
                "<p class=\"credit\">{} <a href=\"{site}\">{name}</a></p>\n",
                language.pick("Dicas por", "<span lang=\"pt-BR\">Dicas por</span>")
            ),
        });
        let strips = (1..=STRIPS).map(|seed| {
            let mut out = String::new();
            wall(&mut out, 24, 3, seed, "wall-strip");
            out
        });
        let payments_open = config.payments != Payments::None;
        Frame { base, name, payments_open, shared, strips: strips.collect() }
    }

    /// A page: what stands around, and what `body` writes into its main part.
    pub(super) fn page(
        &self,
        language: Language,
        about: &About<'_>,
        body: impl FnOnce(&mut String),
    ) -> String {
        let mut out = String::with_capacity(16 * 1024);
        self.begin(&mut out, language, about);
        body(&mut out);
        out.push_str(&self.shared[language as usize].foot);
        out
    }

    fn begin(&self, out: &mut String, language: Language, about: &About<'_>) {
        let shared = &self.shared[language as usize];
        let (title, description) = (escaped(about.title), escaped(about.description));
        let is_front = about.path == "/" && about.query.is_empty();
        let of = if is_front { "Brasília" } else { &self.name };
        put(out, &[&shared.opening, &title, " · ", of, "</title><meta name=\"description\" content=\""]);
        let paths = LANGUAGES.map(|language| address(language, about.path));
        if about.listed {
            let [portuguese, english] = paths.map(|[prefix, path]| [&self.base, prefix, path].concat());
            let here = language.pick(&portuguese, &english);
            put(out, &[&description, "\"><link rel=\"canonical\" href=\"", here]);
            put(out, &["\"><link rel=\"alternate\" hreflang=\"pt-BR\" href=\"", &portuguese]);
            put(out, &["\"><link rel=\"alternate\" hreflang=\"en\" href=\"", &english]);
            put(out, &["\"><link rel=\"alternate\" hreflang=\"x-default\" href=\"", &portuguese]);
            put(out, &["\"><meta property=\"og:url\" content=\"", here]);
        } else {
            put(out, &[&description, "\"><meta name=\"robots\" content=\"noindex"]);
        }
        put(out, &["\"><meta property=\"og:title\" content=\"", &title]);
        let way = WAYS.iter().position(|(path, ..)| *path == about.path).unwrap_or(WAYS.len());
        put(out, &["\"><meta property=\"og:description\" content=\"", &description, &shared.heads[way]]);
        let query = escaped(about.query);
        for ([prefix, path], language) in paths.into_iter().zip(&shared.languages) {
            put(out, &["<a href=\"", prefix, path, &query, language]);
        }
        put(out, &["</nav></div></header>\n<main id=\"main\" tabindex=\"-1\">\n"]);
    }

    /// One of the walls for the heads of pages, the same for the same `seed`.
    pub(super) fn strip(&self, out: &mut String, seed: u64) {
        out.push_str(&self.strips[(seed % STRIPS) as usize]);
    }

    /// What the preview leaves out, and the ways to more.
    pub(super) fn preview(&self, out: &mut String, language: Language) {
        out.push_str(&self.shared[language as usize].preview);
    }

    /// Whom the records shown are from, as the free plan asks of everybody.
    pub(super) fn credit(&self, out: &mut String, language: Language) {
        out.push_str(&self.shared[language as usize].credit);
    }
}

/// What stands between the description of a page and its address in both languages, the page being one of the ways, or
/// none of them.
fn head(language: Language, name: &str, base: &str, way: usize) -> String {
    let mut out = format!(
        "\"><meta property=\"og:locale\" content=\"{locale}\">\
         <meta property=\"og:site_name\" content=\"{name}\"><meta property=\"og:type\" content=\"website\">\
         <meta property=\"og:image\" content=\"{base}/assets/preview.png\">\
         <meta property=\"og:image:width\" content=\"1200\">\
         <meta property=\"og:image:height\" content=\"630\">\
         <meta property=\"og:image:alt\" content=\"{alt}\">\
         <meta name=\"twitter:card\" content=\"summary_large_image\">\
         <meta name=\"theme-color\" content=\"#f6f4ee\" media=\"(prefers-color-scheme:light)\">\
         <meta name=\"theme-color\" content=\"#0d151d\" media=\"(prefers-color-scheme:dark)\">\
         <link rel=\"icon\" href=\"/favicon.ico\" sizes=\"32x32\">\
         <link rel=\"icon\" href=\"/favicon.svg\" type=\"image/svg+xml\">\
         <link rel=\"stylesheet\" href=\"/assets/style.css?{style}\">\
         <script src=\"/assets/site.js?{script}\" defer></script>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">{skip}</a>\n<header class=\"top\"><div class=\"wide\">\
         <a class=\"home\" href=\"{home}\">{MARK}<span>{name}</span></a>\
         <nav class=\"ways\" aria-label=\"{main}\">",
        locale = language.pick("pt_BR", "en_US"),
        alt = language.pick(
            "Azulejos azuis e brancos, e as palavras: Brasília, escolhida a dedo.",
            "Blue and white tiles, and the words: Brasília, escolhida a dedo."
        ),
        style = assets::STYLE.mark(),
        script = assets::SCRIPT.mark(),
        skip = language.pick("Pular para o conteúdo", "Skip to content"),
        home = address(language, "/").concat(),
        main = language.pick("Principal", "Main"),
    );
    for (at, (path, portuguese, english)) in WAYS.into_iter().enumerate() {
        let [prefix, path] = address(language, path);
        let current = if at == way { "\" aria-current=\"page\">" } else { "\">" };
        put(&mut out, &["<a href=\"", prefix, path, current, language.pick(portuguese, english), "</a>"]);
    }
    let label = language.pick("Idioma", "Language");
    put(&mut out, &["</nav><nav class=\"languages\" aria-label=\"", label, "\">"]);
    out
}

fn preview(language: Language) -> String {
    let (results, days) = (PREVIEW_RESULTS, PREVIEW_DAYS);
    let [signup, plans] = ["/signup", "/plans"].map(|path| address(language, path).concat());
    let text = language.pick(
        format!(
            "Esta é a prévia, aberta a todos: o Plano Piloto, {results} resultados por busca, eventos dos \
             próximos {days} dias. Com uma <a href=\"{signup}\">chave, de graça</a>, vêm todos os resultados \
             e qualquer data. Os <a href=\"{plans}\">planos pagos</a> abrem o DF inteiro, com endereços, \
             links e descrições."
        ),
        format!(
            "This is the preview, open to everybody: Plano Piloto, {results} results a search, events of \
             the next {days} days. A <a href=\"{signup}\">free key</a> gives every result and any date. \
             <a href=\"{plans}\">Paid plans</a> open the whole Federal District, with addresses, links and \
             descriptions."
        ),
    );
    let label = language.pick("Sobre a prévia", "About the preview");
    format!("<aside class=\"preview\" aria-label=\"{label}\"><p>{text}</p></aside>")
}

/// What follows the main part of a page.
fn foot(language: Language, name: &str, site: &str, config: &Config) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let link = |path: &str, text: &str| {
        format!("<li><a href=\"{}\">{text}</a></li>", address(language, path).concat())
    };
    let kind = |kind: &str, text: &str| {
        format!("<li><a href=\"{}?kind={kind}\">{text}</a></li>", address(language, "/").concat())
    };
    let mut out = String::new();
    let story = if config.service_name == "Candango" {
        say(
            "Candango é quem veio de todo canto do país erguer Brasília.",
            "Candango: one of the workers who came from all over Brazil to build Brasília.",
        )
    } else {
        say("Um guia de Brasília, feito à mão.", "A guide to Brasília, made by hand.")
    };
    // writing to a String cannot fail
    let _ = writeln!(
        out,
        "</main>\n<footer class=\"foot\"><div class=\"arcade\" aria-hidden=\"true\"></div><div class=\"wide\">\
         <div><p class=\"foot-name\">{name}</p><p>{story}</p>\
         <p>{by} <a href=\"{site}\">{name}</a></p></div>\
         <nav aria-label=\"{guide}\"><h2>{guide}</h2><ul>{search}{places}{events}</ul></nav>\
         <nav aria-label=\"{build}\"><h2>{build}</h2><ul>{agents}{api}<li><a \
          href=\"/openapi.json\">openapi.json</a></li>\
         <li><a href=\"/llms.txt\">llms.txt</a></li></ul></nav>\
         <nav aria-label=\"{account}\"><h2>{account}</h2><ul>{signup}{plans}{subscribe}</ul></nav>\
         </div></footer>\n</body>\n</html>",
        by = say("Dicas por", "<span lang=\"pt-BR\">Dicas por</span>"),
        guide = say("Guia", "Guide"),
        search = link("/", say("Buscar", "Search")),
        places = kind("places", say("Lugares", "Places")),
        events = kind("events", say("Eventos", "Events")),
        build = say("Para construir", "To build with"),
        agents = link("/agents", say("Conectar um agente", "Connect an agent")),
        api = link("/api", say("Referência da API", "API reference")),
        account = say("Conta", "Account"),
        signup = link("/signup", say("Pegar uma chave", "Get a key")),
        plans = link("/plans", say("Planos e preços", "Plans and prices")),
        subscribe = if config.payments == Payments::None {
            String::new()
        } else {
            link("/plans#subscribe", say("Assinar", "Subscribe"))
        },
    );
    out
}

/// A wall of tiles, each laid with the turn that chance gave it, as the workers laid those of this city: another `seed`
/// is another wall.
pub(super) fn wall(out: &mut String, columns: u32, rows: u32, seed: u64, class: &str) {
    let mut chance = seed | 1;
    let mut roll = |sides: u64| {
        // the high bits of a reference_search congruence; it only has to look laid by hand
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 40) % sides
    };
    let (width, height) = (columns * 48, rows * 48);
    // writing to a String cannot fail
    let _ = write!(
        out,
        "<svg class=\"wall {class}\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"xMidYMid slice\" \
         aria-hidden=\"true\" focusable=\"false\"><defs>\
         <path id=\"t0\" class=\"deep\" d=\"M0 0h48v48A48 48 0 0 0 0 0z\"/>\
         <g id=\"t1\"><path class=\"deep\" d=\"M0 0h24a24 24 0 0 1-24 24z\"/>\
         <path class=\"sky\" d=\"M48 48H24a24 24 0 0 1 24-24z\"/></g>\
         <path id=\"t2\" class=\"sky\" d=\"M0 48A48 48 0 0 1 48 0v16A32 32 0 0 0 16 48z\"/>\
         <path id=\"t3\" class=\"sun\" d=\"M24 0a24 24 0 0 0 24 24V0z\"/>\
         </defs>"
    );
    for row in 0..rows {
        for column in 0..columns {
            let tile = match roll(25) {
                0..=10 => 0,
                11..=16 => 1,
                17..=21 => 2,
                22..=23 => 3,
                _ => continue,
            };
            let (x, y, turn) = (column * 48, row * 48, roll(4) * 90);
            let _ =
                write!(out, "<use href=\"#t{tile}\" transform=\"translate({x} {y}) rotate({turn} 24 24)\"/>");
        }
    }
    out.push_str("</svg>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_differ_by_their_seed_only() {
        let wall_of = |seed| {
            let mut out = String::new();
            wall(&mut out, 4, 3, seed, "strip");
            out
        };
        assert_eq!(wall_of(7), wall_of(7));
        assert_ne!(wall_of(7), wall_of(9));
    }

    #[test]
    fn the_front_page_in_english_has_no_slash() {
        assert_eq!(address(Language::English, "/").concat(), "/en");
        assert_eq!(address(Language::English, "/plans").concat(), "/en/plans");
        assert_eq!(address(Language::Portuguese, "/").concat(), "/");
    }
}
