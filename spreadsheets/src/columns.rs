//! The columns of the two sheets: their names in Portuguese and English, and how the template explains them.

use std::sync::LazyLock;

use snapshots::File;

use crate::problem::Lang;
use crate::text::fold;

/// The sheet of a template that holds its lists, which is hidden.
pub(crate) const LISTS: &str = "Listas";

/// The fewest letters of a header that may be a misspelt name: "arte" is not "até", nor "idade" "cidade".
const GUESSED: usize = 6;

/// What a sheet lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SheetKind {
    /// Places.
    Places,
    /// Events.
    Events,
}

impl SheetKind {
    /// Both kinds.
    pub const BOTH: [SheetKind; 2] = [SheetKind::Places, SheetKind::Events];

    /// The file of a folder that lists its records.
    pub fn file(self) -> File {
        match self {
            SheetKind::Places => File::Places,
            SheetKind::Events => File::Events,
        }
    }
}

/// A column that is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Column {
    Id,
    Name,
    Category,
    Also,
    Date,
    EndDate,
    Repeat,
    Except,
    Until,
    StartTime,
    EndTime,
    Venue,
    Place,
    Neighbourhood,
    Region,
    Address,
    Status,
    Cancelled,
    Postponed,
    SoldOut,
    Style,
    Price,
    Free,
    Lineup,
    Tickets,
    Instagram,
    Website,
    InstagramLink,
    TicketLink,
    MapLink,
    DescriptionPt,
    DescriptionEn,
    Mentions,
    Uau,
    Aliases,
    Lat,
    Lon,
    Precision,
    Hidden,
    ShowFrom,
    ShowUntil,
    Note,
}

/// A column and its names.
pub(crate) struct Header {
    pub(crate) column: Column,
    kinds: &'static [SheetKind],
    /// The name in the template.
    pub(crate) pt: &'static str,
    pub(crate) en: &'static str,
    others: &'static [&'static str],
    /// The explanation below the header of the template; empty of what the template does not have.
    pub(crate) explained: &'static str,
    /// The field of the record that it fills, by which `check` names it.
    pub(crate) field: &'static str,
}

const PLACES: &[SheetKind] = &[SheetKind::Places];
const EVENTS: &[SheetKind] = &[SheetKind::Events];
const BOTH: &[SheetKind] = &SheetKind::BOTH;

