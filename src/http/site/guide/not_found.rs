//! The page for an address without a page.

use index::question::query::MAX_CHARACTERS;
use maud::html;

use crate::http::site::layout::components::more;
use crate::http::site::layout::{Layout, Meta, strip};

pub(crate) fn page(layout: &Layout) -> String {
    let words = &layout.texts.not_found;
    let main = html! {
        (strip(20))
        div.wide.lost {
            p.tag { "404" }
            h1 { (words.title) }
            p.lead { (words.lead) }
            form.search action=(layout.home()) role="search" {
                div.field.field-q {
                    label for="q" { (layout.texts.search.query) }
                    input #q name="q" type="search" maxlength=(MAX_CHARACTERS)
                        data-one=(layout.texts.search.completions[0]) data-many=(layout.texts.search.completions[1]);
                }
                button type="submit" { (layout.texts.layout.search) }
            }
            (more(&layout.path("/hoje"), words.today))
            (more(layout.home(), words.back))
        }
    };
    layout.page(
        &Meta { title: words.title, description: words.title, path: "/", query: "", listed: false },
        main,
    )
}
