//! What a server needs of its settings, and other commands do not. `candango config` says it before a restart.

use super::{Config, ConfigError, MailSpec, Payments, StoreSpec};

/// The shortest token of webhooks that is accepted: Asaas asks for as many characters.
const MIN_WEBHOOK_TOKEN: usize = 32;

/// A change of keys may wait for so long beyond the trust window, and its answer takes a moment too.
const BEYOND_TRUST_MS: u64 = 4_000;

impl Config {
    /// What a server needs besides, and other commands do not: every mistake, so that none is left for the next start.
    pub fn server_mistakes(&self) -> Vec<ConfigError> {
        let mistakes = [
            self.file_as_data(),
            self.unset_mail(),
            self.local_sender(),
            self.public_sandbox(),
            self.unreachable_seller(),
            self.short_webhook_token(),
            self.shared_address(),
            self.private_webhooks(),
            self.depot_of_one_server(),
            self.path_of_base_url(),
            self.check_gateway().err(),
        ];
        mistakes.into_iter().flatten().collect()
    }

    fn unset_mail(&self) -> Option<ConfigError> {
        let wrong = || {
            format!(
                "not set, although the service is public (base_url {}, listen {}): set mail = \
                 \"smtps://user:password@host\", or mail = \"none\" to close sign-up and recovery, or mail = \
                 \"outbox:FOLDER\" to write mails, with keys in plain text, to a folder that you read yourself",
                self.base_url, self.listen
            )
        };
        (self.is_public() && !self.is_set("mail")).then(|| ConfigError::of("mail", wrong()))
    }

    fn local_sender(&self) -> Option<ConfigError> {
        // a mail server is what most set who have set nothing yet
        let sends = matches!(self.mail, MailSpec::Smtp(_)) || !self.is_set("mail");
        let wrong = || {
            format!(
                "{}, although the service is public: mail servers refuse senders of localhost; set mail_from to an \
                 address of your domain, such as \"{} <guia@{}>\", unless mail is none",
                self.mail_from,
                self.service_name,
                self.base_url.host()
            )
        };
        let is_wrong = self.is_public() && sends && self.mail_from.is_local();
        is_wrong.then(|| ConfigError::of("mail_from", wrong()))
    }

    fn public_sandbox(&self) -> Option<ConfigError> {
        let wrong = || {
            format!(
                "sandbox{}, although the service is public (base_url {}): it takes no money and would give paid \
                 plans away; set payments to asaas or none",
                if self.is_set("payments") { "" } else { " by default" },
                self.base_url
            )
        };
        let is_wrong = self.payments == Payments::Sandbox && self.base_url.is_public();
        is_wrong.then(|| ConfigError::of("payments", wrong()))
    }

    fn unreachable_seller(&self) -> Option<ConfigError> {
        let wrong = format!(
            "not set, although the service is public and payments are asaas: who pays must be able to ask for the money \
             back, which the law grants within seven days; set contact_email to an address that you read, such as \
             \"oi@{}\"",
            self.base_url.host()
        );
        let is_wrong = self.is_public() && self.payments == Payments::Asaas && self.contact_email.0.is_none();
        is_wrong.then(|| ConfigError::of("contact_email", wrong))
    }

    fn short_webhook_token(&self) -> Option<ConfigError> {
        let wrong = || {
            format!(
                "shorter than {MIN_WEBHOOK_TOKEN} characters, so that it could be guessed and payments forged: make \
                 one with `openssl rand -hex 24`, and set it in Asaas too"
            )
        };
        let is_short = self.asaas.webhook_token.reveal().len() < MIN_WEBHOOK_TOKEN;
        let is_wrong = self.payments == Payments::Asaas && is_short;
        is_wrong.then(|| ConfigError::of("asaas.webhook_token", wrong()))
    }

    fn shared_address(&self) -> Option<ConfigError> {
        let wrong = || format!("{}, which is listen too: give one of them another port", self.ops_listen);
        // with port 0 the system chooses two
        let is_wrong = self.listen == self.ops_listen && self.listen.port() != 0;
        is_wrong.then(|| ConfigError::of("ops_listen", wrong()))
    }

    fn private_webhooks(&self) -> Option<ConfigError> {
        let wrong = "true, although the service is public: any account could have it call this machine and its network";
        let is_wrong = self.is_public() && self.webhooks.allow_private;
        is_wrong.then(|| ConfigError::of("webhooks.allow_private", wrong))
    }

    /// A server of several whose depot was forgotten would show the demo to those who pay.
    fn depot_of_one_server(&self) -> Option<ConfigError> {
        let wrong = "not set, although the service is public and accounts are in Redis: this server would not see what is \
                     published for the others, and serve the demo; set depot to a folder that all of them mount, to a bucket, \
                     or, for a single server, to the folder depot of its data";
        let is_wrong = self.is_public() && matches!(self.store, StoreSpec::Redis(_)) && !self.is_set("depot");
        is_wrong.then(|| ConfigError::of("depot", wrong))
    }

    fn path_of_base_url(&self) -> Option<ConfigError> {
        let wrong = || {
            format!(
                "{} has a path, and pages and addresses of the API are served from the root: name the scheme and host alone, \
                 such as {}",
                self.base_url,
                self.base_url.origin()
            )
        };
        self.base_url.has_path().then(|| ConfigError::of("base_url", wrong()))
    }

    fn file_as_data(&self) -> Option<ConfigError> {
        let wrong = || format!("{} is a file: name a folder", self.data.display());
        (self.data.exists() && !self.data.is_dir()).then(|| ConfigError::of("data", wrong()))
    }

    /// What the operator of a server should mend, a sentence each.
    pub fn server_warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        if self.mail == MailSpec::None && !self.is_set("mail") {
            warnings.push(
                "sign-up and recovery are closed: other machines reach listen, and mail is not set; set mail to \
                 smtps://user:password@host, or to none to confirm that they are closed"
                    .to_owned(),
            );
        }
        if self.is_public() && self.contact_email.0.is_none() {
            warnings.push(
                "contact_email is not set: the pages about contact and privacy, and security.txt, lead to the form for \
                 suggestions (`candango suggestions list`), also those who found a security fault"
                    .to_owned(),
            );
        }
        if matches!(self.store, StoreSpec::Redis(_)) && !self.has_own_depot() {
            warnings.push(format!(
                "the depot {} is a folder of this server alone, and accounts are in Redis: other servers will not see what \
                 is published here; set depot to a folder that all of them mount, or to a bucket",
                self.depot
            ));
        }
        let (trust, request) = (self.limits.trust_window_ms.get(), self.limits.request_timeout_ms.get());
        if trust.saturating_add(BEYOND_TRUST_MS) > request {
            warnings.push(format!(
                "limits.trust_window_ms, {trust}, is less than {BEYOND_TRUST_MS} below limits.request_timeout_ms, {request}: \
                 the replacement of a key while a server does not answer would end in a time-out that does not say that the \
                 key is replaced"
            ));
        }
        warnings
    }
}
