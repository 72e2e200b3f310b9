//! Trees of conversations, and the outputs that print them. All show the same turns: names, ids, ages, verdicts, and the
//! first words of the user where content may be shown.

mod dot;
mod html;
mod json;
mod mermaid;
mod prompt;
mod sizes;
mod text;
mod view;

use std::io::{self, Write};

use super::{Diagnostic, Style};

pub use view::{Sending, TreeView, TurnView, problems, reason_words, view};

/// Prints trees; returns true if it printed their diagnostics, too.
pub type TreePrinter = fn(&[TreeView], &[Diagnostic], &Style, &mut dyn Write) -> io::Result<bool>;

/// The table of outputs.
pub static OUTPUTS: &[(&str, TreePrinter)] = &[
    ("text", text::print),
    ("json", json::print),
    ("dot", dot::print),
    ("mermaid", mermaid::print),
    ("html", html::print),
];
