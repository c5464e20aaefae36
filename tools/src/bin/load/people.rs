//! `load people`: questions as people ask them, searched by `/v1` with a key, against a constant answer.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use tools::questions::{Question, Unrepeated};
use tools::random::Random;
use tools::samples::{self, Kind, Sample};

use crate::compare::{self, Comparison};
use crate::report::Report;
use crate::service::Service;

#[derive(Args)]
pub(crate) struct Options {
    /// Files of questions: JSON with `queries`, a list of `{query, kind}`
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    comparison: compare::Options,
}

/// Records on a page.
const LIMIT: usize = 20;

/// Compares. These questions have no budget: they are longer than those of `load ratio`, and more of them need the
/// closest records.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let compare::Options { program, seed, .. } = &options.comparison;
    let mut questions = Vec::new();
    for file in &options.files {
        questions.extend(samples::read(file)?.into_iter().map(|sample: Sample| Question {
            events: sample.kind == Kind::Events,
            q: Some(sample.query),
            ..Question::default()
        }));
    }
    ensure!(!questions.is_empty(), "the files have no questions");
    println!("{} questions", questions.len());
    let (service, _) = Service::start(program, None, &["limits.workers=1"])?;
    let comparison = Comparison::new(&options.comparison, service)?;

    let mut unrepeated = Unrepeated::new(*seed);
    let mut random = Random::new(*seed);
    let figures = comparison.run(|| {
        let question = random.choose(&questions).cloned().unwrap_or_default();
        comparison.service.v1_request(&unrepeated.vary(question), LIMIT)
    })?;
    let mut report = Report::default();
    report.at_most("CPU a request, ratio to constant", figures.processor, None);
    report.at_most("p99, ratio to constant", figures.p99, None);
    report.at_most("failed requests", figures.failed, Some(0.0));
    Ok(report)
}
