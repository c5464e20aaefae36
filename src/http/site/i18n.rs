//! Words that several pages share, in both languages: days, and every no that a visitor may meet. Uses
//! [`super::super::html`] and [`crate::domain::error`].

use chrono::{Datelike, NaiveDate};

use super::super::html::Language;
use crate::domain::error::ApiError;

const WEEKDAYS: [(&str, &str); 7] = [
    ("segunda", "Monday"),
    ("terça", "Tuesday"),
    ("quarta", "Wednesday"),
    ("quinta", "Thursday"),
    ("sexta", "Friday"),
    ("sábado", "Saturday"),
    ("domingo", "Sunday"),
];

const MONTHS: [(&str, &str); 12] = [
    ("janeiro", "January"),
    ("fevereiro", "February"),
    ("março", "March"),
    ("abril", "April"),
    ("maio", "May"),
    ("junho", "June"),
    ("julho", "July"),
    ("agosto", "August"),
    ("setembro", "September"),
    ("outubro", "October"),
    ("novembro", "November"),
    ("dezembro", "December"),
];

/// The name of a day of the week.
pub(super) fn weekday(language: Language, day: NaiveDate) -> &'static str {
    let (portuguese, english) = WEEKDAYS[day.weekday().num_days_from_monday() as usize];
    language.pick(portuguese, english)
}

/// The name of a month.
pub(super) fn month(language: Language, day: NaiveDate) -> &'static str {
    let (portuguese, english) = MONTHS[day.month0() as usize];
    language.pick(portuguese, english)
}

/// The first three letters of a name of ours, which all begin with letters of one accent at most.
pub(super) fn short(name: &'static str) -> &'static str {
    name.char_indices().nth(3).map_or(name, |(end, _)| &name[..end])
}

/// A day in full: "sábado, 21 de novembro", "Saturday, 21 November".
pub(super) fn day(language: Language, day: NaiveDate) -> String {
    let of = language.pick(" de ", " ");
    format!("{}, {}{of}{}", weekday(language, day), day.day(), month(language, day))
}

/// A day without its weekday: "21 de novembro", with the year when it is not this one.
pub(super) fn date(language: Language, day: NaiveDate, today: NaiveDate) -> String {
    let of = language.pick(" de ", " ");
    let plain = format!("{}{of}{}", day.day(), month(language, day));
    if day.year() == today.year() { plain } else { format!("{plain}{of}{}", day.year()) }
}

/// A number as it is grouped in the language: 1.000 or 1,000.
pub(super) fn number(language: Language, number: u32) -> String {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(number);
    let mut grouped = String::with_capacity(16);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(language.pick('.', ','));
        }
        grouped.push(digit);
    }
    grouped
}

