//! Stop words, which frame a query and say nothing about what is searched, and words that say how what follows is
//! meant: as what is asked for, company, a place.

use crate::grammar::language::Language;

/// Whether the word is too generic to narrow a query beside another category ("show de rock", "cultural attractions").
pub(crate) fn is_generic_category(word: &str) -> bool {
    GENERIC_CATEGORIES.contains(&word)
}

/// Whether the word at the end of a phrase says that something is looked at, whatever it is: "posso visitar", "what to
/// see".
pub(crate) fn is_visit(word: &str) -> bool {
    matches!(word, "visitar" | "ver" | "visit" | "see")
}

/// Whether the word is a number of tens, in English.
pub(crate) fn is_ten(word: &str) -> bool {
    matches!(word, "twenty" | "thirty" | "forty" | "fifty" | "sixty" | "seventy" | "eighty" | "ninety")
}

/// Whether the word means a party, and in a question whatever is on.
pub(crate) fn is_celebration(word: &str) -> bool {
    matches!(word, "festa" | "festas" | "fiesta" | "fiestas")
}

/// Whether what follows the word comes beside something else: company, or what a place also has.
pub(crate) fn brings_an_addition(word: &str) -> bool {
    BEFORE_ADDITIONS.contains(&word)
}

/// Whether what follows the word is what a place has or sells, behind [`is_relative`].
pub(crate) fn offers(word: &str) -> bool {
    OFFERING.contains(&word)
}

/// Whether the word begins a relative clause.
pub(crate) fn is_relative(word: &str) -> bool {
    matches!(word, "que" | "q" | "that" | "which" | "onde" | "donde" | "where")
}

/// Whether what follows the word is asked for.
pub(crate) fn asks_for(word: &str) -> bool {
    ASKING.contains(&word) || REQUESTS.contains(&word)
}

/// Whether the word says that somebody likes what follows.
pub(crate) fn likes(word: &str) -> bool {
    LIKING.contains(&word)
}

/// Whether the word asks for a place, unless it begins a relative clause.
pub(crate) fn asks_where(word: &str) -> bool {
    matches!(word, "onde" | "aonde" | "donde" | "adonde" | "where")
}

/// Whether the word has the form of a Portuguese or Spanish infinitive.
pub(crate) fn is_infinitive(word: &str) -> bool {
    word.len() > 4 && ["ar", "er", "ir"].iter().any(|ending| word.ends_with(ending))
}

/// Whether the word says what is done to what a question asks for: "comer feijoada", "eat pizza".
pub(crate) fn is_verb(word: &str) -> bool {
    is_infinitive(word) || matches!(word, "eat" | "drink" | "dine")
}

/// Whether what follows the word is watched or heard.
pub(crate) fn attends(word: &str) -> bool {
    ATTENDING.contains(&word)
}

/// Whether the word says that something is in what follows.
pub(crate) fn is_in(word: &str) -> bool {
    matches!(word, "em" | "no" | "na" | "nos" | "nas" | "num" | "numa" | "in" | "at" | "en")
}

/// Whether these words, the last of which comes first, say that somebody arrives in what follows: "cheguei ao", "we
/// landed at".
pub(crate) fn arrives_at<'w>(before: impl Iterator<Item = &'w str>) -> bool {
    before.take(4).any(|word| ARRIVING.contains(&word))
}

/// Whether these words, the last of which comes first, say how somebody travels: "voltar de", "get there by".
pub(crate) fn says_how_to_travel<'w>(mut before: impl Iterator<Item = &'w str>) -> bool {
    let travels = |word: &str| TRAVELLING.contains(&word);
    let Some(last) = before.next() else { return false };
    let is_preposition = matches!(last, "de" | "by" | "en" | "em" | "com" | "con" | "with");
    travels(last) || is_preposition && before.take(2).any(travels)
}

/// Whether these words, the last of which comes first and without articles, say that somebody goes home to what
/// follows: "voltar pra", "flying back to", "regresan a".
pub(crate) fn says_who_returns_to<'w>(before: impl Iterator<Item = &'w str>) -> bool {
    let leads_to = |word: &&str| matches!(*word, "pra" | "pro" | "para" | "p" | "to" | "hacia");
    before.skip_while(leads_to).take(2).any(|word| RETURNING.contains(&word))
}

