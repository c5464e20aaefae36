//! Webhooks of accounts: the address, the secret, and the signature of a message, as Standard Webhooks
//! (standardwebhooks.com) says.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::hmac;
use url::{Host, Url};

use super::base62::{self, NoRandomness};
use super::clock::UnixMillis;
use super::network::{is_global, is_this_machine};

/// The longest address, in bytes.
pub const MAX_URL: usize = 500;

/// Characters of a secret before it is encoded: the standard wants 24 to 64 bytes.
const SECRET: usize = 32;

/// What the standard puts before a secret.
const SECRET_PREFIX: &str = "whsec_";

/// The address of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookUrl(Url);

/// Why an address is none for a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadHookUrl {
    /// It is no https URL, is too long, or has a user or a fragment.
    #[error("expected an https address of at most {MAX_URL} characters, without user or fragment")]
    NotHttps,
    /// It is of this machine, or of a network that is not the internet.
    #[error("the address is of a private network, which webhooks are never sent to")]
    Private,
}

impl HookUrl {
    /// Parses an address. With `allow_private` it may be of a private network, and without TLS.
    pub fn parse(text: &str, allow_private: bool) -> Result<HookUrl, BadHookUrl> {
        let url = Url::parse(text.trim()).map_err(|_| BadHookUrl::NotHttps)?;
        let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        let is_safe = url.scheme() == "https" || allow_private && url.scheme() == "http";
        if !is_plain || !is_safe || url.as_str().len() > MAX_URL || url.host().is_none() {
            return Err(BadHookUrl::NotHttps);
        }
        let url = HookUrl(url);
        match allow_private || !url.is_private() {
            true => Ok(url),
            false => Err(BadHookUrl::Private),
        }
    }

    /// Whether the host is an IP address outside the internet, or a name of this machine. What other names resolve to
    /// is checked when they are resolved.
    fn is_private(&self) -> bool {
        match self.0.host() {
            Some(Host::Ipv4(address)) => !is_global(address.into()),
            Some(Host::Ipv6(address)) => !is_global(address.into()),
            Some(Host::Domain(name)) => is_this_machine(name),
            None => true,
        }
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The address.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

/// The secret that signs the messages of a webhook. It is kept as it is, because signing needs it.
#[derive(Clone, PartialEq, Eq)]
pub struct HookSecret(String);

impl HookSecret {
    /// A new random secret.
    pub fn generate() -> Result<HookSecret, NoRandomness> {
        let bytes = base62::random::<SECRET>()?;
        Ok(HookSecret(format!("{SECRET_PREFIX}{}", BASE64_STANDARD.encode(bytes))))
    }

    /// A secret read back from the store.
    pub fn from_stored(text: String) -> HookSecret {
        HookSecret(text)
    }

    /// The secret, for its owner and for the store.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The header `webhook-signature` of a message: its id, the seconds of its time, and its body are signed.
    pub fn sign(&self, id: &str, seconds: i64, body: &str) -> String {
        let encoded = self.0.strip_prefix(SECRET_PREFIX).unwrap_or_default();
        // a secret that cannot be decoded was not made here; no receiver accepts its signatures
        let key = hmac::Key::new(hmac::HMAC_SHA256, &BASE64_STANDARD.decode(encoded).unwrap_or_default());
        let signature = hmac::sign(&key, format!("{id}.{seconds}.{body}").as_bytes());
        format!("v1,{}", BASE64_STANDARD.encode(signature))
    }
}

impl fmt::Debug for HookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookSecret(…)")
    }
}

/// The webhook of an account, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRecord {
    /// Where messages go.
    pub url: String,
    /// What signs them.
    pub secret: HookSecret,
    /// When it was set.
    pub created_at: UnixMillis,
    /// When a message was tried last, and what came of it.
    pub last: Option<(UnixMillis, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_is_https_on_the_internet_unless_a_trial_allows_more() {
        for (text, expected) in [
            ("https://hooks.example/candango?a=b", Ok(())),
            ("https://hooks.example:8443/", Ok(())),
            ("http://hooks.example/", Err(BadHookUrl::NotHttps)),
            ("ftp://hooks.example/", Err(BadHookUrl::NotHttps)),
            ("https://user:pass@hooks.example/", Err(BadHookUrl::NotHttps)),
            ("https://hooks.example/#part", Err(BadHookUrl::NotHttps)),
            ("hooks.example", Err(BadHookUrl::NotHttps)),
            ("https://127.0.0.1/", Err(BadHookUrl::Private)),
            // other spellings of 127.0.0.1 and 10.0.0.1
            ("https://2130706433/", Err(BadHookUrl::Private)),
            ("https://0x7f.1/", Err(BadHookUrl::Private)),
            ("https://012.0.0.1/", Err(BadHookUrl::Private)),
            ("https://[::ffff:7f00:1]/", Err(BadHookUrl::Private)),
            ("https://[::1]/", Err(BadHookUrl::Private)),
            ("https://169.254.169.254/latest/meta-data", Err(BadHookUrl::Private)),
            ("https://localhost/", Err(BadHookUrl::Private)),
            ("https://a.localhost./", Err(BadHookUrl::Private)),
        ] {
            assert_eq!(HookUrl::parse(text, false).map(drop), expected, "{text}");
        }
        assert!(HookUrl::parse("http://127.0.0.1:9000/hook", true).is_ok());
    }

    #[test]
    fn signatures_are_those_of_the_standard() {
        // the example of the standard's own libraries
        let secret = HookSecret::from_stored("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let made = HookSecret::generate().expect("randomness");
        let encoded = made.reveal().strip_prefix("whsec_").expect("the prefix");
        assert_eq!(BASE64_STANDARD.decode(encoded).expect("base64").len(), 32);
        assert!(!format!("{made:?}").contains(encoded));
    }
}
