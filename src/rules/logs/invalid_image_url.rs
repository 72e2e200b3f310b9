//! RL654: an image has no valid URL.

use crate::dialect::Item;
use crate::dialects::responses::images;
use crate::history::{Finding, Kind, KindSet, Role};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds images in messages and tool outputs whose `image_url` is empty, or is neither an `http:`, an `https:` nor a
    /// `data:` URL.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the whole history, in every turn from then on. It happens when a tool could not read a file
    /// and writes such an image into its output.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call_output","call_id":"call_1","output":[{"type":"input_image","image_url":""}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The image is replaced with a text saying that there is none.
    ///
    /// ## Evidence
    ///
    /// Reported: openai/codex#33011.
    INVALID_IMAGE_URL, "invalid-image-url" of "responses" tags [Field],
    Check::Item(KindSet::of(&[Kind::Message, Kind::FunctionCallOutput, Kind::CustomToolCallOutput]), check),
    [
        Variant {
            message: "an image in {type} ⟨{any_id}⟩ has no valid URL",
            evidence: Evidence::Reported,
            fix: "replace the image with a text",
            loss: Loss::Lossy,
            ..Variant::BASE
        },
    ]
}

static TEXT: ValueEdit = ValueEdit::by(images::replace_invalid);

fn check(item: &Item<'_>, out: &mut FindingSink) {
    // In an assistant message the part itself is rejected.
    if item.row.role != Role::Assistant && images::first_invalid(item.val).is_some() {
        out.add(Finding::new(RULE.code, item.row).edit_value(&TEXT));
    }
}
