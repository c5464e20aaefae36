//! Tells the program which commit it was built from, as `CANDANGO_COMMIT`: from the variable of that name at build time
//! (a build without the repository, as in a container), else from git, else "unknown".
//!
//! A debug build is only called that: the program would otherwise be compiled anew after each commit, for every test
//! run.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CANDANGO_COMMIT");
    let given = std::env::var("CANDANGO_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = match given {
        Some(commit) => commit,
        None if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") => "debug build".to_owned(),
        None => commit_of_repository().unwrap_or_else(|| "unknown".to_owned()),
    };
    println!("cargo:rustc-env=CANDANGO_COMMIT={commit}");
}

fn commit_of_repository() -> Option<String> {
    // a package that was unpacked inside another repository is not of its commit
    if !Path::new(".git").exists() {
        return None;
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    // git appends to this file when HEAD moves; a missing file would run this program at every build
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    let watched = if Path::new(&log).exists() { log } else { git(&["rev-parse", "--git-path", "HEAD"])? };
    println!("cargo:rerun-if-changed={watched}");
    Some(commit)
}

/// What git prints; nothing when it is missing or fails.
fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
