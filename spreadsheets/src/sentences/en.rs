//! The sentences in English.

use chrono::{Datelike, NaiveDate, Weekday};
use snapshots::limits::{MAX_RUN_DAYS, YEARS};
use snapshots::recur::WINDOW_DAYS;

use super::{changes, first_of, of_others, places, some_of};
use crate::columns::name_of;
use crate::problem::{Contact, Lang, Problem, Wanted};

/// Weekdays as days of each week: "every friday and every saturday".
fn each(weekdays: &[Weekday]) -> String {
    let each = weekdays.iter().map(|day| match day {
        Weekday::Mon => "every monday",
        Weekday::Tue => "every tuesday",
        Weekday::Wed => "every wednesday",
        Weekday::Thu => "every thursday",
        Weekday::Fri => "every friday",
        Weekday::Sat => "every saturday",
        Weekday::Sun => "every sunday",
    });
    each.collect::<Vec<_>>().join(" and ")
}

/// The weekday of a day and which one of the month it is: "1st saturday of the month".
fn of_month(day: NaiveDate) -> String {
    let nth = match day.day0() / 7 {
        0 => "1st",
        1 => "2nd",
        2 => "3rd",
        3 => "4th",
        _ => "last",
    };
    format!("{nth} {} of the month", day.format("%A").to_string().to_lowercase())
}

fn listed(days: &[NaiveDate]) -> String {
    days.iter().map(NaiveDate::to_string).collect::<Vec<_>>().join(", ")
}

/// Who adds what the lists of categories and areas lack: a curator of sheets does not edit the files of the folder.
const KEEPER: &str = "whoever keeps the lists of the guide";

