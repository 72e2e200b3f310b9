//! Changes that flags ask for and no finding does: removing what only another account can decrypt, and images.

use crate::dialect::{EditRefusal, OmittedImage, TextChange as Text};
use crate::dialects::media_parts::{self, MediaPart};
use crate::history::{GroupMode, Kind, Row};
use crate::message::media_bytes::{image_facts, size_of_base64};
use crate::rule::Loss;

use super::history_plan::{PlanBuilder, needs_id};
use super::reasons::LOSES_CONTENT;
use crate::repair::edit::item_text::item_edits;
use crate::repair::{Action, Cause, ImageOptions, SkippedGroup};

const ACCOUNT: Cause = Cause::Flag("--account-changed");
const IMAGES: Cause = Cause::Flag("--images");
const BYTES: Cause = Cause::Flag("--max-image-bytes");
const PIXELS: Cause = Cause::Flag("--max-image-pixels");
const COUNT: Cause = Cause::Flag("--max-images");

impl PlanBuilder<'_> {
    /// Applies `--account-changed`: another account, provider or deployment can read neither encrypted content nor
    /// ids of the old one.
    pub(super) fn apply_account_flag(&mut self) {
        if !self.options.account_changed || !self.applies_flags {
            return;
        }
        for (at, group) in self.cx.history.groups.iter().enumerate() {
            if group.has_reasoning() && self.can_apply_mode(group, GroupMode::Flattened).is_ok() {
                self.request_mode(at, GroupMode::Flattened, ACCOUNT);
            }
        }
        let rows: Vec<(u32, Row)> = (0..).zip(self.cx.history.rows.iter().copied()).collect();
        for (ix, row) in rows.into_iter().filter(|(_, row)| !row.is_reference()) {
            if row.kind == Kind::Compaction && self.may_lose() {
                self.drop_row(ix, ACCOUNT, Loss::Lossy, "drop the encrypted compaction");
            }
        }
    }

    /// Removes ids that no mode of a group removes.
    pub(super) fn strip_ids_by_flag(&mut self) {
        if !self.options.account_changed || !self.applies_flags {
            return;
        }
        let rows: Vec<(u32, Row)> = (0..).zip(self.cx.history.rows.iter().copied()).collect();
        for (ix, row) in rows {
            let stays = needs_id(&row) && !self.cx.replays_without_id(&row);
            let gone = self
                .decisions
                .get(&ix)
                .is_some_and(|decision| decision.drop || decision.text.contains(&Text::StripId));
            if row.has_id_member() && !stays && !gone && !row.is_reasoning() {
                self.decision(ix).text.push(Text::StripId);
                self.note_change(ix, ACCOUNT, Action::Strip, Loss::Lossless, "remove the item id");
            }
        }
    }

    /// Replaces images with text: all, those above a limit, or all but the last.
    pub(super) fn omit_images_by_flag(&mut self) {
        let limits = self.options.images;
        if limits == ImageOptions::default() || !self.applies_flags {
            return;
        }
        let cx = self.cx;
        let mut images: Vec<FoundImage> = Vec::new();
        let rows = (0..).zip(&cx.history.rows);
        for (ix, row) in rows.filter(|(_, row)| row.has_own_media()) {
            if !self.is_dropped(ix) {
                cx.text.with_item(row, &mut |item| {
                    let found = media_parts::images(item);
                    images.extend(found.map(|(number, part)| FoundImage::of(ix, number, &part, &limits)));
                });
            }
        }
        if let Some(most) = limits.max_count {
            let kept = images.iter_mut().rev().filter(|image| image.cause.is_none());
            kept.skip(most as usize).for_each(|image| image.cause = Some(COUNT));
        }
        for image in images.chunk_by(|a, b| a.row == b.row) {
            let Some(ix) = image.first().map(|first| first.row) else { continue };
            let Some(cause) = image.iter().find_map(|image| image.cause) else { continue };
            let omitted = image.iter().filter(|image| image.cause.is_some());
            let omitted = omitted.map(|image| OmittedImage { number: image.number, text: image.text.clone() });
            let change = Text::OmitImages(omitted.collect());
            let (mut refusal, row) = (None, cx.row(ix));
            cx.text.with_item(row, &mut |item| {
                let changes = std::slice::from_ref(&change);
                refusal = item_edits(self.dialect, row.at.doc, item.raw(), changes).err();
            });
            match refusal {
                Some(EditRefusal(reason)) => self.skipped_groups.push(SkippedGroup::of(row, reason)),
                None if !self.may_lose() => self.skipped_groups.push(SkippedGroup::of(row, LOSES_CONTENT)),
                None => {
                    self.decision(ix).text.push(change);
                    self.note_change(ix, cause, Action::Rewrite, Loss::Lossy, "replace the image with text");
                }
            }
        }
    }
}

/// An image of a history.
struct FoundImage {
    row: u32,
    /// Its number among the media of its item.
    number: u32,
    /// The flag that removes it.
    cause: Option<Cause>,
    /// What replaces it.
    text: String,
}

impl FoundImage {
    fn of(row: u32, number: u32, part: &MediaPart<'_>, limits: &ImageOptions) -> FoundImage {
        let data = part.filled_data();
        let exceeds =
            |size: Option<u32>, most: Option<u32>| size.zip(most).is_some_and(|(size, most)| size > most);
        let bytes = data.as_ref().map(|data| u32::try_from(data.len()).unwrap_or(u32::MAX));
        let side = || size_of_base64(data.as_deref()?).map(|(width, height)| width.max(height));
        let cause = match () {
            () if limits.all => Some(IMAGES),
            () if exceeds(bytes, limits.max_bytes) => Some(BYTES),
            () if limits.max_pixels.is_some() && exceeds(side(), limits.max_pixels) => Some(PIXELS),
            () => None,
        };
        let facts = data.as_deref().map(image_facts).unwrap_or_default();
        let text =
            if facts.is_empty() { "[image omitted]".to_owned() } else { format!("[image omitted: {facts}]") };
        FoundImage { row, number, cause, text }
    }
}
