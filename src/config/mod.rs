//! What the operator says, as types. Every setting has a default; above it come, each over the one before, the
//! file `candango.toml`, the environment (`CANDANGO_*`, two underscores for each step down) and the flags.
//!
//! Texts become types here, at the edge, and nowhere else, so the rooms above never see a wrong one. A setting
//! is a field of [`Config`], a default in `Config::defaults` and a line in `candango.example.toml` (a test
//! holds them together). Types that hold a secret show it in no `Debug`, `Display` or `Serialize`, so nothing
//! that prints a configuration can leak one. Uses [`crate::domain::plan`], and lettre for what an address is.

use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;
use lettre::Address;
use lettre::message::Mailbox;
use serde::{Deserialize, Deserializer, Serialize};
use toml::{Table, Value};
use url::Url;

use crate::domain::plan::Plans;

/// The file that is read when it is there and no other is named.
pub const DEFAULT_FILE: &str = "candango.toml";

/// What every variable of the environment that is a setting begins with.
const ENVIRONMENT: &str = "CANDANGO_";

/// Read by the command line, not a setting: the file itself.
const NAMES_THE_FILE: &str = "CANDANGO_CONFIG";

/// The settings, complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The folder that holds everything embedded.
    pub data: PathBuf,
    /// Where the public service listens; port 0 lets the machine choose.
    #[serde(deserialize_with = "address")]
    pub listen: SocketAddr,
    /// Where health and metrics are served; not for the public.
    #[serde(deserialize_with = "address")]
    pub ops_listen: SocketAddr,
    /// The address the public knows the service by, without a slash at the end.
    #[serde(with = "as_text")]
    pub base_url: HttpUrl,
    /// The name that answers are credited to.
    #[serde(deserialize_with = "one_line")]
    pub service_name: String,
    /// The public site that the credit links to.
    #[serde(with = "as_text")]
    pub service_site: HttpUrl,
    /// Where published snapshots rest.
    #[serde(with = "as_text")]
    pub depot: DepotSpec,
    /// Where accounts, keys and quotas rest.
    #[serde(with = "as_text")]
    pub store: StoreSpec,
    /// How mail leaves.
    #[serde(with = "as_text")]
    pub mail: MailSpec,
    /// Whom mail is from.
    #[serde(with = "as_text")]
    pub mail_from: MailFrom,
    /// Who takes the money.
    pub payments: Payments,
    /// Proxies whose `x-forwarded-for` is believed, as addresses or networks.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// Hosts the agent endpoint answers for, besides the loopback ones and that of `base_url`.
    pub allowed_hosts: Vec<String>,
    /// Web origins that may call the agent endpoint, besides the loopback ones and `base_url`.
    pub allowed_origins: Vec<String>,
    /// What is logged, and how.
    #[serde(with = "as_text")]
    pub log: LogSpec,
    /// The gateway of real payments.
    pub asaas: Asaas,
    /// Price and limits of each plan.
    pub plans: Plans,
    /// The preview of callers without a key.
    pub preview: Preview,
    /// How often one may sign up.
    pub signup: Signup,
    /// Bounds of the HTTP server.
    pub limits: Limits,
}

/// The preview of callers without a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preview {
    /// Questions a minute from one address.
    pub per_minute: u32,
    /// Questions a day from one address.
    pub per_day: u32,
    /// Questions a minute from everyone.
    pub per_minute_all: u32,
}

/// How often one may sign up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signup {
    /// Times a day for one e-mail address.
    pub per_address_day: u32,
    /// Times an hour from one network address.
    pub per_ip_hour: u32,
    /// Times a day from one network address.
    pub per_ip_day: u32,
}

