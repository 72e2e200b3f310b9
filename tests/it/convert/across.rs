//! Conversion among all dialects, held against the checkers themselves: what comes out is judged as `check` judges it, by
//! the usual target of its dialect, and a way there and back keeps all that no loss names, in its order.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use replaylint::internals::convert::{self, ConvertedDoc, Plan};
use replaylint::internals::history::{Code, Remedy, Usage};
use replaylint::internals::json::pointer::Finder;
use replaylint::internals::json::{Tape, scan};
use replaylint::internals::judge::Options;
use replaylint::internals::message::pair_results::STUB;
use replaylint::internals::message::settings_map::FORMS;
use replaylint::internals::message::{LossKind, Name as SettingName};
use replaylint::internals::rule::When;
use replaylint::internals::target::{Severity, Target};
use replaylint::internals::{formats, targets};
use serde_json::{Value, json};

use crate::cli::readme::keep;
use crate::convert::cases::{converted, plan};
use crate::rules::corpus::{Recorded, chat_target, corpus, manifest, responses_target};
use crate::support::essence;
use crate::support::essence::{Side, Thing, What};
use crate::support::turns::{Turn, any_turn, request};
use crate::support::{DOC, check};

pub const DIALECTS: [&str; 5] = ["responses", "chat", "anthropic", "gemini", "bedrock"];
/// The usual target of each.
const TARGETS: [&str; 5] = ["openai", "chat", "anthropic", "gemini", "bedrock"];
const TO: [&str; 6] = ["responses", "responses-items", "chat", "anthropic", "gemini", "bedrock"];

/// Every line of a result is a request of its dialect that carries no error; lines of items are one log.
pub fn legal(name: &str, to: &str, out: &[u8]) {
    let faults = illegal(name, to, out, None, false);
    assert!(faults.is_empty(), "{faults:#?}");
}

/// What `legal` finds; `target` is another than the usual one. What was a log may end with the model's turn: the user has
/// not spoken yet, and nothing is wrong with what is there.
fn illegal(name: &str, to: &str, out: &[u8], target: Option<&'static Target>, log: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let (docs, format): (Vec<&[u8]>, String) = match to {
        // One item alone is a document of its own kind.
        "responses-items" if out.iter().filter(|b| **b == b'\n').count() < 2 => return faults,
        "responses-items" => (vec![out], "responses-item-lines".to_owned()),
        _ => (out.split(|b| *b == b'\n').filter(|line| !line.is_empty()).collect(), format!("{to}-request")),
    };
    for doc in docs {
        // As what it is, and as what it is taken for: what holds texts alone may be of several dialects.
        for options in [read_as(&format), Options::default()] {
            let found = check(doc, &Options { target, ..options });
            let errors = found.judged.iter().filter(|judged| judged.severity == Severity::Error);
            let errors = errors.filter(|judged| !log || judged.variant().when != When::Asked);
            let errors: Vec<String> =
                errors.map(|judged| format!("{} at {:?}", judged.finding.code, judged.finding.row.at)).collect();
            if !errors.is_empty() {
                faults.push(format!("{name} to {to}: {errors:?} in {}", cut(doc)));
            }
        }
    }
    faults
}

pub fn read_as(format: &str) -> Options {
    Options {
        read: replaylint::internals::read::Options { format: formats::by_name(format), ..Default::default() },
        ..Options::default()
    }
}

/// A loss and the pointer of its place.
pub struct Named {
    pub kind: LossKind,
    pub pointer: String,
}

pub fn named(text: &[u8], done: &ConvertedDoc) -> Vec<Named> {
    let mut tape = Tape::new();
    scan(text, &mut tape).expect("JSON");
    let finder = Finder::new(tape.root(text).expect("a value"));
    let told = |judged: &replaylint::internals::judge::Judged| {
        let finding = &judged.finding;
        let (from, len) = (finding.row.at.start as u32, finding.row.at.len);
        let kind = LossKind { code: finding.code, variant: finding.variant };
        Named { kind, pointer: finder.pointer(from, from + len) }
    };
    done.judged.iter().map(told).collect()
}

/// What a loss on a thing excuses.
#[derive(Clone, Copy, Default)]
struct Excuse {
    value: bool,
    id: bool,
    name: bool,
    side: bool,
    order: bool,
}

