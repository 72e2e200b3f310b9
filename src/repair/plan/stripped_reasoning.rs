//! `--reasoning strip` in histories of messages: thinking goes as a block, as a member of a message, and in a store also
//! where its client does not send it.

use crate::dialect::TextChange as Text;
use crate::format::FormatInfo;
use crate::history::{Flags, Kind, Role, Row};
use crate::json::name;
use crate::json::value_edit::ValueEdit;
use crate::message::LossKind;
use crate::rule::Loss;
use crate::target::Trait;

use super::history_plan::PlanBuilder;
use super::item_decision::ItemDecision;
use crate::repair::edit::item_text::item_edits;
use crate::repair::store::{Draft, PlannedItem};
use crate::repair::{Action, Cause, Reasoning};

const STRIP: Cause = Cause::Flag("--reasoning strip");

const REQUIRED: &str = "the server requires the reasoning of a thinking model in messages with calls";

/// The members of a Chat Completions message that contain reasoning.
const MEMBERS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];
static WITHOUT_MEMBERS: ValueEdit = ValueEdit::strip(&MEMBERS);

impl PlanBuilder<'_> {
    fn strips_reasoning(&self) -> bool {
        self.options.reasoning == Reasoning::Strip && self.applies_flags
    }

    pub(super) fn drop_thinking_by_flag(&mut self) {
        if !self.strips_reasoning() {
            return;
        }
        let rows = 0..self.cx.history.rows.len() as u32;
        let client: Vec<u32> = rows.filter(|ix| self.is_client_thinking(self.cx.row(*ix))).collect();
        for ix in self.thinking_from(0).into_iter().chain(client) {
            self.drop_row(ix, STRIP, Loss::Lossy, "drop the thinking");
        }
    }

    /// True for thinking in a form that the client converts, or does not send.
    fn is_client_thinking(&self, row: &Row) -> bool {
        let mut thinks = false;
        if row.has(Flags::FOREIGN) && matches!(row.kind, Kind::Block | Kind::BlockMessage) {
            self.cx.text.with_item(row, &mut |item| {
                let kind = item.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
                thinks = matches!(kind.as_ref(), b"thinking" | b"redacted_thinking" | b"reasoning");
            });
        }
        thinks
    }

    /// Removes the members with reasoning from messages of Chat Completions.
    pub(super) fn strip_reasoning_members_by_flag(&mut self) {
        if !self.strips_reasoning() || self.dialect.info().name != "chat" {
            return;
        }
        let cx = self.cx;
        if cx.has(Trait::WantsReasoning) && cx.reasons() == Some(true) {
            return self.skipped_groups.extend(self.skipped_history(REQUIRED));
        }
        for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
            let row = cx.row(message.row);
            let change = Text::EditValue(&WITHOUT_MEMBERS);
            let mut changes = false;
            cx.text.with_item(row, &mut |item| {
                if MEMBERS.iter().any(|key| item.get(key).is_some_and(|val| !val.is_null())) {
                    let edits = item_edits(self.dialect, row.at.doc, item.raw(), std::slice::from_ref(&change));
                    changes = edits.is_ok_and(|edits| !edits.is_empty());
                }
            });
            if changes && !self.is_dropped(message.row) {
                self.decision(message.row).change_text(change);
                self.note_change(message.row, STRIP, Action::Strip, Loss::Lossy, "remove the reasoning");
            }
        }
    }

    /// Drops thinking of a store that its client does not send: it has no row.
    pub(in crate::repair) fn drop_unsent_thinking_by_flag(&mut self, info: &FormatInfo) {
        let Some((editor, view)) = info.editor.zip(self.view).filter(|_| self.strips_reasoning()) else { return };
        let decision = ItemDecision { drop: true, ..ItemDecision::default() };
        let losses = &self.cx.history.settings.conversion_losses;
        for finding in losses.iter().filter(|finding| LossKind::of(finding) == LossKind::REASONING) {
            let row = Row { kind: Kind::Thinking, ..finding.row };
            let planned = PlannedItem { row: &row, decision: &decision, dialect: self.dialect };
            let (_, faults) = Draft::of(view, editor, &[planned]);
            if faults.is_empty() {
                self.unsent.push((row, decision.clone()));
                self.note_outside(row, STRIP, Action::Drop, Loss::Lossy, "drop the thinking, which is not sent");
            }
        }
    }
}
