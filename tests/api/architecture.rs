//! The layers of the code: no circles among files, and no file uses a higher layer. The layers are the tables in the
//! docs of `src/lib.rs` and `index/src/lib.rs`, so that the tables stay true.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The module of each file of a crate, with the modules that it uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_circles_among_the_files_of_a_crate() {
    for crate_root in ["src", "index/src", "snapshots/src", "spreadsheets/src"] {
        let circles = circles(&graph(crate_root));
        assert!(circles.is_empty(), "{crate_root}: these files use each other: {circles:?}");
    }
}

#[test]
fn a_file_uses_only_lower_layers() {
    for crate_root in ["src", "index/src"] {
        let graph = graph(crate_root);
        let layers = layers(crate_root);
        for (entry, _) in &layers {
            let exists = |module: &String| is_within(module, entry);
            assert!(
                graph.keys().any(exists),
                "the table in {crate_root}/lib.rs names {entry}, which does not exist"
            );
        }
        let mut wrong = Vec::new();
        // the tests of a crate may use all of it
        for (module, used) in
            graph.iter().filter(|(module, _)| *module != "lib" && !is_within(module, "tests"))
        {
            let Some((entry, layer)) = layer_of(&layers, module) else {
                panic!("the table in {crate_root}/lib.rs has no layer for {module}")
            };
            for other in used {
                let Some((other_entry, other_layer)) = layer_of(&layers, other) else { continue };
                if entry != other_entry && other_layer >= layer {
                    wrong.push(format!("{module} (layer {layer}) uses {other} (layer {other_layer})"));
                }
            }
        }
        assert!(wrong.is_empty(), "{crate_root}: {}", wrong.join("\n"));
    }
}

#[test]
fn no_file_takes_the_root_of_its_crate_as_a_whole() {
    for crate_root in ["src", "index/src", "snapshots/src", "spreadsheets/src"] {
        for (module, text) in texts(crate_root) {
            let found = names_of_the_root(&text, &module);
            assert!(
                found.is_empty(),
                "{crate_root}: {module} hides what it uses behind {found:?}: name the modules"
            );
        }
    }
}

#[test]
fn no_file_is_too_long_and_no_comment_too_wide_to_read() {
    const MOST_LINES: usize = 700;
    const MOST_COLUMNS: usize = 120;
    for crate_root in ["src", "index/src", "snapshots/src", "spreadsheets/src", "tools/src"] {
        for (module, text) in texts(crate_root) {
            assert!(
                text.lines().count() <= MOST_LINES,
                "{crate_root}: {module} has more than {MOST_LINES} lines"
            );
            let is_wide = |line: &&str| {
                let comment =
                    line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!', ' ']));
                // a row of a table stays one line
                comment.is_some_and(|comment| !comment.starts_with('|'))
                    && line.chars().count() > MOST_COLUMNS
            };
            let wide: Vec<&str> = text.lines().filter(is_wide).collect();
            assert!(
                wide.is_empty(),
                "{crate_root}: {module} has comments of more than {MOST_COLUMNS} columns: {wide:?}"
            );
        }
    }
}

#[test]
fn the_table_of_a_crate_without_layers_names_each_of_its_modules_once() {
    for crate_root in ["snapshots/src", "spreadsheets/src"] {
        let texts = texts(crate_root);
        let modules: Vec<&str> = texts
            .keys()
            .map(String::as_str)
            .filter(|module| *module != "lib" && !module.contains("::"))
            .collect();
        let rows = texts["lib"].lines().filter(|line| line.starts_with("//! | "));
        let mut named: Vec<&str> = rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
        named.sort_unstable();
        assert_eq!(named, modules, "{crate_root}/lib.rs");
    }
}

#[test]
fn the_image_is_built_from_every_crate_and_every_file_that_the_code_includes() {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().expect("a folder");
    let ignored = read(&root.join("deploy/docker/Dockerfile.dockerignore"));
    let let_through: BTreeSet<&str> = ignored.lines().filter_map(|line| line.strip_prefix('!')).collect();
    let manifest: toml::Table = toml::from_str(&read(&root.join("Cargo.toml"))).expect("a manifest");
    let members = manifest["workspace"]["members"].as_array().expect("the crates");
    let members: Vec<&str> = members.iter().filter_map(|member| member.as_str()).collect();
    // what the manifest of the root crate names
    let mut needed: BTreeSet<String> =
        [".ci", "Cargo.toml", "Cargo.lock", "build.rs", "src", "benches", "tests"].map(str::to_owned).into();
    needed.extend(members.iter().filter(|member| **member != ".").map(|member| (*member).to_owned()));
    needed.extend(members.iter().flat_map(|member| included_files(root, &format!("{member}/src"))));
    let missing: Vec<&String> = needed.iter().filter(|name| !let_through.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "deploy/docker/Dockerfile.dockerignore keeps these out: {missing:?}");
}

