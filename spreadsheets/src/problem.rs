//! What an import has to say about a cell. Its sentences are in `sentences/`.

use chrono::{NaiveDate, Weekday};
use serde::Serialize;

pub use crate::lang::Lang;
use crate::why::Why;

/// What a text holds that is most often not meant for everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contact {
    /// A telephone number.
    Telephone,
    /// An e-mail address.
    Mail,
}

/// A record of the folder that an import changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its id.
    pub id: String,
    /// The fields that differ, as paths: `links.website`.
    pub fields: Vec<String>,
}

/// What others changed in the folder since the last import, and the sheet has otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfOthers {
    /// A record of the folder that the sheet does not have, by its id.
    OnlyInGuide(String),
    /// A record of the sheet that the folder does not have, by its id.
    OnlyInSheet(String),
    /// A field of a record that both have.
    Field {
        /// The id of the record.
        id: String,
        /// The field, as a path: `links.website`.
        field: String,
        /// What the sheet says, if it does.
        sheet: Option<String>,
        /// What the folder says, if it does.
        guide: Option<String>,
    },
}

/// How loud a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The row cannot be used, and nothing is written.
    Error,
    /// Mended, or doubtful.
    Warning,
    /// Worth knowing.
    Info,
}

/// Which number a column wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A whole number from this one on.
    Whole(u32),
    /// A coordinate, such as this one.
    Degrees(&'static str),
}