/// All columns, in the order of the template. Names are folded before they are compared.
#[rustfmt::skip]
const HEADERS: &[Header] = &[
    Header { column: Column::Name, kinds: BOTH, pt: "nome", en: "name", field: "name",
        others: &["titulo", "title", "nome do evento", "nome do lugar", "event", "evento", "o que", "atividade", "nombre"],
        explained: "Obrigatório. O nome, como deve aparecer." },
    Header { column: Column::Category, kinds: BOTH, pt: "categoria", en: "category", field: "category",
        others: &["tipo", "type", "genero", "tipo de evento", "tipo de lugar", "categoria principal"],
        explained: "Obrigatório. Escolha da lista." },
    Header { column: Column::Also, kinds: BOTH, pt: "outras categorias", en: "also", field: "also",
        others: &["mais categorias", "other categories", "tags", "categorias", "tambem", "categoria 2", "subcategoria", "further categories"],
        explained: "Outras categorias, separadas por vírgula. Só servem para a busca." },
    Header { column: Column::Date, kinds: EVENTS, pt: "data", en: "date", field: "date",
        others: &["dia", "datas", "dias", "quando", "day", "when", "data inicial", "data de inicio", "data inicio", "start date", "data do evento", "data e hora", "data hora", "data e horario", "date and time", "fecha"],
        explained: "O dia: 05/12/2026. Vários: 5, 12 e 19/12/2026. Vários seguidos: 05 a 08/12/2026." },
    Header { column: Column::EndDate, kinds: EVENTS, pt: "data final", en: "end_date", field: "end_date",
        others: &["data fim", "data de termino", "data termino", "ultimo dia", "end date", "termina em", "fim", "data de fim", "last day", "ate o dia"],
        explained: "O último dia, se dura vários." },
    Header { column: Column::Repeat, kinds: EVENTS, pt: "repete", en: "repeat", field: "repeat",
        others: &["repeticao", "recorrencia", "frequencia", "repeats", "recurrence", "periodicidade", "se repete"],
        explained: "Como se repete: toda sexta; 1º sábado do mês; todo dia 25; de segunda a sexta; quinzenal (precisa da data)." },
    Header { column: Column::Except, kinds: EVENTS, pt: "exceto", en: "except", field: "repeat.except",
        others: &["menos", "excecoes", "excecao", "nao acontece em", "exceptions"],
        explained: "Dias em que não acontece, se repete: 25/12/2026." },
    Header { column: Column::Until, kinds: EVENTS, pt: "repete até", en: "until", field: "repeat.until",
        others: &["ate", "repeat until", "ultima vez", "repeats until"],
        explained: "O último dia da repetição: 30/03/2027." },
    Header { column: Column::StartTime, kinds: EVENTS, pt: "horário", en: "start_time", field: "start_time",
        others: &["hora", "inicio", "hora inicio", "hora de inicio", "time", "start time", "start", "comeca", "horarios", "hora inicial", "que horas", "horario inicial", "horario inicio", "horario de inicio"],
        explained: "19h30, ou 19h às 22h. Várias sessões: 16h e 20h." },
    Header { column: Column::EndTime, kinds: EVENTS, pt: "hora final", en: "end_time", field: "end_time",
        others: &["hora fim", "termino", "hora de termino", "end time", "end", "ends", "horario final", "horario fim", "horario de termino"],
        explained: "Quando termina: 22h." },
    Header { column: Column::Venue, kinds: EVENTS, pt: "local", en: "venue", field: "venue",
        others: &["onde", "lugar", "casa", "espaco", "where", "place name", "local do evento", "nome do local"],
        explained: "Onde acontece. Com o nome exato de um lugar do guia, o bairro e a região vêm dele." },
    Header { column: Column::Place, kinds: EVENTS, pt: "lugar do guia", en: "place", field: "place",
        others: &["id do lugar", "place id", "place_id", "id do local"],
        explained: "O id ou o nome do lugar do guia em que acontece, se o local tem outro nome." },
    Header { column: Column::Neighbourhood, kinds: BOTH, pt: "bairro", en: "neighbourhood", field: "neighbourhood",
        others: &["neighborhood", "setor", "localidade", "barrio"],
        explained: "Escolha da lista. Com o bairro, a região não precisa." },
    Header { column: Column::Region, kinds: BOTH, pt: "região", en: "region", field: "region",
        others: &["regiao administrativa", "ra", "cidade", "area", "cidade satelite", "administrative region", "city"],
        explained: "A região administrativa. Obrigatória se não há bairro." },
    Header { column: Column::Address, kinds: BOTH, pt: "endereço", en: "address", field: "address",
        others: &["rua", "localizacao", "location", "logradouro", "direccion"],
        explained: "O endereço completo: CLN 408, bloco B, loja 12." },
    Header { column: Column::Status, kinds: EVENTS, pt: "situação", en: "status", field: "status",
        others: &["estado", "state"],
        explained: "Vazio, ou: cancelado, adiado, esgotado." },
    Header { column: Column::Cancelled, kinds: EVENTS, pt: "cancelado", en: "cancelled", field: "status",
        others: &["cancelada", "canceled", "cancelados", "evento cancelado", "foi cancelado"], explained: "" },
    Header { column: Column::Postponed, kinds: EVENTS, pt: "adiado", en: "postponed", field: "status",
        others: &["adiada", "adiados", "evento adiado", "foi adiado"], explained: "" },
    Header { column: Column::SoldOut, kinds: EVENTS, pt: "esgotado", en: "sold_out", field: "status",
        others: &["esgotada", "esgotados", "ingressos esgotados", "lotado"], explained: "" },
    Header { column: Column::Style, kinds: PLACES, pt: "estilo", en: "style", field: "style",
        others: &["tipo de casa", "especialidade", "cozinha", "em poucas palavras"],
        explained: "Em poucas palavras: samba às sextas; hambúrguer artesanal." },
    Header { column: Column::Price, kinds: BOTH, pt: "preço", en: "price", field: "price",
        others: &["valor", "valor do ingresso", "preco do ingresso", "valor da entrada", "preco da entrada", "entrada", "couvert", "custo", "precos", "faixa de preco", "quanto", "cost", "precio"],
        explained: "Texto livre: R$ 20 a R$ 40. Se não custa nada: grátis." },
    Header { column: Column::Free, kinds: BOTH, pt: "grátis", en: "free", field: "free",
        others: &["gratuito", "entrada franca", "e gratis", "entrada gratuita", "free entry"],
        explained: "sim, se a entrada não custa nada." },
    Header { column: Column::Lineup, kinds: EVENTS, pt: "atrações", en: "lineup", field: "lineup",
        others: &["line-up", "line up", "artistas", "programacao", "artists", "elenco", "bandas"],
        explained: "Quem se apresenta." },
    Header { column: Column::Tickets, kinds: EVENTS, pt: "ingressos", en: "tickets", field: "tickets",
        others: &["bilheteria", "como comprar", "ingresso", "venda"],
        explained: "Onde e como comprar: na bilheteria, uma hora antes." },
    Header { column: Column::Instagram, kinds: BOTH, pt: "instagram", en: "instagram", field: "instagram",
        others: &["insta", "ig", "perfil", "perfil do instagram", "@"],
        explained: "O perfil, sem @: bardaesquina." },
    Header { column: Column::Website, kinds: BOTH, pt: "site", en: "website", field: "links.website",
        others: &["pagina", "web", "link", "url", "homepage", "links.website", "sitio", "site (link)", "site (url)"],
        explained: "O endereço da página: https://..." },
    Header { column: Column::InstagramLink, kinds: BOTH, pt: "link do instagram", en: "instagram_link", field: "links.instagram",
        others: &["instagram link", "links.instagram", "post", "publicacao"],
        explained: "O link de uma publicação ou do perfil." },
    Header { column: Column::TicketLink, kinds: BOTH, pt: "link de ingressos", en: "ticket_link", field: "links.tickets",
        others: &["ticket link", "links.tickets", "sympla", "link ingressos", "link dos ingressos", "comprar", "ingressos (link)", "ingresso (link)"],
        explained: "Onde comprar na internet: https://..." },
    Header { column: Column::MapLink, kinds: BOTH, pt: "mapa", en: "google_maps", field: "links.google_maps",
        others: &["google maps", "maps", "link do mapa", "links.google_maps", "map", "map link"],
        explained: "O link do Google Maps." },
    Header { column: Column::DescriptionPt, kinds: PLACES, pt: "descrição", en: "description_pt", field: "description.pt",
        others: &["descricao pt", "descricao em portugues", "description.pt", "texto", "sobre", "description pt"],
        explained: "Um texto em português. Precisa também do inglês." },
    Header { column: Column::DescriptionEn, kinds: PLACES, pt: "descrição em inglês", en: "description_en", field: "description.en",
        others: &["descricao en", "descricao ingles", "description", "description.en", "description en", "english description"],
        explained: "O mesmo texto em inglês." },
    Header { column: Column::Mentions, kinds: PLACES, pt: "menções", en: "mentions", field: "mentions",
        others: &["quantas mencoes", "numero de mencoes", "citacoes"],
        explained: "Quantas vezes o lugar é citado; os mais citados vêm primeiro." },
    Header { column: Column::Uau, kinds: BOTH, pt: "uau", en: "wow", field: "uau",
        others: &["selo", "selo uau", "destaque", "highlight"],
        explained: "sim, para o selo de qualidade." },
    Header { column: Column::Aliases, kinds: BOTH, pt: "outros nomes", en: "aliases", field: "aliases",
        others: &["apelidos", "apelido", "aka", "other names", "tambem conhecido como", "nickname"],
        explained: "Outros nomes que as pessoas usam, separados por vírgula." },
    Header { column: Column::Lat, kinds: BOTH, pt: "latitude", en: "lat", field: "position.lat",
        others: &["coordenadas", "posicao", "position", "coordinates", "gps", "lat/lon"],
        explained: "Onde fica, se o endereço não basta: -15,79062." },
    Header { column: Column::Lon, kinds: BOTH, pt: "longitude", en: "lon", field: "position.lon",
        others: &["lng", "long"],
        explained: "-47,89298." },
    Header { column: Column::Precision, kinds: BOTH, pt: "precisão", en: "precision_m", field: "position.precision_m",
        others: &["precisao em metros", "precision", "precisao (m)"],
        explained: "A quantos metros a posição está certa." },
    Header { column: Column::Hidden, kinds: BOTH, pt: "oculto", en: "hidden", field: "hidden",
        others: &["esconder", "escondido", "ocultar", "hide", "nao mostrar"],
        explained: "sim: fica na planilha e não aparece no guia." },
    Header { column: Column::ShowFrom, kinds: BOTH, pt: "mostrar a partir de", en: "show_from", field: "show_from",
        others: &["mostrar de", "show from", "publicar em", "aparece em"],
        explained: "Só aparece a partir deste dia." },
    Header { column: Column::ShowUntil, kinds: BOTH, pt: "mostrar até", en: "show_until", field: "show_until",
        others: &["show until", "some em", "aparece ate"],
        explained: "Só aparece até este dia." },
    Header { column: Column::Note, kinds: BOTH, pt: "nota", en: "note", field: "note",
        others: &["notas", "notes", "observacao", "observacoes", "obs", "anotacao", "comentario", "nota interna"],
        explained: "Para quem cuida da planilha. Nunca aparece no guia." },
    Header { column: Column::Id, kinds: BOTH, pt: "id", en: "id", field: "id",
        others: &["codigo", "identificador", "slug"],
        explained: "Deixe vazio: é preenchido sozinho, e não muda mais." },
];

