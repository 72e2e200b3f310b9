//! The dialects of items that the library accepts, and conversion between a list of items and a request.

use std::str::FromStr;

use crate::convert;
use crate::dialect;
use crate::json::{Tape, scan};
use crate::report::contract::{Change, Diagnostic, Span};

use super::error::Error;

/// The dialect of items and messages.
///
/// ```
/// use replaylint::Dialect;
///
/// assert_eq!("anthropic".parse::<Dialect>().unwrap(), Dialect::Anthropic);
/// assert_eq!("claud".parse::<Dialect>().unwrap_err().to_string(), "unknown dialect 'claud'");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Items of the OpenAI Responses API: the elements of `input`.
    Responses,
    /// Messages of Chat Completions and compatible APIs.
    Chat,
    /// Messages of the Anthropic API.
    Anthropic,
    /// Contents of the Gemini API.
    Gemini,
    /// Messages of the Bedrock Converse API.
    Bedrock,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 5] =
        [Dialect::Responses, Dialect::Chat, Dialect::Anthropic, Dialect::Gemini, Dialect::Bedrock];

    /// The name, as in `convert --to`.
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
        convert::dialect_by_name(self.name()).unwrap_or(convert::CONVERT_DIALECTS[0].1)
    }

    /// The format of its requests.
    pub(super) fn request_format(self) -> String {
        format!("{}-request", self.name())
    }

    /// The member of a request with its items.
    pub(super) fn list_key(self) -> &'static str {
        self.grammar().info().capabilities.list_key
    }

    fn opening(self) -> String {
        format!("{{\"{}\":", self.list_key())
    }

    /// Wraps a list in the request that sends it.
    pub(super) fn request(self, list: &[u8]) -> Vec<u8> {
        let opening = self.opening();
        let mut text = Vec::with_capacity(opening.len() + list.len() + 1);
        text.extend_from_slice(opening.as_bytes());
        text.extend_from_slice(list);
        text.push(b'}');
        text
    }

    /// The list of a repaired request.
    pub(super) fn list(self, request: &[u8]) -> Result<Vec<u8>, Error> {
        let mut tape = Tape::new();
        let list = match scan(request, &mut tape) {
            Ok(()) => tape.root(request).and_then(|root| root.get(self.list_key())),
            Err(_) => None,
        };
        // Text around the list in the document, such as its last line feed, is outside the value.
        let (opening, end) = (self.opening(), request.len().saturating_sub(1));
        let whole = request.get(opening.len()..end).filter(|_| request.starts_with(opening.as_bytes()));
        match (list.filter(|list| list.is_array()), whole) {
            (Some(list), Some(whole)) if whole.trim_ascii() == list.raw() => Ok(whole.to_vec()),
            (Some(list), _) => Ok(list.raw().to_vec()),
            _ => Err(Error::new("the repaired request contains no list of items")),
        }
    }

    /// Converts a pointer into the request to one into the list.
    fn strip_list_prefix(self, pointer: &mut String) {
        if let Some(rest) = pointer.strip_prefix('/').and_then(|rest| rest.strip_prefix(self.list_key())) {
            *pointer = rest.to_owned();
        }
    }

    /// Converts a location in the request to one in the list.
    fn shift(self, line: u64, column: &mut u64, span: Option<&mut Span>) {
        let before = self.opening().len() as u64;
        if line == 1 {
            *column = column.saturating_sub(before).max(1);
        }
        if let Some(span) = span {
            (span.start, span.end) = (span.start.saturating_sub(before), span.end.saturating_sub(before));
        }
    }

    /// Converts the locations of diagnostics to those in the list.
    pub(super) fn relocate(self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            self.strip_list_prefix(&mut diagnostic.pointer);
            self.shift(diagnostic.line, &mut diagnostic.column, Some(&mut diagnostic.span));
            for related in &mut diagnostic.related {
                self.strip_list_prefix(&mut related.pointer);
                self.shift(related.line, &mut related.column, Some(&mut related.span));
            }
        }
    }

    /// Converts the locations of changes to those in the list.
    pub(super) fn relocate_changes(self, changes: &mut [Change]) {
        for change in changes {
            self.strip_list_prefix(&mut change.pointer);
            self.shift(change.line, &mut change.column, None);
        }
    }

    /// Converts the pointers of a comparison of two requests to those into their lists.
    pub(super) fn relocate_sides<'s>(self, sides: impl Iterator<Item = &'s mut String>) {
        sides.for_each(|pointer| self.strip_list_prefix(pointer));
    }
}

impl FromStr for Dialect {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name).ok_or_else(|| {
            let names = Dialect::ALL.map(Dialect::name).join(", ");
            Error::new(format!("unknown dialect '{name}'")).with_help(format!("the dialects are {names}"))
        })
    }
}
