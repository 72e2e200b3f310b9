//! RL591: a document has a name that the API does not take.

use crate::dialect::Item;
use crate::dialects::bedrock::{Mend, document};
use crate::history::{Code, Finding, Flags, Kind, KindSet};
use crate::json::Val;
use crate::rule::{Check, Evidence, Out, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a document, also in a tool result, whose name has characters other than letters, digits, single
    /// spaces, `_`, `-`, and round and square brackets, or more than 200 of them.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and
    /// > square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name
    /// > conforms to these restrictions and retry your request.
    ///
    /// It happens when the name of a file is taken as it is: the dot of its ending is rejected already.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Read this"},
    ///   {"document":{"name":"report.pdf","format":"pdf","source":{"bytes":"JVBERi0="}}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Runs of other characters become a single space; a name of which nothing is left becomes `document`.
    ///
    /// ## Evidence
    ///
    /// Reported: simonw/llm-bedrock#8, vercel/ai#20365 and PR#20366 (which found that underscores are taken),
    /// anomalyco/opencode#19964, strands-agents/harness-sdk#3019. All names in recorded accepted requests fit.
    591, "bedrock-document-name", Check::Item(KindSet::of(&[Kind::Media, Kind::ToolResult]), check),
    [
        Variant {
            message: "the document name has characters that are not allowed, or is too long",
            api: Some("The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name conforms to these restrictions and retry your request."),
            answer: Answer::AWS,
            evidence: Evidence::Reported,
            fix: "remove the characters that are not allowed",
            ..Variant::BASE
        },
    ]
}

fn check(item: &Item<'_>, out: &mut Out) {
    let refused = |document: Val<'_>| {
        document.get("name").and_then(|name| name.text()).is_some_and(|name| !Mend::allows_name(&name))
    };
    let mut documents = document(item.val).into_iter().chain(Mend::inner_documents(item.val));
    if !item.row.has(Flags::RECORDED) && documents.any(refused) {
        out.add(Finding::new(Code(591), item.row).act(Mend::DocumentName.act()));
    }
}
