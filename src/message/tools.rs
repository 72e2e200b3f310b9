//! Tools that a request offers.

use super::{At, Opaque, Raw, Text};

/// A tool that the request offers.
#[derive(Clone, Debug)]
pub struct Tool {
    pub at: At,
    pub kind: ToolKind,
    pub cache: Option<Raw>,
    /// Members of the definition that only some dialects know.
    pub extras: Vec<Extra>,
}

#[derive(Clone, Debug)]
pub enum ToolKind {
    Function {
        name: Text,
        description: Option<Text>,
        /// JSON Schema.
        parameters: Option<Raw>,
    },
    Custom {
        name: Text,
        description: Option<Text>,
        /// OpenAI's `format`: text, or a grammar.
        format: Option<Raw>,
    },
    /// A search of the web that the provider runs, and its own definition.
    WebSearch(WebSearch, Opaque),
    /// A tool that the provider defines and the client runs: what it is as a function, and its own definition.
    Client(&'static ClientTool, Opaque),
    /// A tool of the provider.
    Opaque(Opaque),
}

/// A tool that a provider's models know, and that the client runs: its calls are answered like those of a function.
#[derive(Debug)]
pub struct ClientTool {
    pub dialect: &'static str,
    /// Its type, or the beginning of it: versions follow.
    pub kind: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    /// What its calls hold, as JSON Schema.
    pub schema: &'static str,
}

/// What a search of the web is limited to.
#[derive(Clone, Debug, Default)]
pub struct WebSearch {
    pub allowed: Vec<Text>,
    pub blocked: Vec<Text>,
    /// City, region, country and time zone, as members of one object.
    pub location: Option<Raw>,
    /// OpenAI's `low`, `medium`, `high`.
    pub context: Option<Text>,
    pub max_uses: Option<Raw>,
}

/// A member of a definition that not all dialects know.
#[derive(Clone, Debug)]
pub struct Extra {
    pub key: &'static str,
    pub value: Raw,
    pub at: At,
}

/// Members of a tool's definition, and the dialects that know them.
const EXTRAS: [(&str, &[&str]); 7] = [
    ("strict", &["chat", "responses", "anthropic", "bedrock"]),
    ("defer_loading", &["anthropic", "responses"]),
    // Anthropic names versions of its code execution here, OpenAI a word: neither means anything to the other.
    ("allowed_callers", &[]),
    ("input_examples", &["anthropic"]),
    ("eager_input_streaming", &["anthropic"]),
    ("response", &["gemini"]),
    ("behavior", &["gemini"]),
];

impl Extra {
    /// The member of this name, if some dialect knows it.
    pub fn of(key: &[u8], value: Raw, at: At) -> Option<Extra> {
        let known = EXTRAS.iter().find(|(name, _)| name.as_bytes() == key);
        known.map(|(key, _)| Extra { key, value, at })
    }

    pub fn is_known_to(&self, dialect: &str) -> bool {
        EXTRAS.iter().any(|(key, dialects)| *key == self.key && dialects.contains(&dialect))
    }

    /// It says what holds where nothing is said.
    pub fn is_default(&self) -> bool {
        matches!(&*self.value.bytes(), b"false" | b"null" | b"[]" | br#"["direct"]"#)
    }
}

impl Tool {
    pub fn new(kind: ToolKind, at: At) -> Tool {
        Tool { at, kind, cache: None, extras: Vec::new() }
    }

    /// The name that its calls have.
    pub fn name_mut(&mut self) -> Option<&mut Text> {
        match &mut self.kind {
            ToolKind::Function { name, .. } | ToolKind::Custom { name, .. } => Some(name),
            ToolKind::WebSearch(..) | ToolKind::Client(..) | ToolKind::Opaque(_) => None,
        }
    }

    pub fn strict(&self) -> Option<bool> {
        let own = self.extras.iter().find(|extra| extra.key == "strict")?;
        Some(own.value.is("true"))
    }
}
