//! What flags ask of a session that findings do not: nothing that only another account can decrypt, and no large images.

use crate::dialect::TextChange as Text;
use crate::history::{Kind, Mode, Row};
use crate::rule::Loss;

use super::history_plan::{Plan, lives_by_id};
use crate::repair::{Action, Cause};

const ACCOUNT: Cause = Cause::Flag("--account-changed");
const IMAGES: Cause = Cause::Flag("--max-image-bytes");

impl Plan<'_> {
    /// The account, the provider or the deployment is another one: it can read neither encrypted content nor ids of
    /// the old one.
    pub(super) fn account_by_flag(&mut self) {
        if !self.options.account_changed || !self.by_flag {
            return;
        }
        for (at, group) in self.cx.history.groups.iter().enumerate() {
            if group.has_reasoning() && self.can_take(group, Mode::Flattened).is_ok() {
                self.want(at, Mode::Flattened, ACCOUNT);
            }
        }
        let rows: Vec<(u32, Row)> = (0..).zip(self.cx.history.rows.iter().copied()).collect();
        for (ix, row) in rows.into_iter().filter(|(_, row)| !row.is_reference()) {
            if row.kind == Kind::Compaction && self.may_lose() {
                self.drop_row(ix, ACCOUNT, Loss::Lossy, "drop the encrypted compaction");
            }
        }
    }

    /// Ids that no group takes off.
    pub(super) fn ids_by_flag(&mut self) {
        if !self.options.account_changed || !self.by_flag {
            return;
        }
        let rows: Vec<(u32, Row)> = (0..).zip(self.cx.history.rows.iter().copied()).collect();
        for (ix, row) in rows {
            let stays = lives_by_id(&row) && !self.cx.replays_without_id(&row);
            let gone = self.fates.get(&ix).is_some_and(|fate| fate.drop || fate.text.contains(&Text::StripId));
            if row.has_id_member() && !stays && !gone && !row.is_reasoning() {
                self.fate(ix).text.push(Text::StripId);
                self.change(ix, ACCOUNT, Action::Strip, Loss::Lossless, "remove the item id");
            }
        }
    }

    /// Inline images above a size give way to a text.
    pub(super) fn images_by_flag(&mut self) {
        let Some(most) = self.options.max_image_bytes.filter(|_| self.by_flag) else { return };
        let cx = self.cx;
        for (ix, row) in (0..).zip(&cx.history.rows) {
            // Most items are shorter than the limit.
            if row.at.len <= most || self.is_dropped(ix) || !holds_images(row) {
                continue;
            }
            let change = Text::OmitImages(most);
            let mut changes = false;
            cx.look.look(row, &mut |item| {
                let edits = crate::repair::edit::item_text::edits_of(
                    self.dialect,
                    row.at.doc,
                    item.raw(),
                    std::slice::from_ref(&change),
                );
                changes = edits.is_ok_and(|edits| !edits.is_empty());
            });
            if changes {
                self.fate(ix).text.push(change);
                self.change(ix, IMAGES, Action::Rewrite, Loss::Lossy, "replace the image by a text");
            }
        }
    }
}

fn holds_images(row: &Row) -> bool {
    matches!(row.kind, Kind::Message | Kind::FunctionCallOutput | Kind::CustomToolCallOutput)
}
