//! The specification of a request to build, and the request that is built.

use crate::dialect::Dialect;
use crate::format::Format;
use crate::history::Usage;
use crate::json::string;
use crate::judge;
use crate::message::write::JsonWriter;
use crate::message::{Message, Part, Role, SourceLocation, Text, Thread};
use crate::place::DocId;
use crate::read;
use crate::repair::{DocRepair, FixOptions};
use crate::target::Target;

use super::history_cut::{Budget, HistoryCut};
use super::{Advice, ChainOptions};

/// When to continue the server's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ChainPolicy {
    /// Only where it is safe.
    #[default]
    Auto,
    Always,
    Never,
}

/// The specification of a request to build.
pub struct RequestSpec<'r> {
    pub policy: ChainPolicy,
    pub chain: &'r ChainOptions,
    /// The next message of the user.
    pub ask: Option<&'r str>,
    pub budget: Option<Budget>,
    pub fix: &'r FixOptions,
    /// The target that it is checked against.
    pub target: Option<&'static Target>,
    pub lint: &'r judge::Options,
}

impl RequestSpec<'_> {
    /// The options for judging a body in this format.
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

/// The next request, and how it was built.
pub struct NextRequest {
    pub advice: Advice,
    /// The id of the response that it continues; `None` if it contains the history.
    pub previous_response: Option<String>,
    pub cut: Option<HistoryCut>,
    /// Number of items of the repaired input, and the word for one.
    pub items: usize,
    pub unit: &'static str,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The body before its repair, and the repair.
    pub body: Vec<u8>,
    pub repair: DocRepair,
}

/// The id under which the body is judged.
pub const BODY: DocId = DocId(u32::MAX);

/// The next message of the user.
pub(super) fn user_message(text: &str) -> Message {
    let at = SourceLocation::default();
    Message { parts: vec![Part::text(Text::new(text), at)], ..Message::new(Role::User, at) }
}

/// Writes the items of a message, each by itself.
pub(super) fn write_items(dialect: &dyn Dialect, message: &Message, to: &mut Vec<Vec<u8>>) {
    dialect.write_items(&Thread::default(), message, &mut |write| {
        let mut item = Vec::new();
        write(&mut JsonWriter::new(&mut item));
        to.push(item);
    });
}

/// Writes a request: one member a line, and its list with one element a line.
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
        // Each element is freed once it is written: together they may be large.
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
