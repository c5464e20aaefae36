//! The words of dates in three languages, folded. The tables are sorted by words, so that the phrases with one first
//! word are adjacent.

use std::cmp::Ordering;

use chrono::Weekday;

use super::feasts::Feast;
use super::parts::{Hours, PARTS};

/// Whether a word alone is a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sure {
    Always,
    /// Unless a noun follows that makes it an ordinal ("segunda opção"); in Spanish it always is one.
    Ordinal,
    /// Only after a preposition or beside another date: "dom", "may", "março".
    Evidence,
    /// Only beside the number of a day: "25 dez".
    BesideDay,
}

/// What a phrase means.
#[derive(Debug, Clone, Copy)]
pub(super) enum Term {
    /// So many days from today.
    InDays(u64),
    /// So many days before today, which a guide has no events of, but may be asked for.
    DaysAgo(u64),
    Tonight,
    Weekend,
    Week,
    Month,
    Year,
    Day(Weekday, Sure),
    /// A month by its name.
    Named(u32, Sure),
    Feast(Feast),
    Holiday,
}

/// Phrases and what they mean.
pub(super) type Table<T> = &'static [(&'static str, T)];

/// The phrases of each table that begin with one word. They are looked up once for each word of a text, because a date
/// is looked for at nearly every word, in many ways.
#[derive(Debug, Default)]
pub(crate) struct TimeWord {
    pub(super) terms: Table<Term>,
    pub(super) leads: Table<Lead>,
    pub(super) numbers: Table<u64>,
    pub(super) units: Table<u64>,
    pub(super) ahead: Table<()>,
    pub(super) parts: Table<Hours>,
}

impl TimeWord {
    pub(crate) fn of(word: &str) -> Self {
        Self {
            terms: beginning_with(word, TERMS),
            leads: beginning_with(word, LEADS),
            numbers: beginning_with(word, NUMBERS),
            units: beginning_with(word, UNITS),
            ahead: beginning_with(word, IN_DAYS),
            parts: beginning_with(word, PARTS),
        }
    }
}

impl TimeWord {
    /// Whether it is the name of a month, whatever stands beside it.
    pub(super) fn is_month(&self, word: &str) -> bool {
        self.terms.iter().any(|(phrase, term)| *phrase == word && matches!(term, Named(..)))
    }
}

/// The first words of the phrases that a phrase of time can begin with.
pub(crate) fn beginnings() -> impl Iterator<Item = &'static str> {
    heads(TERMS).chain(heads(LEADS)).chain(heads(PARTS)).chain(heads(IN_DAYS))
}

/// The first words of those that only stand inside one.
pub(crate) fn counts() -> impl Iterator<Item = &'static str> {
    heads(NUMBERS).chain(heads(UNITS))
}

fn heads<T>(table: Table<T>) -> impl Iterator<Item = &'static str> {
    table.iter().filter_map(|(phrase, _)| phrase.split(' ').next())
}

fn beginning_with<T>(word: &str, table: Table<T>) -> Table<T> {
    let start = table.partition_point(|(phrase, _)| compare_head(phrase, word).is_lt());
    let count = table[start..].partition_point(|(phrase, _)| compare_head(phrase, word).is_eq());
    &table[start..start + count]
}

/// Compares the first word of a phrase with a word. A blank sorts before all letters, so that no splitting is needed.
fn compare_head(phrase: &str, word: &str) -> Ordering {
    let phrase = phrase.as_bytes();
    let (head, rest) = phrase.split_at(word.len().min(phrase.len()));
    let is_longer = matches!(rest.first(), Some(letter) if *letter != b' ');
    head.cmp(word.as_bytes()).then(if is_longer { Ordering::Greater } else { Ordering::Equal })
}

use Term::{Day, DaysAgo, Feast as Feasts, Holiday, InDays, Month, Named, Tonight, Week, Weekend, Year};

/// What a word before a date says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// A date is likely to follow.
    Preposition,
    Article,
    This,
    Next,
}