/// What is counted names only the first of many, and excuses nothing; nor does what is added.
fn excuse(thing: &Thing, things: &[Thing], lost: &[Named]) -> Excuse {
    let on = |thing: &Thing, lost: &Named| {
        let within = |a: &str, b: &str| a == b || a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'));
        !lost.pointer.is_empty()
            && (within(&thing.pointer, &lost.pointer) || within(&lost.pointer, &thing.pointer))
    };
    let mut all = Excuse::default();
    for lost in lost {
        // The result of a call that gets another id gets it, too.
        let renamed = [LossKind::CALL_ID_RENAMED, LossKind::CALL_ID_INVENTED].contains(&lost.kind);
        let shares = renamed && things.iter().any(|other| other.id == thing.id && on(other, lost));
        if shares {
            all.id = true;
        }
        // What a tool of the provider gave becomes a function's, as its call does.
        if lost.kind == LossKind::CALL_AS_FUNCTION && thing.what == What::Other {
            let key = |thing: &Thing| thing.value.get("call_id").cloned();
            all.value |=
                key(thing).is_some() && things.iter().any(|other| key(other) == key(thing) && on(other, lost));
        }
        if !on(thing, lost) {
            continue;
        }
        match lost.kind {
            LossKind::SIGNATURES | LossKind::ITEM_IDS | LossKind::NAME | LossKind::CALL_ID_INVENTED => {}
            LossKind::CALL_ID_RENAMED => all.id = true,
            LossKind::TOOL_RENAMED => all.name = true,
            LossKind::ROLE => all.side = true,
            LossKind::INSTRUCTIONS_AS_USER => (all.side, all.order) = (true, true),
            LossKind::RESULT_MOVED | LossKind::MEDIA_MOVED | LossKind::CALL_LAST => all.order = true,
            LossKind::REFUSAL_AS_TEXT | LossKind::ERROR_MARK | LossKind::CITATION => {}
            // White space is what stands for an empty result.
            LossKind::STUB_TEXT => all.value |= thing.value.as_str().is_some_and(|text| text.trim().is_empty()),
            LossKind { code: Code(905 | 908 | 910), .. } => {}
            _ => all.value = true,
        }
    }
    all
}

fn is_same(a: &Thing, b: &Thing, excuse: Excuse) -> bool {
    a.what == b.what
        && (excuse.side || a.side == b.side)
        && (excuse.id || a.id.is_none() || a.id == b.id)
        && (excuse.name || a.name == b.name)
        && a.value == b.value
}

/// For each thing its partner among others: the first that says the same and is not taken. What kept its id finds its
/// partner before what may have another.
fn partners(of: &[Thing], among: &[Thing], excuses: &[Excuse]) -> Vec<Option<usize>> {
    let mut taken = vec![false; among.len()];
    let mut found = vec![None; of.len()];
    let kept_id = |n: usize| of[n].id.is_some() && !excuses[n].id;
    let order = (0..of.len()).filter(|n| kept_id(*n)).chain((0..of.len()).filter(|n| !kept_id(*n)));
    for n in order {
        found[n] = (0..among.len()).find(|m| !taken[*m] && is_same(&of[n], &among[*m], excuses[n]));
        found[n].into_iter().for_each(|m: usize| taken[m] = true);
    }
    found
}

/// Texts and calls that one side gives without the other in between may change places, and results of one batch stand in
/// the order of its calls; nothing else may move.
fn keeps_order(things: &[Thing], partner: &[Option<usize>], excuses: &[Excuse]) -> bool {
    let kept: Vec<(usize, usize)> = (0..things.len())
        .filter(|n| !excuses[*n].order && !excuses[*n].side && things[*n].side != Side::System)
        .filter(|n| things[*n].what != What::Other)
        .filter_map(|n| Some((n, partner[n]?)))
        .collect();
    let rises = |what: &[What]| {
        let places = kept.iter().filter(|(n, _)| what.contains(&things[*n].what)).map(|(_, to)| *to);
        places.is_sorted()
    };
    let mut behind = None;
    let runs = kept.chunk_by(|a, b| things[a.0].side == things[b.0].side).all(|run| {
        let (least, most) = (run.iter().map(|(_, to)| *to).min(), run.iter().map(|(_, to)| *to).max());
        let apart = behind < least;
        behind = most;
        apart
    });
    runs && rises(&[What::Text, What::Media]) && rises(&[What::Call])
}

