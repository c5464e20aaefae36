//! What agents are answered on `/mcp`, against a bare axum handler of constant answers: in both eras of the protocol, with
//! a key and without. A case is of questions that are answered with exactly so many records.

use anyhow::{Result, ensure};
use candango::domain::clock::Clock;
use clap::Args;
use serde_json::json;
use snapshots::{check, demo};
use tools::big::{self, Kind};

use crate::constant::Stack;
use crate::machine::Processors;
use crate::ratio::{self, QUESTIONS, Turns};
use crate::report::Report;
use crate::service::Program;
use crate::wire::{self, Waiting};

/// How to compare.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    program: Program,
    #[command(flatten)]
    turns: Turns,
    /// The same seed asks the same
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What is asked: how many records, by whom, in which era, and what it may cost.
struct Case {
    name: &'static str,
    limit: usize,
    keyed: bool,
    modern: bool,
    budget: f64,
}

const CASES: [Case; 6] = [
    Case { name: "preview, 5 results, 2025-11-25", limit: 5, keyed: false, modern: false, budget: 1.25 },
    Case { name: "preview, 5 results, 2026-07-28", limit: 5, keyed: false, modern: true, budget: 1.25 },
    Case { name: "paid, 5 results, 2025-11-25", limit: 5, keyed: true, modern: false, budget: 1.25 },
    Case { name: "paid, 5 results, 2026-07-28", limit: 5, keyed: true, modern: true, budget: 1.25 },
    Case { name: "paid, 20 results, 2025-11-25", limit: 20, keyed: true, modern: false, budget: 1.4 },
    Case { name: "paid, 20 results, 2026-07-28", limit: 20, keyed: true, modern: true, budget: 1.4 },
];

/// What agents ask: a filter, a filter with a word, a beginning, everything.
const KINDS: [Kind; 4] = [Kind::Filter, Kind::FilterText, Kind::Prefix, Kind::Nothing];

/// Compares.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let processors = Processors::of_this_machine()?;
    let snapshot = check(&demo::files(), Clock::machine().today().date())?;
    let service = ratio::open_to_visitors(&options.program, &processors)?;
    let mut report = Report::default();
    for case in &CASES {
        let asked = KINDS.iter().flat_map(|kind| big::questions(&snapshot, *kind, QUESTIONS, options.seed));
        let candidates: Vec<Vec<u8>> = asked.map(|asked| request(case, &service.key, &asked)).collect();
        // each once, one after the other: which are answered with as many records as the case is about?
        let count = format!("\"count\":{},", case.limit);
        let mut full = Vec::with_capacity(candidates.len());
        let first = wire::ask(
            service.public,
            &candidates,
            1,
            Waiting::Asleep,
            |sent, _| sent >= candidates.len() as u64,
            |_, body| {
                full.push(
                    body.windows(count.len()).any(|part| part == count.as_bytes()).then_some(body.len()),
                );
                Ok(())
            },
        )?;
        ensure!(first.failures.count() == 0, "{}", first.failures);
        let sizes: Vec<usize> = full.iter().flatten().copied().collect();
        ensure!(!sizes.is_empty(), "no question of {:?} is answered in full", case.name);
        let mean = (sizes.iter().sum::<usize>() / sizes.len()) as u64;
        let requests: Vec<Vec<u8>> =
            candidates.into_iter().zip(&full).filter_map(|(request, full)| full.map(|_| request)).collect();
        println!("\n{}: {} questions, {mean} bytes an answer", case.name, requests.len());
        let compared =
            ratio::compare(&options.turns, &processors, (Stack::BareAxum, mean), &service, &requests)?;
        ratio::tell(&mut report, case.name, case.budget, &compared);
    }
    Ok(report)
}

/// A question as an agent's host sends it.
fn request(case: &Case, key: &str, asked: &big::Asked) -> Vec<u8> {
    let tool = if asked.events { "search_events" } else { "search_places" };
    let mut arguments = json!({ "limit": case.limit });
    for (name, value) in [("q", &asked.q), ("region", &asked.region), ("category", &asked.category)] {
        if let Some(value) = value {
            arguments[name] = json!(value);
        }
    }
    let mut params = json!({ "name": tool, "arguments": arguments });
    let version = if case.modern { "2026-07-28" } else { "2025-11-25" };
    if case.modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { "name": "load", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let bearer = format!("Bearer {key}");
    let mut headers = vec![("mcp-protocol-version", version)];
    if case.keyed {
        headers.push(("authorization", &bearer));
    }
    if case.modern {
        headers.extend([("mcp-method", "tools/call"), ("mcp-name", tool)]);
    }
    wire::message(&headers, &body)
}
