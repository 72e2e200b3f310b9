//! RL595: two documents have one name.

use foldhash::HashMap;

use crate::history::{Finding, Flags, Kind, RepairAct, Row};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds documents with the same name among the messages. Documents inside tool results are not checked.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Messages can't contain duplicate document names. Rename the document and retry your request.
    ///
    /// It happens when a file is attached again in a later turn, and when a client gives all documents the same name.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Compare"},
    ///   {"document":{"name":"Report","format":"pdf","source":{"bytes":"JVBERi0="}}},
    ///   {"document":{"name":"Report","format":"pdf","source":{"bytes":"JVBERi1="}}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The later document gets another name, derived from its own. Its content is not changed.
    ///
    /// ## Evidence
    ///
    /// Reported: maximhq/bifrost#7003, BerriAI/litellm#29418, ag-ui-protocol/ag-ui#2425, aws-samples/generative-ai-use-cases
    /// #1685. All names in recorded accepted requests differ.
    BEDROCK_DUPLICATE_DOCUMENT, "bedrock-duplicate-document" of "bedrock", Check::History(check),
    [
        Variant {
            message: "duplicate document name",
            related: "the other document",
            api: Some("Messages can't contain duplicate document names. Rename the document and retry your request."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "rename the later document",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let mut seen: HashMap<u64, &Row> = HashMap::default();
    // Only documents have a key: their names.
    let documents = cx.history.rows.iter().filter(|row| row.kind == Kind::Media && row.key != 0);
    for row in documents.filter(|row| !row.has(Flags::RECORDED)) {
        match seen.get(&row.key) {
            None => drop(seen.insert(row.key, row)),
            Some(first) => out.add(Finding::new(RULE.code, *row).with_partner(first.at).act(RepairAct::Rekey)),
        }
    }
}
