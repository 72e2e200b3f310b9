//! The invariants of every text, however broken, that the fuzzer checks.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use replaylint::internals::diff::compare::{DiffScope, DiffSide, compare};
use replaylint::internals::formats;
use replaylint::internals::history::Usage;
use replaylint::internals::judge::{self, FindingsOnly, Options, WeighedFinding};
use replaylint::internals::place::{Pieces, Place};
use replaylint::internals::rebuild::slim::restore::{has_references, restore};
use replaylint::internals::rebuild::slim::slim;
use replaylint::internals::rebuild::{Conversation, turns};
use replaylint::internals::repair;
use replaylint::internals::repair::{DocRepair, FixOptions, GENERIC_REASONS, ImageOptions, Orphans, Reasoning};
use replaylint::internals::report;
use replaylint::internals::report::prediction::predictions;
use replaylint::internals::report::{ContentDisplay, changes};
use replaylint::internals::rule::Autofix;
use replaylint::internals::source::{Container, Doc, PatchedView, ReadAt, damage as damages};
use replaylint::internals::target::Severity;
use serde_json::Value;

use crate::support::memory::{
    DOC, check, check_of, convert_text, growable_text, is_json, is_near, is_readable, plan,
};
use crate::support::rng::Rng;
use crate::support::{is_batch_line, is_training_line};

/// A violated invariant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct InvariantViolation {
    pub invariant: &'static str,
    pub details: String,
    /// The command and its options.
    pub options_text: String,
}

impl InvariantViolation {
    fn new(invariant: &'static str, details: impl Into<String>) -> Self {
        InvariantViolation { invariant, details: details.into(), options_text: String::new() }
    }

    /// Violations of one kind most likely have one cause.
    pub fn kind(&self) -> String {
        let details = self.details.split(": ").next().unwrap_or_default();
        format!("{}: {details}", self.invariant)
    }
}

/// The commands to run on a text, and their options.
pub struct FuzzOptions {
    pub options: Options,
    pub flag_sets: Vec<(&'static str, FixOptions)>,
    /// Dialects to convert to.
    pub to: Vec<&'static str>,
    name: &'static str,
}

const CONVERT_TARGETS: [&str; 6] = ["responses", "responses-items", "chat", "anthropic", "gemini", "bedrock"];

/// Sets of flags of `fix`, and the options that they mean.
pub fn flag_sets() -> [(&'static str, FixOptions); 9] {
    let plain = FixOptions::default;
    let all = FixOptions {
        orphans: Orphans::Stub,
        reasoning: Reasoning::Strip,
        warnings: true,
        acknowledge_safety: true,
        ..plain()
    };
    [
        ("", plain()),
        ("--fix-warnings", FixOptions { warnings: true, ..plain() }),
        ("--orphans stub", FixOptions { orphans: Orphans::Stub, ..plain() }),
        ("--reasoning strip", FixOptions { reasoning: Reasoning::Strip, ..plain() }),
        ("--reasoning reference", FixOptions { reasoning: Reasoning::Reference, ..plain() }),
        ("--reasoning keep", FixOptions { reasoning: Reasoning::Keep, ..plain() }),
        ("--lossless", FixOptions { lossless: true, ..plain() }),
        ("--images drop", FixOptions { images: ImageOptions { all: true, ..ImageOptions::default() }, ..plain() }),
        ("--fix-warnings --orphans stub --reasoning strip --acknowledge-safety", all),
    ]
}

impl FuzzOptions {
    /// All repairs, and conversion to all dialects.
    pub fn all() -> Self {
        FuzzOptions {
            options: Options::default(),
            flag_sets: flag_sets().to_vec(),
            to: CONVERT_TARGETS.to_vec(),
            name: "",
        }
    }

    /// The usual repair and a random other one, and conversion to a random dialect.
    pub fn pick(rng: &mut Rng) -> Self {
        let flag_sets = flag_sets();
        let other = rng.pick(&flag_sets[1..]).clone();
        let usual = Options::default;
        let (name, options) = match rng.below(6) {
            0 => (
                "--as request",
                Options {
                    read: replaylint::internals::read::Options { usage: Some(Usage::Request), ..usual().read },
                    ..usual()
                },
            ),
            1 => (
                "--as log",
                Options {
                    read: replaylint::internals::read::Options { usage: Some(Usage::Log), ..usual().read },
                    ..usual()
                },
            ),
            2 => ("--store false", Options { store: Some(false), ..usual() }),
            _ => ("", usual()),
        };
        let to = vec![*rng.pick(&CONVERT_TARGETS)];
        FuzzOptions { options, flag_sets: vec![flag_sets[0].clone(), other], to, name }
    }
}

/// The invariants that a text violates.
pub fn violations(text: &[u8], fuzz: &FuzzOptions) -> Vec<InvariantViolation> {
    let mut found = Vec::new();
    let mut run_guarded = |name: &str, check: &dyn Fn() -> Vec<InvariantViolation>| {
        let violations = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            vec![InvariantViolation::new("a panic", words.unwrap_or_default())]
        });
        let options_text = format!("{name} {}", fuzz.name).trim().to_owned();
        found.extend(
            violations
                .into_iter()
                .map(|violation| InvariantViolation { options_text: options_text.clone(), ..violation }),
        );
    };
    for (name, wanted) in &fuzz.flag_sets {
        run_guarded(&format!("fix {name}"), &|| check_repair(text, &fuzz.options, wanted));
    }
    run_guarded("check", &|| check_predictions(text, &fuzz.options));
    for to in &fuzz.to {
        run_guarded(&format!("convert --to {to}"), &|| check_conversion(text, to, &fuzz.options));
    }
    run_guarded("diff", &|| check_self_diff(text, &fuzz.options));
    run_guarded("slim", &|| check_slim(text, &fuzz.options));
    run_guarded("tree", &|| check_tree(text, &fuzz.options));
    found
}

