//! Images and files in a message.

use crate::format::translate::ParsedRecord;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Text};

use super::parts;

/// Types of blocks with an image or a file.
const TYPES: [&str; 6] = ["image", "image_url", "input_image", "document", "file", "input_file"];

/// The image or file of a block of Anthropic's, Chat's or MCP's; `None` if a block is in another form.
pub(in crate::formats) fn media(block: Val<'_>, from: &ParsedRecord<'_>) -> Option<Media> {
    let is_one = |kind: Val<'_>| TYPES.iter().any(|name| kind.is(name));
    let is_known = |kind: Val<'_>| kind.is("base64") || kind.is("url");
    if !block.get(name::r#type).is_none_or(is_one) || !block.at(&["source", "type"]).is_none_or(is_known) {
        return None;
    }
    let copied = |val: Option<Val<'_>>| Text::copied(val?, from.base);
    // Kimi's blocks are those of Chat with other names.
    let url = block.at(&["image_url", "url"]).or(block.get(name::image_url)).or(block.at(&["imageUrl", "url"]));
    if let Some(url) = copied(url) {
        return Some(parts::image(url));
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
