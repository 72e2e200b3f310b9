//! What is asked of a request that is to be built, and what comes of it.

use crate::dialect::Dialect;
use crate::format::Format;
use crate::history::Usage;
use crate::json::string;
use crate::judge;
use crate::message::write::Writer;
use crate::message::{At, Message, Part, Role, Text, Thread};
use crate::place::DocId;
use crate::read;
use crate::repair::{FixOptions, Fixed};
use crate::target::Target;

use super::cut::{Budget, Cut};
use super::{Advice, ChainOptions};

/// When to build on the server's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Where it is safe.
    #[default]
    Auto,
    Always,
    Never,
}

/// What is asked for.
pub struct Rebuild<'r> {
    pub policy: Policy,
    pub chain: &'r ChainOptions,
    /// What the user says next.
    pub ask: Option<&'r str>,
    pub budget: Option<Budget>,
    pub fix: &'r FixOptions,
    /// The target to judge it for.
    pub target: Option<&'static Target>,
    pub lint: &'r judge::Options,
}

impl Rebuild<'_> {
    /// How a body in this format is judged.
    pub(super) fn options(&self, format: &'static dyn Format) -> judge::Options {
        judge::Options {
            read: read::Options {
                format: Some(format),
                usage: Some(Usage::Request),
                effort: self.lint.read.effort,
                ..read::Options::default()
            },
            target: self.target,
            schemas: self.lint.schemas.clone(),
            enabled: self.lint.enabled.clone(),
            ..judge::Options::default()
        }
    }
}

/// A request that was built, and how.
pub struct Rebuilt {
    pub verdict: Advice,
    /// It builds on this response.
    pub chained: Option<String>,
    pub kept: Option<Cut>,
    /// Items of the repaired input, and what they are called.
    pub items: usize,
    pub unit: &'static str,
    /// What the reader should know, in words.
    pub notes: Vec<String>,
    /// The body before its repair, and the repair.
    pub body: Vec<u8>,
    pub fixed: Fixed,
}

/// The id under which the body is judged.
pub const BODY: DocId = DocId(u32::MAX);

/// What the user says next.
pub(super) fn asking(text: &str) -> Message {
    let at = At::default();
    Message { parts: vec![Part::text(Text::new(text), at)], ..Message::new(Role::User, at) }
}

/// Writes the items of a message, each by itself.
pub(super) fn write_items(dialect: &dyn Dialect, message: &Message, to: &mut Vec<Vec<u8>>) {
    dialect.write_items(&Thread::default(), message, &mut |write| {
        let mut item = Vec::new();
        write(&mut Writer::new(&mut item));
        to.push(item);
    });
}

/// A request: a member a line, and its list with an element a line.
pub(super) fn write_request(members: &[(String, Vec<u8>)], list_key: &str, elements: Vec<Vec<u8>>) -> Vec<u8> {
    let mut out = b"{\n".to_vec();
    for (key, value) in members {
        out.extend([b"  ", &*string::quoted(key), b": ", value, b",\n"].concat());
    }
    out.extend([b"  ", &*string::quoted(list_key), b": "].concat());
    if elements.is_empty() {
        out.extend_from_slice(b"[]");
    } else {
        out.reserve_exact(elements.iter().map(|element| element.len() + 6).sum::<usize>() + 16);
        let mut before: &[u8] = b"[\n    ";
        // Each element is let go of once it is written: together they may be large.
        for element in elements {
            out.extend_from_slice(before);
            out.extend_from_slice(&element);
            before = b",\n    ";
        }
        out.extend_from_slice(b"\n  ]");
    }
    out.extend_from_slice(b"\n}\n");
    out
}