/// The file or folder at the root of the repository that has each file that the code of a crate includes.
fn included_files(root: &Path, crate_root: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (module, text) in texts(crate_root) {
        let file = root.join(crate_root).join(module.replace("::", "/"));
        // of a.rs the folder of the file, of a/mod.rs the folder a
        let folder =
            if file.join("mod.rs").exists() { file.as_path() } else { file.parent().expect("a folder") };
        let code = code_of(&text);
        let literals = ["include_str!(\"", "include_bytes!(\""].map(|start| code.split(start).skip(1));
        for path in literals.into_iter().flatten().filter_map(|rest| rest.split('"').next()) {
            let included = folder.join(path).canonicalize();
            let included = included.unwrap_or_else(|error| panic!("{module} includes {path}: {error}"));
            let inside = included.strip_prefix(root).expect("a file of the repository");
            let first = inside.components().next().expect("a name");
            found.insert(first.as_os_str().to_string_lossy().into_owned());
        }
    }
    found
}

#[test]
fn uses_are_read_from_code() {
    let modules = ["a", "a::b", "a::b::c", "d", "e"].map(str::to_owned);
    let text = "//! crate::nothing\nuse super::{c::X, super::d as e};\nfn f() { crate::a::g(); self::c::h() }\n\
                #[cfg(test)]\nmod tests {\n    use crate::nothing;\n}\n\
                #[cfg(test)]\nfn only_in_tests() {}\nfn last() { crate::e::f() }\n";
    let used = uses(text, "a::b", &modules);
    assert_eq!(used.into_iter().collect::<Vec<_>>(), ["a", "a::b::c", "d", "e"]);
}

#[test]
fn names_of_the_root_are_found() {
    for line in [
        "use crate::*;",
        "use crate as c;",
        "use crate::{self as c, d};",
        "use crate::{d, *};",
        "use super::super::*;",
        "use super::super as c;",
        "use super::{super::*, c};",
    ] {
        assert_eq!(names_of_the_root(line, "a::b").len(), 1, "{line}");
    }
    let fine = "use crate::{\n    d, c,\n};\nuse super::*;\nuse crate::d::*;\npub(crate) fn f() { super::g() }\npub(super) use super::super::d;";
    assert_eq!(names_of_the_root(fine, "a::b"), [""; 0]);
}

/// The rows of the table in a crate's `lib.rs`: each module with the number of its layer.
fn layers(crate_root: &str) -> Vec<(String, u32)> {
    let text = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(crate_root).join("lib.rs"));
    let mut layers = Vec::new();
    for row in text.lines().filter_map(|line| line.strip_prefix("//! | ")) {
        let mut cells = row.split(" | ");
        let (Some(Ok(layer)), Some(modules)) = (cells.next().map(str::parse), cells.next()) else { continue };
        let names = modules.split('`').skip(1).step_by(2);
        layers.extend(names.map(|name| (name.to_owned(), layer)));
    }
    assert!(layers.len() > 5, "{crate_root}: the table of layers is not found");
    layers
}

/// The entry of the table that a module belongs to: the longest one.
fn layer_of<'a>(layers: &'a [(String, u32)], module: &str) -> Option<(&'a str, u32)> {
    let entries = layers.iter().filter(|(entry, _)| is_within(module, entry));
    entries.max_by_key(|(entry, _)| entry.len()).map(|(entry, layer)| (entry.as_str(), *layer))
}

