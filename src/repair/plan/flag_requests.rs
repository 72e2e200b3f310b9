//! Changes that flags ask for and no finding does: to images.

use crate::dialect::{EditRefusal, OmittedImage, TextChange as Text};
use crate::dialects::media_parts::{self, MediaPart};
use crate::history::{Flags, Kind, Row};
use crate::message::media_bytes::{image_facts, size_of_base64};
use crate::rule::Loss;

use super::history_plan::PlanBuilder;
use super::reasons::LOSES_CONTENT;
use crate::repair::edit::item_text::item_edits;
use crate::repair::{Action, Cause, ImageOptions, Reasoning, SkippedGroup};

const IMAGES: Cause = Cause::Flag("--images");
const BYTES: Cause = Cause::Flag("--max-image-bytes");
const PIXELS: Cause = Cause::Flag("--max-image-pixels");
const COUNT: Cause = Cause::Flag("--max-images");

impl PlanBuilder<'_> {
    /// True if the history has something that flags ask to change.
    pub(in crate::repair) fn is_asked_to_change(&self) -> bool {
        let (options, rows) = (self.options, &self.cx.history.rows);
        let removes_reasoning = matches!(options.reasoning, Reasoning::Strip | Reasoning::Reference);
        let thinks = |row: &Row| row.is_reasoning() || matches!(row.kind, Kind::Thinking | Kind::Compaction);
        options.images != ImageOptions::default() && rows.iter().any(|row| row.has(Flags::MEDIA))
            || removes_reasoning && rows.iter().any(thinks)
            || self.is_too_long()
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
