//! RL654: the address of an image is none.

use crate::dialect::Item;
use crate::dialects::responses::images;
use crate::history::{Finding, Kind, KindSet, Role};
use crate::json::mend::Mend;
use crate::rule::{Check, Evidence, Loss, Out, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds images in messages and tool outputs whose `image_url` is empty, or is neither an `http:`, an `https:` nor a
    /// `data:` URL.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the whole history, in every turn from then on. A tool that could not read a file writes such an
    /// image into its output.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call_output","call_id":"call_1","output":[{"type":"input_image","image_url":""}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A text says that there is no image.
    ///
    /// ## Evidence
    ///
    /// Reported: openai/codex#33011.
    INVALID_IMAGE_URL, "invalid-image-url" of "responses" about [Field],
    Check::Item(KindSet::of(&[Kind::Message, Kind::FunctionCallOutput, Kind::CustomToolCallOutput]), check),
    [
        Variant {
            message: "an image in {type} ⟨{any_id}⟩ has no valid URL",
            evidence: Evidence::Reported,
            fix: "replace the image by a text",
            loss: Loss::Lossy,
            ..Variant::BASE
        },
    ]
}

static TEXT: Mend = Mend::by(images::replace_invalid);

fn check(item: &Item<'_>, out: &mut Out) {
    // In an assistant message the part itself is refused.
    if item.row.role != Role::Assistant && images::first_invalid(item.val).is_some() {
        out.add(Finding::new(RULE.code, item.row).mend(&TEXT));
    }
}
