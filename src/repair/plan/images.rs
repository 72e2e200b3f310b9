//! Changes of images that flags ask for: a text in place of an image, or a smaller image.

use crate::dialect::{EditRefusal, OmittedImage, SmallerImage, TextChange as Text};
use crate::dialects::media_parts::{self, MediaPart, SourceForm};
use crate::message::MediaKind;
use crate::message::media_bytes::size_of_base64;
use crate::message::shrink::shrink;
use crate::message::smaller_image::{ImageChange, ImageFacts, ImageLimits};
use crate::rule::Loss;
use crate::targets::media::MediaProfile;

use super::history_plan::PlanBuilder;
use super::reasons::LOSES_CONTENT;
use crate::repair::{Action, Cause, ImageOptions, SkippedGroup};

const IMAGES: Cause = Cause::Flag("--images");
const BYTES: Cause = Cause::Flag("--max-image-bytes");
const PIXELS: Cause = Cause::Flag("--max-image-pixels");
const COUNT: Cause = Cause::Flag("--max-images");

const NO_LIMITS: &str =
    "no limits of images are known for this target: --max-image-bytes and --max-image-pixels set them";

impl PlanBuilder<'_> {
    /// Replaces images with text: all, those above a limit, or all but the last; or makes those above a limit smaller.
    pub(super) fn change_images_by_flag(&mut self) {
        let wanted = self.options.images;
        if wanted == ImageOptions::default() || !self.applies_flags {
            return;
        }
        let cx = self.cx;
        let mut images: Vec<FoundImage> = Vec::new();
        let rows = (0..).zip(&cx.history.rows);
        for (ix, row) in rows.filter(|(_, row)| row.has_own_media()) {
            if !self.is_dropped(ix) {
                cx.text.with_item(row, &mut |item| {
                    let found = media_parts::images(item);
                    images.extend(found.map(|(number, part)| FoundImage::of(ix, number, &part, &wanted)));
                });
            }
        }
        if let Some(most) = wanted.max_count {
            let kept = images.iter_mut().rev().filter(|image| image.cause.is_none());
            kept.skip(most as usize).for_each(|image| image.cause = Some(COUNT));
        }
        if wanted.shrinks {
            self.shrink_images(&images);
        }
        let takes_files = |media: &MediaProfile| media.refusal(MediaKind::File, SourceForm::Data, true).is_none();
        let takes_files = self.media.as_ref().is_some_and(takes_files);
        for image in images.chunk_by(|a, b| a.row == b.row) {
            let Some(ix) = image.first().map(|first| first.row) else { continue };
            let Some(cause) = image.iter().find_map(|image| image.cause) else { continue };
            let omitted = image.iter().filter(|image| image.cause.is_some());
            let omitted = omitted.map(|image| OmittedImage {
                number: image.number,
                text: image.text.clone(),
                may_be_file: takes_files,
            });
            self.change_images(ix, cause, Text::OmitImages(omitted.collect()), None);
        }
    }

    /// Makes those of the images smaller that stay and are above a limit.
    fn shrink_images(&mut self, images: &[FoundImage]) {
        let kept = || images.iter().filter(|image| image.cause.is_none());
        let known = self.media.as_ref().map(|media| media.image_limits(kept().count())).unwrap_or_default();
        let ImageOptions { max_bytes, max_pixels, .. } = self.options.images;
        // A given limit takes the place of the known one.
        let limits = ImageLimits {
            text: max_bytes.or(known.text),
            bytes: known.bytes.filter(|_| max_bytes.is_none()),
            side: max_pixels.or(known.side),
        };
        if limits == ImageLimits::default() {
            let first = kept().find(|image| image.has_data);
            return self
                .skipped_groups
                .extend(first.map(|first| SkippedGroup::of(self.cx.row(first.row), NO_LIMITS)));
        }
        let kept: Vec<&FoundImage> = kept().filter(|image| image.has_data).collect();
        for of_row in kept.chunk_by(|a, b| a.row == b.row) {
            let Some(ix) = of_row.first().map(|first| first.row) else { continue };
            let (mut smaller, mut change, mut failure): (Vec<SmallerImage>, Option<ImageChange>, _) =
                (Vec::new(), None, None);
            self.cx.text.with_item(self.cx.row(ix), &mut |item| {
                for (number, part) in media_parts::images(item) {
                    let Some(data) = part.filled_data().filter(|_| of_row.iter().any(|own| own.number == number))
                    else {
                        continue;
                    };
                    if !limits.are_exceeded(&data) {
                        continue;
                    }
                    if !self.may_lose() {
                        failure = Some(LOSES_CONTENT);
                        continue;
                    }
                    let mut known = self.memo.shrunk.borrow_mut();
                    let made = known.entry((ix, number, limits)).or_insert_with(|| {
                        shrink(&data, &limits).map(|image| (image.clone(), ImageChange::of(&data, &image)))
                    });
                    match made {
                        Ok((image, own)) => {
                            smaller.push(SmallerImage { number, image: image.clone() });
                            change = Some(change.map_or(*own, |all| all.and(*own)));
                        }
                        Err(why) => failure = Some(*why),
                    }
                }
            });
            self.skipped_groups.extend(failure.map(|why| SkippedGroup::of(self.cx.row(ix), why)));
            if !smaller.is_empty() {
                self.change_images(ix, IMAGES, Text::ShrinkImages(smaller), change);
            }
        }
    }

    /// Adds a change of the images of an item, or says why they stay.
    fn change_images(&mut self, ix: u32, cause: Cause, change: Text, images: Option<ImageChange>) {
        let row = self.cx.row(ix);
        match self.can_edit(row, std::slice::from_ref(&change)) {
            Err(EditRefusal(reason)) => self.skipped_groups.push(SkippedGroup::of(row, reason)),
            Ok(()) if !self.may_lose() => self.skipped_groups.push(SkippedGroup::of(row, LOSES_CONTENT)),
            Ok(()) => {
                self.decision(ix).change_text(change);
                let what = if images.is_some() { "shrink the image" } else { "replace the image with text" };
                self.note_change(ix, cause, Action::Rewrite, Loss::Lossy, what);
                if let Some(change) = self.item_changes.last_mut() {
                    change.images = images.map(Box::new);
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
    has_data: bool,
    /// The flag that removes it.
    cause: Option<Cause>,
    /// What replaces it.
    text: String,
}

impl FoundImage {
    fn of(row: u32, number: u32, part: &MediaPart<'_>, wanted: &ImageOptions) -> FoundImage {
        let data = part.filled_data();
        let exceeds =
            |size: Option<u32>, most: Option<u32>| size.zip(most).is_some_and(|(size, most)| size > most);
        let bytes = data.as_ref().map(|data| u32::try_from(data.len()).unwrap_or(u32::MAX));
        let side = || size_of_base64(data.as_deref()?).map(|(width, height)| width.max(height));
        let cause = match () {
            () if wanted.shrinks => None,
            () if wanted.all => Some(IMAGES),
            () if exceeds(bytes, wanted.max_bytes) => Some(BYTES),
            () if wanted.max_pixels.is_some() && exceeds(side(), wanted.max_pixels) => Some(PIXELS),
            () => None,
        };
        let text = match data.as_deref().map(ImageFacts::of) {
            Some(facts) => format!("[image omitted: {facts}]"),
            None => "[image omitted]".to_owned(),
        };
        FoundImage { row, number, has_data: data.is_some(), cause, text }
    }
}