fn patched_text(text: &[u8], fixed: &DocRepair) -> Vec<u8> {
    let bytes = text.to_vec();
    let view = PatchedView::new(&bytes, Pieces::new(fixed.patch.edits(DOC), DOC, ReadAt::len(&bytes)));
    let mut out = Vec::new();
    view.read_into(0, view.len() as usize, &mut out).expect("memory reads");
    out
}

fn fix(text: &[u8], options: &Options, wanted: &FixOptions, threads: usize) -> DocRepair {
    repair::fix(DOC, &growable_text(text), options, wanted, threads).expect("memory reads")
}

/// Checks a repair: no finding remains without a reason, nothing is damaged, and a second run changes nothing.
pub fn check_repair(text: &[u8], options: &Options, wanted: &FixOptions) -> Vec<InvariantViolation> {
    let fixed = fix(text, options, wanted, 1);
    let mut violations = Vec::new();
    violations.extend(fixed.bug.iter().map(|bug| InvariantViolation::new("a guard caught it", bug.clone())));
    for judged in fixed.remaining().findings.iter().filter(|judged| wanted.selects(judged)) {
        let code = judged.finding.code;
        match fixed.refusal_reasons()(judged) {
            None => violations.push(InvariantViolation::new("remains without a reason", code.to_string())),
            Some(why) if GENERIC_REASONS.contains(&why) => {
                violations.push(InvariantViolation::new("remains for a generic reason", format!("{code} {why}")));
            }
            Some(_) => {}
        }
    }
    if fixed.patch.is_empty() {
        return violations;
    }
    let new = patched_text(text, &fixed);
    violations.extend(check_content(text, &new, &fixed));
    let again = fix(&new, options, wanted, 1);
    if !again.patch.is_empty() {
        let codes: BTreeSet<String> = again.changes.iter().map(|change| format!("{:?}", change.cause)).collect();
        let first = codes.first().map(|cause| cause.split(", Place").next().unwrap_or_default().to_owned());
        violations.push(InvariantViolation::new("a second run still edits", first.unwrap_or_default()));
    }
    let name = |format: Option<&'static dyn replaylint::internals::format::Format>| {
        format.map(|format| format.info().name)
    };
    // A request may lose what its format was recognised by, if it has no findings in the format recognised now.
    let is_clean = again.before.format.is_some()
        && again.before.findings.iter().all(|judged| judged.severity < Severity::Warning);
    if name(fixed.before.format) != name(again.before.format) && !is_clean {
        let (was, is) = (name(fixed.before.format), name(again.before.format));
        violations.push(InvariantViolation::new("another format", format!("{was:?} {is:?}")));
    }
    // The findings reported as remaining are those that a check of the result finds.
    let key = |judged: &WeighedFinding| {
        let row = &judged.finding.row;
        (row.at, row.record, judged.history, judged.finding.partner, judged.finding.code, judged.severity)
    };
    let remaining: Vec<_> = fixed.remaining().findings.iter().map(key).collect();
    let found: Vec<_> = again.before.findings.iter().map(key).collect();
    // Another format may have other notes.
    let is_other = name(fixed.before.format) != name(again.before.format) && is_clean;
    if remaining != found && !is_other {
        violations.push(InvariantViolation::new("the remaining findings are not those reported", String::new()));
    }
    violations
}

