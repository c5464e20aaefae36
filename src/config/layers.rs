//! The sources of settings: file, environment and flags, each read into a table of its own.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use toml::de::DeTable;
use toml::{Table, Value};

use super::secrets::{SECRETS, credentials, has_secret, secret_in, warn_of_readers, warn_of_unread};

/// The file that is read when it exists and no other is named.
pub const DEFAULT_FILE: &str = "candango.toml";

/// The prefix of every environment variable that is a setting.
const PREFIX: &str = "CANDANGO_";

/// Variables that the command line reads, which are no settings: the file itself, and who publishes.
const OTHER_VARIABLES: [&str; 2] = ["CANDANGO_CONFIG", "CANDANGO_BY"];

/// The folder in which systemd puts the credentials of a service.
const CREDENTIALS_DIRECTORY: &str = "CREDENTIALS_DIRECTORY";

/// An invalid configuration.
#[derive(Debug, thiserror::Error)]
#[error("{origin}: {wrong}")]
pub struct ConfigError {
    /// The file, variable or flag that is wrong.
    pub origin: String,
    /// What is wrong with it; names the setting.
    pub wrong: String,
}

impl ConfigError {
    pub(super) fn of(origin: impl Into<String>, wrong: impl Into<String>) -> ConfigError {
        ConfigError { origin: origin.into(), wrong: wrong.into() }
    }
}

/// A setting given as text, by a flag or a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The flag or variable, as the operator typed it: `--listen`.
    pub origin: String,
    /// The dotted name of the setting: `plans.pro.per_minute`.
    pub setting: String,
    /// The value, as typed.
    pub value: String,
}

/// The settings of one source.
pub(super) struct Layer {
    pub(super) origin: String,
    pub(super) table: Table,
    /// The text of a file; empty for others.
    pub(super) text: String,
}

/// The line of a file that has a setting, by its dotted name.
pub(super) fn line_of(file: &str, setting: &str) -> Option<usize> {
    let read = DeTable::parse(file).ok()?;
    let (mut table, mut start) = (Some(read.get_ref()), None);
    for name in setting.split('.') {
        let Some((key, value)) = table.and_then(|table| table.get_key_value(name)) else { break };
        start = Some(key.span().start);
        table = value.get_ref().as_table();
    }
    Some(line_at(file, start?))
}

/// The number of the line of a position in a text.
fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

/// Warns of a secret that a flag holds.
pub(super) fn warn_of_process_list(flag: &Layer, warnings: &mut Vec<String>) {
    if has_secret(&flag.table) {
        warnings.push(format!(
            "{} holds a secret, and everybody on this machine may read it in the list of processes: put it into the file of \
             settings, or into a file of its own that a variable names (CANDANGO_MAIL_FILE=PATH)",
            flag.origin
        ));
    }
}

pub(super) fn read_file(
    named: Option<&Path>,
    warnings: &mut Vec<String>,
) -> Result<Option<Layer>, ConfigError> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE));
    let origin = path.display().to_string();
    let mut text = String::new();
    let opened = File::open(path).and_then(|mut file| file.read_to_string(&mut text).map(|_| file));
    let file = match opened {
        Ok(file) => file,
        Err(error) if named.is_none() && error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ConfigError { origin, wrong: format!("cannot be read: {error}") }),
    };
    let table = match text.parse::<Table>() {
        Ok(table) => table,
        Err(error) => {
            // without the line itself, which may hold a secret
            let line = line_at(&text, error.span().map_or(0, |span| span.start));
            return Err(ConfigError { origin, wrong: format!("line {line}: {}", error.message()) });
        }
    };
    if has_secret(&table) {
        warn_of_readers(&file, &origin, warnings);
    }
    Ok(Some(Layer { origin, table, text }))
}

