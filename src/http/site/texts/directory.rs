//! The texts of the pages that list all areas and all categories, and of frames about one, a table for each language.

use index::grammar::fold::fold;

/// The pages of all areas and of all categories.
pub(crate) struct Directory {
    pub(crate) areas: &'static str,
    pub(crate) areas_about: &'static str,
    pub(crate) categories: &'static str,
    pub(crate) categories_about: &'static str,
    /// What is on in an area, and of a category.
    pub(crate) on_in: fn(&str) -> String,
    pub(crate) on_of: fn(&str) -> String,
    /// Parameters of the address of a frame, with its two forms.
    pub(crate) themes: [&'static str; 4],
}

/// First words of names of areas, folded, that take an article in Portuguese.
const FEMININE: [&str; 13] = [
    "area",
    "asa",
    "avenida",
    "cidade",
    "colonia",
    "esplanada",
    "feira",
    "granja",
    "orla",
    "praca",
    "quadra",
    "torre",
    "vila",
];
const MASCULINE: [&str; 13] = [
    "bairro", "centro", "eixo", "jardim", "lago", "nucleo", "parque", "plano", "pontao", "recanto", "riacho",
    "setor", "sudoeste",
];

/// A preposition and the article of a name, as far as its first word tells it.
fn in_portuguese(area: &str) -> String {
    let first = fold(area.split(' ').next().unwrap_or_default());
    let preposition = match &*first {
        first if FEMININE.contains(&first) => "na",
        first if MASCULINE.contains(&first) || first == "noroeste" => "no",
        _ => "em",
    };
    format!("{preposition} {area}")
}

pub(crate) const PORTUGUESE: Directory = Directory {
    areas: "Áreas",
    areas_about: "Todas as áreas do guia, com o que há em cada uma.",
    categories: "Categorias",
    categories_about: "Todas as categorias do guia: o que há por assunto.",
    on_in: |area| format!("O que há {}", in_portuguese(area)),
    on_of: |category| format!("O que há de {category}"),
    themes: ["Cores fixas: acrescente ao endereço", "?tema=claro", "ou", "?tema=escuro"],
};

pub(crate) const ENGLISH: Directory = Directory {
    areas: "Areas",
    areas_about: "All areas of the guide, with what is on in each.",
    categories: "Categories",
    categories_about: "All categories of the guide: what is on by topic.",
    on_in: |area| format!("What’s on in {area}"),
    on_of: |category| format!("What’s on: {category}"),
    themes: ["Fixed colours: add to the address", "?theme=light", "or", "?theme=dark"],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_have_the_article_that_their_first_word_tells() {
        for (area, expected) in [
            ("Asa Norte", "na Asa Norte"),
            ("Praça do Cruzeiro", "na Praça do Cruzeiro"),
            ("Noroeste", "no Noroeste"),
            ("Plano Piloto", "no Plano Piloto"),
            ("Taguatinga", "em Taguatinga"),
        ] {
            assert_eq!(in_portuguese(area), expected);
        }
    }
}
