//! The images, sounds, videos and files in an item of any dialect. Their forms are all different, so that the form of a part
//! shows what it is without its dialect.

use std::borrow::Cow;

use crate::json::{KeyName, Val, name};
use crate::message::{MediaKind, mime_of_name, split_data_url};

/// Where the content of a part is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SourceForm {
    /// In the part, in base64.
    Data,
    /// The same in a place for URLs or data URLs, without `data:` before it.
    BareData,
    /// At a URL that the server fetches.
    Url,
    /// Uploaded before: the part has its id, or the name that the provider gave it.
    Id,
    /// In a bucket of a cloud: `s3://`, `gs://`.
    Bucket,
    /// A text in the part.
    Plain,
    /// Of a form that is not known, or not there.
    Unknown,
}

/// A part of an item that is an image, a sound, a video or a file.
#[derive(Clone, Copy)]
pub struct MediaPart<'t> {
    /// The part itself.
    pub val: Val<'t>,
    pub kind: MediaKind,
    pub form: SourceForm,
    /// The string with the data, the URL or the id.
    pub source: Option<Val<'t>>,
    /// The member with the type, where that is not in a data URL.
    pub declared: Option<Val<'t>>,
    /// The name of the file.
    pub file_name: Option<Val<'t>>,
    /// It is in the result of a call.
    pub is_in_result: bool,
}

impl<'t> MediaPart<'t> {
    fn new(val: Val<'t>, kind: MediaKind, form: SourceForm, source: Option<Val<'t>>) -> Self {
        let source = source.filter(Val::is_string);
        let form = if source.is_none() && form == SourceForm::Data { SourceForm::Unknown } else { form };
        MediaPart { val, kind, form, source, declared: None, file_name: None, is_in_result: false }
    }

    /// A part whose data and URLs are in the same place.
    fn of_url(val: Val<'t>, kind: MediaKind, url: Option<Val<'t>>) -> Self {
        let form = url.map_or(SourceForm::Unknown, form_of_url);
        MediaPart::new(val, kind, form, url)
    }

    /// The data in base64, without the head of a data URL.
    pub fn data(&self) -> Option<Cow<'t, [u8]>> {
        if !matches!(self.form, SourceForm::Data | SourceForm::BareData) {
            return None;
        }
        let text = self.source?.text()?;
        let Some((_, at)) = split_data_url(&text) else { return Some(text) };
        Some(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.get(at..)?),
            Cow::Owned(text) => Cow::Owned(text.get(at..)?.to_vec()),
        })
    }

    /// The same, unless it is empty.
    pub fn filled_data(&self) -> Option<Cow<'t, [u8]>> {
        self.data().filter(|data| !data.is_empty())
    }

    /// The media type that the part declares, also by the short name of a format.
    pub fn declared_type(&self) -> Option<String> {
        if let Some(word) = self.declared.and_then(|declared| declared.text()) {
            let word = String::from_utf8_lossy(&word).to_ascii_lowercase();
            return match word.contains('/') {
                true => Some(word),
                false => mime_of_format(self.kind, &word),
            };
        }
        let text = self.source.filter(|_| self.form == SourceForm::Data)?.as_str()?;
        let head = text.raw.get(..text.raw.len().min(DATA_URL_HEAD))?;
        let head = crate::json::string::decode(head);
        let (at, _) = split_data_url(&head)?;
        Some(String::from_utf8_lossy(head.get(at)?).to_ascii_lowercase())
    }

    /// The media type by the extension of its name or its URL.
    pub fn likely_type(&self) -> Option<&'static str> {
        let named = |val: Option<Val<'_>>| mime_of_name(&val?.text()?);
        let url = named(self.source.filter(|_| matches!(self.form, SourceForm::Url | SourceForm::Bucket)));
        url.or_else(|| named(self.file_name))
    }

    /// True if the part is a data URL, whose head has the type.
    pub fn is_data_url(&self) -> bool {
        self.declared.is_none() && self.form == SourceForm::Data && self.source.is_some_and(has_data_scheme)
    }
}

/// More bytes than the head of a data URL may have.
const DATA_URL_HEAD: usize = 200;

/// The media type of a format's short name.
fn mime_of_format(kind: MediaKind, word: &str) -> Option<String> {
    let known = match (kind, word) {
        (MediaKind::Audio, "mp3" | "mpeg" | "mpga") => Some("audio/mpeg"),
        (MediaKind::Audio, "mp4" | "m4a") => Some("audio/mp4"),
        (MediaKind::Audio, "webm") => Some("audio/webm"),
        (MediaKind::Video, "mov") => Some("video/quicktime"),
        _ => mime_of_name(format!(".{word}").as_bytes()),
    };
    let class = match kind {
        MediaKind::Image => Some("image"),
        MediaKind::Audio => Some("audio"),
        MediaKind::Video => Some("video"),
        MediaKind::File | MediaKind::Search => None,
    };
    known.map(str::to_owned).or_else(|| Some(format!("{}/{word}", class?)))
}

