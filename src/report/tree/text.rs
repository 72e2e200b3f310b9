//! A graph for a terminal, as version control draws one: the oldest turn on top, side branches beside the live one.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::history::time::format_duration;
use crate::report::words::write_wrapped;
use crate::report::{Diagnostic, Style};
use crate::source::display_name;

use super::sizes::short_tokens;
use super::{TreeView, TurnView};

/// Branches within branches are drawn this deep; deeper ones are drawn at the last level.
const DEEPEST: usize = 12;

/// The left part of a line is at most this wide before the rest of it begins.
const LEFT: usize = 44;

/// The characters that a graph is made of.
struct Glyphs {
    live: &'static str,
    other: &'static str,
    open: &'static str,
    down: &'static str,
    fork: &'static str,
    current: &'static str,
}

const UNICODE: Glyphs =
    Glyphs { live: "● ", other: "○ ", open: "◌ ", down: "│ ", fork: "├─", current: " ← current" };
const ASCII: Glyphs =
    Glyphs { live: "* ", other: "o ", open: ". ", down: "| ", fork: "|-", current: " <- current" };

pub(super) fn print(trees: &[TreeView], _: &[Diagnostic], style: &Style, out: &mut dyn Write) -> io::Result<bool> {
    for (n, tree) in trees.iter().enumerate() {
        if n > 0 {
            writeln!(out)?;
        }
        print_tree(tree, style, out)?;
    }
    Ok(false)
}

/// A turn to draw: the prefix of its line, and of the lines that follow it.
struct PendingTurn {
    turn: usize,
    first: String,
    next: String,
    level: usize,
}

fn print_tree(tree: &TreeView, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let heading =
        format!("{} ({}): {}", display_name(&tree.title), tree.format.unwrap_or("unknown"), tree.counts());
    write_wrapped(&heading, style.width, "", "  ", out)?;
    if !tree.turns.is_empty() {
        write_wrapped(&tree.sending_words(), style.width, "  ", "  ", out)?;
        write_wrapped(&tree.sizes.words(), style.width, "  ", "  ", out)?;
        if let Some(saving) = tree.saving_words() {
            write_wrapped(&saving, style.width, "  ", "  ", out)?;
        }
    }
    let glyphs = if style.unicode { &UNICODE } else { &ASCII };
    let has_times = tree.turns.iter().any(|turn| turn.age.is_some());
    let mut lines: Vec<(String, String, Option<String>)> = Vec::with_capacity(tree.turns.len());
    let mut stack: Vec<PendingTurn> = roots(tree)
        .into_iter()
        .rev()
        .map(|turn| PendingTurn { turn, first: String::new(), next: String::new(), level: 0 })
        .collect();
    while let Some(step) = stack.pop() {
        let Some(turn) = tree.turns.get(step.turn) else { continue };
        let current = if tree.current == Some(step.turn) { glyphs.current } else { "" };
        let dot = match (turn.answered, turn.live) {
            (false, _) => glyphs.open,
            (true, true) => glyphs.live,
            (true, false) => glyphs.other,
        };
        let mut left = format!("{}{dot}{}{current}", step.first, turn.name);
        if !turn.short_response.is_empty() {
            left = format!("{left}  {}", turn.short_response);
        }
        let below =
            if turn.children.len() > 1 { format!("{}{}", step.next, glyphs.down) } else { step.next.clone() };
        let more = tree.deviation(turn).map(|words| format!("{}  {words}", below.trim_end_matches(' ')));
        lines.push((left, status(turn, has_times), more));
        let Some((last, sides)) = turn.children.split_last() else { continue };
        stack.push(PendingTurn {
            turn: *last,
            first: step.next.clone(),
            next: step.next.clone(),
            level: step.level,
        });
        for side in sides.iter().rev() {
            let deeper = step.level < DEEPEST;
            let next = if deeper { format!("{}{}", step.next, glyphs.down) } else { step.next.clone() };
            let first = format!("{}{}", step.next, glyphs.fork);
            stack.push(PendingTurn { turn: *side, first, next, level: step.level + usize::from(deeper) });
        }
    }
    let wide = lines.iter().map(|(left, ..)| left.width()).max().unwrap_or(0).min(LEFT);
    for (left, status, more) in lines {
        let space = " ".repeat(wide.saturating_sub(left.width()));
        writeln!(out, "{}", fit(&format!("{left}{space}  {status}"), style.width))?;
        if let Some(more) = more {
            writeln!(out, "{}", fit(&more, style.width))?;
        }
    }
    Ok(())
}

/// Roots, the live one last.
fn roots(tree: &TreeView) -> Vec<usize> {
    let roots = || tree.turns.iter().enumerate().filter(|(_, turn)| turn.parent.is_none());
    let (live, others) = (roots().filter(|(_, turn)| turn.live), roots().filter(|(_, turn)| !turn.live));
    others.chain(live).map(|(ix, _)| ix).collect()
}

/// Age, tokens, marks and first words of a turn.
fn status(turn: &TurnView, has_times: bool) -> String {
    let age = turn.age.map_or_else(|| "-".to_owned(), format_duration);
    let age = if has_times { format!("{age:>4}  ") } else { String::new() };
    let tokens = short_tokens(turn.sizes.total().tokens());
    let mut marks = Vec::new();
    for (is, word) in [
        (turn.is_side_chain, "side chain"),
        (turn.edited, "edited"),
        (turn.trimmed, "trimmed"),
        (!turn.answered, "unanswered"),
        (turn.missing_parent.is_some(), "parent not stored"),
    ] {
        if is {
            marks.push(word);
        }
    }
    let marks = if marks.is_empty() { String::new() } else { format!("[{}] ", marks.join(", ")) };
    let file = if turn.file { format!(" ({})", display_name(&turn.path)) } else { String::new() };
    let says = turn.says.as_ref().map(|says| format!("\"{says}\"")).unwrap_or_default();
    format!("{age}{tokens:>5} tok  {marks}{says}{file}")
}

/// Cuts a line to a width.
fn fit(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.trim_end().to_owned();
    }
    let mut out = String::new();
    for c in line.chars() {
        if out.width() + 2 > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}
