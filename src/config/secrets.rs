//! Secrets in files: `CANDANGO_*_FILE` variables, and the credentials of systemd.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use toml::{Table, Value};
use url::Url;

/// The settings that are secrets, or URLs that may hold a password.
pub(super) const SECRETS: [&str; 4] = ["asaas.api_key", "asaas.webhook_token", "mail", "store"];

/// The longest file that is read: no secret is longer, and a wrong path may name a device.
const MAX_BYTES: u64 = 16 * 1024;

/// Everybody on the machine may read a file with this bit.
const WORLD_READABLE: u32 = 0o004;

/// The secret in a file, without the line break at its end; otherwise what is wrong with the file.
pub fn secret_in(path: &Path, warnings: &mut Vec<String>) -> Result<String, String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| format!("the file {shown} cannot be read: {error}");
    let file = File::open(path).map_err(cannot)?;
    warn_of_readers(&file, &shown.to_string(), warnings);
    let mut bytes = Vec::new();
    // one byte more than may be there shows that there is more
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!(
            "the file {shown} is longer than {MAX_BYTES} bytes: write the secret alone into it"
        ));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("the file {shown} is not text in UTF-8"))?;
    let secret = text.trim();
    if secret.is_empty() {
        return Err(format!("the file {shown} is empty: write the secret into it"));
    }
    if secret.chars().any(char::is_control) {
        return Err(format!("the file {shown} has several lines: write the secret alone into it"));
    }
    Ok(secret.to_owned())
}

/// Warns of files in a folder of credentials that are not read: a name may be misspelt.
pub(super) fn warn_of_unread(folder: &Path, warnings: &mut Vec<String>) {
    let Ok(files) = std::fs::read_dir(folder) else { return };
    let names = files.flatten().map(|file| file.file_name());
    let unread = names.filter(|name| !SECRETS.iter().any(|setting| name == setting));
    let mut unread: Vec<String> = unread.map(|name| name.to_string_lossy().into_owned()).collect();
    if unread.is_empty() {
        return;
    }
    unread.sort_unstable();
    warnings.push(format!(
        "these credentials of systemd are not read: {}; those that are have the names of settings: {}",
        unread.join(", "),
        SECRETS.join(", ")
    ));
}

/// The secrets in a folder, whose files have the names of settings; of others see [`warn_of_unread`].
pub(super) fn credentials(folder: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> {
    let paths = SECRETS.into_iter().map(move |setting| (setting, folder.join(setting)));
    // what exists and cannot be read is an error, and not a secret that is missing
    paths.filter(|(_, path)| path.symlink_metadata().is_ok())
}

/// Warns when everybody on the machine may read a file with a secret.
pub(super) fn warn_of_readers(file: &File, name: &str, warnings: &mut Vec<String>) {
    let mode = file.metadata().map_or(0, |data| data.permissions().mode());
    if mode & WORLD_READABLE != 0 {
        warnings.push(format!(
            "{name} holds a secret, and everybody on this machine may read it: chmod 600 it, or 640 with a group"
        ));
    }
}

/// Whether settings hold a secret.
pub(super) fn has_secret(table: &Table) -> bool {
    SECRETS.iter().any(|name| {
        let mut path = name.split('.');
        let first = path.next().and_then(|name| table.get(name));
        let value = path.try_fold(first, |group, name| Some(group?.get(name))).flatten();
        let Some(text) = value.and_then(Value::as_str) else { return false };
        match name.contains('.') {
            true => !text.is_empty(),
            // a URL, or no secret at all
            false => Url::parse(text).is_ok_and(|url| url.password().is_some()),
        }
    })
}
