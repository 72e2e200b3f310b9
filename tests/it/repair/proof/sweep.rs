//! Runs the program over generated histories, and checks each repair against the properties.

use std::collections::{BTreeMap, BTreeSet};

use replaylint::{Dialect, Options};
use serde_json::Value;

use super::generator::{self, ProofCase};
use super::loss::{self, RepairLoss};
use super::rows::{ProofRow, RowKind, RowRole, list, list_key, read_rows};
use super::search::{Search, SearchResult};
use super::statement::{self, LegalityContext};

/// Names of the properties that every repair must have, as the tables print them.
pub const PROPERTIES: [&str; 8] =
    ["agrees", "fixed is legal", "legal is kept", "hidden", "second run", "order", "least loss", "prefix"];

/// A property that a repair violates.
pub struct PropertyFailure {
    pub property: &'static str,
    /// Groups failures of one cause; may be empty.
    pub kind: String,
    pub why: String,
}

/// The result of repairing one case.
pub struct CaseOutcome {
    /// True if the history has a fault that is to be repaired.
    pub is_broken: bool,
    /// True if the cheapest repair is known, and was compared.
    pub is_compared: bool,
    /// True if no repair that is on by default makes the history legal.
    pub is_impossible: bool,
    /// Faults that only one of `check` and the statement finds.
    pub disagreement: Option<String>,
    pub loss: RepairLoss,
    pub output: Value,
    pub failures: Vec<PropertyFailure>,
}

/// The program with the options for one case.
pub struct Runner {
    options: Options,
}

impl Runner {
    pub fn new(case: &ProofCase) -> Self {
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

/// The errors that `check` reports, as `rule: message`.
pub fn errors(case: &ProofCase, body: &Value) -> Vec<String> {
    let text = serde_json::to_vec(body).expect("JSON");
    let report = replaylint::check(&text, &Runner::new(case).options).expect("a history of the target");
    let errors = report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == "error");
    errors.map(|diagnostic| format!("{}: {}", diagnostic.rule, diagnostic.message)).collect()
}

/// Repairs a case and checks all properties.
pub fn run(case: &ProofCase) -> CaseOutcome {
    let runner = Runner::new(case);
    let context = LegalityContext::of(case);
    let mut failures = Vec::new();
    let mut fail = |property: &'static str, kind: &str, why: String| {
        failures.push(PropertyFailure { property, kind: kind.to_owned(), why });
    };
    let before = read_rows(case.dialect, &case.body);
    let faults = statement::faults(&before, &context);
    let is_broken = faults.iter().any(statement::LegalityFault::is_certain);
    let output = runner.fix(&case.body);
    let after = read_rows(case.dialect, &output);

    let errors = errors(case, &case.body);
    if case.damage.is_empty() {
        let hidden = statement::hidden_faults(&before, &case.links);
        if !errors.is_empty() || !faults.is_empty() || !hidden.is_empty() {
            fail("agrees", "", format!("check: {errors:?}, statement: {faults:?}, hidden: {hidden:?}"));
        }
    }
    let left = statement::faults(&after, &context);
    let visible: Vec<&str> = left.iter().filter(|fault| fault.is_certain()).map(|fault| fault.kind).collect();
    // The search tries cheap acts first, so it can stop at the cost of the program's repair.
    let loss = loss::between(&before, &after);
    let search = Search { rows: &before, context: &context, links: &case.links, is_strict: false };
    let cheapest = match is_broken {
        true => search.find_below(visible.is_empty().then_some(loss)),
        false => SearchResult::Found(RepairLoss::NONE, Vec::new()),
    };
    if !visible.is_empty() && matches!(cheapest, SearchResult::Found(..)) {
        let kinds: BTreeSet<&str> = visible.iter().copied().collect();
        let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
        fail("fixed is legal", &kinds, format!("{visible:?}; {cheapest:?} would do"));
    }
    if faults.is_empty() && output != case.body {
        fail("legal is kept", "", String::new());
    }
    let new = statement::new_hidden_faults(&before, &after, &case.links, &context);
    if !new.is_empty() {
        fail("hidden", "", format!("{new:?}"));
    }
    let again = runner.fix(&output);
    if again != output {
        fail("second run", "", again.to_string());
    }
    if let Some(why) = find_disorder(case.dialect, &before, &after) {
        fail("order", "", why);
    }
    if let SearchResult::Found(cost, acts) = &cheapest
        && visible.is_empty()
        && *cost < loss
        && !is_paid_for_certainty(&search, loss, &left)
    {
        fail(
            "least loss",
            loss.worst_against(*cost),
            format!("{} instead of {} by {acts:?}", format_loss(loss), format_loss(*cost)),
        );
    }
    for why in unstable_prefixes(case, &runner, &output, &context) {
        fail("prefix", "", why);
    }
    CaseOutcome {
        is_broken,
        is_compared: visible.is_empty() && matches!(cheapest, SearchResult::Found(..)),
        is_impossible: matches!(cheapest, SearchResult::Impossible),
        disagreement: find_disagreement(&errors, &faults),
        loss,
        output,
        failures,
    }
}

