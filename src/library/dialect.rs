//! The grammars that the library takes items of.

use serde_json::Value;

use crate::convert;
use crate::dialect;
use crate::report::contract::Diagnostic;

use super::error::Error;
use super::options::Options;

/// The grammar of items and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Items of the OpenAI Responses API: what its `input` holds.
    Responses,
    /// Messages of Chat Completions and the APIs that are modelled on it.
    Chat,
    /// Messages of the Anthropic API.
    Anthropic,
    /// Contents of the Gemini API.
    Gemini,
    /// Messages of Bedrock's Converse API.
    Bedrock,
}

impl Dialect {
    /// As `convert --to` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Responses => "responses",
            Dialect::Chat => "chat",
            Dialect::Anthropic => "anthropic",
            Dialect::Gemini => "gemini",
            Dialect::Bedrock => "bedrock",
        }
    }

    pub(super) fn grammar(self) -> &'static dyn dialect::Dialect {
        convert::dialect(self.name()).unwrap_or(convert::TO[0].1)
    }

    /// The member of a request that holds its items.
    pub(super) fn list_key(self) -> &'static str {
        self.grammar().takes().list_key
    }

    /// A request of these items, and how it is read.
    pub(super) fn request(self, items: &[Value], options: &Options) -> Result<(Vec<u8>, Options), Error> {
        let mut text = format!("{{\"{}\":", self.list_key()).into_bytes();
        serde_json::to_writer(&mut text, items)?;
        text.push(b'}');
        Ok((text, options.clone().format(&format!("{}-request", self.name()))?))
    }

    /// A pointer into the request as one into the list.
    pub(super) fn within(self, pointer: &mut String) {
        if let Some(rest) = pointer.strip_prefix('/').and_then(|rest| rest.strip_prefix(self.list_key())) {
            *pointer = rest.to_owned();
        }
    }

    pub(super) fn relocate(self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            self.within(&mut diagnostic.pointer);
            diagnostic.related.iter_mut().for_each(|related| self.within(&mut related.pointer));
        }
    }
}