/// Whether these words, the last of which comes first and without articles, say that something is beside what follows:
/// "atrás do", "next to".
pub(crate) fn says_beside_what<'w>(before: impl Iterator<Item = &'w str>) -> bool {
    let is_preposition =
        |word: &&str| matches!(*word, "de" | "do" | "da" | "del" | "of" | "to" | "from" | "ao" | "al");
    before.skip_while(is_preposition).take(1).any(|word| BESIDE.contains(&word))
}

/// Whether the word asks for another thing than one that is known.
pub(crate) fn asks_for_another(word: &str) -> bool {
    is_like(word) || ANOTHER.contains(&word)
}

/// Whether the word says that one thing is like another.
pub(crate) fn is_like(word: &str) -> bool {
    matches!(word, "parecida" | "parecidas" | "parecido" | "parecidos" | "similar" | "similares")
}

/// Words that ask for another thing, whether or not it is like the one that is known.
#[rustfmt::skip]
const ANOTHER: [&str; 16] = [
    "another", "diferente", "diferentes", "different", "else", "other", "others", "otra", "otras", "otro", "otros",
    "outra", "outras", "outro", "outros", "variar",
];

/// Whether the word joins things: "and", "or", "nor".
pub(crate) fn joins(word: &str) -> bool {
    matches!(word, "e" | "nem" | "and" | "nor" | "y" | "ni" | "ou" | "or")
}

/// Whether the word says that somebody comes from what follows.
pub(crate) fn is_from(word: &str) -> bool {
    matches!(word, "de" | "do" | "da" | "from" | "del")
}

/// Whether the word says that what follows is wanted and nothing else: "não come carne, só peixe".
pub(crate) fn means_only(word: &str) -> bool {
    matches!(word, "so" | "only" | "solo" | "apenas" | "somente" | "solamente")
}

/// Whether the word says that somebody waits for the year that follows to begin: "receber 2027", "welcome 2027".
pub(crate) fn welcomes_year(word: &str) -> bool {
    matches!(
        word,
        "entrar"
            | "entrada"
            | "receber"
            | "recebendo"
            | "virada"
            | "virar"
            | "saudar"
            | "chegada"
            | "welcome"
            | "welcoming"
            | "ring"
            | "ringing"
            | "greet"
            | "celebrate"
            | "recibir"
            | "comenzar"
            | "empezar"
    )
}

/// Whether the word may stand between such a word and the year: "entrar em 2027", "ring in 2027".
pub(crate) fn leads_to_year(word: &str) -> bool {
    is_in(word)
        || is_from(word)
        || matches!(word, "o" | "a" | "pra" | "para" | "pro" | "el" | "al" | "ao" | "the")
}

/// Whether what follows the word comes at another time: "depois da missa", "before the show".
pub(crate) fn is_of_another_time(word: &str) -> bool {
    matches!(word, "depois" | "antes" | "apos" | "despues" | "after" | "before")
}

/// Whether these words say of something else where it is, though they may also name a category: "live rock outdoors",
/// "an open-air bar".
pub(crate) fn says_indoors_or_out(words: &[&str]) -> bool {
    matches!(words, ["outdoor" | "outdoors" | "indoor" | "indoors" | "outside" | "inside"] | ["open", "air"])
}

/// Whether the word means that something is rented.
pub(crate) fn is_rental(word: &str) -> bool {
    matches!(word, "aluguel" | "rent" | "rental" | "alquiler")
}

/// Whether the word stands before the name of a street: "avenida W3 Sul", "Estrada Parque Taguatinga".
pub(crate) fn is_street(word: &str) -> bool {
    matches!(word, "avenida" | "av" | "rua" | "via" | "estrada" | "avenue" | "street" | "calle")
}

/// Whether the word means a shop and says nothing of what it sells.
pub(crate) fn is_shop(word: &str) -> bool {
    SHOPS.contains(&word)
}

/// Whether the number behind the word may be an age: "kids aged 5", "filhos de 4".
pub(crate) fn leads_to_age(word: &str) -> bool {
    matches!(word, "de" | "of" | "aged" | "age" | "ages" | "com" | "con" | "with")
}