impl Header {
    /// Whether sheets of a kind have it.
    pub(crate) fn is_of(&self, kind: SheetKind) -> bool {
        self.kinds.contains(&kind)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.pt, self.en].into_iter().chain(self.others.iter().copied())
    }
}

impl Column {
    /// Whether its text is shown in the guide as it stands. What is no price is known of prices too.
    pub(crate) fn is_published_text(self) -> bool {
        matches!(
            self,
            Self::Name
                | Self::Venue
                | Self::Address
                | Self::Style
                | Self::Lineup
                | Self::Tickets
                | Self::DescriptionPt
                | Self::DescriptionEn
                | Self::Aliases
        )
    }

    /// The field of the record that it fills.
    pub(crate) fn field(self) -> &'static str {
        HEADERS.iter().find(|header| header.column == self).map_or("", |header| header.field)
    }
}

/// The name of the column that fills a field, such as `links.website` or `sessions`; the field when none does.
pub(crate) fn name_of(field: &str, lang: Lang) -> &str {
    let field = if field.starts_with("sessions") { "start_time" } else { field };
    let exact = HEADERS.iter().find(|header| header.field == field);
    let first = |field: &'static str| field.split('.').next();
    let found =
        exact.or_else(|| HEADERS.iter().find(|header| first(header.field) == field.split('.').next()));
    found.map_or(field, |header| lang.pick(header.pt, header.en))
}

