//! Trees for Mermaid, which code hosts draw in Markdown.

use std::io::{self, Write};

use crate::report::{Diagnostic, Style};
use crate::source::display_name;

use super::TreeView;

pub(super) fn print(trees: &[TreeView], _: &[Diagnostic], _: &Style, out: &mut dyn Write) -> io::Result<bool> {
    writeln!(out, "flowchart TD")?;
    for (n, tree) in trees.iter().enumerate() {
        let title = format!("{}<br>{}", escaped(&display_name(&tree.title)), escaped(&tree.sending_words()));
        writeln!(out, "  subgraph g{n}[\"{title}\"]")?;
        for (ix, turn) in tree.turns.iter().enumerate() {
            // The current leaf is a stadium, all others are boxes.
            let (open, close) = if tree.current == Some(ix) { ("([", "])") } else { ("[", "]") };
            let label: Vec<String> = tree.label(turn).iter().map(|line| escaped(line)).collect();
            let label = label.join("<br>");
            writeln!(out, "    t{n}_{ix}{open}\"{label}\"{close}")?;
        }
        for (ix, turn) in tree.turns.iter().enumerate() {
            if let Some(parent) = turn.parent {
                let line = if turn.live { "==>" } else { "-->" };
                writeln!(out, "    t{n}_{parent} {line} t{n}_{ix}")?;
            }
        }
        writeln!(out, "  end")?;
    }
    Ok(false)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('#', "&num;")
}
