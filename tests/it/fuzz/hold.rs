//! What must hold of every text, however broken: the invariants that the fuzzer looks at.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use replaylint::internals::diff::compare::{Scope, Side, compare};
use replaylint::internals::formats;
use replaylint::internals::history::Usage;
use replaylint::internals::judge::{self, Findings, Judged, Options};
use replaylint::internals::place::{Pieces, Place};
use replaylint::internals::rebuild::slim::restore::{has_references, restore};
use replaylint::internals::rebuild::slim::slim;
use replaylint::internals::rebuild::{Conversation, turns};
use replaylint::internals::repair;
use replaylint::internals::repair::{FixOptions, Fixed, NO_REASONS, Orphans, Reasoning};
use replaylint::internals::report;
use replaylint::internals::report::prediction::promise;
use replaylint::internals::report::{Content, changes};
use replaylint::internals::rule::When;
use replaylint::internals::source::{Container, Doc, Patched, ReadAt, damage as damages};
use replaylint::internals::target::Severity;
use serde_json::Value;

use crate::support::memory::{DOC, check, check_of, converted, is_json, is_near, is_readable, plan, roomy};
use crate::support::rng::Rng;

/// What does not hold: which invariant, and how it was broken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fault {
    pub what: &'static str,
    pub how: String,
    /// With which options.
    pub with: String,
}

impl Fault {
    fn new(what: &'static str, how: impl Into<String>) -> Self {
        Fault { what, how: how.into(), with: String::new() }
    }

    /// Faults of one kind have most likely one cause.
    pub fn kind(&self) -> String {
        let how = self.how.split(": ").next().unwrap_or_default();
        format!("{}: {how}", self.what)
    }
}

/// What the commands are asked to do.
pub struct Ask {
    pub options: Options,
    pub wishes: Vec<(&'static str, FixOptions)>,
    /// What to convert to.
    pub to: Vec<&'static str>,
    name: &'static str,
}

const TO: [&str; 6] = ["responses", "responses-items", "chat", "anthropic", "gemini", "bedrock"];

/// The repairs that the flags of `fix` ask for.
pub fn wishes() -> [(&'static str, FixOptions); 8] {
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
        ("--fix-warnings --orphans stub --reasoning strip --acknowledge-safety", all),
    ]
}

impl Ask {
    /// All repairs, and conversion to all dialects.
    pub fn all() -> Self {
        Ask { options: Options::default(), wishes: wishes().to_vec(), to: TO.to_vec(), name: "" }
    }

    /// The usual repair and another one, and conversion to one dialect; which ones the numbers say.
    pub fn some(rng: &mut Rng) -> Self {
        let wishes = wishes();
        let other = rng.pick(&wishes[1..]).clone();
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
        let to = vec![*rng.pick(&TO)];
        Ask { options, wishes: vec![wishes[0].clone(), other], to, name }
    }
}

/// The faults of a text.
pub fn faults(text: &[u8], ask: &Ask) -> Vec<Fault> {
    let mut found = Vec::new();
    let mut guarded = |name: &str, see: &dyn Fn() -> Vec<Fault>| {
        let faults = catch_unwind(AssertUnwindSafe(see)).unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            vec![Fault::new("a panic", words.unwrap_or_default())]
        });
        let with = format!("{name} {}", ask.name).trim().to_owned();
        found.extend(faults.into_iter().map(|fault| Fault { with: with.clone(), ..fault }));
    };
    for (name, wanted) in &ask.wishes {
        guarded(&format!("fix {name}"), &|| repaired(text, &ask.options, wanted));
    }
    guarded("check", &|| promised(text, &ask.options));
    for to in &ask.to {
        guarded(&format!("convert --to {to}"), &|| convert_doc(text, to, &ask.options));
    }
    guarded("diff", &|| same(text, &ask.options));
    guarded("slim", &|| slimmed(text, &ask.options));
    guarded("tree", &|| tree(text, &ask.options));
    found
}

fn after(text: &[u8], fixed: &Fixed) -> Vec<u8> {
    let bytes = text.to_vec();
    let view = Patched::new(&bytes, Pieces::new(fixed.patch.edits(DOC), DOC, ReadAt::len(&bytes)));
    let mut out = Vec::new();
    view.read_into(0, view.len() as usize, &mut out).expect("memory reads");
    out
}

fn fix(text: &[u8], options: &Options, wanted: &FixOptions, threads: usize) -> Fixed {
    repair::fix(DOC, &roomy(text), options, wanted, threads).expect("memory reads")
}

