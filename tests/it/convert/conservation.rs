//! Nothing is lost in silence: each string of a file carries a token, and after a conversion, a comparison and a repair it
//! is known where it went. A token is in what was written, or a loss, a change or a dropped item names its place.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::carry::{CarryOptions, CarryOver, SessionWriter, Tools};
use replaylint::internals::convert::{ConvertOptions, TO, convert_doc};
use replaylint::internals::diff::compare::{Scope, Side, compare};
use replaylint::internals::diff::entries::Left;
use replaylint::internals::format::Format;
use replaylint::internals::format::unsent::{Step, reason};
use replaylint::internals::formats::SESSION_WRITERS;
use replaylint::internals::json::{Tape, Val, scan};
use replaylint::internals::judge::Options;
use replaylint::internals::place::{DocId, Pieces};
use replaylint::internals::repair;
use replaylint::internals::repair::{Action, FixOptions};
use replaylint::internals::report;
use replaylint::internals::report::{Content, Spot, changes};
use replaylint::internals::source::{Patched, ReadAt};
use replaylint::internals::{formats, read};

use crate::convert::conserved::{Row, fits, tables};
use crate::fuzz::hold::wishes;
use crate::rules::corpus::{corpus, manifest};
use crate::support::memory::{DOC, check_of, plan, roomy};
use crate::support::tokens::{Leaf, Tokened, found, tokened, turned};

/// What is carried over, as which tools.
const MANNERS: [Tools; 2] = [Tools::Notes, Tools::Calls];

/// Losses of form: what they name is still there, or never was text.
const OF_FORM: [u16; 4] = [905, 907, 910, 913];

/// Losses that are counted, and named at one of their places: the paths of all of them.
const COUNTED: [(u16, u8, &[&str]); 5] = [
    (901, 2, &["**/thoughtSignature", "**/thought_signature", "**/signature"]),
    (
        908,
        7,
        &[
            "**{system}/**",
            "**{developer}/**",
            "**{system-prompt}/**",
            "/system/**",
            "/instructions",
            "/systemInstruction/**",
        ],
    ),
    (908, 8, &["**/tools/**", "**/tool_definitions/**"]),
    (909, 8, &["**snapshot**"]),
    (911, 6, &["**/name"]),
];

/// A record that is not written at all.
const NOT_CONVERTED: u16 = 912;

/// A file, and what its format is.
struct Sample {
    path: PathBuf,
    format: &'static dyn Format,
    text: Vec<u8>,
}

impl Sample {
    fn options(&self) -> Options {
        let named = Some(self.format).filter(|format| format.info().named_only);
        Options { read: read::Options { format: named, ..Default::default() }, ..Options::default() }
    }

    fn name(&self) -> &'static str {
        self.format.info().name
    }

    fn file(&self) -> String {
        self.path.file_name().expect("a name").to_string_lossy().into_owned()
    }
}

/// A larger file says nothing that a smaller one does not.
const LARGE: usize = 32 << 10;

/// Files of each format of the corpus.
const OF_A_FORMAT: usize = 3;

fn samples() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let mut paths = Vec::new();
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().flatten() {
        let path = entry.path();
        if entry.file_type().is_file() && !path.starts_with(root.join("snapshots")) {
            paths.push(path.to_owned());
        }
    }
    if let Some(root) = corpus() {
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        for row in manifest(&root) {
            let path = root.join(&row.path);
            let small = fs::metadata(&path).is_ok_and(|meta| meta.len() < LARGE as u64);
            let taken = taken.entry(row.format).or_default();
            if small && *taken < OF_A_FORMAT {
                *taken += 1;
                paths.push(path);
            }
        }
    }
    let sample = |path: PathBuf| {
        let text = fs::read(&path).expect("readable");
        let folder = path.parent()?.file_name()?.to_string_lossy().into_owned();
        let named = formats::by_name(&folder).filter(|format| format.info().named_only);
        let format = named.or_else(|| check_of(&roomy(&text), &Options::default()).format)?;
        Some(Sample { path, format, text })
    };
    paths.into_iter().filter_map(sample).collect()
}

/// The tokens in strings that the format names as unsent.
fn unsent(format: &'static dyn Format, text: &[u8]) -> BTreeSet<usize> {
    let mut tokens = BTreeSet::new();
    let mut tape = Tape::new();
    let whole = scan(text, &mut tape).is_ok();
    let records: Vec<&[u8]> = if whole { vec![text] } else { text.split(|byte| *byte == b'\n').collect() };
    for record in records {
        if scan(record, &mut tape).is_ok()
            && let Some(root) = tape.root(record)
        {
            excused(format, root, &mut Vec::new(), &mut tokens);
        }
    }
    tokens
}