/// Whether the word means what a restaurant serves, whatever it is: "comida japonesa", "Thai food".
pub(crate) fn means_food(word: &str) -> bool {
    matches!(word, "comida" | "comidas" | "cozinha" | "culinaria" | "cocina" | "food" | "cuisine" | "cooking")
}

/// Whether the word means what any record of some category is: "Niemeyer buildings", "planetarium session".
pub(crate) fn means_any_record(word: &str) -> bool {
    matches!(
        word,
        "building"
            | "buildings"
            | "edificio"
            | "edificios"
            | "predio"
            | "predios"
            | "session"
            | "sessions"
            | "sesion"
            | "venue"
            | "venues"
    )
}

/// Whether the word means a family, which also is who comes along.
pub(crate) fn means_family(word: &str) -> bool {
    matches!(word, "familia" | "familias" | "family" | "families" | "familiar" | "familiares")
}

/// Whether a number after the word counts: "top 5".
pub(crate) fn counts_after(word: &str) -> bool {
    matches!(word, "top" | "best" | "melhores" | "mejores" | "for" | "para" | "pra")
}

/// Whether a number of two digits after the word says how many come: "family of 5", "grupo de 15", "we are 4". One of
/// three digits is a superquadra.
pub(crate) fn counts_few_after(word: &str) -> bool {
    matches!(
        word,
        "of" | "de"
            | "are"
            | "re"
            | "somos"
            | "seremos"
            | "seriamos"
            | "estamos"
            | "vamos"
            | "unos"
            | "unas"
            | "uns"
            | "umas"
    )
}

/// Whether the word means something else in this language than its spelling does in another, which the guide knows:
/// Spanish "ferias" are fairs, and Portuguese "férias" holidays.
pub(crate) fn is_false_friend(word: &str, language: Language) -> bool {
    match word {
        "ferias" => language != Language::Spanish,
        // stones, and no music
        "rocks" => language == Language::English,
        _ => false,
    }
}

/// Whether a number before the word counts: "10 people", "3 horas".
pub(crate) fn counts_before(word: &str) -> bool {
    COUNTED.contains(&word)
}

/// Whether the word, beside a word for children, says how old they are.
pub(crate) fn is_of_small_children(word: &str) -> bool {
    matches!(
        word,
        "pequena"
            | "pequenas"
            | "pequeno"
            | "pequenos"
            | "menor"
            | "menores"
            | "small"
            | "little"
            | "young"
            | "younger"
            | "chico"
            | "chicos"
            | "chica"
            | "chicas"
    )
}

/// Whether the word means time that somebody has, which "livre" and "free" say is free: "uma hora livre", "free time".
pub(crate) fn is_spare_time(word: &str) -> bool {
    SPARE_TIME.contains(&word)
}

/// Whether the word can mean the whole territory.
pub(crate) fn means_town(word: &str) -> bool {
    matches!(word, "cidade" | "city" | "town" | "ciudad")
}

/// Whether the word, before "city" and an article, says that the city is meant in which somebody asks: "nesta cidade",
/// "around the city".
pub(crate) fn leads_to_town(word: &str) -> bool {
    matches!(
        word,
        "na" | "nesta" | "nessa" | "desta" | "dessa" | "pela" | "in" | "around" | "this" | "en" | "esta"
    )
}

/// Whether the word joins what something is of, with an article or before one.
pub(crate) fn is_of(word: &str) -> bool {
    is_from(word) || matches!(word, "of" | "das" | "dos")
}

/// Whether the word says that something is the most of all.
pub(crate) fn is_superlative(word: &str) -> bool {
    SUPERLATIVES.contains(&word)
}

/// Whether the word is an article, possessive or demonstrative in English.
pub(crate) fn is_english_determiner(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "this" | "that" | "my" | "our" | "your" | "his" | "her" | "their")
}

/// Whether the word means that something is taught.
pub(crate) fn is_lesson(word: &str) -> bool {
    LESSONS.contains(&word)
}

/// Whether the word is a definite article, perhaps with a preposition.
pub(crate) fn is_definite_article(word: &str) -> bool {
    DEFINITE_ARTICLES.contains(&word)
}

/// Whether the word is an article or a small number.
pub(crate) fn is_determiner(word: &str) -> bool {
    DETERMINERS.contains(&word) || is_number(word)
}