fn begins(val: Val<'_>, start: &[u8]) -> bool {
    let Some(text) = val.as_str() else { return false };
    // A slash may be escaped.
    let head = crate::json::string::decode(text.raw.get(..text.raw.len().min(64)).unwrap_or_default());
    head.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

fn has_data_scheme(val: Val<'_>) -> bool {
    begins(val, b"data:")
}

fn form_of_url(val: Val<'_>) -> SourceForm {
    let is = |starts: &[&[u8]]| starts.iter().any(|start| begins(val, start));
    match () {
        () if !val.is_string() => SourceForm::Unknown,
        () if has_data_scheme(val) => SourceForm::Data,
        // Google's name of an uploaded file.
        () if is(&[b"https://generativelanguage.googleapis.com/", b"ms://", b"files/"]) => SourceForm::Id,
        () if is(&[b"http://", b"https://"]) => SourceForm::Url,
        () if is(&[b"gs://", b"s3://"]) => SourceForm::Bucket,
        () => SourceForm::BareData,
    }
}

/// The members by which parts without a type are known, in Gemini's and Bedrock's dialects.
const UNTYPED: [KeyName; 8] = [
    name::inlineData,
    name::inline_data,
    name::fileData,
    name::file_data,
    name::image,
    name::document,
    name::video,
    name::audio,
];

/// The part that a value is, if it is one.
pub fn part(val: Val<'_>) -> Option<MediaPart<'_>> {
    match val.get(name::r#type).and_then(|kind| kind.as_str()) {
        Some(kind) => typed_part(val, &kind.decode()),
        None => untyped_part(val),
    }
}

fn typed_part<'t>(val: Val<'t>, kind: &[u8]) -> Option<MediaPart<'t>> {
    use MediaKind::{Audio, File, Image, Video};
    // The URL is a string, or in an object.
    let url = |key: &str| val.get(key).and_then(|url| url.get(name::url).or(Some(url).filter(Val::is_string)));
    Some(match kind {
        b"image_url" => MediaPart::of_url(val, Image, url("image_url")),
        b"video_url" => MediaPart::of_url(val, Video, url("video_url")),
        b"audio_url" => MediaPart::of_url(val, Audio, url("audio_url")),
        b"document_url" => MediaPart::of_url(val, File, url("document_url")),
        b"file_url" => MediaPart::of_url(val, File, url("file_url")),
        b"input_image" | b"computer_screenshot" => with_id(val, Image, val.get(name::image_url), val),
        b"input_audio" => {
            let audio = val.get(name::input_audio)?;
            let data = audio.get(name::data).or(Some(audio));
            let part = MediaPart::new(val, Audio, SourceForm::Data, data);
            MediaPart { declared: audio.get(name::format).filter(Val::is_string), ..part }
        }
        b"file" => {
            let file = val.get(name::file).filter(Val::is_object).unwrap_or(val);
            with_id(val, File, file.get(name::file_data), file)
        }
        b"input_file" => with_id(val, File, val.get(name::file_data).or_else(|| val.get(name::file_url)), val),
        b"image" => of_source(val, Image)?,
        b"document" => of_source(val, File)?,
        b"container_upload" => MediaPart::new(val, File, SourceForm::Id, val.get(name::file_id)),
        _ => return None,
    })
}

/// A part of OpenAI's APIs with a URL or data, or with the id of a file.
fn with_id<'t>(val: Val<'t>, kind: MediaKind, url: Option<Val<'t>>, file: Val<'t>) -> MediaPart<'t> {
    let part = match (url.filter(|url| !url.is_null()), file.get(name::file_id)) {
        (None, Some(id)) => MediaPart::new(val, kind, SourceForm::Id, Some(id)),
        (url, _) => MediaPart::of_url(val, kind, url),
    };
    MediaPart { file_name: file.get(name::filename).filter(Val::is_string), ..part }
}

/// A part of Anthropic's API.
fn of_source(val: Val<'_>, kind: MediaKind) -> Option<MediaPart<'_>> {
    let source = val.get(name::source).filter(Val::is_object)?;
    let part = match source.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
        Some(b"base64") => MediaPart::new(val, kind, SourceForm::Data, source.get(name::data)),
        Some(b"url") => MediaPart::of_url(val, kind, source.get(name::url)),
        Some(b"file") => MediaPart::new(val, kind, SourceForm::Id, source.get(name::file_id)),
        Some(b"text" | b"content") => MediaPart::new(val, kind, SourceForm::Plain, None),
        _ => MediaPart::new(val, kind, SourceForm::Unknown, None),
    };
    let declared = source.get(name::media_type).filter(|_| part.form == SourceForm::Data);
    Some(MediaPart { declared: declared.filter(Val::is_string), ..part })
}

