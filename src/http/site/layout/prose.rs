//! Markdown of the OpenAPI document as HTML.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

/// Paragraphs, lists and tables. HTML in the text is shown as text.
pub(crate) fn prose(text: &str) -> Markup {
    render(text, |event| match event {
        Event::Start(table @ Tag::Table(_)) => {
            vec![Event::Html("<div class=\"table\" tabindex=\"0\">".into()), Event::Start(table)]
        }
        Event::End(TagEnd::Table) => vec![event, Event::Html("</div>".into())],
        event => vec![event],
    })
}

/// The same for a file of the repository: links to its other files are shown as text.
pub(crate) fn prose_without_files(text: &str) -> Markup {
    let mut is_file = false;
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter(move |event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => {
            is_file = !dest_url.starts_with("https://");
            !is_file
        }
        Event::End(TagEnd::Link) => !is_file,
        Event::Html(_) | Event::InlineHtml(_) => false,
        _ => true,
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    PreEscaped(out)
}

/// A text without paragraphs around it.
pub(crate) fn inline(text: &str) -> Markup {
    render(text, |event| match event {
        Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => Vec::new(),
        event => vec![event],
    })
}

fn render<'t>(text: &'t str, adapt: impl Fn(Event<'t>) -> Vec<Event<'t>>) -> Markup {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        event => event,
    });
    let mut out = String::new();
    html::push_html(&mut out, events.flat_map(adapt));
    PreEscaped(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html_and_html_becomes_text() {
        let table = prose("One.\n\n| a | b |\n|---|---|\n| `c` | d |").into_string();
        assert!(table.starts_with("<p>One.</p>"), "{table}");
        assert!(table.contains("<div class=\"table\" tabindex=\"0\"><table>"), "{table}");
        assert!(
            table.contains("<td><code>c</code></td><td>d</td>") && table.ends_with("</table>\n</div>"),
            "{table}"
        );
        assert_eq!(
            inline("**Keys.** see [a](https://x.example/?a&b) and `<b>` <i>x</i> [no] (http://)")
                .into_string(),
            "<strong>Keys.</strong> see <a href=\"https://x.example/?a&amp;b\">a</a> and <code>&lt;b&gt;</code> \
             &lt;i&gt;x&lt;/i&gt; [no] (http://)"
        );
        assert!(!prose("<script>x</script>").into_string().contains("<script"));
    }
}
