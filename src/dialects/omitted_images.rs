//! Replaces images of an item with a text, in every dialect: the form of the image shows the form of a text beside it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::dialect::{EditRefusal, OmittedImage};
use crate::json::edit::{RecordBase, Sequence, SequenceSlot};
use crate::json::{Val, name, string};
use crate::place::{Edit, ReplacementPart};

use super::media_parts::{self, MediaPart};

/// Why a screenshot stays.
pub const SCREENSHOT: &str = "the API accepts only a screenshot as the output of a computer call";

/// Replaces images of an item. All are replaced, or none.
pub fn omit(
    item: Val<'_>,
    omitted: &[OmittedImage],
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), EditRefusal> {
    let parts = media_parts::parts(item);
    let part_of = |image: &OmittedImage| parts.get(image.number as usize).copied();
    let found = omitted.iter().filter_map(|image| Some((part_of(image)?, image)));
    let found: Vec<(MediaPart<'_>, &OmittedImage)> = found.collect();
    // In the result of a function Gemini accepts media only: the text is a file, for models that take it there.
    let response = item.get(name::functionResponse).or_else(|| item.get(name::function_response));
    let files = response.and_then(|response| response.get(name::parts));
    if let Some(list) = files.filter(|_| found.iter().any(|(_, image)| !image.may_be_file)) {
        let goes = |part: Val<'_>| found.iter().any(|(image, _)| image.val.start() == part.start());
        let kept = list.elements().zip(0..).filter(|(part, _)| !goes(*part));
        Sequence::of_list(list, base)?.edit(kept.map(|(_, n)| SequenceSlot::Keep(n)).collect(), out);
        return Ok(());
    }
    for (part, image) in found {
        let text = match files.is_some() {
            true => text_file(part.val, &image.text),
            false => text_part(item, part.val, &image.text).ok_or(EditRefusal(SCREENSHOT))?,
        };
        out.push(Edit { at: base.of(part.val), with: vec![ReplacementPart::text(text)] });
    }
    Ok(())
}

/// A file with a text, with keys like those of an image.
fn text_file(image: Val<'_>, text: &str) -> Vec<u8> {
    let is_snake = image.get(name::inline_data).is_some() || image.get(name::file_data).is_some();
    let (data, mime) = if is_snake { ("inline_data", "mime_type") } else { ("inlineData", "mimeType") };
    let text = STANDARD.encode(text);
    format!(r#"{{"{data}":{{"{mime}":"text/plain","data":"{text}"}}}}"#).into_bytes()
}

/// A text part of the form that an image has; `None` if no text can be there.
fn text_part(item: Val<'_>, image: Val<'_>, text: &str) -> Option<Vec<u8>> {
    let text = string::quoted(text);
    let part_type = match image.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
        None => return Some([br#"{"text":"#, &*text, b"}"].concat()),
        Some(b"computer_screenshot") => return None,
        Some(b"input_image") if item.get(name::role).is_some_and(|role| role.is("assistant")) => "output_text",
        Some(b"input_image") => "input_text",
        Some(_) => "text",
    };
    Some([br#"{"type":""#, part_type.as_bytes(), br#"","text":"#, &*text, b"}"].concat())
}

/// The same for an image in a record of a store: with the ids that its other parts have.
pub fn stored_text_part(image: Val<'_>, text: &str) -> Option<Vec<u8>> {
    const IDS: [&str; 3] = ["id", "messageID", "sessionID"];
    let mut part = text_part(image, image, text)?;
    part.truncate(part.len().checked_sub(1)?);
    for member in image.members().filter(|member| IDS.iter().any(|id| member.key.is(id.as_bytes()))) {
        part.extend([b",\"", member.key.raw, b"\":", member.val.raw()].concat());
    }
    part.push(b'}');
    Some(part)
}
