//! `load variants`: GET requests for searches in another form, against the same requests without it: of clients that
//! have the answer, which get 304; with some of the fields; with facets.

use anyhow::{Context, Result};
use tools::questions::{Question, QuestionKind, questions};

use crate::compare::{Figures, Options};
use crate::process::Processors;
use crate::report::Report;
use crate::service::{Service, snapshot};
use crate::wire;

/// Different questions.
const QUESTIONS: usize = 600;

/// Records on a page.
const LIMIT: usize = 20;

/// Records of the snapshot.
const RECORDS: usize = 5_000;

/// Compares.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let snapshot = snapshot(Some(RECORDS), options.seed)?;
    let packed = snapshots::Packed::of(snapshot.clone())?;
    let (service, _) = Service::start(&options.program, Some(&packed), &["limits.workers=1"])?;
    service.pin(Processors::available()?)?;
    let kinds = [QuestionKind::Filter, QuestionKind::FilterText, QuestionKind::Prefix];
    let questions: Vec<Question> = kinds
        .iter()
        .flat_map(|kind| questions(&snapshot, *kind, QUESTIONS / kinds.len(), options.seed))
        .collect();
    let requests = |more: &dyn Fn(&Question) -> Option<(&'static str, &'static str)>| -> Vec<Vec<u8>> {
        questions.iter().map(|question| service.get_request(question, LIMIT, more(question), None)).collect()
    };
    let plain = requests(&|_| None);
    let kept = questions.iter().zip(&plain).map(|(question, request)| {
        let answer = wire::send(service.public, request)?;
        let tag = answer.headers.iter().find(|(name, _)| name == "etag");
        let (_, tag) = tag.context("an answer without an entity tag")?;
        Ok(service.get_request(question, LIMIT, None, Some(tag)))
    });
    let is_of_events = |question: &Question| question.action() == "search_events";
    let fields = |question: &Question| {
        Some(("fields", if is_of_events(question) { "name,date,region,url" } else { "name,region,url" }))
    };
    let facets = |question: &Question| {
        Some(("facets", if is_of_events(question) { "category,region,day" } else { "category,region" }))
    };
    let variants = [
        ("an answer that the client has", kept.collect::<Result<_>>()?, 0.8),
        ("some of the fields", requests(&fields), 1.3),
        ("all facets", requests(&facets), 1.3),
    ];
    let measure = |requests: &[Vec<u8>]| {
        options.turn(&service.process, service.public, requests.iter().cycle().map(Vec::as_slice))
    };
    let mut report = Report::default();
    for (name, requests, budget) in variants {
        println!("\n{name}\nround  answer    CPU µs/request  requests/s     p50 µs     p99 µs  failed");
        let mut ratios = Vec::new();
        for number in 0..=options.rounds {
            let (plain, variant) = (measure(&plain)?, measure(&requests)?);
            println!("{number:>5}  plain     {plain}\n       variant   {variant}");
            // the first round warms up
            if number > 0 {
                ratios.push(variant.divided_by(&plain));
            }
        }
        let ratios = Figures::medians(&ratios);
        println!("    =  ratio     {ratios}");
        report.at_most(
            &format!("{name}: CPU a request, ratio to the plain one"),
            ratios.processor,
            Some(budget),
        );
        report.at_most(&format!("{name}: failed requests"), ratios.failed, Some(0.0));
    }
    Ok(report)
}
