//! RL591: a document has a name that the API does not accept.

use crate::dialect::Item;
use crate::dialects::bedrock::document;
use crate::history::{Finding, Flags, Kind, KindSet};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit};
use crate::json::{Val, name, string};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Variant};
use crate::target::ErrorDetails;

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
    /// It happens when a file name is used as it is: even the dot of its extension is rejected.
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
    /// Runs of other characters become a single space; an empty result becomes `document`.
    ///
    /// ## Evidence
    ///
    /// Reported: simonw/llm-bedrock#8, vercel/ai#20365 and PR#20366 (which found that underscores are accepted),
    /// anomalyco/opencode#19964, strands-agents/harness-sdk#3019. All names in recorded accepted requests fit.
    BEDROCK_DOCUMENT_NAME, "bedrock-document-name" of "bedrock" tags [Field], Check::Item(KindSet::of(&[Kind::Media, Kind::ToolResult]), check),
    [
        Variant {
            message: "the document name has characters that are not allowed, or is too long",
            api: Some("The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name conforms to these restrictions and retry your request."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "remove the characters that are not allowed",
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::by(rename);

/// A document's name may be this many characters long (AWS API reference, DocumentBlock).
const LIMIT: usize = 200;

/// Length to which a longer one is truncated, so that a number can be appended to make it unique.
const CUT: usize = LIMIT - 10;

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let refused = |document: Val<'_>| {
        document.get(name::name).and_then(|name| name.text()).is_some_and(|name| !allows_name(&name))
    };
    let mut documents = document(item.val).into_iter().chain(inner_documents(item.val));
    if !item.row.has(Flags::RECORDED) && documents.any(refused) {
        out.add(Finding::new(RULE.code, item.row).edit_value(&MEND));
    }
}

/// True if the API accepts this document name. The underscore is not documented, but accepted in live probes.
fn allows_name(name: &[u8]) -> bool {
    let allowed = |b: &u8| b.is_ascii_alphanumeric() || b"_ -()[]".contains(b);
    !name.is_empty()
        && name.len() <= LIMIT
        && name.iter().all(allowed)
        && !name.windows(2).any(|pair| pair == b"  ")
}

/// The documents in a tool's result.
fn inner_documents<'t>(block: Val<'t>) -> impl Iterator<Item = Val<'t>> {
    let content = block.at(&["toolResult", "content"]).filter(Val::is_array);
    content.into_iter().flat_map(|content| content.elements()).filter_map(|part| part.get(name::document))
}

/// Removes the characters that are not allowed from the name of a document, or of all documents in a result.
fn rename(block: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    for document in block.get(name::document).into_iter().chain(inner_documents(block)) {
        let name = document.get(name::name).ok_or(EditRefusal("the document has no name"))?;
        let text = name.text().ok_or(EditRefusal("the name is not a text"))?;
        if !allows_name(&text) {
            out.push(Edit::replace(base.of(name), string::quoted(&allowed_name(&text))));
        }
    }
    Ok(())
}

fn allowed_name(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let mut out = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() || "_-()[]".contains(c) { c } else { ' ' };
        if out.len() < CUT && !(c == ' ' && (out.is_empty() || out.ends_with(' '))) {
            out.push(c);
        }
    }
    let out = out.trim_end();
    if out.is_empty() { "document".to_owned() } else { out.to_owned() }
}