/// Checks that readable records stay readable, that only content named by a change is removed, and that nothing is empty.
fn check_content(text: &[u8], new: &[u8], fixed: &DocRepair) -> Vec<InvariantViolation> {
    let mut violations = Vec::new();
    if new.trim_ascii().is_empty() {
        violations.push(InvariantViolation::new("an empty file", ""));
    }
    let lists = |text: &[u8]| {
        let records = read_records(text);
        let keys = ["/messages", "/contents", "/input", "/body/messages", "/body/input", "/request/contents", ""];
        let lists = records.iter().flat_map(|record| keys.map(|key| record.pointer(key)));
        lists.flatten().filter(|list| list.as_array().is_some_and(Vec::is_empty)).count()
    };
    // A record may have been in the text after NUL bytes.
    let written = |text: &[u8]| {
        let starts = text.iter().enumerate().filter(|(_, byte)| **byte == b'[');
        starts.filter(|(at, _)| text[at + 1..].trim_ascii_start().starts_with(b"]")).count()
    };
    if lists(new) > lists(text) && written(new) > written(text) {
        violations.push(InvariantViolation::new("an empty list", ""));
    }
    let notes = changes::notes(DOC, "case", &growable_text(text), fixed).expect("memory reads");
    for edit in fixed.patch.edits(DOC) {
        if !notes.iter().any(|note| is_near(note, edit.at, text)) {
            violations.push(InvariantViolation::new("an edit that no change names", format!("{:?}", edit.at)));
        }
        let removed = text.get(edit.at.start as usize..edit.at.end() as usize).unwrap_or_default().trim_ascii();
        // What is in the file as often as before was moved.
        let number_in = |text: &[u8]| memchr::memmem::find_iter(text, removed).count();
        let is_moved = number_in(new) >= number_in(text);
        if let Some(member) = find_unlisted_content(text, new, edit.at, fixed).filter(|_| !is_moved) {
            violations.push(InvariantViolation::new("content removed that no change names", member));
        }
    }
    match fixed.before.container {
        Container::Document { .. } if is_json(text) && !is_readable(new) => {
            violations.push(InvariantViolation::new("the JSON is broken", ""));
        }
        Container::Lines { .. } | Container::Events { .. } => violations.extend(check_records(text, new, fixed)),
        _ => {}
    }
    violations
}

/// Members with content that a model or an agent would miss.
const CONTENT: [&str; 8] = [
    "encrypted_content",
    "reasoningEncryptedContent",
    "reasoning_content",
    "reasoning_details",
    "refusal",
    "signature",
    "thoughtSignature",
    "toolUseResult",
];