/// Bounds of the HTTP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The longest body that is read.
    pub body_bytes: NonZeroUsize,
    /// Connections open at once; more are answered 503.
    pub connections: NonZeroUsize,
    /// Time for a client to send the head of a request.
    pub header_timeout_ms: NonZeroU64,
    /// Time from the head of a request to its answer, the reading of its body included.
    pub request_timeout_ms: NonZeroU64,
    /// Time a connection may lie unused between requests.
    pub idle_timeout_ms: NonZeroU64,
    /// For so long after it last heard from a shared store a process honours what it remembers of keys.
    pub trust_window_ms: NonZeroU64,
    /// Time for requests in flight to finish when the service stops.
    pub drain_ms: u64,
    /// Threads that serve; 0 means one for each processor.
    pub workers: usize,
}

impl Limits {
    /// [`Limits::trust_window_ms`] as a time.
    pub fn trust_window(&self) -> Duration {
        Duration::from_millis(self.trust_window_ms.get())
    }
}

/// The gateway of real payments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asaas {
    /// Where its API is.
    #[serde(with = "as_text")]
    pub url: HttpUrl,
    /// The key it gave us.
    #[serde(with = "as_text")]
    pub api_key: Secret,
    /// The token its notices carry.
    #[serde(with = "as_text")]
    pub webhook_token: Secret,
}

/// Who takes the money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Payments {
    /// A page of our own, where nobody pays.
    Sandbox,
    /// Nobody: paid plans are not open.
    None,
    /// Asaas.
    Asaas,
}

/// An http or https address without a slash at the end.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpUrl(Url);

impl HttpUrl {
    /// The address as text, ready to have a path put after it.
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// The host, without a port.
    pub fn host(&self) -> String {
        self.0.host_str().unwrap_or_default().to_owned()
    }

    /// The web origin, as browsers write it.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    fn of(address: SocketAddr) -> String {
        format!("http://{address}")
    }
}

impl FromStr for HttpUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Url::parse(text) {
            Ok(url)
                if ["http", "https"].contains(&url.scheme())
                    && url.query().is_none()
                    && url.fragment().is_none()
                    && url.username().is_empty()
                    && url.password().is_none() =>
            {
                Ok(HttpUrl(url))
            }
            _ => Err("expected an address like https://guide.example, without query or password"),
        }
    }
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where published snapshots rest.
#[derive(Clone, PartialEq, Eq)]
pub enum DepotSpec {
    /// A folder of this machine.
    Folder(PathBuf),
    /// A bucket, or a folder written as a URL: `file`, `s3`, `gs` or `az`.
    Url(Url),
}

impl FromStr for DepotSpec {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err("expected a folder, or a URL of file://, s3://, gs:// or az://");
        }
        if !text.contains("://") {
            return Ok(DepotSpec::Folder(text.into()));
        }
        match Url::parse(text) {
            Ok(url) if ["file", "s3", "gs", "az"].contains(&url.scheme()) => Ok(DepotSpec::Url(url)),
            _ => Err("expected a folder, or a URL of file://, s3://, gs:// or az://"),
        }
    }
}

impl fmt::Display for DepotSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DepotSpec::Folder(path) => path.display().fmt(f),
            DepotSpec::Url(url) => without_password(url).fmt(f),
        }
    }
}

/// Where accounts, keys and quotas rest.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreSpec {
    /// One file of this machine.
    Sqlite(PathBuf),
    /// One Redis for many nodes; `rediss` for TLS, `redis-cluster` for a cluster.
    Redis(Url),
}

impl FromStr for StoreSpec {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected sqlite:PATH, or a URL of redis://, rediss:// or redis-cluster://";
        match text.strip_prefix("sqlite:") {
            Some("") => Err(EXPECTED),
            Some(path) => Ok(StoreSpec::Sqlite(path.into())),
            None => match Url::parse(text) {
                Ok(url) if ["redis", "rediss", "redis-cluster"].contains(&url.scheme()) && url.has_host() => {
                    Ok(StoreSpec::Redis(url))
                }
                _ => Err(EXPECTED),
            },
        }
    }
}

impl fmt::Display for StoreSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreSpec::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            StoreSpec::Redis(url) => without_password(url).fmt(f),
        }
    }
}

