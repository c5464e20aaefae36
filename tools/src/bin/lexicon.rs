//! Makes `index/data/lexicon.fst`, the words that are spelt rightly, from lists of words. `index/data/README.md` says
//! which.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use index::grammar::fold::fold;
use index::spelling::lexicon::LETTERS;
use tantivy_fst::MapBuilder;

/// Writes the words of three languages as one file
#[derive(Parser)]
struct Args {
    /// A list of Portuguese words: a JSON array, or one on each line
    #[arg(long, required = true, value_name = "FILE")]
    portuguese: Vec<PathBuf>,
    /// A list of English words
    #[arg(long, required = true, value_name = "FILE")]
    english: Vec<PathBuf>,
    /// A list of Spanish words
    #[arg(long, required = true, value_name = "FILE")]
    spanish: Vec<PathBuf>,
    /// The file to write
    out: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let Args { portuguese, english, spanish, out } = Args::parse();
    let mut languages: BTreeMap<String, u64> = BTreeMap::new();
    for (bit, lists) in [portuguese, english, spanish].iter().enumerate() {
        for word in lists.iter().map(|list| words(list)).collect::<anyhow::Result<Vec<_>>>()?.concat() {
            let word = fold(&word);
            if LETTERS.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                *languages.entry(word).or_default() |= 1 << bit;
            }
        }
    }
    let mut file = MapBuilder::new(BufWriter::new(File::create(&out)?))?;
    languages.iter().try_for_each(|(word, languages)| file.insert(word, *languages))?;
    file.finish()?;
    println!("{} words", languages.len());
    Ok(())
}

fn words(list: &Path) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(list).with_context(|| list.display().to_string())?;
    if text.starts_with('[') {
        return serde_json::from_str(&text).with_context(|| list.display().to_string());
    }
    Ok(text.lines().map(|line| line.trim().to_owned()).collect())
}
