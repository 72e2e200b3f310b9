//! Padding for logs whose lines other files refer to, by number and by offset: a change is made inside its line,
//! and spaces before the line end keep its length. No line is added, removed or moved; a fix that needs that is
//! refused.

use std::io;

use crate::dialect::BLOCK;
use crate::format::{FormatInfo, NumberedLines, RemovalUnit};
use crate::history::Kind;
use crate::json::edit::RecordBase;
use crate::json::{Tape, scan};
use crate::place::{DocId, Edit, Patch, Place, ReplacementPart};
use crate::source::{Container, ReadAt, lines};

use super::item_text::item_edits;
use crate::repair::Action;
use crate::repair::plan::feasibility::InfeasibleChange;
use crate::repair::plan::history_plan::PlanBuilder;

pub(super) const LINES_ARE_FIXED: &str = "lines of this file may not be added, removed or moved, because other files refer to them; \
                    `replaylint fix --install FILE` writes a repaired copy";
pub(super) const LINE_GROWS: &str = "the line would become longer, and other files refer to the lines after it; \
                      `replaylint fix --install FILE` writes a repaired copy";
const BASE: &str = "it is in the parent file that this one continues; `replaylint fix --install FILE` writes a repaired \
                    copy of the whole history";
pub(super) const PINNED: &str =
    "another file continues a part of this one; `replaylint fix --install FILE` writes a repaired copy";

impl PlanBuilder<'_> {
    /// Finds changes that would move lines which other files refer to.
    pub(in crate::repair) fn find_line_moves(&self, info: &FormatInfo, found: &mut Vec<InfeasibleChange>) {
        let numbered = self.cx.history.settings.ordinals.as_ref();
        let Some(numbered) = numbered.filter(|numbered| numbered.is_numbered && !self.options.writes_copy) else {
            return;
        };
        for change in &self.item_changes {
            let ix = change.ix;
            let why = match self.cx.row(ix).at.start {
                start if start < numbered.own_start => Some(BASE),
                _ if self.options.pinned => Some(PINNED),
                _ => self.line_move(info, ix, change.action),
            };
            found.extend(why.map(|why| (ix, (|_| true) as fn(Action) -> bool, why)));
        }
    }

    fn line_move(&self, info: &FormatInfo, ix: u32, action: Action) -> Option<&'static str> {
        // What is inserted may be in the decision about another row.
        let (row, decision) = (self.cx.row(ix), self.decisions.get(&ix));
        match action {
            Action::Move | Action::Stub => Some(LINES_ARE_FIXED),
            Action::Drop => {
                let part = info.parts.get(usize::from(row.part)).filter(|_| row.part != BLOCK)?;
                // An item that the model does not read as a message can be emptied in place.
                let is_silenced =
                    (row.is_reasoning() || row.kind == Kind::Compaction) && row.at.len >= MIN_SILENCED_LEN;
                (part.unit == RemovalUnit::Record && (!is_silenced || part.path.is_empty()))
                    .then_some(LINES_ARE_FIXED)
            }
            Action::Rewrite | Action::Strip => {
                let decision = decision?;
                let adds = decision.inserts() || decision.replaced_by().is_some();
                if adds { Some(LINES_ARE_FIXED) } else { self.grows(ix).then_some(LINE_GROWS) }
            }
        }
    }

    fn grows(&self, ix: u32) -> bool {
        let mut grows = false;
        if let Some(decision) = self.decisions.get(&ix) {
            self.cx.text.with_item(self.cx.row(ix), &mut |item| {
                grows = item_edits(self.dialect, DocId(0), item.raw(), &decision.text)
                    .is_ok_and(|edits| growth(&edits) > 0);
            });
        }
        grows
    }
}

/// Length in bytes below which an item may be shorter than its emptied form.
const MIN_SILENCED_LEN: u32 = 40;

/// Number of bytes that edits add.
fn growth(edits: &[Edit]) -> i64 {
    let of = |edit: &Edit| edit.with.iter().map(ReplacementPart::len).sum::<u64>() as i64 - i64::from(edit.at.len);
    edits.iter().map(of).sum()
}

/// Pads a patch so that every line keeps its length. Edits for which that is impossible are left out.
pub(in crate::repair) fn pad(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    patch: &Patch,
    kept: &dyn NumberedLines,
) -> io::Result<Patch> {
    // A log of one line looks like a document.
    let (Container::Lines { start } | Container::Document { start }) = container else {
        return Ok(Patch::default());
    };
    let (mut edits, mut rest) = (Vec::new(), patch.edits(id));
    while let Some(first) = rest.first() {
        let line = lines::line_at(bytes, id, start, first.at.start)?;
        let (here, after) = rest.split_at(rest.partition_point(|edit| edit.at.start < line.end()).max(1));
        edits.extend(pad_line(bytes, line, here, kept)?);
        rest = after;
    }
    let mut padded = Patch::default();
    padded.add(edits);
    Ok(padded)
}