/// What is wrong with a cell, row or sheet, or what was mended.
#[derive(Debug, Clone, PartialEq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs, reason = "the texts below say what each one means")]
pub enum Problem {
    // Errors
    Unreadable {
        why: Why,
    },
    OldExcel,
    PasswordProtected,
    WebPage {
        is_file: bool,
    },
    NoHeader,
    NoSheet,
    Required,
    NoArea,
    BrokenFormula {
        shown: String,
    },
    DateForText,
    LostLetters,
    TooLong {
        by: usize,
        max: usize,
    },
    TooMany {
        max: usize,
    },
    UnknownCategory {
        typed: String,
        nearest: Option<String>,
    },
    CategoryOfOtherKind {
        typed: String,
    },
    UnknownArea {
        typed: String,
        nearest: Option<String>,
    },
    Ambiguous {
        typed: String,
        candidates: Vec<String>,
    },
    AreaElsewhere {
        area: String,
        region: String,
    },
    NotADate {
        typed: String,
    },
    /// A time in the column of last days.
    TimeForLastDay {
        typed: String,
    },
    /// A first day that says neither the last one nor how it repeats.
    OpenEnded {
        typed: String,
        day: NaiveDate,
    },
    NoSuchDay {
        typed: String,
    },
    /// A day that could be read either way, in a column in which the month comes first: in this row, as typed.
    DayOrMonth {
        row: u32,
        typed: String,
    },
    RelativeDay {
        typed: String,
    },
    EndBeforeStart,
    NoDate,
    NotATime {
        typed: String,
    },
    NotARepeat {
        typed: String,
    },
    RepeatNeedsDate,
    /// A rule of iCalendar that was typed and is none.
    BadRule {
        typed: String,
    },
    /// Days of each week beside days of a month, which one rule cannot say.
    SeveralRepeats {
        typed: String,
    },
    ExceptWithoutRepeat,
    NotYesNo {
        typed: String,
    },
    NotAStatus {
        typed: String,
    },
    NotALink {
        typed: String,
    },
    NotAHandle {
        typed: String,
    },
    NotANumber {
        typed: String,
        wanted: Wanted,
    },
    UnknownPlace {
        typed: String,
    },
    /// A name that a place had before this import, and the one that its row has now. Without an area of its own the
    /// row `is_needed` to name it.
    PlaceRenamed {
        typed: String,
        now: String,
        is_needed: bool,
    },
    WouldEmpty {
        count: usize,
    },
    VenueWithoutArea {
        typed: String,
        nearest: Option<String>,
    },
    Check {
        what: String,
        fix: String,
    },
    /// The events of the folder that are at a place which no row gives any more.
    PlaceRemoved {
        place: String,
        events: Vec<String>,
    },
    OthersUnknown,
    Contradicts {
        typed: String,
        cell: String,
        other: String,
    },
    StartsAtEndOfDay {
        typed: String,
    },
    YearOutOfRange {
        day: NaiveDate,
    },
    TooLongRun {
        days: i64,
    },
    EndsAsItStarts,
    NoOccurrence,
    /// The first day of a repetition, which is beyond the days of a guide.
    BeyondWindow {
        day: NaiveDate,
    },
    OutOfBounds {
        typed: String,
        least: f64,
        greatest: f64,
        /// Whether it would be inside with a minus before it.
        lacks_minus: bool,
        /// Whether latitude and longitude would be inside the other way round.
        are_swapped: bool,
        /// How a coordinate is written, for what is none on Earth.
        example: Option<&'static str>,
    },
    WeekdaysUnclear {
        typed: String,
    },
    EndOfSeveral,
    NotAPrice {
        typed: String,
    },
    /// The places by id and row. Without an area of its own the row `is_needed` to name one of them.
    SeveralPlaces {
        typed: String,
        count: usize,
        listed: Vec<(String, Option<u32>)>,
        is_needed: bool,
    },
    /// A column that the sheets had and have no more, and the records that lose what it said.
    ColumnGone {
        pt: &'static str,
        en: &'static str,
        count: usize,
        first: Vec<String>,
        is_refused: bool,
    },
    // Errors and warnings about files and the form of tables
    UnknownEncoding,
    DamagedWorkbook,
    WorkbookTooLarge,
    NoFiles,
    NoSuchFile,
    NotPermitted,
    FileTooLarge {
        mib: usize,
    },
    HiddenSheet,
    MissingColumn {
        pt: &'static str,
        en: &'static str,
    },
    /// Another column has the same meaning, and neither is only guessed.
    SameColumn {
        other: String,
    },
    MoreCells {
        separator: String,
    },
    OpenQuote,
    ValueWithoutHeader,
    Uncalculated,
    Merged {
        is_needed: bool,
    },
    // Warnings
    PublicContact {
        what: Contact,
    },
    /// The word in the name, and the status that it is.
    StatusInName {
        typed: String,
        status: &'static str,
    },
    HiddenRow,
    StruckRow,
    /// A sheet that is called as what its events are: "Cancelados".
    SheetOfStatus {
        name: String,
    },
    AllDay {
        typed: String,
    },
    CentsApart {
        read: String,
        cents: String,
    },
    SlashSessions {
        typed: String,
        count: usize,
        read: String,
    },
    LongNight {
        read: String,
        hours: i64,
    },
    SecondHandle {
        read: String,
        typed: String,
    },
    AddressInOtherPart {
        area: String,
        other: String,
    },
    ExchangedId,
    SampleSheet,
    NotesSkipped,
    SheetChanges {
        count: usize,
        first: Vec<Changed>,
    },
    Over,
    IdleExcept,
    Twins,
    UnknownVenue,
    HttpTickets,
    FarFromArea,
    FarOff,
    OffRule,
    NotShown,
    /// A place that is not shown, or an event at one, as the check says it.
    NotServed {
        what: String,
        fix: String,
    },
    OtherArea,
    AddressElsewhere,
    NotRead {
        file: String,
    },
    UnknownColumn {
        typed: String,
        nearest: Option<&'static str>,
    },
    /// A column that is not known, and most likely the one that is missing.
    RenamedColumn {
        typed: String,
        nearest: &'static str,
    },
    NearColumn {
        typed: String,
        read: &'static str,
    },
    /// The other column of the same meaning, which was read.
    RepeatedColumn {
        other: String,
    },
    MeansEmpty {
        typed: String,
    },
    Mojibake,
    Invisible,
    LineBreak,
    DoubleSpace,
    SmartQuotes,
    Mended {
        typed: String,
        read: String,
    },
    YearAssumed {
        day: NaiveDate,
    },
    MonthFirst {
        day: NaiveDate,
    },
    WeekdayDiffers {
        day: NaiveDate,
    },
    TimeAssumed {
        read: String,
    },
    TimeInDate,
    EndOfRepeat {
        until: NaiveDate,
    },
    /// The number of the first day was taken for that of each month; the next such days.
    EveryMonth {
        first: NaiveDate,
        next: Vec<NaiveDate>,
    },
    EveryWeek {
        typed: String,
        weekdays: Vec<Weekday>,
    },
    UntilWithoutRepeat,
    EndWithoutStart,
    HttpLink,
    CompletedLink,
    EncodedLink,
    HandleMended {
        read: String,
    },
    PostLink,
    AreaFromAddress {
        read: String,
    },
    ListedTwice {
        typed: String,
    },
    /// What stands in the column of prices or tickets and is of another one, into which it was put: that of this field,
    /// as a path.
    BelongsTo {
        field: &'static str,
    },
    /// A number that no currency is said of.
    BarePrice,
    LinesJoined,
    HtmlCodes,
    QuestionMarks,
    /// The word in the name of a place that says that it has closed.
    ClosedInName {
        typed: String,
    },
    PrecisionAlone,
    /// The rows follow their names.
    IdsFollowNames,
    /// The id that a record of this name had in the folder, and the one that its row has.
    IdChanged {
        before: String,
        now: String,
    },
    /// A place of the folder that the sheets have no more.
    PlaceGone {
        typed: String,
    },
    /// The sheet that the last import read, and that its file does not have any more.
    SheetGone {
        sheet: String,
        is_of_places: bool,
    },
    HalfDescription,
    HalfPosition,
    BadId {
        typed: String,
        read: String,
    },
    TwinId {
        typed: String,
        read: String,
    },
    ColumnOfOtherKind,
    /// In a record that no row gave. The sheets `is_caused` it when the folder was right without them.
    CheckElsewhere {
        what: String,
        fix: String,
        is_caused: bool,
    },
    /// Neither the sheets nor the folder have a record. The sheets `is_caused` it as above.
    NoRecords {
        is_caused: bool,
    },
    Vanishes {
        count: usize,
        first: Vec<String>,
    },
    KeptOfOthers {
        changes: Vec<OfOthers>,
    },
    ReplacesOthers {
        changes: Vec<OfOthers>,
    },
    IdsNotWritten {
        why: Why,
    },
    IdsBeside {
        file: String,
    },
    OpenElsewhere,
    ChangedMeanwhile,
    IdsNeedColumn,
    // Infos
    Empty,
    SheetSkipped,
    PrecisionAssumed,
}