/// The columns of a kind that a template has, in its order.
pub(crate) fn in_template(kind: SheetKind) -> impl Iterator<Item = &'static Header> {
    headers(kind).filter(|header| !header.explained.is_empty())
}

/// The columns of a kind.
pub(crate) fn headers(kind: SheetKind) -> impl Iterator<Item = &'static Header> {
    HEADERS.iter().filter(move |header| header.is_of(kind))
}

/// Whether a text is the explanation of a column, as the template has it in its second row.
pub(crate) fn is_explanation(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && HEADERS.iter().any(|header| header.explained == text)
}

/// How a header was recognized.
pub(crate) enum Recognized {
    /// By one of its names.
    Exactly(&'static Header),
    /// By a near spelling, or without what stands in brackets.
    Nearly(&'static Header),
    /// It is a column of the other kind of sheet.
    OfOtherKind,
    /// Not at all; the nearest name, if one is at all near.
    Unknown(Option<&'static str>),
}

/// What brackets hold that says nothing of the meaning of a column: units, formats, remarks to whoever fills it in.
const REMARKS: &[&str] = &[
    "r",
    "rs",
    "brl",
    "reais",
    "em reais",
    "opcional",
    "optional",
    "obrigatorio",
    "obrigatoria",
    "required",
    "se houver",
    "se tiver",
    "if any",
    "sim nao",
    "sim ou nao",
    "s n",
    "yes no",
    "y n",
    "x",
    "m",
    "metros",
    "em metros",
    "texto",
    "text",
    "texto livre",
    "hora",
    "data",
    "https",
    "sem",
    "com",
    "arroba",
    "lista",
    "novo",
    "new",
];

/// Words in brackets that make a column of days or hours the one of their end.
const END: &[&str] =
    &["fim", "final", "termino", "end", "ends", "encerramento", "encerra", "termina", "saida"];

/// Words in brackets that say that days or hours are those of the beginning.
const BEGIN: &[&str] = &["inicio", "inicial", "start", "begin", "starts", "comeco", "comeca", "abertura"];

/// The words of a name without accents, case and punctuation; those that only connect say nothing.
fn words(folded: &str) -> String {
    let spaced: String =
        folded.chars().map(|c| if c.is_alphanumeric() || c == '@' { c } else { ' ' }).collect();
    let kept = spaced.split_whitespace().filter(|word| !["de", "do", "da", "of", "the"].contains(word));
    kept.collect::<Vec<_>>().join(" ")
}

/// Whether what brackets hold says nothing of the meaning of a column: "(R$)", "(hh:mm)", "(ex.: 05/12)".
fn is_remark(folded: &str) -> bool {
    let said = words(folded);
    let is_format = said.chars().all(|c| " dmyahs".contains(c) || c.is_ascii_digit());
    is_format
        || REMARKS.contains(&&*said)
        || ["ex ", "exemplo ", "e g "].iter().any(|word| said.starts_with(word))
}

/// A header as it is compared: its words without brackets, and those in them, but for remarks.
struct Typed {
    outside: String,
    inside: String,
    /// All words, in their order.
    all: String,
}

impl Typed {
    fn of(name: &str) -> Self {
        let folded = fold(name).replace(['[', '{'], "(").replace([']', '}'], ")");
        let (mut outside, mut inside, mut all) = (String::new(), String::new(), String::new());
        let mut rest = &*folded;
        while let Some((before, after)) = rest.split_once('(') {
            let (within, after) = after.split_once(')').unwrap_or((after, ""));
            outside = format!("{outside} {before}");
            all = format!("{all} {before}");
            if !is_remark(within) {
                inside = format!("{inside} {within}");
                all = format!("{all} {within}");
            }
            rest = after;
        }
        Self {
            outside: words(&format!("{outside} {rest}")),
            inside: words(&inside),
            all: words(&format!("{all} {rest}")),
        }
    }

    /// The column that the words outside of brackets name, where those inside say whether it is the begin or the end.
    fn of_begin_or_end(&self, kind: SheetKind) -> Option<&'static Header> {
        let header = named(&self.outside, kind)?;
        let end = match header.column {
            Column::Date => Column::EndDate,
            Column::StartTime => Column::EndTime,
            Column::EndDate | Column::EndTime => header.column,
            _ => return None,
        };
        let is = |words: &[&str]| words.contains(&&*self.inside);
        let column = if is(END) { end } else { header.column };
        if is(END) || is(BEGIN) && column != end {
            headers(kind).find(|one| one.column == column)
        } else {
            None
        }
    }
}

/// The name by which columns are compared: "Endereço:", "preço (R$)" and "start_time *" have those of their columns.
fn key(name: &str) -> String {
    Typed::of(name).all
}

/// Every name of every column as names are compared. They are compared with each cell of the rows that may be headers.
static NAMES: LazyLock<Vec<(String, &'static Header)>> = LazyLock::new(|| {
    HEADERS.iter().flat_map(|header| header.names().map(move |name| (key(name), header))).collect()
});

/// The names of the columns of a kind.
fn names(kind: SheetKind) -> impl Iterator<Item = &'static (String, &'static Header)> {
    NAMES.iter().filter(move |(_, header)| header.is_of(kind))
}

