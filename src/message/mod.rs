//! Conversations without a dialect: what conversion lifts a request to, and lowers the next one from.
//!
//! Blocks are owned and know the place of their source, so that a loss is reported where it happened; the texts of a large
//! conversation are kept in a temporary file. Texts keep their escapes and values their text: most of a conversation is
//! copied from one request to the next and never read.
//! What only its own dialect understands is kept raw, with that dialect's name.

pub mod capabilities;
mod conversation;
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
mod tools;
pub mod write;

use crate::place::Place;

pub use capabilities::{Capabilities, Chars, IdRule, MediaSupport, SearchCapabilities};
pub use conversation::Conversation;
pub use losses::{LossKind, Losses, Lost};
pub use media::{Media, MediaKind, Source};
pub use settings::{Choice, Effort, OutputFormat, Plain, Set, Setting, Settings};
pub use settings_map::Name;
pub use spill::{Aside, Store};
pub use text::{Raw, Text};
pub use tools::{ClientTool, Extra, Tool, ToolKind, WebSearch};

/// Where something is in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct At {
    pub place: Place,
    /// The place lies in a JSON string.
    pub embedded: bool,
}

/// Who speaks. Results of tools are a voice of their own, whatever role the dialect gives them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Voice {
    System,
    Developer,
    User,
    Assistant,
    /// Only [`What::Result`] blocks.
    Tool,
}

/// A run of blocks by one voice.
#[derive(Clone, Debug)]
pub struct Message {
    pub voice: Voice,
    pub blocks: Vec<Block>,
    /// The name of a participant.
    pub name: Option<Text>,
    pub at: At,
}

/// One piece of content.
#[derive(Clone, Debug)]
pub struct Block {
    pub what: What,
    pub at: At,
    /// What is cached up to here: the value of `cache_control`, where it says more than that.
    pub cache: Option<Raw>,
    /// Gemini's thought signature on this part.
    pub signature: Option<Text>,
}

#[derive(Clone, Debug)]
pub enum What {
    Text {
        text: Text,
        /// Citations or annotations of the text: a list that its dialect understands.
        citations: Option<Foreign>,
    },
    Refusal(Text),
    /// In a box: it is large, and rare.
    Media(Box<Media>),
    Call(Call),
    Result(ToolResult),
    Reasoning(Reasoning),
    Foreign(Foreign),
}

/// What only its own dialect understands, as it stands there.
#[derive(Clone, Debug)]
pub struct Foreign {
    pub dialect: &'static str,
    pub kind: ForeignKind,
    pub raw: Raw,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForeignKind {
    /// A tool that the server ran, its call or its result.
    ServerTool,
    /// Earlier history, summed up by the server.
    Compaction,
    /// An item that lies on the server.
    Reference,
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
    pub parts: Vec<Part>,
    pub is_error: bool,
    /// The call's kind, as the result's own type names it.
    pub kind: CallKind,
}

/// A piece of a tool's result.
#[derive(Clone, Debug)]
pub enum Part {
    Text(Text),
    Json(Raw),
    Media(Box<Media>, At),
    Foreign(Foreign, At),
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

impl From<Media> for What {
    fn from(media: Media) -> Self {
        What::Media(Box::new(media))
    }
}

impl Part {
    pub fn media(media: Media, at: At) -> Self {
        Part::Media(Box::new(media), at)
    }
}

impl Block {
    pub fn new(what: What, at: At) -> Self {
        Block { what, at, cache: None, signature: None }
    }

    pub fn text(text: Text, at: At) -> Self {
        Block::new(What::Text { text, citations: None }, at)
    }

    /// Says nothing to a model.
    pub fn is_blank(&self) -> bool {
        matches!(&self.what, What::Text { text, .. } if text.is_blank())
    }
}

impl Message {
    pub fn new(voice: Voice, at: At) -> Self {
        Message { voice, blocks: Vec::new(), name: None, at }
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| match &block.what {
            What::Call(call) => Some(call),
            _ => None,
        })
    }
}