fn excused<'v>(
    format: &'static dyn Format,
    val: Val<'v>,
    steps: &mut Vec<Step<'v>>,
    tokens: &mut BTreeSet<usize>,
) {
    for member in val.members() {
        steps.push((val, member.key.decode().into_owned()));
        excused(format, member.val, steps, tokens);
        steps.pop();
    }
    val.elements().for_each(|element| excused(format, element, steps, tokens));
    let Some(text) = val.text().filter(|_| val.is_string()) else { return };
    if reason(format.info().unsent, steps, val).is_some() {
        tokens.extend(found(&text).into_iter().map(|(number, _)| number));
    }
    let mut tape = Tape::new();
    if scan(&text, &mut tape).is_ok()
        && let Some(root) = tape.root(&text).filter(|root| !root.is_string())
    {
        excused(format, root, &mut steps.clone(), tokens);
    }
}

/// Which tokens a run accounts for.
#[derive(Default)]
struct Account {
    written: BTreeSet<usize>,
    named: BTreeSet<usize>,
    /// Conversations and items that were read.
    read: (u32, u64),
    /// Some of it was refused as a whole, and said to be.
    failed: bool,
}

impl Account {
    fn knows(&self, number: usize) -> bool {
        self.written.contains(&number) || self.named.contains(&number)
    }

    fn write(&mut self, text: &[u8]) {
        self.written.extend(found(text).into_iter().map(|(number, _)| number));
    }

    /// What is at a place: a range of bytes, or a member, of which the place may be the key.
    fn name(&mut self, leaves: &[Leaf], spot: &Spot) {
        let (start, end) = spot.span;
        let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/');
        let is_member = |leaf: &Leaf| leaf.pointer.strip_prefix(&*spot.pointer).is_some_and(is_below);
        // Lines are records; a document has one.
        let is_lines = leaves.iter().any(|leaf| leaf.line > 1);
        let is_in =
            |leaf: &Leaf| !spot.pointer.is_empty() && is_member(leaf) && (!is_lines || leaf.line == spot.line);
        let inside = |leaf: &Leaf| (start..end).contains(&leaf.at) || is_in(leaf);
        self.named.extend((0..leaves.len()).filter(|number| inside(&leaves[*number])));
    }
}

