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
    /// The explanation below the header of the template.
    pub(crate) explained: &'static str,
    /// The field of the record that it fills, by which `check` names it.
    pub(crate) field: &'static str,
}

const PLACES: &[SheetKind] = &[SheetKind::Places];
const EVENTS: &[SheetKind] = &[SheetKind::Events];
const BOTH: &[SheetKind] = &SheetKind::BOTH;

/// A row of the table below.
const fn header(
    column: Column,
    kinds: &'static [SheetKind],
    (pt, en): (&'static str, &'static str),
    others: &'static [&'static str],
    field: &'static str,
    explained: &'static str,
) -> Header {
    Header { column, kinds, pt, en, others, explained, field }
}

/// All columns, in the order of the template. Names are folded before they are compared.
#[rustfmt::skip]
const HEADERS: &[Header] = &[
    header(Column::Name, BOTH, ("nome", "name"), &["titulo", "title", "nome do evento", "nome do lugar", "event", "evento", "o que", "atividade", "nombre"], "name",
        "Obrigatório. O nome, como deve aparecer."),
    header(Column::Category, BOTH, ("categoria", "category"), &["tipo", "type", "genero", "tipo de evento", "tipo de lugar", "categoria principal"], "category",
        "Obrigatório. Escolha da lista."),
    header(Column::Also, BOTH, ("outras categorias", "also"), &["mais categorias", "other categories", "tags", "categorias", "tambem", "categoria 2", "subcategoria", "further categories"], "also",
        "Outras categorias, separadas por vírgula. Só servem para a busca."),
    header(Column::Date, EVENTS, ("data", "date"), &["dia", "datas", "dias", "quando", "day", "when", "data inicial", "data de inicio", "data inicio", "start date", "data do evento", "data e hora", "data hora", "data e horario", "date and time", "fecha"], "date",
        "O dia: 05/12/2026. Vários: 5, 12 e 19/12/2026. Vários seguidos: 05 a 08/12/2026."),
    header(Column::EndDate, EVENTS, ("data final", "end_date"), &["data fim", "data de termino", "data termino", "ultimo dia", "end date", "termina em", "fim", "data de fim", "last day", "ate o dia"], "end_date",
        "O último dia, se dura vários."),
    header(Column::Repeat, EVENTS, ("repete", "repeat"), &["repeticao", "recorrencia", "frequencia", "repeats", "recurrence", "periodicidade", "se repete"], "repeat",
        "Como se repete: toda sexta; 1º sábado do mês; todo dia 25; de segunda a sexta; quinzenal (precisa da data)."),
    header(Column::Except, EVENTS, ("exceto", "except"), &["menos", "excecoes", "excecao", "nao acontece em", "exceptions"], "repeat.except",
        "Dias em que não acontece, se repete: 25/12/2026."),
    header(Column::Until, EVENTS, ("repete até", "until"), &["ate", "repeat until", "ultima vez", "repeats until"], "repeat.until",
        "O último dia da repetição: 30/03/2027."),
    header(Column::StartTime, EVENTS, ("horário", "start_time"), &["hora", "inicio", "hora inicio", "hora de inicio", "time", "start time", "start", "comeca", "horarios", "hora inicial", "que horas", "horario inicial", "horario inicio", "horario de inicio"], "start_time",
        "19h30, ou 19h às 22h. Várias sessões: 16h e 20h."),
    header(Column::EndTime, EVENTS, ("hora final", "end_time"), &["hora fim", "termino", "hora de termino", "end time", "end", "ends", "horario final", "horario fim", "horario de termino"], "end_time",
        "Quando termina: 22h."),
    header(Column::Venue, EVENTS, ("local", "venue"), &["onde", "lugar", "casa", "espaco", "where", "place name", "local do evento", "nome do local"], "venue",
        "Onde acontece. Com o nome exato de um lugar do guia, o bairro e a região vêm dele."),
    header(Column::Place, EVENTS, ("lugar do guia", "place"), &["id do lugar", "place id", "place_id", "id do local"], "place",
        "O id ou o nome do lugar do guia em que acontece, se o local tem outro nome."),
    header(Column::Neighbourhood, BOTH, ("bairro", "neighbourhood"), &["neighborhood", "setor", "localidade", "barrio"], "neighbourhood",
        "Escolha da lista. Com o bairro, a região não precisa."),
    header(Column::Region, BOTH, ("região", "region"), &["regiao administrativa", "ra", "cidade", "area", "cidade satelite", "administrative region", "city"], "region",
        "A região administrativa. Obrigatória se não há bairro."),
    header(Column::Address, BOTH, ("endereço", "address"), &["rua", "localizacao", "location", "logradouro", "direccion"], "address",
        "O endereço completo: CLN 408, bloco B, loja 12."),
    header(Column::Status, EVENTS, ("situação", "status"), &["estado", "state"], "status",
        "Vazio, ou: cancelado, adiado, esgotado."),
    header(Column::Style, PLACES, ("estilo", "style"), &["tipo de casa", "especialidade", "cozinha", "em poucas palavras"], "style",
        "Em poucas palavras: samba às sextas; hambúrguer artesanal."),
    header(Column::Price, BOTH, ("preço", "price"), &["valor", "entrada", "couvert", "custo", "precos", "faixa de preco", "quanto", "cost", "precio"], "price",
        "Texto livre: R$ 20 a R$ 40. Se não custa nada: grátis."),
    header(Column::Free, BOTH, ("grátis", "free"), &["gratuito", "entrada franca", "e gratis", "entrada gratuita", "free entry"], "free",
        "sim, se a entrada não custa nada."),
    header(Column::Lineup, EVENTS, ("atrações", "lineup"), &["line-up", "line up", "artistas", "programacao", "artists", "elenco", "bandas"], "lineup",
        "Quem se apresenta."),
    header(Column::Tickets, EVENTS, ("ingressos", "tickets"), &["bilheteria", "como comprar", "ingresso", "venda"], "tickets",
        "Onde e como comprar: na bilheteria, uma hora antes."),
    header(Column::Instagram, BOTH, ("instagram", "instagram"), &["insta", "ig", "perfil", "perfil do instagram", "@"], "instagram",
        "O perfil, sem @: bardaesquina."),
    header(Column::Website, BOTH, ("site", "website"), &["pagina", "web", "link", "url", "homepage", "links.website", "sitio", "site (link)", "site (url)"], "links.website",
        "O endereço da página: https://..."),
    header(Column::InstagramLink, BOTH, ("link do instagram", "instagram_link"), &["instagram link", "links.instagram", "post", "publicacao"], "links.instagram",
        "O link de uma publicação ou do perfil."),
    header(Column::TicketLink, BOTH, ("link de ingressos", "ticket_link"), &["ticket link", "links.tickets", "sympla", "link ingressos", "link dos ingressos", "comprar", "ingressos (link)", "ingresso (link)"], "links.tickets",
        "Onde comprar na internet: https://..."),
    header(Column::MapLink, BOTH, ("mapa", "google_maps"), &["google maps", "maps", "link do mapa", "links.google_maps", "map", "map link"], "links.google_maps",
        "O link do Google Maps."),
    header(Column::DescriptionPt, PLACES, ("descrição", "description_pt"), &["descricao pt", "descricao em portugues", "description.pt", "texto", "sobre", "description pt"], "description.pt",
        "Um texto em português. Precisa também do inglês."),
    header(Column::DescriptionEn, PLACES, ("descrição em inglês", "description_en"), &["descricao en", "descricao ingles", "description", "description.en", "description en", "english description"], "description.en",
        "O mesmo texto em inglês."),
    header(Column::Mentions, PLACES, ("menções", "mentions"), &["quantas mencoes", "numero de mencoes", "citacoes"], "mentions",
        "Quantas vezes o lugar é citado; os mais citados vêm primeiro."),
    header(Column::Uau, BOTH, ("uau", "wow"), &["selo", "selo uau", "destaque", "highlight"], "uau",
        "sim, para o selo de qualidade."),
    header(Column::Aliases, BOTH, ("outros nomes", "aliases"), &["apelidos", "apelido", "aka", "other names", "tambem conhecido como", "nickname"], "aliases",
        "Outros nomes que as pessoas usam, separados por vírgula."),
    header(Column::Lat, BOTH, ("latitude", "lat"), &["coordenadas", "posicao", "position", "coordinates", "gps", "lat/lon"], "position.lat",
        "Onde fica, se o endereço não basta: -15,79062."),
    header(Column::Lon, BOTH, ("longitude", "lon"), &["lng", "long"], "position.lon",
        "-47,89298."),
    header(Column::Precision, BOTH, ("precisão", "precision_m"), &["precisao em metros", "precision", "precisao (m)"], "position.precision_m",
        "A quantos metros a posição está certa."),
    header(Column::Hidden, BOTH, ("oculto", "hidden"), &["esconder", "escondido", "ocultar", "hide", "nao mostrar"], "hidden",
        "sim: fica na planilha e não aparece no guia."),
    header(Column::ShowFrom, BOTH, ("mostrar a partir de", "show_from"), &["mostrar de", "show from", "publicar em", "aparece em"], "show_from",
        "Só aparece a partir deste dia."),
    header(Column::ShowUntil, BOTH, ("mostrar até", "show_until"), &["show until", "some em", "aparece ate"], "show_until",
        "Só aparece até este dia."),
    header(Column::Note, BOTH, ("nota", "note"), &["notas", "notes", "observacao", "observacoes", "obs", "anotacao", "comentario", "nota interna"], "note",
        "Para quem cuida da planilha. Nunca aparece no guia."),
    header(Column::Id, BOTH, ("id", "id"), &["codigo", "identificador", "slug"], "id",
        "Deixe vazio: é preenchido sozinho, e não muda mais."),
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

/// The columns of a kind, in the order of the template.
pub(crate) fn headers(kind: SheetKind) -> impl Iterator<Item = &'static Header> {
    HEADERS.iter().filter(move |header| header.is_of(kind))
}

/// Whether a text is the explanation of a column, as the template has it in its second row.
pub(crate) fn is_explanation(text: &str) -> bool {
    let text = text.trim();
    HEADERS.iter().any(|header| header.explained == text)
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