/// What a way there and back gave.
#[derive(Default)]
struct Trip {
    losses: u64,
    /// There was nothing to convert, for this reason.
    nothing: Option<String>,
    faults: Vec<String>,
}

/// Converts there and back.
fn there_and_back(name: &str, text: &[u8], from: &str, to: &str, options: &Options) -> Trip {
    let mut trip = Trip::default();
    let (there, first) = converted(text, options, plan(to));
    if first.failed > 0 {
        trip.nothing = Some(first.judged.iter().map(|judged| judged.finding.code.to_string()).collect());
        return trip;
    }
    trip.faults.extend(illegal(name, to, &there, None, false));
    // Servers of Chat Completions differ in what they take of a model's thoughts.
    let own = options.target.filter(|_| from == "chat");
    let back_plan = Plan { target: own, ..plan(from) };
    let (back, second) = converted(&there, &read_as(&format!("{to}-request")), back_plan);
    // A model that wants its thoughts refuses what is left without them.
    let thoughts = first.judged.iter().any(|judged| judged.finding.code == LossKind::REASONING.code);
    if second.failed > 0 && thoughts {
        return trip;
    }
    if second.failed > 0 {
        trip.faults.push(format!("{name} to {to} and back: {}", cut(&there)));
        return trip;
    }
    trip.faults.extend(illegal(name, from, &back, None, false));
    let parse = |text: &[u8]| serde_json::from_slice::<Value>(text).expect("JSON");
    let (a, b, c) =
        (essence::of(from, &parse(text)), essence::of(to, &parse(&there)), essence::of(from, &parse(&back)));
    let (lost, lost_back) = (named(text, &first), named(&there, &second));
    // A thing is excused by what either way says of it.
    let mut excuses: Vec<Excuse> = a.iter().map(|thing| excuse(thing, &a, &lost)).collect();
    for (n, partner) in partners(&a, &b, &excuses).into_iter().enumerate() {
        if let Some(there) = partner {
            let more = excuse(&b[there], &b, &lost_back);
            let own = &mut excuses[n];
            own.value |= more.value;
            own.id |= more.id;
            own.name |= more.name;
            own.side |= more.side;
            own.order |= more.order;
        }
    }
    let partner = partners(&a, &c, &excuses);
    let whole = || format!("{}\n→ {}\n→ {}", cut(text), cut(&there), cut(&back));
    // Reasoning that one dialect takes in the form of another is told on the way back.
    let mut others = lost_back.iter().filter(|lost| [901, 902, 909].contains(&lost.kind.code.0)).count();
    for (n, thing) in a.iter().enumerate() {
        let mut there = partner[n].is_some() || excuses[n].value;
        if !there && thing.what == What::Other && others > 0 {
            others -= 1;
            there = true;
        }
        if !there {
            trip.faults
                .push(format!("{name} to {to} and back: {thing:?} is gone, and nobody said so\n{}", whole()));
        }
    }
    if !keeps_order(&a, &partner, &excuses) {
        trip.faults.push(format!("{name} to {to} and back: another order\n{}", whole()));
    }
    // A result still answers its own call.
    for (r, result) in a.iter().enumerate().filter(|(_, thing)| thing.what == What::Result && thing.id.is_some()) {
        // Of several calls with one id in one turn, any may be the one.
        let is_call = |n: &usize| a[*n].what == What::Call && a[*n].id == result.id;
        let Some(last) = (0..r).rfind(is_call) else { continue };
        let turn = (0..last).rfind(|n| a[*n].side != Side::Model).map_or(0, |n| n + 1);
        let mut calls = (turn..=last).filter(is_call).filter_map(|call| partner[call]).peekable();
        if let (Some(to_result), true, false) = (partner[r], calls.peek().is_some(), excuses[r].order) {
            let answered = (0..to_result).rfind(|n| c[*n].what == What::Call && c[*n].id == c[to_result].id);
            if !calls.any(|call| answered == Some(call)) {
                trip.faults.push(format!("{name} to {to} and back: {result:?} answers another call\n{}", whole()));
            }
        }
    }
    // What comes from nowhere stands for something that is named.
    let changed = excuses.iter().filter(|excuse| excuse.value).count();
    let stubs = lost.iter().chain(&lost_back).filter(|lost| lost.kind.code == Code(910)).count();
    let new = (0..c.len()).filter(|n| !partner.contains(&Some(*n)) && c[*n].what != What::Other);
    let (stubbed, made): (Vec<usize>, Vec<usize>) = new.partition(|n| c[*n].value == json!(STUB));
    if stubbed.len() > stubs || made.len() > changed + stubs {
        trip.faults.push(format!("{name} to {to} and back: {stubbed:?}, {made:?} from nowhere\n{}", whole()));
    }
    let silent = silent_settings(from, &parse(text), &parse(&back), &lost, &lost_back);
    trip.faults
        .extend(silent.into_iter().map(|path| format!("{name} to {to} and back: {path} is gone in silence")));
    trip.losses = (lost.len() + lost_back.len()) as u64;
    trip
}

