//! Conversations without a dialect. A request is read as a thread, and one of another dialect is written from it; a store
//! whose records are not messages of a provider is read as threads; sessions of agents are written from one.
//!
//! Parts are owned and know the place of their source, so that a loss is reported where it happened; texts of a store know
//! it range by range, so that written text can be traced back. The texts of a large conversation are kept in a temporary
//! file. Texts keep their escapes and values their JSON: most of a conversation is copied and never read. Values that only
//! their own dialect understands are kept raw, with that dialect's name.

pub mod capabilities;
#[cfg(feature = "images")]
mod image_codec;
pub mod losses;
mod media;
pub mod media_bytes;
pub mod members;
mod open_calls;
pub mod pair_results;
#[cfg(feature = "images")]
mod scaled_pixels;
mod settings;
pub mod settings_map;
pub mod shrink;
pub mod smaller_image;
mod spill;
mod spill_file;
#[cfg(test)]
pub mod test_parts;
mod text;
mod thread;
pub mod token_estimate;
mod tools;
pub mod write;

use crate::place::Place;

pub use crate::history::Role;
pub use capabilities::{Capabilities, Chars, IdRule, MAX_CHAT_CALLS, MediaSupport, SearchCapabilities};
pub use losses::{ConversionLoss, LossKind, Losses};
pub use media::{Media, MediaKind, MediaSource, is_known_type, mime_of_name, split_data_url};
pub use settings::{
    CopiedSetting, EffortSetting, OptionalSetting, OutputFormat, RequestSettings, Setting, ToolChoice,
};
pub use settings_map::SettingName;
pub use spill::{SpillBudget, SpillStore};
pub use text::{RawJson, Text};
pub use thread::{Thread, ToolNames};
pub use tools::{ClientTool, ExtraMember, Tool, ToolKind, WebSearch};

/// A location in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceLocation {
    pub place: Place,
    /// The place is inside a JSON string.
    pub embedded: bool,
}

impl From<Place> for SourceLocation {
    fn from(place: Place) -> SourceLocation {
        SourceLocation { place, embedded: false }
    }
}

/// A run of parts by one role.
#[derive(Clone, Debug)]
pub struct Message {
    pub role: Role,
    pub parts: Vec<Part>,
    /// The name of a participant.
    pub name: Option<Text>,
    pub at: SourceLocation,
    /// The number of the record in which it begins, counted in its document.
    pub record: u32,
    /// The client inserted it in the user's name, such as a summary or a reminder: it begins no turn.
    pub is_inserted: bool,
}

/// One piece of content.
#[derive(Clone, Debug)]
pub struct Part {
    pub kind: PartKind,
    pub at: SourceLocation,
    /// The id of its item, where the store keeps ids of the Responses API.
    pub id: Option<Text>,
    /// The `phase` of the message of the Responses API that a text is from: `commentary` or `final_answer`.
    pub phase: Option<Text>,
    /// A cache mark after this part: the value of `cache_control` or its equivalent.
    pub cache: Option<RawJson>,
    /// Gemini's thought signature on this part.
    pub signature: Option<Text>,
}

#[derive(Clone, Debug)]
pub enum PartKind {
    Text {
        text: Text,
        /// Citations or annotations of the text: a list that its dialect understands.
        citations: Option<Opaque>,
    },
    Refusal(Text),
    /// Boxed: it is large and rare.
    Media(Box<Media>),
    Call(ToolCall),
    Result(ToolResult),
    Reasoning(Reasoning),
    Opaque(Opaque),
}

/// A value that only its own dialect understands, unchanged.
#[derive(Clone, Debug)]
pub struct Opaque {
    pub dialect: &'static str,
    pub kind: OpaqueKind,
    pub raw: RawJson,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpaqueKind {
    /// The call or the result of a tool that the server ran.
    ServerTool,
    /// Earlier history, summarised by the server.
    Compaction,
    /// An item stored on the server.
    Reference,
    /// A whole message or item of its dialect.
    Item,
    Citations,
    Unknown,
}

/// The kind of a call, by the input of its tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallKind {
    Function,
    /// Free text.
    Custom,
    /// A tool that the provider defines and the client runs; the name is that of the tool.
    Builtin,
}

