//! Recorded requests to every API, with its answers: an accepted request has no error and is not changed by `fix`, a refusal
//! of the history is found with the provider's message, as an error if that message is given, and other refusals have no
//! finding. The numbers are the table in `docs/evidence.md`; `UPDATE_README=1` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use replaylint::internals::history::Code;
use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report::Diagnostic;
use replaylint::internals::report::recognise::Recogniser;
use replaylint::internals::target::Severity;

use crate::cli::readme::check_section;
use crate::rules::corpus::{RecordedRequest, chats, corpus, responses};
use crate::rules::{anthropic, corpus_gemini_bedrock as gemini_bedrock};
use crate::support::{check, diagnostics, repair};

/// An API, the detected format of its requests, and the recorded requests.
struct RecordedApi {
    name: &'static str,
    format: &'static str,
    requests: fn(&Path) -> Vec<(RecordedRequest, Options)>,
}

/// The most accepted requests of 1,000 that may have a warning.
const MOST_WARNED: u32 = 6;

const APIS: [RecordedApi; 5] = [
    RecordedApi { name: "OpenAI Responses", format: "responses-", requests: responses },
    RecordedApi { name: "Chat Completions", format: "chat-request", requests: chats },
    RecordedApi { name: "Anthropic Messages", format: "anthropic-request", requests: anthropic::requests },
    RecordedApi {
        name: "Gemini",
        format: "gemini-request",
        requests: |root| gemini_bedrock::requests(root, "gemini-contents", "gemini"),
    },
    RecordedApi {
        name: "Bedrock Converse",
        format: "bedrock-request",
        requests: |root| gemini_bedrock::requests(root, "bedrock-converse", "bedrock"),
    },
];

#[derive(Default)]
struct VerdictCounts {
    accepted: u32,
    warned: u32,
    refused: u32,
    /// Refused for an image, a sound, a video, a file or a setting.
    of_request: u32,
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

    /// True if the refusal is about media or settings; then a rule about them names it.
    fn is_request_refusal(&mut self, row: &RecordedRequest, text: &[u8], options: &Options) -> bool {
        let message = row.api_error.clone().unwrap_or_default();
        let recognised = Recogniser::new().recognise(&message);
        let claims = recognised.iter().flat_map(|error| &error.claims).map(|claim| claim.rule.code);
        let codes: Vec<Code> = claims.filter(|code| (701..750).contains(&code.0)).collect();
        if codes.is_empty() {
            return false;
        }
        // Nobody knows which URL a server cannot fetch, unless it says so.
        let proven = Options { enabled: options.enabled.clone().with_proven(codes.clone()), ..options.clone() };
        let found = diagnostics(text, &proven);
        let errors: Vec<_> = found.iter().filter(|d| d.severity == Severity::Error).collect();
        let is_named = !errors.is_empty() && errors.iter().all(|error| codes.contains(&error.rule));
        assert!(is_named, "{}: {message}: {found:?}", row.path);
        self.of_request += 1;
        true
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
        if row.gold == "rejected" && self.is_request_refusal(row, text, options) {
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
         provider's words | refused for an image, a file or a setting: found | refused for something else: silent |\n|---|---|---|---|---|---|---|---|\n",
    );
    let (mut all, mut all_warned) = (0, 0);
    for api in APIS {
        let mut count = VerdictCounts::default();
        for (row, options) in (api.requests)(&root) {
            let text = fs::read(root.join(&row.path)).expect("readable");
            let format = check(&text, &Options::default()).format.map_or("none", |format| format.info().name);
            assert!(format.starts_with(api.format), "{}: {format}", row.path);
            count.judge(&row, &text, &options);
        }
        let VerdictCounts { accepted, warned, refused, of_request, other, by_target, codes } = &count;
        println!(
            "{}: accepted {accepted} {by_target:?}, 0 with an error, {warned} with a warning {codes:?}",
            api.name
        );
        println!(
            "    {refused} refused for their history and {of_request} for media or settings, all found; {other} refused for something else, all silent"
        );
        assert!(*accepted >= 20, "{}: {accepted}", api.name);
        (all, all_warned) = (all + accepted, all_warned + warned);
        let _ = writeln!(
            table,
            "| {} | {accepted} | 0 | {warned} | 0 | {refused} | {of_request} | {other} |",
            api.name
        );
    }
    assert!(all_warned * 1000 <= all * MOST_WARNED, "{all_warned} of {all} have a warning");
    check_section("docs/evidence.md", "recorded", &table);
}