impl Problem {
    pub(crate) fn en(&self) -> (String, String) {
        use Problem as P;
        let said = |what: &str, fix: &str| (what.to_owned(), fix.to_owned());
        match self {
            P::Unreadable { why } => {
                (format!("cannot be read: {}", why.text(Lang::En)), "check the file or the address".into())
            }
            P::OldExcel => said("is neither .xlsx nor .csv", "save it as an Excel workbook (.xlsx)"),
            P::PasswordProtected => said(
                "has a password, and cannot be read",
                "in Excel: File > Info > Protect Workbook > Encrypt with Password, delete the password and save",
            ),
            P::HiddenRow => said(
                "the row is hidden and was read all the same",
                "if it is not part of the guide, delete it or write yes in the column hidden",
            ),
            P::StruckRow => said(
                "the name is struck through, and the row was read all the same",
                "delete the row, or write cancelled in the column status",
            ),
            P::SheetOfStatus { name } => (
                format!("the sheet is called {name:?}, and its events were read like the others"),
                "write the status of each in the column status, or hide the sheet".into(),
            ),
            P::WebPage { is_file: true } => said(
                "is a web page and no spreadsheet, whatever its name",
                "open it in Excel and save it as an Excel workbook (.xlsx)",
            ),
            P::WebPage { .. } => said(
                "the address gives a web page, not a sheet",
                "in Google Sheets: File > Share > Publish to web, format CSV or XLSX",
            ),
            P::NoHeader => said(
                "has no header row",
                "the first row names the columns, such as name, neighbourhood, category",
            ),
            P::NoSheet => said(
                "has no sheet of places or events",
                "name the sheet Places or Events, with headers such as name and category",
            ),
            P::Required => said("is empty", "fill it in; the row is of no use without it"),
            P::NoArea => said("is empty, and so is the region", "fill in the neighbourhood or the region"),
            P::BrokenFormula { shown } => {
                (format!("the formula gives {shown}"), "correct the formula or type the value".into())
            }
            P::DateForText => {
                said("Excel made a date of the text", "format the cell as Text and type it again")
            }
            P::LostLetters => said("letters are lost (\u{fffd})", "type the text again"),
            P::TooLong { by, max } => (
                format!("is {by} characters too long"),
                format!("shorten it to {max} or fewer; nothing is cut"),
            ),
            P::TooMany { max } => {
                (format!("holds more than {max} entries"), format!("keep the {max} that matter most"))
            }
            P::UnknownCategory { typed, nearest } => (
                format!("{typed:?} is not a category"),
                match nearest {
                    Some(label) => {
                        format!("did you mean {label:?}? choose one of the list, or ask {KEEPER} for a new one")
                    }
                    None => format!("choose one of the list, or ask {KEEPER} for a new one"),
                },
            ),
            P::CategoryOfOtherKind { typed } => (
                format!("{typed:?} is a category of the other sheet"),
                "places and events have their own categories: choose another".into(),
            ),
            P::UnknownArea { typed, nearest } => (
                format!("{typed:?} is neither a neighbourhood nor a region"),
                match nearest {
                    Some(name) => {
                        format!("did you mean {name:?}? choose one of the list, or ask {KEEPER} for a new one")
                    }
                    None => format!("choose one of the list, or ask {KEEPER} for a new one"),
                },
            ),
            P::Ambiguous { typed, candidates } => {
                (format!("{typed:?} may mean several things"), format!("write {}", candidates.join(" or ")))
            }
            P::AreaElsewhere { area, region } => {
                (format!("{area:?} is in {region:?}"), "correct the neighbourhood or the region".into())
            }
            P::NotADate { typed } => {
                (format!("{typed:?} is not a date"), "write it as 05/12/2026, the day first".into())
            }
            P::OpenEnded { typed, day } => (
                format!("{typed:?} says only on which day it begins"),
                format!(
                    "write {}, and in the column repeat how it repeats, or in the column end_date the last day",
                    day.format("%d/%m/%Y")
                ),
            ),
            P::NoSuchDay { typed } => {
                (format!("{typed:?} is no day of the calendar"), "correct the day".into())
            }
            P::DayOrMonth { row, typed } => (
                format!(
                    "may have the day or the month first, and the sheet has {typed:?} (row {row}), which has the month first"
                ),
                "write the name of the month, as in 5 Dec 2026, or the day first in all rows; in Google Sheets, \
                 File > Settings > Locale: Brazil does so by itself"
                    .into(),
            ),
            P::RelativeDay { typed } => {
                (format!("{typed:?} changes every day"), "write the date, such as 05/12/2026".into())
            }
            P::EndBeforeStart => said(
                "the end is before the start",
                "swap the two dates or correct the wrong one; over new year, write the year of both",
            ),
            P::NoDate => said("is empty, and the event does not repeat", "write the date, or how it repeats"),
            P::NotATime { typed } => {
                (format!("{typed:?} is not a time"), "write it as 19:30 or 19h to 22h".into())
            }
            P::NotARepeat { typed } => (
                format!("{typed:?} is not a known repetition"),
                "write it as every friday, 1st saturday of the month, day 25 of each month".into(),
            ),
            P::BadRule { typed } => (
                format!("{typed:?} is no rule that fits here"),
                "write it as every friday, 1st saturday of the month, day 25 of each month; the last day goes into the column \
                 until"
                    .into(),
            ),
            P::RepeatNeedsDate => {
                said("does not say on which day it begins", "write the first date in the column date")
            }
            P::ExceptWithoutRepeat => {
                said("there is an exception without a repetition", "say how the event repeats")
            }
            P::NotYesNo { typed } => (format!("{typed:?} is neither yes nor no"), "write yes or no".into()),
            P::NotAStatus { typed } => (
                format!("{typed:?} is not a status"),
                "write cancelled, postponed or sold out, or leave it empty".into(),
            ),
            P::NotALink { typed } => {
                (format!("{typed:?} is not a link"), "copy the whole address, from https:// on".into())
            }
            P::NotAHandle { typed } => (
                format!("{typed:?} is not an Instagram handle"),
                "write the handle alone: letters, digits, dots and _".into(),
            ),
            P::NotANumber { typed, wanted } => (
                format!("{typed:?} is not a number that fits here"),
                match wanted {
                    Wanted::Whole(least) => format!("write a whole number, {least} or more"),
                    Wanted::Degrees(example) => format!("write it as {example}"),
                },
            ),
            P::WouldEmpty { count } => (
                format!("the sheet has no rows, and the {count} records of the folder would vanish"),
                "look at the sheet; if that is right, import with --over".into(),
            ),
            P::VenueWithoutArea { typed, nearest } => (
                format!("{typed:?} is no place of the guide, and there is neither neighbourhood nor region"),
                match nearest {
                    Some(name) => format!(
                        "is it {name:?}? correct the venue, or fill in the neighbourhood or the region"
                    ),
                    None => "correct the venue, or fill in the neighbourhood or the region".into(),
                },
            ),
            P::UnknownPlace { typed } => (
                format!("{typed:?} is neither the id nor the name of a place of the guide"),
                "correct it, or add the place to the sheet of places".into(),
            ),
            P::PlaceRenamed { typed, now, .. } => (
                format!("the place {typed:?} is now called {now:?}, by the row with its id"),
                format!("write {now:?}; or put the old name into the column aliases of the place"),
            ),
            P::SeveralRepeats { typed } => (
                format!("{typed:?} names days of each week and days once a month"),
                "use two rows, one for each repetition".into(),
            ),
            P::Check { what, fix } | P::CheckElsewhere { what, fix, .. } => (what.clone(), fix.clone()),
            P::PlaceRemoved { place, events } => (
                match &**events {
                    [one] => format!("the place {place} is removed, and the event {one} is there"),
                    _ => format!(
                        "the place {place} is removed, and {} events are there: {}",
                        events.len(),
                        first_of(events)
                    ),
                },
                "keep the place in the sheet, or import the sheet of events without it too".into(),
            ),
            P::ColumnGone { en, count, first, is_refused, .. } => {
                let of = if *count == 1 { "record" } else { "records" };
                let lose = match (*is_refused, *count) {
                    (true, _) => "would lose",
                    (false, 1) => "loses",
                    (false, _) => "lose",
                };
                let fix = if *is_refused {
                    "bring the column back, or give its name to the one that holds it; to empty it, keep its header alone, \
                     or import with --over"
                } else {
                    "check it; if it should not, bring the column back and import again"
                };
                let first = some_of(first, *count);
                (format!("the column {en:?} is gone, and {count} {of} {lose} what it said ({first})"), fix.into())
            }
            P::OthersUnknown => said(
                "others changed the folder since the last import, and that cannot be compared with the sheet",
                "see what the sheet changes; if that is right, import with --over",
            ),
            P::UnknownEncoding => said(
                "the encoding of the accents cannot be told",
                "save it as CSV UTF-8: in Excel, File > Save As > CSV UTF-8",
            ),
            P::DamagedWorkbook => {
                said("is no Excel workbook, or is damaged", "open it in Excel and save it again as .xlsx")
            }
            P::WorkbookTooLarge => said(
                "has cells too far out, or is too large",
                "keep the columns and rows of the guide alone; delete what is far to the right",
            ),
            P::NoFiles => {
                said("the folder has no sheet", "put .xlsx or .csv files into it, or name another one")
            }
            P::HiddenSheet => {
                said("is hidden and was not read", "if the sheet is part of the guide, unhide it")
            }
            P::MissingColumn { en, .. } => (
                format!("the column {en:?} is missing"),
                "add it, or give this name to the column that holds it".into(),
            ),
            P::MoreCells { separator } => (
                format!("the row has more cells than the header, most likely by a {separator} within a text"),
                "put the text in quotes (\")".into(),
            ),
            P::OpenQuote => said(
                "has a quote (\") that does not close, and takes in the rows below",
                "close it at the end of the text, or delete it",
            ),
            P::ValueWithoutHeader => said(
                "has a value under an empty header, which was not read",
                "name the column, or delete the value; check that the row is not shifted",
            ),
            P::Uncalculated => said(
                "holds a formula whose value the file does not store",
                "open it in Excel or LibreOffice and save it, or type the value",
            ),
            P::Merged { .. } => said(
                "is merged with the cell above, and only the first row has the value",
                "unmerge the cells and write the value in each row",
            ),
            P::UnknownColumn { typed, nearest } => (
                format!("the column {typed:?} is not known"),
                nearest.map_or_else(
                    || "it was not read".to_owned(),
                    |near| format!("it was not read; did you mean {near:?}?"),
                ),
            ),
            P::RenamedColumn { typed, nearest } => (
                format!("the column {typed:?} is not known, and the column {nearest:?} is missing"),
                format!("if it holds that, rename it to {nearest:?}; otherwise add that column"),
            ),
            P::NearColumn { typed, read } => {
                (format!("the column {typed:?}"), format!("was read as {read:?}"))
            }
            P::RepeatedColumn { other } => {
                (format!("means the same as the column {other}, which was read"), "this one was not read".into())
            }
            P::SameColumn { other } => (
                format!("means the same as the column {other}, and it cannot be told which of the two counts"),
                "keep one of them, or name the other for what it is, such as \"internal remark\"".into(),
            ),
            P::MeansEmpty { typed } => (format!("{typed:?} means empty"), "leave the cell empty".into()),
            P::Mojibake => said("had garbled letters, such as SÃ£o", "it was mended; check it"),
            P::Invisible => said("had invisible characters", "they were removed"),
            P::LineBreak => said("had line breaks", "they became spaces"),
            P::DoubleSpace => said("had double spaces", "one of them stays"),
            P::SmartQuotes => said("had curly quotes", "they became straight ones"),
            P::Mended { typed, read } => (format!("{typed:?} was read as {read:?}"), "check it".into()),
            P::YearAssumed { day } => {
                (format!("the year is missing; it was read as {day}"), "write the year".into())
            }
            P::MonthFirst { day } => (
                format!("the month came before the day; it was read as {day}"),
                "write day/month/year".into(),
            ),
            P::WeekdayDiffers { day } => {
                (format!("{day} is another day of the week"), "check the date".into())
            }
            P::TimeAssumed { read } => (format!("was read as {read}"), "write it as 19:30".into()),
            P::TimeInDate => said("the date held the time too", "keep the day alone there, and the time in the column of times"),
            P::EndOfRepeat { until } => (
                "the last day is one on which the event has repeated already".into(),
                format!("it was read as the end of the repetition: until {until}"),
            ),
            P::Contradicts { typed, cell, other } => (
                format!("says {typed:?}, but {cell} says {other:?}"),
                "correct the cell that is wrong, or leave it empty".into(),
            ),
            P::StartsAtEndOfDay { typed } => (
                format!("{typed:?} starts at 24:00, the end of the day"),
                "write 00:00 with the date of the next day, or 23:59".into(),
            ),
            P::YearOutOfRange { day } => (
                format!("the date {day} is outside the years of a guide"),
                format!("correct the year: from {} to {}", YEARS.start(), YEARS.end()),
            ),
            P::TooLongRun { days } => (
                format!("the event would run for {days} days"),
                format!("correct the year; {MAX_RUN_DAYS} days is the most"),
            ),
            P::EndsAsItStarts => said("ends at the hour at which it begins", "correct the end, or remove it"),
            P::NoOccurrence => said(
                "the repetition gives no day from now on",
                "correct the repetition, its end or the exceptions, or delete the row",
            ),
            P::BeyondWindow { day } => (
                format!(
                    "the event begins on {day}, and of those that repeat the guide shows the next \
                     {WINDOW_DAYS} days only"
                ),
                "correct the year; if it is right, keep the first date alone until then, without the \
                 others and the repetition"
                    .into(),
            ),
            P::WeekdaysUnclear { typed } => (
                format!("{typed:?} does not say whether it is every day or on these weekdays alone"),
                "write it as fridays, 04/12/2026 to 18/12/2026; for every day, remove the weekday".into(),
            ),
            P::EndOfSeveral => said(
                "there is a last day, and several days: of which of them it is cannot be told",
                "remove the last day, or write one row for each run",
            ),
            P::NotAPrice { typed } => (
                format!("{typed:?} is no price"),
                "write it as R$ 20, R$ 20 to R$ 40 or free; telephone, link and time have other columns"
                    .into(),
            ),
            P::SeveralPlaces { typed, count, listed, .. } => (
                format!("{count} places have the name {typed:?}: {}", places(listed, "row")),
                "write the id of one of them into the column place, or its neighbourhood or region".into(),
            ),
            P::NoSuchFile => said("the file does not exist", "check its name and the folder"),
            P::NotPermitted => said("the file may not be opened", "ask for the permission to read it"),
            P::FileTooLarge { mib } => {
                (format!("the file has more than {mib} MiB"), "keep the sheets of the guide alone".into())
            }
            P::PublicContact { what } => (
                match what {
                    Contact::Telephone => "has a telephone number, which the guide shows to everybody".into(),
                    Contact::Mail => "has an e-mail address, which the guide shows to everybody".into(),
                },
                "remove it from the text, or move it to the column note, which is not shown; if it is for all, leave it"
                    .into(),
            ),
            P::StatusInName { typed, status } => (
                format!("is empty, and the name says {typed:?}"),
                format!(
                    "write {status:?} in this column and remove it from the name; if it is part of the name, write \
                     \"confirmed\""
                ),
            ),
            P::AllDay { typed } => {
                (format!("{typed:?} is not a time; it was left without one"), "leave the cell empty".into())
            }
            P::CentsApart { read, cents } => (
                format!(
                    "was read as {read:?}, and the next cell, which was not read, has {cents:?}: \
                     are these the cents?"
                ),
                format!("put the price in quotes in the file: \"{read},{cents}\""),
            ),
            P::SlashSessions { typed, count, read } => {
                let count = if *count == 2 { "two".to_owned() } else { count.to_string() };
                (
                    format!("{typed:?} was read as {count} sessions: {read}"),
                    "if it goes from one to the other, write it as 9h to 18h; sessions as 9h and 18h".into(),
                )
            }
            P::LongNight { read, hours } => (
                format!("was read as {read}, which is {hours} hours"),
                "check both times; if it lasts more than a day, write the last day too".into(),
            ),
            P::SecondHandle { read, typed } => (
                format!("of {typed:?} only the handle {read:?} was read"),
                "keep one handle; the others may stand in the column note".into(),
            ),
            P::AddressInOtherPart { area, other } => (
                format!("the address is in {area:?}, and the neighbourhood is {other:?}"),
                "correct the address or the neighbourhood".into(),
            ),
            P::ExchangedId => said(
                "the name of the row is the one that the folder has with another id",
                "see whether the ids moved to other rows: each stays with its name; if the names changed, leave it",
            ),
            P::SampleSheet => said(
                "is named as a model, an example or a draft and was not read",
                "if the sheet is part of the guide, name it Places or Events",
            ),
            P::NotesSkipped => said(
                "look like titles or notes and were not read",
                "if they are records, fill in the other columns",
            ),
            P::SheetChanges { count, first } => (
                format!(
                    "the folder is from no spreadsheet, and the sheet changes {count} {} of it: {}",
                    if *count == 1 { "record" } else { "records" },
                    changes(first, Lang::En)
                ),
                "if the sheet is older than the folder, write into it what holds and import again".into(),
            ),
            P::OutOfBounds { typed, least, greatest, lacks_minus, are_swapped, example } => (
                format!("{typed:?} is outside the map of the guide, which goes from {least} to {greatest}"),
                match example {
                    _ if *are_swapped => "latitude and longitude are swapped: swap them".into(),
                    _ if *lacks_minus => "the minus before the number is missing".into(),
                    Some(example) => format!("write it as {example}"),
                    None => "look it up on a map and correct it".into(),
                },
            ),
            P::Over => said("the event is over", "delete the row, or correct the date"),
            P::IdleExcept => {
                said("on one of the exceptions nothing would take place", "correct the day, or remove it")
            }
            P::Twins => said(
                "another row has the same name and area",
                "delete one of the two, or tell them apart by name",
            ),
            P::UnknownVenue => said(
                "is not the name of a place of the guide",
                "correct it, or add the place to the sheet Places; if it is not of the guide, leave it",
            ),
            P::HttpTickets => {
                said("a link begins with http://", "write https://, in the column of ticket links")
            }
            P::FarFromArea => said(
                "the position is far from the neighbourhood or region",
                "check the position, the neighbourhood and the region",
            ),
            P::FarOff => said("the event begins more than two years ahead", "check the year"),
            P::OffRule => said(
                "on this day the event does not take place, by its repetition",
                "write the first day of the repetition, or correct the repetition",
            ),
            P::NotServed { what, fix } => (what.clone(), fix.clone()),
            P::NotShown => said(
                "the event is not shown on the day on which it takes place",
                "correct this day, or leave it empty",
            ),
            P::OtherArea => said(
                "the place is in another neighbourhood or region than the event",
                "correct the venue, or the neighbourhood and the region; with the right place they may stay empty",
            ),
            P::AddressElsewhere => said(
                "the address is in another region",
                "correct the address, or the neighbourhood and the region",
            ),
            P::NotRead { file } => (
                format!("the file {file:?} was not read"),
                "save it as .xlsx or .csv, or remove it from the folder".into(),
            ),
            P::EveryMonth { first, next } => (
                format!("was read as day {} of each month: {}", first.day(), listed(next)),
                format!(
                    "if that is right, write \"day {} of each month\"; otherwise write {:?}",
                    first.day(),
                    of_month(*first)
                ),
            ),
            P::EveryWeek { typed, weekdays } => (
                format!("{typed:?} was read as every week, without end"),
                format!("for one day write the date, such as 05/12/2026; otherwise write {}", each(weekdays)),
            ),
            P::UntilWithoutRepeat => said(
                "it says until when the event repeats, and it does not repeat",
                "it was not used; say how it repeats",
            ),
            P::EndWithoutStart => said("the start time is missing", "the end time was not used; write both"),
            P::HttpLink => {
                said("the link began with http://", "it was written with https://; check that it opens")
            }
            P::CompletedLink => {
                said("the link did not begin with https://", "it was completed; check that it opens")
            }
            P::EncodedLink => {
                said("the link had spaces or accents", "they were encoded; check that it opens")
            }
            P::HandleMended { read } => {
                (format!("the handle was read as {read:?}"), "write the handle alone".into())
            }
            P::PostLink => {
                said("is the link of a post, not of a profile", "it is kept as the Instagram link only")
            }
            P::AreaFromAddress { read } => {
                (format!("is empty; by the address it is {read:?}"), "check it".into())
            }
            P::ListedTwice { typed } => (format!("{typed:?} is listed twice"), "one was kept".into()),
            P::TimeForLastDay { typed } => (
                format!("{typed:?} is a time, and this column is that of the last day"),
                "if the column has times, name it \"end_time\"".into(),
            ),
            P::BelongsTo { field } => {
                let column = name_of(field, Lang::En);
                (format!("this is of the column {column}, and was put there"), "write it there".into())
            }
            P::BarePrice => said("is a number without R$, and was read as reais", "check it"),
            P::LinesJoined => said("had line breaks", "they became commas"),
            P::HtmlCodes => said("had codes of HTML, such as &amp;", "they became the letters that they stand for"),
            P::QuestionMarks => said(
                "has a ? within a word, perhaps in the place of a letter that was lost",
                "if so, type the text again",
            ),
            P::ClosedInName { typed } => (
                format!("the name says {typed:?}, and the guide shows the place as open"),
                "if it has closed, delete the row or write yes in the column hidden; if not, take this out of the name"
                    .into(),
            ),
            P::PrecisionAlone => {
                said("lacks latitude and longitude", "the precision was not used; write all three, or none")
            }
            P::IdsFollowNames => said(
                "the ids had changed rows, and each record keeps the one that its name had",
                "when you sort the sheet, select the column of ids too",
            ),
            P::IdChanged { before, now } => (
                format!("the id changed from {before:?} to {now:?}"),
                format!("if you did not mean it, write {before:?} again: links to the record use the old one"),
            ),
            P::PlaceGone { typed } => (
                format!("the place {typed:?} is gone from the sheet of places, and the event is there"),
                "bring the place back, or correct the venue; like this the event is without its place".into(),
            ),
            P::SheetGone { sheet, is_of_places } => (
                format!(
                    "the last import read {sheet:?}, which the file does not have any more; the {} of the folder stay as \
                     they are",
                    if *is_of_places { "places" } else { "events" }
                ),
                "bring the sheet back; to empty it, leave nothing but its header and import with --over".into(),
            ),
            P::HalfDescription => {
                said("the description in the other language is missing", "it was not used; write both")
            }
            P::HalfPosition => said(
                "the other coordinate is missing",
                "the position was not used; write latitude and longitude",
            ),
            P::BadId { typed, read } => (
                format!("{typed:?} cannot be an id"),
                format!("it became {read:?}; ids have a-z, 0-9 and hyphens"),
            ),
            P::TwinId { typed, read } => (
                format!("{typed:?} is the id of another row already"),
                format!("this one became {read:?}; in copied rows clear the id"),
            ),
            P::ColumnOfOtherKind => said("this column belongs to the other sheet", "it was not read"),
            P::NoRecords { .. } => said(
                "neither the sheets nor the folder have places or events",
                "fill in the sheets and import again",
            ),
            P::Vanishes { count: 1, first } => {
                ("1 record of the folder is not in the sheets and vanishes".to_owned(), first.join(", "))
            }
            P::Vanishes { count, first } => (
                format!("{count} records of the folder are not in the sheets and vanish"),
                format!("the first: {}", first.join(", ")),
            ),
            P::KeptOfOthers { changes } => (
                format!(
                    "others changed this since the last import, and it stays: {}",
                    of_others(changes, Lang::En)
                ),
                "write into the sheet what holds; to let the sheet win, import with --over".into(),
            ),
            P::ReplacesOthers { changes } => (
                format!(
                    "others changed this since the last import, and so did the sheet: {}",
                    of_others(changes, Lang::En)
                ),
                "the sheet wins; see that this is meant".into(),
            ),
            P::IdsNotWritten { why } => (
                format!("the ids were not written into the sheet: {}", why.text(Lang::En)),
                "the names keep them for now; import again before you change names".into(),
            ),
            P::IdsBeside { file } => (
                "the ids cannot be written into the sheet without risk".into(),
                format!("they are in {file:?}: copy the column id into the sheet"),
            ),
            P::OpenElsewhere => said(
                "the ids were not written: the file is open in another program",
                "close it and import again",
            ),
            P::ChangedMeanwhile => {
                said("the ids were not written: the file changed during the import", "import again")
            }
            P::IdsNeedColumn => said(
                "the ids cannot be written to this address",
                "the names keep them; before you change a name, copy its id into a column id",
            ),
            P::Empty => said("is empty", "fill it in when you know it"),
            P::SheetSkipped => said("is no sheet of places or events", "it was not read"),
            P::PrecisionAssumed => said("the position has no precision", "50 m was assumed"),
        }
    }
}