/// A member with content that an edit removes, outside of all items that changes name.
fn find_unlisted_content(text: &[u8], new: &[u8], at: Place, fixed: &DocRepair) -> Option<&'static str> {
    let kept: Vec<u8> = new.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let mut named: Vec<(u64, u64)> =
        fixed.changes.iter().map(|change| (change.row.at.start, change.row.at.end())).collect();
    named.sort_unstable();
    let part = |from: u64, to: u64| text.get(from as usize..to.min(at.end()) as usize).unwrap_or_default();
    let (mut from, mut rest) = (at.start, Vec::new());
    for (start, end) in named {
        rest.extend_from_slice(part(from, start));
        from = from.max(end);
    }
    rest.extend_from_slice(part(from, at.end()));
    rest.retain(|byte| !byte.is_ascii_whitespace());
    without_versions(&mut rest);
    CONTENT.into_iter().find(|key| {
        let key = format!("\"{key}\":");
        let is_empty =
            |after: &[u8]| [&b"\"\""[..], b"null", b"[]", b"{}"].iter().any(|none| after.starts_with(none));
        memchr::memmem::find_iter(&rest, &key).any(|found| {
            let after = &rest[found + key.len()..];
            // A copy that is still there says the same.
            let mut values = serde_json::Deserializer::from_slice(after).into_iter::<Value>();
            let len = values.next().and_then(Result::ok).map_or(0, |_| values.byte_offset());
            let is_copied =
                len > 0 && memchr::memmem::find(&kept, &rest[found..found + key.len() + len]).is_some();
            !after.is_empty() && !is_empty(after) && !is_copied
        })
    })
}

/// Removes versions that are objects: a version is a string, so only a mutation makes one, and nothing reads it.
fn without_versions(rest: &mut Vec<u8>) {
    while let Some(found) = memchr::memmem::find(rest, b"\"version\":{") {
        let start = found + b"\"version\":".len();
        let mut values = serde_json::Deserializer::from_slice(&rest[start..]).into_iter::<Value>();
        let len = values.next().and_then(Result::ok).map_or(1, |_| values.byte_offset());
        rest.drain(found..start + len);
    }
}

/// Checks that the records of a log that no change names stay in their order, and that all new ones can be read.
fn check_records(text: &[u8], new: &[u8], fixed: &DocRepair) -> Option<InvariantViolation> {
    let named: Vec<Place> =
        fixed.changes.iter().flat_map(|change| [Some(change.row.at), change.anchor]).flatten().collect();
    let mut at = 0;
    let mut kept = Vec::new();
    let old: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    for line in &old {
        let (from, to) = (at as u64, (at + line.len()) as u64);
        at += line.len() + 1;
        if !line.trim_ascii().is_empty() && !named.iter().any(|place| place.start <= to && place.end() >= from) {
            kept.push(line.trim_ascii());
        }
    }
    let lines: Vec<&[u8]> = new.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
    let mut rest = lines.iter();
    let mark: &[u8] = b"\xef\xbb\xbf";
    if let Some(lost) =
        kept.iter().position(|line| !rest.any(|new| new == line || line.strip_prefix(mark) == Some(*new)))
    {
        return Some(InvariantViolation::new("a record is lost", format!("{lost} of those that no change names")));
    }
    let payload = |line: &[u8]| line.strip_prefix(b"data:").map_or(line.to_vec(), <[u8]>::to_vec);
    // An unreadable line may contain a record, followed by text that stays unreadable; its control characters may be
    // escaped now.
    let escaped = |text: &[u8]| -> Vec<u8> {
        let each = |byte: &u8| if *byte < 0x20 { damages::escape_of(*byte) } else { vec![*byte] };
        text.iter().flat_map(each).collect()
    };
    // A record may span several of those lines.
    let unread = old.split(|old| !old.trim_ascii().is_empty() && is_json(&payload(old)));
    let unread: Vec<Vec<u8>> = unread.map(|lines| escaped(&lines.join(&b'\n'))).collect();
    let contains = |line: &[u8]| unread.iter().any(|old| memchr::memmem::find(old, &escaped(line)).is_some());
    let is_known = |line: &&[u8]| {
        old.iter().any(|old| old.trim_ascii() == *line) || contains(line) || line.starts_with(b"event:")
    };
    let broken =
        lines.iter().filter(|line| !line.is_empty() && !is_known(line)).find(|line| !is_json(&payload(line)));
    broken.map(|_| InvariantViolation::new("a record is broken", ""))
}

