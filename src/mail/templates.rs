//! Builds mails from the texts in [`super::texts`], as plain text and as simple HTML: each in Portuguese and English,
//! but those to readers of the weekly letter, who have chosen a language.
//!
//! Nothing that a user sent is in a mail but the address it goes to, and an [`Email`] cannot break a header. Only the
//! operator's letter has words that people searched for, in its body.

use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, MultiPart};
use lettre::{Address, Message};
use maud::{DOCTYPE, Markup, html};

use super::blocks::{Block, Span, TEXT_ALONE, as_html, as_text, fill, filled};
use super::letter::{LetterItem, Weekend};
use super::texts::{ENGLISH, PORTUGUESE, Text, Texts};
use crate::config::Config;
use crate::domain::account::{Email, MailId, OrderId};
use crate::domain::api_key::ApiKey;
use crate::domain::asked::{Asked, FoundInstead};
use crate::domain::clock::{UnixMillis, day_of};
use crate::domain::code::RecoveryCode;
use crate::domain::language::Language;
use crate::domain::plan::Plan;
use crate::domain::reader::Reader;

/// What a mail says.
#[derive(Debug)]
pub(super) enum MailContent<'a> {
    /// A first key.
    Welcome(&'a ApiKey),
    /// A code for a new key.
    Recovery(&'a RecoveryCode),
    /// A code that opens a session of the site.
    SignIn(&'a RecoveryCode),
    /// A code for another address of the account.
    NewAddress(&'a RecoveryCode),
    /// The account has another address.
    Moved,
    /// A new key in place of the old one.
    Rotated(&'a ApiKey),
    /// The key was replaced at a moment, and the new one is not known any more.
    RotatedBefore(UnixMillis),
    /// A month was paid.
    Paid(Receipt<'a>),
    /// The account was erased.
    Erased,
    /// A charge is overdue; the active plan ends then.
    Overdue { pay_url: Option<&'a str>, active: Option<(Plan, UnixMillis)> },
    /// A card was declined.
    Declined { pay_url: &'a str },
    /// A payment was refunded or disputed; this much is still paid.
    Refunded { active: Option<(Plan, UnixMillis)> },
    /// A payment was refunded or disputed; nothing is paid, and the account has this plan all the same.
    RefundedBesideGrant(Plan),
    /// The renewal was canceled.
    Canceled { plan: Plan, until: UnixMillis },
    /// The paid plan has ended.
    Ended,
    /// The operator changed the plan to this one.
    Plan(Plan),
    /// What people asked and did not find.
    Asked(&'a [Asked]),
    /// Most of the calls of the month are spent, or all of them.
    Quota { plan: Plan, is_spent: bool },
    /// Only that sending works.
    Test,
}

/// What a payment was for, and what follows from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Receipt<'a> {
    /// The plan that is active, and until when it is paid.
    pub(super) active: (Plan, UnixMillis),
    /// Whether it renews.
    pub(super) renews: bool,
    /// The plan of the order that was paid.
    pub(super) plan: Plan,
    /// The amount, in centavos.
    pub(super) cents: u64,
    /// Whether it is the first payment of the order, and no renewal.
    pub(super) is_first: bool,
    /// When it was paid.
    pub(super) at: UnixMillis,
    /// The order.
    pub(super) order: &'a OrderId,
}

/// Questions that a mail lists.
const MAX_LINES: usize = 50;

/// What all mails have in common.
#[derive(Debug)]
pub(super) struct Templates {
    from: Mailbox,
    service: String,
    url: String,
}

impl MailContent<'_> {
    /// The mail's text in a language.
    fn text<'t>(&self, texts: &'t Texts) -> &'t Text {
        match self {
            MailContent::Welcome(_) => &texts.welcome,
            MailContent::Recovery(_) => &texts.recovery,
            MailContent::SignIn(_) => &texts.sign_in,
            MailContent::NewAddress(_) => &texts.new_address,
            MailContent::Moved => &texts.moved,
            MailContent::Rotated(_) => &texts.rotated,
            MailContent::RotatedBefore(_) => &texts.rotated_before,
            MailContent::Paid(_) => &texts.paid,
            MailContent::Erased => &texts.erased,
            MailContent::Overdue { active: Some(_), .. } => &texts.overdue,
            MailContent::Overdue { active: None, .. } => &texts.overdue_at_first,
            MailContent::Declined { .. } => &texts.declined,
            MailContent::Refunded { active: Some(_) } => &texts.refunded,
            MailContent::Refunded { active: None } => &texts.refunded_all,
            MailContent::RefundedBesideGrant(_) => &texts.refunded_beside_grant,
            MailContent::Canceled { .. } => &texts.canceled,
            MailContent::Ended => &texts.ended,
            MailContent::Plan(_) => &texts.plan,
            MailContent::Asked(_) => &texts.asked,
            MailContent::Quota { is_spent: false, .. } => &texts.quota_low,
            MailContent::Quota { is_spent: true, .. } => &texts.quota_spent,
            MailContent::Test => &texts.test,
        }
    }

    /// The values of the text's placeholders.
    fn values(&self, texts: &Texts) -> Vec<(&'static str, String)> {
        let day = |at: UnixMillis| day_of(at).format(texts.day).to_string();
        let until = |plan: &Plan, until: &UnixMillis| {
            vec![("{plan}", plan.title().to_owned()), ("{until}", day(*until))]
        };
        match self {
            MailContent::Welcome(key) | MailContent::Rotated(key) => vec![("{key}", key.reveal().to_owned())],
            MailContent::Recovery(code) | MailContent::SignIn(code) | MailContent::NewAddress(code) => {
                vec![("{code}", code.reveal())]
            }
            MailContent::Asked(asked) => vec![("{list}", lines(asked))],
            MailContent::Quota { plan, .. }
            | MailContent::Plan(plan)
            | MailContent::RefundedBesideGrant(plan) => vec![("{plan}", plan.title().to_owned())],
            MailContent::RotatedBefore(at) => {
                vec![("{at}", at.in_brasilia().format(texts.moment).to_string())]
            }
            MailContent::Paid(Receipt { active: (plan, end), plan: paid, cents, at, order, .. }) => {
                let amount = format!("R$ {}{}{:02}", cents / 100, texts.decimal_point, cents % 100);
                let mut values = until(plan, end);
                values.extend([("{paid_plan}", paid.title().to_owned()), ("{amount}", amount)]);
                values.extend([("{date}", day(*at)), ("{order}", order.to_string())]);
                values
            }
            MailContent::Canceled { plan, until: end } => until(plan, end),
            MailContent::Overdue { active: Some((plan, end)), .. }
            | MailContent::Refunded { active: Some((plan, end)) } => until(plan, end),
            MailContent::Overdue { .. }
            | MailContent::Refunded { .. }
            | MailContent::Declined { .. }
            | MailContent::Ended
            | MailContent::Erased
            | MailContent::Moved
            | MailContent::Test => Vec::new(),
        }
    }

    fn pay_url(&self) -> Option<&str> {
        match self {
            MailContent::Overdue { pay_url, .. } => *pay_url,
            MailContent::Declined { pay_url } => Some(pay_url),
            _ => None,
        }
    }

    fn is_about_payments(&self) -> bool {
        match self {
            MailContent::Welcome(_)
            | MailContent::Recovery(_)
            | MailContent::SignIn(_)
            | MailContent::NewAddress(_)
            | MailContent::Moved
            | MailContent::Erased
            | MailContent::Rotated(_)
            | MailContent::RotatedBefore(_)
            | MailContent::Asked(_)
            | MailContent::Test => false,
            MailContent::Paid(_)
            | MailContent::Overdue { .. }
            | MailContent::Declined { .. }
            | MailContent::Refunded { .. }
            | MailContent::RefundedBesideGrant(_)
            | MailContent::Canceled { .. }
            | MailContent::Ended
            | MailContent::Quota { .. }
            | MailContent::Plan(_) => true,
        }
    }
}

impl Templates {
    pub(super) fn new(config: &Config) -> Templates {
        Templates {
            from: config.mail_from.0.clone(),
            service: config.service_name.clone(),
            url: config.base_url.as_str().to_owned(),
        }
    }

    /// A mail, ready to be sent. Its Message-ID is made of `id`, so that a mail that arrives twice can be recognised.
    pub(super) fn message(
        &self,
        id: &MailId,
        to: &Email,
        content: &MailContent<'_>,
        now: UnixMillis,
    ) -> Result<Message, lettre::error::Error> {
        let (portuguese, english) = (self.blocks(content, &PORTUGUESE), self.blocks(content, &ENGLISH));
        let plain = format!("{}\n* * *\n\n{}", as_text(&portuguese), as_text(&english));
        let subjects = (content.text(&PORTUGUESE).subject, content.text(&ENGLISH).subject);
        let subject = format!("{} · {}", subjects.0, subjects.1);
        let html = self.page(
            &subject,
            "pt-BR",
            &html! {
                (as_html(&portuguese))
                hr style=(LINE);
                div lang="en" { (as_html(&english)) }
            },
        );
        self.envelope(id, to, &subject, now)
            .multipart(MultiPart::alternative_plain_html(plain, html.into_string()))
    }

    /// The mail that asks somebody whether they want the weekly letter, in their language.
    pub(super) fn confirmation(
        &self,
        id: &MailId,
        reader: &Reader,
        area: Option<&str>,
        now: UnixMillis,
    ) -> Result<Message, lettre::error::Error> {
        let texts = texts_of(reader.language);
        let area = area.map_or_else(String::new, |area| format!(" ({area})"));
        let own = vec![("{reader}", reader.id.to_string()), ("{area}", area)];
        let values = [self.common_values().to_vec(), own].concat();
        let blocks = filled(&[texts.confirm_letter.body], &values);
        let subject = texts.confirm_letter.subject;
        let body = self.in_one_language(subject, reader.language, &blocks);
        self.envelope(id, &reader.email, subject, now).multipart(body)
    }

    /// The weekly letter, with the headers that end it at one click (RFC 8058).
    pub(super) fn letter(
        &self,
        id: &MailId,
        reader: &Reader,
        weekend: &Weekend,
        now: UnixMillis,
    ) -> Result<Message, lettre::error::Error> {
        let texts = texts_of(reader.language);
        let values = [self.common_values().to_vec(), vec![("{reader}", reader.id.to_string())]].concat();
        let stop = fill(texts.stop_address, &values);
        let mut blocks = vec![Block::Paragraph(vec![Span::Words(weekend.lead.clone())])];
        for (title, items) in &weekend.sections {
            blocks.push(Block::Title(title.clone()));
            blocks.extend(items.iter().cloned().map(Block::Item));
        }
        blocks.push(Block::Link { address: weekend.address.clone(), text: texts.whole_weekend.to_owned() });
        blocks.extend(filled(&[texts.letter_foot], &values));
        blocks.push(Block::Item(LetterItem {
            title: texts.stop_letter.to_owned(),
            note: String::new(),
            address: stop.clone(),
        }));
        let header = |name, value: String| HeaderValue::new(HeaderName::new_from_ascii_str(name), value);
        self.envelope(id, &reader.email, &weekend.title, now)
            .raw_header(header("List-Unsubscribe", format!("<{stop}>")))
            .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()))
            .multipart(self.in_one_language(&weekend.title, reader.language, &blocks))
    }

    /// The head of a mail. Its Message-ID is made of `id`.
    fn envelope(&self, id: &MailId, to: &Email, subject: &str, now: UnixMillis) -> MessageBuilder {
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        let since = Duration::from_millis(u64::try_from(now.0).unwrap_or_default());
        Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, address(to)))
            .subject(format!("{}: {subject}", self.service))
            .date(UNIX_EPOCH + since)
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
    }

    /// A body in one language.
    fn in_one_language(&self, title: &str, language: Language, blocks: &[Block]) -> MultiPart {
        let tag = language.pick("pt-BR", "en");
        let html = self.page(title, tag, &as_html(blocks)).into_string();
        MultiPart::alternative_plain_html(as_text(blocks), html)
    }

    /// The HTML of a mail, which says first whose it is.
    fn page(&self, title: &str, language: &str, content: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang=(language) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width";
                    title { (title) }
                }
                body style=(BODY) {
                    div style=(SHEET) {
                        p style=(HEADER) { a href=(self.url) style=(NAME) { (self.service) } }
                        (content)
                    }
                }
            }
        }
    }

    /// What every mail knows.
    fn common_values(&self) -> [(&'static str, String); 2] {
        [("{service}", self.service.clone()), ("{url}", self.url.clone())]
    }

    /// The body in one language.
    fn blocks(&self, content: &MailContent<'_>, texts: &Texts) -> Vec<Block> {
        let mut values = content.values(texts);
        let mut parts = vec![content.text(texts).body];
        let is_receipt = matches!(content, MailContent::Paid(_));
        if let MailContent::Paid(receipt) = content {
            parts.extend(receipt.renews.then_some(texts.renews));
            parts.extend(receipt.is_first.then_some(texts.refund));
        }
        if content.is_about_payments() {
            // one button: where to go next
            match content.pay_url() {
                Some(pay_url) => {
                    values.push(("{pay_url}", pay_url.to_owned()));
                    parts.push(texts.pay);
                }
                // nobody who has a plan is asked to subscribe
                None if is_receipt || matches!(content, MailContent::Plan(_)) => {
                    parts.push(texts.account_link)
                }
                None => parts.push(texts.plans_link),
            }
            parts.push(TEXT_ALONE);
            parts.push(texts.billing_lines);
            parts.extend((!is_receipt).then_some(texts.subscribe_line));
        }
        values.extend(self.common_values());
        filled(&parts, &values)
    }
}

