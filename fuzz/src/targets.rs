//! The fuzz targets: each takes any bytes, and panics if what is promised of every input does not hold of these. Where there
//! are options, the first byte of the input says which, and the rest is the text.

use std::io;
use std::path::Path;
use std::sync::LazyLock;

use replaylint::internals::diff::compare::{Compared, Scope, Side, compare};
use replaylint::internals::formats::FORMATS;
use replaylint::internals::json::{
    Tape, scan as scan_json,
    scan::{Lanes, scan_prefix_by},
    scan_prefix,
};
use replaylint::internals::judge::{self, Findings, Options};
use replaylint::internals::options::{self, Config};
use replaylint::internals::place::Place;
use replaylint::internals::read;
use replaylint::internals::report::recognise::Recogniser;
use replaylint::internals::report::{self, Content};
use replaylint::internals::source::ReadAt;
use replaylint::internals::source::damage::{self, Escaped, Part};
use serde::de::IgnoredAny;

use crate::fuzz::hold::{Ask, Fault, convert_doc, promised, repaired, same, slimmed, tree};
use crate::support::memory::{DOC, is_json, roomy};
use crate::support::rng::Rng;

/// Panics if what must hold of an input does not.
type Target = fn(&[u8]);

/// The targets by their names.
pub const TARGETS: [(&str, Target); 8] = [
    ("scan", scan),
    ("read", read),
    ("fix", fix),
    ("convert", convert),
    ("diff", diff),
    ("recover", recover),
    ("explain", explain),
    ("config", config),
];

