//! Images, audio, video and documents, from any source.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{RawJson, Text};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaKind {
    Image,
    Audio,
    Video,
    /// A document or any other file.
    File,
    /// A search result, for the model to cite.
    Search,
}

#[derive(Clone, Debug)]
pub struct Media {
    pub kind: MediaKind,
    pub source: MediaSource,
    /// `image/png`, `application/pdf`; often `None` for a URL or an id.
    pub mime: Option<Text>,
    /// The name of a file.
    pub name: Option<Text>,
    /// OpenAI's `detail` of an image.
    pub detail: Option<Text>,
    /// Context of a document for the model, besides its content.
    pub context: Option<Text>,
    /// The source of a search result.
    pub link: Option<Text>,
    /// The value of `citations`, where the answer is to cite it.
    pub citations: Option<RawJson>,
}

#[derive(Clone, Debug)]
pub enum MediaSource {
    /// Base64.
    Data(Text),
    Url(Text),
    /// The id of a file stored by the provider of this dialect.
    Id(Text, &'static str),
    /// Plain text, in one part or in several that are cited by their number.
    Plain(Vec<Text>),
}

impl Media {
    pub fn new(kind: MediaKind, source: MediaSource) -> Self {
        Media { kind, source, mime: None, name: None, detail: None, context: None, link: None, citations: None }
    }

    pub fn mime(mut self, mime: Option<Text>) -> Self {
        self.mime = mime;
        self
    }

    /// Media from a URL: the data itself if it is a `data:` URL in base64.
    pub fn of_url(kind: MediaKind, url: &Text) -> Self {
        match split_data_url(&url.raw()) {
            Some((mime, data)) => {
                let mime = (!mime.is_empty()).then(|| {
                    match url.raw().get(mime.clone()).and_then(|mime| memchr::memchr(b'\\', mime)) {
                        // Slashes may be escaped.
                        Some(_) => Text::new(&url.slice(mime.start, mime.end).to_plain_string()),
                        None => url.slice(mime.start, mime.end),
                    }
                });
                Media::new(kind, MediaSource::Data(url.slice(data, url.size()))).mime(mime)
            }
            None => Media::new(kind, MediaSource::Url(url.clone())),
        }
    }

    /// A `data:` URL, escaped as in JSON, if the media is data.
    pub fn data_url(&self) -> Option<Text> {
        let MediaSource::Data(data) = &self.source else { return None };
        let mime = self.mime.clone().unwrap_or_else(|| Text::new(self.kind.usual_mime()));
        Some(Text::join([&Text::new("data:"), &mime, &Text::new(";base64,"), data], ""))
    }

    /// Plain text as one text, its title, link and context first; `None` for other media.
    pub fn to_text(&self) -> Option<Text> {
        let MediaSource::Plain(texts) = &self.source else { return None };
        let head: Vec<Text> = self.head();
        let all = Text::join(texts, "\\n");
        Some(if head.is_empty() { all } else { Text::join(head.iter().chain([&all]), "\\n") })
    }

    /// The texts before the content. The name of a file counts as a title only for search results.
    fn head(&self) -> Vec<Text> {
        let title = self.name.iter().filter(|_| self.kind == MediaKind::Search);
        title.chain(&self.link).chain(&self.context).filter(|text| !text.is_blank()).cloned().collect()
    }

    /// The part of the type after the slash: `png`, `pdf`.
    pub fn subtype(&self) -> Option<String> {
        subtype(&String::from_utf8_lossy(&self.mime.as_ref()?.plain()))
    }

    /// The same, guessed from the extension of a URL or a name where no type is given.
    pub fn likely_subtype(&self) -> Option<String> {
        self.subtype().or_else(|| subtype(self.ending()?))
    }

    /// The type, or a guess.
    pub fn likely_mime(&self) -> Text {
        let guess = || Text::new(self.ending().unwrap_or(self.kind.usual_mime()));
        self.mime.clone().unwrap_or_else(guess)
    }

    fn ending(&self) -> Option<&'static str> {
        let url = match &self.source {
            MediaSource::Url(url) => by_ending(url),
            _ => None,
        };
        url.or_else(|| self.name.as_ref().and_then(by_ending))
    }

