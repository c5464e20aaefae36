//! The configuration, as types. Each source overrides the one before: defaults, `candango.toml`, the environment
//! (`CANDANGO_*`, two underscores for each level; secrets also from files) and flags. A new setting is a field of
//! [`Config`], a default in `defaults.rs` and a line in `candango.example.toml`. Types that hold a secret hide it in
//! `Debug`, `Display` and `Serialize`.

mod defaults;
mod depot;
mod layers;
mod limits;
mod log;
mod mail;
mod payments;
mod secrets;
mod server;
mod store;
mod text;
mod url;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use toml::Table;

use self::defaults::{DATA, LISTEN, defaults};
pub use self::depot::DepotSpec;
pub use self::layers::{ConfigError, DEFAULT_FILE, Override};
use self::layers::{Layer, from_environment, line_of, merge, read_file, warn_of_process_list};
pub use self::limits::{BrowserTokens, Calendars, Limits, Signup, Visitors, Webhooks};
pub use self::log::{LogFormat, LogRequests, LogSpec};
pub use self::mail::{MailFrom, MailSpec, OwnerEmail};
pub use self::payments::{Asaas, Payments, Secret};
pub use self::secrets::secret_in;
pub use self::store::StoreSpec;
use self::text::{address, as_text, folder, hosts, networks, one_line, origins};
pub use self::url::HttpUrl;
use crate::domain::network;
use crate::domain::plan::{Figures, Plan, Plans};

/// More threads than any machine has processors run out of files before they run.
const MAX_WORKERS: usize = 1_024;