/// Days, months and feasts.
#[rustfmt::skip]
pub(super) const TERMS: &[(&str, Term)] = &[
    ("7 de setembro", Feasts(Feast::Independence)),
    ("abr", Named(4, Sure::BesideDay)),
    ("abril", Named(4, Sure::Always)),
    ("ago", Named(8, Sure::BesideDay)),
    ("agora", InDays(0)),
    ("agosto", Named(8, Sure::Always)),
    ("ahora", InDays(0)),
    ("all souls", Feasts(Feast::AllSouls)),
    ("all souls day", Feasts(Feast::AllSouls)),
    ("amanha", InDays(1)),
    ("aniversario da capital", Feasts(Feast::Foundation)),
    ("aniversario da cidade", Feasts(Feast::Foundation)),
    ("aniversario de brasilia", Feasts(Feast::Foundation)),
    ("anniversary of brasilia", Feasts(Feast::Foundation)),
    ("ano", Year),
    ("ano novo", Feasts(Feast::NewYear)),
    ("ano nuevo", Feasts(Feast::NewYear)),
    ("ante ontem", DaysAgo(2)),
    ("anteayer", DaysAgo(2)),
    ("anteontem", DaysAgo(2)),
    ("apr", Named(4, Sure::BesideDay)),
    ("april", Named(4, Sure::Always)),
    ("ash wednesday", Feasts(Feast::AshWednesday)),
    ("aug", Named(8, Sure::BesideDay)),
    ("august", Named(8, Sure::Always)),
    ("ayer", DaysAgo(1)),
    ("birthday of brasilia", Feasts(Feast::Foundation)),
    ("black awareness day", Feasts(Feast::BlackAwareness)),
    ("black consciousness day", Feasts(Feast::BlackAwareness)),
    ("brasilia anniversary", Feasts(Feast::Foundation)),
    ("brasilia birthday", Feasts(Feast::Foundation)),
    ("brasilia s anniversary", Feasts(Feast::Foundation)),
    ("brasilia s birthday", Feasts(Feast::Foundation)),
    ("carnaval", Feasts(Feast::Carnival)),
    ("carnival", Feasts(Feast::Carnival)),
    ("children s day", Feasts(Feast::Children)),
    ("childrens day", Feasts(Feast::Children)),
    ("christmas", Feasts(Feast::Christmas)),
    ("christmas day", Feasts(Feast::Christmas)),
    ("christmas eve", Feasts(Feast::Christmas)),
    ("conciencia negra", Feasts(Feast::BlackAwareness)),
    ("consciencia negra", Feasts(Feast::BlackAwareness)),
    ("corpus christi", Feasts(Feast::CorpusChristi)),
    ("cumpleanos de brasilia", Feasts(Feast::Foundation)),
    ("day after tomorrow", InDays(2)),
    ("dec", Named(12, Sure::BesideDay)),
    ("december", Named(12, Sure::Always)),
    ("depois amanha", InDays(2)),
    ("depois de amanha", InDays(2)),
    ("dez", Named(12, Sure::BesideDay)),
    ("dezembro", Named(12, Sure::Always)),
    ("dia da consciencia negra", Feasts(Feast::BlackAwareness)),
    ("dia da crianca", Feasts(Feast::Children)),
    ("dia da independencia", Feasts(Feast::Independence)),
    ("dia da mae", Feasts(Feast::Mothers)),
    ("dia da republica", Feasts(Feast::Republic)),
    ("dia das bruxas", Feasts(Feast::Halloween)),
    ("dia das criancas", Feasts(Feast::Children)),
    ("dia das maes", Feasts(Feast::Mothers)),
    ("dia de finados", Feasts(Feast::AllSouls)),
    ("dia de la conciencia negra", Feasts(Feast::BlackAwareness)),
    ("dia de la independencia", Feasts(Feast::Independence)),
    ("dia de la madre", Feasts(Feast::Mothers)),
    ("dia de las brujas", Feasts(Feast::Halloween)),
    ("dia de las madres", Feasts(Feast::Mothers)),
    ("dia de los difuntos", Feasts(Feast::AllSouls)),
    ("dia de los enamorados", Feasts(Feast::Lovers)),
    ("dia de los muertos", Feasts(Feast::AllSouls)),
    ("dia de los ninos", Feasts(Feast::Children)),
    ("dia de los padres", Feasts(Feast::Fathers)),
    ("dia de muertos", Feasts(Feast::AllSouls)),
    ("dia de tiradentes", Feasts(Feast::Foundation)),
    ("dia del nino", Feasts(Feast::Children)),
    ("dia del padre", Feasts(Feast::Fathers)),
    ("dia del trabajador", Feasts(Feast::Labour)),
    ("dia del trabajo", Feasts(Feast::Labour)),
    ("dia do pai", Feasts(Feast::Fathers)),
    ("dia do trabalhador", Feasts(Feast::Labour)),
    ("dia do trabalho", Feasts(Feast::Labour)),
    ("dia dos namorados", Feasts(Feast::Lovers)),
    ("dia dos pais", Feasts(Feast::Fathers)),
    ("dia festivo", Holiday),
    ("dic", Named(12, Sure::BesideDay)),
    ("diciembre", Named(12, Sure::Always)),
    ("dom", Day(Weekday::Sun, Sure::Evidence)),
    ("domingo", Day(Weekday::Sun, Sure::Always)),
    ("domingo de pascoa", Feasts(Feast::Easter)),
    ("domingo de pascua", Feasts(Feast::Easter)),
    ("domingos", Day(Weekday::Sun, Sure::Always)),
    ("easter", Feasts(Feast::Easter)),
    ("easter sunday", Feasts(Feast::Easter)),
    ("easter week", Feasts(Feast::HolyWeek)),
    ("ene", Named(1, Sure::BesideDay)),
    ("enero", Named(1, Sure::Always)),
    ("father s day", Feasts(Feast::Fathers)),
    ("fathers day", Feasts(Feast::Fathers)),
    ("fds", Weekend),
    ("feb", Named(2, Sure::BesideDay)),
    ("febrero", Named(2, Sure::Always)),
    ("february", Named(2, Sure::Always)),
    ("feriadao", Holiday),
    ("feriado", Holiday),
    ("feriados", Holiday),
    ("fev", Named(2, Sure::BesideDay)),
    ("fevereiro", Named(2, Sure::Always)),
    ("fim de semana", Weekend),
    ("fim semana", Weekend),
    ("fin ano", Feasts(Feast::NewYear)),
    ("fin de ano", Feasts(Feast::NewYear)),
    ("fin de semana", Weekend),
    ("finados", Feasts(Feast::AllSouls)),
    ("finais de semana", Weekend),
    ("final de semana", Weekend),
    ("final semana", Weekend),
    ("finde", Weekend),
    ("findi", Weekend),
    ("fines de semana", Weekend),
    ("fins de semana", Weekend),
    ("fri", Day(Weekday::Fri, Sure::Evidence)),
    ("friday", Day(Weekday::Fri, Sure::Always)),
    ("fridays", Day(Weekday::Fri, Sure::Always)),
    ("good friday", Feasts(Feast::GoodFriday)),
    ("halloween", Feasts(Feast::Halloween)),
    ("hj", InDays(0)),
    ("hoje", InDays(0)),
    ("hoje a noite", Tonight),
    ("holiday", Holiday),
    ("holidays", Holiday),
    ("holy week", Feasts(Feast::HolyWeek)),
    ("hoy", InDays(0)),
    ("hoy por la noche", Tonight),
    ("independence day", Feasts(Feast::Independence)),
    ("independencia do brasil", Feasts(Feast::Independence)),
    ("jan", Named(1, Sure::BesideDay)),
    ("janeiro", Named(1, Sure::Always)),
    ("january", Named(1, Sure::Always)),
    ("jueves", Day(Weekday::Thu, Sure::Always)),
    ("jul", Named(7, Sure::BesideDay)),
    ("julho", Named(7, Sure::Always)),
    ("julio", Named(7, Sure::Evidence)),
    ("july", Named(7, Sure::Always)),
    ("jun", Named(6, Sure::BesideDay)),
    ("june", Named(6, Sure::Always)),
    ("junho", Named(6, Sure::Always)),
    ("junio", Named(6, Sure::Always)),
    ("labor day", Feasts(Feast::Labour)),
    ("labour day", Feasts(Feast::Labour)),
    ("lover s day", Feasts(Feast::Lovers)),
    ("lovers day", Feasts(Feast::Lovers)),
    ("lunes", Day(Weekday::Mon, Sure::Always)),
    ("mai", Named(5, Sure::BesideDay)),
    ("maio", Named(5, Sure::Always)),
    ("manana", InDays(1)),
    ("mar", Named(3, Sure::BesideDay)),
    ("march", Named(3, Sure::Evidence)),
    ("marco", Named(3, Sure::Evidence)),
    ("martes", Day(Weekday::Tue, Sure::Always)),
    ("marzo", Named(3, Sure::Always)),
    ("may", Named(5, Sure::Evidence)),
    ("mayo", Named(5, Sure::Always)),
    ("mes", Month),
    ("miercoles", Day(Weekday::Wed, Sure::Always)),
    ("miercoles de ceniza", Feasts(Feast::AshWednesday)),
    ("mon", Day(Weekday::Mon, Sure::Evidence)),
    ("monday", Day(Weekday::Mon, Sure::Always)),
    ("mondays", Day(Weekday::Mon, Sure::Always)),
    ("month", Month),
    ("mother s day", Feasts(Feast::Mothers)),
    ("mothers day", Feasts(Feast::Mothers)),
    ("natal", Feasts(Feast::Christmas)),
    ("natalina", Feasts(Feast::Christmas)),
    ("natalinas", Feasts(Feast::Christmas)),
    ("natalino", Feasts(Feast::Christmas)),
    ("natalinos", Feasts(Feast::Christmas)),
    ("navidad", Feasts(Feast::Christmas)),
    ("navidena", Feasts(Feast::Christmas)),
    ("navidenas", Feasts(Feast::Christmas)),
    ("navideno", Feasts(Feast::Christmas)),
    ("navidenos", Feasts(Feast::Christmas)),
    ("new year", Feasts(Feast::NewYear)),
    ("new year day", Feasts(Feast::NewYear)),
    ("new year eve", Feasts(Feast::NewYear)),
    ("new year s", Feasts(Feast::NewYear)),
    ("new year s day", Feasts(Feast::NewYear)),
    ("new year s eve", Feasts(Feast::NewYear)),
    ("new years", Feasts(Feast::NewYear)),
    ("new years day", Feasts(Feast::NewYear)),
    ("new years eve", Feasts(Feast::NewYear)),
    ("noche de brujas", Feasts(Feast::Halloween)),
    ("noche vieja", Feasts(Feast::NewYear)),
    ("nochebuena", Feasts(Feast::Christmas)),
    ("nochevieja", Feasts(Feast::NewYear)),
    ("noite de natal", Feasts(Feast::Christmas)),
    ("nov", Named(11, Sure::BesideDay)),
    ("november", Named(11, Sure::Always)),
    ("novembro", Named(11, Sure::Always)),
    ("noviembre", Named(11, Sure::Always)),
    ("now", InDays(0)),
    ("nye", Feasts(Feast::NewYear)),
    ("oct", Named(10, Sure::BesideDay)),
    ("october", Named(10, Sure::Always)),
    ("octubre", Named(10, Sure::Always)),
    ("ontem", DaysAgo(1)),
    ("out", Named(10, Sure::BesideDay)),
    ("outubro", Named(10, Sure::Always)),
    ("pasado manana", InDays(2)),
    ("pascoa", Feasts(Feast::Easter)),
    ("pascua", Feasts(Feast::Easter)),
    ("proclamacao da republica", Feasts(Feast::Republic)),
    ("proclamacion de la republica", Feasts(Feast::Republic)),
    ("proclamation of the republic", Feasts(Feast::Republic)),
    ("puente", Holiday),
    ("qua", Day(Weekday::Wed, Sure::Evidence)),
    ("quarta", Day(Weekday::Wed, Sure::Ordinal)),
    ("quarta de cinzas", Feasts(Feast::AshWednesday)),
    ("quarta feira", Day(Weekday::Wed, Sure::Always)),
    ("quarta feira de cinzas", Feasts(Feast::AshWednesday)),
    ("quartas", Day(Weekday::Wed, Sure::Ordinal)),
    ("quartas feira", Day(Weekday::Wed, Sure::Always)),
    ("quartas feiras", Day(Weekday::Wed, Sure::Always)),
    ("qui", Day(Weekday::Thu, Sure::Evidence)),
    ("quinta", Day(Weekday::Thu, Sure::Ordinal)),
    ("quinta feira", Day(Weekday::Thu, Sure::Always)),
    ("quintas", Day(Weekday::Thu, Sure::Ordinal)),
    ("quintas feira", Day(Weekday::Thu, Sure::Always)),
    ("quintas feiras", Day(Weekday::Thu, Sure::Always)),
    ("republic day", Feasts(Feast::Republic)),
    ("reveillon", Feasts(Feast::NewYear)),
    ("sab", Day(Weekday::Sat, Sure::Always)),
    ("sabado", Day(Weekday::Sat, Sure::Always)),
    ("sabados", Day(Weekday::Sat, Sure::Always)),
    ("sat", Day(Weekday::Sat, Sure::Evidence)),
    ("saturday", Day(Weekday::Sat, Sure::Always)),
    ("saturdays", Day(Weekday::Sat, Sure::Always)),
    ("seg", Day(Weekday::Mon, Sure::Evidence)),
    ("segunda", Day(Weekday::Mon, Sure::Ordinal)),
    ("segunda feira", Day(Weekday::Mon, Sure::Always)),
    ("segundas", Day(Weekday::Mon, Sure::Ordinal)),
    ("segundas feira", Day(Weekday::Mon, Sure::Always)),
    ("segundas feiras", Day(Weekday::Mon, Sure::Always)),
    ("semana", Week),
    ("semana santa", Feasts(Feast::HolyWeek)),
    ("sep", Named(9, Sure::BesideDay)),
    ("sept", Named(9, Sure::BesideDay)),
    ("september", Named(9, Sure::Always)),
    ("septiembre", Named(9, Sure::Always)),
    ("set", Named(9, Sure::BesideDay)),
    ("sete de setembro", Feasts(Feast::Independence)),
    ("setembro", Named(9, Sure::Always)),
    ("setiembre", Named(9, Sure::Always)),
    ("sex", Day(Weekday::Fri, Sure::Evidence)),
    ("sexta", Day(Weekday::Fri, Sure::Ordinal)),
    ("sexta da paixao", Feasts(Feast::GoodFriday)),
    ("sexta feira", Day(Weekday::Fri, Sure::Always)),
    ("sexta feira da paixao", Feasts(Feast::GoodFriday)),
    ("sexta feira santa", Feasts(Feast::GoodFriday)),
    ("sexta santa", Feasts(Feast::GoodFriday)),
    ("sextas", Day(Weekday::Fri, Sure::Ordinal)),
    ("sextas feira", Day(Weekday::Fri, Sure::Always)),
    ("sextas feiras", Day(Weekday::Fri, Sure::Always)),
    ("sun", Day(Weekday::Sun, Sure::Evidence)),
    ("sunday", Day(Weekday::Sun, Sure::Always)),
    ("sundays", Day(Weekday::Sun, Sure::Always)),
    ("ter", Day(Weekday::Tue, Sure::Evidence)),
    ("terca", Day(Weekday::Tue, Sure::Ordinal)),
    ("terca feira", Day(Weekday::Tue, Sure::Always)),
    ("tercas", Day(Weekday::Tue, Sure::Ordinal)),
    ("tercas feira", Day(Weekday::Tue, Sure::Always)),
    ("tercas feiras", Day(Weekday::Tue, Sure::Always)),
    ("thu", Day(Weekday::Thu, Sure::Evidence)),
    ("thursday", Day(Weekday::Thu, Sure::Always)),
    ("thursdays", Day(Weekday::Thu, Sure::Always)),
    ("tiradentes", Feasts(Feast::Foundation)),
    ("today", InDays(0)),
    ("tomorrow", InDays(1)),
    ("tonight", Tonight),
    ("tue", Day(Weekday::Tue, Sure::Evidence)),
    ("tuesday", Day(Weekday::Tue, Sure::Always)),
    ("tuesdays", Day(Weekday::Tue, Sure::Always)),
    ("vespera de natal", Feasts(Feast::Christmas)),
    ("viernes", Day(Weekday::Fri, Sure::Always)),
    ("viernes santo", Feasts(Feast::GoodFriday)),
    ("virada de ano", Feasts(Feast::NewYear)),
    ("virada do ano", Feasts(Feast::NewYear)),
    ("wed", Day(Weekday::Wed, Sure::Evidence)),
    ("wednesday", Day(Weekday::Wed, Sure::Always)),
    ("wednesdays", Day(Weekday::Wed, Sure::Always)),
    ("week", Week),
    ("weekend", Weekend),
    ("weekends", Weekend),
    ("xmas", Feasts(Feast::Christmas)),
    ("year", Year),
    ("yesterday", DaysAgo(1)),
];