/// Whether the word is a number in digits.
pub(crate) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[rustfmt::skip]
const GENERIC_CATEGORIES: &[&str] = &[
    "show", "shows", "festa", "festas", "fiesta", "fiestas", "attraction", "attractions", "atracao", "atracoes",
    "atraccion", "atracciones", "concerto", "concertos", "passeio", "passeios", "passear", "paseo", "paseos", "pasear", "outing",
    "outings", "sightseeing", "venue", "venues",
];

#[rustfmt::skip]
const BEFORE_ADDITIONS: &[&str] = &[
    "com", "with", "con", "by", "minha", "meu", "minhas", "meus", "nossa", "nosso", "my", "our", "mi", "mis", "nuestro",
    "nuestra",
];

#[rustfmt::skip]
const OFFERING: &[&str] = &[
    "tem", "tenha", "vende", "venda", "serve", "sirva", "has", "sells", "serves", "tiene", "tenga", "sirve",
];

#[rustfmt::skip]
const ASKING: &[&str] = &[
    "qual", "quais", "quero", "queria", "queremos", "queriamos", "quer", "gostaria", "gostariamos", "precisamos",
    "procuramos", "buscamos", "quisieramos", "necesitamos", "gustaria", "procuro", "procurando", "busco", "buscando",
    "preciso", "tem", "which", "want", "wants", "need", "looking", "find", "cual", "cuales", "quiero", "quisiera",
    "necesito", "hay",
];

/// Verbs with which somebody is told to answer, and that say nothing of a place: "sugira livrarias", "dame bares".
#[rustfmt::skip]
pub(crate) const REQUESTS: &[&str] = &[
    "advise", "buscame", "busque", "busquem", "consigueme", "dame", "deme", "denme", "descubra", "descubram",
    "devolva", "devolvam", "digame", "dime", "elenque", "elija", "encuentrame", "enumerate", "enumere", "escolha",
    "escolham", "fetch", "forneca", "fornecam", "identify", "indica", "indicam", "indicame", "indique", "indiquem",
    "indiqueme", "liste", "listem", "localice", "localize", "localizem", "locate", "lookup", "muestrame", "obtenha",
    "pesquise", "pesquisem", "procure", "procurem", "propon", "proponga", "proponha", "recomenda", "recomendam",
    "recomende", "recomendem", "recomienda", "recomiendame", "recomiendan", "recomiendas", "recomiende",
    "recomiendeme", "recomienden", "recomiendenme", "recommend", "retorne", "retornem", "retrieve", "search",
    "seleccione", "selecione", "selecionem", "select", "sugere", "sugerem", "suggest", "sugiera", "sugieran",
    "sugiere", "sugiereme", "sugierenme", "sugira", "sugiram", "traeme", "ubique", "verifique",
];

#[rustfmt::skip]
const LIKING: &[&str] = &[
    "adora", "adoram", "adoro", "adoramos", "ama", "amam", "love", "loves", "likes", "encanta", "encantan",
];

#[rustfmt::skip]
const ATTENDING: &[&str] = &[
    "ver", "assistir", "ouvir", "escutar", "watch", "see", "hear", "listen", "mirar", "oir", "escuchar",
];

/// Words behind which stands where somebody arrives.
#[rustfmt::skip]
const ARRIVING: &[&str] = &[
    "chego", "cheguei", "chegamos", "chegando", "chegar", "desembarco", "desembarquei", "desembarcamos", "pousei", "pousamos",
    "llego", "llegue", "llegamos", "llegando", "llegar", "arrive", "arrived", "arriving", "landed", "landing",
];

/// Words for going, and for taking what one goes by.
#[rustfmt::skip]
const TRAVELLING: &[&str] = &[
    "ir", "vou", "vamos", "indo", "voltar", "volto", "voltamos", "chegar", "chego", "cheguei", "chegamos", "pegar", "pego", "chamar",
    "pedir", "go", "going", "get", "getting", "there", "come", "coming", "back", "home", "take", "taking", "call", "return", "volver",
    "vuelvo", "volvemos", "voy", "llegar", "llego", "llegamos", "tomar", "regresar",
];

/// Words behind which stands what something is beside.
#[rustfmt::skip]
const BESIDE: &[&str] = &[
    "perto", "pertinho", "proximo", "proxima", "lado", "atras", "frente", "acima", "abaixo", "near", "nearby", "close", "next",
    "beside", "behind", "opposite", "front", "across", "above", "below", "around", "cerca", "junto", "detras", "enfrente", "encima",
];

