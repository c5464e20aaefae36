//! The parts of a text about a record, each once: a venue is often called like its area, and an event like its
//! category.

/// The parts that are known, in order, without those that another part has already: "Torre de TV" beside "Torre de TV",
/// and "Parque da Cidade" beside "Parque da Cidade, estacionamento 5". Of the same text the first is kept.
pub(super) fn distinct<'t>(parts: &[&'t str]) -> Vec<&'t str> {
    let is_said = |at: usize, part: &str| {
        let mut others = parts.iter().enumerate().filter(|(other, _)| *other != at);
        others.any(|(other, text)| if *text == part { other < at } else { has_part(text, part) })
    };
    let known = parts.iter().enumerate().filter(|(at, part)| !part.is_empty() && !is_said(*at, part));
    known.map(|(_, part)| *part).collect()
}

/// A sentence: what it is about, each part before a colon, then what is said of it, with `between` before that.
pub(super) fn sentence(about: &[&str], between: &str, said: &[&str]) -> String {
    let about = distinct(about);
    let is_new = |part: &&str| !about.iter().any(|text| says(text, part));
    let said: Vec<&str> = distinct(said).into_iter().filter(is_new).collect();
    let parts = [about.join(": "), said.join(", ")];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    format!("{}.", parts.join(between))
}

/// Whether a text is another one, or has it among its parts.
pub(super) fn says(text: &str, part: &str) -> bool {
    text == part || has_part(text, part)
}

/// Whether a text has another one between its commas, colons, dots or dashes: "Asa Norte" is no part of "Café Asa
/// Norte".
fn has_part(text: &str, part: &str) -> bool {
    const MARKS: [char; 6] = [',', ':', '·', '–', '(', ')'];
    let is_whole = |(before, after): (&str, &str)| {
        (before.is_empty() || before.ends_with(MARKS)) && (after.is_empty() || after.starts_with(MARKS))
    };
    let around = |(at, _): (usize, &str)| {
        Some((text.get(..at)?.trim_end(), text.get(at + part.len()..)?.trim_start()))
    };
    !part.is_empty() && text.match_indices(part).filter_map(around).any(is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_another_has_is_left_out() {
        for (parts, left) in [
            (&["Torre de TV", "", "Torre de TV", "Plano Piloto"][..], &["Torre de TV", "Plano Piloto"][..]),
            (
                &["Parque da Cidade, estacionamento 5", "Parque da Cidade"],
                &["Parque da Cidade, estacionamento 5"],
            ),
            (&["Carnaval", "Carnaval: Pacotão"], &["Carnaval: Pacotão"]),
            (&["Café Asa Norte", "Asa Norte"], &["Café Asa Norte", "Asa Norte"]),
            (
                &["Asa Norte", "Brasília", "Museu de Brasília"],
                &["Asa Norte", "Brasília", "Museu de Brasília"],
            ),
            (&["", ""], &[]),
        ] {
            assert_eq!(distinct(parts), left, "{parts:?}");
        }
    }

    #[test]
    fn a_sentence_does_not_repeat_what_it_is_about() {
        let said = |about: &[&str], said: &[&str]| sentence(about, ", ", said);
        assert_eq!(
            said(&["Carnaval", "Carnaval: Pacotão"], &["domingo", "Asa Norte", "Brasília"]),
            "Carnaval: Pacotão, domingo, Asa Norte, Brasília."
        );
        assert_eq!(said(&["Monumento", "Torre de TV"], &["Torre de TV", ""]), "Monumento: Torre de TV.");
    }
}