/// A time to wait: seconds, minutes or hours.
fn wait(language: Language, seconds: u32) -> String {
    let (count, one, many) = match seconds {
        ..=90 => (seconds, language.pick("segundo", "second"), language.pick("segundos", "seconds")),
        91..=5_400 => {
            (seconds.div_ceil(60), language.pick("minuto", "minute"), language.pick("minutos", "minutes"))
        }
        _ => (seconds.div_ceil(3_600), language.pick("hora", "hour"), language.pick("horas", "hours")),
    };
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What a refusal says to somebody who fills in a form: what to do, and names that may be meant instead.
pub(super) struct Plain {
    /// The sentence.
    pub(super) sentence: String,
    /// The field of the form it is about.
    pub(super) field: Option<&'static str>,
    /// What may be sent in that field instead.
    pub(super) instead: Vec<String>,
}

/// A refusal in plain words.
pub(super) fn plain(language: Language, refusal: &ApiError) -> Plain {
    use ApiError::*;
    let say = |portuguese: &str, english: &str| language.pick(portuguese, english).to_owned();
    let told = refusal.details();
    let field = told.param;
    let (sentence, instead) = match refusal {
        UnknownRegion { nearest, .. } => {
            (say("Não conhecemos esse bairro ou região.", "We do not know that area."), nearest.clone())
        }
        AmbiguousRegion { readings, .. } => (
            say(
                "Esse endereço existe em mais de um lugar. Qual deles?",
                "That address exists in several places. Which one?",
            ),
            readings.clone(),
        ),
        UnknownCategory { nearest } => {
            (say("Não conhecemos essa categoria.", "We do not know that category."), nearest.clone())
        }
        PreviewRegion => (
            say(
                "Sem chave, o guia mostra só o Plano Piloto. As outras regiões do DF estão nos planos pagos.",
                "Without a key the guide shows Plano Piloto only. Paid plans cover the whole Federal \
                 District.",
            ),
            Vec::new(),
        ),
        PreviewLimited { retry_after, .. } => {
            let wait = wait(language, *retry_after);
            let sentence = language.pick(
                format!(
                    "As buscas sem chave se esgotaram por ora. Volte em {wait} ou pegue uma chave, de graça."
                ),
                format!(
                    "The searches without a key are used up for now. Come back in {wait}, or get a key \
                 for free."
                ),
            );
            (sentence, Vec::new())
        }
        TextTooLong { max, .. } => {
            let sentence = language.pick(
                format!("Encurte o texto: cabem {max} caracteres."),
                format!("Shorten the text: it may have {max} characters."),
            );
            (sentence, Vec::new())
        }
        TooManyWords { max, .. } => {
            let sentence = language.pick(
                format!("Use menos palavras: no máximo {max}."),
                format!("Use fewer words: at most {max}."),
            );
            (sentence, Vec::new())
        }
        InvalidDate { .. } | DatesReversed => {
            (say("Escolha um dia do calendário.", "Choose a day of the calendar."), Vec::new())
        }
        NoGuide => (
            say(
                "O guia está sendo carregado. Tente de novo em um instante.",
                "The guide is being loaded. Try again in a moment.",
            ),
            Vec::new(),
        ),
        StoreUnavailable | Overloaded | RequestTimeout => (
            say(
                "Não deu certo agora. Tente de novo em um instante.",
                "That did not work. Try again in a moment.",
            ),
            Vec::new(),
        ),
        InvalidEmail | MissingParam { param: "email" } => (
            say(
                "Escreva um e-mail completo, como maria@exemplo.com.br.",
                "Write a complete e-mail address, like maria@example.com.",
            ),
            Vec::new(),
        ),
        TooManySignups { retry_after } => {
            let wait = wait(language, *retry_after);
            let sentence = language.pick(
                format!(
                    "Foram pedidos demais com este e-mail ou desta rede. Procure o e-mail anterior, \
                 também no spam, ou volte em {wait}."
                ),
                format!(
                    "Too many requests for this e-mail or from this network. Look for the earlier \
                 mail, in the spam folder too, or come back in {wait}."
                ),
            );
            (sentence, Vec::new())
        }
        MissingKey | InvalidKey | ConflictingKeys => (
            say(
                "Esta chave não vale. Copie a chave inteira do e-mail; ela começa com cdg_live_.",
                "This key is not valid. Copy the whole key from the mail; it begins with cdg_live_.",
            ),
            Vec::new(),
        ),
        RateLimited { retry_after, .. } | TooManyCheckouts { retry_after } => {
            let wait = wait(language, *retry_after);
            let sentence = language.pick(
                format!("Foram tentativas demais. Volte em {wait}."),
                format!("Too many attempts. Come back in {wait}."),
            );
            (sentence, Vec::new())
        }
        BillingClosed => {
            (say("Os planos pagos ainda não estão abertos.", "Paid plans are not open yet."), Vec::new())
        }
        GatewayUnavailable => (
            say(
                "O meio de pagamento não respondeu. Nada foi cobrado; tente de novo em um instante.",
                "The payment provider did not answer. Nothing was charged; try again in a moment.",
            ),
            Vec::new(),
        ),
        BadPlan => (say("Escolha um dos planos.", "Choose one of the plans."), Vec::new()),
        BadTaxId | MissingParam { param: "tax_id" } => (
            say(
                "Confira o número: um CPF tem 11 dígitos, um CNPJ tem 14 caracteres.",
                "Check the number: a CPF has 11 digits, a CNPJ has 14 characters.",
            ),
            Vec::new(),
        ),
        BadMethod => (say("Escolha como pagar.", "Choose how to pay."), Vec::new()),
        SamePlan { plan } => {
            let title = plan.title();
            let sentence = language.pick(
                format!("Esta conta já está no plano {title}. Escolha outro."),
                format!("This account is on the {title} plan already. Choose another."),
            );
            (sentence, Vec::new())
        }
        _ => match language {
            Language::Portuguese => {
                ("Não deu certo. Confira o que foi enviado e tente de novo.".to_owned(), Vec::new())
            }
            Language::English => (told.message.into_owned(), Vec::new()),
        },
    };
    let field = match refusal {
        MissingKey | InvalidKey | ConflictingKeys => Some("key"),
        _ => field,
    };
    Plain { sentence, field, instead }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_numbers_read_as_people_write_them() {
        let saturday = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        assert_eq!(day(Language::Portuguese, saturday), "sábado, 21 de novembro");
        assert_eq!(day(Language::English, saturday), "Saturday, 21 November");
        let later = NaiveDate::from_ymd_opt(2027, 4, 21).unwrap();
        assert_eq!(date(Language::Portuguese, later, saturday), "21 de abril de 2027");
        assert_eq!(short(weekday(Language::Portuguese, saturday)), "sáb");
        assert_eq!(number(Language::Portuguese, 1_000_000), "1.000.000");
        assert_eq!(number(Language::English, 500), "500");
        assert_eq!(wait(Language::Portuguese, 1), "1 segundo");
        assert_eq!(wait(Language::English, 3_500), "59 minutes");
    }

    #[test]
    fn every_refusal_has_plain_words_in_both_languages() {
        for refusal in ApiError::examples() {
            for language in [Language::Portuguese, Language::English] {
                let Plain { sentence, .. } = plain(language, &refusal);
                assert!(sentence.ends_with(['.', '?']), "{sentence}");
                assert!(!sentence.contains("  "), "{sentence}");
            }
        }
    }
}