/// The records of a text that can be read; several may share a line.
fn read_records(text: &[u8]) -> Vec<Value> {
    if let Ok(value) = serde_json::from_slice(text) {
        return vec![value];
    }
    let of_line = |line| serde_json::Deserializer::from_slice(line).into_iter().map_while(Result::ok).collect();
    text.split(|byte| *byte == b'\n').flat_map::<Vec<Value>, _>(of_line).collect()
}

/// Checks that `check` predicts what `fix` does, and that the number of threads changes nothing.
pub fn check_predictions(text: &[u8], options: &Options) -> Vec<InvariantViolation> {
    let mut violations = Vec::new();
    let bytes = growable_text(text);
    let lint = |bytes: &dyn ReadAt| judge::judge(DOC, bytes, options, 1, &FindingsOnly).expect("memory reads");
    let found = lint(&bytes);
    let key =
        |judged: &WeighedFinding| (judged.finding.row.at, judged.finding.code, judged.severity, judged.history);
    let keys = |judged: &[WeighedFinding]| judged.iter().map(key).collect::<Vec<_>>();
    let wanted = FixOptions::default();
    let fixed = fix(text, options, &wanted, 1);
    let two = fix(text, options, &wanted, 2);
    if keys(&found.findings) != keys(&two.before.findings) || fixed.patch.edits(DOC) != two.patch.edits(DOC) {
        violations.push(InvariantViolation::new("threads change something", ""));
    }
    let mut diagnostics =
        report::diagnose(DOC, "case", &bytes, &fixed.before, ContentDisplay::None).expect("memory reads");
    let (promises, promised) = predictions::fix_outcomes(&fixed, text.len() as u64);
    for ((diagnostic, judged), promise) in diagnostics.iter_mut().zip(&fixed.before.findings).zip(&promises) {
        promise.apply_to(diagnostic, judged);
    }
    // Outcomes predicted from similar records are the actual ones. Documents to be converted are not fixed.
    let mut checked = check_of(&bytes, options);
    if options.target.is_none() && keys(&checked.findings) == keys(&fixed.before.findings) {
        let plan = predictions::predict(DOC, &bytes, &mut checked, options, 1, false).expect("memory reads");
        if plan.resolved != promised || plan.outcomes != promises {
            violations.push(InvariantViolation::new(
                "a record has another outcome than predicted",
                format!("{:?}", plan.outcomes),
            ));
        }
    }
    let loud = |judged: &[WeighedFinding]| judged.iter().filter(|judged| judged.severity > Severity::Info).count();
    let left = lint(&growable_text(&patched_text(text, &fixed)));
    let resolved = loud(&found.findings).saturating_sub(loud(&left.findings)) as u64;
    if promised != resolved {
        violations.push(InvariantViolation::new(
            "the prediction is wrong",
            format!("{promised} promised, {resolved} resolved"),
        ));
    }
    let by_default = diagnostics.iter().filter(|one| one.severity > Severity::Info);
    let by_default = by_default.filter(|one| one.fix.as_ref().is_some_and(|fix| fix.default)).count() as u64;
    if by_default < resolved && left.findings.is_empty() {
        violations.push(InvariantViolation::new(
            "more is repaired than reported",
            format!("{by_default} of {resolved}"),
        ));
    }
    for judged in &found.findings {
        if bytes.origin(judged.finding.row.at).end() > text.len() as u64 {
            violations
                .push(InvariantViolation::new("a finding outside of the text", judged.finding.code.to_string()));
        }
    }
    violations
}

