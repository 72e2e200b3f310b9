//! A second statement of what is legal, from the catalogue of what providers reject, over rows, sharing nothing with the
//! program. Certain faults are visible in a history alone, and repaired by default; doubtful ones may be rejected; hidden
//! ones are seen only by the server, and by the generator.

mod messages;
mod responses;

use std::collections::BTreeSet;

use replaylint::Dialect;

use super::generator::{ProofCase, ServerLinks};
use super::rows::ProofRow;

/// A fault of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegalityFault {
    /// A description, the same for all faults of a kind.
    pub kind: &'static str,
    /// Index of the row.
    pub row: usize,
    pub certainty: FaultCertainty,
}

/// The certainty that a server rejects a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultCertainty {
    /// Rejected, and repaired by default.
    Certain,
    /// Rejected, but a repair would have to guess what the model saw.
    Unguessed,
    /// Some servers may accept it.
    Doubtful,
}

impl LegalityFault {
    pub fn is_certain(&self) -> bool {
        self.certainty == FaultCertainty::Certain
    }
}

/// The settings of a request that decide what is legal in its history.
#[derive(Clone, Copy, Debug)]
pub struct LegalityContext {
    pub dialect: Dialect,
    /// True if the server stores items.
    pub is_stored: bool,
    /// True if the model accepts a history that ends with its own words.
    pub accepts_prefill: bool,
    /// True if the model accepts a history that begins with its own words.
    pub accepts_model_first: bool,
    /// True if every call needs a response, and the first call of a step a signature.
    pub strict_gemini: bool,
}

impl LegalityContext {
    pub fn of(case: &ProofCase) -> Self {
        let model = case.model.or(case.body["model"].as_str()).unwrap_or_default();
        LegalityContext {
            dialect: case.dialect,
            is_stored: case.body["store"] != false,
            accepts_prefill: model != "claude-sonnet-5",
            accepts_model_first: !model.contains("nova"),
            strict_gemini: model.starts_with("gemini-3"),
        }
    }
}

/// All faults of a history.
pub fn faults(rows: &[ProofRow], context: &LegalityContext) -> Vec<LegalityFault> {
    let mut found = FaultList(Vec::new());
    match context.dialect {
        Dialect::Responses => responses::judge(rows, context, &mut found),
        Dialect::Chat => messages::judge_chat(rows, &mut found),
        Dialect::Anthropic => messages::judge_anthropic(rows, context, &mut found),
        Dialect::Gemini => messages::judge_gemini(rows, context, &mut found),
        Dialect::Bedrock => messages::judge_bedrock(rows, context, &mut found),
    }
    found.0
}

/// The faults that every server rejects, and `fix` repairs by default.
pub fn certain_faults(rows: &[ProofRow], context: &LegalityContext) -> Vec<LegalityFault> {
    faults(rows, context).into_iter().filter(LegalityFault::is_certain).collect()
}

/// The kinds of the other faults, and the contents of their rows.
pub fn other_faults(rows: &[ProofRow], faults: &[LegalityFault]) -> BTreeSet<(&'static str, String)> {
    let doubts = faults.iter().filter(|fault| !fault.is_certain());
    doubts
        .map(|fault| (fault.kind, rows.get(fault.row).map_or(String::new(), |row| row.tag.to_string())))
        .collect()
}

/// The ids of the items that a server rejects because of its links.
pub fn hidden_faults(rows: &[ProofRow], links: &ServerLinks) -> BTreeSet<String> {
    responses::hidden_faults(rows, links)
}

/// The ids of the items whose links a repair breaks. A visibly broken link must be repaired or stay visible: it is no
/// repair to remove what shows it, nor to remove the id of reasoning alone.
pub fn new_hidden_faults(
    before: &[ProofRow],
    after: &[ProofRow],
    links: &ServerLinks,
    context: &LegalityContext,
) -> BTreeSet<String> {
    let is = hidden_faults(after, links);
    if is.is_empty() {
        return is;
    }
    let (seen, still) = (visible_broken_links(before, context), visible_broken_links(after, context));
    let was = hidden_faults(before, links);
    let row_of = |rows: &'_ [ProofRow], id: &str| rows.iter().position(|row| row.id.as_deref() == Some(id));
    let needs_id = |id: &str| row_of(after, id).is_some_and(|n| responses::needs_id(&after[n]));
    // Where nothing is stored only some models check links, and items that need their ids must keep them.
    let is_new = |id: &String| !was.contains(id) && (context.is_stored || !needs_id(id) || seen.contains(id));
    let is_left_alone = |id: &String| {
        let gone = |reasoning: &String| row_of(before, reasoning).is_some() && row_of(after, reasoning).is_none();
        links.reasoning_of.get(id).is_some_and(gone) && !needs_id(id)
    };
    let is_worse = |id: &String| is_new(id) || is_left_alone(id) || seen.contains(id) && !still.contains(id);
    is.into_iter().filter(is_worse).collect()
}

/// The ids of the items with visibly broken links.
fn visible_broken_links(rows: &[ProofRow], context: &LegalityContext) -> BTreeSet<String> {
    let faults = faults(rows, context);
    let links = faults.iter().filter(|fault| responses::LINKS.contains(&fault.kind));
    links.filter_map(|fault| rows.get(fault.row)?.id.as_deref().map(str::to_owned)).collect()
}

/// The faults that were found so far.
pub struct FaultList(Vec<LegalityFault>);

impl FaultList {
    fn add(&mut self, kind: &'static str, row: usize) {
        self.0.push(LegalityFault { kind, row, certainty: FaultCertainty::Certain });
    }

    /// A second result: a copy of the first, or one that differs.
    fn add_duplicate(&mut self, kind: &'static str, row: usize, is_copy: bool) {
        let certainty = if is_copy { FaultCertainty::Certain } else { FaultCertainty::Unguessed };
        self.0.push(LegalityFault { kind, row, certainty });
    }

    fn add_doubtful(&mut self, kind: &'static str, row: usize) {
        self.0.push(LegalityFault { kind, row, certainty: FaultCertainty::Doubtful });
    }
}