/// Settings that a way there and back changed, and of which neither way says anything.
fn silent_settings(from: &str, before: &Value, after: &Value, lost: &[Named], lost_back: &[Named]) -> Vec<String> {
    let copied = FORMS.iter().filter_map(|form| Some((form, form.path(from)?)));
    let copied = copied.filter(|(form, _)| {
        let own = [SettingName::Choice, SettingName::Output, SettingName::Parallel, SettingName::OldLimit];
        !own.contains(&form.name)
    });
    let mut silent = Vec::new();
    for (form, path) in copied {
        let pointer = format!("/{}", path.replace('.', "/"));
        let Some(old) = before.pointer(&pointer).filter(|old| !old.is_null()) else { continue };
        let usual = [json!(false), json!(0), json!(0.0), json!(1), json!([]), json!("none"), json!({})];
        // Most servers of Chat Completions know the older name of a limit.
        let older = (form.name == SettingName::MaxTokens).then(|| after.get("max_tokens")).flatten();
        let same = after.pointer(&pointer).or(older) == Some(old) || usual.contains(old);
        // How a model thinks is reported by the first member that says so.
        let thinks = [SettingName::Effort, SettingName::Budget].contains(&form.name);
        let thinking = |pointer: &str| thinks && (pointer.contains("hinking") || pointer.contains("ffort"));
        let near = |lost: &&Named| {
            thinking(&lost.pointer)
                || pointer.starts_with(&lost.pointer) && !lost.pointer.is_empty()
                || lost.pointer.starts_with(&pointer)
        };
        let told = lost.iter().any(|lost| near(&lost));
        // On the way back the setting has another name.
        let told_back = lost_back.iter().any(|lost| {
            let names =
                form.paths.iter().chain(form.reads).map(|(_, path)| format!("/{}", path.replace('.', "/")));
            names.clone().any(|own| lost.pointer.starts_with(&own)) || thinking(&lost.pointer)
        });
        if !(same || told || told_back) {
            silent.push(pointer);
        }
    }
    silent
}

fn cut(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(3000)]).into_owned()
}

/// The dialect of a recorded request, and the target that its provider is.
fn dialect_of(row: &Recorded) -> Option<(&'static str, Options)> {
    let (dialect, target) = match row.format.as_str() {
        format if format.starts_with("openai-responses") => ("responses", responses_target(&row.provider)),
        "openai-chat" => ("chat", chat_target(&row.provider)),
        "anthropic-messages" => ("anthropic", "anthropic"),
        "gemini-contents" => ("gemini", "gemini"),
        "bedrock-converse" => ("bedrock", "bedrock"),
        _ => return None,
    };
    Some((dialect, Options { target: targets::by_name(target), ..Options::default() }))
}