/// Checks that the result of a conversion is recognised and legal, or that the conversion failed.
pub fn check_conversion(text: &[u8], to: &'static str, options: &Options) -> Vec<InvariantViolation> {
    let (out, done) = convert_text(text, options, plan(to));
    let mut violations = Vec::new();
    if out.is_empty() != (done.converted == 0) && to != "responses-items" {
        violations.push(InvariantViolation::new(
            "a conversion of nothing",
            format!("{} to {} bytes", done.converted, out.len()),
        ));
    }
    if to == "responses-items" && done.converted > 1 {
        return violations;
    }
    for line in out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if !is_json(line) {
            violations.push(InvariantViolation::new("a conversion is not valid JSON", ""));
        }
        if to != "responses-items" {
            violations.extend(check_request(line, to, options));
        }
    }
    violations
}

/// Checks that a written request is recognised and legal, both in its own format and in the detected one.
fn check_request(request: &[u8], to: &str, options: &Options) -> Vec<InvariantViolation> {
    if is_training_line(request) {
        return Vec::new();
    }
    let text = || String::from_utf8_lossy(&request[..request.len().min(2000)]).into_owned();
    let format = formats::by_name(&format!("{to}-request"));
    let mut violations = Vec::new();
    for format in [format.filter(|_| !is_batch_line(request)), None] {
        let found = check(
            request,
            &Options {
                read: replaylint::internals::read::Options { format, ..Default::default() },
                store: options.store,
                ..Options::default()
            },
        );
        if found.format.is_none() {
            violations
                .push(InvariantViolation::new("a conversion is not recognised", format!("{to}: {}", text())));
        }
        // A log may end before the user's next message.
        let is_error = |judged: &&WeighedFinding| {
            judged.severity == Severity::Error && judged.variant().autofix != Autofix::OnRequest
        };
        if let Some(error) = found.findings.iter().find(is_error) {
            let code = error.finding.code;
            violations
                .push(InvariantViolation::new("a conversion has an error", format!("{code} to {to}: {}", text())));
        }
    }
    violations
}

/// Checks that a text does not differ from itself.
pub fn check_self_diff(text: &[u8], options: &Options) -> Vec<InvariantViolation> {
    let bytes = growable_text(text);
    let side = || DiffSide { id: DOC, bytes: &bytes, options };
    let compared = compare(side(), side(), DiffScope::All).expect("memory reads");
    let differ = compared.differences.iter().filter(|difference| difference.count().has_differences()).count();
    match differ > 0 || compared.reordered {
        true => vec![InvariantViolation::new("a text differs from itself", format!("{differ} histories"))],
        false => Vec::new(),
    }
}

/// Checks that what `slim` removes is restored.
pub fn check_slim(text: &[u8], options: &Options) -> Vec<InvariantViolation> {
    let bytes = text.to_vec();
    if has_references(&bytes).expect("memory reads") {
        return Vec::new();
    }
    let plan = slim(DOC, &bytes, &options.read).expect("memory reads");
    if plan.patch.is_empty() {
        return Vec::new();
    }
    let view = PatchedView::new(&bytes, Pieces::new(plan.patch.edits(DOC), DOC, ReadAt::len(&bytes)));
    let mut short = Vec::new();
    view.read_into(0, view.len() as usize, &mut short).expect("memory reads");
    let restored = restore(DOC, &short, &options.read).expect("a file can be written");
    let mut full = Vec::new();
    restored.bytes.read_into(0, restored.bytes.len() as usize, &mut full).expect("readable");
    // Either every byte is restored, or the result reports that only the values are.
    let back = match restored.reformatted {
        0 => full == text,
        _ => read_records(&full) == read_records(text),
    };
    let is_restored = restored.unresolved.is_empty() && back;
    if is_restored { Vec::new() } else { vec![InvariantViolation::new("a slimmed text is not restored", "")] }
}

/// Checks that reading a text as a tree ends.
pub fn check_tree(text: &[u8], options: &Options) -> Vec<InvariantViolation> {
    let doc = Doc::of_bytes(DOC, "case", text.to_vec());
    for conversation in Conversation::read(vec![doc], |_| options).expect("memory reads") {
        turns::turns(&conversation.forest);
    }
    Vec::new()
}
