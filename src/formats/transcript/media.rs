//! Images and files in a message, as far as the message holds them.

use crate::format::translate::Stored;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

use super::super::spoken::Media;

/// What a block of Anthropic's or of Chat's holds.
pub(super) fn media(block: Val<'_>, from: &Stored<'_>) -> Option<Media> {
    let (at, base) = (from.base.of(block), from.base);
    if let Some(url) = block.at(&["image_url", "url"]).or(block.get(name::image_url)).filter(Val::is_string) {
        let is_image = true;
        return Some(Media { is_image, ..Media::of(url, None, None, base, at) });
    }
    let source = block.get(name::source)?;
    if let Some(url) = source.get(name::url).filter(Val::is_string) {
        let is_image = block.get(name::r#type).is_some_and(|kind| kind.is("image"));
        return Some(Media { is_image, ..Media::of(url, source.get(name::media_type), None, base, at) });
    }
    let mime = source.get(name::media_type).or(source.get(name::mediaType)).filter(Val::is_string)?;
    let data = source.get(name::data).filter(Val::is_string)?;
    Some(of_data(mime, data, block, from))
}

/// An image or a file whose type and content lie in strings of their own.
fn of_data(mime: Val<'_>, data: Val<'_>, whole: Val<'_>, from: &Stored<'_>) -> Media {
    let (at, base) = (from.base.of(whole), from.base);
    let is_image = mime.text().is_some_and(|mime| mime.starts_with(b"image"));
    let (mime, data) = (Pieced::of(mime, base), Pieced::of(data, base));
    let url = Pieced::data_url(mime.clone(), data.clone(), at);
    Media { is_image, mime, url, data: Some(data), name: None, at }
}
