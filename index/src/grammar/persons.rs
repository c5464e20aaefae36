//! Words for persons by who they are to somebody. In a question they say who comes along; in the name of a record they
//! are words of a name: the sanctuary of the "Menino Jesus" is no playground.

/// Children, and families: "minha filha", "my nephew", "el niño". What is fit for them is wanted only beside what else
/// is asked for. Folded.
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

/// Grown-up persons of the three languages, folded, each list after the words that make them somebody's.
#[rustfmt::skip]
pub(crate) const RELATIVES: &[(&[&str], &[&str])] = &[
    (
        &["meu", "minha", "meus", "minhas", "nosso", "nossa", "nossos", "nossas"],
        &[
            "amiga", "amigas", "amigo", "amigos", "avo", "avos", "chefe", "colega", "colegas", "companheira",
            "companheiro", "cunhada", "cunhado", "cunhados", "esposa", "esposo", "galera", "irma", "irmao", "irmaos",
            "irmas", "mae", "mamae", "marido", "mulher", "namorada", "namorado", "noiva", "noivo", "pai", "pais",
            "papai", "parceira", "parceiro", "parentes", "prima", "primas", "primo", "primos", "sogra", "sogro",
            "sogros", "tia", "tias", "tio", "tios", "turma", "visita", "visitas", "vo", "vovo",
        ],
    ),
    (
        &["my", "our"],
        &[
            "aunt", "boss", "boyfriend", "brother", "brothers", "colleague", "colleagues", "cousin", "cousins",
            "coworkers", "dad", "father", "fiance", "fiancee", "friend", "friends", "girlfriend", "gran",
            "grandfather", "grandma", "grandmother", "grandpa", "grandparents", "guests", "husband", "mom", "mother",
            "mum", "parents", "partner", "roommate", "roommates", "sister", "sisters", "uncle", "wife",
        ],
    ),
    (
        &["mi", "mis", "nuestro", "nuestra", "nuestros", "nuestras"],
        &[
            "abuela", "abuelo", "abuelos", "amiga", "amigas", "amigo", "amigos", "companeros", "cunada", "cunado",
            "esposa", "esposo", "hermana", "hermanas", "hermano", "hermanos", "jefe", "madre", "mama", "marido",
            "mujer", "novia", "novio", "padre", "padres", "papa", "pareja", "prima", "primo", "primos", "suegra",
            "suegro", "suegros", "tia", "tio", "tios",
        ],
    ),
];

/// Whether a folded word is one of [`RELATIVES`].
pub(crate) fn is_relative(word: &str) -> bool {
    RELATIVES.iter().any(|(_, persons)| persons.contains(&word))
}