/// How mail leaves.
#[derive(Clone, PartialEq, Eq)]
pub enum MailSpec {
    /// It does not: it is laid in a folder, for the operator to read.
    Outbox(PathBuf),
    /// By a mail server; `smtps` for TLS from the first byte.
    Smtp(Url),
}

impl FromStr for MailSpec {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected outbox:FOLDER, or a URL of smtp:// or smtps://";
        match text.strip_prefix("outbox:") {
            Some("") => Err(EXPECTED),
            Some(path) => Ok(MailSpec::Outbox(path.into())),
            None => match Url::parse(text) {
                Ok(url) if ["smtp", "smtps"].contains(&url.scheme()) && url.has_host() => {
                    Ok(MailSpec::Smtp(url))
                }
                _ => Err(EXPECTED),
            },
        }
    }
}

impl fmt::Display for MailSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MailSpec::Outbox(path) => write!(f, "outbox:{}", path.display()),
            MailSpec::Smtp(url) => without_password(url).fmt(f),
        }
    }
}

/// Whom mail is from: an address, with or without a name.
#[derive(Clone, PartialEq, Eq)]
pub struct MailFrom(pub Mailbox);

impl FromStr for MailFrom {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected an address like guide@example.com, or Name <guide@example.com>";
        let (name, address) = match text.trim().strip_suffix('>') {
            Some(named) => named.rsplit_once('<').ok_or(EXPECTED)?,
            None => ("", text.trim()),
        };
        let name = name.trim().trim_matches('"').trim();
        // a server need not understand addresses beyond ASCII; the name is encoded
        if !address.is_ascii() || name.chars().any(|char| char.is_control() || "<>\"".contains(char)) {
            return Err(EXPECTED);
        }
        let address: Address = address.parse().map_err(|_| EXPECTED)?;
        Ok(MailFrom(Mailbox::new((!name.is_empty()).then(|| name.to_owned()), address)))
    }
}

impl fmt::Display for MailFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.name {
            Some(name) => write!(f, "{name} <{}>", self.0.email),
            None => self.0.email.fmt(f),
        }
    }
}

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself, for the one who must send it or compare it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Secret(text.to_owned()))
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "" } else { HIDDEN })
    }
}

/// What is logged, and how: `info`, or `json:info,candango=debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct LogSpec {
    /// The shape of a line.
    pub format: LogFormat,
    /// Which lines: a level, or levels by module, separated by commas.
    pub filter: String,
}

/// The shape of a log line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// For programs.
    Json,
}

impl FromStr for LogSpec {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (format, filter) = match text.strip_prefix("json:") {
            Some(filter) => (LogFormat::Json, filter),
            None => (LogFormat::Pretty, text.strip_prefix("pretty:").unwrap_or(text)),
        };
        if filter.trim().is_empty() {
            return Err("expected a level such as info or debug, with json: before it for JSON lines");
        }
        Ok(LogSpec { format, filter: filter.to_owned() })
    }
}

impl fmt::Display for LogSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            LogFormat::Pretty => f.write_str(&self.filter),
            LogFormat::Json => write!(f, "json:{}", self.filter),
        }
    }
}

/// What stands where a secret would.
const HIDDEN: &str = "hidden";

fn without_password(url: &Url) -> Url {
    let mut shown = url.clone();
    if shown.password().is_some() {
        // Fails only for URLs that cannot have a password, and this one does.
        let _ = shown.set_password(Some(HIDDEN));
    }
    shown
}

/// `Debug` as `Display`, which hides what must be hidden.
macro_rules! debug_as_display {
    ($($type:ty),*) => {
        $(impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        })*
    };
}
debug_as_display!(HttpUrl, DepotSpec, StoreSpec, MailSpec, MailFrom, Secret, LogSpec);

/// Serde for types that are written as one text.
mod as_text {
    use super::*;