fn find_disagreement(errors: &[String], faults: &[statement::LegalityFault]) -> Option<String> {
    let rules: BTreeSet<&str> = errors.iter().filter_map(|error| Some(error.split_once(':')?.0)).collect();
    let doubtful = |fault: &&statement::LegalityFault| fault.certainty != statement::FaultCertainty::Doubtful;
    let faults: BTreeSet<&str> = faults.iter().filter(doubtful).map(|fault| fault.kind).collect();
    let of = |found: BTreeSet<&str>| found.into_iter().collect::<Vec<_>>().join(" + ");
    match (rules.is_empty(), faults.is_empty()) {
        (false, true) => Some(format!("only check: {}", of(rules))),
        (true, false) => Some(format!("only the statement: {}", of(faults))),
        _ => None,
    }
}

fn format_loss(loss: RepairLoss) -> String {
    let text = format!("{loss:?}");
    let classes = text.trim_start_matches("RepairLoss { ").trim_end_matches(" }").split(", ");
    let some: Vec<&str> = classes.filter(|class| !class.ends_with(": 0")).collect();
    if some.is_empty() { "nothing".to_owned() } else { some.join(", ") }
}

/// True if the extra loss buys a result without any doubtful fault.
fn is_paid_for_certainty(search: &Search<'_>, loss: RepairLoss, left: &[statement::LegalityFault]) -> bool {
    let is_doubt = |fault: &&statement::LegalityFault| fault.certainty == statement::FaultCertainty::Doubtful;
    let doubts = |faults: &[statement::LegalityFault]| faults.iter().filter(is_doubt).count();
    let before = statement::faults(search.rows, search.context);
    if doubts(&before) <= doubts(left) {
        return false;
    }
    let certain = Search { is_strict: true, ..*search };
    match certain.find_below(None) {
        SearchResult::Found(cost, _) => loss <= cost,
        _ => true,
    }
}

/// The first row that changed its order. Outputs may move, and calls and thinking may move past the model's text of the
/// same turn.
fn find_disorder(dialect: Dialect, before: &[ProofRow], after: &[ProofRow]) -> Option<String> {
    let is_call = |row: &ProofRow| row.kind == RowKind::Call && dialect != Dialect::Responses;
    let is_thinking = |row: &ProofRow| row.kind == RowKind::Reasoning && dialect != Dialect::Responses;
    let is_user = |row: &ProofRow| row.kind == RowKind::Text && row.role == RowRole::User;
    let others = |row: &ProofRow| row.kind != RowKind::Result && !is_call(row) && !is_thinking(row);
    let calls = |row: &ProofRow| is_call(row) || is_user(row);
    let thinking = |row: &ProofRow| is_thinking(row) || is_user(row);
    for chosen in [&others as &dyn Fn(&ProofRow) -> bool, &calls, &thinking] {
        let identities = |rows: &[ProofRow]| {
            rows.iter()
                .filter(|row| chosen(row))
                .filter_map(|row| row.identity().map(|(kind, tag)| (kind, tag.to_owned())))
                .collect::<Vec<_>>()
        };
        let (old, new) = (identities(before), identities(after));
        let mut rest = old.iter();
        for identity in new.iter().filter(|identity| old.contains(identity)) {
            if !rest.any(|other| other == identity) {
                return Some(format!("{identity:?} has moved"));
            }
        }
    }
    None
}

/// Descriptions of repaired prefixes that change when the history continues.
fn unstable_prefixes(case: &ProofCase, runner: &Runner, output: &Value, context: &LegalityContext) -> Vec<String> {
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
    // A prefix that cannot be repaired alone may be repairable when it continues; one that ends with the model's words is
    // no request.
    let legal = |body: &Value| {
        let rows = read_rows(dialect, body);
        statement::certain_faults(&rows, context).is_empty() && rows.last().is_some_and(|row| !row.is_from_model())
    };
    if is_at_rest(dialect, items) && legal(output) {
        let next = generator::continuation(case);
        // After the user's message comes the model's answer.
        let skip =
            usize::from(dialect == Dialect::Responses && items.last().is_some_and(|item| item["role"] == "user"));
        let longer = runner.fix(&of(&[items, &next[skip..]].concat()));
        if !starts(&longer, output) {
            found.push(format!("when it continues: {longer}"));
        }
    }
    // Places where a request was sent, and no later row belongs to an earlier one.
    let places =
        (1..items.len()).filter(|n| is_at_rest(dialect, &items[..*n]) && is_from_model(dialect, &items[*n]));
    let is_apart = |n: &usize| {
        let marks = |items: &[Value]| {
            let rows = read_rows(dialect, &of(items));
            rows.iter().flat_map(|row| [row.key.clone(), row.id.clone()]).flatten().collect::<Vec<_>>()
        };
        let (old, new) = (marks(&items[..*n]), marks(&items[*n..]));
        !old.iter().any(|mark| new.contains(mark))
    };
    // Without ids the pairing of calls and results is unknown.
    let keyed = read_rows(dialect, &case.body)
        .iter()
        .all(|row| ![RowKind::Call, RowKind::Result].contains(&row.kind) || row.key.is_some());
    let apart: Vec<usize> = places.filter(|n| keyed && is_apart(n)).collect();
    if let Some(n) = apart.get(apart.len() / 2) {
        let short = runner.fix(&of(&items[..*n]));
        if legal(&short) && !starts(output, &short) {
            found.push(format!("its first {n} were {short}"));
        }
    }
    found
}