fn is_within(module: &str, entry: &str) -> bool {
    module.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text of each file of a crate, by module.
fn texts(crate_root: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(crate_root);
    let mut texts = BTreeMap::new();
    collect(&root, "", &mut texts);
    texts
}

fn graph(crate_root: &str) -> Graph {
    let texts = texts(crate_root);
    let modules: Vec<String> = texts.keys().cloned().collect();
    texts.iter().map(|(module, text)| (module.clone(), uses(text, module, &modules))).collect()
}

/// The text of each file below a folder, by module.
fn collect(folder: &Path, parent: &str, texts: &mut BTreeMap<String, String>) {
    for file in fs::read_dir(folder).expect("a folder of sources") {
        let path = file.expect("a file").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let module = if parent.is_empty() { name.clone() } else { format!("{parent}::{name}") };
        if path.is_dir() {
            collect(&path, &module, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.insert(if name == "mod" { parent.to_owned() } else { module }, read(&path));
        }
    }
}

/// The modules that the code of a file names by a path from `crate`, `super` or `self`, its tests left out. A `mod.rs`
/// that composes its own children names them by bare paths, which do not count.
fn uses(text: &str, module: &str, modules: &[String]) -> BTreeSet<String> {
    let named = named_paths(&code_of(text));
    named.iter().filter_map(|path| resolve(path, module, modules)).filter(|other| other != module).collect()
}

/// The paths in the code of a file that mean the root of the crate itself: by a glob or an alias of it a file could use
/// any module without naming it.
fn names_of_the_root(text: &str, module: &str) -> Vec<String> {
    let code = code_of(text);
    let mut found = named_paths(&code);
    found.retain(|path| segments(path, module).is_empty());
    found.extend(code.match_indices("use crate as ").map(|(_, name)| name.to_owned()));
    found
}

/// A file without its comments and its blocks of tests. rustfmt puts the end of such a block at the start of a line.
fn code_of(text: &str) -> String {
    const TESTS: &str = "#[cfg(test)]\nmod tests {";
    let mut parts = text.split(TESTS);
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        code.push_str(part.split_once("\n}\n").map_or("", |(_, rest)| rest));
    }
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths from `crate`, `super` or `self` in some code.
fn named_paths(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|char| char.is_alphanumeric() || "_:".contains(char)) {
                continue;
            }
            named.extend(paths(&code[at..]));
        }
    }
    named
}

/// The paths at the start of some code, with the braces of a `use` expanded: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(code: &str) -> Vec<String> {
    let is_path = |char: char| char.is_alphanumeric() || "_:".contains(char);
    let end = code.find(|char| !is_path(char)).unwrap_or(code.len());
    let (path, rest) = code.split_at(end);
    let Some(body) = rest.strip_prefix('{').filter(|_| path.ends_with("::")) else {
        return vec![path.to_owned()];
    };
    let (mut depth, mut item, mut items) = (0, String::new(), Vec::new());
    for char in body.chars() {
        match char {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(std::mem::take(&mut item));
                continue;
            }
            _ => {}
        }
        item.push(char);
    }
    // a comma may follow the last item
    items.extend(Some(item).filter(|item| !item.trim().is_empty()));
    items.iter().flat_map(|item| paths(item.trim())).map(|item| format!("{path}{item}")).collect()
}

/// The segments of a path from the root of the crate.
fn segments<'a>(path: &'a str, module: &'a str) -> Vec<&'a str> {
    let mut at: Vec<&str> = if module == "lib" { Vec::new() } else { module.split("::").collect() };
    for segment in path.split("::").filter(|segment| !segment.is_empty()) {
        match segment {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()),
            name => at.push(name),
        }
    }
    at
}

/// The module that a path leads to: the longest part of it that is one.
fn resolve(path: &str, module: &str, modules: &[String]) -> Option<String> {
    let mut at = segments(path, module);
    while !at.is_empty() {
        let name = at.join("::");
        if modules.contains(&name) {
            return Some(name);
        }
        at.pop();
    }
    None
}

/// The groups of modules that reach each other.
fn circles(graph: &Graph) -> BTreeSet<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|module| (module, reachable(graph, module))).collect();
    let circle = |module: &String| -> Vec<String> {
        let mutual = reached[module].iter().filter(|other| reached[**other].contains(module));
        mutual.map(|other| (*other).clone()).collect()
    };
    graph.keys().map(circle).filter(|circle| !circle.is_empty()).collect()
}

fn reachable<'a>(graph: &'a Graph, from: &String) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&String> = graph[from].iter().collect();
    while let Some(module) = next.pop() {
        if found.insert(module) {
            next.extend(&graph[module]);
        }
    }
    found
}
