//! Replaces images with invalid URLs with a text.

use std::borrow::Cow;

use crate::json::edit::RecordBase;
use crate::json::value_edit::EditRefusal;
use crate::json::{Val, name};
use crate::place::Edit;

/// The text that replaces an image with an invalid URL.
const INVALID: &str = "[no image]";

/// A text part of the type that the item's role requires.
fn part(item: Val<'_>) -> String {
    let part_type =
        if item.get(name::role).is_some_and(|role| role.is("assistant")) { "output_text" } else { "input_text" };
    format!(r#"{{"type":"{part_type}","text":"{INVALID}"}}"#)
}

/// The images of an item, and their `image_url`.
fn images<'t>(item: Val<'t>) -> impl Iterator<Item = (Val<'t>, Val<'t>)> {
    let lists = [item.get(name::content), item.get(name::output)].into_iter().flatten();
    let parts = lists
        .flat_map(|list| list.elements())
        .filter(|part| part.get(name::r#type).is_some_and(|t| t.is("input_image")));
    parts.filter_map(|part| Some((part, part.get(name::image_url).filter(Val::is_string)?)))
}

/// True if the server accepts the URL of an image.
fn is_valid(url: Val<'_>) -> bool {
    const SCHEMES: [&[u8]; 3] = [b"http://", b"https://", b"data:"];
    let starts =
        |text: &[u8], scheme: &[u8]| text.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    // A slash may be escaped.
    let head = url.as_str().map(|text| match text.raw.first_chunk::<64>() {
        Some(head) => Cow::Borrowed(head.as_slice()),
        None => text.decode(),
    });
    let head = head.unwrap_or_default();
    SCHEMES.into_iter().any(|scheme| starts(&head, scheme) && (url.size() as usize - 2) > scheme.len())
}

/// The first URL of an image that the server would refuse.
pub fn first_invalid<'t>(item: Val<'t>) -> Option<Val<'t>> {
    images(item).map(|(_, url)| url).find(|url| !is_valid(*url))
}

/// Replaces images with invalid URLs with a text.
pub fn replace_invalid(item: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let invalid = images(item).filter(|(_, url)| !is_valid(*url));
    out.extend(invalid.map(|(image, _)| Edit::replace(base.of(image), part(item))));
    Ok(())
}