fn assert_none(faults: Vec<Fault>) {
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Which options are asked for, and the text.
fn asked(input: &[u8]) -> (u8, &[u8]) {
    input.split_first().map_or((0, input), |(options, text)| (*options, text))
}

/// What commands are asked to do: as usual for 0.
fn ask(options: u8) -> Ask {
    let mut ask = Ask::some(&mut Rng(u64::from(options)));
    if options == 0 {
        ask.options = Options::default();
        ask.wishes.truncate(1);
    }
    ask
}

pub fn scan(text: &[u8]) {
    let (mut own, mut twin) = (Tape::new(), Tape::new());
    let taken = scan_json(text, &mut own).is_ok();
    // serde_json does not go deeper than this, and takes texts only.
    let depth = text.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
    if depth < 120 && std::str::from_utf8(text).is_ok() {
        assert_eq!(taken, serde_json::from_slice::<IgnoredAny>(text).is_ok());
    }
    assert!(!taken || !own.is_ascii() || text.is_ascii());
    let widest = scan_prefix(text, &mut own);
    for lanes in Lanes::ALL {
        assert_eq!(scan_prefix_by(lanes, text, &mut twin), widest, "{lanes:?}");
    }
}

pub fn read(input: &[u8]) {
    let (which, text) = asked(input);
    let format = usize::from(which).checked_sub(1).and_then(|n| FORMATS.get(n % FORMATS.len())).copied();
    let options = Options { read: read::Options { format, ..Default::default() }, ..Options::default() };
    let bytes = roomy(text);
    let found = judge::judge(DOC, &bytes, &options, 1, &Findings).expect("memory reads");
    let is_inside = |at: Place| bytes.origin(at).end() <= text.len() as u64;
    assert!(found.judged.iter().all(|judged| is_inside(judged.finding.row.at)), "a finding outside of the text");
    let told = report::diagnose(DOC, "case", &bytes, &found, Content::Shown).expect("memory reads");
    assert!(told.iter().all(|one| !one.message.is_empty()), "a finding without words");
    assert_none(tree(text, &options));
    if format.is_none() {
        assert_none(promised(text, &options));
    }
}

pub fn fix(input: &[u8]) {
    let (which, text) = asked(input);
    let ask = ask(which);
    if let Some((_, wanted)) = ask.wishes.last() {
        assert_none(repaired(text, &ask.options, wanted));
    }
}

pub fn convert(input: &[u8]) {
    let (which, text) = asked(input);
    let ask = ask(which);
    ask.to.iter().for_each(|to| assert_none(convert_doc(text, to, &ask.options)));
    assert_none(slimmed(text, &ask.options));
}

/// What parts the two texts: it is in no text that is valid UTF-8.
const BETWEEN: u8 = 0xff;

pub fn diff(input: &[u8]) {
    let mut texts = input.splitn(2, |byte| *byte == BETWEEN);
    let (a, b) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
    let options = Options::default();
    let (from, to) = (roomy(a), roomy(b));
    let compared = |a: &dyn ReadAt, b: &dyn ReadAt| -> io::Result<Compared> {
        let side = |bytes| Side { id: DOC, bytes, options: &options };
        compare(side(a), side(b), Scope::All)
    };
    let differ = |compared: &Compared| compared.differences.iter().any(|one| one.count().differ());
    let (there, back) = (compared(&from, &to).expect("memory reads"), compared(&to, &from).expect("memory reads"));
    assert_eq!(differ(&there), differ(&back), "it depends on the order whether two texts differ");
    assert_none(same(a, &options));
    assert_none(same(b, &options));
}

pub fn recover(input: &[u8]) {
    let (which, text) = asked(input);
    let is_end = which % 2 == 0;
    let found = damage::recover(text, is_end, &|val| val.is_object());
    assert!(found.len <= text.len() && !(found.starved && is_end));
    let mut end = 0;
    for part in &found.parts {
        let (span, json) = match part {
            Part::Value(span, Some(escaped)) => (span, Some(&escaped.text[..])),
            Part::Value(span, None) => (span, text.get(span.clone())),
            Part::Lost(span, _) => (span, None),
        };
        assert!(end <= span.start && span.start <= span.end && span.end <= text.len(), "{:?}", found.parts);
        assert!(json.is_none_or(is_json), "a value that was recovered is not valid JSON");
        end = span.end;
    }
    for damage in &found.damages {
        assert!(damage.span.start <= damage.first && damage.span.end <= text.len(), "{damage:?}");
        let mut end = damage.span.start;
        for (span, _) in damage::edits(text, damage) {
            assert!(end <= span.start && span.start <= span.end && span.end <= damage.span.end, "{damage:?}");
            end = span.end;
        }
    }
    if let Some(escaped) = Escaped::of(text) {
        assert!(is_json(&escaped.text));
    }
    // The damages that are repaired only if asked for, too.
    let mut ask = ask(0);
    ask.wishes.iter_mut().for_each(|(_, wanted)| wanted.warnings = which & 2 != 0);
    ask.wishes.iter().for_each(|(_, wanted)| assert_none(repaired(text, &ask.options, wanted)));
}

pub fn explain(text: &[u8]) {
    static RECOGNISER: LazyLock<Recogniser> = LazyLock::new(Recogniser::new);
    let text = String::from_utf8_lossy(text);
    for found in RECOGNISER.recognise(&text) {
        assert!(!found.template.is_empty());
        assert!(found.ids().iter().all(|id| !id.is_empty()));
    }
    assert!(RECOGNISER.nearest(&text).iter().all(|(template, _)| !template.is_empty()));
}

pub fn config(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    // A schema would be a file that is read.
    match Config::parse(&text, Path::new("/data")) {
        Ok(config) => {
            assert!(config.said.iter().all(|said| said.line <= text.lines().count()));
            let path = Path::new("/data/a/b.jsonl");
            let fits = config.files.iter().filter(|files| files.fits(path)).count();
            assert!(fits <= config.files.len() && config.waivers.iter().all(|waiver| !waiver.reason.is_empty()));
        }
        Err(misuse) => assert!(misuse.message.starts_with("replaylint.toml:"), "{}", misuse.message),
    }
    for words in text.lines() {
        let _ = (options::size(words), options::moment(words), options::steps(words), options::format(words));
        let known = options::target(words).map(|target| target.name);
        assert!(known.is_err() || !words.is_empty());
    }
}
