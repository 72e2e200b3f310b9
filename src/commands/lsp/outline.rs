//! The outline of a file: the turns of its conversations, as `tree` shows them.

use lsp_types::{DocumentSymbol, SymbolKind};

use crate::commands::Run;
use crate::options::UsageError;
use crate::place::Place;
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

/// Where the first item of a turn is in the file, and where its last byte is; `None` if it is in another file.
fn span_of(conversation: &Conversation, turn: &Turn, document: &Document) -> Option<((u64, u64), u64)> {
    let (forest, label) = (&conversation.forest, document.label());
    let rows = turn.nodes.iter().flat_map(|node| forest.rows_of(*node)).map(|row| row.at);
    let in_file = |at: Place| {
        let part = conversation.doc(at.doc)?;
        // A text that was put together from several records is where these are.
        let at = part.doc.bytes.origin(at);
        let file = segments::segment_at(&part.doc.segments, at.start);
        let before = file.map_or(0, |file| file.start);
        let is_here = at.len > 0 && file.is_none_or(|file| file.label == label);
        is_here.then(|| (at.start - before, at.end() - before))
    };
    let mut places: Vec<(u64, u64)> = rows.filter_map(in_file).collect();
    if places.is_empty() {
        places.extend(in_file(forest.node(turn.first()).entry.at));
    }
    let first = places.iter().min().copied()?;
    Some((first, places.iter().map(|place| place.1).max()?))
}

#[expect(deprecated, reason = "the type of the protocol has the member")]
fn symbol(document: &Document, ((start, first_end), end): ((u64, u64), u64), turn: &TurnView) -> DocumentSymbol {
    let range = |end| document.lines.range(&document.text, (start, end));
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
        range: range(end),
        selection_range: range(first_end),
        children: None,
    }
}
