//! Tools that a request offers.

use crate::json::Member;

use super::{Opaque, RawJson, SourceLocation, Text};

/// A tool that the request offers.
#[derive(Clone, Debug)]
pub struct Tool {
    pub at: SourceLocation,
    pub kind: ToolKind,
    pub cache: Option<RawJson>,
    /// Members of the definition that only some dialects have.
    pub extras: Vec<ExtraMember>,
}

#[derive(Clone, Debug)]
pub enum ToolKind {
    Function {
        name: Text,
        description: Option<Text>,
        /// JSON Schema.
        parameters: Option<RawJson>,
    },
    Custom {
        name: Text,
        description: Option<Text>,
        /// OpenAI's `format`: text, or a grammar.
        format: Option<RawJson>,
    },
    /// A web search that the provider runs, and its original definition.
    WebSearch(WebSearch, Opaque),
    /// A tool that the provider defines and the client runs: its equivalent as a function, and its original definition.
    Client(&'static ClientTool, Opaque),
    /// Any other tool of a provider.
    Opaque(Opaque),
}

/// A tool that a provider defines and the client runs: its calls are answered like those of a function.
#[derive(Debug)]
pub struct ClientTool {
    pub dialect: &'static str,
    /// Its type, or the prefix before the version.
    pub kind: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub schema: &'static str,
}

/// The limits of a web search.
#[derive(Clone, Debug, Default)]
pub struct WebSearch {
    pub allowed: Vec<Text>,
    pub blocked: Vec<Text>,
    /// An object of city, region, country and time zone.
    pub location: Option<RawJson>,
    /// OpenAI's `low`, `medium`, `high`.
    pub context: Option<Text>,
    pub max_uses: Option<RawJson>,
}

/// A member of a tool's definition that not all dialects have.
#[derive(Clone, Debug)]
pub struct ExtraMember {
    pub key: &'static str,
    pub value: RawJson,
    pub at: SourceLocation,
}

/// Members of a tool's definition, and the dialects that have them.
const EXTRAS: [(&str, &[&str]); 7] = [
    ("strict", &["chat", "responses", "anthropic", "bedrock"]),
    ("defer_loading", &["anthropic", "responses"]),
    // Anthropic lists versions of its code execution here, OpenAI a word: neither has a meaning for the other.
    ("allowed_callers", &[]),
    ("input_examples", &["anthropic"]),
    ("eager_input_streaming", &["anthropic"]),
    ("response", &["gemini"]),
    ("behavior", &["gemini"]),
];

impl ExtraMember {
    /// The member of this name, if it is in the table.
    pub fn of(member: &Member<'_>, at: SourceLocation) -> Option<ExtraMember> {
        let known = EXTRAS.iter().find(|(name, _)| member.key.is(name.as_bytes()));
        known.map(|(key, _)| ExtraMember { key, value: RawJson::of(member.val), at })
    }

    pub fn is_known_to(&self, dialect: &str) -> bool {
        EXTRAS.iter().any(|(key, dialects)| *key == self.key && dialects.contains(&dialect))
    }

    /// True if its value is the default.
    pub fn is_default(&self) -> bool {
        matches!(&*self.value.bytes(), b"false" | b"null" | b"[]" | br#"["direct"]"#)
    }
}

impl Tool {
    pub fn new(kind: ToolKind, at: SourceLocation) -> Tool {
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