/// An item without its thought signatures: Gemini requires them in the current turn only.
fn unsigned(item: &Value) -> Value {
    let mut item = item.clone();
    for part in item["parts"].as_array_mut().into_iter().flatten() {
        part.as_object_mut().map(|part| part.remove("thoughtSignature"));
    }
    item
}

fn is_from_model(dialect: Dialect, item: &Value) -> bool {
    let rows = read_rows(dialect, &serde_json::json!({list_key(dialect): [item]}));
    rows.first().is_some_and(ProofRow::is_from_model)
}

/// True if it is the model's turn and no call is pending.
fn is_at_rest(dialect: Dialect, items: &[Value]) -> bool {
    let rows = read_rows(dialect, &serde_json::json!({list_key(dialect): items}));
    let Some(last) = rows.last().filter(|row| !row.is_from_model() && row.role != RowRole::System) else {
        return false;
    };
    // An open call of the last turn may still be answered.
    let end = rows.iter().rposition(ProofRow::is_from_model).map_or(0, |n| n + 1);
    let start = rows[..end]
        .iter()
        .rposition(|row| !row.is_from_model() && row.kind != RowKind::Result)
        .map_or(0, |n| n + 1);
    let answered =
        |call: &ProofRow| rows[end..].iter().any(|row| row.kind == RowKind::Result && row.key == call.key);
    last.kind == RowKind::Text || rows[start..end].iter().all(|row| row.kind != RowKind::Call || answered(row))
}

/// Counts of cases, failures and losses of many runs.
#[derive(Default)]
pub struct Tally {
    pub cases: BTreeMap<&'static str, [usize; 5]>,
    pub failed: BTreeMap<(&'static str, &'static str), usize>,
    pub by_damage: BTreeMap<(&'static str, String), usize>,
    pub by_kind: BTreeMap<(&'static str, String), usize>,
    pub lost: BTreeMap<&'static str, RepairLoss>,
    pub disagreements: BTreeMap<String, usize>,
}

/// Properties that may fail, each for one broken history in this many.
const TOLERATED: [(&str, usize); 3] = [("fixed is legal", 100), ("hidden", 100), ("least loss", 60)];

impl Tally {
    pub fn add(&mut self, case: &ProofCase, outcome: &CaseOutcome) {
        let dialect = case.dialect.name();
        let counts = self.cases.entry(dialect).or_default();
        let facts = [
            true,
            case.damage.is_empty(),
            outcome.is_broken,
            outcome.is_compared && outcome.is_broken,
            outcome.is_impossible,
        ];
        for (count, fact) in counts.iter_mut().zip(facts) {
            *count += usize::from(fact);
        }
        let lost = self.lost.entry(dialect).or_default();
        *lost = lost.plus(outcome.loss);
        if let Some(disagreement) = &outcome.disagreement {
            *self.disagreements.entry(format!("{dialect}: {disagreement}")).or_default() += 1;
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
        for (disagreement, count) in other.disagreements {
            *self.disagreements.entry(disagreement).or_default() += count;
        }
        for (dialect, loss) in other.lost {
            let own = self.lost.entry(dialect).or_default();
            *own = own.plus(loss);
        }
    }

    /// True if no property fails more often than `TOLERATED` allows: some combinations of faults are known to no rule, or
    /// reached by no act of the search.
    pub fn is_good(&self) -> bool {
        self.failed.iter().all(|((dialect, property), count)| {
            let broken = self.cases.get(dialect).map_or(0, |counts| counts[2]);
            let tolerated = TOLERATED.iter().find(|(tolerated, _)| tolerated == property);
            tolerated.is_some_and(|(_, one_of)| count * one_of <= broken)
        })
    }

    /// A table with a row per dialect and a column per property.
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
            out.push_str(&format!("\n{dialect}: lost {}", format_loss(*lost)));
        }
        out
    }

    /// Kinds of remaining faults and of avoidable losses, with counts.
    pub fn kinds(&self) -> String {
        let kinds = self.by_kind.iter().filter(|((_, kind), _)| !kind.ends_with(": "));
        kinds.map(|((property, kind), count)| format!("\n{property:15} {count:5}  {kind}")).collect()
    }

    /// Numbers of histories in which only one of `check` and the statement finds a fault, by fault.
    pub fn disagreements(&self) -> String {
        self.disagreements.iter().map(|(disagreement, count)| format!("\n{count:5}  {disagreement}")).collect()
    }

    /// The kinds of damage after which a property fails most often; each kind is counted separately.
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