impl Problem {
    /// Its name in JSON.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// How loud it is.
    pub fn level(&self) -> Level {
        use Problem as P;
        match self {
            P::Empty | P::SheetSkipped | P::IdsNeedColumn | P::PrecisionAssumed => Level::Info,
            P::HiddenSheet | P::ValueWithoutHeader | P::Merged { is_needed: false } => Level::Warning,
            P::PlaceRenamed { is_needed: false, .. }
            | P::ColumnGone { is_refused: false, .. }
            | P::PublicContact { .. }
            | P::AllDay { .. }
            | P::HiddenRow
            | P::StruckRow
            | P::SheetOfStatus { .. }
            | P::StatusInName { .. }
            | P::CentsApart { .. }
            | P::SlashSessions { .. }
            | P::LongNight { .. }
            | P::SecondHandle { .. }
            | P::SeveralPlaces { is_needed: false, .. }
            | P::AddressInOtherPart { .. }
            | P::ExchangedId
            | P::SampleSheet
            | P::NotesSkipped
            | P::SheetChanges { .. }
            | P::Over
            | P::IdleExcept
            | P::Twins
            | P::UnknownVenue
            | P::HttpTickets
            | P::FarFromArea
            | P::FarOff
            | P::OffRule
            | P::NotShown
            | P::NotServed { .. }
            | P::OtherArea
            | P::AddressElsewhere
            | P::NotRead { .. }
            | P::UnknownColumn { .. }
            | P::NearColumn { .. }
            | P::RepeatedColumn { .. }
            | P::MeansEmpty { .. }
            | P::Mojibake
            | P::Invisible
            | P::LineBreak
            | P::DoubleSpace
            | P::SmartQuotes
            | P::Mended { .. }
            | P::YearAssumed { .. }
            | P::MonthFirst { .. }
            | P::WeekdayDiffers { .. }
            | P::TimeAssumed { .. }
            | P::TimeInDate
            | P::EndOfRepeat { .. }
            | P::EveryWeek { .. }
            | P::EveryMonth { .. }
            | P::UntilWithoutRepeat
            | P::EndWithoutStart
            | P::HttpLink
            | P::CompletedLink
            | P::EncodedLink
            | P::HandleMended { .. }
            | P::PostLink
            | P::AreaFromAddress { .. }
            | P::ListedTwice { .. }
            | P::BelongsTo { .. }
            | P::BarePrice
            | P::LinesJoined
            | P::HtmlCodes
            | P::QuestionMarks
            | P::ClosedInName { .. }
            | P::PrecisionAlone
            | P::IdsFollowNames
            | P::IdChanged { .. }
            | P::PlaceGone { .. }
            | P::SheetGone { .. }
            | P::HalfDescription
            | P::HalfPosition
            | P::BadId { .. }
            | P::TwinId { .. }
            | P::ColumnOfOtherKind
            | P::CheckElsewhere { is_caused: false, .. }
            | P::NoRecords { is_caused: false }
            | P::Vanishes { .. }
            | P::KeptOfOthers { .. }
            | P::ReplacesOthers { .. }
            | P::IdsNotWritten { .. }
            | P::IdsBeside { .. }
            | P::OpenElsewhere
            | P::ChangedMeanwhile => Level::Warning,
            _ => Level::Error,
        }
    }

    /// Whether the sheets are right, and what they leave of the folder beside them is not.
    pub fn is_beside_the_sheets(&self) -> bool {
        matches!(
            self,
            Self::PlaceRemoved { .. }
                | Self::CheckElsewhere { is_caused: true, .. }
                | Self::NoRecords { is_caused: true }
        )
    }

    /// What is the case, after the name of the column, and how to fix it or what was done.
    pub fn texts(&self, lang: Lang) -> (String, String) {
        match lang {
            Lang::Pt => self.pt(),
            Lang::En => self.en(),
        }
    }
}