/// The edits of a line, with those that restore its length.
fn pad_line(bytes: &dyn ReadAt, line: Place, edits: &[Edit], kept: &dyn NumberedLines) -> io::Result<Vec<Edit>> {
    let mut text = Vec::new();
    bytes.read_into(line.start, line.len as usize, &mut text)?;
    let content = text.trim_ascii_end().len();
    let blank = text.iter().skip(content).take_while(|byte| **byte == b' ').count();
    let mut edits = edits.to_vec();
    if edits.iter().any(|edit| edit.at.len > 0 && edit.at.end() > line.start + content as u64) {
        edits.clear();
        let mut tape = Tape::new();
        if let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) {
            kept.neutralise(root, RecordBase::new(line.doc, line.start), &mut edits);
        }
    }
    let end = line.start + (content + blank) as u64;
    match growth(&edits) {
        0 => {}
        less if less < 0 => {
            let spaces = vec![b' '; usize::try_from(-less).unwrap_or(0)];
            edits.push(Edit { at: Place::new(line.doc, end, 0), with: vec![ReplacementPart::text(spaces)] });
        }
        // Spaces of an earlier repair.
        more if more <= blank as i64 => {
            edits.push(Edit::remove(Place::new(line.doc, end - more as u64, more as u32)))
        }
        _ => edits.clear(),
    }
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats;
    use crate::place::Pieces;
    use crate::source::{PatchedView, framing};

    const LOG: &str = "{\"type\":\"a\",\"payload\":{\"x\":12345,\"y\":12345,\"text\":\"12345678901234567890\"}}\n\
                       {\"type\":\"b\",\"payload\":{\"x\":12345,\"y\":12345,\"text\":\"1234567890\"}}  \r\n{\"c\":1}\n";

    fn padded(log: &str, edits: Vec<Edit>) -> String {
        let bytes = log.as_bytes().to_vec();
        let container = framing::sniff(&bytes).expect("memory reads");
        let mut patch = Patch::default();
        patch.add(edits);
        let kept =
            formats::by_name("codex-rollout").and_then(|format| format.info().numbered_lines).expect("a format");
        let patch = pad(DocId(0), &bytes, container, &patch, kept).expect("memory reads");
        let view = PatchedView::new(&bytes, Pieces::new(patch.edits(DocId(0)), DocId(0), bytes.len() as u64));
        let mut out = Vec::new();
        view.read_into(0, view.len() as usize, &mut out).expect("memory reads");
        String::from_utf8(out).expect("UTF-8")
    }

    fn at(log: &str, text: &str) -> Place {
        Place::new(DocId(0), log.find(text).expect("there") as u64, text.len() as u32)
    }

    fn ends(log: &str) -> Vec<usize> {
        log.match_indices('\n').map(|(at, _)| at).collect()
    }

    #[test]
    fn lines_keep_their_length() {
        let second = at(LOG, "{\"type\":\"b\"");
        let b = |text: &str| {
            let inside = at(&LOG[second.start as usize..], text);
            Place::new(DocId(0), inside.start + second.start, inside.len)
        };
        let line = |n: usize| {
            let starts: Vec<usize> = std::iter::once(0).chain(ends(LOG).into_iter().map(|end| end + 1)).collect();
            Place::new(DocId(0), starts[n] as u64, (starts[n + 1] - starts[n]) as u32)
        };
        for (edits, has, has_not) in [
            (vec![Edit::replace(at(LOG, "12345"), "1")], "{\"x\":1,", ""),
            (vec![Edit::replace(b("12345"), "1234567")], "{\"x\":1234567,", "}  \r\n"),
            // It would be too long.
            (vec![Edit::replace(b("12345"), "12345678")], LOG, "\"x\":12345678"),
            (
                vec![Edit::remove(line(0))],
                "{\"type\":\"event_msg\",\"payload\":{\"type\":\"agent_reasoning\"",
                "\"a\"",
            ),
            // It contains nothing that could be changed.
            (vec![Edit::remove(line(2))], LOG, "event_msg"),
            (vec![Edit { at: Place::new(DocId(0), 1, 0), with: vec![ReplacementPart::text(" ")] }], LOG, "{ "),
        ] {
            let made = padded(LOG, edits);
            assert_eq!(ends(&made), ends(LOG), "{made}");
            assert!(made.contains(has) && (has_not.is_empty() || !made.contains(has_not)), "{made}");
        }
    }
}