/// What the conversion to a dialect, or to a session, accounts for.
fn converted(
    of: &Tokened,
    options: &Options,
    to: &str,
    session: Option<(&'static SessionWriter, Tools)>,
) -> Account {
    let bytes = roomy(&of.text);
    let asked = |tools| CarryOptions {
        tools: Some(tools),
        here: "/".into(),
        when: 1_767_225_600_000,
        ..CarryOptions::default()
    };
    let carrying = session.map(|(writer, tools)| CarryOver::new(writer, asked(tools)));
    let mut how = ConvertOptions::new(options, plan(to));
    how.carry = carrying.as_ref();
    let mut account = Account::default();
    let done = convert_doc(DOC, &bytes, &how, 1, &mut |text| {
        account.write(text);
        Ok(())
    });
    let done = done.expect("memory reads");
    account.read = (done.converted, done.items);
    let told = done.told();
    let losses = report::diagnose(DOC, "case", &bytes, &told, Content::None).expect("memory reads");
    assert_eq!(losses.len(), told.judged.len());
    for (judged, loss) in told.judged.iter().zip(losses) {
        let code = loss.rule.0;
        if OF_FORM.contains(&code) || code == 911 && loss.variant != 6 {
            continue;
        }
        account.name(&of.leaves, &loss.spot);
        // What messages were made of may come from several places.
        let (at, mut item) = (judged.finding.row.at, Vec::new());
        bytes.read_into(at.start, at.len as usize, &mut item).expect("memory reads");
        account.named.extend(found(&item).into_iter().map(|(number, _)| number));
        account.failed |= code == NOT_CONVERTED;
        let counted = COUNTED.iter().filter(|(own, variant, _)| (*own, *variant) == (code, loss.variant));
        let paths: Vec<&str> = counted.flat_map(|(.., paths)| *paths).copied().collect();
        let alike = |leaf: &Leaf| paths.iter().any(|path| fits(path, &leaf.path));
        account.named.extend((0..of.leaves.len()).filter(|number| alike(&of.leaves[*number])));
    }
    account
}

/// What a repair accounts for: what is left, what it drops into the list of dropped items, what it says that it changes.
fn fixed(of: &Tokened, options: &Options, wanted: &FixOptions) -> Account {
    let bytes = roomy(&of.text);
    let fixed = repair::fix(DOC, &bytes, options, wanted, 1).expect("memory reads");
    let mut account = Account::default();
    let view = Patched::new(&bytes, Pieces::new(fixed.patch.edits(DOC), DOC, bytes.len()));
    let mut out = Vec::new();
    view.read_into(0, view.len() as usize, &mut out).expect("memory reads");
    account.write(&out);
    for note in changes::notes(DOC, "case", &bytes, &fixed).expect("memory reads") {
        if note.action == Action::Drop {
            let mut item = Vec::new();
            bytes.read_into(note.at.start, note.at.len as usize, &mut item).expect("memory reads");
            account.write(&item);
        } else {
            account.name(&of.leaves, &note.spot);
        }
        note.removed.iter().for_each(|(spot, _)| account.name(&of.leaves, spot));
    }
    account
}

/// What a comparison says.
struct Seen {
    differs: bool,
    /// The texts of what the second side does not send.
    unsent: Vec<Vec<u8>>,
}

fn compared(before: &[u8], after: &[u8], options: &Options) -> Seen {
    let (old, new) = (roomy(before), roomy(after));
    let side = |id, bytes| Side { id, bytes, options };
    let compared = compare(side(DOC, &old), side(DocId(1), &new), Scope::All).expect("memory reads");
    let text = |left: &Left| {
        let mut text = Vec::new();
        new.read_into(left.at.start, left.at.len as usize, &mut text).expect("memory reads");
        text
    };
    let all = &compared.differences;
    Seen {
        differs: compared.reordered || all.iter().any(|difference| difference.count().differ()),
        unsent: all.iter().flat_map(|difference| &difference.unsent[1]).map(text).collect(),
    }
}

/// What was lost in silence: by format and path, in which runs, and in which files.
#[derive(Default)]
struct Silent {
    rows: BTreeMap<(&'static str, String), Lost>,
}

#[derive(Default)]
struct Lost {
    runs: BTreeSet<String>,
    files: BTreeSet<String>,
}

impl Silent {
    fn add(&mut self, sample: &Sample, path: &str, run: &str) {
        let entry = self.rows.entry((sample.name(), path.to_owned()));
        let lost = entry.or_default();
        lost.runs.insert(run.to_owned());
        lost.files.insert(sample.file());
    }

    /// A line for each path. `all` is how many runs there are.
    fn page(&self, all: usize) -> String {
        let mut page = String::new();
        for ((format, path), Lost { runs, files }) in &self.rows {
            let names: Vec<&str> = runs.iter().map(String::as_str).collect();
            let runs = if runs.len() == all { "in all runs".to_owned() } else { names.join(" ") };
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let _ = writeln!(page, "{format}\t{path}\t{runs}\t{}", files.join(" "));
        }
        page
    }
}

/// The rows of a table, and those that were of use.
struct Excuses {
    rows: Vec<Row>,
    used: BTreeSet<usize>,
}

impl Excuses {
    fn new(rows: Vec<Row>) -> Self {
        Excuses { rows, used: BTreeSet::new() }
    }

    /// Whether a row excuses what is lost.
    fn excuse(&mut self, sample: &Sample, path: &str, run: &str) -> bool {
        let named = format!("{}/{}", sample.name(), sample.file());
        let is_of = |format: &str| format == "*" || format == sample.name() || format == named;
        let is_to = |row: &Row| row.to.as_ref().is_none_or(|to| to.split(' ').any(|to| to == run));
        let fit = |row: &Row| row.format.split(' ').any(is_of) && is_to(row) && fits(&row.path, path);
        let fitting: Vec<usize> = (0..self.rows.len()).filter(|n| fit(&self.rows[*n])).collect();
        self.used.extend(&fitting);
        !fitting.is_empty()
    }

    fn idle(&self) -> Vec<String> {
        let idle = self.rows.iter().enumerate().filter(|(n, _)| !self.used.contains(n));
        idle.map(|(_, row)| format!("{} {} ({})", row.format, row.path, row.why)).collect()
    }
}

/// Prints what was lost in silence, and fails for what is held.
fn settle(what: &str, runs: usize, silent: &Silent, excuses: &[&Excuses], faults: &[String]) {
    let all = silent.page(runs);
    if let Some(folder) = std::env::var_os("REPLAYLINT_SILENT") {
        fs::write(Path::new(&folder).join(format!("{what}.txt")), &all).expect("writable");
    }
    assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
    assert!(all.is_empty(), "lost in silence ({what}):\n{all}");
    let idle: Vec<String> = excuses.iter().flat_map(|excuses| excuses.idle()).collect();
    // Rows may be of use for files of the corpus only.
    assert!(idle.is_empty() || corpus().is_none(), "rows that excuse nothing ({what}): {idle:#?}");
}

#[test]
fn conversions_lose_nothing_in_silence() {
    let (mut silent, mut excuses) = (Silent::default(), Excuses::new(tables().convert));
    let sessions = SESSION_WRITERS.into_iter().flat_map(|writer| MANNERS.map(|tools| (writer, tools)));
    let sessions: Vec<(&SessionWriter, Tools)> = sessions.collect();
    let mut faults = Vec::new();
    for sample in samples() {
        let options = sample.options();
        let of = tokened(&sample.text, &|_| true);
        let unsent =
            if sample.format.layout().is_translated() { unsent(sample.format, &of.text) } else { BTreeSet::new() };
        let plain = converted(&Tokened { text: sample.text.clone(), leaves: Vec::new() }, &options, "chat", None);
        let dialects = TO.iter().filter(|(to, ..)| *to != "responses-items");
        let runs = dialects.map(|(to, ..)| (*to, *to, None));
        let runs = runs.chain(sessions.iter().map(|session| (session.0.name, "anthropic", Some(*session))));
        for (name, to, session) in runs {
            let account = converted(&of, &options, to, session);
            if to == "chat" && account.read != plain.read {
                let (file, [before, after]) = (sample.path.display(), [plain.read, account.read]);
                faults.push(format!("{file}: with tokens, something else is read: {after:?}, not {before:?}"));
            }
            if account.failed {
                if sample.file().starts_with("rich.") && !excuses.excuse(&sample, "refused", name) {
                    faults.push(format!("{}: healthy, and not converted to {name}", sample.path.display()));
                }
                continue;
            }
            for (number, leaf) in of.leaves.iter().enumerate() {
                let is_known = account.knows(number) || unsent.contains(&number);
                if !is_known && !excuses.excuse(&sample, &leaf.path, name) {
                    silent.add(&sample, &leaf.path, name);
                }
            }
        }
    }
    settle("convert", 5 + SESSION_WRITERS.len(), &silent, &[&excuses], &faults);
}

#[test]
fn comparisons_see_each_string() {
    let (mut silent, mut excuses, mut equal) =
        (Silent::default(), Excuses::new(tables().convert), Excuses::new(tables().diff));
    let mut seen: BTreeSet<(&str, String)> = BTreeSet::new();
    for sample in samples() {
        let options = sample.options();
        let paths: BTreeSet<String> =
            tokened(&sample.text, &|_| true).leaves.into_iter().map(|l| l.path).collect();
        for path in paths {
            if !seen.insert((sample.name(), path.clone())) {
                continue;
            }
            let of = tokened(&sample.text, &|own| own == path);
            let of_paths =
                || sample.format.layout().is_translated() && !unsent(sample.format, &of.text).is_empty();
            let seen = compared(&sample.text, &of.text, &options);
            // What is not sent makes no difference, and is named.
            let is_known = seen.differs || seen.unsent.iter().any(|text| !found(text).is_empty()) || of_paths();
            if !is_known && !excuses.excuse(&sample, &path, "diff") && !equal.excuse(&sample, &path, "diff") {
                silent.add(&sample, &path, "diff");
            }
        }
    }
    settle("diff", 1, &silent, &[&equal], &[]);
}

#[test]
fn repairs_lose_nothing_in_silence() {
    let (mut silent, mut around) = (Silent::default(), Excuses::new(tables().fix));
    for sample in samples() {
        let of = tokened(&sample.text, &|_| true);
        for (flags, wanted) in wishes() {
            let account = fixed(&of, &sample.options(), &wanted);
            for (number, leaf) in of.leaves.iter().enumerate() {
                if !account.knows(number) && !around.excuse(&sample, &leaf.path, flags) {
                    silent.add(&sample, &leaf.path, &format!("fix {flags}"));
                }
            }
        }
    }
    settle("fix", wishes().len(), &silent, &[&around], &[]);
}

#[test]
fn a_failed_result_differs_from_one_that_has_not_failed() {
    let (mut silent, mut equal) = (Silent::default(), Excuses::new(tables().marks));
    let mut seen: BTreeSet<(&str, String)> = BTreeSet::new();
    for sample in samples() {
        for (path, text) in turned(&sample.text) {
            if !seen.insert((sample.name(), path.clone())) {
                continue;
            }
            let (options, same) =
                (sample.options(), |text: &Vec<u8>| memchr::memmem::find(&sample.text, text).is_some());
            let told = compared(&sample.text, &text, &options);
            // The mark is in what is not sent.
            let is_known = told.differs || !told.unsent.iter().all(same);
            if !is_known && !equal.excuse(&sample, &path, "diff") {
                silent.add(&sample, &path, "marks");
            }
        }
    }
    settle("marks", 1, &silent, &[&equal], &[]);
}