/// All settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The folder of the embedded store, depot and outbox.
    #[serde(deserialize_with = "folder")]
    pub data: PathBuf,
    /// Where the public service listens; with port 0 the system chooses one.
    #[serde(deserialize_with = "address")]
    pub listen: SocketAddr,
    /// Where health, readiness and metrics are served. Keep it private.
    #[serde(deserialize_with = "address")]
    pub ops_listen: SocketAddr,
    /// The public URL of the service.
    #[serde(with = "as_text")]
    pub base_url: HttpUrl,
    /// The name in the attribution of answers.
    #[serde(deserialize_with = "one_line")]
    pub service_name: String,
    /// The site that the attribution links to.
    #[serde(with = "as_text")]
    pub service_site: HttpUrl,
    /// Where published snapshots are stored.
    #[serde(with = "as_text")]
    pub depot: DepotSpec,
    /// Where accounts, keys, quotas and billing are stored.
    #[serde(with = "as_text")]
    pub store: StoreSpec,
    /// How mail is sent.
    #[serde(with = "as_text")]
    pub mail: MailSpec,
    /// The sender of mail.
    #[serde(with = "as_text")]
    pub mail_from: MailFrom,
    /// Whom to write to once a week about what people asked and did not find.
    #[serde(with = "as_text")]
    pub owner_email: OwnerEmail,
    /// The public address of who runs the service, for the site.
    #[serde(with = "as_text")]
    pub contact_email: OwnerEmail,
    /// The payment gateway in use.
    pub payments: Payments,
    /// Proxies whose `x-forwarded-for` is trusted, as addresses or networks.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// Host names that `/mcp` accepts besides loopback and the host of `base_url`.
    #[serde(deserialize_with = "hosts")]
    pub allowed_hosts: Vec<String>,
    /// Web origins that may call `/mcp`, sign-up and recovery besides loopback and `base_url`, and may read `/v1`.
    #[serde(deserialize_with = "origins")]
    pub allowed_origins: Vec<String>,
    /// Level and format of the log.
    #[serde(with = "as_text")]
    pub log: LogSpec,
    /// Which requests are logged.
    pub log_requests: LogRequests,
    /// The payment gateway Asaas.
    pub asaas: Asaas,
    /// Price and quotas of each plan.
    pub plans: Plans,
    /// Rate limits of callers without a key.
    pub preview: Visitors,
    /// Rate limits of searches on the site, where many readers share one network.
    pub site_searches: Visitors,
    /// Limits of browser tokens.
    pub browser_tokens: BrowserTokens,
    /// Limits of calendar addresses.
    pub calendars: Calendars,
    /// Webhooks of accounts.
    pub webhooks: Webhooks,
    /// Rate limits of sign-up.
    pub signup: Signup,
    /// Limits of the HTTP server.
    pub limits: Limits,
    /// The names of the settings that are not left at their default: see [`Config::is_set`].
    #[serde(skip)]
    set: BTreeSet<String>,
    /// What an operator should mend, a sentence each, for the log of a start.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads the configuration from all sources. A `file` that is named must exist; without a name, [`DEFAULT_FILE`] is
    /// read if it exists. Variables without the prefix `CANDANGO_` are ignored, but for `CREDENTIALS_DIRECTORY`.
    pub fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        flags: &[Override],
    ) -> Result<Config, ConfigError> {
        let mut warnings = Vec::new();
        let mut layers = Vec::from_iter(read_file(file, &mut warnings)?);
        let types = defaults(Path::new(DATA), LISTEN, None);
        for setting in &from_environment(environment, &mut warnings)? {
            layers.push(setting.layer(&types)?);
        }
        for flag in flags {
            let layer = flag.layer(&types)?;
            warn_of_process_list(&layer, &mut warnings);
            layers.push(layer);
        }
        // some defaults depend on these, so their last value is looked up first
        let last = |name: &str| layers.iter().rev().find_map(|layer| layer.table.get(name)?.as_str());
        // a wrong one is reported below, with its source
        let data = last("data").filter(|data| !data.trim().is_empty()).unwrap_or(DATA);
        let listen = last("listen").and_then(|listen| listen.parse().ok()).unwrap_or(LISTEN);
        let base_url = last("base_url").filter(|url| url.parse::<HttpUrl>().is_ok());
        let mut table = defaults(Path::new(data), listen, base_url);
        let mut config = parse(&table).map_err(|wrong| ConfigError::of("the defaults", wrong.text))?;
        let set = layers.iter().flat_map(|layer| layer.table.keys().cloned()).collect();
        // parsed after each layer, so that an error names the source it comes from
        for layer in layers {
            (table, config) = with_layer(&table, layer)?;
        }
        config.set = set;
        config.warnings = warnings;
        config.check()?;
        Ok(config)
    }

    /// Whether the operator chose the value of a setting, even if it is the default.
    pub fn is_set(&self, name: &str) -> bool {
        self.set.contains(name)
    }

    /// Whether the depot is another one than that of the data folder.
    pub fn has_own_depot(&self) -> bool {
        self.depot != DepotSpec::Folder(self.data.join("depot"))
    }

    /// Whether the service is meant for the internet.
    pub fn is_public(&self) -> bool {
        self.base_url.is_public() || network::is_public(&self.listen.ip().to_string())
    }

    /// Checks what calls of the payment gateway need: those of a server, and of few commands.
    pub fn check_gateway(&self) -> Result<(), ConfigError> {
        if self.payments != Payments::Asaas || !self.asaas.api_key.reveal().is_empty() {
            return Ok(());
        }
        Err(ConfigError::of(
            "asaas.api_key",
            "required because payments is asaas, but empty: set it (CANDANGO_ASAAS__API_KEY, or \
             CANDANGO_ASAAS__API_KEY_FILE=PATH), also for a command that calls the gateway",
        ))
    }

    /// Checks what depends on several settings, and what a type does not say.
    fn check(&self) -> Result<(), ConfigError> {
        let Limits { body_bytes, body_memory_bytes, workers, .. } = self.limits;
        if workers > MAX_WORKERS {
            let wrong = format!("{workers}: must be at most {MAX_WORKERS}; 0 is one for each processor");
            return Err(ConfigError::of("limits.workers", wrong));
        }
        if body_memory_bytes < body_bytes {
            let wrong = format!("must be at least limits.body_bytes, {body_bytes}");
            return Err(ConfigError::of("limits.body_memory_bytes", wrong));
        }
        if self.plans.free.area.trim().is_empty() {
            let wrong = "empty: expected the slug of a zone, region or neighbourhood, such as plano-piloto";
            return Err(ConfigError::of("plans.free.area", wrong));
        }
        for plan in Plan::ALL {
            let Figures { per_minute, per_month, .. } = self.plans.row(plan).figures;
            for (name, calls) in [("per_minute", per_minute), ("per_month", per_month)] {
                if calls == 0 {
                    let wrong = "0, so that no key of this plan could make a call: must be at least 1";
                    return Err(ConfigError::of(format!("plans.{}.{name}", plan.as_str()), wrong));
                }
            }
        }
        Ok(())
    }

    /// Replaces `listen` by the address that was bound, also in the URLs that were derived from it.
    pub fn bound_at(mut self, bound: SocketAddr) -> Config {
        let (before, after) = (HttpUrl::of(self.listen), HttpUrl::of(bound));
        for url in [&mut self.base_url, &mut self.service_site] {
            if url.as_str() == before
                && let Ok(moved) = after.parse()
            {
                *url = moved;
            }
        }
        self.listen = bound;
        self
    }

    /// All settings as TOML, with secrets hidden.
    pub fn effective(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

/// How many wrong settings of one source an error names.
const MOST_MISTAKES: usize = 50;

/// The settings with those of a layer; an error names every wrong one, in the order of their lines.
fn with_layer(before: &Table, layer: Layer) -> Result<(Table, Config), ConfigError> {
    let Layer { origin, table: mut over, text } = layer;
    let mut mistakes: Vec<(Option<usize>, String)> = Vec::new();
    loop {
        let mut table = before.clone();
        merge(&mut table, over.clone());
        let wrong = match parse(&table) {
            Ok(config) if mistakes.is_empty() => return Ok((table, config)),
            Ok(_) => break,
            Err(wrong) => wrong,
        };
        let line = line_of(&text, &wrong.name);
        let place = line.map_or_else(String::new, |line| format!("line {line}: "));
        mistakes.push((line, format!("{place}{}", wrong.text)));
        // without it the next one shows
        if !remove(&mut over, &wrong.name) || mistakes.len() == MOST_MISTAKES {
            break;
        }
    }
    mistakes.sort_by_key(|(line, _)| *line);
    let messages: Vec<String> = mistakes.into_iter().map(|(_, message)| message).collect();
    let wrong = messages.join(&format!("\n{origin}: "));
    Err(ConfigError::of(origin, wrong))
}

/// Removes the setting of a dotted name; false when there is none.
fn remove(table: &mut Table, name: &str) -> bool {
    match name.split_once('.') {
        Some((group, rest)) if table.get(group).is_some_and(toml::Value::is_table) => {
            table.get_mut(group).and_then(toml::Value::as_table_mut).is_some_and(|group| remove(group, rest))
        }
        _ => table.remove(name).is_some(),
    }
}

/// What is wrong with a setting.
struct WrongSetting {
    text: String,
    /// Its dotted name, or that of the group which has no such setting; empty when it is not known.
    name: String,
}

fn parse(table: &Table) -> Result<Config, WrongSetting> {
    table.clone().try_into().map_err(|error: toml::de::Error| {
        let text = error.to_string();
        let (what, within) = text.trim_end().split_once("\nin `").unwrap_or((text.trim_end(), ""));
        let within = within.trim_end_matches('`');
        let unknown = what.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
        let names = [within, unknown.map_or("", |(name, _)| name)];
        let name = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(".");
        let within = if within.is_empty() { String::new() } else { format!(", in `{within}`") };
        WrongSetting { text: in_plain_words(format!("{what}{within}")), name }
    })
}

/// What was wrong, with words of TOML for the types of Rust.
fn in_plain_words(wrong: String) -> String {
    const POSITIVE: &str = "a whole number, at least 1";
    const NATURAL: &str = "a whole number, 0 or more";
    let words = [
        // of a setting with few values
        ("string only", "a text in quotes"),
        ("a sequence", "a list, such as [\"a\", \"b\"]"),
        ("a string", "a text in quotes"),
        ("a boolean", "true or false"),
        ("a nonzero usize", POSITIVE),
        ("a nonzero u64", POSITIVE),
        ("usize", NATURAL),
        ("u32", "a whole number from 0 to 4294967295"),
        ("u64", NATURAL),
    ];
    words.iter().fold(wrong, |wrong, (rust, plain)| {
        wrong.replace(&format!("expected {rust}"), &format!("expected {plain}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_type_is_told_in_words_of_toml() {
        for (file, expected) in [
            ("trusted_proxies = \"10.0.0.1\"", "expected a list, such as [\"a\", \"b\"]"),
            ("limits = { connections = -5 }", "expected a whole number, at least 1"),
            ("limits = { workers = \"many\" }", "expected a whole number"),
            ("payments = 12", "expected a text in quotes"),
            ("plans.pro.per_minute = 9223372036854775807", "expected a whole number from 0 to 4294967295"),
        ] {
            let error = load(file, &[], &[]).expect_err("another type").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn all_wrong_settings_of_a_file_are_told_at_once() {
        let file = "payments = \"pix\"\nservice_name = \"Guia\"\nlog_requests = \"some\"\nmail = \"smpt://x\"\ncolour = 1\n\
                    [limits]\nconnections = -5\n";
        let told = load(file, &[], &[]).expect_err("wrong settings").to_string();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 5, "{told}");
        for (told, expected) in lines.iter().zip(["line 1: ", "line 3: ", "line 4: ", "line 5: ", "line 7: "])
        {
            assert!(told.contains(&format!("candango.toml: {expected}")), "{told}");
        }
    }

    #[test]
    fn a_secret_has_no_blanks_at_its_ends() {
        let file = "payments = \"asaas\"\nasaas = { api_key = \" k \", webhook_token = \"  t3st-t3st-t3st-t3st-t3st-t3st-t3st \\n\" }";
        let asaas = load(file, &[], &[]).expect("settings").asaas;
        assert_eq!(
            (asaas.api_key.reveal(), asaas.webhook_token.reveal()),
            ("k", "t3st-t3st-t3st-t3st-t3st-t3st-t3st")
        );
        let padded = file.replace("t3st-t3st-t3st-t3st-t3st-t3st-t3st", "short                            ");
        assert!(mistakes(&padded).contains("asaas.webhook_token"));
    }

    fn load(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("candango.toml");
        std::fs::write(&path, file).expect("a file");
        let environment = environment.iter().map(|(name, value)| (name.into(), value.into()));
        let flags: Vec<Override> = flags
            .iter()
            .map(|&(setting, value)| Override {
                origin: format!("--{setting}"),
                setting: setting.to_owned(),
                value: value.to_owned(),
            })
            .collect();
        Config::load(Some(&path), environment, &flags)
    }

    /// What a server is refused for.
    fn mistakes(file: &str) -> String {
        let mistakes = load(file, &[], &[]).expect("settings").server_mistakes();
        mistakes.iter().map(|mistake| format!("{mistake}\n")).collect()
    }

    fn wrong(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> String {
        load(file, environment, flags).expect_err("a wrong configuration").to_string()
    }

    #[test]
    fn nothing_set_means_the_defaults() {
        let config = load("", &[], &[]).expect("the defaults");
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.base_url.as_str(), "http://127.0.0.1:8080");
        assert_eq!(config.store, StoreSpec::Sqlite("./data/candango.db".into()));
        assert_eq!(config.depot, DepotSpec::Folder("./data/depot".into()));
        assert_eq!(config.payments, Payments::Sandbox);
        assert_eq!(config.plans, Plans::default());
    }

    #[test]
    fn each_source_overrides_the_one_before() {
        let file = "[plans.pro]\nper_minute = 1\nper_month = 1\nprice_cents = 1";
        let environment = [
            ("CANDANGO_PLANS__PRO__PER_MINUTE", "2"),
            ("CANDANGO_PLANS__PRO__PER_MONTH", "2"),
            ("HOME", "/"),
        ];
        let config = load(file, &environment, &[("plans.pro.per_minute", "3")]).expect("layers");
        let pro = config.plans.pro;
        assert_eq!((pro.per_minute, pro.per_month, pro.price_cents), (3, 2, 1));
        assert_eq!(config.plans.free, Plans::default().free);
    }

    #[test]
    fn derived_defaults_follow_the_last_data_and_listen() {
        let config = load(
            "data = \"/srv/a\"\nmail = \"outbox:/mail\"",
            &[("CANDANGO_LISTEN", "0.0.0.0:80")],
            &[("data", "/srv/b")],
        )
        .expect("layers");
        assert_eq!(config.store, StoreSpec::Sqlite("/srv/b/candango.db".into()));
        assert_eq!(config.mail, MailSpec::Outbox("/mail".into()));
        assert_eq!(config.payments, Payments::None, "no sandbox beyond this machine");
        let without = load("", &[("CANDANGO_LISTEN", "0.0.0.0:80")], &[]).expect("layers");
        assert_eq!(without.mail, MailSpec::None, "no outbox beyond this machine");
        assert_eq!(config.base_url.as_str(), "http://0.0.0.0:80".parse::<HttpUrl>().expect("a URL").as_str());
    }

    #[test]
    fn derived_urls_get_the_port_that_was_bound() {
        let bound = "127.0.0.1:4321".parse().expect("an address");
        let config = load("listen = \"127.0.0.1:0\"", &[], &[]).expect("layers").bound_at(bound);
        assert_eq!(config.base_url.as_str(), "http://127.0.0.1:4321");
        let explicit = load("listen = \"127.0.0.1:0\"\nbase_url = \"https://guia.example/\"", &[], &[])
            .expect("layers")
            .bound_at(bound);
        assert_eq!(explicit.base_url.as_str(), "https://guia.example");
        assert_eq!(
            explicit.service_site.as_str(),
            "https://guia.example",
            "it is the site, if no other is set"
        );
    }

    #[test]
    fn errors_name_the_setting_and_its_source() {
        let error = wrong("lisen = \"127.0.0.1:1\"", &[], &[]);
        assert!(error.contains("candango.toml") && error.contains("lisen"), "{error}");
        let error = wrong("[plans.pro]\nper_minit = 3", &[], &[]);
        assert!(error.contains("per_minit") && error.contains("plans.pro"), "{error}");
        let error = wrong("", &[("CANDANGO_PLANS__PRO__PER_MINUTE", "many")], &[]);
        assert!(
            error.contains("CANDANGO_PLANS__PRO__PER_MINUTE") && error.contains("whole number"),
            "{error}"
        );
        let error = wrong("", &[("CANDANGO_PLANS__PRO__PER_MINUTE", "-1")], &[]);
        assert!(error.contains("plans.pro.per_minute"), "{error}");
        let error = wrong("", &[("CANDANGO_PLANS", "pro")], &[]);
        assert!(error.contains("plans"), "{error}");
        let error = wrong("", &[("CANDANGO_NOTHING__SUCH", "1")], &[]);
        assert!(error.contains("CANDANGO_NOTHING__SUCH") && error.contains("nothing"), "{error}");
        let error = wrong("", &[], &[("listen", "here")]);
        assert!(error.contains("--listen") && error.contains("ADDRESS:PORT"), "{error}");
        let error = wrong("store = \"mysql://x\"", &[], &[]);
        assert!(error.contains("store") && error.contains("sqlite:PATH"), "{error}");
        let error = wrong("limits.connections = 0", &[], &[]);
        assert!(error.contains("limits.connections"), "{error}");
        let error = wrong("limits.body_bytes = 70_000_000", &[], &[]);
        assert!(error.contains("limits.body_memory_bytes") && error.contains("70000000"), "{error}");
        let error = wrong("limits.connections_per_address = 0", &[], &[]);
        assert!(error.contains("limits.connections_per_address"), "{error}");
        for (setting, wrong_value) in [
            ("allowed_origins", "app.example"),
            ("allowed_origins", "https://app.example/page"),
            ("allowed_hosts", "https://guia.example"),
            ("data", " "),
        ] {
            let variable = format!("CANDANGO_{}", setting.to_uppercase());
            let error = wrong("", &[(&variable, wrong_value)], &[]);
            assert!(error.contains(&variable) && error.contains("expected"), "{error}");
        }
        for network in ["0.0.0.0/0", "::/0", "0.0.0.0/1, 128.0.0.0/1"] {
            let first = network.split(',').next().unwrap_or(network);
            let error = wrong("", &[("CANDANGO_TRUSTED_PROXIES", &format!("10.0.0.0/8, {network}"))], &[]);
            assert!(error.contains("trusted_proxies") && error.contains(first), "{error}");
        }
        let error = wrong("mail_from = \"Guia\"", &[], &[]);
        assert!(error.contains("mail_from") && error.contains("guide@example.com"), "{error}");
        let error = wrong("plans.free.area = \" \"", &[], &[]);
        assert!(error.contains("plans.free.area") && error.contains("empty"), "{error}");
    }

    #[test]
    fn errors_of_a_file_name_the_line() {
        for (file, line) in [
            ("listen = ", "line 1: "),
            ("\nlisten = \"here\"", "line 2: expected ADDRESS:PORT"),
            ("data = \"x\"\nlisen = \"127.0.0.1:1\"", "line 2: unknown field `lisen`"),
            ("[plans.pro]\nper_month = 3\n\nper_minute = \"x\"\n[signup]", "line 4: "),
            ("[plans]\n[plans.pro]\nper_month = 3\nper_minit = 3", "line 4: unknown field `per_minit`"),
            ("\nasaas = {\n  api_key = 7 }", "line 3: "),
        ] {
            let error = wrong(file, &[], &[]);
            assert!(error.contains(&format!("candango.toml: {line}")), "{file}: {error}");
        }
        // what another source sets is in none
        let error = wrong("data = \"x\"", &[], &[("listen", "here")]);
        assert!(!error.contains("line "), "{error}");
    }

    #[test]
    fn a_server_is_refused_for_all_mistakes_at_once_and_other_commands_for_none() {
        let gateway = mistakes("payments = \"asaas\"\nasaas = { webhook_token = \"short\" }");
        assert!(gateway.contains("asaas.api_key") && gateway.contains("asaas.webhook_token"), "{gateway}");
        assert!(gateway.contains("32") && !gateway.contains("short\""), "{gateway}");
        let public = "base_url = \"https://guia.example\"\n";
        let nothing_set = mistakes(public);
        for setting in ["mail: not set", "mail_from: ", "payments: sandbox by default"] {
            assert!(nothing_set.contains(setting), "{setting}: {nothing_set}");
        }
        let none = "mail = \"none\"\npayments = \"none\"\n";
        assert_eq!(mistakes(&format!("{public}{none}")), "");
        let sent = "mail = \"smtps://mail.example\"\npayments = \"none\"\n";
        assert!(mistakes(&format!("{public}{sent}")).contains("Candango <guia@guia.example>"));
        assert_eq!(mistakes(&format!("{public}{sent}mail_from = \"guia@guia.example\"")), "");
        assert_eq!(mistakes(""), "");
    }

    #[test]
    fn a_named_file_must_exist() {
        let error = Config::load(Some(Path::new("/nowhere/c.toml")), [], &[]).expect_err("no file");
        assert!(error.to_string().contains("/nowhere/c.toml"));
    }

    #[test]
    fn variables_are_parsed_by_the_type_of_their_setting() {
        let environment = [
            ("CANDANGO_SERVICE_NAME", "42"),
            ("CANDANGO_TRUSTED_PROXIES", "10.0.0.0/8, 127.0.0.1"),
            ("CANDANGO_LOG", "json:warn"),
            ("CANDANGO_CONFIG", "elsewhere.toml"),
        ];
        let config = load("", &environment, &[]).expect("texts");
        assert_eq!(config.service_name, "42");
        assert_eq!(config.trusted_proxies.len(), 2);
        assert!(config.log.format == LogFormat::Json && config.log.filter == "warn");
    }

    #[test]
    fn a_list_is_read_with_commas_or_as_in_the_file() {
        for (value, hosts) in [
            ("a.example, b.example", &["a.example", "b.example"][..]),
            (r#"["a.example"]"#, &["a.example"]),
            (r#" [ 'a.example', "b.example" ] "#, &["a.example", "b.example"]),
            ("[]", &[]),
            ("", &[]),
            ("[::1]:8080", &["[::1]:8080"]),
        ] {
            assert_eq!(
                load("", &[("CANDANGO_ALLOWED_HOSTS", value)], &[]).expect("a list").allowed_hosts,
                hosts
            );
            assert_eq!(load("", &[], &[("allowed_hosts", value)]).expect("a list").allowed_hosts, hosts);
        }
        let proxies = load("", &[("CANDANGO_TRUSTED_PROXIES", r#"["10.0.0.0/8"]"#)], &[]).expect("a list");
        assert_eq!(proxies.trusted_proxies.len(), 1);
        let error = wrong("", &[("CANDANGO_ALLOWED_HOSTS", r#"["a.example"#)], &[]);
        assert!(error.contains("CANDANGO_ALLOWED_HOSTS") && error.contains("expected a list"), "{error}");
        let error = wrong("", &[("CANDANGO_TRUSTED_PROXIES", "10.0.0.0/8, proxy")], &[]);
        assert!(error.contains("not \"proxy\""), "{error}");
    }

    #[test]
    fn one_address_for_both_ports_is_refused_by_its_setting() {
        let config = load("ops_listen = \"127.0.0.1:8080\"", &[], &[]).expect("settings");
        let mistakes: Vec<String> = config.server_mistakes().iter().map(ToString::to_string).collect();
        assert_eq!(
            mistakes,
            ["ops_listen: 127.0.0.1:8080, which is listen too: give one of them another port"]
        );
    }

    #[test]
    fn secrets_are_never_printed() {
        let file = "store = \"rediss://user:s3same@redis.example\"\nmail = \"smtp://u:s3same@mail.example:25\"\n\
                    payments = \"asaas\"\nasaas = { api_key = \"s3same\", webhook_token = \"s3same-s3same-s3same-s3same-s3same\" }";
        let config = load(file, &[], &[]).expect("secrets");
        let shown = config.effective().expect("TOML");
        assert!(!shown.contains("s3same"), "{shown}");
        assert!(!format!("{config:?}").contains("s3same"));
        assert!(shown.contains("rediss://user:hidden@redis.example"), "{shown}");
        assert_eq!(config.asaas.api_key.reveal(), "s3same");
    }

    #[test]
    fn the_printed_configuration_can_be_loaded_again() {
        let config = load("", &[], &[]).expect("the defaults");
        let printed = config.effective().expect("TOML");
        let again = load(&printed, &[], &[]).expect("itself");
        assert_eq!(again.effective().expect("TOML"), printed);
        assert!(again.is_set("mail") && !config.is_set("mail"));
    }

    /// The example with every setting uncommented: a comment has a space after its #, a setting has none.
    fn example() -> Table {
        let text = include_str!("../../candango.example.toml");
        let is_setting = |line: &str| {
            line.strip_prefix('#').is_some_and(|line| !line.is_empty() && !line.starts_with(' '))
        };
        let lines = text.lines().map(|line| if is_setting(line) { &line[1..] } else { line });
        lines.collect::<Vec<_>>().join("\n").parse().expect("the example is TOML")
    }

    #[test]
    fn the_example_lists_every_setting_with_its_default() {
        assert_eq!(example(), defaults(Path::new(DATA), LISTEN, None));
    }
}
