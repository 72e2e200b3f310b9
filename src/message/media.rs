//! Images, audio, video and documents, by whatever way they come.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Raw, Text};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaKind {
    Image,
    Audio,
    Video,
    /// A document or any other file.
    File,
    /// What a search found, for the model to cite.
    Search,
}

#[derive(Clone, Debug)]
pub struct Media {
    pub kind: MediaKind,
    pub source: Source,
    /// `image/png`, `application/pdf`; unknown for a URL or an id.
    pub mime: Option<Text>,
    /// The name of a file.
    pub name: Option<Text>,
    /// OpenAI's `detail` of an image.
    pub detail: Option<Text>,
    /// What the model is to know of a document besides what it says.
    pub context: Option<Text>,
    /// Where what was found comes from.
    pub link: Option<Text>,
    /// The answer is to cite it: the value of `citations`.
    pub cited: Option<Raw>,
}

#[derive(Clone, Debug)]
pub enum Source {
    /// Base64.
    Data(Text),
    Url(Text),
    /// A file that the provider of this dialect holds.
    Id(Text, &'static str),
    /// Plain text, in one piece or in several that are cited by their number.
    Plain(Vec<Text>),
}

impl Media {
    pub fn new(kind: MediaKind, source: Source) -> Self {
        Media { kind, source, mime: None, name: None, detail: None, context: None, link: None, cited: None }
    }

    pub fn mime(mut self, mime: Option<Text>) -> Self {
        self.mime = mime;
        self
    }

    /// Of a URL: the data itself if it is a `data:` URL in base64.
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
                Media::new(kind, Source::Data(url.slice(data, url.size()))).mime(mime)
            }
            None => Media::new(kind, Source::Url(url.clone())),
        }
    }

    /// A `data:` URL, as it stands in JSON, if the media is data.
    pub fn data_url(&self) -> Option<Text> {
        let Source::Data(data) = &self.source else { return None };
        let mime = self.mime.clone().unwrap_or_else(|| Text::new(self.kind.usual_mime()));
        Some(Text::join([&Text::new("data:"), &mime, &Text::new(";base64,"), data], ""))
    }

    /// What it says as one text, if it is plain text: what is known about it comes first.
    pub fn told(&self) -> Option<Text> {
        let Source::Plain(texts) = &self.source else { return None };
        let head: Vec<Text> = self.head();
        let all = Text::join(texts, "\\n");
        Some(if head.is_empty() { all } else { Text::join(head.iter().chain([&all]), "\\n") })
    }

    /// What the model is to know of it besides what it says. The name of a file is a title only of what was found.
    fn head(&self) -> Vec<Text> {
        let title = self.name.iter().filter(|_| self.kind == MediaKind::Search);
        title.chain(&self.link).chain(&self.context).filter(|text| !text.is_blank()).cloned().collect()
    }

    /// The part of the type after the slash: `png`, `pdf`.
    pub fn subtype(&self) -> Option<String> {
        subtype(&String::from_utf8_lossy(&self.mime.as_ref()?.plain()))
    }

    /// The same as far as the end of a URL or of a name tells, where no type is given.
    pub fn likely_subtype(&self) -> Option<String> {
        self.subtype().or_else(|| subtype(self.ending()?))
    }

    /// The type, or what it is taken for.
    pub fn likely_mime(&self) -> Text {
        let guess = || Text::new(self.ending().unwrap_or(self.kind.usual_mime()));
        self.mime.clone().unwrap_or_else(guess)
    }

    fn ending(&self) -> Option<&'static str> {
        let url = match &self.source {
            Source::Url(url) => by_ending(url),
            _ => None,
        };
        url.or_else(|| self.name.as_ref().and_then(by_ending))
    }

    /// Data that is a text becomes one; whether it was one.
    pub fn read_text(&mut self) -> bool {
        const TEXTS: [&[u8]; 3] = [b"text/", b"application/json", b"application/xml"];
        let Source::Data(data) = &self.source else { return false };
        let Some(mime) = &self.mime else { return false };
        if !TEXTS.iter().any(|start| mime.plain().starts_with(start)) {
            return false;
        }
        let read = STANDARD.decode(data.plain().as_ref()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(text) = read else { return false };
        self.source = Source::Plain(vec![Text::new(&text)]);
        true
    }
}

fn subtype(mime: &str) -> Option<String> {
    let subtype = mime.split_once('/')?.1;
    Some(subtype.split(';').next().unwrap_or(subtype).trim().to_ascii_lowercase())
}

/// Types by the end of a name or of a URL.
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
    let plain = String::from_utf8_lossy(&name.plain()).to_ascii_lowercase();
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

    /// What is taken for the type where the source does not say it.
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

/// Of `data:<type>;base64,<data>` where the type is, and where the data begin.
fn split_data_url(url: &[u8]) -> Option<(Range<usize>, usize)> {
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
            assert!(matches!(media.source, Source::Data(_)));
            assert_eq!(media.data_url(), Some(Text::new(url)));
        }
        let media = Media::of_url(MediaKind::Image, &Text::of_raw(*br"data:image\/png;base64,iV\/BO"));
        assert_eq!(media.subtype().as_deref(), Some("png"));
        let media = Media::of_url(MediaKind::Image, &Text::new("https://example.com/a.png"));
        assert!(matches!(media.source, Source::Url(_)));
    }
}