#[test]
fn accepted_requests_convert_without_an_error_and_keep_what_no_loss_names() {
    let Some(root) = corpus() else { return };
    let mut told: BTreeMap<(&str, &str), [u64; 3]> = BTreeMap::new();
    let (mut nothing, mut faults) = (0, Vec::new());
    for row in manifest(&root).into_iter().filter(|row| row.gold == "accepted") {
        let Some((from, options)) = dialect_of(&row) else { continue };
        let text = fs::read(root.join(&row.path)).expect("readable");
        let body: Value = serde_json::from_slice(&text).expect("JSON");
        for to in TO {
            let count = told.entry((from, to)).or_default();
            count[0] += 1;
            if to == from {
                let (out, done) = converted(&text, &options, plan(to));
                assert_eq!((done.converted, done.failed), (1, 0), "{}", row.path);
                assert_eq!(serde_json::from_slice::<Value>(&out).expect("JSON"), body, "{}", row.path);
                continue;
            }
            if to == "responses-items" {
                let (out, done) = converted(&text, &options, plan(to));
                if done.failed > 0 && !held(&body) {
                    faults.push(format!("{} to {to}: failed", row.path));
                }
                // Within its dialect a request stays what its own provider takes.
                let target = options.target.filter(|_| from == "responses");
                faults.extend(illegal(&row.path, to, &out, target, false));
                count[1] += done.judged.len() as u64;
                continue;
            }
            let trip = there_and_back(&row.path, &text, from, to, &options);
            count[1] += trip.losses;
            faults.extend(trip.faults);
            if let Some(why) = trip.nothing {
                if !held(&body) {
                    faults.push(format!("{} to {to}: {why}", row.path));
                }
                count[2] += 1;
                nothing += 1;
            }
        }
    }
    for ((from, to), [requests, losses, none]) in &told {
        println!("{from} to {to}: {requests} requests, 0 errors, {losses} losses, {none} with nothing to convert");
    }
    let all: u64 = told.values().map(|count| count[0]).sum();
    println!("{all} conversions, 0 errors, {nothing} with nothing to convert");
    none_of(&faults);
    assert!(all >= 5000 && nothing * 50 <= all, "{all} conversions, {nothing} of nothing");
    keep(
        "docs/evidence.md",
        "conversions",
        &format!(
            "Each accepted request is converted to each dialect: {all} conversions, 0 with an error under the rules of the target, \
             {nothing} with\nnothing to convert (results alone, whose calls the server holds). Converted back, each says what it \
             said before, but for the losses\nthat were told.\n"
        ),
    );
}

#[test]
fn every_stored_file_converts_without_an_error() {
    let mut files = Vec::new();
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for folder in ["formats", "tree", "readme", "cli/input"] {
        collect(&own.join(folder), &mut files);
    }
    let stored = files.len();
    if let Some(root) = corpus() {
        files.extend(manifest(&root).iter().map(|row| root.join(&row.path)));
    }
    let mut told: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    let mut faults = Vec::new();
    for path in &files {
        let Ok(text) = fs::read(path) else { continue };
        let Some(format) = check(&text, &Options::default()).format else { continue };
        let info = format.info();
        for to in TO {
            let name = path.display().to_string();
            let (out, done) = converted(&text, &Options::default(), plan(to));
            // Items of several conversations are no conversation.
            if to != "responses-items" || done.converted == 1 {
                faults.extend(illegal(&name, to, &out, None, info.usage != Usage::Request));
            }
            let count = told.entry(info.name).or_default();
            count[0] += u64::from(to == TO[0]);
            count[1] += u64::from(done.converted);
            count[2] += done.judged.len() as u64;
            count[3] += u64::from(done.failed);
            for judged in done.judged.iter().filter(|judged| judged.history.is_none()) {
                let (code, variant) = (judged.finding.code, judged.finding.variant);
                *refused.entry(format!("{} {code}/{variant}", info.name)).or_default() += 1;
                // A request may be as broken as it was; a log is made a request, if no field is wrong that nobody can fill.
                let refused = (LossKind { code, variant }) == LossKind::RESULT_REFUSED;
                let field = (400..500).contains(&judged.finding.arg);
                // What has no legal repair in the store has none in a request, either.
                let arg = judged.finding.arg;
                let unfixable = || {
                    let found = check(&text, &Options::default());
                    let mut errors = found.judged.iter().filter(|own| own.severity == Severity::Error);
                    errors.any(|own| {
                        u32::from(own.finding.code.0) == arg && matches!(own.finding.remedy, Remedy::Never(_))
                    })
                };
                if info.usage == Usage::Log && refused && !field && !unfixable() {
                    faults.push(format!("{name} to {to}: refused with {}", Code(judged.finding.arg as u16)));
                }
            }
        }
    }
    for (format, [files, converted, losses, failed]) in &told {
        println!(
            "{format}: {files} files, {converted} conversations, 0 errors, {losses} losses, {failed} records failed"
        );
    }
    println!("what failed: {refused:?}");
    none_of(&faults);
    let logs = ["codex-rollout", "ag2-log", "ag2-events", "coder-chat", "kode-session", "iterate-stream"];
    for log in logs {
        assert!(told.get(log).is_some_and(|count| count[1] > 0), "{log} gives nothing");
    }
    assert!(stored > 60);
}

