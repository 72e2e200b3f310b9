//! Texts, images and files of a message, in the forms of the providers and in LangChain's own.

use crate::formats::threads::{DialectChoice, parts};
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Opaque, OpaqueKind, Part, RawJson, ResultPart, Text};

/// A block of a message, or a string.
pub(super) fn part(block: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(block).into();
    let part = match text(block, base) {
        Some(text) => Part::text(text, at),
        None => Part::new(media(block, base)?.into(), at),
    };
    Some(Part { cache: cache(block, base), ..part })
}

/// Anthropic's cache mark on a block.
pub(super) fn cache(block: Val<'_>, base: RecordBase<'_>) -> Option<RawJson> {
    block.get(name::cache_control).filter(|mark| !mark.is_null()).map(|mark| RawJson::copied(mark, base))
}

/// The content of a result: its texts as one if there is nothing else; its JSON if no block is known.
pub(super) fn result(list: Val<'_>, dialect: DialectChoice, base: RecordBase<'_>) -> Vec<ResultPart> {
    let of_block = |block: Val<'_>| match text(block, base) {
        Some(text) => Some(ResultPart::Text(text)),
        // Anthropic's own blocks are sent unchanged.
        None if dialect == DialectChoice::Anthropic && is_anthropic_block(block) => {
            let opaque =
                Opaque { dialect: "anthropic", kind: OpaqueKind::Unknown, raw: RawJson::copied(block, base) };
            Some(ResultPart::Opaque(opaque, base.of(block).into()))
        }
        None => media(block, base).map(|media| ResultPart::media(media, base.of(block).into())),
    };
    let all: Vec<ResultPart> = list.elements().filter_map(of_block).collect();
    match all.is_empty() {
        true => vec![ResultPart::Text(Text::of_json(list, base))],
        false => parts::join_texts(all, base.of(list)),
    }
}

fn is_anthropic_block(block: Val<'_>) -> bool {
    block.get(name::source).is_some() && block.get(name::r#type).is_some_and(|kind| kind.is("image"))
}

fn text(block: Val<'_>, base: RecordBase<'_>) -> Option<Text> {
    Text::copied(if block.is_string() { block } else { block.get(name::text)? }, base)
}

fn media(block: Val<'_>, base: RecordBase<'_>) -> Option<Media> {
    let kind = block.get(name::r#type)?.text()?;
    let is_image = matches!(&*kind, b"image_url" | b"image" | b"input_image");
    if !is_image && !matches!(&*kind, b"file" | b"document" | b"input_file" | b"audio" | b"video") {
        return None;
    }
    let first = |paths: &[&[&str]]| paths.iter().find_map(|path| Text::copied(block.at(path)?, base));
    let url = first(&[
        &["image_url", "url"],
        &["image_url"],
        &["url"],
        &["file", "file_data"],
        &["source", "url"],
        &["file_data"],
    ]);
    let mime = first(&[&["mime_type"], &["source", "media_type"]]);
    let name = first(&[&["filename"], &["file", "filename"]]);
    let media = match url {
        Some(url) => parts::media(url, mime, name),
        // The content without a URL.
        None => {
            let data = first(&[&["base64"], &["data"], &["source", "data"]])?;
            parts::media_of_data(mime.unwrap_or_else(|| Text::synthetic("image/png", base.of(block))), data, name)
        }
    };
    let citations = block.get(name::citations).filter(|own| own.is_object());
    Some(Media {
        kind: if is_image { MediaKind::Image } else { media.kind },
        name: first(&[&["title"]]).or(media.name),
        context: first(&[&["context"]]),
        citations: citations.map(|own| RawJson::copied(own, base)),
        detail: first(&[&["image_url", "detail"], &["detail"]]),
        ..media
    })
}