/// What a repair must not do.
pub fn repaired(text: &[u8], options: &Options, wanted: &FixOptions) -> Vec<Fault> {
    let fixed = fix(text, options, wanted, 1);
    let mut faults = Vec::new();
    faults.extend(fixed.bug.iter().map(|bug| Fault::new("a guard caught it", bug.clone())));
    for judged in fixed.left().judged.iter().filter(|judged| wanted.wants(judged)) {
        let code = judged.finding.code;
        match fixed.reasons()(judged) {
            None => faults.push(Fault::new("left without a reason", code.to_string())),
            Some(why) if NO_REASONS.contains(&why) => {
                faults.push(Fault::new("left for no reason", format!("{code} {why}")));
            }
            Some(_) => {}
        }
    }
    if fixed.patch.is_empty() {
        return faults;
    }
    let new = after(text, &fixed);
    faults.extend(damage(text, &new, &fixed));
    let again = fix(&new, options, wanted, 1);
    if !again.patch.is_empty() {
        let codes: BTreeSet<String> = again.changes.iter().map(|change| format!("{:?}", change.cause)).collect();
        let first = codes.first().map(|cause| cause.split(", Place").next().unwrap_or_default().to_owned());
        faults.push(Fault::new("a second run still edits", first.unwrap_or_default()));
    }
    let name = |format: Option<&'static dyn replaylint::internals::format::Format>| {
        format.map(|format| format.info().name)
    };
    // A request may lose what told its format, if nothing is wrong with what it is taken for then.
    let is_clean = again.before.format.is_some()
        && again.before.judged.iter().all(|judged| judged.severity < Severity::Warning);
    if name(fixed.before.format) != name(again.before.format) && !is_clean {
        let (was, is) = (name(fixed.before.format), name(again.before.format));
        faults.push(Fault::new("another format", format!("{was:?} {is:?}")));
    }
    // What is said to be left is what a check of the result finds.
    let key = |judged: &Judged| {
        let row = &judged.finding.row;
        (row.at, row.record, judged.history, judged.finding.partner, judged.finding.code, judged.severity)
    };
    let told: Vec<_> = fixed.left().judged.iter().map(key).collect();
    let found: Vec<_> = again.before.judged.iter().map(key).collect();
    // Of another format there may be notes that are not of this one.
    let is_other = name(fixed.before.format) != name(again.before.format) && is_clean;
    if told != found && !is_other {
        faults.push(Fault::new("what is left is not what is told", String::new()));
    }
    faults
}

/// What was readable is, what no change names is there, and nothing is empty.
fn damage(text: &[u8], new: &[u8], fixed: &Fixed) -> Vec<Fault> {
    let mut faults = Vec::new();
    if new.trim_ascii().is_empty() {
        faults.push(Fault::new("an empty file", ""));
    }
    let lists = |text: &[u8]| {
        let records = values(text);
        let keys = ["/messages", "/contents", "/input", "/body/messages", "/body/input", "/request/contents", ""];
        let lists = records.iter().flat_map(|record| keys.map(|key| record.pointer(key)));
        lists.flatten().filter(|list| list.as_array().is_some_and(Vec::is_empty)).count()
    };
    // A record may have been there behind NUL bytes.
    let written = |text: &[u8]| {
        let starts = text.iter().enumerate().filter(|(_, byte)| **byte == b'[');
        starts.filter(|(at, _)| text[at + 1..].trim_ascii_start().starts_with(b"]")).count()
    };
    if lists(new) > lists(text) && written(new) > written(text) {
        faults.push(Fault::new("an empty list", ""));
    }
    let notes = changes::notes(DOC, "case", &roomy(text), fixed).expect("memory reads");
    for edit in fixed.patch.edits(DOC) {
        if !notes.iter().any(|note| is_near(note, edit.at, text)) {
            faults.push(Fault::new("an edit that no change names", format!("{:?}", edit.at)));
        }
        if let Some(gone) = unnamed(text, edit.at, fixed) {
            faults.push(Fault::new("content goes that no change names", gone));
        }
    }
    match fixed.before.container {
        Container::Document { .. } if is_json(text) && !is_readable(new) => {
            faults.push(Fault::new("the JSON is broken", ""));
        }
        Container::Lines { .. } | Container::Events { .. } => faults.extend(records(text, new, fixed)),
        _ => {}
    }
    faults
}

/// Members that hold what a model or an agent would miss.
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

/// Content that an edit takes away though it is in no item of which a change speaks.
fn unnamed(text: &[u8], at: Place, fixed: &Fixed) -> Option<&'static str> {
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
            !after.is_empty() && !is_empty(after)
        })
    })
}

