//! What targets, and their models, make of images, sounds, videos and files. Rows of the tables in `targets/media.rs`.

use crate::dialects::media_parts::SourceForm;
use crate::message::MediaKind;

/// A kind of part at a target: accepted, or refused with a certain answer.
pub struct PartRow {
    /// Names of targets.
    pub targets: &'static [&'static str],
    /// Patterns of models, as for [`matches_model`].
    pub models: &'static [&'static str],
    pub kinds: &'static [MediaKind],
    /// Empty for all.
    pub forms: &'static [SourceForm],
    /// Only in results of calls, or only outside of them; `None` for both.
    pub in_results: Option<bool>,
    /// `None`: it is accepted.
    pub answer: Option<PartRefusal>,
}

/// How a part is refused; the variants of the rule `unsupported-part`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PartRefusal {
    /// Recorded or documented, in words that are not known.
    Known,
    /// Reported, or in somebody else's table.
    Reported,
    ChatAudio,
    UnknownVariant,
    BedrockBlock,
    BedrockBucket,
    NovaResult,
    NoModality,
    AnthropicUrl,
    OllamaUrl,
    OllamaPart,
    LlamaPart,
    ChatType,
}

/// A check of the content of parts at a target.
pub struct MediaRow {
    /// Names of targets.
    pub targets: &'static [&'static str],
    /// Patterns of models, as for [`matches_model`].
    pub models: &'static [&'static str],
    pub check: MediaCheck,
}

/// What is checked.
#[derive(Clone, Copy, Debug)]
pub enum MediaCheck {
    /// These kinds of parts have one of these types.
    Types(&'static [MediaKind], &'static [&'static str], TypeRefusal),
    /// The same, for parts in results of calls.
    ResultTypes(&'static [MediaKind], &'static [&'static str], TypeRefusal),
    /// Files, inline or at a URL, do not have a type that begins so.
    NoTypes(&'static [SourceForm], &'static str, TypeRefusal),
    /// The declared type of an image is that of its bytes.
    DeclaredType(MismatchRefusal),
    /// The bytes of an image are an image.
    KnownBytes(MismatchRefusal),
    /// Inline data are not empty.
    Data(EmptyRefusal),
    /// Inline data are base64.
    Base64(Base64Refusal),
    /// Inline files and images are data URLs.
    Prefix(&'static [MediaKind], PrefixRefusal),
    Limit(MediaLimit, Certainty),
}

/// The variants of the rule `media-type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum TypeRefusal {
    ResponsesFile,
    ResponsesUrl,
    Anthropic,
    Known,
    Reported,
}

/// The variants of the rule `mismatched-media-type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum MismatchRefusal {
    Anthropic,
    Reported,
    AnthropicBytes,
    ReportedBytes,
}

/// The variants of the rule `empty-media`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum EmptyRefusal {
    Anthropic,
    Known,
    Inferred,
}

/// The variants of the rule `invalid-base64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Base64Refusal {
    Chat,
    Known,
    Inferred,
}

/// The variants of the rule `media-without-prefix`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PrefixRefusal {
    ChatFile,
    Inferred,
}

/// A limit of a request's media.
#[derive(Clone, Copy, Debug)]
pub enum MediaLimit {
    /// Characters of base64 of an image.
    ImageText(u32),
    /// Bytes of an image.
    ImageBytes(u32),
    /// Bytes of a file that is not one of these types.
    FileBytes(u32, &'static [&'static str]),
    /// Width or height of an image in pixels.
    Side(u32),
    /// The same, if a request has more images than the first number.
    SideOfMany(u32, u32),
    /// Images, or images and documents, of a request.
    Count(&'static [MediaKind], u32),
    /// Bytes of a request.
    Body(u32),
}

/// How a limit is known: the variants of the rules about limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Certainty {
    Documented,
    Reported,
}

/// True if a pattern matches a model, by its name without vendor as in [`matches_pattern`](super::matches_pattern). A `*` at the
/// start means anywhere in the whole name; the empty pattern matches all models, also unknown ones.
pub fn matches_model(pattern: &str, model: Option<&str>) -> bool {
    match (pattern.strip_prefix('*'), model) {
        (Some(part), Some(model)) => model.contains(part),
        (None, Some(model)) => super::matches_pattern(pattern, super::strip_vendor(model)),
        (_, None) => pattern.is_empty(),
    }
}
