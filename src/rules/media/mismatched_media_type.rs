//! RL704: the bytes of an image are not of the type that it declares.

use crate::dialects::media_parts::{self, MediaPart};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit};
use crate::json::{Val, string};
use crate::message::MediaKind;
use crate::message::media_bytes::type_of_base64;
use crate::place::Edit;
use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds images whose first bytes are those of another type than the declared one, and images whose bytes are no image.
    ///
    /// ## Why it matters
    ///
    /// Anthropic compares both, and rejects the request with HTTP 400:
    ///
    /// > messages.4.content.0.image.source.base64.data: Image does not match the provided media type image/png
    ///
    /// > Could not process image
    ///
    /// The image stays in the history, so that each later request is refused as well. It happens when a tool trusts the extension
    /// of a file, or returns the page of an error as an image.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":[
    ///  {"type":"image","source":{"type":"base64","media_type":"image/png","data":"/9j/4AAQSkZJRgABAQAAAQAB"}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The type of the bytes is declared. Bytes that are no image stay; `fix --images drop` replaces images with a
    /// text.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#8184, #15746 and nine more, #12750, #60920; recorded at llama.cpp and ollama for bytes that are no
    /// image. DeepSeek ignores the declared type (api-docs.deepseek.com/guides/vision).
    MISMATCHED_MEDIA_TYPE, "mismatched-media-type" tags [Field], Check::External,
    [
        Variant {
            message: "{media} block{media_place} is declared as {media_type}, but its bytes are {bytes_type}",
            api: Some("{media_path}.source.base64.data: Image does not match the provided media type {media_type}"),
            also: &["image was specified using the {type} media type, but the image appears to be"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            fix: "declare the type of the bytes",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "{media} block{media_place} is declared as {media_type}, but its bytes are {bytes_type}",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "declare the type of the bytes",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "{media} block{media_place} whose bytes are no image",
            api: Some("Could not process image"),
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place} whose bytes are no image",
            also: &["Failed to load image or audio file", "invalid image input"],
            levels: Levels::WARNING,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}

/// Declares the type of the bytes, in each part of an item.
pub static CORRECT: ValueEdit = ValueEdit::by(correct_types);

/// Types that each API that compares them accepts.
const TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The type of the bytes of an image, if it declares another one.
pub fn actual_type(part: &MediaPart<'_>) -> Option<&'static str> {
    let declared = part.declared_type().filter(|_| part.kind == MediaKind::Image)?;
    let declared = if declared == "image/jpg" { "image/jpeg" } else { &declared };
    let actual = type_of_base64(&part.filled_data()?)?;
    (TYPES.contains(&actual) && declared != actual).then_some(actual)
}

fn correct_types(item: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    for part in media_parts::parts(item) {
        let Some(actual) = actual_type(&part) else { continue };
        if let Some(declared) = part.declared {
            // Bedrock's formats have no `image/`.
            let is_short = declared.text().is_some_and(|text| !text.contains(&b'/'));
            let short = actual.strip_prefix("image/").filter(|_| is_short);
            out.push(Edit::replace(base.of(declared), string::quoted(short.unwrap_or(actual))));
        } else if let Some(source) = part.source.filter(|_| part.is_data_url()) {
            let head = source.as_str().map(|text| text.raw).unwrap_or_default();
            let end = head.iter().position(|b| *b == b';').ok_or(EditRefusal("the data URL has no type"))?;
            let at = source.start() + 1;
            out.push(Edit::replace(base.place(at + SCHEME, at + end as u32), actual));
        }
    }
    Ok(())
}

/// Length of `data:`.
const SCHEME: u32 = 5;