/// Words before a date.
#[rustfmt::skip]
pub(super) const LEADS: &[(&str, Lead)] = &[
    ("a", Lead::Article),
    ("ao", Lead::Preposition),
    ("aos", Lead::Preposition),
    ("as", Lead::Article),
    ("at", Lead::Preposition),
    ("coming", Lead::This),
    ("desta", Lead::This),
    ("deste", Lead::This),
    ("dia", Lead::Article),
    ("dias", Lead::Article),
    ("durante", Lead::Preposition),
    ("during", Lead::Preposition),
    ("el", Lead::Preposition),
    ("em", Lead::Preposition),
    ("en", Lead::Preposition),
    ("essa", Lead::This),
    ("esse", Lead::This),
    ("esta", Lead::This),
    ("este", Lead::This),
    ("in", Lead::Preposition),
    ("la", Lead::Article),
    ("las", Lead::Preposition),
    ("los", Lead::Preposition),
    ("na", Lead::Preposition),
    ("nas", Lead::Preposition),
    ("nessa", Lead::This),
    ("nesse", Lead::This),
    ("nesta", Lead::This),
    ("neste", Lead::This),
    ("next", Lead::Next),
    ("no", Lead::Preposition),
    ("nos", Lead::Preposition),
    ("o", Lead::Article),
    ("on", Lead::Preposition),
    ("os", Lead::Article),
    ("proxima", Lead::Next),
    ("proximas", Lead::Next),
    ("proximo", Lead::Next),
    ("proximos", Lead::Next),
    ("the", Lead::Article),
    ("this", Lead::This),
];