/// What the environment sets: the values themselves, and secrets in files.
pub(super) fn from_environment(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Override>, ConfigError> {
    let mut overrides = Vec::new();
    for (name, value) in environment {
        let Some(name) = name.to_str() else { continue };
        if name == CREDENTIALS_DIRECTORY {
            let folder = Path::new(&value);
            warn_of_unread(folder, warnings);
            for (setting, path) in credentials(folder) {
                let origin = format!("the credential {setting} of systemd");
                overrides.push(Override::from_file(origin, setting, &path, warnings)?);
            }
            continue;
        }
        let Some(path) = name.strip_prefix(PREFIX) else { continue };
        if OTHER_VARIABLES.contains(&name) {
            continue;
        }
        let origin = name.to_owned();
        let setting = path.to_lowercase().replace("__", ".");
        if let Some(secret) = setting.strip_suffix("_file").filter(|name| SECRETS.contains(name)) {
            overrides.push(Override::from_file(origin, secret, Path::new(&value), warnings)?);
            continue;
        }
        let Ok(value) = value.into_string() else {
            return Err(ConfigError { origin, wrong: "expected text in UTF-8".to_owned() });
        };
        overrides.push(Override { origin, setting, value });
    }
    // a fixed order, so that of two errors the same one is always reported
    overrides.sort_by(|a, b| (&a.setting, &a.origin).cmp(&(&b.setting, &b.origin)));
    match overrides.windows(2).find(|pair| pair[0].setting == pair[1].setting) {
        Some([one, other]) => Err(ConfigError {
            origin: one.origin.clone(),
            wrong: format!("{} is also set by {}: use one of them", one.setting, other.origin),
        }),
        _ => Ok(overrides),
    }
}

impl Override {
    /// A secret in a file.
    fn from_file(
        origin: String,
        setting: &str,
        path: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<Override, ConfigError> {
        match secret_in(path, warnings) {
            Ok(value) => Ok(Override { origin, setting: setting.to_owned(), value }),
            Err(wrong) => Err(ConfigError { origin, wrong: format!("{setting}: {wrong}") }),
        }
    }

    /// A table with only this setting. `defaults` gives its type, so that a service name of digits stays a text.
    pub(super) fn layer(&self, defaults: &Table) -> Result<Layer, ConfigError> {
        let mut names = self.setting.split('.');
        let first = names.next().and_then(|name| defaults.get(name));
        let known = names.try_fold(first, |group, name| Some(group?.get(name))).flatten();
        let value = match known {
            Some(Value::Boolean(_)) => self.value.trim().parse::<bool>().map(Value::from).ok(),
            Some(Value::Integer(_)) => self.value.trim().parse::<i64>().map(Value::from).ok(),
            Some(Value::Array(_)) => list(&self.value),
            Some(Value::Table(_)) => None,
            // an unknown setting is refused by its name, whatever its type
            _ => Some(Value::from(self.value.as_str())),
        };
        let Some(value) = value else {
            let expected = match known {
                Some(Value::Table(_)) => "a setting within it",
                Some(Value::Boolean(_)) => "true or false",
                Some(Value::Array(_)) => "a list, such as one,two or [\"one\", \"two\"]",
                _ => "a whole number",
            };
            return Err(ConfigError {
                origin: self.origin.clone(),
                wrong: format!("{}: expected {expected}", self.setting),
            });
        };
        let nested = self
            .setting
            .rsplit('.')
            .fold(value, |value, name| Value::Table(Table::from_iter([(name.to_owned(), value)])));
        let table = match nested {
            Value::Table(table) => table,
            _ => Table::new(),
        };
        Ok(Layer { origin: self.origin.clone(), table, text: String::new() })
    }
}

/// A list as text: items between commas, or in brackets as the file of settings has it. An address of IPv6 begins
/// with a bracket too, and is an item.
fn list(text: &str) -> Option<Value> {
    let text = text.trim();
    let is_bracketed =
        text.strip_prefix('[').map(str::trim_start).is_some_and(|rest| rest.starts_with(['"', '\'', ']']));
    if is_bracketed {
        let mut read = format!("list = {text}").parse::<Table>().ok()?;
        return read.remove("list").filter(Value::is_array);
    }
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Some(items.map(Value::from).collect::<Vec<_>>().into())
}

/// Overwrites the settings of `table` with those of `over`, group by group.
pub(super) fn merge(table: &mut Table, over: Table) {
    for (name, value) in over {
        match (table.get_mut(&name), value) {
            (Some(Value::Table(group)), Value::Table(over)) => merge(group, over),
            (_, value) => {
                table.insert(name, value);
            }
        }
    }
}