/// A version is a text: an object that a mutation has put there is read by nobody.
fn without_versions(rest: &mut Vec<u8>) {
    while let Some(found) = memchr::memmem::find(rest, b"\"version\":{") {
        let start = found + b"\"version\":".len();
        let mut values = serde_json::Deserializer::from_slice(&rest[start..]).into_iter::<Value>();
        let len = values.next().and_then(Result::ok).map_or(1, |_| values.byte_offset());
        rest.drain(found..start + len);
    }
}

/// The records of a log: those that no change names are there in their order, and all that is new can be read.
fn records(text: &[u8], new: &[u8], fixed: &Fixed) -> Option<Fault> {
    let named: Vec<Place> =
        fixed.changes.iter().flat_map(|change| [Some(change.row.at), change.other]).flatten().collect();
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
        return Some(Fault::new("a record is lost", format!("{lost} of those that no change names")));
    }
    let payload = |line: &[u8]| line.strip_prefix(b"data:").map_or(line.to_vec(), <[u8]>::to_vec);
    // A line that could not be read may hold a record, and after it what still cannot be read; its control characters
    // may be escaped by now.
    let escaped = |text: &[u8]| -> Vec<u8> {
        let each = |byte: &u8| if *byte < 0x20 { damages::escape_of(*byte) } else { vec![*byte] };
        text.iter().flat_map(each).collect()
    };
    // A record may have been spread over several of those lines.
    let unread = old.split(|old| !old.trim_ascii().is_empty() && is_json(&payload(old)));
    let unread: Vec<Vec<u8>> = unread.map(|lines| escaped(&lines.join(&b'\n'))).collect();
    let holds = |line: &[u8]| unread.iter().any(|old| memchr::memmem::find(old, &escaped(line)).is_some());
    let is_known = |line: &&[u8]| {
        old.iter().any(|old| old.trim_ascii() == *line) || holds(line) || line.starts_with(b"event:")
    };
    let broken =
        lines.iter().filter(|line| !line.is_empty() && !is_known(line)).find(|line| !is_json(&payload(line)));
    broken.map(|_| Fault::new("a record is broken", ""))
}

/// The records of a text that can be read; several may share a line.
fn values(text: &[u8]) -> Vec<Value> {
    if let Ok(value) = serde_json::from_slice(text) {
        return vec![value];
    }
    let of_line = |line| serde_json::Deserializer::from_slice(line).into_iter().map_while(Result::ok).collect();
    text.split(|byte| *byte == b'\n').flat_map::<Vec<Value>, _>(of_line).collect()
}

/// `check` promises what `fix` does, and says the same on any number of threads.
pub fn promised(text: &[u8], options: &Options) -> Vec<Fault> {
    let mut faults = Vec::new();
    let bytes = roomy(text);
    let lint = |bytes: &dyn ReadAt| judge::judge(DOC, bytes, options, 1, &Findings).expect("memory reads");
    let found = lint(&bytes);
    let key = |judged: &Judged| (judged.finding.row.at, judged.finding.code, judged.severity, judged.history);
    let keys = |judged: &[Judged]| judged.iter().map(key).collect::<Vec<_>>();
    let wanted = FixOptions::default();
    let fixed = fix(text, options, &wanted, 1);
    let two = fix(text, options, &wanted, 2);
    if keys(&found.judged) != keys(&two.before.judged) || fixed.patch.edits(DOC) != two.patch.edits(DOC) {
        faults.push(Fault::new("threads change something", ""));
    }
    let mut told = report::diagnose(DOC, "case", &bytes, &fixed.before, Content::None).expect("memory reads");
    let (promises, promised) = promise::outcome(&fixed, text.len() as u64);
    for ((told, judged), promise) in told.iter_mut().zip(&fixed.before.judged).zip(&promises) {
        promise.tell(told, judged);
    }
    // What is expected of records, because it came of others like them, comes of them. What is to be converted is not fixed.
    let mut checked = check_of(&bytes, options);
    if options.target.is_none() && keys(&checked.judged) == keys(&fixed.before.judged) {
        let plan = promise::plan(DOC, &bytes, &mut checked, options, 1, false).expect("memory reads");
        if plan.gone != promised || plan.of != promises {
            faults.push(Fault::new("something else is expected of a record", format!("{:?}", plan.of)));
        }
    }
    let loud = |judged: &[Judged]| judged.iter().filter(|judged| judged.severity > Severity::Info).count();
    let left = lint(&roomy(&after(text, &fixed)));
    let gone = loud(&found.judged).saturating_sub(loud(&left.judged)) as u64;
    if promised != gone {
        faults.push(Fault::new("the promise is not kept", format!("{promised} are promised, {gone} are gone")));
    }
    let by_default = told.iter().filter(|one| one.severity > Severity::Info);
    let by_default = by_default.filter(|one| one.fix.as_ref().is_some_and(|fix| fix.default)).count() as u64;
    if by_default < gone && left.judged.is_empty() {
        faults.push(Fault::new("more is repaired than is told", format!("{by_default} of {gone}")));
    }
    for judged in &found.judged {
        if bytes.origin(judged.finding.row.at).end() > text.len() as u64 {
            faults.push(Fault::new("a finding outside of the text", judged.finding.code.to_string()));
        }
    }
    faults
}