/// The column of a kind that has a name.
fn named(key: &str, kind: SheetKind) -> Option<&'static Header> {
    names(kind).find(|(name, _)| name == key).map(|(_, header)| *header)
}

/// The column that a header names.
pub(crate) fn recognize(typed: &str, kind: SheetKind) -> Recognized {
    let typed = Typed::of(typed);
    if let Some(header) = named(&typed.all, kind).or_else(|| typed.of_begin_or_end(kind)) {
        return Recognized::Exactly(header);
    }
    if NAMES.iter().any(|(name, _)| *name == typed.all) {
        return Recognized::OfOtherKind;
    }
    if let Some(header) = named(&typed.outside, kind).filter(|_| typed.outside != typed.all) {
        // "data (cadastro)" is another day than that of the event
        let is_another = [Column::Date, Column::EndDate, Column::StartTime, Column::EndTime];
        return if is_another.contains(&header.column) {
            Recognized::Unknown(Some(header.pt))
        } else {
            Recognized::Nearly(header)
        };
    }
    let typed = typed.all;
    let near = names(kind).filter(|(name, _)| name.chars().next() == typed.chars().next());
    let distances = near.map(|(name, header)| (strsim::osa_distance(&typed, name), header));
    let letters = typed.chars().count();
    let nearest = distances.min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((distance, header)) if letters >= GUESSED && distance <= letters / 4 => {
            Recognized::Nearly(header)
        }
        Some((distance, header)) if letters > 4 && distance <= letters / 3 => {
            Recognized::Unknown(Some(header.pt))
        }
        _ => Recognized::Unknown(containing(&typed, kind)),
    }
}

