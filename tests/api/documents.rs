//! The documents of this repository: what they link to and the files they name exist.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose names begin the path of a file of this repository.
const FOLDERS: [&str; 8] =
    ["deploy/", "src/", "index/", "snapshots/", "tools/", "tests/", "benches/", ".ci/"];

#[test]
fn documents_link_to_and_name_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    let documents = documents(root);
    assert!(documents.len() >= 10, "{documents:?}");
    for document in documents {
        let text = fs::read_to_string(&document).expect("a document");
        let folder = document.parent().expect("a folder");
        let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        let linked =
            links.filter(|link| !link.is_empty() && !link.contains(':')).map(|link| folder.join(link));
        let code = text.split('`').skip(1).step_by(2);
        let named = code.filter(|name| is_path(name));
        // a document of a crate may name files from the crate's folder
        let unnamed = named.filter(|name| !document.ancestors().any(|folder| folder.join(name).exists()));
        let unlinked = linked.filter(|path| !path.exists()).map(|path| path.display().to_string());
        missing.extend(
            unlinked.chain(unnamed.map(str::to_owned)).map(|what| format!("{}: {what}", document.display())),
        );
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Whether code in a document is the path of a file or folder, and not a command or a pattern.
fn is_path(code: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    FOLDERS.iter().any(|folder| code.starts_with(folder)) && code.bytes().all(plain)
}

/// Every Markdown file, except those of other people's packages.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut documents = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && !["target", "node_modules", "build"].contains(&name) {
            documents.extend(self::documents(&path));
        } else if name.ends_with(".md") {
            documents.push(path);
        }
    }
    documents
}