/// What a conversion writes is recognised and legal, or it says that it failed.
pub fn convert_doc(text: &[u8], to: &'static str, options: &Options) -> Vec<Fault> {
    let (out, done) = converted(text, options, plan(to));
    let mut faults = Vec::new();
    if out.is_empty() != (done.converted == 0) && to != "responses-items" {
        faults.push(Fault::new("a conversion of nothing", format!("{} to {} bytes", done.converted, out.len())));
    }
    if to == "responses-items" && done.converted > 1 {
        return faults;
    }
    for line in out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if !is_json(line) {
            faults.push(Fault::new("a conversion is not valid JSON", ""));
        }
        if to != "responses-items" {
            faults.extend(refused(line, to, options));
        }
    }
    faults
}

/// A request that was made is recognised, and legal where it says no more than the source did: as what it is, and as
/// what it is taken for.
fn refused(request: &[u8], to: &str, options: &Options) -> Vec<Fault> {
    let text = || String::from_utf8_lossy(&request[..request.len().min(2000)]).into_owned();
    let format = formats::by_name(&format!("{to}-request"));
    let mut faults = Vec::new();
    for format in [format, None] {
        let found = check(
            request,
            &Options {
                read: replaylint::internals::read::Options { format, ..Default::default() },
                store: options.store,
                ..Options::default()
            },
        );
        if found.format.is_none() {
            faults.push(Fault::new("a conversion is not recognised", format!("{to}: {}", text())));
        }
        // A log may end before the user's next message.
        let is_error =
            |judged: &&Judged| judged.severity == Severity::Error && judged.variant().when != When::Asked;
        if let Some(error) = found.judged.iter().find(is_error) {
            let code = error.finding.code;
            faults.push(Fault::new("a conversion has an error", format!("{code} to {to}: {}", text())));
        }
    }
    faults
}

/// A text does not differ from itself.
pub fn same(text: &[u8], options: &Options) -> Vec<Fault> {
    let bytes = roomy(text);
    let side = || Side { id: DOC, bytes: &bytes, options };
    let compared = compare(side(), side(), Scope::All).expect("memory reads");
    let differ = compared.differences.iter().filter(|difference| difference.count().differ()).count();
    match differ > 0 || compared.reordered {
        true => vec![Fault::new("a text differs from itself", format!("{differ} histories"))],
        false => Vec::new(),
    }
}

/// What `slim` takes out comes back.
pub fn slimmed(text: &[u8], options: &Options) -> Vec<Fault> {
    let bytes = text.to_vec();
    if has_references(&bytes).expect("memory reads") {
        return Vec::new();
    }
    let made = slim(DOC, &bytes, &options.read).expect("memory reads");
    if made.patch.is_empty() {
        return Vec::new();
    }
    let view = Patched::new(&bytes, Pieces::new(made.patch.edits(DOC), DOC, ReadAt::len(&bytes)));
    let mut short = Vec::new();
    view.read_into(0, view.len() as usize, &mut short).expect("memory reads");
    let restored = restore(DOC, &short, &options.read).expect("a file can be written");
    let mut full = Vec::new();
    restored.bytes.read_into(0, restored.bytes.len() as usize, &mut full).expect("readable");
    // Either every byte is back, or it was said that only the values are.
    let back = match restored.in_other_bytes {
        0 => full == text,
        _ => values(&full) == values(text),
    };
    let same = restored.broken.is_empty() && back;
    if same { Vec::new() } else { vec![Fault::new("what is slimmed does not come back", "")] }
}

/// Reading a text as a tree only has to come to an end.
pub fn tree(text: &[u8], options: &Options) -> Vec<Fault> {
    let doc = Doc::of_bytes(DOC, "case", text.to_vec());
    for conversation in Conversation::read(vec![doc], |_| options).expect("memory reads") {
        turns::turns(&conversation.forest);
    }
    Vec::new()
}