/// The column whose name is among the words of a header: "data do show". Short words are in too many.
fn containing(typed: &str, kind: SheetKind) -> Option<&'static str> {
    let apart = |text: &str| format!(" {text} ");
    let is_in = |name: &str| name.chars().count() >= 4 && apart(typed).contains(&apart(name));
    let found = names(kind).filter(|(name, _)| is_in(name));
    found.max_by_key(|(name, _)| name.len()).map(|(_, header)| header.pt)
}

/// Whether a sheet is named as one that only shows how to fill in others, or that is not finished: "Modelo", "Eventos
/// (exemplo)", "Rascunho".
pub(crate) fn is_sample(name: &str) -> bool {
    let named = [
        "modelo",
        "modelos",
        "exemplo",
        "exemplos",
        "template",
        "example",
        "examples",
        "sample",
        "rascunho",
        "rascunhos",
        "draft",
        "drafts",
    ];
    fold(name).split(|c: char| !c.is_alphanumeric()).any(|word| named.contains(&word))
}

/// The kind that the name of a sheet or file says.
pub(crate) fn kind_of_name(name: &str) -> Option<SheetKind> {
    let name = fold(name);
    let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let places = says(&["lugar", "locais", "places", "estabelec", "bares", "restaurante", "venues", "casas"]);
    let events = says(&["event", "agenda", "shows", "programacao", "festas"]);
    match (places, events) {
        (true, false) => Some(SheetKind::Places),
        (false, true) => Some(SheetKind::Events),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_columns_of_a_sheet_share_a_name() {
        for kind in SheetKind::BOTH {
            let mut seen = HashSet::new();
            for header in headers(kind) {
                let names: HashSet<String> = header.names().map(key).collect();
                for name in names {
                    assert!(seen.insert(name.clone()), "{kind:?}: {name}");
                }
            }
        }
    }

    #[test]
    fn a_column_is_suggested_when_its_name_is_near_or_among_the_words() {
        for (typed, expected) in [
            ("Período", None),
            ("Zona", None),
            ("Faixa etária", None),
            ("Publicar", None),
            ("cor da parede", None),
            ("data do show", Some("data")),
            ("horários certos", Some("horário")),
            ("endereco completo", Some("endereço")),
        ] {
            let found = recognize(typed, SheetKind::Events);
            assert!(matches!(found, Recognized::Unknown(near) if near == expected), "{typed}");
        }
    }

    #[test]
    fn every_name_of_a_column_is_recognized() {
        for header in HEADERS {
            for name in header.names() {
                for typed in [name.to_owned(), name.to_uppercase(), format!(" {name}: ")] {
                    for kind in SheetKind::BOTH.into_iter().filter(|kind| header.is_of(*kind)) {
                        let found = recognize(&typed, kind);
                        assert!(
                            matches!(found, Recognized::Exactly(one) if one.column == header.column),
                            "{typed}"
                        );
                    }
                }
            }
        }
    }
}
