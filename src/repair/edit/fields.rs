//! Repairs of members: of items, by the table of field rules, and of the request around them.

use crate::dialect::TextChange as Text;
use crate::history::RepairAct;
use crate::json::member_match::{MemberEdit, MemberMatch, ValueTest};
use crate::rule::Loss;
use crate::rules::fields::{self, FieldFix};
use crate::rules::items::namespace_mismatch;
use crate::rules::items::namespace_mismatch::ToolNamespace;

use crate::repair::Action;
use crate::repair::plan::chosen_act::ChosenAct;
use crate::repair::plan::history_plan::PlanBuilder;

/// The member of a call that names the namespace of its tool.
static NAMESPACE: MemberMatch = MemberMatch { path: &["namespace"], parts: &[], is: ValueTest::Missing };
static NULL_NAMESPACE: MemberMatch = MemberMatch { path: &["namespace"], parts: &[], is: ValueTest::Null };

impl PlanBuilder<'_> {
    /// Makes the fixes of the table of field rules, and of rules about single fields. None changes an id, so
    /// groups stay intact.
    pub(in crate::repair) fn repair_fields(&mut self, chosen: &[ChosenAct<'_>]) {
        for chosen in chosen {
            let (ix, judged) = (chosen.at, &chosen.judged);
            let (change, action) = match chosen.act {
                RepairAct::FixField(number) => match fields::row(number).map(|field| (&field.spot, &field.fix)) {
                    Some((spot, FieldFix::Change(MemberEdit::Remove))) => {
                        (Text::EditMembers(spot, MemberEdit::Remove), Action::Strip)
                    }
                    Some((spot, FieldFix::Change(to))) => (Text::EditMembers(spot, to.clone()), Action::Rewrite),
                    _ => continue,
                },
                RepairAct::EditValue(mend) => (Text::EditValue(mend), Action::Rewrite),
                _ => continue,
            };
            let loss = judged.variant().loss;
            if loss == Loss::Lossy && !self.may_lose() {
                self.refuse(judged, "it would lose the content of the field (--lossless)");
                continue;
            }
            if self.cx.row(ix).is_reasoning() && loss == Loss::Lossy && self.keeps_reasoning() {
                self.refuse(judged, "it would change reasoning (--reasoning keep)");
                continue;
            }
            if !self.decision(ix).text.contains(&change) {
                self.decision(ix).change_text(change);
            }
            self.note_change(ix, chosen.cause, action, loss, judged.variant().fix);
        }
    }

    /// Gives calls the namespaces of their tools.
    pub(in crate::repair) fn adopt_namespaces<'c>(&mut self, chosen: impl Iterator<Item = &'c ChosenAct<'c>>) {
        let mut chosen = chosen.peekable();
        if chosen.peek().is_none() {
            return;
        }
        let homes = namespace_mismatch::tool_namespaces(self.cx);
        for chosen in chosen {
            let (ix, mut name) = (chosen.at, None);
            self.cx.text.with_item(self.cx.row(ix), &mut |call| name = namespace_mismatch::bare_name(call));
            if let Some(ToolNamespace::Namespace(namespace, _)) = name.and_then(|name| homes.get(&name)) {
                let text = String::from_utf8_lossy(&crate::json::string::quoted(namespace)).into_owned();
                for spot in [&NAMESPACE, &NULL_NAMESPACE] {
                    self.decision(ix).change_text(Text::EditMembers(spot, MemberEdit::Json(text.clone().into())));
                }
                let what = chosen.judged.variant().fix;
                self.note_change(ix, chosen.cause, Action::Rewrite, Loss::Lossless, what);
            }
        }
    }

    /// Repairs the request around the items.
    pub(in crate::repair) fn repair_request(&mut self, chosen: &[ChosenAct<'_>]) {
        for chosen in chosen.iter().filter(|chosen| matches!(chosen.act, RepairAct::Unset | RepairAct::SendNew(_)))
        {
            let judged = &chosen.judged;
            let loss = judged.variant().loss;
            if loss == Loss::Lossy && !self.may_lose() {
                self.refuse(judged, "the server may not have the removed items (--lossless)");
                continue;
            }
            match chosen.act {
                RepairAct::SendNew(end) => {
                    for ix in 0..end {
                        self.drop_row(ix, chosen.cause, loss, "drop the items that the server already has");
                    }
                }
                _ => self.remove_member(judged.finding.row, chosen.cause, loss, judged.variant().fix),
            }
        }
    }
}
