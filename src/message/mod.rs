//! Conversations without a dialect. A request is read as a thread and the next one is written from it; a store that is not
//! made of messages of a provider is read as threads; sessions of agents are written from one.
//!
//! Parts are owned and know the place of their source, so that a loss is reported where it happened; texts of a store know
//! it stretch by stretch, so that what is written of them leads back. The texts of a large conversation are kept in a
//! temporary file. Texts keep their escapes and values their text: most of a conversation is copied and never read.
//! What only its own dialect understands is kept raw, with that dialect's name.

pub mod capabilities;
pub mod losses;
mod media;
pub mod members;
mod open_calls;
pub mod pair_results;
mod settings;
pub mod settings_map;
mod spill;
mod spill_file;
mod text;
mod thread;
mod tools;
pub mod write;

use crate::place::Place;

pub use crate::history::Role;
pub use capabilities::{Capabilities, Chars, IdRule, MediaSupport, SearchCapabilities};
pub use losses::{LossKind, Losses, Lost};
pub use media::{Media, MediaKind, Source};
pub use settings::{Choice, Effort, OutputFormat, Plain, Set, Setting, Settings};
pub use settings_map::Name;
pub use spill::{Aside, Store};
pub use text::{Raw, Text};
pub use thread::Thread;
pub use tools::{ClientTool, Extra, Tool, ToolKind, WebSearch};

/// Where something is in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct At {
    pub place: Place,
    /// The place lies in a JSON string.
    pub embedded: bool,
}

impl From<Place> for At {
    fn from(place: Place) -> At {
        At { place, embedded: false }
    }
}

/// A run of parts by one role.
#[derive(Clone, Debug)]
pub struct Message {
    pub role: Role,
    pub parts: Vec<Part>,
    /// The name of a participant.
    pub name: Option<Text>,
    pub at: At,
    /// The number of the record that it begins in, counted in its document.
    pub record: u32,
}

/// One piece of content.
#[derive(Clone, Debug)]
pub struct Part {
    pub kind: PartKind,
    pub at: At,
    /// The id of the item that it is, where its store keeps the ids of a Responses API.
    pub id: Option<Text>,
    /// What is cached up to here: the value of `cache_control`, where it says more than that.
    pub cache: Option<Raw>,
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
    /// In a box: it is large, and rare.
    Media(Box<Media>),
    Call(Call),
    Result(ToolResult),
    Reasoning(Reasoning),
    Opaque(Opaque),
}

/// What only its own dialect understands, as it stands there.
#[derive(Clone, Debug)]
pub struct Opaque {
    pub dialect: &'static str,
    pub kind: OpaqueKind,
    pub raw: Raw,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpaqueKind {
    /// A tool that the server ran, its call or its result.
    ServerTool,
    /// Earlier history, summed up by the server.
    Compaction,
    /// An item that lies on the server.
    Reference,
    /// A whole message or item, as its dialect has it.
    Item,
    Citations,
    Unknown,
}

/// How a tool takes its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallKind {
    Function,
    /// Free text.
    Custom,
    /// A tool of the provider that the client runs; the name is that of the tool.
    Builtin,
}

/// A call that the client answers.
#[derive(Clone, Debug)]
pub struct Call {
    /// What pairs it with its result.
    pub id: Text,
    /// The source has no id here: this one was made up, and is not written where none is needed.
    pub invented: bool,
    pub name: Text,
    pub input: Input,
    pub kind: CallKind,
}

/// The arguments of a call.
#[derive(Clone, Debug)]
pub enum Input {
    /// JSON in a string, or the free text of a custom tool.
    Text(Text),
    /// A value.
    Json(Raw),
}

/// The answer to a call.
#[derive(Clone, Debug)]
pub struct ToolResult {
    pub id: Text,
    pub name: Option<Text>,
    /// Texts, media, JSON values and foreign blocks.
    pub parts: Vec<ResultPart>,
    pub is_error: bool,
    /// The call's kind, as the result's own type names it.
    pub kind: CallKind,
}

/// A piece of a tool's result.
#[derive(Clone, Debug)]
pub enum ResultPart {
    Text(Text),
    Json(Raw),
    Media(Box<Media>, At),
    Opaque(Opaque, At),
}

/// Whose model thought: its signatures and blobs mean nothing to another's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    OpenAi,
    Anthropic,
    Google,
    /// A model that takes its reasoning back as plain text, if its server does.
    Open,
}

#[derive(Clone, Debug)]
pub struct Reasoning {
    pub maker: Maker,
    /// Summaries or the thoughts themselves.
    pub texts: Vec<Text>,
    /// OpenAI's encrypted content, Anthropic's signature.
    pub seal: Option<Text>,
    /// Thoughts that only the provider can read (`redacted_thinking`).
    pub redacted: Option<Text>,
}

impl From<Media> for PartKind {
    fn from(media: Media) -> Self {
        PartKind::Media(Box::new(media))
    }
}

impl ResultPart {
    pub fn media(media: Media, at: At) -> Self {
        ResultPart::Media(Box::new(media), at)
    }
}

impl Part {
    pub fn new(kind: PartKind, at: At) -> Self {
        Part { kind, at, id: None, cache: None, signature: None }
    }

    pub fn text(text: Text, at: At) -> Self {
        Part::new(PartKind::Text { text, citations: None }, at)
    }

    /// A message or an item of a dialect, as it has it.
    pub fn verbatim(dialect: &'static str, raw: Raw, at: Place) -> Self {
        Part::new(PartKind::Opaque(Opaque { dialect, kind: OpaqueKind::Item, raw }), at.into())
    }

    /// Says nothing to a model.
    pub fn is_blank(&self) -> bool {
        matches!(&self.kind, PartKind::Text { text, .. } if text.is_blank())
    }
}

impl Reasoning {
    /// Whether anything of it can be read.
    pub fn has_text(&self) -> bool {
        self.texts.iter().any(|text| !text.is_empty())
    }
}

impl Message {
    pub fn new(role: Role, at: At) -> Self {
        Message { role, parts: Vec::new(), name: None, at, record: 0 }
    }

    /// A message or an item of a dialect, as it has it.
    pub fn verbatim(dialect: &'static str, role: Role, raw: Raw, at: Place, record: u32) -> Self {
        let parts = vec![Part::verbatim(dialect, raw, at)];
        Message { parts, record, ..Message::new(role, at.into()) }
    }

    /// The item of a dialect that the message is a copy of, if it is nothing else.
    pub fn as_item(&self) -> Option<&Raw> {
        match self.parts.as_slice() {
            [Part { kind: PartKind::Opaque(Opaque { kind: OpaqueKind::Item, raw, .. }), .. }] => Some(raw),
            _ => None,
        }
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|block| match &block.kind {
            PartKind::Call(call) => Some(call),
            _ => None,
        })
    }
}