/// A call that the client answers.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The id that pairs it with its result.
    pub id: Text,
    /// The id is synthetic, because the source has none.
    pub has_synthetic_id: bool,
    pub name: Text,
    pub input: CallInput,
    pub kind: CallKind,
}

/// The arguments of a call.
#[derive(Clone, Debug)]
pub enum CallInput {
    /// JSON in a string, or the free text of a custom tool.
    Text(Text),
    /// A value.
    Json(RawJson),
}

/// The answer to a call.
#[derive(Clone, Debug)]
pub struct ToolResult {
    pub id: Text,
    pub name: Option<Text>,
    /// Texts, media, JSON values and foreign blocks.
    pub parts: Vec<ResultPart>,
    pub is_error: bool,
    /// The call's kind, as the result's own type implies it.
    pub kind: CallKind,
}

/// A piece of a tool's result.
#[derive(Clone, Debug)]
pub enum ResultPart {
    Text(Text),
    Json(RawJson),
    Media(Box<Media>, SourceLocation),
    Opaque(Opaque, SourceLocation),
}

/// The provider of the model that reasoned: another's cannot use its signatures and encrypted content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReasoningProvider {
    OpenAi,
    Anthropic,
    Google,
    /// An open model: it accepts its reasoning as plain text, if its server does.
    Open,
}

#[derive(Clone, Debug)]
pub struct Reasoning {
    pub provider: ReasoningProvider,
    /// Summaries or the thoughts themselves.
    pub texts: Vec<Text>,
    /// OpenAI's encrypted content or Anthropic's signature.
    pub encrypted_content: Option<Text>,
    /// Reasoning that only the provider can read (`redacted_thinking`).
    pub redacted: Option<Text>,
}

impl From<Media> for PartKind {
    fn from(media: Media) -> Self {
        PartKind::Media(Box::new(media))
    }
}

impl ResultPart {
    pub fn media(media: Media, at: SourceLocation) -> Self {
        ResultPart::Media(Box::new(media), at)
    }
}

impl Part {
    pub fn new(kind: PartKind, at: SourceLocation) -> Self {
        Part { kind, at, id: None, phase: None, cache: None, signature: None }
    }

    pub fn text(text: Text, at: SourceLocation) -> Self {
        Part::new(PartKind::Text { text, citations: None }, at)
    }

    /// A message or an item of a dialect, as it has it.
    pub fn verbatim(dialect: &'static str, raw: RawJson, at: Place) -> Self {
        Part::new(PartKind::Opaque(Opaque { dialect, kind: OpaqueKind::Item, raw }), at.into())
    }

    /// True for a text that is empty or white space.
    pub fn is_blank(&self) -> bool {
        matches!(&self.kind, PartKind::Text { text, .. } if text.is_blank())
    }
}

impl Reasoning {
    /// True if it has readable text.
    pub fn has_text(&self) -> bool {
        self.texts.iter().any(|text| !text.is_empty())
    }
}

impl Message {
    pub fn new(role: Role, at: SourceLocation) -> Self {
        Message { role, parts: Vec::new(), name: None, at, record: 0, is_inserted: false }
    }

    /// The same message as one that the client inserted in the user's name.
    pub fn inserted(self) -> Self {
        Message { is_inserted: true, ..self }
    }

    /// A message or an item of a dialect, as it has it.
    pub fn verbatim(dialect: &'static str, role: Role, raw: RawJson, at: Place, record: u32) -> Self {
        let parts = vec![Part::verbatim(dialect, raw, at)];
        Message { parts, record, ..Message::new(role, at.into()) }
    }

    /// The item of a dialect that the message consists of, if it has no other parts.
    pub fn as_item(&self) -> Option<&RawJson> {
        match self.parts.as_slice() {
            [Part { kind: PartKind::Opaque(Opaque { kind: OpaqueKind::Item, raw, .. }), .. }] => Some(raw),
            _ => None,
        }
    }

    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|block| match &block.kind {
            PartKind::Call(call) => Some(call),
            _ => None,
        })
    }
}
