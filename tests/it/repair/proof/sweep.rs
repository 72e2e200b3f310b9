//! Runs the program over generated histories, and holds each repair against the properties.

use std::collections::{BTreeMap, BTreeSet};

use replaylint::{Dialect, Options};
use serde_json::Value;

use super::generator::{self, Case};
use super::loss::{self, Loss};
use super::minimal::{Cheapest, Search};
use super::rows::{Role, Row, What, list, list_key, rows};
use super::statement::{self, Setting};

/// What must hold of every repair, as the tables call it.
pub const PROPERTIES: [&str; 8] =
    ["agrees", "fixed is legal", "legal is kept", "hidden", "second run", "order", "least loss", "prefix"];

/// A property that a repair does not have.
pub struct Failure {
    pub property: &'static str,
    /// What such failures have in common.
    pub kind: String,
    pub why: String,
}

/// A case, what was made of it, and what is wrong with that.
pub struct Outcome {
    pub broken: bool,
    /// Whether the cheapest repair is known.
    pub compared: bool,
    /// It is illegal, and no repair that is on by default makes it legal.
    pub impossible: bool,
    /// What only one of `check` and the statement finds.
    pub apart: Option<String>,
    pub loss: Loss,
    pub output: Value,
    pub failures: Vec<Failure>,
}

pub struct Runner {
    options: Options,
}

impl Runner {
    pub fn new(case: &Case) -> Self {
        let target = match case.dialect {
            Dialect::Responses => "openai",
            other => other.name(),
        };
        let options = Options::new().target(target).expect("a target");
        let options = options.format(&format!("{}-request", case.dialect.name())).expect("a format");
        Runner { options: case.model.into_iter().fold(options, Options::model) }
    }

    fn fix(&self, body: &Value) -> Value {
        let text = serde_json::to_vec(body).expect("JSON");
        let fixed = replaylint::fix(&text, &self.options).expect("a history of the target");
        serde_json::from_slice(&fixed.text).expect("JSON stays JSON")
    }
}

/// What `check` says is rejected.
pub fn errors(case: &Case, body: &Value) -> Vec<String> {
    let text = serde_json::to_vec(body).expect("JSON");
    let report = replaylint::check(&text, &Runner::new(case).options).expect("a history of the target");
    let errors = report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == "error");
    errors.map(|diagnostic| format!("{}: {}", diagnostic.rule, diagnostic.message)).collect()
}

pub fn run(case: &Case) -> Outcome {
    let runner = Runner::new(case);
    let setting = Setting::of(case);
    let mut failures = Vec::new();
    let mut fail = |property: &'static str, kind: &str, why: String| {
        failures.push(Failure { property, kind: kind.to_owned(), why });
    };
    let before = rows(case.dialect, &case.body);
    let faults = statement::faults(&before, &setting);
    let broken = faults.iter().any(statement::Fault::is_certain);
    let output = runner.fix(&case.body);
    let after = rows(case.dialect, &output);

    let errors = errors(case, &case.body);
    if case.damage.is_empty() {
        let hidden = statement::hidden(&before, &case.truth);
        if !errors.is_empty() || !faults.is_empty() || !hidden.is_empty() {
            fail("agrees", "", format!("check: {errors:?}, statement: {faults:?}, hidden: {hidden:?}"));
        }
    }
    let left = statement::faults(&after, &setting);
    let visible: Vec<&str> = left.iter().filter(|fault| fault.is_certain()).map(|fault| fault.what).collect();
    // Cheap acts are tried first, so that what costs as much as the repair need not be tried.
    let loss = loss::between(&before, &after);
    let search = Search { rows: &before, setting: &setting, truth: &case.truth, beyond_doubt: false };
    let cheapest = match broken {
        true => search.below(visible.is_empty().then_some(loss)),
        false => Cheapest::Found(Loss::NONE, Vec::new()),
    };
    if !visible.is_empty() && matches!(cheapest, Cheapest::Found(..)) {
        let kinds: BTreeSet<&str> = visible.iter().copied().collect();
        let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
        fail("fixed is legal", &kinds, format!("{visible:?}; {cheapest:?} would do"));
    }
    if faults.is_empty() && output != case.body {
        fail("legal is kept", "", String::new());
    }
    let new = statement::worse(&before, &after, &case.truth, &setting);
    if !new.is_empty() {
        fail("hidden", "", format!("{new:?}"));
    }
    let again = runner.fix(&output);
    if again != output {
        fail("second run", "", again.to_string());
    }
    if let Some(why) = disorder(case.dialect, &before, &after) {
        fail("order", "", why);
    }
    if let Cheapest::Found(cost, acts) = &cheapest
        && visible.is_empty()
        && *cost < loss
        && !is_paid_for_certainty(&search, loss, &left)
    {
        fail(
            "least loss",
            loss.worst_against(*cost),
            format!("{} instead of {} by {acts:?}", said(loss), said(*cost)),
        );
    }
    for why in unstable(case, &runner, &output, &setting) {
        fail("prefix", "", why);
    }
    Outcome {
        broken,
        compared: visible.is_empty() && matches!(cheapest, Cheapest::Found(..)),
        impossible: matches!(cheapest, Cheapest::Impossible),
        apart: apart(&errors, &faults),
        loss,
        output,
        failures,
    }
}