/// A part of Gemini's or Bedrock's API.
fn untyped_part(val: Val<'_>) -> Option<MediaPart<'_>> {
    let get = |key: KeyName| val.get(key).filter(Val::is_object);
    if let Some(data) = get(name::inlineData).or_else(|| get(name::inline_data)) {
        let declared = data.get(name::mimeType).or_else(|| data.get(name::mime_type)).filter(Val::is_string);
        let kind = declared.and_then(|mime| mime.text()).map_or(MediaKind::File, |mime| MediaKind::of_mime(&mime));
        return Some(MediaPart { declared, ..MediaPart::new(val, kind, SourceForm::Data, data.get(name::data)) });
    }
    if let Some(file) = get(name::fileData).or_else(|| get(name::file_data)) {
        let uri = file.get(name::fileUri).or_else(|| file.get(name::file_uri));
        let declared = file.get(name::mimeType).or_else(|| file.get(name::mime_type)).filter(Val::is_string);
        let kind = declared.and_then(|mime| mime.text()).map_or(MediaKind::File, |mime| MediaKind::of_mime(&mime));
        let part = MediaPart::of_url(val, kind, uri);
        let form = if part.form == SourceForm::BareData { SourceForm::Id } else { part.form };
        return Some(MediaPart { declared, form, ..part });
    }
    const BLOCKS: [(KeyName, MediaKind); 4] = [
        (name::image, MediaKind::Image),
        (name::document, MediaKind::File),
        (name::video, MediaKind::Video),
        (name::audio, MediaKind::Audio),
    ];
    let (block, kind) = BLOCKS.iter().find_map(|(key, kind)| Some((get(*key)?, *kind)))?;
    let source = block.get(name::source).filter(Val::is_object)?;
    let part = match (source.get(name::bytes), source.get(name::s3Location)) {
        (Some(bytes), _) => MediaPart::new(val, kind, SourceForm::Data, Some(bytes)),
        (None, Some(place)) => MediaPart::new(val, kind, SourceForm::Bucket, place.get(name::uri)),
        (None, None) => MediaPart::new(val, kind, SourceForm::Plain, None),
    };
    let (declared, file_name) = (block.get(name::format).filter(Val::is_string), block.get(name::name));
    Some(MediaPart { declared, file_name, ..part })
}

/// True for a value that is such a part, without reading it.
fn is_part(val: Val<'_>) -> bool {
    match val.get(name::r#type).and_then(|kind| kind.as_str()) {
        Some(kind) => is_part_type(&kind.decode()),
        None => UNTYPED.iter().any(|key| val.get(*key).is_some_and(|inner| inner.is_object())),
    }
}

/// True for the type of such a part.
pub fn is_part_type(kind: &[u8]) -> bool {
    matches!(
        kind,
        b"image_url"
            | b"input_image"
            | b"image"
            | b"document"
            | b"file"
            | b"input_file"
            | b"input_audio"
            | b"computer_screenshot"
            | b"container_upload"
    ) || is_foreign_type(kind)
}

/// True for the type of a part that compatible servers have, and OpenAI's Chat Completions do not.
pub fn is_foreign_type(kind: &[u8]) -> bool {
    matches!(kind, b"video_url" | b"audio_url" | b"document_url" | b"file_url")
}

/// True if a list of parts has such a part; also for a part instead of a list.
pub fn holds_media(content: Val<'_>) -> bool {
    content.is_array() && content.elements().any(is_part) || content.is_object() && is_part(content)
}

/// The images of an item, each with its number among its media.
pub fn images(item: Val<'_>) -> impl Iterator<Item = (u32, MediaPart<'_>)> {
    (0..).zip(parts(item)).filter(|(_, part)| part.kind == MediaKind::Image)
}

/// The media of an item.
pub fn parts(item: Val<'_>) -> Vec<MediaPart<'_>> {
    let mut parts = Vec::new();
    for_each(item, &mut |part| parts.push(part));
    parts
}

/// Calls `see` with each such part of an item: the item itself, or a part of its content or its result.
pub fn for_each<'t>(item: Val<'t>, see: &mut dyn FnMut(MediaPart<'t>)) {
    if let Some(part) = part(item) {
        return see(part);
    }
    let is = |key: KeyName, text: &str| item.get(key).is_some_and(|val| val.is(text));
    let is_result = is(name::role, "tool") || is(name::r#type, "tool_result");
    let response = item.get(name::functionResponse).or_else(|| item.get(name::function_response));
    let lists = [
        (item.get(name::content), is_result),
        (item.get(name::output), true),
        (item.get(name::toolResult).and_then(|result| result.get(name::content)), true),
        (response.and_then(|response| response.get(name::parts)), true),
    ];
    for (list, is_in_result) in lists {
        let Some(list) = list else { continue };
        let single = Some(list).filter(Val::is_object);
        for part in list.elements().chain(single).filter_map(part) {
            see(MediaPart { is_in_result, ..part });
        }
    }
}
