//! What a user's message holds: texts, images and files, in the forms of the providers and in LangChain's own.

use crate::formats::spoken::{Media, Says};
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

/// A block of a message of the user's, or a text.
pub(super) fn input(block: Val<'_>, base: Base<'_>) -> Option<Says> {
    let at = base.of(block);
    let text = if block.is_string() { Some(block) } else { block.get(name::text) };
    if let Some(text) = text.filter(|text| text.is_string()) {
        return Some(Says::Text { text: Pieced::of(text, base), id: None, at });
    }
    let kind = block.get(name::r#type)?.text()?;
    let is_media =
        matches!(&*kind, b"image_url" | b"image" | b"input_image" | b"file" | b"document" | b"input_file");
    is_media.then(|| media(block, base)).flatten().map(Says::Media)
}

fn media(block: Val<'_>, base: Base<'_>) -> Option<Media> {
    let at = base.of(block);
    let is_text = |val: &Val<'_>| val.is_string();
    let paths: [&[&str]; 6] = [
        &["image_url", "url"],
        &["image_url"],
        &["url"],
        &["file", "file_data"],
        &["source", "url"],
        &["file_data"],
    ];
    let url = paths.iter().find_map(|path| block.at(path).filter(is_text));
    let data =
        [&["base64"][..], &["data"], &["source", "data"]].iter().find_map(|path| block.at(path).filter(is_text));
    let mime =
        [&["mime_type"][..], &["source", "media_type"]].iter().find_map(|path| block.at(path).filter(is_text));
    let name = [&["filename"][..], &["file", "filename"]].iter().find_map(|path| block.at(path).filter(is_text));
    let is_image = block
        .get(name::r#type)
        .and_then(|kind| kind.text())
        .is_some_and(|kind| kind.starts_with(b"im") || &*kind == b"input_image");
    let mut media = Media::of(url.or(data)?, mime, name, base, at);
    media.is_image |= is_image;
    if let (None, Some(data)) = (url, data) {
        // The content by itself.
        let mime = mime.map_or_else(|| Pieced::text("image/png", at), |mime| Pieced::of(mime, base));
        let data = Pieced::of(data, base);
        (media.url, media.data) = (Pieced::data_url(mime, data.clone(), at), Some(data));
    }
    Some(media)
}
