//! Images and files in a message, as far as the message holds them.

use crate::format::translate::Stored;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Text};

use super::parts;

/// What a block of Anthropic's or of Chat's holds.
pub(super) fn media(block: Val<'_>, from: &Stored<'_>) -> Option<Media> {
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
