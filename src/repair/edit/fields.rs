//! Repairs of members: of items, as the table of field rules says, and of the request around them.

use crate::dialect::TextChange as Text;
use crate::history::Act;
use crate::json::spot::{Is, Spot, To};
use crate::rule::Loss;
use crate::rules::fields::{self, Cure};
use crate::rules::items::namespace_mismatch;
use crate::rules::items::namespace_mismatch::Home;

use crate::repair::Action;
use crate::repair::plan::chosen::Chosen;
use crate::repair::plan::history_plan::Plan;

/// Where a call names the namespace of its tool.
static NAMESPACE: Spot = Spot { path: &["namespace"], parts: &[], is: Is::Missing };
static NULL_NAMESPACE: Spot = Spot { path: &["namespace"], parts: &[], is: Is::Null };

impl Plan<'_> {
    /// What the rows of the table, and rules about single fields, say. No row touches an id, so groups stay whole.
    pub(in crate::repair) fn fields(&mut self, chosen: &[Chosen]) {
        for chosen in chosen {
            let (ix, judged) = (chosen.at, &chosen.judged);
            let (change, action) = match chosen.act {
                Act::Spot(number) => match fields::row(number).map(|field| (&field.spot, &field.cure)) {
                    Some((spot, Cure::Change(To::Gone))) => (Text::Spot(spot, To::Gone), Action::Strip),
                    Some((spot, Cure::Change(to))) => (Text::Spot(spot, to.clone()), Action::Rewrite),
                    _ => continue,
                },
                Act::Mend(mend) => (Text::Mend(mend), Action::Rewrite),
                _ => continue,
            };
            let loss = judged.variant().loss;
            if loss == Loss::Lossy && !self.may_lose() {
                self.refuse(judged, "it would lose the content of the field (--lossless)");
                continue;
            }
            if self.cx.row(ix).is_reasoning() && loss == Loss::Lossy && self.keeps_reasoning() {
                self.refuse(judged, "the reasoning would have to change (--reasoning keep)");
                continue;
            }
            if !self.fate(ix).text.contains(&change) {
                self.fate(ix).text.push(change);
            }
            self.change(ix, chosen.cause, action, loss, judged.variant().fix);
        }
    }

    /// Calls get the namespaces of their tools.
    pub(in crate::repair) fn adopt<'c>(&mut self, chosen: impl Iterator<Item = &'c Chosen>) {
        let mut chosen = chosen.peekable();
        if chosen.peek().is_none() {
            return;
        }
        let homes = namespace_mismatch::homes(self.cx);
        for chosen in chosen {
            let (ix, mut name) = (chosen.at, None);
            self.cx.look.look(self.cx.row(ix), &mut |call| name = namespace_mismatch::bare_name(call));
            if let Some(Home::Namespace(namespace, _)) = name.and_then(|name| homes.get(&name)) {
                let text = String::from_utf8_lossy(&crate::json::string::quoted(namespace)).into_owned();
                for spot in [&NAMESPACE, &NULL_NAMESPACE] {
                    self.fate(ix).text.push(Text::Spot(spot, To::Json(text.clone().into())));
                }
                let what = chosen.judged.variant().fix;
                self.change(ix, chosen.cause, Action::Rewrite, Loss::Lossless, what);
            }
        }
    }

    /// Repairs of the request around the items.
    pub(in crate::repair) fn request(&mut self, chosen: &[Chosen]) {
        for chosen in chosen.iter().filter(|chosen| matches!(chosen.act, Act::Unset | Act::SendNew(_))) {
            let judged = &chosen.judged;
            let loss = judged.variant().loss;
            if loss == Loss::Lossy && !self.may_lose() {
                self.refuse(judged, "the server may not have what it removes (--lossless)");
                continue;
            }
            match chosen.act {
                Act::SendNew(end) => {
                    for ix in 0..end {
                        self.drop_row(ix, chosen.cause, loss, "drop what the server already has");
                    }
                }
                _ => self.unset(judged.finding.row, chosen.cause, loss, judged.variant().fix),
            }
        }
    }
}
