//! A diagnostic: a finding with its message and its location.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::history::Code;
use crate::json::fingerprint_of;
use crate::place::Place;
use crate::rule::{Evidence, Loss};
use crate::source::display_name;
use crate::target::Severity;

use super::command_line::{self, CommandLine, fill_commands};
use super::snippet::Snippet;

/// A finding with its message and its location.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub rule: Code,
    pub variant: u8,
    pub name: &'static str,
    pub severity: Severity,
    /// Shown to people even if its severity is only `info`.
    pub always_shown: bool,
    pub message: String,
    /// The document, as the user named it.
    pub path: String,
    /// Number of the history in the document, from 0; `None` for what concerns a record or the document.
    pub history: Option<u32>,
    /// Number of the record in the document, from 1.
    pub record: u32,
    pub location: Location,
    pub id: Option<String>,
    pub call_id: Option<String>,
    /// Identity of the item that it is about, however its ids are printed.
    pub identity: FindingIdentity,
    pub related: Vec<RelatedLocation>,
    /// The provider's error message, verbatim; `None` if none is known.
    pub api_message: Option<String>,
    /// The HTTP status that comes with it.
    pub status: u16,
    /// The other members of the provider's error: its type, the parameter that it names, and its code.
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
    pub conversation_pointer: Option<String>,
    pub snippet: Option<Snippet>,
    /// The replacements that `fix` would make; empty unless the output asks for them.
    pub proposal: Vec<Replacement>,
}

impl Diagnostic {
    /// Why there is no fix, with its commands filled in; `None` if there is a fix, or no known reason.
    pub fn no_fix_reason(&self) -> Option<Cow<'static, str>> {
        let Some(pointer) = &self.conversation_pointer else {
            return self.no_fix.map(|why| fill_commands(why, &self.path, self.target));
        };
        let command = match command_line::running_command() {
            running @ ("check" | "fix" | "convert" | "tree" | "rebuild") => running,
            _ => "check",
        };
        let line = CommandLine::new(command).with("--pointer", pointer).on_input(&self.path);
        Some(Cow::from(format!("there is a conversation at {pointer}; use `{line}`")))
    }
}

/// Identity of a finding's item: fingerprints of its own id and of the id that pairs it (0 without one), and its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FindingIdentity {
    pub id: u64,
    pub key: u64,
    pub kind: &'static str,
}

impl FindingIdentity {
    /// True if the item, or its pair, has this id.
    pub fn matches(self, id: &str) -> bool {
        let wanted = fingerprint_of(id.as_bytes());
        self.id == wanted || self.key == wanted
    }
}

/// A location in a document: line and column from 1, column in code points, span in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    pub line: u64,
    pub column: u64,
    /// Line and column of the first code point after it.
    pub end: (u64, u64),
    pub span: (u64, u64),
    /// JSON Pointer within the record.
    pub pointer: String,
    /// JSON Pointer within the JSON that the string at `pointer` contains.
    pub inner_pointer: Option<String>,
}

impl Location {
    /// The location of a place whose start and end are among the positions.
    pub fn new(at: Place, positions: &HashMap<u64, (u64, u64)>) -> Location {
        let of = |offset| positions.get(&offset).copied().unwrap_or((1, 1));
        let (line, column) = of(at.start);
        Location { line, column, end: of(at.end()), span: (at.start, at.end()), ..Location::default() }
    }

    /// The pointer, and the pointer within the string there.
    pub fn pointers(&self) -> String {
        let pointer = display_name(&self.pointer);
        match &self.inner_pointer {
            Some(inner) => format!("{pointer} → {}", display_name(inner)),
            None => pointer.into_owned(),
        }
    }
}

/// Another location that belongs to a diagnostic, and how it is related.
#[derive(Clone, Debug)]
pub struct RelatedLocation {
    pub location: Location,
    pub message: String,
}

/// A fix, as diagnostics describe it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixNote {
    pub title: String,
    pub loss: Loss,
    /// True if it is applied by default.
    pub default: bool,
    /// The flag that enables it, if it is not applied by default.
    pub flag: Option<&'static str>,
}

impl FixNote {
    /// The loss of the fix in words, and the flag that it requires.
    pub fn terms(&self) -> String {
        let loss = self.loss.term();
        match self.flag {
            Some(flag) => format!("{loss}, requires {flag}"),
            None => loss.to_owned(),
        }
    }
}

/// A location, and the text that would replace its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Without a pointer, because the bytes may belong to several values.
    pub location: Location,
    pub text: String,
}
