//! Images and files in a message, as far as the message holds them.

use crate::format::translate::Stored;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Text};

use super::parts;

/// Types of blocks that hold an image or a file.
const TYPES: [&str; 6] = ["image", "image_url", "input_image", "document", "file", "input_file"];

/// What a block of Anthropic's or of Chat's holds. `None` of one in a form that neither has.
pub(super) fn media(block: Val<'_>, from: &Stored<'_>) -> Option<Media> {
    let is_one = |kind: Val<'_>| TYPES.iter().any(|name| kind.is(name));
    let is_known = |kind: Val<'_>| kind.is("base64") || kind.is("url");
    if !block.get(name::r#type).is_none_or(is_one) || !block.at(&["source", "type"]).is_none_or(is_known) {
        return None;
    }
    let copied = |val: Option<Val<'_>>| Text::copied(val?, from.base);
    if let Some(url) = copied(block.at(&["image_url", "url"]).or(block.get(name::image_url))) {
        return Some(Media { kind: MediaKind::Image, ..parts::media(url, None, None) });
    }
    let source = block.get(name::source)?;
    if let Some(url) = copied(source.get(name::url)) {
        let is_image = block.get(name::r#type).is_some_and(|kind| kind.is("image"));
        let kind = if is_image { MediaKind::Image } else { MediaKind::File };
        return Some(Media { kind, ..parts::media(url, copied(source.get(name::media_type)), None) });
    }
    let mime = copied(source.get(name::media_type).or(source.get(name::mediaType)))?;
    Some(parts::media_of_data(mime, copied(source.get(name::data))?, None))
}
