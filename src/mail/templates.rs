//! What letters say: each in Portuguese and, after it, in English; as plain text and as simple HTML.
//!
//! Nothing that a stranger sent is in a letter but the address it goes to, and that is an [`Email`], which no
//! header can be broken with. Uses [`crate::domain::account`], [`crate::domain::clock`], [`crate::config`] and lettre.

use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};

use crate::config::Config;
use crate::domain::account::{Email, MailId};
use crate::domain::api_key::ApiKey;
use crate::domain::clock::{UnixMillis, day_of};
use crate::domain::code::RecoveryCode;
use crate::domain::plan::Plan;

/// What a letter has to tell.
#[derive(Debug)]
pub(super) enum MailContent<'a> {
    /// Here is your key.
    Welcome(&'a ApiKey),
    /// Here is a code for a new key.
    Recovery(&'a RecoveryCode),
    /// Here is your new key, in the place of the old one.
    Rotated(&'a ApiKey),
    /// Your key was replaced at a moment, and the new one cannot be told any more.
    RotatedBefore(UnixMillis),
    /// A month was paid.
    Paid { plan: Plan, until: UnixMillis },
    /// A month should have been paid; the plan in force, if there is one, ends then.
    Overdue { pay_url: Option<&'a str>, ends: Option<(Plan, UnixMillis)> },
    /// A card was refused.
    Declined { pay_url: &'a str },
    /// A payment was given back; what is left is this.
    Refunded { left: Option<(Plan, UnixMillis)> },
    /// Nothing more will be charged.
    Canceled { plan: Plan, until: UnixMillis },
    /// The paid plan has ended.
    Ended,
}

/// What all letters have in common.
#[derive(Debug)]
pub(super) struct Templates {
    from: Mailbox,
    service: String,
    url: String,
}

/// A piece of a letter.
enum Piece {
    /// A paragraph.
    Say(String),
    /// Something to be copied, line by line.
    Show(String),
}
use Piece::{Say, Show};

impl Templates {
    pub(super) fn new(config: &Config) -> Templates {
        Templates {
            from: config.mail_from.0.clone(),
            service: config.service_name.clone(),
            url: config.base_url.as_str().to_owned(),
        }
    }

    /// The letter, ready to be sent. Its name is told by `id`, so that a reader who gets it twice can tell.
    pub(super) fn write(
        &self,
        id: &MailId,
        to: &Email,
        news: &MailContent<'_>,
        now: UnixMillis,
    ) -> Result<Message, lettre::error::Error> {
        let (portuguese, english) = self.say(news);
        let plain = format!("{}\n* * *\n\n{}", as_text(&portuguese), as_text(&english));
        let html = format!(
            "<!doctype html>\n<html lang=\"pt-BR\">\n<head><meta charset=\"utf-8\"></head>\n<body>\n{}<hr>\n\
             <div lang=\"en\">\n{}</div>\n</body>\n</html>\n",
            as_html(&portuguese),
            as_html(&english)
        );
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        let since = Duration::from_millis(u64::try_from(now.0).unwrap_or_default());
        Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, address(to)))
            .subject(self.subject(news))
            .date(UNIX_EPOCH + since)
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
            .multipart(MultiPart::alternative_plain_html(plain, html))
    }

    fn subject(&self, news: &MailContent<'_>) -> String {
        let (portuguese, english) = match news {
            MailContent::Welcome(_) => ("sua chave", "your key"),
            MailContent::Recovery(_) => ("código para uma nova chave", "a code for a new key"),
            MailContent::Rotated(_) => ("sua nova chave", "your new key"),
            MailContent::RotatedBefore(_) => ("sua chave foi trocada", "your key was replaced"),
            MailContent::Paid { .. } => ("pagamento confirmado", "payment confirmed"),
            MailContent::Overdue { .. } => ("pagamento em atraso", "payment overdue"),
            MailContent::Declined { .. } => ("cartão recusado", "card declined"),
            MailContent::Refunded { .. } => ("pagamento devolvido", "payment refunded"),
            MailContent::Canceled { .. } => ("assinatura cancelada", "subscription canceled"),
            MailContent::Ended => ("seu plano terminou", "your plan has ended"),
        };
        format!("{}: {portuguese} · {english}", self.service)
    }

    /// The letter in Portuguese, and in English.
    fn say(&self, news: &MailContent<'_>) -> (Vec<Piece>, Vec<Piece>) {
        let (service, url) = (&self.service, &self.url);
        match news {
            MailContent::Welcome(key) => (
                vec![
                    Say(format!("Olá! Que bom ter você por aqui. Esta é a sua chave para {service}:")),
                    Show(key.reveal().to_owned()),
                    Say("Experimente já:".to_owned()),
                    Show(self.try_it(key)),
                    Say(format!(
                        "Guarde bem a chave: só fica conosco um resumo dela, que não permite mostrá-la de novo. \
                         Se a perder, peça outra em POST {url}/v1/keys/recover."
                    )),
                    Say("Não foi você que pediu? Então pode ignorar esta mensagem.".to_owned()),
                ],
                vec![
                    Say(format!("Hello! How good to have you here. This is your key for {service}:")),
                    Show(key.reveal().to_owned()),
                    Say("Try it now:".to_owned()),
                    Show(self.try_it(key)),
                    Say(format!(
                        "Keep the key safe: we keep only a hash of it and cannot show it again. If you lose it, \
                         ask for another at POST {url}/v1/keys/recover."
                    )),
                    Say("It was not you who asked? Then just ignore this message.".to_owned()),
                ],
            ),
            MailContent::Recovery(code) => (
                vec![
                    Say(format!(
                        "Olá! Alguém, esperamos que você, pediu uma chave de {service} para este endereço, que já \
                         tem uma. Com este código você recebe uma nova:"
                    )),
                    Show(code.reveal()),
                    Say("Ele vale por 30 minutos, uma única vez. Use-o assim:".to_owned()),
                    Show(self.redeem_it(code, "SEU_EMAIL")),
                    Say("As chaves antigas só deixam de valer quando o código for usado.".to_owned()),
                    Say("Não foi você que pediu? Então pode ignorar esta mensagem: nada muda.".to_owned()),
                ],
                vec![
                    Say(format!(
                        "Hello! Someone, we hope you, asked for a {service} key for this address, which has one \
                         already. With this code you get a new one:"
                    )),
                    Show(code.reveal()),
                    Say("It works for 30 minutes, and once. Use it like this:".to_owned()),
                    Show(self.redeem_it(code, "YOUR_EMAIL")),
                    Say("Your old keys stop working only when the code is used.".to_owned()),
                    Say("It was not you who asked? Then just ignore this message: nothing changes."
                        .to_owned()),
                ],
            ),
            MailContent::Rotated(key) => (
                vec![
                    Say(format!("Olá! Sua chave de {service} foi trocada. Esta é a nova:")),
                    Show(key.reveal().to_owned()),
                    Say("A antiga já não vale. Experimente a nova:".to_owned()),
                    Show(self.try_it(key)),
                    Say(format!(
                        "Não foi você que trocou? Então alguém conhecia a antiga: peça outra já em \
                         POST {url}/v1/keys/recover."
                    )),
                ],
                vec![
                    Say(format!("Hello! Your {service} key was replaced. This is the new one:")),
                    Show(key.reveal().to_owned()),
                    Say("The old one does not work any more. Try the new one:".to_owned()),
                    Show(self.try_it(key)),
                    Say(format!(
                        "It was not you who replaced it? Then someone knew the old one: ask for another now at \
                         POST {url}/v1/keys/recover."
                    )),
                ],
            ),
            MailContent::RotatedBefore(at) => (
                vec![
                    Say(format!("Olá! Sua chave de {service} foi trocada em {at}, e a antiga já não vale.")),
                    Say(format!(
                        "A nova foi entregue na resposta ao pedido e não está nesta mensagem, porque não a \
                         guardamos. Se ela não chegou até você, ou se não foi você que a trocou, peça outra em \
                         POST {url}/v1/keys/recover."
                    )),
                ],
                vec![
                    Say(format!(
                        "Hello! Your {service} key was replaced at {at}, and the old one does not work any more."
                    )),
                    Say(format!(
                        "The new one was in the answer to the request. It is not in this message, because we do \
                         not keep it. If it did not reach you, or if it was not you who replaced it, ask for \
                         another at POST {url}/v1/keys/recover."
                    )),
                ],
            ),
            MailContent::Paid { .. }
            | MailContent::Overdue { .. }
            | MailContent::Declined { .. }
            | MailContent::Refunded { .. }
            | MailContent::Canceled { .. }
            | MailContent::Ended => self.say_of_payments(news),
        }
    }

    /// A letter about payments, in Portuguese and in English.
    fn say_of_payments(&self, news: &MailContent<'_>) -> (Vec<Piece>, Vec<Piece>) {
        let (service, url) = (&self.service, &self.url);
        let (mut portuguese, mut english) = match news {
            MailContent::Paid { plan, until } => (
                vec![Say(format!(
                    "Olá! Recebemos o seu pagamento, obrigado. O plano {plan} de {service} está ativo e pago até {}. \
                     A sua chave continua a mesma.",
                    day(*until).0
                ))],
                vec![Say(format!(
                    "Hello! We have your payment, thank you. The {plan} plan of {service} is active and paid until \
                     {}. Your key stays the same.",
                    day(*until).1
                ))],
            ),
            MailContent::Overdue { ends, .. } => (
                vec![Say(match ends {
                    Some((plan, ends)) => format!(
                        "Olá! O pagamento de {service} venceu. O plano {plan} continua ativo até {} e depois passa a \
                         ser o gratuito.",
                        day(*ends).0
                    ),
                    None => format!("Olá! O pagamento de {service} venceu, e o plano ainda não começou."),
                })],
                vec![Say(match ends {
                    Some((plan, ends)) => format!(
                        "Hello! Your payment for {service} is overdue. The {plan} plan stays active until {} and \
                         becomes the free one after that.",
                        day(*ends).1
                    ),
                    None => {
                        format!("Hello! Your payment for {service} is overdue, and the plan has not begun.")
                    }
                })],
            ),
            MailContent::Declined { .. } => (
                vec![Say(format!("Olá! O cartão não foi aceito para o pagamento de {service}."))],
                vec![Say(format!("Hello! The card was declined for your payment for {service}."))],
            ),
            MailContent::Refunded { left } => (
                vec![Say(match left {
                    Some((plan, until)) => format!(
                        "Olá! Um pagamento de {service} foi devolvido, e o mês que ele comprou saiu da conta. O plano \
                         {plan} está pago até {}.",
                        day(*until).0
                    ),
                    None => format!(
                        "Olá! O pagamento de {service} foi devolvido, e nada mais será cobrado. O seu plano agora é \
                         o gratuito."
                    ),
                })],
                vec![Say(match left {
                    Some((plan, until)) => format!(
                        "Hello! A payment for {service} was refunded, and the month it bought was taken back. The \
                         {plan} plan is paid until {}.",
                        day(*until).1
                    ),
                    None => format!(
                        "Hello! Your payment for {service} was refunded, and nothing more will be charged. Your \
                         plan is the free one now."
                    ),
                })],
            ),
            MailContent::Canceled { plan, until } => (
                vec![Say(format!(
                    "Olá! A sua assinatura de {service} foi cancelada, e nada mais será cobrado. O plano {plan} \
                     continua ativo até {} e depois passa a ser o gratuito, com a mesma chave.",
                    day(*until).0
                ))],
                vec![Say(format!(
                    "Hello! Your subscription to {service} was canceled, and nothing more will be charged. The \
                     {plan} plan stays active until {} and becomes the free one after that, with the same key.",
                    day(*until).1
                ))],
            ),
            _ => (
                vec![Say(format!(
                    "Olá! O seu plano pago de {service} terminou. A sua chave continua valendo, no plano gratuito."
                ))],
                vec![Say(format!(
                    "Hello! Your paid plan of {service} has ended. Your key keeps working, on the free plan."
                ))],
            ),
        };
        if let MailContent::Overdue { pay_url: Some(pay_url), .. } | MailContent::Declined { pay_url } = news
        {
            portuguese.extend([Say("Você pode pagar aqui:".to_owned()), Show((*pay_url).to_owned())]);
            english.extend([Say("You can pay here:".to_owned()), Show((*pay_url).to_owned())]);
        }
        let (status, checkout) = (format!("{url}/v1/billing/status"), format!("{url}/v1/billing/checkout"));
        portuguese.push(Say(format!("Para ver a assinatura: POST {status}. Para assinar: POST {checkout}.")));
        english.push(Say(format!("To see the subscription: POST {status}. To subscribe: POST {checkout}.")));
        (portuguese, english)
    }

    fn try_it(&self, key: &ApiKey) -> String {
        format!(
            "curl {}/v1 \\\n  -H 'content-type: application/json' \\\n  -H 'x-api-key: {}' \\\n  \
             -d '{{\"action\":\"search_events\",\"q\":\"samba\"}}'",
            self.url,
            key.reveal()
        )
    }

    fn redeem_it(&self, code: &RecoveryCode, email: &str) -> String {
        format!(
            "curl {}/v1/keys/recover/confirm \\\n  -H 'content-type: application/json' \\\n  \
             -d '{{\"email\":\"{email}\",\"code\":\"{}\"}}'",
            self.url,
            code.reveal()
        )
    }
}

/// The day of Brasília, as it is written in Portuguese and in English.
fn day(at: UnixMillis) -> (String, String) {
    let day = day_of(at);
    (day.format("%d/%m/%Y").to_string(), day.to_string())
}

/// An address as lettre has it. Of its two halves nothing is left to check: an [`Email`] allows less.
pub(super) fn address(email: &Email) -> Address {
    let (user, domain) = email.as_str().split_once('@').unwrap_or_default();
    Address::new_dangerous(user, domain)
}

fn as_text(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece {
        Say(text) => format!("{text}\n"),
        Show(text) => text.lines().map(|line| format!("    {line}\n")).collect(),
    };
    pieces.iter().map(piece).collect::<Vec<_>>().join("\n")
}

fn as_html(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece {
        Say(text) => format!("<p>{}</p>\n", escaped(text)),
        Show(text) => format!("<pre>{}</pre>\n", escaped(text)),
    };
    pieces.iter().map(piece).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stationery() -> Templates {
        let from =
            crate::config::MailFrom::from_str("Guia de Brasília <guia@guia.example>").expect("an address");
        Templates {
            from: from.0,
            service: "Guia <b>&\"cá\"</b>".to_owned(),
            url: "https://guia.example".to_owned(),
        }
    }
    use std::str::FromStr;

    fn written(news: &MailContent<'_>) -> String {
        let id = MailId::from_stored("ltr_1".to_owned());
        let to = "o'neil@x.example".parse().expect("an address");
        let message = stationery().write(&id, &to, news, UnixMillis(1_790_000_000_000)).expect("a letter");
        String::from_utf8(message.formatted()).expect("text")
    }

    #[test]
    fn every_letter_is_in_two_languages_and_two_forms_and_plain_ascii_on_its_way() {
        let (key, code) = (ApiKey::generate().expect("a key"), RecoveryCode::generate().expect("a code"));
        let all = [
            MailContent::Welcome(&key),
            MailContent::Recovery(&code),
            MailContent::Rotated(&key),
            MailContent::RotatedBefore(UnixMillis(1_790_000_000_000)),
            MailContent::Paid { plan: Plan::Pro, until: UnixMillis(1_790_000_000_000) },
            MailContent::Overdue { pay_url: Some("https://pay.example/1"), ends: None },
            MailContent::Overdue { pay_url: None, ends: Some((Plan::Pro, UnixMillis(1_790_000_000_000))) },
            MailContent::Declined { pay_url: "https://pay.example/1" },
            MailContent::Refunded { left: None },
            MailContent::Refunded { left: Some((Plan::Pro, UnixMillis(1_790_000_000_000))) },
            MailContent::Canceled { plan: Plan::Pro, until: UnixMillis(1_790_000_000_000) },
            MailContent::Ended,
        ];
        for news in all {
            let (portuguese, english) = stationery().say(&news);
            for pieces in [&portuguese, &english] {
                assert!(as_text(pieces).contains("https://guia.example/v1"), "{news:?}");
                assert!(!as_html(pieces).contains("<b>"), "{news:?}");
            }
            assert!(as_text(&portuguese).starts_with("Olá!") && as_text(&english).starts_with("Hello!"));
            let raw = written(&news);
            assert!(raw.is_ascii() && raw.lines().all(|line| line.len() <= 998), "{raw}");
            let (head, body) = raw.split_once("\r\n\r\n").expect("a head");
            let subject = head.lines().find(|line| line.starts_with("Subject: ")).expect("a subject");
            assert!(subject.contains("=?utf-8?"), "{subject}");
            for line in [
                "To: o'neil@x.example",
                "Message-ID: <ltr_1@guia.example>",
                "Auto-Submitted: auto-generated",
                "MIME-Version: 1.0",
                "Date: Mon, 21 Sep 2026 14:13:20 +0000",
            ] {
                assert!(head.lines().any(|known| known == line), "{line} is not in\n{head}");
            }
            assert!(head.contains("multipart/alternative") && head.contains("<guia@guia.example>"), "{head}");
            assert!(body.contains("text/plain; charset=utf-8") && body.contains("text/html; charset=utf-8"));
        }
    }

    #[test]
    fn a_key_stands_whole_on_a_line_of_its_own() {
        let key = ApiKey::generate().expect("a key");
        for news in [MailContent::Welcome(&key), MailContent::Rotated(&key)] {
            let raw = written(&news);
            let alone = format!("    {}", key.reveal());
            assert_eq!(raw.lines().filter(|line| *line == alone).count(), 2, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn no_address_breaks_a_header(local in "[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}", domain in "[a-z]{1,63}\\.[a-z]{1,20}") {
            if let Ok(email) = format!("{local}@{domain}").parse::<Email>() {
                let address = address(&email);
                prop_assert_eq!(address.to_string(), email.as_str());
                prop_assert_eq!(address.to_string().parse::<Address>().ok(), Some(address));
            }
        }
    }
}
