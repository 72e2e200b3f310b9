//! Images, audio, video and documents, by whatever way they come.

use super::Text;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaKind {
    Image,
    Audio,
    Video,
    /// A document or any other file.
    File,
}

#[derive(Clone, Debug)]
pub struct Media {
    pub kind: MediaKind,
    pub source: Source,
    /// `image/png`, `application/pdf`; unknown behind a URL or an id.
    pub mime: Option<Text>,
    /// The name of a file.
    pub name: Option<Text>,
    /// OpenAI's `detail` of an image.
    pub detail: Option<Text>,
}

#[derive(Clone, Debug)]
pub enum Source {
    /// Base64.
    Data(Text),
    Url(Text),
    /// A file that the provider of this dialect holds.
    Id(Text, &'static str),
    /// A document that is plain text.
    Plain(Text),
}

impl Media {
    pub fn new(kind: MediaKind, source: Source) -> Self {
        Media { kind, source, mime: None, name: None, detail: None }
    }

    pub fn mime(mut self, mime: Option<Text>) -> Self {
        self.mime = mime;
        self
    }

    /// Of a URL: the data itself if it is a `data:` URL in base64.
    pub fn of_url(kind: MediaKind, url: &Text) -> Self {
        match split_data_url(url.raw()) {
            Some((mime, data)) => {
                let mime = (!mime.is_empty()).then(|| Text::of_raw(mime));
                Media::new(kind, Source::Data(Text::of_raw(data))).mime(mime)
            }
            None => Media::new(kind, Source::Url(url.clone())),
        }
    }

    /// A `data:` URL, as it stands in JSON, if the media is data.
    pub fn data_url(&self) -> Option<Text> {
        let Source::Data(data) = &self.source else { return None };
        let mime = self.mime.as_ref().map_or(self.kind.usual_mime().as_bytes(), |mime| mime.raw());
        Some(Text::of_raw([b"data:", mime, b";base64,", data.raw()].concat()))
    }

    /// The part of the type behind the slash: `png`, `pdf`.
    pub fn subtype(&self) -> Option<String> {
        let mime = self.mime.as_ref()?.plain().into_owned();
        let text = String::from_utf8(mime).ok()?;
        let subtype = text.split_once('/')?.1;
        Some(subtype.split(';').next().unwrap_or(subtype).trim().to_ascii_lowercase())
    }
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
        }
    }
}

/// `data:<type>;base64,<data>`; the text may hold escaped slashes.
fn split_data_url(url: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let rest = url.strip_prefix(b"data:")?;
    let comma = memchr::memchr(b',', rest)?;
    let head = rest[..comma].strip_suffix(b";base64")?;
    let mime = head.split(|b| *b == b';').next().unwrap_or_default();
    Some((mime.iter().copied().filter(|b| *b != b'\\').collect(), &rest[comma + 1..]))
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