/// Words for going home.
#[rustfmt::skip]
const RETURNING: &[&str] = &[
    "volta", "voltam", "voltamos", "voltando", "voltar", "volto", "retorna", "retornam", "retornar", "retorno", "back", "return",
    "returning", "returns", "vuelta", "vuelve", "vuelven", "vuelvo", "volvemos", "volver", "regresa", "regresan", "regresamos",
    "regresar", "regreso",
];

#[rustfmt::skip]
const COUNTED: &[&str] = &[
    "people", "persons", "guests", "friends", "adults", "adult", "women", "men", "couples", "colleagues", "seats", "pessoas",
    "personas", "amigos", "amigas", "adultos", "adulto", "mulheres", "homens", "casais", "colegas", "convidados", "lugares",
    "parejas", "invitados", "hour", "hours", "hora", "horas", "minutes", "min", "minutos", "days", "dias", "weeks", "semanas",
    "months", "meses", "anos", "years", "year", "km", "options", "opcoes", "opciones",
];

#[rustfmt::skip]
const SPARE_TIME: &[&str] = &[
    "hora", "horas", "horinha", "horinhas", "minutos", "tempo", "tempinho", "manha", "tarde", "hour", "hours", "time", "minutes",
    "tiempo", "ratito", "rato", "manana",
];

/// Words before an amount of money: "até 50 reais".
#[rustfmt::skip]
pub(crate) const LIMITS: &[&str] = &[
    "ate", "por", "de", "menos", "abaixo", "maximo", "mais", "acima", "entre", "custe", "custa", "custando", "under", "below",
    "less", "than", "up", "to", "around", "about", "between", "over", "max", "hasta", "menor", "debajo", "alrededor", "for",
];

/// The letters of "R$" and "US$".
pub(crate) const SIGNS: &[&str] = &["r", "us"];

/// Numbers in words, as amounts have them.
#[rustfmt::skip]
pub(crate) const SPOKEN: &[&str] = &[
    "dez", "quinze", "vinte", "trinta", "quarenta", "cinquenta", "sessenta", "setenta", "oitenta", "noventa", "cem", "duzentos",
    "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "diez", "veinte", "treinta",
    "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa", "cien", "doscientos",
];

/// Words for money.
#[rustfmt::skip]
pub(crate) const CURRENCIES: &[&str] = &[
    "reais", "real", "reales", "brl", "conto", "contos", "pila", "pilas", "mangos", "pratas", "dollar", "dollars", "dolar", "dolares",
    "usd", "bucks", "euro", "euros", "pesos",
];

#[rustfmt::skip]
const SHOPS: &[&str] = &[
    "loja", "lojas", "lojinha", "lojinhas", "tienda", "tiendas", "shop", "shops", "store", "stores",
];

#[rustfmt::skip]
const LESSONS: &[&str] = &[
    "aula", "aulas", "curso", "cursos", "oficina", "oficinas", "class", "classes", "course", "courses", "lesson",
    "lessons", "workshop", "workshops", "clase", "clases", "taller", "talleres",
];

#[rustfmt::skip]
const SUPERLATIVES: &[&str] = &[
    "melhor", "melhores", "mejor", "mejores", "best", "top", "most", "maior", "maiores", "mais", "mas",
];

#[rustfmt::skip]
const DEFINITE_ARTICLES: &[&str] = &[
    "the", "o", "a", "os", "as", "ao", "aos", "do", "da", "dos", "das", "no", "na", "nos", "nas", "el", "la", "los", "las", "al", "del",
];

#[rustfmt::skip]
const DETERMINERS: &[&str] = &[
    "o", "a", "os", "as", "um", "uma", "uns", "umas", "the", "an", "el", "la", "los", "las", "un", "una", "dois", "duas",
    "tres", "quatro", "cinco", "two", "three", "four", "five", "cuatro",
];

