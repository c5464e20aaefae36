//! Dates, numbers, categories and errors in the words of a language.

use std::borrow::Cow;

use chrono::{Datelike, NaiveDate};
use index::CategoryId;
use index::vocabulary::ArchivedVocabularyIndex;

use crate::domain::error::{ApiError, PreviewScope};
use crate::domain::plan::{grouped, reais};
use crate::http::language::Language;
use crate::http::site::data::date_pattern::{DatePattern, SeriesDates};
use crate::http::site::texts::{Calendar, Texts};

/// The name of a category.
pub(crate) fn category_name(
    vocabulary: &ArchivedVocabularyIndex,
    language: Language,
    id: CategoryId,
) -> &str {
    let category = vocabulary.category(id);
    language.pick(&category.pt, &category.en).as_str()
}

impl Calendar {
    /// The name of a day of the week.
    pub(crate) fn weekday(&self, day: NaiveDate) -> &'static str {
        self.weekdays[day.weekday() as usize]
    }

    /// The name of a month.
    pub(crate) fn month(&self, day: NaiveDate) -> &'static str {
        self.months[day.month0() as usize]
    }

    /// The number of a day before the name of its month: "1º", "2".
    fn number_of_day(&self, day: NaiveDate) -> Cow<'static, str> {
        match day.day() {
            1 => self.first.into(),
            number => number.to_string().into(),
        }
    }

    /// A day with its weekday: "sábado, 21 de novembro", "Saturday, 21 November".
    pub(crate) fn day(&self, day: NaiveDate) -> String {
        format!("{}, {}{}{}", self.weekday(day), self.number_of_day(day), self.of, self.month(day))
    }

    /// A day without its weekday: "21 de novembro", with the year unless it is this one.
    pub(crate) fn date(&self, day: NaiveDate, today: NaiveDate) -> String {
        let Calendar { of, .. } = self;
        let date = format!("{}{of}{}", self.number_of_day(day), self.month(day));
        if day.year() == today.year() { date } else { format!("{date}{of}{}", day.year()) }
    }

    /// The days from one to another without their weekdays: "10 de novembro a 20 de dezembro", "6 a 10 de fevereiro";
    /// of one day that one.
    pub(crate) fn dates(&self, first: NaiveDate, last: NaiveDate, today: NaiveDate) -> String {
        if last <= first {
            return self.date(first, today);
        }
        format!("{}{}{}", self.before(first, last, today), self.to, self.date(last, today))
    }

    /// A day before a later one: what both have of month and year is said once.
    fn before(&self, day: NaiveDate, later: NaiveDate, today: NaiveDate) -> Cow<'static, str> {
        match (day.year() == later.year(), day.month() == later.month()) {
            (true, true) => self.number_of_day(day),
            (true, false) => self.date(day, later).into(),
            (false, _) => self.date(day, today).into(),
        }
    }

    /// Days one by one: "5 e 6 de dezembro", "31 January and 1 February".
    pub(crate) fn listed(&self, days: &[NaiveDate], today: NaiveDate) -> String {
        let [others @ .., last] = days else { return String::new() };
        let is_of_next =
            |day: &NaiveDate, next: &NaiveDate| (day.year(), day.month()) == (next.year(), next.month());
        let named = others.iter().zip(&days[1..]).map(|(day, next)| match is_of_next(day, next) {
            true => self.number_of_day(*day),
            false => self.date(*day, *next).into(),
        });
        let named: Vec<Cow<'static, str>> = named.collect();
        let and = if named.is_empty() { "" } else { self.and };
        format!("{}{and}{}", named.join(", "), self.date(*last, today))
    }

    /// A minute of the day, in the words of the language.
    pub(crate) fn minute(&self, minute: u16) -> String {
        (self.time)(&format!("{:02}:{:02}", minute / 60 % 24, minute % 60))
    }

    /// A day with its weekday, and with the year unless it is this one.
    pub(crate) fn dated(&self, day: NaiveDate, today: NaiveDate) -> String {
        format!("{}, {}", self.weekday(day), self.date(day, today))
    }

    /// A day in few letters: "29 nov", with the year unless it is this one.
    pub(crate) fn short(&self, day: NaiveDate, today: NaiveDate) -> String {
        let date = format!("{} {}", self.number_of_day(day), abbreviated(self.month(day)));
        if day.year() == today.year() { date } else { format!("{date} {}", day.year()) }
    }

    /// A day with its weekday in few letters: "dom 6 dez".
    pub(crate) fn brief(&self, day: NaiveDate, today: NaiveDate) -> String {
        format!("{} {}", abbreviated(self.weekday(day)), self.short(day, today))
    }

    /// When a series takes place, as within a sentence: "4, 5 e 6 de dezembro", "every Saturday until 19 Dec".
    pub(crate) fn series(&self, when: &SeriesDates, today: NaiveDate) -> String {
        match when {
            SeriesDates::Few(days) => self.listed(days, today),
            SeriesDates::Run(first, last) => self.dates(*first, *last, today),
            SeriesDates::Often(pattern, None) => self.recurrence(pattern),
            SeriesDates::Often(pattern, Some(end)) => {
                format!("{}{}{}", self.recurrence(pattern), self.until, self.short(*end, today))
            }
        }
    }

    /// How often a series takes place: "todo domingo", "Thursday to Sunday".
    fn recurrence(&self, recurrence: &DatePattern) -> String {
        match recurrence {
            DatePattern::Daily => self.every_day.to_owned(),
            DatePattern::Weekly(days) => self.weekly(days),
            DatePattern::Fortnightly(day) => (self.fortnightly)(self.weekdays[*day]),
            DatePattern::DayOfMonth(day) => (self.day_of_month)(*day),
            DatePattern::InMonth(nth, day) => (self.in_month)(*nth, *day, self.weekdays[*day]),
        }
    }

    fn weekly(&self, days: &[usize]) -> String {
        let name = |day: &usize| self.weekdays[*day];
        match days {
            [] => String::new(),
            [day] => self.every[*day].to_owned(),
            [first, .., last] if last - first + 1 == days.len() && days.len() > 2 => {
                (self.weekdays_from)(name(first), name(last))
            }
            [others @ .., last] => {
                let others: Vec<&str> = others.iter().map(name).collect();
                format!("{}{}{}", others.join(", "), self.and, name(last))
            }
        }
    }

    /// A number with its digits grouped: 1.000 or 1,000.
    pub(crate) fn number(&self, number: u32) -> String {
        grouped(number, self.group_separator)
    }

    /// A distance: 350 m, 1,4 km or 1.4 km.
    pub(crate) fn distance(&self, metres: u32) -> String {
        // what groups digits in one language marks the decimals in the other
        let mark = if self.group_separator == "." { ',' } else { '.' };
        match metres {
            ..950 => format!("{} m", metres.div_ceil(50) * 50),
            _ => {
                let tenths = metres.div_ceil(100);
                format!("{}{mark}{} km", tenths / 10, tenths % 10)
            }
        }
    }

    /// An amount of reais.
    pub(crate) fn price(&self, cents: impl Into<u64>) -> String {
        let price = reais(cents);
        match self.group_separator {
            "." => price,
            // what groups digits in one language marks the decimals in the other
            _ => price
                .chars()
                .map(|mark| match mark {
                    ',' => '.',
                    '.' => ',',
                    mark => mark,
                })
                .collect(),
        }
    }

    /// A time to wait, in seconds, minutes or hours.
    fn wait(&self, seconds: u32) -> String {
        let (count, [one, many]) = match seconds {
            ..=90 => (seconds, self.seconds),
            91..=5_400 => (seconds.div_ceil(60), self.minutes),
            _ => (seconds.div_ceil(3_600), self.hours),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

/// The first three letters of a name.
pub(crate) fn abbreviated(name: &'static str) -> &'static str {
    name.char_indices().nth(3).map_or(name, |(end, _)| &name[..end])
}

/// An error as a form shows it.
pub(crate) struct FormError {
    /// What to do.
    pub(crate) sentence: String,
    /// The field of the form that is wrong.
    pub(crate) field: Option<&'static str>,
    /// Values that the field takes and that may be meant.
    pub(crate) suggestions: Vec<String>,
}

impl FormError {
    /// What is wrong with a field, or with the form as a whole.
    pub(crate) fn of(field: Option<&'static str>, sentence: String) -> FormError {
        FormError { sentence, field, suggestions: Vec::new() }
    }

    /// An error of the service.
    pub(crate) fn new(texts: &Texts, error: &ApiError) -> FormError {
        use ApiError::*;
        let suggestions = match error {
            UnknownRegion { nearest, .. } | UnknownNear { nearest, .. } | UnknownCategory { nearest, .. } => {
                nearest.clone()
            }
            AmbiguousRegion { readings, .. } | AmbiguousNear { readings } => readings.clone(),
            _ => Vec::new(),
        };
        let field = match error {
            MissingKey | InvalidKey | AccountBlocked | ConflictingKeys { .. } => Some("key"),
            _ => error.details().param,
        };
        FormError { sentence: sentence(texts, error), field, suggestions }
    }
}

fn sentence(Texts { errors, calendar, .. }: &Texts, error: &ApiError) -> String {
    use ApiError::*;
    let fixed = match error {
        PreviewLimited { scope: PreviewScope::NetworkDay, .. } => errors.many_searches_today,
        PreviewLimited { retry_after, .. } => return (errors.many_searches)(&calendar.wait(*retry_after)),
        TooManySignups { of_network: false, retry_after } => {
            return (errors.too_many_signups)(&calendar.wait(*retry_after));
        }
        RateLimited { retry_after, .. }
        | TooManyCheckouts { retry_after, .. }
        | TooManySignups { of_network: true, retry_after }
        | TooManyRecoveries { retry_after }
        | TooManyRotations { retry_after } => {
            return (errors.too_many_attempts)(&calendar.wait(*retry_after));
        }
        TooManySuggestions { is_of_all: false, retry_after } => {
            return (errors.too_many_suggestions)(&calendar.wait(*retry_after));
        }
        TooManySuggestions { is_of_all: true, retry_after } => {
            return (errors.too_many_today)(&calendar.wait(*retry_after));
        }
        TextTooLong { max, .. } => return (errors.text_too_long)(*max),
        TooManyValues { max, .. } => return (errors.too_many_values)(*max),
        SamePlan { plan } => return (errors.same_plan)(plan.title()),
        UnknownRegion { .. } => errors.unknown_region,
        AmbiguousRegion { .. } | AmbiguousNear { .. } => errors.ambiguous_region,
        UnknownCategory { .. } => errors.unknown_category,
        PreviewRegion | PlanRegion { .. } => errors.preview_region,
        InvalidDate { .. } | InvalidTime { .. } | DatesReversed => errors.invalid_date,
        NoGuide => errors.loading,
        InvalidCursor => errors.old_page,
        StoreUnavailable | Overloaded | RequestTimeout | AnswerTimeout => errors.unavailable,
        InvalidEmail | MissingParam { param: "email", .. } => errors.invalid_email,
        MissingKey | InvalidKey | ConflictingKeys { .. } => errors.invalid_key,
        InvalidCode | MissingParam { param: "code", .. } => errors.invalid_code,
        AccountBlocked => errors.account_blocked,
        SignupClosed => errors.signup_closed,
        BillingClosed => errors.billing_closed,
        GatewayUnavailable => errors.gateway_unavailable,
        BadPlan | MissingParam { param: "plan", .. } => errors.bad_plan,
        BadTaxId | MissingParam { param: "tax_id", .. } => errors.bad_tax_id,
        BadMethod => errors.bad_method,
        MissingParam { param: "text", .. } => errors.missing_text,
        ForeignForm => errors.foreign_form,
        _ => return (errors.other)(&error.details().message),
    };
    fixed.to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::texts;
    use super::*;
    use crate::http::language::Language;

    #[test]
    fn dates_and_numbers_follow_the_language() {
        let [portuguese, english] = Language::ALL.map(|language| &texts::of(language).calendar);
        let saturday = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        assert_eq!(portuguese.day(saturday), "sábado, 21 de novembro");
        assert_eq!(english.day(saturday), "Saturday, 21 November");
        let first = NaiveDate::from_ymd_opt(2026, 12, 1).unwrap();
        assert_eq!(portuguese.day(first), "terça, 1º de dezembro");
        assert_eq!(portuguese.short(first, saturday), "1º dez");
        assert_eq!(portuguese.brief(saturday, saturday), "sáb 21 nov");
        assert_eq!(english.dated(first, saturday), "Tuesday, 1 December");
        let later = NaiveDate::from_ymd_opt(2027, 4, 21).unwrap();
        assert_eq!(portuguese.date(later, saturday), "21 de abril de 2027");
        assert_eq!(english.date(saturday, saturday), "21 November");
        assert_eq!(abbreviated(portuguese.weekday(saturday)), "sáb");
        assert_eq!(portuguese.dated(later, saturday), "quarta, 21 de abril de 2027");
        assert_eq!(english.short(later, saturday), "21 Apr 2027");
        let days = [first + chrono::Days::new(4), first + chrono::Days::new(5)];
        assert_eq!(portuguese.listed(&days, saturday), "5 e 6 de dezembro");
        assert_eq!(
            english.listed(&[first.pred_opt().unwrap(), first], saturday),
            "30 November and 1 December"
        );
        for (last, texts) in [
            (saturday, ["21 de novembro", "21 November"]),
            (first, ["21 de novembro a 1º de dezembro", "21 November to 1 December"]),
            (later, ["21 de novembro a 21 de abril de 2027", "21 November to 21 April 2027"]),
            (saturday + chrono::Days::new(4), ["21 a 25 de novembro", "21 to 25 November"]),
        ] {
            assert_eq!([portuguese, english].map(|calendar| calendar.dates(saturday, last, saturday)), texts);
        }
        for (recurrence, texts) in [
            (DatePattern::Weekly(vec![6]), ["todo domingo", "every Sunday"]),
            (DatePattern::Weekly(vec![1, 3]), ["terça e quinta", "Tuesday and Thursday"]),
            (DatePattern::Weekly(vec![3, 4, 5, 6]), ["de quinta a domingo", "Thursday to Sunday"]),
            (DatePattern::InMonth(Some(1), 6), ["todo 1º domingo do mês", "first Sunday of the month"]),
            (DatePattern::DayOfMonth(1), ["todo dia 1º", "on day 1 of every month"]),
            (DatePattern::DayOfMonth(25), ["todo dia 25", "on day 25 of every month"]),
        ] {
            assert_eq!([portuguese, english].map(|calendar| calendar.recurrence(&recurrence)), texts);
        }
        assert_eq!(["12:00", "09:30", "00:30"].map(portuguese.time), ["12h", "9h30", "0h30"]);
        assert_eq!(portuguese.number(1_000_000), "1.000.000");
        assert_eq!(english.number(500), "500");
        assert_eq!(portuguese.wait(1), "1 segundo");
        assert_eq!(english.wait(3_500), "59 minutes");
    }

    #[test]
    fn every_error_has_a_sentence_in_each_language() {
        for error in ApiError::examples() {
            for language in Language::ALL {
                let FormError { sentence, .. } = FormError::new(texts::of(language), &error);
                assert!(sentence.ends_with(['.', '?']) && !sentence.contains("  "), "{sentence}");
            }
        }
    }
}
