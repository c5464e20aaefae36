//! Writes a big snapshot as a packed file: `big RECORDS OUT.json.zst --from DATE`. Publish it with `candango snapshot
//! publish OUT.json.zst`.

use std::path::PathBuf;

use anyhow::Result;
use chrono::NaiveDate;
use clap::Parser;
use snapshots::{Hidden, check::check, demo, pack::Packed};

/// Writes a big snapshot as a packed file.
#[derive(Parser)]
struct Options {
    /// How many records, half of them places and half events.
    records: usize,
    /// The file to write.
    out: PathBuf,
    /// The same seed gives the same snapshot.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The first day of the events.
    #[arg(long)]
    from: NaiveDate,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let base = check(&demo::files(), options.from)?.on(options.from, &Hidden::default())?;
    let packed = Packed::of(tools::big::snapshot(&base, options.records, options.seed, options.from))?;
    std::fs::write(&options.out, &packed.bytes)?;
    println!("{} {}", packed.digest, options.out.display());
    Ok(())
}
