//! The losses of a plan: what it removes from what the model saw, or adds to it. Losses compare by their worst
//! class: one lost search is worse than any number of ids.

use crate::history::{BlockFlags, Class, ItemFlags, Kind, NONE, Role, Row};
use crate::rule::{self, RuleContext};

use crate::repair::Action;
use crate::repair::plan::history_plan::PlanBuilder;

/// Classes of losses, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::repair) enum LossClass {
    /// Text of the user.
    UserText,
    /// Text of the model.
    ModelText,
    /// Work of the server: searches, results of the interpreter and of MCP.
    ServerWork,
    /// A result whose call does not exist.
    Result,
    /// A call whose result does not exist.
    Call,
    /// Encrypted reasoning, signed thinking.
    Reasoning,
    /// The form of a value: a result or thinking as plain text; an invalid value.
    Form,
    /// Reasoning that nobody can read.
    Unreadable,
    /// Ids: the server no longer knows the items, but the model sees the same.
    Ids,
    /// An added placeholder or empty message.
    Added,
}

const CLASSES: usize = LossClass::Added as usize + 1;

/// Number of items of each class, worst first, and their bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(in crate::repair) struct PlanLosses {
    counts: [u32; CLASSES],
    bytes: u64,
}

impl PlanLosses {
    /// The losses of a plan.
    pub fn of(plan: &PlanBuilder<'_>) -> PlanLosses {
        let mut losses = PlanLosses::default();
        for (row, change) in plan.changed_rows() {
            let class = match change.action {
                Action::Move => None,
                Action::Stub => Some(LossClass::Added),
                Action::Strip if change.ix == NONE => None,
                Action::Strip => Some(LossClass::Ids),
                Action::Rewrite if change.loss == rule::Loss::Lossless => None,
                Action::Rewrite if change.loss == rule::Loss::Adds => Some(LossClass::Added),
                Action::Rewrite => Some(LossClass::Form),
                Action::Drop if change.loss == rule::Loss::Lossless => None,
                Action::Drop => of_dropped(plan.cx, change.ix, row),
            };
            if let Some(count) = class.and_then(|class| losses.counts.get_mut(class as usize)) {
                *count += 1;
                losses.bytes += u64::from(row.at.len);
            }
        }
        losses
    }
}

/// The class of a dropped item; `None` if nothing is lost.
fn of_dropped(cx: &RuleContext<'_>, ix: u32, row: &Row) -> Option<LossClass> {
    let role = || match cx.history.messages.of_row(ix) {
        Some(message) => message.role,
        None => row.role,
    };
    let said = || if role() == Role::Assistant { LossClass::ModelText } else { LossClass::UserText };
    match row.kind {
        Kind::Thinking if row.has(BlockFlags::SIGNED) => Some(LossClass::Reasoning),
        Kind::Thinking => Some(LossClass::Unreadable),
        Kind::ToolUse => Some(LossClass::Call),
        Kind::ToolResult => Some(LossClass::Result),
        Kind::ServerUse | Kind::ServerResult => Some(LossClass::ServerWork),
        Kind::Text | Kind::Media if row.has(BlockFlags::EMPTY) || row.has(BlockFlags::BLANK) => None,
        Kind::Text | Kind::Media => Some(said()),
        Kind::BlockMessage => {
            let blocks = cx.history.messages.of_row(ix).map(|message| message.blocks());
            let says = |ix: u32| matches!(cx.row(ix).kind, Kind::Text | Kind::Media);
            (row.has(BlockFlags::CONTENT) || blocks.into_iter().flatten().any(says)).then(said)
        }
        _ if row.is_reasoning() => {
            let is_held = row.has_id() && cx.stored;
            Some(if row.has(ItemFlags::BLOB) || is_held { LossClass::Reasoning } else { LossClass::Unreadable })
        }
        _ => match row.item_kind.class() {
            Class::Message => Some(said()),
            Class::Hosted => Some(LossClass::ServerWork),
            Class::Call => Some(LossClass::Call),
            Class::Output => Some(LossClass::Result),
            Class::Reasoning | Class::Reference | Class::Other => Some(LossClass::ServerWork),
        },
    }
}