/// Words that are skipped ("onde", "near", "melhor") unless the whole text is the name of a record. Sorted.
#[rustfmt::skip]
pub(crate) const STOP_WORDS: &[&str] = &[
    "a", "about", "acabamos", "acabei", "acabo", "accept", "accepts", "aceita", "aceitam", "aceite", "acepta",
    "aceptan", "achar", "ache", "achem", "acho", "acontece", "acontecem", "acontecendo", "actividad", "actividades",
    "activities", "activity", "address", "admite", "admiten", "adonde", "adora", "adoram", "adoramos", "adorei",
    "adoro", "ae", "aff", "afim", "agenda", "agr", "ahi", "ahorita", "ai", "ainda", "ajuda", "ajude", "ajudem", "aki",
    "al", "algo", "alguem", "alguien", "algum", "alguma", "algumas", "algun", "alguna", "algunas", "alguno", "algunos",
    "alguns", "ali", "all", "allow", "allowed", "allows", "alojada", "alojado", "alojados", "along", "also",
    "although", "am", "ama", "amam", "amei", "an", "another", "antes", "any", "anything", "anywhere", "ao", "aonde",
    "aos", "apenas", "apos", "aq", "aquel", "aquela", "aquelas", "aquele", "aqueles", "aquella", "aquellas", "aquello",
    "aquellos", "aqui", "aquilo", "are", "around", "arrive", "arrived", "arriving", "as", "asap", "asi", "ask",
    "asked", "asking", "asks", "assim", "assistir", "at", "ate", "atividade", "atividades", "atras", "attend",
    "aunque", "ayuda", "ayudame", "bacana", "backpack", "backpacks", "bagagem", "bateu", "be", "beautiful", "became",
    "because", "been", "before", "begin", "beginning", "begins", "bem", "best", "blz", "boa", "boas", "bom", "bonita",
    "bonitas", "bonito", "bonitos", "bons", "bora", "both", "brigada", "brigado", "btw", "buen", "buena", "buenas",
    "bueno", "buenos", "busca", "buscamos", "buscando", "buscar", "busco", "but", "by", "cada", "cade", "cae", "caem",
    "caen", "cai",
    "can", "cause", "celebra", "celebram", "celebran", "celebrar", "celebrate", "celebrated", "cerca", "chama",
    "chamam", "chegamos", "chegar", "chego", "cheguei", "choose", "cinco", "close", "cmg", "coisa", "coisas", "com",
    "comeca",
    "comecam", "comecando", "comecar", "comece", "comecem", "comemora", "comemoram", "comemorar", "comigo", "coming",
    "como", "comparado", "comparar", "compare", "comprando", "con", "conexao", "conhece", "conhecer", "conocer",
    "cosa", "cosas", "costuma", "could", "craving", "cual", "cuales", "cuando", "cuanto", "cuatro", "cuesta",
    "cuestan", "curtir", "dale", "daquela", "daquelas", "daquele", "daqueles", "day", "days", "del", "dela", "delas",
    "dele", "deles", "demais", "dentro", "depois", "desce", "descer", "desco", "desembarcamos", "desembarcar",
    "desembarco", "desembarquei", "despues", "dessa", "dessas", "desse", "desses", "deve", "devuelva", "devuelve", "dez",
    "dia", "dias",
    "dica", "dicas", "diga", "dijeron", "direccion", "discover", "disso", "disto", "dizer", "does", "doing", "dois", "donde",
    "dps", "duas",
    "during", "each", "eae", "eight", "eita", "either", "el", "ela", "elas", "ele", "elegir", "eles", "elige", "ella",
    "ellas", "ellos",
    "else", "em", "empiece", "empiecen", "empieza", "empiezan", "en", "encanta", "encantan", "encontrar", "encontre",
    "encontrem", "encuentra", "encuentre", "encuentren",
    "endereco", "enderecos", "enjoamos", "enjoei", "enjoy", "enjoys", "enquanto", "entao", "entonces", "entrar",
    "entre", "entretanto", "enumera", "enumerar", "equipaje", "era", "es", "esa", "esas", "escolher", "escutar", "ese",
    "eso", "esos", "especiais",
    "especial", "especiales", "essa", "essas", "esse", "esses", "esta", "estan", "estao", "estar", "estas", "este",
    "esteja", "estejam", "esten", "estes", "esto", "estos", "estou", "estoy", "eu", "event", "evento", "eventos",
    "events", "every", "everybody", "everyone", "everything", "exist", "existe", "existem", "existen", "exists",
    "extrano", "faco", "fala", "falaram", "famosa", "famosas", "famoso", "famosos", "famous", "favor", "faz", "fazem",
    "fazemos", "fazer", "fez", "fica", "ficam", "ficando", "ficar", "find", "fique", "fiquem", "five", "foi", "folks",
    "for", "fosse", "four", "friendly", "from", "fue", "fui", "funcione", "funcionem", "galera", "gelada", "geladas",
    "geladinha", "geladinho", "gelado", "gelados", "gente", "get", "getting", "give", "go", "going", "gonna", "good",
    "gosta", "gostamos", "gostaria", "gostariamos", "gostei", "gosto", "got", "gotta", "grab", "gracias", "great",
    "gustaria", "guys", "ha", "hablaron", "hacemos", "hacer", "hago", "haha", "hahaha", "happening", "has", "have",
    "having", "hay", "he", "hear", "hein", "hello", "help", "her", "here", "hey", "hi", "him", "his", "hola", "hora",
    "horas", "hospedada", "hospedadas", "hospedado", "hospedados", "hour", "hours", "how", "hr", "hrs", "i", "ideally",
    "idk", "if", "im", "imperdible", "imperdibles", "imperdiveis", "imperdivel", "in", "indicacao",
    "indicacoes", "indicar", "informa", "informacao", "informacoes", "informar", "informe", "inside", "instead",
    "interesante", "interesantes", "interessante", "interessantes", "interesting", "ir", "is", "isso", "isto", "it",
    "itinerario", "itinerary", "its", "ja", "just", "kd", "kinda", "kkk", "kkkk", "kkkkk", "know", "la", "lados",
    "landed", "landing", "las", "later", "layover", "le", "legais", "legal", "les", "levar", "levo", "lhe", "like",
    "likes", "linda", "lindas", "lindo", "lindos", "list", "lista", "listar", "listas", "listen", "llama",
    "llaman", "llegamos", "llegando", "llegar", "llego", "llegue", "lo", "locais", "local", "locales", "localiza",
    "localizacao", "localizar",
    "locals", "located", "location", "logo", "lol", "looking", "los", "love", "loves", "lugar", "lugares",
    "lugarzinho", "luggage", "made", "main", "mais", "make", "mala", "malas", "maleta", "maletas", "many", "mas",
    "massa", "mds", "me", "mejor", "mejores", "melhor", "melhores", "mensais", "mensal", "mensual", "mensuales", "mentioned",
    "mes", "meses", "mesmo", "meu", "meus", "mi", "mientras", "might", "mim", "minha", "minhas", "mis", "mismo",
    "mochila", "mochilas", "moment", "momento", "month", "monthly", "months", "mora", "moradores", "moramos", "more",
    "moro", "morrendo", "most", "mostrar", "mostre", "mostrem", "msm", "mt", "mta", "mto", "muchas", "mucho", "muchos",
    "muestre", "muestren", "muita",
    "muitas", "muito", "muitos", "must", "muy", "my", "na", "name", "naquela", "naquelas", "naquele", "naqueles",
    "nas", "ne", "near", "nearby", "necesitamos", "necesito", "need", "neh", "nem", "nenhum", "nenhuma", "nessa",
    "nesse", "nesta", "neste", "next", "ni", "nice", "nine", "ningun", "ninguna", "ninguno", "nisso", "no", "nomas",
    "nos", "nosotros", "nossa", "nosso", "nove", "num", "numa", "o", "obg", "obrigada", "obrigado", "oi", "oii",
    "oiii", "oito", "ok", "okay", "ola", "olha", "omg", "on", "onde", "one", "ones", "only", "opa", "opcao", "opcoes",
    "option", "options", "oq", "or", "os", "other", "others", "otima", "otimo", "otimos", "otra", "otras", "otro",
    "otros", "ou", "our", "out", "outra", "outras", "outro", "outros", "ouvir", "oye", "p", "pagando", "para",
    "parece", "parecem", "parecen", "parecida", "parecidas", "parecido", "parecidos", "partiu", "pasando", "passar",
    "passear", "pede", "pedir", "pediu", "pela", "pelas", "pelo", "pelos", "permite", "permitem", "permiten",
    "permitido", "pero", "pertinho", "perto", "pesquisar", "pessoal", "pfv", "place", "places", "please", "pls", "plz",
    "pode",
    "podem", "podemos", "pois", "popular", "por", "porem", "porfa", "porque", "portanto", "possible", "posso",
    "pouring", "povo", "poxa", "pq", "pra", "pras", "precisa", "precisamos", "preciso", "prefer", "preferably",
    "preferencia", "preferred", "prefiro", "pro", "procura", "procuramos", "procurando", "procurar", "procuro",
    "programa", "programacao", "programas", "proper", "pros", "provide", "proxima", "proximo", "puede", "puedo", "pues", "q",
    "qdo", "qnd", "qro", "qto", "quais", "qual", "qualquer", "quando", "quatro", "que", "quede", "queden", "quem",
    "quer", "querem", "queremos", "querendo", "queria", "queriamos", "queriendo", "quero", "quick", "quickie",
    "quickly", "quien", "quiere", "quieren", "quieres", "quiero", "quiser", "quisiera", "quisieramos", "rapidamente",
    "rapidinho", "rapidito", "rapido", "rather", "really", "recem", "recien", "recomendacao",
    "recomendacion", "recomendaciones", "recomendacoes", "recomendar",
    "recommendation", "recommendations", "recommended", "recorrente", "recorrentes", "recurrente", "recurrentes",
    "recurring", "return", "right", "rola", "rolando", "role", "roles", "rolezinho", "roteiro", "roteiros", "rs", "rsrs",
    "sabe",
    "saber", "saindo", "sair", "sao", "se", "sea", "sean", "see", "seguinte", "seis", "seja", "sejam", "selecciona",
    "seleccionar", "selecionar", "semanais",
    "semanal", "semanales", "sempre", "sencilla", "sencillo", "ser", "serve", "serves", "serving", "sessao", "sessoes",
    "sete", "seu", "seus", "seven", "she", "should", "siguiente", "siguientes", "similar", "similares", "simple",
    "simples", "sitio", "sitios", "six", "smth", "so", "sobre", "solamente", "some", "somente", "someone", "something",
    "somewhere", "somos", "son", "sorprendeme", "sorta", "sou", "soy", "special", "spot", "spots", "start", "starting",
    "starts", "staying", "still", "stopover", "stuck", "stuff", "su", "sua", "suas", "sugerencia", "sugerir",
    "sugestao", "sugestoes", "suggestion", "suggestions", "suitcase", "suitcases", "surpreenda", "surprise",
    "sus", "ta", "take", "tal", "tambem", "tan", "tao", "tava", "tb", "tbm", "tds", "te", "tell", "tem", "tempo",
    "ten", "tenemos", "tengo", "tenho", "tens", "ter", "tera", "teu", "than", "thanks", "that", "their", "them",
    "then", "there", "these", "they", "thing", "things", "this", "those", "though", "three", "thx", "tiempo", "tiene",
    "time", "tip", "tipo", "tips", "tks", "tmb", "to", "tocando", "toda", "todas", "todo", "todos", "told", "tomamos",
    "tomando", "tomar", "tomo", "too", "top", "trae", "traga", "tragam", "traiga", "tres", "try", "tu", "tua", "tudo",
    "turma", "tus", "two", "ubica", "ubicacion",
    "um", "uma", "umas", "un", "una", "unas", "unmissable", "uno", "unos", "uns", "upcoming", "us", "use", "user",
    "users", "uses", "usuario", "usuarios", "vai", "valeu", "vamos", "vao", "variar", "vc", "vcs", "vei", "vem",
    "vende", "vendem", "venden", "vengo", "venho", "ver", "very", "vez", "vindo", "viramos", "virei", "virou", "visit",
    "visitar", "vlw", "voce", "voces", "voltar", "volver", "volvio", "vontade", "vou", "voy", "wanna", "want", "wants",
    "was", "watch", "we", "weekly", "welcome", "well", "were", "what", "whats", "when", "where", "which", "while",
    "who", "whole", "will", "with", "within", "would", "xq", "y", "ya", "yo", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_no_duplicates() {
        assert!(
            STOP_WORDS.windows(2).all(|pair| pair[0] < pair[1]),
            "{:?}",
            STOP_WORDS.windows(2).find(|pair| pair[0] >= pair[1])
        );
    }
}
