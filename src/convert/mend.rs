//! Within a dialect items are copied as they stand. What a log holds may be no request yet: its last calls have no
//! results, and it keeps what no API takes back. Such a copy is repaired as `fix` would repair it, but no call goes for
//! want of a result, and each change is reported as a loss of the item that was copied.

use super::taker::Converted;
use super::verbatim::Copied;
use crate::history::Kind;
use crate::judge::Options;
use crate::message::{At, LossKind, Lost};
use crate::place::{DocId, Pieces, Place};
use crate::repair;
use crate::repair::{Action, Cause, Change, FixOptions};
use crate::rule::About;
use crate::rules;
use crate::rules::calls::mismatched_output;
use crate::rules::ids::id_length;
use crate::source::bytes::spool::Spool;
use crate::source::{Patched, ReadAt};

/// What is made is in no doc.
pub const MADE: DocId = DocId(u32::MAX);

/// Makes a copy what each of these takes, one after the other. What has no legal repair stays as it is.
pub fn mend(result: &mut Spool, converted: &mut Converted, takers: &[Options]) {
    let wanted = FixOptions::default();
    let mut before: Vec<Pieces> = Vec::new();
    for options in takers {
        let Ok(fixed) = repair::fix(MADE, result, options, &wanted, 1) else { return };
        if fixed.would_empty() {
            *result = Spool::default();
            return;
        }
        if fixed.before.first_error().is_none() || fixed.patch.is_empty() {
            continue;
        }
        let pieces = Pieces::new(fixed.patch.edits(MADE), MADE, ReadAt::len(result));
        let view = Patched::new(result, pieces.clone());
        let Ok(mended) = Spool::of(&view) else { return };
        for change in &fixed.changes {
            let copied = before.iter().rev().fold(change.row.at, |at, pieces| pieces.original(at));
            let lost = Lost { kind: loss_of(change), at: origin(&converted.copies, copied), arg: 1 };
            let counted = lost.kind == LossKind::ITEM_IDS;
            let told = counted.then(|| converted.losses.iter_mut().find(|old| old.kind == lost.kind)).flatten();
            match told {
                Some(old) => old.arg += 1,
                None => converted.losses.push(lost),
            }
        }
        before.push(pieces);
        *result = mended;
    }
}

/// What a change of a repair takes or adds.
fn loss_of(change: &Change) -> LossKind {
    let kind = change.row.kind;
    let code = match change.cause {
        Cause::Rule(code, ..) => Some(code),
        Cause::Flag(_) => None,
    };
    let rule = code.and_then(rules::by_code);
    match change.action {
        Action::Stub => LossKind::STUB_RESULT,
        Action::Move if kind.is_of_blocks() && kind != Kind::ToolResult => LossKind::CALL_LAST,
        Action::Move => LossKind::RESULT_MOVED,
        Action::Drop if kind.is_output() => LossKind::ORPHAN_RESULT,
        Action::Drop if kind == Kind::Reasoning => LossKind::REASONING,
        // Without its id it still says what it said.
        Action::Strip if kind == Kind::Reasoning && !rule.is_some_and(|rule| rule.is_about(About::Field)) => {
            LossKind::ITEM_IDS
        }
        Action::Drop if kind == Kind::ItemReference => LossKind::REFERENCE,
        Action::Drop => LossKind::UNKNOWN,
        Action::Rewrite if code == Some(mismatched_output::RULE.code) => LossKind::CALL_AS_FUNCTION,
        Action::Rewrite if code == Some(id_length::RULE.code) => LossKind::CALL_ID_RENAMED,
        // Groups lose their ids, or become references.
        Action::Strip | Action::Rewrite if rule.is_some_and(|rule| rule.is_about(About::Identity)) => {
            LossKind::ITEM_IDS
        }
        Action::Strip | Action::Rewrite => LossKind::FIELD,
    }
}

/// Where that stands of which a place of the result was copied.
fn origin(copies: &[Copied], at: Place) -> At {
    let start = at.start as usize;
    let before = copies.partition_point(|copy| copy.span.0 <= start);
    // Behind the last part of an item stand its own brackets.
    let Some(copy) = copies.iter().take(before).rev().take(4).find(|copy| start < copy.span.1) else {
        return At::default();
    };
    let from = copy.from.place;
    // What was copied byte for byte has the same places within.
    let same = copy.span.1 - copy.span.0 == from.len as usize && !copy.from.embedded;
    match same && at.end() as usize <= copy.span.1 {
        true => At { place: Place::new(from.doc, from.start + (start - copy.span.0) as u64, at.len), ..copy.from },
        false => copy.from,
    }
}
