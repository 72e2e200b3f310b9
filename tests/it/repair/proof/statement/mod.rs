//! What is legal, said a second time: from the catalogue of what providers reject, over rows, sharing nothing with the
//! program. `visible` is what can be seen in a history alone, and is known well enough to be repaired by default;
//! `doubtful` is what may be rejected; `hidden` is what only the server sees, and the generator.

mod messages;
mod responses;

use std::collections::BTreeSet;

use replaylint::Dialect;

use super::generator::{Case, Truth};
use super::rows::Row;

/// What is wrong, and the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub what: &'static str,
    pub row: usize,
    pub weight: Weight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Rejected, and repaired by default.
    Certain,
    /// Rejected, but what the model saw is not known, and nothing is guessed.
    Unguessed,
    /// A server may take it.
    Doubtful,
}

impl Fault {
    pub fn is_certain(&self) -> bool {
        self.weight == Weight::Certain
    }
}

/// What a request says besides its history.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub dialect: Dialect,
    /// Whether the server keeps items.
    pub stored: bool,
    /// Whether the model takes a history that ends with its own words.
    pub takes_prefill: bool,
    /// Whether the model takes a history that begins with the model's words.
    pub takes_model_first: bool,
    /// Whether every call must be answered by as many responses, and the first of a step be signed.
    pub strict_gemini: bool,
}

impl Setting {
    pub fn of(case: &Case) -> Self {
        let model = case.model.or(case.body["model"].as_str()).unwrap_or_default();
        Setting {
            dialect: case.dialect,
            stored: case.body["store"] != false,
            takes_prefill: model != "claude-sonnet-5",
            takes_model_first: !model.contains("nova"),
            strict_gemini: model.starts_with("gemini-3"),
        }
    }
}

pub fn faults(rows: &[Row], setting: &Setting) -> Vec<Fault> {
    let mut found = Faults(Vec::new());
    match setting.dialect {
        Dialect::Responses => responses::judge(rows, setting, &mut found),
        Dialect::Chat => messages::chat(rows, &mut found),
        Dialect::Anthropic => messages::anthropic(rows, setting, &mut found),
        Dialect::Gemini => messages::gemini(rows, setting, &mut found),
        Dialect::Bedrock => messages::bedrock(rows, setting, &mut found),
    }
    found.0
}

/// The faults that no server is known to take.
pub fn visible(rows: &[Row], setting: &Setting) -> Vec<Fault> {
    faults(rows, setting).into_iter().filter(Fault::is_certain).collect()
}

/// The kinds of the other faults, and what the row says.
pub fn doubtful(rows: &[Row], faults: &[Fault]) -> BTreeSet<(&'static str, String)> {
    let doubts = faults.iter().filter(|fault| !fault.is_certain());
    doubts
        .map(|fault| (fault.what, rows.get(fault.row).map_or(String::new(), |row| row.tag.to_string())))
        .collect()
}

/// The ids of the items that a server rejects because of what it linked them to.
pub fn hidden(rows: &[Row], truth: &Truth) -> BTreeSet<String> {
    responses::hidden(rows, truth)
}

/// The ids of the items that a repair makes illegal in what only the server sees. What could be seen to be broken must
/// be repaired, or be seen still: it is no repair to take away what shows it, nor to take the id of reasoning alone.
pub fn worse(before: &[Row], after: &[Row], truth: &Truth, setting: &Setting) -> BTreeSet<String> {
    let is = hidden(after, truth);
    if is.is_empty() {
        return is;
    }
    let (seen, still) = (seen(before, setting), seen(after, setting));
    let was = hidden(before, truth);
    let row_of = |rows: &'_ [Row], id: &str| rows.iter().position(|row| row.id.as_deref() == Some(id));
    let needs_id = |id: &str| row_of(after, id).is_some_and(|n| responses::needs_id(&after[n]));
    // Where nothing is stored only some models look, and what cannot be sent without its id has no other way.
    let is_new = |id: &String| !was.contains(id) && (setting.stored || !needs_id(id) || seen.contains(id));
    let is_left_alone = |id: &String| {
        let gone = |reasoning: &String| row_of(before, reasoning).is_some() && row_of(after, reasoning).is_none();
        truth.reasoning_of.get(id).is_some_and(gone) && !needs_id(id)
    };
    let is_worse = |id: &String| is_new(id) || is_left_alone(id) || seen.contains(id) && !still.contains(id);
    is.into_iter().filter(is_worse).collect()
}

/// The ids of the items whose broken links can be seen.
fn seen(rows: &[Row], setting: &Setting) -> BTreeSet<String> {
    let faults = faults(rows, setting);
    let links = faults.iter().filter(|fault| responses::LINKS.contains(&fault.what));
    links.filter_map(|fault| rows.get(fault.row)?.id.as_deref().map(str::to_owned)).collect()
}

/// Collects.
pub struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, what: &'static str, row: usize) {
        self.0.push(Fault { what, row, weight: Weight::Certain });
    }

    /// A second result: a copy of the first, or one that differs.
    fn second(&mut self, what: &'static str, row: usize, is_copy: bool) {
        let weight = if is_copy { Weight::Certain } else { Weight::Unguessed };
        self.0.push(Fault { what, row, weight });
    }

    fn doubt(&mut self, what: &'static str, row: usize) {
        self.0.push(Fault { what, row, weight: Weight::Doubtful });
    }
}
