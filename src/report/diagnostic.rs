//! A diagnostic: a finding made readable.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::history::Code;
use crate::json::fingerprint_of;
use crate::place::Place;
use crate::rule::{Evidence, Loss};
use crate::source::display_name;
use crate::target::Severity;

use super::command_line::{self, CommandLine, filled};
use super::snippet::Snippet;

/// A finding made readable.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub rule: Code,
    pub variant: u8,
    pub name: &'static str,
    pub severity: Severity,
    /// Reported to people even where it is only noted.
    pub shown: bool,
    pub message: String,
    /// The doc, as the user named it.
    pub path: String,
    /// Number of the history in the doc, from 0; `None` for what concerns a record or the doc.
    pub history: Option<u32>,
    /// Number of the record in the doc, from 1.
    pub record: u32,
    pub spot: Spot,
    pub id: Option<String>,
    pub call_id: Option<String>,
    /// What it is about, whatever of the ids is printed.
    pub identity: Identity,
    pub related: Vec<Related>,
    /// What the provider says to this, word for word; `None` where no such text was seen.
    pub api_message: Option<String>,
    /// The HTTP status that comes with it.
    pub status: u16,
    /// What else the provider's error says: its type, what it names as the place, its code.
    pub error_type: &'static str,
    pub error_param: Option<String>,
    pub error_code: Option<&'static str>,
    pub evidence: Evidence,
    pub target: &'static str,
    pub format: Option<&'static str>,
    pub fix: Option<FixNote>,
    /// Why there is no fix, as a template.
    pub no_fix: Option<&'static str>,
    /// Where in a document of unknown format a conversation is, as a JSON Pointer.
    pub inside: Option<String>,
    pub snippet: Option<Snippet>,
    /// What `fix` would put in place of what, where a report asks for that.
    pub proposal: Vec<Replacement>,
}

impl Diagnostic {
    /// Why there is no fix.
    pub fn why_not(&self) -> Option<Cow<'static, str>> {
        let Some(pointer) = &self.inside else {
            return self.no_fix.map(|why| filled(why, &self.path, self.target));
        };
        let command = match command_line::running() {
            running @ ("check" | "fix" | "convert" | "tree" | "rebuild") => running,
            _ => "check",
        };
        let line = CommandLine::new(command).with("--pointer", pointer).on(&self.path);
        Some(Cow::from(format!("there is a conversation at {pointer}; use `{line}`")))
    }
}

/// What a finding is about: fingerprints of the item's own id and of the id that pairs it, 0 without one, and its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Identity {
    pub id: u64,
    pub key: u64,
    pub kind: &'static str,
}

impl Identity {
    /// Whether it is the item, or of the pair, with this id.
    pub fn is(self, id: &str) -> bool {
        let wanted = fingerprint_of(id.as_bytes());
        self.id == wanted || self.key == wanted
    }
}

/// Where something is: line and column from 1, column in code points; the span in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    pub line: u64,
    pub column: u64,
    /// Line and column of the first code point that is no part of it.
    pub end: (u64, u64),
    pub span: (u64, u64),
    /// JSON Pointer within the record.
    pub pointer: String,
    /// JSON Pointer within the JSON that the string at `pointer` holds.
    pub inner_pointer: Option<String>,
}

impl Spot {
    /// A place whose start and end are among the positions.
    pub fn new(at: Place, positions: &HashMap<u64, (u64, u64)>) -> Spot {
        let of = |offset| positions.get(&offset).copied().unwrap_or((1, 1));
        let (line, column) = of(at.start);
        Spot { line, column, end: of(at.end()), span: (at.start, at.end()), ..Spot::default() }
    }

    /// The pointer, and the one within the string that it leads to.
    pub fn pointers(&self) -> String {
        let pointer = display_name(&self.pointer);
        match &self.inner_pointer {
            Some(inner) => format!("{pointer} → {}", display_name(inner)),
            None => pointer.into_owned(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Related {
    pub spot: Spot,
    pub message: String,
}

/// What `fix` would do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixNote {
    pub title: String,
    pub loss: Loss,
    /// Made without being asked for.
    pub default: bool,
    /// The flag that makes it, where it is not made by default.
    pub flag: Option<&'static str>,
}

impl FixNote {
    /// What the fix loses, and the flag that it needs.
    pub fn terms(&self) -> String {
        let loss = self.loss.term();
        match self.flag {
            Some(flag) => format!("{loss}, requires {flag}"),
            None => loss.to_owned(),
        }
    }
}

/// Bytes at a place, and what would stand there instead.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// Without a pointer: bytes may be of several values.
    pub spot: Spot,
    pub text: String,
}
