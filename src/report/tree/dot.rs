//! Trees for Graphviz.

use std::io::{self, Write};

use crate::report::{Diagnostic, Style};
use crate::source::display_name;

use super::TreeView;

pub(super) fn print(trees: &[TreeView], _: &[Diagnostic], _: &Style, out: &mut dyn Write) -> io::Result<bool> {
    writeln!(out, "digraph conversations {{\n  node [shape=box, fontname=monospace];")?;
    for (n, tree) in trees.iter().enumerate() {
        writeln!(
            out,
            "  subgraph cluster_{n} {{\n    label={};",
            quoted(&format!("{}\n{}", display_name(&tree.title), tree.sending_words()))
        )?;
        for (ix, turn) in tree.turns.iter().enumerate() {
            let label = tree.label(turn).join("\n");
            let style = match (tree.current == Some(ix), turn.live) {
                (true, _) => ", style=bold, peripheries=2",
                (false, true) => ", style=bold",
                (false, false) => "",
            };
            writeln!(out, "    t{n}_{ix} [label={}{style}];", quoted(&label))?;
        }
        for (ix, turn) in tree.turns.iter().enumerate() {
            if let Some(parent) = turn.parent {
                writeln!(out, "    t{n}_{parent} -> t{n}_{ix};")?;
            }
        }
        writeln!(out, "  }}")?;
    }
    writeln!(out, "}}")?;
    Ok(false)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
