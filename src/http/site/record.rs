//! The page of one record, with all that everybody may see of it, and the page that says that there is none. Uses
//! [`super::layout`], [`super::guide`], [`super::schema`], [`super::record_view`] and [`super::i18n`].

use std::hash::{DefaultHasher, Hash, Hasher};

use url::form_urlencoded;

use super::super::html::{Language, escaped};
use super::guide::Made;
use super::i18n;
use super::layout::{About, Frame, address, put};
use super::record_view::Record;
use super::schema;

/// The page of a place or an event.
pub(super) fn page(
    frame: &Frame,
    made: &Made,
    language: Language,
    record: &Record<'_>,
    is_event: bool,
) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let path = [if is_event { "/event/" } else { "/place/" }, &record.id].concat();
    let area = record.area();
    let category = made.label(language, &record.category);
    let when = record.date.map(|date| {
        let mut when = i18n::day(language, date);
        if let Some(end) = record.end_date.filter(|end| *end > date) {
            when += say(" a ", " to ");
            when += &i18n::day(language, end);
        }
        when
    });
    let description = match &when {
        Some(when) => format!("{category}: {}, {when}, {area}, Brasília.", record.name),
        None if record.style.is_empty() => format!("{}: {category}, {area}, Brasília.", record.name),
        None => format!("{}: {}, {area}, Brasília.", record.name, record.style),
    };
    let about =
        About { title: &record.name, description: &description, path: &path, query: "", listed: true };
    frame.page(language, &about, |out| {
        let [prefix, home] = address(language, "/");
        let front = if prefix.is_empty() { home } else { prefix };
        let (kind, kinds) = if is_event {
            ("events", say("Eventos", "Events"))
        } else {
            ("places", say("Lugares", "Places"))
        };
        let label = escaped(category);
        let of_area: String = form_urlencoded::byte_serialize(area.as_bytes()).collect();

        let mut hasher = DefaultHasher::new();
        record.id.hash(&mut hasher);
        frame.strip(out, hasher.finish());
        put(
            out,
            &[
                "<div class=\"wide\"><nav class=\"crumbs\" aria-label=\"",
                say("Você está em", "You are in"),
                "\"><ol>",
            ],
        );
        put(out, &["<li><a href=\"", front, "\">", say("Guia", "Guide"), "</a></li>"]);
        put(out, &["<li><a href=\"", front, "?kind=", kind, "\">", kinds, "</a></li>"]);
        put(out, &["<li><a href=\"", front, "?kind=", kind, "&amp;region=", &of_area, "\">", &escaped(area)]);
        put(out, &["</a></li></ol></nav>\n<article class=\"record\"><div><p class=\"tag\">", &label]);
        put(out, &["</p><h1>", &escaped(&record.name), "</h1>"]);
        if record.uau {
            let seal = say("Selo do curador", "The curator’s seal");
            put(out, &["<p><span class=\"uau\">UAU</span> ", seal, "</p>"]);
        }
        if !record.style.is_empty() {
            put(out, &["<p class=\"lead\">", &escaped(&record.style), "</p>"]);
        }
        if record.date.is_some_and(|date| record.end_date.unwrap_or(date) < made.day) {
            put(out, &["<p class=\"no\">", say("Este evento já passou.", "This event is over."), "</p>"]);
        }
        put(out, &["</div><dl class=\"facts\">"]);
        let mut fact = |term: &str, text: &str| {
            if !text.is_empty() {
                put(out, &["<div><dt>", term, "</dt><dd>", &escaped(text), "</dd></div>"]);
            }
        };
        fact(say("Quando", "When"), when.as_deref().unwrap_or_default());
        fact(say("Horário", "Time"), &record.start_time);
        fact(say("Local", "Venue"), &record.venue);
        fact(say("Bairro", "Neighbourhood"), &record.neighbourhood);
        fact(say("Região", "Region"), &record.region);
        fact(say("Preço", "Price"), &record.price);
        if !record.instagram.is_empty() {
            let handle = escaped(&record.instagram);
            put(
                out,
                &[
                    "<div><dt>Instagram</dt><dd><a href=\"https://www.instagram.com/",
                    &handle,
                    "/\" rel=\"nofollow noopener\">@",
                ],
            );
            put(out, &[&handle, "</a></dd></div>"]);
        }
        put(out, &["</dl><div class=\"record-foot\">"]);
        frame.credit(out, language);

        let [prefix, plans] = address(language, "/plans");
        put(
            out,
            &["<aside class=\"preview\" aria-label=\"", say("Sobre a prévia", "About the preview"), "\"><p>"],
        );
        if is_event {
            put(
                out,
                &[say(
                    "Atrações, endereço e ingressos estão nos ",
                    "Line-up, address and tickets come with ",
                )],
            );
        } else {
            put(
                out,
                &[say("Endereço, descrição e links estão nos ", "Address, description and links come with ")],
            );
        }
        put(out, &["<a href=\"", prefix, plans, "\">", say("planos pagos", "paid plans"), "</a>"]);
        put(
            out,
            &[say(
                ", pela API e pelos agentes.</p></aside></div></article>\n",
                ", through the API and through agents.</p></aside></div></article>\n",
            )],
        );

        put(
            out,
            &["<section class=\"part\" aria-labelledby=\"near\"><div class=\"part-head\"><h2 id=\"near\">"],
        );
        put(out, &[say("Por perto", "Nearby"), "</h2></div><ul class=\"chips\">"]);
        let slug = &record.category;
        put(out, &["<li><a href=\"", front, "?kind=", kind, "&amp;category=", slug, "\">", &label]);
        put(out, &[say(" em todo o Plano Piloto", " in all of Plano Piloto"), "</a></li>"]);
        for (kind, name) in [("places", say("Lugares", "Places")), ("events", say("Eventos", "Events"))] {
            put(out, &["<li><a href=\"", front, "?kind=", kind, "&amp;region=", &of_area, "\">", name, ": "]);
            put(out, &[&escaped(area), "</a></li>"]);
        }
        put(out, &["</ul></section></div>\n"]);
        let kind = if is_event { "Event" } else { made.schema(slug) };
        let [prefix, path] = address(language, &path);
        schema::write(out, kind, record, &[&frame.base, prefix, path], category);
    })
}

/// The page for an address where nothing lives.
pub(super) fn nothing(frame: &Frame, language: Language) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let title = say("Nada neste endereço", "Nothing at this address");
    let about = About { title, description: title, path: "/", query: "", listed: false };
    frame.page(language, &about, |out| {
        frame.strip(out, 404);
        let [prefix, home] = address(language, "/");
        put(out, &["<div class=\"wide lost\"><p class=\"tag\">404</p>"]);
        put(out, &["<h1>", title, "</h1><p class=\"lead\">"]);
        put(out, &[say(
            "Em Brasília até quem mora se perde de vez em quando. O registro pode ter saído do guia, ou o \
             link veio cortado.",
            "In Brasília even locals get lost now and then. The record may have left the guide, or the \
             link was cut short.",
        )]);
        let back = say("Voltar ao guia", "Back to the guide");
        put(out, &["</p><p class=\"more\"><a href=\"", prefix, home, "\">", back, "</a></p></div>\n"]);
    })
}
