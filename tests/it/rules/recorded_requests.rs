//! Recorded requests to every API, with its answers: an accepted request has no error and is not changed by `fix`, a refusal
//! of the history is found with the provider's message, as an error if that message is given, and other refusals have no
//! finding. The numbers are the table in `docs/evidence.md`; `UPDATE_README=1` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use replaylint::internals::history::Code;
use replaylint::internals::judge::{Options, levels};
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report::Diagnostic;
use replaylint::internals::report::recognise::Recogniser;
use replaylint::internals::report::recorded;
use replaylint::internals::rule::Rule;
use replaylint::internals::rules::RULES;
use replaylint::internals::target::{Levels, Severity, Target};

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
    by_rule: BTreeMap<Code, RuleCounts>,
}

/// What one rule finds.
#[derive(Default, Clone, Copy)]
struct RuleCounts {
    /// Accepted requests that it judges.
    accepted: u32,
    /// Those of them with a warning of it.
    warned: u32,
    refused: u32,
}

/// True if a rule is about requests to this API and judges those to the target. Rules about the items of the Responses API
/// name no dialect; the families of the other codes are in `docs/rules/README.md`.
fn is_judged(rule: &Rule, api: &RecordedApi, target: &Target) -> bool {
    let is_about = match (rule.dialect, rule.code.0) {
        (Some(dialect), _) => dialect == target.dialect,
        (None, 400 | 700..750) => true,
        (None, 100..500) => api.format == "responses-",
        (None, _) => false,
    };
    is_about && (0..rule.variants.len()).any(|n| levels(rule, n as u8, target) != Levels::OFF)
}

impl VerdictCounts {
    fn accepted(&mut self, path: &str, text: &[u8], options: &Options, found: &[Diagnostic]) {
        let warned = found.iter().filter(|d| d.severity == Severity::Warning);
        warned.clone().for_each(|d| *self.codes.entry(d.rule.to_string()).or_default() += 1);
        self.accepted += 1;
        let warned: BTreeSet<Code> = warned.map(|d| d.rule).collect();
        self.warned += u32::from(!warned.is_empty());
        for code in warned {
            self.by_rule.entry(code).or_default().warned += 1;
        }
        *self.by_target.entry(options.target.map_or("", |target| target.name)).or_default() += 1;
        let repaired = repair(text, options, &FixOptions::default());
        assert!(repaired.fixed.patch.is_empty(), "{path}: fix changes it: {:?}", repaired.notes);
    }

    /// True if the refusal is about media or settings; then a rule about them names it.
    fn is_request_refusal(&mut self, row: &RecordedRequest, text: &[u8], options: &Options) -> bool {
        let message = row.api_error.clone().unwrap_or_default();
        let recognised = Recogniser::shared().recognise(&message);
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
        let named: BTreeSet<Code> = errors.iter().map(|error| error.rule).collect();
        for code in named {
            self.by_rule.entry(code).or_default().refused += 1;
        }
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
            self.by_rule.entry(quoting.rule).or_default().refused += 1;
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
    let mut by_rule: BTreeMap<Code, RuleCounts> = BTreeMap::new();
    for api in APIS {
        let mut count = VerdictCounts::default();
        for (row, options) in (api.requests)(&root) {
            let text = fs::read(root.join(&row.path)).expect("readable");
            let format = check(&text, &Options::default()).format.map_or("none", |format| format.info().name);
            assert!(format.starts_with(api.format), "{}: {format}", row.path);
            count.judge(&row, &text, &options);
            let Some(target) = options.target.filter(|_| row.gold == "accepted") else { continue };
            for rule in RULES.iter().filter(|rule| is_judged(rule, &api, target)) {
                count.by_rule.entry(rule.code).or_default().accepted += 1;
            }
        }
        for (code, one) in &count.by_rule {
            let sum = by_rule.entry(*code).or_default();
            sum.accepted += one.accepted;
            sum.warned += one.warned;
            sum.refused += one.refused;
        }
        let VerdictCounts { accepted, warned, refused, of_request, other, by_target, codes, .. } = &count;
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
    let lines = by_rule.iter().filter(|(_, counts)| counts.accepted + counts.refused > 0);
    let lines = lines.map(|(code, RuleCounts { accepted, warned, refused })| {
        format!("{code}\t{accepted}\t{warned}\t{refused}\n")
    });
    let lines: String = lines.collect();
    if std::env::var_os("UPDATE_README").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/recorded.tsv");
        return fs::write(path, lines).expect("written");
    }
    assert_eq!(
        lines,
        recorded::TABLE,
        "UPDATE_README=1 cargo test writes src/report/recorded.tsv anew, then the pages"
    );
}
