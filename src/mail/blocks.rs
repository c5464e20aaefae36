//! The parts of a mail's body: read from the texts in [`super::texts`], and written as plain text and as simple HTML.

use maud::{Markup, html};

use super::letter::LetterItem;

/// A part of a mail's body.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph(Vec<Span>),
    /// Lines to be copied as they are.
    Verbatim(String),
    /// The address to go to, and what its button says.
    Link {
        address: String,
        text: String,
    },
    Title(String),
    /// What follows stands in the text alone: commands and addresses for those who work without the site.
    TextAlone,
    /// A link with a text of its own, and what there is to say of it.
    Item(LetterItem),
}

/// A part of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Span {
    Words(String),
    Link { words: String, address: String },
}

/// The blocks of texts, with their placeholders replaced.
pub(super) fn filled(parts: &[&str], values: &[(&str, String)]) -> Vec<Block> {
    let texts = parts.iter().flat_map(|part| part.trim_matches('\n').split("\n\n"));
    texts.map(|text| block(text, values)).collect()
}

/// Stands for [`Block::TextAlone`] in a text.
pub(super) const TEXT_ALONE: &str = "~";

/// A text with its placeholders replaced.
pub(super) fn fill(text: &str, values: &[(&str, String)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

/// A block of a text, with its placeholders replaced.
fn block(text: &str, values: &[(&str, String)]) -> Block {
    if text == TEXT_ALONE {
        return Block::TextAlone;
    }
    if let Some(link) = text.strip_prefix("-> ") {
        let (address, text) = link.split_once('\n').unwrap_or((link, link));
        return Block::Link { address: fill(address, values), text: fill(text, values) };
    }
    let verbatim: Option<Vec<&str>> = text.lines().map(|line| line.strip_prefix("    ")).collect();
    match verbatim {
        Some(lines) => Block::Verbatim(fill(&lines.join("\n"), values)),
        None => Block::Paragraph(spans(&text.lines().collect::<Vec<_>>().join(" "), values)),
    }
}

/// The parts of a paragraph. Its links are found before placeholders are replaced, so that no value makes one.
fn spans(text: &str, values: &[(&str, String)]) -> Vec<Span> {
    let (mut spans, mut rest) = (Vec::new(), text);
    let link = |text: &str| -> Option<(usize, usize, usize)> {
        let middle = text.find("](")?;
        Some((text.get(..middle)?.rfind('[')?, middle, middle + text.get(middle..)?.find(')')?))
    };
    while let Some((begin, middle, end)) = link(rest) {
        let part = |from: usize, to: usize| fill(rest.get(from..to).unwrap_or_default(), values);
        spans.push(Span::Words(part(0, begin)));
        spans.push(Span::Link { words: part(begin + 1, middle), address: part(middle + 2, end) });
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    spans.push(Span::Words(fill(rest, values)));
    spans
}

/// The plain text of a body.
pub(super) fn as_text(blocks: &[Block]) -> String {
    let text = |block: &Block| match block {
        Block::Paragraph(spans) => {
            let words = spans.iter().map(|span| match span {
                Span::Words(words) => words.clone(),
                Span::Link { words, address } => format!("{words} ({address})"),
            });
            format!("{}\n", words.collect::<String>())
        }
        Block::Link { address, text } => format!("{text}:\n{address}\n"),
        Block::Verbatim(text) => text.lines().map(|line| format!("    {line}\n")).collect(),
        Block::TextAlone => String::new(),
        Block::Title(text) => format!("{text}\n{}\n", "-".repeat(text.chars().count())),
        Block::Item(LetterItem { title, note, address }) => {
            let note = if note.is_empty() { String::new() } else { format!("{note}\n") };
            format!("{title}\n{note}{address}\n")
        }
    };
    let shown = blocks.iter().filter(|block| **block != Block::TextAlone);
    shown.map(text).collect::<Vec<_>>().join("\n")
}

/// The looks of links and of what is no paragraph.
const CODE: &str = "padding:12px;background:#0f2238;color:#e9eef4;font-size:15px;white-space:pre-wrap;\
                    word-break:break-all";
pub(super) const BUTTON: &str = "display:inline-block;padding:12px 20px;background:#0b4f9e;color:#fff;font-weight:bold;\
                      text-decoration:none";
const LINK: &str = "color:#0b4f9e";
const TITLE: &str = "margin:28px 0 8px;padding-top:12px;border-top:2px solid #16202a;font-size:20px";
const ITEM: &str = "color:#0b4f9e;font-weight:bold";

/// The HTML of a body, without what stands in the text alone.
pub(super) fn as_html(blocks: &[Block]) -> Markup {
    html! {
        @for block in blocks.iter().take_while(|block| **block != Block::TextAlone) {
            @match block {
                Block::TextAlone => {}
                Block::Paragraph(spans) => {
                    p {
                        @for span in spans {
                            @match span {
                                Span::Words(words) => { (words) }
                                Span::Link { words, address } => { a href=(address) style=(LINK) { (words) } }
                            }
                        }
                    }
                }
                Block::Verbatim(text) => { pre style=(CODE) { (text) } }
                Block::Link { address, text } => {
                    p { a href=(address) style=(BUTTON) { (text) } }
                }
                Block::Title(text) => { h2 style=(TITLE) { (text) } }
                Block::Item(LetterItem { title, note, address }) => {
                    p {
                        a href=(address) style=(ITEM) { (title) }
                        @if !note.is_empty() { br; (note) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_keeps_its_lines_and_a_paragraph_does_not() {
        let values = [("{url}", "https://x".to_owned())];
        let command = block("    curl {url} \\\n      -d '{}'", &values);
        assert_eq!(command, Block::Verbatim("curl https://x \\\n  -d '{}'".to_owned()));
        let link = Block::Link { address: "https://x/a".to_owned(), text: "Go there".to_owned() };
        assert_eq!(block("-> {url}/a\nGo there", &values), link);
        let words = |words: &str| Span::Words(words.to_owned());
        assert_eq!(block("One\ntwo {url}.", &values), Block::Paragraph(vec![words("One two https://x.")]));
        let link = Span::Link { words: "this page".to_owned(), address: "https://x/a".to_owned() };
        let paragraph = vec![words("See [1] "), link, words(".")];
        assert_eq!(block("See [1]\n[this page]({url}/a).", &values), Block::Paragraph(paragraph));
        // a value is no link
        let named = block("{url}", &[("{url}", "[x](https://evil.example)".to_owned())]);
        assert_eq!(named, Block::Paragraph(vec![words("[x](https://evil.example)")]));
    }
}
