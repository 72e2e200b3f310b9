//! The outline of a file: the turns of its conversations, as `tree` shows them.

use lsp_types::{DocumentSymbol, SymbolKind};

use crate::commands::Run;
use crate::options::UsageError;
use crate::rebuild::{ChainOptions, Conversation, Turn, turns};
use crate::report::tree::{TurnView, view};
use crate::source::segments;

use super::document::{Document, failed, open};

/// The turns of a file, in their order in it.
///
/// # Errors
///
/// As [`open`].
pub fn outline(run: &Run, document: &Document) -> Result<Vec<DocumentSymbol>, UsageError> {
    let Some(opened) = open(run, document)? else { return Ok(Vec::new()) };
    let read = Conversation::read([opened.doc], |label| run.lints.options_for(label)).map_err(failed)?;
    let mut symbols = Vec::new();
    for conversation in &read {
        // The editor shows the text anyway. What the server stores is not asked for.
        let shown = view(conversation, &ChainOptions::default(), true);
        let found = turns(&conversation.forest);
        symbols.extend(found.iter().zip(&shown.turns).filter_map(|(turn, view)| {
            let span = span_of(conversation, turn, document)?;
            Some(symbol(document, span, view))
        }));
    }
    symbols.sort_by_key(|symbol| (symbol.range.start, symbol.range.end));
    Ok(symbols)
}

/// From the first to the last byte of a turn in the file; `None` if it is in another one.
fn span_of(conversation: &Conversation, turn: &Turn, document: &Document) -> Option<(u64, u64)> {
    let label = document.label();
    let mut span: Option<(u64, u64)> = None;
    for node in &turn.nodes {
        let forest = &conversation.forest;
        for at in forest.rows_of(*node).iter().map(|row| row.at).chain([forest.node(*node).entry.at]) {
            let Some(part) = conversation.doc(at.doc) else { continue };
            // A text that was put together from several records is where these are.
            let at = part.doc.bytes.origin(at);
            let file = segments::segment_at(&part.doc.segments, at.start);
            if at.len == 0 || file.is_some_and(|file| file.label != label) {
                continue;
            }
            let start = at.start - file.map_or(0, |file| file.start);
            let end = start + u64::from(at.len);
            span = Some(span.map_or((start, end), |(first, last)| (first.min(start), last.max(end))));
        }
    }
    span.filter(|(start, _)| *start < document.text.len() as u64)
}

#[expect(deprecated, reason = "the type of the protocol has the member")]
fn symbol(document: &Document, span: (u64, u64), turn: &TurnView) -> DocumentSymbol {
    let range = document.lines.range(&document.text, span);
    let says = turn.says.as_deref().map(str::trim).filter(|says| !says.is_empty());
    let mut detail = vec![turn.name.clone()];
    detail.extend((!turn.answered).then(|| "unanswered".to_owned()));
    detail.extend((!turn.live).then(|| "other branch".to_owned()));
    DocumentSymbol {
        name: says.or(Some(turn.name.as_str()).filter(|name| !name.is_empty())).unwrap_or("turn").to_owned(),
        detail: Some(detail.join(", ")),
        kind: SymbolKind::EVENT,
        tags: None,
        deprecated: None,
        range,
        selection_range: range,
        children: None,
    }
}
