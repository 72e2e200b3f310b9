//! The grammars that the library takes items of, and lists of them as the request that would send them.

use std::str::FromStr;

use crate::convert;
use crate::dialect;
use crate::json::{Tape, scan};
use crate::report::contract::{Change, Diagnostic, Span};

use super::error::Error;

/// The grammar of items and messages.
///
/// ```
/// use replaylint::Dialect;
///
/// assert_eq!("anthropic".parse::<Dialect>().unwrap(), Dialect::Anthropic);
/// assert_eq!("claud".parse::<Dialect>().unwrap_err().to_string(), "unknown dialect 'claud'");
/// ```
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
    /// All of them.
    pub const ALL: [Dialect; 5] =
        [Dialect::Responses, Dialect::Chat, Dialect::Anthropic, Dialect::Gemini, Dialect::Bedrock];

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

    /// The format of its requests.
    pub(super) fn request_format(self) -> String {
        format!("{}-request", self.name())
    }

    /// The member of a request that holds its items.
    fn list_key(self) -> &'static str {
        self.grammar().info().capabilities.list_key
    }

    fn opening(self) -> String {
        format!("{{\"{}\":", self.list_key())
    }

    /// The request that sends a list.
    pub(super) fn request(self, list: &[u8]) -> Vec<u8> {
        let opening = self.opening();
        let mut text = Vec::with_capacity(opening.len() + list.len() + 1);
        text.extend_from_slice(opening.as_bytes());
        text.extend_from_slice(list);
        text.push(b'}');
        text
    }

    /// The list that a repaired request sends.
    pub(super) fn list(self, request: &[u8]) -> Result<Vec<u8>, Error> {
        let mut tape = Tape::new();
        let list = match scan(request, &mut tape) {
            Ok(()) => tape.root(request).and_then(|root| root.get(self.list_key())),
            Err(_) => None,
        };
        // What surrounds the list in the document, such as its last line feed, is outside the value.
        let (opening, end) = (self.opening(), request.len().saturating_sub(1));
        let whole = request.get(opening.len()..end).filter(|_| request.starts_with(opening.as_bytes()));
        match (list.filter(|list| list.is_array()), whole) {
            (Some(list), Some(whole)) if whole.trim_ascii() == list.raw() => Ok(whole.to_vec()),
            (Some(list), _) => Ok(list.raw().to_vec()),
            _ => Err(Error::new("the repaired request holds no list of items")),
        }
    }

    /// A pointer into the request as one into the list.
    fn within(self, pointer: &mut String) {
        if let Some(rest) = pointer.strip_prefix('/').and_then(|rest| rest.strip_prefix(self.list_key())) {
            *pointer = rest.to_owned();
        }
    }

    /// A place in the request as one in the list.
    fn shift(self, line: u64, column: &mut u64, span: Option<&mut Span>) {
        let before = self.opening().len() as u64;
        if line == 1 {
            *column = column.saturating_sub(before).max(1);
        }
        if let Some(span) = span {
            (span.start, span.end) = (span.start.saturating_sub(before), span.end.saturating_sub(before));
        }
    }

    /// Diagnostics of the request as those of the list.
    pub(super) fn relocate(self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            self.within(&mut diagnostic.pointer);
            self.shift(diagnostic.line, &mut diagnostic.column, Some(&mut diagnostic.span));
            for related in &mut diagnostic.related {
                self.within(&mut related.pointer);
                self.shift(related.line, &mut related.column, Some(&mut related.span));
            }
        }
    }

    /// Changes of the request as those of the list.
    pub(super) fn relocate_changes(self, changes: &mut [Change]) {
        for change in changes {
            self.within(&mut change.pointer);
            self.shift(change.line, &mut change.column, None);
        }
    }

    /// Pointers of a comparison of two requests as those into their lists.
    pub(super) fn relocate_sides<'s>(self, sides: impl Iterator<Item = &'s mut String>) {
        sides.for_each(|pointer| self.within(pointer));
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