/// Numbers in words.
#[rustfmt::skip]
pub(super) const NUMBERS: &[(&str, u64)] = &[
    ("cinco", 5),
    ("cuatro", 4),
    ("dez", 10),
    ("diez", 10),
    ("doce", 12),
    ("dois", 2),
    ("dos", 2),
    ("doze", 12),
    ("duas", 2),
    ("eight", 8),
    ("eleven", 11),
    ("five", 5),
    ("four", 4),
    ("nine", 9),
    ("nove", 9),
    ("nueve", 9),
    ("ocho", 8),
    ("oito", 8),
    ("once", 11),
    ("one", 1),
    ("onze", 11),
    ("quatro", 4),
    ("seis", 6),
    ("sete", 7),
    ("seven", 7),
    ("siete", 7),
    ("six", 6),
    ("ten", 10),
    ("three", 3),
    ("tres", 3),
    ("twelve", 12),
    ("two", 2),
    ("um", 1),
    ("uma", 1),
    ("un", 1),
    ("una", 1),
    ("uno", 1),
];

/// Units and their days.
#[rustfmt::skip]
pub(super) const UNITS: &[(&str, u64)] = &[
    ("day", 1),
    ("days", 1),
    ("dia", 1),
    ("dias", 1),
    ("semana", 7),
    ("semanas", 7),
    ("week", 7),
    ("weeks", 7),
];

/// Words before a number of days that lie between today and the day meant.
#[rustfmt::skip]
pub(super) const IN_DAYS: &[(&str, ())] = &[
    ("daqui", ()),
    ("daqui a", ()),
    ("dentro de", ()),
    ("em", ()),
    ("en", ()),
    ("in", ()),
];

/// Nouns before which "segunda" to "sexta" are ordinals.
pub(super) const ORDINAL_NOUNS: &[&str] = &[
    "avenida",
    "casa",
    "chance",
    "classe",
    "divisao",
    "division",
    "edicao",
    "edicion",
    "essencia",
    "etapa",
    "fase",
    "geracao",
    "guerra",
    "linha",
    "mao",
    "mano",
    "opcao",
    "opcion",
    "parada",
    "parte",
    "serie",
    "temporada",
    "turma",
    "turne",
    "vez",
    "via",
    "vuelta",
];

/// Words after which the word before is part of a name: "Dom Bosco", "Puente JK", "Holiday Inn".
pub(super) const NAME_WORDS: &[&str] =
    &["bosco", "casmurro", "costa", "de", "del", "honestino", "inn", "jk", "juscelino", "orione", "pedro"];