fn apart(errors: &[String], faults: &[statement::Fault]) -> Option<String> {
    let rules: BTreeSet<&str> = errors.iter().filter_map(|error| Some(error.split_once(':')?.0)).collect();
    let doubtful = |fault: &&statement::Fault| fault.weight != statement::Weight::Doubtful;
    let faults: BTreeSet<&str> = faults.iter().filter(doubtful).map(|fault| fault.what).collect();
    let of = |found: BTreeSet<&str>| found.into_iter().collect::<Vec<_>>().join(" + ");
    match (rules.is_empty(), faults.is_empty()) {
        (false, true) => Some(format!("only check: {}", of(rules))),
        (true, false) => Some(format!("only the statement: {}", of(faults))),
        _ => None,
    }
}

fn said(loss: Loss) -> String {
    let text = format!("{loss:?}");
    let classes = text.trim_start_matches("Loss { ").trim_end_matches(" }").split(", ");
    let some: Vec<&str> = classes.filter(|class| !class.ends_with(": 0")).collect();
    if some.is_empty() { "nothing".to_owned() } else { some.join(", ") }
}

/// Whether more is lost than needs be, because the result is legal under every reading then.
fn is_paid_for_certainty(search: &Search<'_>, loss: Loss, left: &[statement::Fault]) -> bool {
    let is_doubt = |fault: &&statement::Fault| fault.weight == statement::Weight::Doubtful;
    let doubts = |faults: &[statement::Fault]| faults.iter().filter(is_doubt).count();
    let before = statement::faults(search.rows, search.setting);
    if doubts(&before) <= doubts(left) {
        return false;
    }
    let certain = Search { beyond_doubt: true, ..*search };
    match certain.below(None) {
        Cheapest::Found(cost, _) => loss <= cost,
        _ => true,
    }
}

/// What is not in the order that it was in; outputs may move, and calls and thinking past what the model says in the
/// same turn.
fn disorder(dialect: Dialect, before: &[Row], after: &[Row]) -> Option<String> {
    let is_call = |row: &Row| row.what == What::Call && dialect != Dialect::Responses;
    let is_thinking = |row: &Row| row.what == What::Reasoning && dialect != Dialect::Responses;
    let is_user = |row: &Row| row.what == What::Text && row.role == Role::User;
    let others = |row: &Row| row.what != What::Result && !is_call(row) && !is_thinking(row);
    let calls = |row: &Row| is_call(row) || is_user(row);
    let thinking = |row: &Row| is_thinking(row) || is_user(row);
    for chosen in [&others as &dyn Fn(&Row) -> bool, &calls, &thinking] {
        let units = |rows: &[Row]| {
            rows.iter()
                .filter(|row| chosen(row))
                .filter_map(|row| row.unit().map(|(what, tag)| (what, tag.to_owned())))
                .collect::<Vec<_>>()
        };
        let (old, new) = (units(before), units(after));
        let mut rest = old.iter();
        for unit in new.iter().filter(|unit| old.contains(unit)) {
            if !rest.any(|other| other == unit) {
                return Some(format!("{unit:?} has moved"));
            }
        }
    }
    None
}