fn texts_of(language: Language) -> &'static Texts {
    language.pick(&PORTUGUESE, &ENGLISH)
}

/// The questions, a line each, and how many more there are.
fn lines(asked: &[Asked]) -> String {
    let line = |asked: &Asked| {
        let Asked { question, times, .. } = asked;
        let words = if question.words.is_empty() { "-" } else { &question.words };
        let result = match question.result {
            FoundInstead::Nothing => "0",
            FoundInstead::Closest => "~",
        };
        format!("{times:>5}  {:>4}  {result}  {words}  ({question})", asked.callers())
    };
    let mut lines: Vec<String> = asked.iter().take(MAX_LINES).map(line).collect();
    if asked.len() > MAX_LINES {
        lines.push(format!("+ {}", asked.len() - MAX_LINES));
    }
    lines.join("\n")
}

/// The look of the site, as inline styles, the only ones that mail programs know: light ground, blue edge, dark text.
const BODY: &str = "margin:0;padding:16px 8px;background:#f6f4ee;color:#16202a;font:17px/1.55 'Helvetica Neue',\
                    Helvetica,Arial,sans-serif";
const SHEET: &str = "max-width:36em;margin:0 auto;padding:8px 20px 16px;background:#fff;border:1px solid #dcd7ca;\
                     border-top:6px solid #0b4f9e;overflow-wrap:anywhere;word-break:break-word";
