//! Words for children by who they are to somebody, and for families: "minha filha", "my nephew", "el niño". In a
//! question they say who comes along, and what is fit for children is wanted only beside what else is asked for. In the
//! name of a record they are words of a name: the sanctuary of the "Menino Jesus" is no playground.

/// The words, folded.
#[rustfmt::skip]
pub(crate) const CHILDREN: &[&str] = &[
    "filho", "filha", "filhos", "filhas", "filhinho", "filhinha", "filhinhos", "filhinhas", "filhote", "menino", "menina",
    "meninos", "meninas", "garoto", "garota", "garotos", "garotas", "guri", "guria", "guris", "moleque", "moleques", "molecada",
    "pirralho", "pirralhos", "neto", "neta", "netos", "netas", "netinho", "netinha", "netinhos", "sobrinho", "sobrinha",
    "sobrinhos", "sobrinhas", "afilhado", "afilhada", "enteado", "enteada", "bebe", "bebes", "nene", "pequeno", "pequena",
    "pequenos", "pequenas", "crianca", "criancas", "criancada", "gemeos", "gemeas", "familia", "familias",
    "child", "children", "kid", "kids", "kiddo", "kiddos", "son", "sons", "daughter", "daughters", "boy", "boys", "girl",
    "girls", "toddler", "toddlers", "baby", "babies", "nephew", "nephews", "niece", "nieces", "grandson", "granddaughter",
    "grandchild", "grandchildren", "grandkids", "stepson", "stepdaughter", "godson", "twins", "family", "families",
    "hijo", "hija", "hijos", "hijas", "hijito", "hijita", "nino", "nina", "ninos", "ninas", "chiquitos",
    "peques", "sobrino", "sobrina", "sobrinos", "sobrinas", "nieto", "nieta", "nietos", "nietas", "ahijado", "ahijada",
    "gemelos",
];