    pub(super) fn serialize<T: fmt::Display, S: serde::Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: fmt::Display>,
        D: Deserializer<'de>,
    {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let read = String::deserialize(deserializer)?.parse();
    read.map_err(|_| serde::de::Error::custom("expected ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080"))
}

fn one_line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        return Err(serde::de::Error::custom("expected a text of one line, not empty"));
    }
    Ok(text)
}

fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let read = |text: &String| text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    Vec::<String>::deserialize(deserializer)?
        .iter()
        .map(read)
        .collect::<Result<_, _>>()
        .map_err(|_| serde::de::Error::custom("expected addresses or networks, such as 10.0.0.0/8"))
}

/// A configuration that cannot be: which source said it, and what is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{origin}: {wrong}")]
pub struct ConfigError {
    /// The file, variable or flag.
    pub origin: String,
    /// What is wrong, naming the setting.
    pub wrong: String,
}

/// A setting given as text: by its dotted name, with the place it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Where it was said, as the operator would look for it: `--listen`.
    pub origin: String,
    /// The setting: `plans.pro.per_minute`.
    pub setting: String,
    /// The value, as typed.
    pub value: String,
}

impl Config {
    /// Reads everything the operator said.
    ///
    /// `file` must exist when it is named; otherwise [`DEFAULT_FILE`] is read when it is there. Of `environment`
    /// only the variables that begin with `CANDANGO_` are looked at.
    pub fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        flags: &[Override],
    ) -> Result<Config, ConfigError> {
        let mut layers = Vec::new();
        if let Some(layer) = read_file(file)? {
            layers.push(layer);
        }
        let overrides = from_environment(environment)?;
        // The defaults of some settings follow from others, so those are looked for first, wherever they are.
        let shape = Config::defaults(Path::new("."), LISTEN);
        for said in overrides.iter().chain(flags) {
            layers.push(Layer { origin: said.origin.clone(), table: said.table(&shape)? });
        }
        let said = |name: &str| layers.iter().rev().find_map(|layer| layer.table.get(name)?.as_str());
        let data = said("data").unwrap_or(DATA);
        let listen = said("listen").and_then(|listen| listen.parse().ok()).unwrap_or(LISTEN);
        let mut table = Config::defaults(Path::new(data), listen);
        let mut config = typed(&table, "the defaults")?;
        for layer in layers {
            merge(&mut table, layer.table);
            config = typed(&table, &layer.origin)?;
        }
        config.check()?;
        Ok(config)
    }

    /// Every setting with its default, given the two that others follow from.
    fn defaults(data: &Path, listen: SocketAddr) -> Table {
        let within = |scheme: &str, name: &str| Value::from(format!("{scheme}{}", data.join(name).display()));
        let numbers = |pairs: &[(&str, i64)]| -> Value {
            pairs.iter().map(|&(name, number)| (name.to_owned(), number.into())).collect::<Table>().into()
        };
        let base_url = HttpUrl::of(listen);
        let payments = if listen.ip().is_loopback() { "sandbox" } else { "none" };
        let asaas = Table::from_iter([
            ("url".to_owned(), Value::from("https://api.asaas.com/v3")),
            ("api_key".to_owned(), "".into()),
            ("webhook_token".to_owned(), "".into()),
        ]);
        // The table of plans is numbers only, which TOML can always hold.
        let plans = Table::try_from(Plans::default()).unwrap_or_default();
        let settings: [(&str, Value); _] = [
            ("data", data.display().to_string().into()),
            ("listen", listen.to_string().into()),
            ("ops_listen", "127.0.0.1:9090".into()),
            ("base_url", base_url.clone().into()),
            ("service_name", "Candango".into()),
            ("service_site", base_url.into()),
            ("depot", within("", "depot")),
            ("store", within("sqlite:", "candango.db")),
            ("mail", within("outbox:", "outbox")),
            ("mail_from", "Candango <guia@localhost>".into()),
            ("payments", payments.into()),
            ("trusted_proxies", Value::Array(Vec::new())),
            ("allowed_hosts", Value::Array(Vec::new())),
            ("allowed_origins", Value::Array(Vec::new())),
            ("log", "info".into()),
            ("asaas", asaas.into()),
            ("plans", plans.into()),
            ("preview", numbers(&[("per_minute", 10), ("per_day", 200), ("per_minute_all", 600)])),
            ("signup", numbers(&[("per_address_day", 3), ("per_ip_hour", 5), ("per_ip_day", 20)])),
            (
                "limits",
                numbers(&[
                    ("body_bytes", 65_536),
                    ("connections", 10_000),
                    ("header_timeout_ms", 5_000),
                    ("request_timeout_ms", 20_000),
                    ("idle_timeout_ms", 60_000),
                    ("trust_window_ms", 15_000),
                    ("drain_ms", 10_000),
                    ("workers", 0),
                ]),
            ),
        ];
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What no single setting can be blamed for.
    fn check(&self) -> Result<(), ConfigError> {
        let missing = |setting: &str| ConfigError {
            origin: setting.to_owned(),
            wrong: "needed because payments is asaas, but empty".to_owned(),
        };
        if self.payments == Payments::Asaas {
            if self.asaas.api_key.reveal().is_empty() {
                return Err(missing("asaas.api_key"));
            }
            if self.asaas.webhook_token.reveal().is_empty() {
                return Err(missing("asaas.webhook_token"));
            }
        }
        Ok(())
    }

    /// The same, once the machine has chosen the port that `listen` left open: addresses that followed from
    /// `listen` follow from `bound` now.
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

    /// The whole, as TOML, with every secret hidden.
    pub fn effective(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

const DATA: &str = "./data";
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// What one source said.
struct Layer {
    origin: String,
    table: Table,
}

fn read_file(named: Option<&Path>) -> Result<Option<Layer>, ConfigError> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE));
    let origin = path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ConfigError { origin, wrong: format!("cannot be read: {error}") }),
    };
    match text.parse() {
        Ok(table) => Ok(Some(Layer { origin, table })),
        Err(error) => Err(ConfigError { origin, wrong: error.to_string() }),
    }
}

