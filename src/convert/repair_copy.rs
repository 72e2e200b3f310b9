//! Repairs conversations that were copied within their dialect. A log may not be a valid request: its last calls have no
//! results, and it contains values that no API accepts. Such a copy is repaired as by `fix`, but no call is removed for
//! lack of a result, and each change is reported as a loss of the item that was copied.

use super::conversion_builder::ConvertedHistory;
use super::verbatim_copy::CopySpan;
use crate::history::{Kind, codes};
use crate::judge::Options;
use crate::message::{ConversionLoss, LossKind, SourceLocation};
use crate::place::{DocId, Pieces, Place};
use crate::repair;
use crate::repair::{Action, Cause, FixOptions, ItemChange};
use crate::rule::RuleTag;
use crate::rules;
use crate::rules::bedrock::missing_tool_config;
use crate::rules::calls::mismatched_output;
use crate::rules::ids::id_length;
use crate::source::bytes::spool::Spool;
use crate::source::{PatchedView, ReadAt};

/// The id of converted results, which are in no doc.
pub const RESULT_DOC: DocId = DocId(u32::MAX);

/// Repairs a copy for each of these targets, one after the other. What has no legal repair is left as it is.
pub fn repair_copy(result: &mut Spool, converted: &mut ConvertedHistory, checks: &[Options]) {
    let wanted = FixOptions::default();
    let mut before: Vec<Pieces> = Vec::new();
    for options in checks {
        let Ok(fixed) = repair::fix(RESULT_DOC, result, options, &wanted, 1) else { return };
        if fixed.would_empty_list() {
            *result = Spool::default();
            return;
        }
        if fixed.before.first_error().is_none() || fixed.patch.is_empty() {
            continue;
        }
        let pieces = Pieces::new(fixed.patch.edits(RESULT_DOC), RESULT_DOC, ReadAt::len(result));
        let view = PatchedView::new(result, pieces.clone());
        let Ok(mended) = Spool::of(&view) else { return };
        for change in &fixed.changes {
            let copied = before.iter().rev().fold(change.row.at, |at, pieces| pieces.original(at));
            let lost =
                ConversionLoss { kind: loss_of(change), at: origin(&converted.copies, copied), arg: 1, to: None };
            let counted = lost.kind == LossKind::ITEM_IDS;
            let earlier = counted.then(|| converted.losses.iter_mut().find(|old| old.kind == lost.kind)).flatten();
            match earlier {
                Some(old) => old.arg += 1,
                None => converted.losses.push(lost),
            }
        }
        before.push(pieces);
        *result = mended;
    }
}

/// The kind of loss of a repair's change.
fn loss_of(change: &ItemChange) -> LossKind {
    let kind = change.row.kind;
    let code = match change.cause {
        Cause::Rule(code, ..) => Some(code),
        Cause::Flag(_) => None,
    };
    let rule = code.and_then(rules::by_code);
    match change.action {
        Action::Stub => LossKind::STUB_RESULT,
        Action::Move if kind.is_block_kind() && kind != Kind::ToolResult => LossKind::CALL_LAST,
        Action::Move => LossKind::RESULT_MOVED,
        Action::Drop if kind.is_output() => LossKind::ORPHAN_RESULT,
        Action::Drop if kind == Kind::Reasoning && code == Some(codes::REASONING_WITHOUT_BLOB) => {
            LossKind::REASONING_WITHOUT_BLOB
        }
        Action::Drop if kind == Kind::Reasoning => LossKind::REASONING,
        // Without its id, its content is unchanged.
        Action::Strip if kind == Kind::Reasoning && !rule.is_some_and(|rule| rule.has_tag(RuleTag::Field)) => {
            LossKind::ITEM_IDS
        }
        Action::Drop if kind == Kind::ItemReference => LossKind::REFERENCE,
        Action::Drop => LossKind::UNKNOWN,
        Action::Rewrite if code == Some(mismatched_output::RULE.code) => LossKind::CALL_AS_FUNCTION,
        Action::Rewrite if code == Some(missing_tool_config::RULE.code) => LossKind::STUB_TOOL,
        Action::Rewrite if code == Some(id_length::RULE.code) => LossKind::CALL_ID_RENAMED,
        // Groups lose their ids, or become references.
        Action::Strip | Action::Rewrite if rule.is_some_and(|rule| rule.has_tag(RuleTag::Identity)) => {
            LossKind::ITEM_IDS
        }
        Action::Strip | Action::Rewrite => LossKind::FIELD,
    }
}

/// The location in the source of which a place of the result was copied.
fn origin(copies: &[CopySpan], at: Place) -> SourceLocation {
    let start = at.start as usize;
    let before = copies.partition_point(|copy| copy.span.0 <= start);
    // The last part of an item is followed by the item's own brackets.
    let Some(copy) = copies.iter().take(before).rev().take(4).find(|copy| start < copy.span.1) else {
        return SourceLocation::default();
    };
    let from = copy.from.place;
    // Text that was copied byte for byte has the same offsets within.
    let same = copy.span.1 - copy.span.0 == from.len as usize && !copy.from.embedded;
    match same && at.end() as usize <= copy.span.1 {
        true => SourceLocation {
            place: Place::new(from.doc, from.start + (start - copy.span.0) as u64, at.len),
            ..copy.from
        },
        false => copy.from,
    }
}
