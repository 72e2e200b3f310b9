//! The counts as text.

use std::io::{self, Write};

use crate::report::Style;
use crate::report::rule_page::style_text;
use crate::report::table::write_table;
use crate::report::words::{count, group_digits, write_wrapped};

use super::counts::Evidence;

/// The name of a message that no rule explains.
const UNKNOWN: &str = "unknown sentence";

/// Writes the counts.
pub(super) fn write(all: &Evidence, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let files = [(all.files_skipped, "skipped"), (all.files_unreadable, "unreadable")];
    let files = files.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!(", {} {what}", group_digits(*n)));
    let requests = match all.files_read {
        0 => String::new(),
        _ => format!(
            "; {}, {} without a conversation or to an unknown API",
            count(all.requests, "request"),
            group_digits(all.requests_skipped)
        ),
    };
    if !style.quiet {
        let summary = format!("{}{}{requests}.", count(all.files_read, "recording"), files.collect::<String>());
        write_wrapped(&summary, style.width, "", "", out)?;
        if !all.answers.is_empty() {
            writeln!(out)?;
        }
    }
    if !all.answers.is_empty() {
        let rows = all.answers.iter().map(|(key, counts)| {
            let numbers = [counts.total(), counts.accepted, counts.refused, counts.other];
            let mut row: Vec<String> = numbers.into_iter().map(group_digits).collect();
            row.extend([key.target.to_owned(), key.model.clone()]);
            row
        });
        let rows: Vec<Vec<String>> = rows.collect();
        write_table(&["requests", "accepted", "refused", "other", "target", "model"], &rows, style, out)?;
    }
    if !all.found_and_accepted.is_empty() {
        let rows = all.found_and_accepted.iter().map(|((code, key, severity), count)| {
            let (target, model) = (key.target.to_owned(), key.model.clone());
            vec![group_digits(*count), code.to_string(), severity.name().to_owned(), target, model]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        writeln!(out, "\n{}\n", style_text(style, "1", "Found and not refused"))?;
        write_table(&["requests", "rule", "severity", "target", "model"], &rows, style, out)?;
    }
    if !all.refused_and_not_found.is_empty() {
        let rows = all.refused_and_not_found.iter().map(|((code, key), count)| {
            let rule = code.map_or(UNKNOWN.to_owned(), |code| code.to_string());
            vec![group_digits(*count), rule, key.target.to_owned(), key.model.clone()]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        writeln!(out, "\n{}\n", style_text(style, "1", "Refused and not found"))?;
        write_table(&["requests", "rule", "target", "model"], &rows, style, out)?;
    }
    let is_equal = all.found_and_accepted.is_empty() && all.refused_and_not_found.is_empty();
    if is_equal && !all.answers.is_empty() && !style.quiet {
        writeln!(out, "\nNo differences between the verdicts and the answers.")?;
    }
    Ok(())
}