/// Where a repaired prefix does not stay as it was when the history goes on.
fn unstable(case: &Case, runner: &Runner, output: &Value, setting: &Setting) -> Vec<String> {
    let mut found = Vec::new();
    let dialect = case.dialect;
    let of = |items: &[Value]| {
        let mut body = case.body.clone();
        body[list_key(dialect)] = Value::Array(items.to_vec());
        body
    };
    let starts = |long: &Value, short: &Value| {
        let (long, short) = (list(dialect, long), list(dialect, short));
        long.len() >= short.len() && short.iter().zip(long).all(|(short, long)| unsigned(short) == unsigned(long))
    };
    let items = list(dialect, &case.body);
    // What cannot be repaired by itself may be when it goes on; and what ends with the model's words now is no request.
    let legal = |body: &Value| {
        let rows = rows(dialect, body);
        statement::visible(&rows, setting).is_empty() && rows.last().is_some_and(|row| !row.is_made())
    };
    if is_at_rest(dialect, items) && legal(output) {
        let next = generator::continuation(case);
        // After the user's own words comes what the model makes of them.
        let skip =
            usize::from(dialect == Dialect::Responses && items.last().is_some_and(|item| item["role"] == "user"));
        let grown = runner.fix(&of(&[items, &next[skip..]].concat()));
        if !starts(&grown, output) {
            found.push(format!("as it goes on: {grown}"));
        }
    }
    // Each place where a request was sent, and nothing that comes later belongs to what was there.
    let places = (1..items.len()).filter(|n| is_at_rest(dialect, &items[..*n]) && is_made(dialect, &items[*n]));
    let apart = |n: &usize| {
        let marks = |items: &[Value]| {
            let rows = rows(dialect, &of(items));
            rows.iter().flat_map(|row| [row.key.clone(), row.id.clone()]).flatten().collect::<Vec<_>>()
        };
        let (old, new) = (marks(&items[..*n]), marks(&items[*n..]));
        !old.iter().any(|mark| new.contains(mark))
    };
    // Without ids it cannot be said what belongs to what.
    let keyed = rows(dialect, &case.body)
        .iter()
        .all(|row| ![What::Call, What::Result].contains(&row.what) || row.key.is_some());
    let apart: Vec<usize> = places.filter(|n| keyed && apart(n)).collect();
    if let Some(n) = apart.get(apart.len() / 2) {
        let short = runner.fix(&of(&items[..*n]));
        if legal(&short) && !starts(output, &short) {
            found.push(format!("its first {n} were {short}"));
        }
    }
    found
}

/// Gemini asks for signatures in the current turn only.
fn unsigned(item: &Value) -> Value {
    let mut item = item.clone();
    for part in item["parts"].as_array_mut().into_iter().flatten() {
        part.as_object_mut().map(|part| part.remove("thoughtSignature"));
    }
    item
}

fn is_made(dialect: Dialect, item: &Value) -> bool {
    let rows = rows(dialect, &serde_json::json!({list_key(dialect): [item]}));
    rows.first().is_some_and(Row::is_made)
}

/// Whether it is the model's turn, and no call waits for its result.
fn is_at_rest(dialect: Dialect, items: &[Value]) -> bool {
    let rows = rows(dialect, &serde_json::json!({list_key(dialect): items}));
    let Some(last) = rows.last().filter(|row| !row.is_made() && row.role != Role::System) else { return false };
    // An open call of the last turn may be answered yet.
    let end = rows.iter().rposition(Row::is_made).map_or(0, |n| n + 1);
    let start =
        rows[..end].iter().rposition(|row| !row.is_made() && row.what != What::Result).map_or(0, |n| n + 1);
    let answered = |call: &Row| rows[end..].iter().any(|row| row.what == What::Result && row.key == call.key);
    last.what == What::Text || rows[start..end].iter().all(|row| row.what != What::Call || answered(row))
}

