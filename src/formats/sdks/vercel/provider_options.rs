//! What messages and parts of the AI SDK keep for single providers: ids and encrypted content of OpenAI, signatures, cache
//! marks, details of images. Each provider reads the members under its own name.

use crate::formats::threads::{DialectChoice, parts};
use crate::history::Role;
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, MediaSource, Message, PartKind, RawJson, ResultPart, Text};

/// Names under which OpenAI's API is used.
const OPENAI: &[&str] = &["openai", "azure"];
/// Names under which Claude is used. Bedrock keeps the same for it.
const ANTHROPIC: &[&str] = &["anthropic", "bedrock", "amazonBedrock"];
/// Names under which Gemini is used.
const GOOGLE: &[&str] = &["google", "googleVertex", "vertex"];
/// Names and members of a mark after which the prompt is cached.
const CACHE_MARKS: [[&str; 2]; 5] = [
    ["anthropic", "cacheControl"],
    ["anthropic", "cache_control"],
    ["bedrock", "cachePoint"],
    ["amazonBedrock", "cachePoint"],
    ["openrouter", "cacheControl"],
];
/// Members of a file's options that only Anthropic's documents have.
const DOCUMENT: [&str; 3] = ["citations", "title", "context"];

/// The providers for which a conversation keeps something.
#[derive(Default)]
pub struct Providers {
    openai: bool,
    azure: bool,
    /// True if reasoning has its content: the server stores nothing.
    has_blobs: bool,
    /// True if reasoning is signed by Claude.
    anthropic: bool,
    google: bool,
    /// True if there is a file by the model, or a video, which only Gemini has.
    has_gemini_media: bool,
    /// True if only Anthropic's blocks have all of it: a cache mark, options of a document, an error mark.
    has_marks: bool,
    /// True if Chat Completions has no place for something: media in a result, a document by its URL or without a name.
    has_blocks: bool,
    /// True if images have a detail, which Anthropic's do not.
    has_detail: bool,
}

impl Providers {
    /// The dialect in which the messages are sent, and the target if it is not the default of the dialect: that of the
    /// provider whose ids or signatures they have, else the one that has most of what is in them.
    pub fn dialect(&self) -> (DialectChoice, Option<&'static str>) {
        match self {
            Providers { azure: true, .. } => (DialectChoice::Responses, Some("azure")),
            Providers { openai: true, has_blobs: true, .. } => {
                (DialectChoice::Responses, Some("openai-stateless"))
            }
            Providers { openai: true, .. } => (DialectChoice::Responses, None),
            Providers { anthropic: true, .. } => (DialectChoice::Anthropic, None),
            Providers { google: true, .. } => (DialectChoice::Gemini, None),
            Providers { has_marks: true, .. } => (DialectChoice::Anthropic, None),
            Providers { has_gemini_media: true, .. } => (DialectChoice::Gemini, None),
            Providers { has_blocks: true, has_detail: true, .. } => (DialectChoice::Responses, None),
            Providers { has_blocks: true, .. } => (DialectChoice::Anthropic, None),
            _ => (DialectChoice::Chat, None),
        }
    }

    /// Adds the providers of a message's or a part's options.
    pub fn observe(&mut self, options: Option<Val<'_>>) {
        let has = |names: &[&str], key: &str| option(options, names, key).is_some_and(|val| val.is_string());
        self.has_blobs |= has(&["openai"], "reasoningEncryptedContent");
        self.openai |= has(&["openai"], "itemId") || self.has_blobs;
        self.azure |= has(&["azure"], "itemId");
        self.anthropic |= ["signature", "redactedData", "redactedContent"].iter().any(|key| has(ANTHROPIC, key));
        self.google |= has(GOOGLE, "thoughtSignature");
        self.has_detail |= has(OPENAI, "imageDetail");
        self.has_marks |= cache_mark(options).is_some()
            || DOCUMENT.iter().any(|key| option(options, &["anthropic"], key).is_some());
    }

    /// Adds the provider that stores a file.
    pub fn observe_file_of(&mut self, provider: &str) {
        self.openai |= OPENAI.contains(&provider);
        self.anthropic |= ANTHROPIC.contains(&provider);
        self.google |= GOOGLE.contains(&provider);
    }

    /// Adds that Anthropic's server ran a tool.
    pub fn observe_anthropic_tool(&mut self) {
        self.anthropic = true;
    }

    /// Adds what the parts of a message need.
    pub fn observe_parts(&mut self, message: &Message) {
        for part in &message.parts {
            match &part.kind {
                PartKind::Media(_) if message.role == Role::Assistant => self.has_gemini_media = true,
                PartKind::Media(media) if media.kind == MediaKind::Video => self.has_gemini_media = true,
                PartKind::Media(media) => self.has_blocks |= is_document_for_blocks(media),
                PartKind::Result(result) => {
                    self.has_marks |= result.is_error;
                    self.has_blocks |= result.parts.iter().any(|part| matches!(part, ResultPart::Media(..)));
                }
                _ => {}
            }
        }
    }
}

/// True for a document that has a URL, or no name: in Chat Completions it has its content, and a name.
fn is_document_for_blocks(media: &Media) -> bool {
    media.kind == MediaKind::File && (media.name.is_none() || matches!(media.source, MediaSource::Url(_)))
}

/// The options of a message or a part, by any of the names that they had.
pub fn of(val: Val<'_>) -> Option<Val<'_>> {
    ["providerOptions", "providerMetadata", "experimental_providerMetadata"].iter().find_map(|key| val.get(key))
}

/// A member of the options of the first of these providers that has it.
fn option<'v>(options: Option<Val<'v>>, names: &[&str], key: &str) -> Option<Val<'v>> {
    names.iter().find_map(|provider| options?.at(&[*provider, key])).filter(|val| !val.is_null())
}

/// A member of OpenAI's or Azure's.
pub fn openai(options: Option<Val<'_>>, key: &str, base: RecordBase<'_>) -> Option<Text> {
    parts::text(option(options, OPENAI, key), base)
}

/// A member of Anthropic's, which may be an empty text.
pub fn anthropic(options: Option<Val<'_>>, key: &str, base: RecordBase<'_>) -> Option<Text> {
    Text::copied(option(options, ANTHROPIC, key)?, base)
}

/// Gemini's thought signature.
pub fn thought_signature(options: Option<Val<'_>>, base: RecordBase<'_>) -> Option<Text> {
    parts::text(option(options, GOOGLE, "thoughtSignature"), base)
}

/// The cache mark, as the provider has it.
pub fn cache(options: Option<Val<'_>>, base: RecordBase<'_>) -> Option<RawJson> {
    cache_mark(options).map(|mark| RawJson::copied(mark, base))
}

fn cache_mark(options: Option<Val<'_>>) -> Option<Val<'_>> {
    CACHE_MARKS.iter().find_map(|[provider, key]| option(options, &[provider], key))
}

/// The request to cite a document; `None` unless it is enabled.
pub fn citations(options: Option<Val<'_>>, base: RecordBase<'_>) -> Option<RawJson> {
    let own = option(options, ANTHROPIC, "citations")?;
    let is_enabled = own.get(name::enabled).is_some_and(|on| on.as_bool() == Some(true));
    is_enabled.then(|| RawJson::copied(own, base))
}