    /// Decodes data whose type is a text. Returns whether it was one.
    pub fn decode_text(&mut self) -> bool {
        const TEXTS: [&[u8]; 3] = [b"text/", b"application/json", b"application/xml"];
        let MediaSource::Data(data) = &self.source else { return false };
        let Some(mime) = &self.mime else { return false };
        if !TEXTS.iter().any(|start| mime.plain().starts_with(start)) {
            return false;
        }
        let read = STANDARD.decode(data.plain().as_ref()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(text) = read else { return false };
        self.source = MediaSource::Plain(vec![Text::new(&text)]);
        true
    }
}

fn subtype(mime: &str) -> Option<String> {
    let subtype = mime.split_once('/')?.1;
    Some(subtype.split(';').next().unwrap_or(subtype).trim().to_ascii_lowercase())
}

/// Media types by the extension of a name or a URL.
const ENDINGS: [(&str, &str); 29] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("webp", "image/webp"),
    ("gif", "image/gif"),
    ("svg", "image/svg+xml"),
    ("heic", "image/heic"),
    ("pdf", "application/pdf"),
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("json", "application/json"),
    ("xml", "text/xml"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("mp3", "audio/mp3"),
    ("wav", "audio/wav"),
    ("flac", "audio/flac"),
    ("ogg", "audio/ogg"),
    ("mp4", "video/mp4"),
    ("mov", "video/mov"),
    ("mkv", "video/mkv"),
    ("webm", "video/webm"),
    ("avi", "video/avi"),
];

fn by_ending(name: &Text) -> Option<&'static str> {
    mime_of_name(&name.plain())
}

/// True for a media type of the table.
pub fn is_known_type(mime: &str) -> bool {
    ENDINGS.iter().any(|(_, known)| *known == mime) || super::media_bytes::is_known_type(mime)
}

/// The media type that the extension of a name or a URL stands for.
pub fn mime_of_name(name: &[u8]) -> Option<&'static str> {
    let plain = String::from_utf8_lossy(name).to_ascii_lowercase();
    let path = plain.split(['?', '#']).next().unwrap_or_default();
    let (_, ending) = path.rsplit_once('.')?;
    ENDINGS.iter().find(|(own, _)| *own == ending).map(|(_, mime)| *mime)
}

impl MediaKind {
    /// The kind of a media type.
    pub fn of_mime(mime: &[u8]) -> MediaKind {
        match mime.split(|b| *b == b'/').next() {
            Some(b"image") => MediaKind::Image,
            Some(b"audio") => MediaKind::Audio,
            Some(b"video") => MediaKind::Video,
            _ => MediaKind::File,
        }
    }

    /// The type that is assumed where the source gives none.
    fn usual_mime(self) -> &'static str {
        match self {
            MediaKind::Image => "image/png",
            MediaKind::Audio => "audio/wav",
            MediaKind::Video => "video/mp4",
            MediaKind::File => "application/pdf",
            MediaKind::Search => "text/plain",
        }
    }
}

/// The range of the type in `data:<type>;base64,<data>`, and the offset of the data.
pub fn split_data_url(url: &[u8]) -> Option<(Range<usize>, usize)> {
    const SCHEME: &[u8] = b"data:";
    let rest = url.strip_prefix(SCHEME)?;
    let comma = memchr::memchr(b',', rest)?;
    let head = rest.get(..comma)?.strip_suffix(b";base64")?;
    let end = memchr::memchr(b';', head).unwrap_or(head.len());
    Some((SCHEME.len()..SCHEME.len() + end, SCHEME.len() + comma + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_urls_are_taken_apart_and_put_together() {
        for url in ["data:image/png;base64,iVBO", "data:application/pdf;base64,JVBE"] {
            let media = Media::of_url(MediaKind::Image, &Text::new(url));
            assert!(matches!(media.source, MediaSource::Data(_)));
            assert_eq!(media.data_url(), Some(Text::new(url)));
        }
        let media = Media::of_url(MediaKind::Image, &Text::of_raw(*br"data:image\/png;base64,iV\/BO"));
        assert_eq!(media.subtype().as_deref(), Some("png"));
        let media = Media::of_url(MediaKind::Image, &Text::new("https://example.com/a.png"));
        assert!(matches!(media.source, MediaSource::Url(_)));
    }
}
