//! Replaces images of an item with smaller ones, in every dialect: the data, and the type where it stands.

use crate::dialect::{EditRefusal, SmallerImage};
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::message::smaller_image::EncodedImage;
use crate::place::Edit;

use super::media_parts;

const NO_DATA: EditRefusal = EditRefusal("the data of the image are not where they are expected");

/// Replaces images of an item. All are replaced, or none.
pub fn shrink(
    item: Val<'_>,
    images: &[SmallerImage],
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), EditRefusal> {
    let parts = media_parts::parts(item);
    for SmallerImage { number, image } in images {
        let part = parts.get(*number as usize).ok_or(NO_DATA)?;
        let source = part.source.ok_or(NO_DATA)?;
        out.push(Edit::replace(base.of(source), source_text(source, image).ok_or(NO_DATA)?));
        out.extend(part.declared.and_then(|declared| retype(declared, image, base)));
    }
    Ok(())
}

/// The string with the data of a smaller image: a data URL in place of one. `None` if a string holds something else.
pub fn source_text(source: Val<'_>, image: &EncodedImage) -> Option<Vec<u8>> {
    let old = source.as_str()?.raw;
    let Some(head_end) = old.iter().position(|b| *b == b',') else {
        return Some([b"\"", image.text.as_bytes(), b"\""].concat());
    };
    let head = old.get(..head_end)?;
    let (scheme, rest) =
        head.split_at_checked(SCHEME.len()).filter(|(own, _)| own.eq_ignore_ascii_case(SCHEME))?;
    let parameters = rest.iter().position(|b| *b == b';').and_then(|at| rest.get(at..))?;
    let (mime, text) = (image.mime.as_bytes(), image.text.as_bytes());
    Some([b"\"", scheme, mime, parameters, b",", text, b"\""].concat())
}

const SCHEME: &[u8] = b"data:";

/// The edit of the text of a declared type; `None` if it is right. The short names of formats have no `image/`.
pub fn retype(declared: Val<'_>, image: &EncodedImage, base: RecordBase<'_>) -> Option<Edit> {
    let old = declared.text()?;
    let short = image.mime.strip_prefix("image/").filter(|_| !old.contains(&b'/'));
    let new = short.unwrap_or(image.mime);
    // Only what is between the quotes: the name of a type is no content that would be removed.
    let inside = base.place(declared.start() + 1, declared.end().checked_sub(1)?);
    (*old != *new.as_bytes()).then(|| Edit::replace(inside, new))
}
