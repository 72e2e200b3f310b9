//! Errors that users reported in public threads, as they pasted them: nine of ten lead to the right rule, and none to a
//! wrong one. Those that are not recognised are printed.

use std::path::Path;

use replaylint::internals::report::recognise::{RecognisedError, Recogniser};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reports {
    report: Vec<PublicReport>,
}

#[derive(Deserialize)]
struct PublicReport {
    url: String,
    /// The codes that are right; `other` for an error that no rule can find in a file.
    rules: Vec<String>,
    text: String,
}

/// What the text of a report is recognised as, in the words of the expectation.
fn claim(found: &RecognisedError) -> String {
    match (found.claims.first(), found.topic) {
        (Some(claim), _) => claim.rule.code.to_string(),
        (None, Some(topic)) => format!("topic {}", topic.name),
        (None, None) => "other".to_owned(),
    }
}

#[test]
fn reports_lead_to_the_right_rule() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/reports.toml");
    let Reports { report: reports } =
        toml::from_str(&std::fs::read_to_string(path).expect("readable")).expect("reports");
    let recogniser = Recogniser::new();
    let (mut right, mut wrong) = (0, Vec::new());
    for report in &reports {
        let found = recogniser.recognise(&report.text);
        match found.first().map(claim) {
            Some(claim) if report.rules.contains(&claim) => right += 1,
            Some(claim) => wrong.push(format!("{}: {claim}, not {:?}", report.url, report.rules)),
            None => println!("not recognised: {}: {}", report.url, report.text),
        }
    }
    println!("{right} of {} right", reports.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(right * 10 >= reports.len() * 9, "{right} of {} are right", reports.len());
}