fn from_environment(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Vec<Override>, ConfigError> {
    let mut overrides = Vec::new();
    for (name, value) in environment {
        let Some(name) = name.to_str() else { continue };
        let Some(path) = name.strip_prefix(ENVIRONMENT) else { continue };
        if name == NAMES_THE_FILE {
            continue;
        }
        let origin = name.to_owned();
        let Ok(value) = value.into_string() else {
            return Err(ConfigError { origin, wrong: "expected text in UTF-8".to_owned() });
        };
        overrides.push(Override { origin, setting: path.to_lowercase().replace("__", "."), value });
    }
    // The order of the environment is nobody's intention; a fixed one makes errors repeat.
    overrides.sort_by(|a, b| a.setting.cmp(&b.setting));
    Ok(overrides)
}

impl Override {
    /// The table that says only this. `shape` tells what type the setting is of: a name of digits is a name.
    fn table(&self, shape: &Table) -> Result<Table, ConfigError> {
        let mut names = self.setting.split('.');
        let first = names.next().and_then(|name| shape.get(name));
        let known = names.try_fold(first, |group, name| Some(group?.get(name))).flatten();
        let value = match known {
            Some(Value::Integer(_)) => self.value.trim().parse::<i64>().map(Value::from).ok(),
            Some(Value::Array(_)) => {
                let items = self.value.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(items.map(Value::from).collect::<Vec<_>>().into())
            }
            Some(Value::Table(_)) => None,
            // Of an unknown setting the type does not matter: it is refused by its name.
            _ => Some(Value::from(self.value.as_str())),
        };
        let Some(value) = value else {
            let expected =
                if known.is_some_and(Value::is_table) { "a setting within it" } else { "a whole number" };
            return Err(ConfigError {
                origin: self.origin.clone(),
                wrong: format!("{}: expected {expected}", self.setting),
            });
        };
        let nested = self
            .setting
            .rsplit('.')
            .fold(value, |value, name| Value::Table(Table::from_iter([(name.to_owned(), value)])));
        match nested {
            Value::Table(table) => Ok(table),
            _ => Ok(Table::new()),
        }
    }
}

/// Lays `over` on `table`, group by group.
fn merge(table: &mut Table, over: Table) {
    for (name, value) in over {
        match (table.get_mut(&name), value) {
            (Some(Value::Table(group)), Value::Table(over)) => merge(group, over),
            (_, value) => {
                table.insert(name, value);
            }
        }
    }
}

fn typed(table: &Table, origin: &str) -> Result<Config, ConfigError> {
    table.clone().try_into().map_err(|error: toml::de::Error| ConfigError {
        origin: origin.to_owned(),
        wrong: error.to_string().trim_end().replace("\nin ", ", in "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn wrong(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> String {
        load(file, environment, flags).expect_err("a wrong configuration").to_string()
    }

    #[test]
    fn silence_means_the_defaults() {
        let config = load("", &[], &[]).expect("the defaults");
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.base_url.as_str(), "http://127.0.0.1:8080");
        assert_eq!(config.store, StoreSpec::Sqlite("./data/candango.db".into()));
        assert_eq!(config.depot, DepotSpec::Folder("./data/depot".into()));
        assert_eq!(config.payments, Payments::Sandbox);
        assert_eq!(config.plans, Plans::default());
    }

    #[test]
    fn each_layer_lies_over_the_one_before() {
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
    fn what_follows_from_data_and_listen_follows_from_the_last_word() {
        let config = load(
            "data = \"/srv/a\"\nmail = \"outbox:/mail\"",
            &[("CANDANGO_LISTEN", "0.0.0.0:80")],
            &[("data", "/srv/b")],
        )
        .expect("layers");
        assert_eq!(config.store, StoreSpec::Sqlite("/srv/b/candango.db".into()));
        assert_eq!(config.mail, MailSpec::Outbox("/mail".into()));
        assert_eq!(config.payments, Payments::None, "no sandbox where others can reach it");
        assert_eq!(config.base_url.as_str(), "http://0.0.0.0:80".parse::<HttpUrl>().expect("a URL").as_str());
    }

    #[test]
    fn a_port_the_machine_chose_shows_in_what_follows_from_it() {
        let bound = "127.0.0.1:4321".parse().expect("an address");
        let config = load("listen = \"127.0.0.1:0\"", &[], &[]).expect("layers").bound_at(bound);
        assert_eq!(config.base_url.as_str(), "http://127.0.0.1:4321");
        let said = load("listen = \"127.0.0.1:0\"\nbase_url = \"https://guia.example/\"", &[], &[])
            .expect("layers")
            .bound_at(bound);
        assert_eq!(said.base_url.as_str(), "https://guia.example");
    }

    #[test]
    fn an_error_names_the_setting_and_who_said_it() {
        let told = wrong("lisen = \"127.0.0.1:1\"", &[], &[]);
        assert!(told.contains("candango.toml") && told.contains("lisen"), "{told}");
        let told = wrong("[plans.pro]\nper_minit = 3", &[], &[]);
        assert!(told.contains("per_minit") && told.contains("plans.pro"), "{told}");
        let told = wrong("", &[("CANDANGO_PLANS__PRO__PER_MINUTE", "many")], &[]);
        assert!(told.contains("CANDANGO_PLANS__PRO__PER_MINUTE") && told.contains("whole number"), "{told}");
        let told = wrong("", &[("CANDANGO_PLANS__PRO__PER_MINUTE", "-1")], &[]);
        assert!(told.contains("plans.pro.per_minute"), "{told}");
        let told = wrong("", &[("CANDANGO_PLANS", "pro")], &[]);
        assert!(told.contains("plans"), "{told}");
        let told = wrong("", &[("CANDANGO_NOTHING__SUCH", "1")], &[]);
        assert!(told.contains("CANDANGO_NOTHING__SUCH") && told.contains("nothing"), "{told}");
        let told = wrong("", &[], &[("listen", "here")]);
        assert!(told.contains("--listen") && told.contains("ADDRESS:PORT"), "{told}");
        let told = wrong("store = \"mysql://x\"", &[], &[]);
        assert!(told.contains("store") && told.contains("sqlite:PATH"), "{told}");
        let told = wrong("limits.connections = 0", &[], &[]);
        assert!(told.contains("limits.connections"), "{told}");
        let told = wrong("payments = \"asaas\"", &[], &[]);
        assert!(told.contains("asaas.api_key"), "{told}");
        let told = wrong("listen = ", &[], &[]);
        assert!(told.contains("line 1"), "{told}");
    }

    #[test]
    fn a_named_file_must_be_there() {
        let told = Config::load(Some(Path::new("/nowhere/c.toml")), [], &[]).expect_err("no file");
        assert!(told.to_string().contains("/nowhere/c.toml"));
    }

    #[test]
    fn texts_are_read_by_the_type_of_their_setting() {
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
    fn whom_mail_is_from_is_an_address() {
        for (said, shown) in [
            ("a@b.c", "a@b.c"),
            ("<a@b.c>", "a@b.c"),
            ("Guia de Brasília <guia@brasilia.example>", "Guia de Brasília <guia@brasilia.example>"),
            ("\"Guia, de Brasília\" <guia@localhost>", "Guia, de Brasília <guia@localhost>"),
        ] {
            let from: MailFrom = said.parse().expect(said);
            assert_eq!(from.to_string(), shown);
            assert_eq!(shown.parse(), Ok(from));
        }
        for wrong in
            ["", "guia", "Guia <>", "Guia <guia>", "a@b.c x", "a@b.c\r\nBcc: x@y.z", "<a@b.c", "é@b.c"]
        {
            assert!(wrong.parse::<MailFrom>().is_err(), "{wrong:?}");
        }
        let told = wrong("mail_from = \"Guia\"", &[], &[]);
        assert!(told.contains("mail_from") && told.contains("guide@example.com"), "{told}");
    }

    #[test]
    fn secrets_are_shown_nowhere() {
        let file = "store = \"rediss://user:s3same@redis.example\"\nmail = \"smtp://u:s3same@mail.example:25\"\n\
                    payments = \"asaas\"\nasaas = { api_key = \"s3same\", webhook_token = \"s3same\" }";
        let config = load(file, &[], &[]).expect("secrets");
        let shown = config.effective().expect("TOML");
        assert!(!shown.contains("s3same"), "{shown}");
        assert!(!format!("{config:?}").contains("s3same"));
        assert!(shown.contains("rediss://user:hidden@redis.example"), "{shown}");
        assert_eq!(config.asaas.api_key.reveal(), "s3same");
    }

    #[test]
    fn what_is_shown_can_be_read_again() {
        let config = load("", &[], &[]).expect("the defaults");
        assert_eq!(load(&config.effective().expect("TOML"), &[], &[]).expect("itself"), config);
    }

    /// The example, with every line that was commented out brought in: a remark has a space after its #, a
    /// setting has none.
    fn example() -> Table {
        let text = include_str!("../../candango.example.toml");
        let said = |line: &str| {
            line.strip_prefix('#').is_some_and(|line| !line.is_empty() && !line.starts_with(' '))
        };
        let lines = text.lines().map(|line| if said(line) { &line[1..] } else { line });
        lines.collect::<Vec<_>>().join("\n").parse().expect("the example is TOML")
    }

    #[test]
    fn the_example_says_every_setting_and_its_default() {
        assert_eq!(example(), Config::defaults(Path::new(DATA), LISTEN));
    }
}