/// How often what failed, and of how many.
#[derive(Default)]
pub struct Tally {
    pub cases: BTreeMap<&'static str, [usize; 5]>,
    pub failed: BTreeMap<(&'static str, &'static str), usize>,
    pub by_damage: BTreeMap<(&'static str, String), usize>,
    pub by_kind: BTreeMap<(&'static str, String), usize>,
    pub lost: BTreeMap<&'static str, Loss>,
    pub apart: BTreeMap<String, usize>,
}

const SPARED: [(&str, usize); 3] = [("fixed is legal", 100), ("hidden", 100), ("least loss", 60)];

impl Tally {
    pub fn add(&mut self, case: &Case, outcome: &Outcome) {
        let dialect = case.dialect.name();
        let counts = self.cases.entry(dialect).or_default();
        let facts =
            [true, case.damage.is_empty(), outcome.broken, outcome.compared && outcome.broken, outcome.impossible];
        for (count, fact) in counts.iter_mut().zip(facts) {
            *count += usize::from(fact);
        }
        let lost = self.lost.entry(dialect).or_default();
        *lost = lost.plus(outcome.loss);
        if let Some(apart) = &outcome.apart {
            *self.apart.entry(format!("{dialect}: {apart}")).or_default() += 1;
        }
        for failure in &outcome.failures {
            *self.failed.entry((dialect, failure.property)).or_default() += 1;
            *self.by_kind.entry((failure.property, format!("{dialect}: {}", failure.kind))).or_default() += 1;
            let damage = if case.damage.is_empty() { "none".to_owned() } else { case.damage.join(" + ") };
            *self.by_damage.entry((failure.property, format!("{dialect}: {damage}"))).or_default() += 1;
        }
    }

    pub fn merge(&mut self, other: Tally) {
        for (dialect, counts) in other.cases {
            let own = self.cases.entry(dialect).or_default();
            own.iter_mut().zip(counts).for_each(|(own, count)| *own += count);
        }
        for (key, count) in other.failed {
            *self.failed.entry(key).or_default() += count;
        }
        for (key, count) in other.by_damage {
            *self.by_damage.entry(key).or_default() += count;
        }
        for (key, count) in other.by_kind {
            *self.by_kind.entry(key).or_default() += count;
        }
        for (apart, count) in other.apart {
            *self.apart.entry(apart).or_default() += count;
        }
        for (dialect, loss) in other.lost {
            let own = self.lost.entry(dialect).or_default();
            *own = own.plus(loss);
        }
    }

    /// A table: a row a dialect, a column a property.
    /// Whether nothing fails but, of a few properties, one broken history in so many: what several faults at once leave, of
    /// which no rule knows, or that the search reaches by no act. The figures say how many.
    pub fn is_good(&self) -> bool {
        self.failed.iter().all(|((dialect, property), count)| {
            let broken = self.cases.get(dialect).map_or(0, |counts| counts[2]);
            let spared = SPARED.iter().find(|(spared, _)| spared == property);
            spared.is_some_and(|(_, one_of)| count * one_of <= broken)
        })
    }

    pub fn table(&self) -> String {
        let mut out = String::from("dialect    | cases legal broken compared hopeless |");
        out.extend(PROPERTIES.iter().map(|property| format!(" {property} |")));
        for (dialect, counts) in &self.cases {
            out.push_str(&format!("\n{dialect:10} |"));
            for (count, width) in counts.iter().zip([6, 5, 6, 8, 8]) {
                out.push_str(&format!("{count:width$} ", width = width));
            }
            out.push('|');
            for property in PROPERTIES {
                let count = self.failed.get(&(dialect, property)).copied().unwrap_or(0);
                out.push_str(&format!("{count:width$} |", width = property.len() + 1));
            }
        }
        for (dialect, lost) in &self.lost {
            out.push_str(&format!("\n{dialect}: lost {}", said(*lost)));
        }
        out
    }

    /// What is left, and what is lost that need not be.
    pub fn kinds(&self) -> String {
        let kinds = self.by_kind.iter().filter(|((_, kind), _)| !kind.ends_with(": "));
        kinds.map(|((property, kind), count)| format!("\n{property:15} {count:5}  {kind}")).collect()
    }

    /// Of how many histories only one of `check` and the statement says that something is wrong, and what.
    pub fn apart(&self) -> String {
        self.apart.iter().map(|(apart, count)| format!("\n{count:5}  {apart}")).collect()
    }

    /// The kinds of damage after which a property fails most often, each kind counted by itself.
    pub fn damage(&self, most: usize) -> String {
        let mut out = String::new();
        for property in PROPERTIES {
            let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
            for ((_, damage), count) in self.by_damage.iter().filter(|((of, _), _)| *of == property) {
                let (dialect, kinds_of) = damage.split_once(": ").expect("a dialect");
                for kind in kinds_of.split(" + ") {
                    *kinds.entry(format!("{dialect}: {kind}")).or_default() += count;
                }
            }
            let mut kinds: Vec<(String, usize)> = kinds.into_iter().collect();
            kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), kind.clone()));
            for (kind, count) in kinds.iter().take(most) {
                out.push_str(&format!("\n{property:15} {count:5}  {kind}"));
            }
        }
        out
    }
}
