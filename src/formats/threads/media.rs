//! Images and files in a message, as far as the message holds them.

use crate::format::translate::Stored;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Text};

use super::parts;

/// What a block of Anthropic's, of Chat's or of MCP's holds.
pub(in crate::formats) fn media(block: Val<'_>, from: &Stored<'_>) -> Option<Media> {
    let copied = |val: Option<Val<'_>>| Text::copied(val?, from.base);
    if let Some(url) = copied(block.at(&["image_url", "url"]).or(block.get(name::image_url))) {
        return Some(Media { kind: MediaKind::Image, ..parts::media(url, None, None) });
    }
    let source = block.get(name::source);
    if let Some((source, url)) = source.and_then(|source| Some((source, copied(source.get(name::url))?))) {
        let is_image = block.get(name::r#type).is_some_and(|kind| kind.is("image"));
        let kind = if is_image { MediaKind::Image } else { MediaKind::File };
        return Some(Media { kind, ..parts::media(url, copied(source.get(name::media_type)), None) });
    }
    let source = source.unwrap_or(block);
    let mime = [name::media_type, name::mediaType, name::mimeType].into_iter().find_map(|key| source.get(key));
    Some(parts::media_of_data(copied(mime)?, copied(source.get(name::data))?, None))
}
