//! Lines of batches: a request with the name by which its result is found. A converted batch is a batch again.

use std::io;

use crate::format::fill_template;
use crate::json::string;
use crate::message::{Chars, IdRule};
use crate::source::ReadAt;
use crate::source::bytes::spool::Spool;

/// The line of a batch in one dialect.
struct BatchLine {
    dialect: &'static str,
    /// The line, with `$` for the name, up to the request; a brace follows that.
    start: &'static str,
    names: IdRule,
}

/// A line of each dialect.
static BATCH_LINES: [BatchLine; 5] = [
    BatchLine {
        dialect: "responses",
        start: r#"{"custom_id":$,"method":"POST","url":"/v1/responses","body":"#,
        names: IdRule::new(Chars::Any, usize::MAX),
    },
    BatchLine {
        dialect: "chat",
        start: r#"{"custom_id":$,"method":"POST","url":"/v1/chat/completions","body":"#,
        names: IdRule::new(Chars::Any, usize::MAX),
    },
    // "custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"
    BatchLine { dialect: "anthropic", start: r#"{"custom_id":$,"params":"#, names: IdRule::new(Chars::Word, 64) },
    BatchLine { dialect: "gemini", start: r#"{"key":$,"request":"#, names: IdRule::new(Chars::Any, usize::MAX) },
    BatchLine {
        dialect: "bedrock",
        start: r#"{"recordId":$,"modelInput":"#,
        names: IdRule::new(Chars::Any, usize::MAX),
    },
];

/// Makes a request a line of a batch. Returns it, and whether its name was changed to one that the dialect accepts; `None` if
/// the dialect has no batches.
pub(super) fn write(dialect: &str, name: &str, request: &Spool) -> io::Result<Option<(Spool, bool)>> {
    let Some(line) = BATCH_LINES.iter().find(|line| line.dialect == dialect) else { return Ok(None) };
    let fits = line.names.fits(name.as_bytes());
    let name = if fits { name.to_owned() } else { line.names.fit_id(name.as_bytes(), 0) };
    let start = fill_template(line.start, &[&string::quoted(&name)]);
    // The request is a line, without whose end it is one value.
    let len = ReadAt::len(request).saturating_sub(1);
    let spool = Spool::surrounded(&start, request, len, b"}\n")?;
    Ok(Some((spool, !fits)))
}