const HEADER: &str = "margin:8px 0 20px;padding-bottom:12px;border-bottom:1px solid #dcd7ca";
const NAME: &str = "color:#16202a;font-size:20px;font-weight:bold;text-decoration:none";
const LINE: &str = "border:0;border-top:2px solid #16202a;margin:24px 0";

/// An address in lettre's type. Nothing is left to check: an [`Email`] allows less.
pub(super) fn address(email: &Email) -> Address {
    let (user, domain) = email.as_str().split_once('@').unwrap_or_default();
    Address::new_dangerous(user, domain)
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::super::blocks::BUTTON;
    use super::*;
    use crate::domain::account::HolderId;
    use crate::domain::asked::{AskedCount, list};
    use proptest::prelude::*;

    const DAY: UnixMillis = UnixMillis(1_790_000_000_000);

    fn templates() -> Templates {
        let from =
            crate::config::MailFrom::from_str("Guia de Brasília <guia@guia.example>").expect("an address");
        Templates {
            from: from.0,
            service: "Guia <b>&\"cá\"</b>".to_owned(),
            url: "https://guia.example".to_owned(),
        }
    }

    fn receipt(order: &OrderId) -> Receipt<'_> {
        Receipt {
            active: (Plan::Pro, DAY),
            renews: true,
            plan: Plan::Pro,
            cents: 9_900,
            is_first: true,
            at: DAY,
            order,
        }
    }

    fn raw(content: &MailContent<'_>) -> String {
        let id = MailId::from_stored("ltr_1".to_owned());
        let to = "o'neil@x.example".parse().expect("an address");
        let message = templates().message(&id, &to, content, DAY).expect("a mail");
        String::from_utf8(message.formatted()).expect("text")
    }

    #[test]
    fn every_mail_has_both_languages_and_both_forms_in_plain_ascii() {
        let (key, code) = (ApiKey::generate().expect("a key"), RecoveryCode::generate().expect("a code"));
        let (active, order) = (Some((Plan::Pro, DAY)), OrderId::from_stored("chk_1".to_owned()));
        let asked = list(&[AskedCount {
            day: day_of(DAY),
            run: HolderId::from_stored("h_1".to_owned()),
            question: r#"{"in":"places","result":"zero","words":"xilofone"}"#.to_owned(),
            callers: 3,
            times: 5,
        }]);
        for content in [
            MailContent::Welcome(&key),
            MailContent::Recovery(&code),
            MailContent::SignIn(&code),
            MailContent::NewAddress(&code),
            MailContent::Moved,
            MailContent::Rotated(&key),
            MailContent::RotatedBefore(DAY),
            MailContent::Paid(receipt(&order)),
            MailContent::Erased,
            MailContent::Overdue { pay_url: Some("https://pay.example/1"), active: None },
            MailContent::Overdue { pay_url: None, active },
            MailContent::Declined { pay_url: "https://pay.example/1" },
            MailContent::Refunded { active: None },
            MailContent::Refunded { active },
            MailContent::RefundedBesideGrant(Plan::Pro),
            MailContent::Canceled { plan: Plan::Pro, until: DAY },
            MailContent::Ended,
            MailContent::Plan(Plan::Pro),
            MailContent::Asked(&asked),
            MailContent::Quota { plan: Plan::Free, is_spent: false },
            MailContent::Quota { plan: Plan::Pro, is_spent: true },
            MailContent::Test,
        ] {
            for (texts, hello, day) in
                [(&PORTUGUESE, "Olá!", "21/09/2026"), (&ENGLISH, "Hello!", "2026-09-21")]
            {
                let blocks = templates().blocks(&content, texts);
                let text = as_text(&blocks);
                assert!(text.starts_with(hello) && text.contains("https://guia.example/v1"), "{text}");
                for left in [
                    "{list}",
                    "{service}",
                    "{url}",
                    "{key}",
                    "{code}",
                    "{at}",
                    "{plan}",
                    "{until}",
                    "{pay_url}",
                    "{paid_plan}",
                    "{amount}",
                    "{date}",
                    "{order}",
                ] {
                    assert!(!text.contains(left), "{left} is not replaced: {text}");
                }
                let has_day = content.values(texts).iter().any(|(name, _)| *name == "{until}");
                assert!(!has_day || text.contains(day), "{text}");
                assert_eq!(text.contains("https://pay.example/1"), content.pay_url().is_some(), "{text}");
                assert!(!as_html(&blocks).into_string().contains("<b>"), "{content:?}");
            }
            let raw = raw(&content);
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
        for content in [MailContent::Welcome(&key), MailContent::Rotated(&key)] {
            let raw = raw(&content);
            let alone = format!("    {}", key.reveal());
            assert_eq!(raw.lines().filter(|line| *line == alone).count(), 2, "{raw}");
        }
    }

    #[test]
    fn a_mail_begins_with_a_sentence_and_a_link_and_ends_with_commands() {
        let key = ApiKey::generate().expect("a key");
        let blocks = templates().blocks(&MailContent::Welcome(&key), &PORTUGUESE);
        assert!(matches!(&blocks[0], Block::Paragraph(_)), "{blocks:?}");
        let button = Block::Link {
            address: "https://guia.example/conta".to_owned(),
            text: "Abrir minha conta".to_owned(),
        };
        assert!(blocks.contains(&button), "{blocks:?}");
        let command = |block: &Block| matches!(block, Block::Verbatim(text) if text.starts_with("curl"));
        assert!(blocks.last().is_some_and(command), "{blocks:?}");
        let html = as_html(&blocks).into_string();
        assert!(html.contains("<a href=\"https://guia.example/conta\""), "{html}");
        assert!(!html.contains("curl") && as_text(&blocks).contains("curl"), "{html}");
    }

    #[test]
    fn a_mail_about_payments_has_one_button_and_leads_people_to_the_site() {
        let (active, order) = (Some((Plan::Pro, DAY)), OrderId::from_stored("chk_1".to_owned()));
        for (content, links) in [
            (MailContent::Paid(receipt(&order)), ["/conta", "/en/account"]),
            (MailContent::Plan(Plan::Pro), ["/conta", "/en/account"]),
            (MailContent::Canceled { plan: Plan::Pro, until: DAY }, ["/conta/plano", "/en/account/plan"]),
            (MailContent::Ended, ["/conta/plano", "/en/account/plan"]),
            (MailContent::Overdue { pay_url: Some("https://guia.example/pay"), active }, ["/pay"; 2]),
        ] {
            for (texts, link) in [&PORTUGUESE, &ENGLISH].into_iter().zip(links) {
                let html = as_html(&templates().blocks(&content, texts)).into_string();
                assert!(html.contains(&format!("href=\"https://guia.example{link}\"")), "{html}");
                assert_eq!(html.matches(BUTTON).count(), 1, "{html}");
                assert!(!html.contains(">http"), "no address is shown to people: {html}");
                assert!(!html.contains("POST "), "{html}");
            }
        }
    }

    #[test]
    fn a_receipt_leads_to_a_cancellation_and_its_first_one_to_a_refund() {
        let order = OrderId::from_stored("chk_1".to_owned());
        for is_first in [true, false] {
            let content = MailContent::Paid(Receipt { is_first, ..receipt(&order) });
            for (texts, cancel, contact) in [
                (&PORTUGUESE, "/conta/cancelar", "/contato"),
                (&ENGLISH, "/en/account/cancel", "/en/contact"),
            ] {
                let blocks = templates().blocks(&content, texts);
                let (text, html) = (as_text(&blocks), as_html(&blocks).into_string());
                let leads_to = |path: &str| {
                    let address = format!("https://guia.example{path}");
                    let is_in_text = text.contains(&format!("({address})"));
                    assert_eq!(is_in_text, html.contains(&format!("href=\"{address}\"")), "{text} {html}");
                    is_in_text
                };
                assert!(leads_to(cancel));
                assert_eq!(leads_to(contact), is_first);
            }
        }
    }

    #[test]
    fn plans_and_moments_are_told_as_people_read_them() {
        for (texts, moment, plan) in [
            (&PORTUGUESE, "foi trocada em 21/09/2026, às 11h13 (horário de Brasília)", "agora é Pro:"),
            (&ENGLISH, "was replaced on 2026-09-21 at 11:13 (Brasília time)", "is Pro now:"),
        ] {
            let told = |content| as_text(&templates().blocks(&content, texts));
            let replaced = told(MailContent::RotatedBefore(DAY));
            assert!(replaced.contains(moment), "{replaced}");
            let changed = told(MailContent::Plan(Plan::Pro));
            assert!(changed.contains(plan), "{changed}");
        }
    }

    #[test]
    fn who_has_just_paid_is_not_asked_to_subscribe() {
        let order = OrderId::from_stored("chk_1".to_owned());
        for texts in [&PORTUGUESE, &ENGLISH] {
            let paid = as_text(&templates().blocks(&MailContent::Paid(receipt(&order)), texts));
            let ended = as_text(&templates().blocks(&MailContent::Ended, texts));
            assert!(!paid.contains("/billing/checkout") && ended.contains("/billing/checkout"), "{paid}");
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