/// What the server holds is not in the file, and nothing may be left without it.
fn held(body: &Value) -> bool {
    body["previous_response_id"].is_string() || body["conversation"].is_string()
}

/// Tells the first faults of many.
fn none_of(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults[..faults.len().min(40)].join("\n\n"));
}

fn collect(folder: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
    let mut paths: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true if path.ends_with("snapshots") => {}
            true => collect(&path, out),
            false => out.push(path),
        }
    }
}

#[test]
fn accepted_requests_are_no_error_for_any_other_dialect() {
    let Some(root) = corpus() else { return };
    let (mut judged, mut findings, mut nothing) = (0, 0, 0);
    let mut faults = Vec::new();
    for row in manifest(&root).into_iter().filter(|row| row.gold == "accepted") {
        let Some((from, _)) = dialect_of(&row) else { continue };
        let text = fs::read(root.join(&row.path)).expect("readable");
        let body: Value = serde_json::from_slice(&text).expect("JSON");
        for (dialect, target) in DIALECTS.into_iter().zip(TARGETS).filter(|(dialect, _)| *dialect != from) {
            let options = Options { target: targets::by_name(target), ..read_as(&format!("{from}-request")) };
            let found = convert::check(DOC, &text, &options, 1).expect("memory reads");
            judged += 1;
            findings += found.judged.len();
            let errors = found.judged.iter().filter(|judged| judged.severity == Severity::Error);
            let errors: Vec<String> = errors.map(|judged| judged.finding.code.to_string()).collect();
            if !errors.is_empty() {
                faults.push(format!("{} for {dialect}: {errors:?}", row.path));
            }
            // A result alone whose call lies on the server says nothing anywhere else.
            let unjudged = found.judged.iter().any(|judged| judged.finding.code == Code(4));
            nothing += u32::from(unjudged);
            if unjudged && !held(&body) {
                faults.push(format!("{} for {dialect} is not judged", row.path));
            }
            let outside = found.judged.iter().filter(|judged| judged.finding.row.at.end() > text.len() as u64);
            assert_eq!(outside.count(), 0, "{}: a finding lies in the file", row.path);
        }
    }
    println!(
        "{judged} judged against other dialects, 0 errors, {findings} findings, {nothing} with nothing to judge"
    );
    none_of(&faults);
    assert!(judged > 3000);
}

proptest! {
    // Equal results of calls with equal ids cannot be told apart here, and one history in thousands holds enough of them
    // to mistake one for another: the histories are the same on every run.
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2026),
        ..ProptestConfig::default()
    })]

    #[test]
    fn generated_histories_convert_between_all_dialects_and_back(
        turns in prop::collection::vec(any_turn(), 0..8),
    ) {
        let mut all = vec![Turn::User("begin".to_owned())];
        all.extend(turns);
        for from in DIALECTS {
            let body = request(from, &all).to_string();
            for to in DIALECTS.into_iter().filter(|to| *to != from) {
                let options = read_as(&format!("{from}-request"));
                let done = there_and_back(&body, body.as_bytes(), from, to, &options);
                prop_assert!(done.nothing.is_none(), "{} to {}: {:?}", body, to, done.nothing);
                prop_assert!(done.faults.is_empty(), "{}", done.faults.join("\n"));
                // The same bytes on every run.
                let once = converted(body.as_bytes(), &options, plan(to)).0;
                prop_assert_eq!(&once, &converted(body.as_bytes(), &options, plan(to)).0);
            }
        }
    }
}
