//! The sources of settings: file, environment and flags, each read into a table of its own.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;

use toml::{Table, Value};

/// The file that is read when it exists and no other is named.
pub const DEFAULT_FILE: &str = "candango.toml";

/// The prefix of every environment variable that is a setting.
const PREFIX: &str = "CANDANGO_";

/// Names the file itself: read by the command line, not a setting.
const FILE_VARIABLE: &str = "CANDANGO_CONFIG";

/// An invalid configuration.
#[derive(Debug, thiserror::Error)]
#[error("{origin}: {wrong}")]
pub struct ConfigError {
    /// The file, variable or flag that is wrong.
    pub origin: String,
    /// What is wrong with it; names the setting.
    pub wrong: String,
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
}

pub(super) fn read_file(named: Option<&Path>) -> Result<Option<Layer>, ConfigError> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE));
    let origin = path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if named.is_none() && error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ConfigError { origin, wrong: format!("cannot be read: {error}") }),
    };
    match text.parse() {
        Ok(table) => Ok(Some(Layer { origin, table })),
        Err(error) => Err(ConfigError { origin, wrong: error.to_string() }),
    }
}

pub(super) fn from_environment(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Vec<Override>, ConfigError> {
    let mut overrides = Vec::new();
    for (name, value) in environment {
        let Some(name) = name.to_str() else { continue };
        let Some(path) = name.strip_prefix(PREFIX) else { continue };
        if name == FILE_VARIABLE {
            continue;
        }
        let origin = name.to_owned();
        let Ok(value) = value.into_string() else {
            return Err(ConfigError { origin, wrong: "expected text in UTF-8".to_owned() });
        };
        overrides.push(Override { origin, setting: path.to_lowercase().replace("__", "."), value });
    }
    // a fixed order, so that of two errors the same one is always reported
    overrides.sort_by(|a, b| a.setting.cmp(&b.setting));
    Ok(overrides)
}

impl Override {
    /// A table with only this setting. `defaults` gives its type, so that a service name of digits stays a text.
    pub(super) fn layer(&self, defaults: &Table) -> Result<Layer, ConfigError> {
        let mut names = self.setting.split('.');
        let first = names.next().and_then(|name| defaults.get(name));
        let known = names.try_fold(first, |group, name| Some(group?.get(name))).flatten();
        let value = match known {
            Some(Value::Integer(_)) => self.value.trim().parse::<i64>().map(Value::from).ok(),
            Some(Value::Array(_)) => {
                let items = self.value.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(items.map(Value::from).collect::<Vec<_>>().into())
            }
            Some(Value::Table(_)) => None,
            // an unknown setting is refused by its name, whatever its type
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
        let table = match nested {
            Value::Table(table) => table,
            _ => Table::new(),
        };
        Ok(Layer { origin: self.origin.clone(), table })
    }
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
