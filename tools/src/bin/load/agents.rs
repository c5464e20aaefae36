//! `load agents`: tool calls of `/mcp` against a constant answer, in both eras of the protocol, with a key and without.

use anyhow::{Result, ensure};
use serde_json::json;
use tools::questions::{self, Question, QuestionKind, Unrepeated};
use tools::random::Random;

use crate::compare::{Comparison, Options};
use crate::report::Report;
use crate::service::{Service, snapshot};
use crate::wire::{self, Wait};

/// Tool calls that are answered with exactly `limit` records.
struct Case {
    limit: usize,
    /// Sent with a key of the largest plan; else answered as a preview.
    keyed: bool,
    version: &'static str,
    budget: f64,
}

const CASES: [Case; 6] = [
    Case { limit: 5, keyed: false, version: LEGACY, budget: 1.45 },
    Case { limit: 5, keyed: false, version: MODERN, budget: 1.45 },
    Case { limit: 5, keyed: true, version: LEGACY, budget: 1.45 },
    Case { limit: 5, keyed: true, version: MODERN, budget: 1.45 },
    Case { limit: 20, keyed: true, version: LEGACY, budget: 1.6 },
    Case { limit: 20, keyed: true, version: MODERN, budget: 1.6 },
];

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

/// What agents ask, each with a number of candidates. Questions that only a looser search answers belong here once
/// there is one.
const MIX: [(QuestionKind, usize); 5] = [
    (QuestionKind::Filter, 400),
    (QuestionKind::FilterText, 400),
    (QuestionKind::Prefix, 400),
    (QuestionKind::Nothing, 400),
    (QuestionKind::Typo, 80),
];

/// Compares.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let snapshot = snapshot(None, options.seed)?;
    let comparison = Comparison::new(options, Service::start_open(&options.program)?)?;
    let service = &comparison.service;
    let candidates: Vec<Question> = MIX
        .iter()
        .flat_map(|(kind, count)| questions::questions(&snapshot, *kind, *count, options.seed))
        .collect();
    let mut report = Report::default();
    for case in &CASES {
        let who = if case.keyed { "paid" } else { "preview" };
        let name = format!("{who}, {} results, {}", case.limit, case.version);
        println!("\n{name}");
        let full = full_questions(case, service, &candidates)?;
        let mut unrepeated = Unrepeated::new(options.seed);
        let mut random = Random::new(options.seed);
        let request = || {
            let question = random.choose(&full).cloned().unwrap_or_default();
            request(case, &service.key, &unrepeated.vary(question))
        };
        comparison.run(request)?.report(&mut report, &name, case.budget, None);
    }
    Ok(report)
}

/// Those questions that are answered with as many records as the case is about.
fn full_questions(case: &Case, service: &Service, candidates: &[Question]) -> Result<Vec<Question>> {
    let requests: Vec<Vec<u8>> =
        candidates.iter().map(|question| request(case, &service.key, question)).collect();
    let count = format!("\"count\":{},", case.limit);
    let mut full = Vec::new();
    let mut answered = candidates.iter();
    let outcome = wire::run(
        service.public,
        requests.iter().map(Vec::as_slice),
        // one connection, so that answers come in the order of the requests
        1,
        Wait::Block,
        |_, _| false,
        |_, body| {
            let question = answered.next().ok_or("an answer too many")?;
            if body.windows(count.len()).any(|part| part == count.as_bytes()) {
                full.push(question.clone());
            }
            Ok(())
        },
    )?;
    ensure!(outcome.failures.count() == 0, "{}", outcome.failures);
    ensure!(!full.is_empty(), "no question is answered in full");
    Ok(full)
}

/// A question as an agent's client sends it.
fn request(case: &Case, key: &str, question: &Question) -> Vec<u8> {
    let (tool, version) = (question.action(), case.version);
    let mut params = json!({ "name": tool, "arguments": question.params(case.limit) });
    let authorization = format!("Bearer {key}");
    let mut headers =
        vec![("accept", "application/json, text/event-stream"), ("mcp-protocol-version", version)];
    if case.keyed {
        headers.push(("authorization", &authorization));
    }
    if version == MODERN {
        headers.extend([("mcp-method", "tools/call"), ("mcp-name", tool)]);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { "name": "load", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    wire::post_request("/mcp", &headers, &body.to_string())
}
