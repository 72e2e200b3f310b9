//! Recorded requests to every API, with its answers: an accepted request has no error and is not changed by `fix`, a refusal
//! of the history is found with the provider's message, as an error if that message is given, and other refusals have no
//! finding. The numbers are the table in `docs/evidence.md`; `UPDATE_README=1` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report::Diagnostic;
use replaylint::internals::target::Severity;

use crate::cli::readme::check_section;
use crate::rules::corpus::{RecordedRequest, chats, corpus, responses};
use crate::rules::{anthropic, corpus_gemini_bedrock as gemini_bedrock};
use crate::support::{check, diagnostics, repair};

/// An API, the detected format of its requests, the most accepted requests of 100 that may have a warning, and the
/// recorded requests.
struct RecordedApi {
    name: &'static str,
    format: &'static str,
    most_warned: u32,
    requests: fn(&Path) -> Vec<(RecordedRequest, Options)>,
}

const APIS: [RecordedApi; 5] = [
    RecordedApi { name: "OpenAI Responses", format: "responses-", most_warned: 2, requests: responses },
    RecordedApi { name: "Chat Completions", format: "chat-request", most_warned: 10, requests: chats },
    RecordedApi {
        name: "Anthropic Messages",
        format: "anthropic-request",
        most_warned: 5,
        requests: anthropic::requests,
    },
    RecordedApi {
        name: "Gemini",
        format: "gemini-request",
        // In eight of 79 a call has no response, because the user continued instead (RL560).
        most_warned: 20,
        requests: |root| gemini_bedrock::requests(root, "gemini-contents", "gemini"),
    },
    RecordedApi {
        name: "Bedrock Converse",
        format: "bedrock-request",
        most_warned: 15,
        requests: |root| gemini_bedrock::requests(root, "bedrock-converse", "bedrock"),
    },
];

#[derive(Default)]
struct VerdictCounts {
    accepted: u32,
    warned: u32,
    refused: u32,
    other: u32,
    by_target: BTreeMap<&'static str, u32>,
    codes: BTreeMap<String, u32>,
}

impl VerdictCounts {
    fn accepted(&mut self, path: &str, text: &[u8], options: &Options, found: &[Diagnostic]) {
        let warned = found.iter().filter(|d| d.severity == Severity::Warning);
        warned.clone().for_each(|d| *self.codes.entry(d.rule.to_string()).or_default() += 1);
        self.accepted += 1;
        self.warned += u32::from(warned.count() > 0);
        *self.by_target.entry(options.target.map_or("", |target| target.name)).or_default() += 1;
        let repaired = repair(text, options, &FixOptions::default());
        assert!(repaired.fixed.patch.is_empty(), "{path}: fix changes it: {:?}", repaired.notes);
    }

    fn judge(&mut self, row: &RecordedRequest, text: &[u8], options: &Options) {
        let found = diagnostics(text, options);
        let errors: Vec<_> = found.iter().filter(|d| d.severity == Severity::Error).collect();
        if row.gold == "rejected" && row.history_related {
            let api_message = row.api_error.clone().unwrap_or_default();
            let quoted = |error: &&Diagnostic| error.api_message.as_ref() == Some(&api_message);
            let Some(quoting) = found.iter().find(quoted) else {
                panic!("{}: {api_message} is not in {found:?}", row.path)
            };
            // A rule whose evidence is contradicted only warns, unless the server has given its message.
            let proven =
                Options { enabled: options.enabled.clone().with_proven(vec![quoting.rule]), ..options.clone() };
            let refused = diagnostics(text, &proven);
            let is_error = refused.iter().filter(quoted).any(|error| error.severity == Severity::Error);
            assert!(is_error, "{}: {api_message} is not an error in {refused:?}", row.path);
            self.refused += 1;
            return;
        }
        assert!(errors.is_empty(), "{}: {errors:?}", row.path);
        match row.gold.as_str() {
            "accepted" => self.accepted(&row.path, text, options, &found),
            _ => self.other += 1,
        }
    }
}

#[test]
fn accepted_requests_pass_and_refused_ones_do_not() {
    let Some(root) = corpus() else { return };
    let mut table = String::from(
        "| API | accepted requests | with an error | with a warning | changed by `fix` | refused for the history: found, in the \
         provider's words | refused for something else: silent |\n|---|---|---|---|---|---|---|\n",
    );
    for api in APIS {
        let mut count = VerdictCounts::default();
        for (row, options) in (api.requests)(&root) {
            let text = fs::read(root.join(&row.path)).expect("readable");
            let format = check(&text, &Options::default()).format.map_or("none", |format| format.info().name);
            assert!(format.starts_with(api.format), "{}: {format}", row.path);
            count.judge(&row, &text, &options);
        }
        let VerdictCounts { accepted, warned, refused, other, by_target, codes } = &count;
        println!(
            "{}: accepted {accepted} {by_target:?}, 0 with an error, {warned} with a warning {codes:?}",
            api.name
        );
        println!(
            "    {refused} refused for their history, all found; {other} refused for something else, all silent"
        );
        assert!(*accepted >= 20 && warned * 100 <= accepted * api.most_warned, "{}: {warned}", api.name);
        let _ = writeln!(table, "| {} | {accepted} | 0 | {warned} | 0 | {refused} | {other} |", api.name);
    }
    check_section("docs/evidence.md", "recorded", &table);
}
