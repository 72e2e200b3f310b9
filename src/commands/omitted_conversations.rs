//! The lines of conversations that `--deny-loss=record` leaves out.

use std::io;

use crate::convert::ConvertedDoc;
use crate::report::DocReport;
use crate::report::locator::positions;
use crate::report::words::count;
use crate::source::{ReadAt, display_name};

/// Maximum number of lines, and ranges of lines, in a message.
const MAX_LISTED_LINES: usize = 20;

/// The lines on which the omitted conversations begin.
pub(super) fn omitted_lines(bytes: &dyn ReadAt, done: &ConvertedDoc) -> io::Result<Vec<u64>> {
    if done.left_out.is_empty() {
        return Ok(Vec::new());
    }
    let positions = positions(bytes, &done.lines, done.left_out.clone())?;
    let mut lines: Vec<u64> =
        done.left_out.iter().filter_map(|at| positions.get(at)).map(|(line, _)| *line).collect();
    lines.sort_unstable();
    Ok(lines)
}

/// The message about omitted conversations of a document; `None` if there are none.
pub(super) fn describe(seen: &DocReport) -> Option<String> {
    let n = seen.left_out.len() as u64;
    if n == 0 {
        return None;
    }
    let mut named = ranges(&seen.left_out);
    let lines = if seen.left_out.first() == seen.left_out.last() { "line" } else { "lines" };
    let more = if named.len() > MAX_LISTED_LINES { ", … (--output-format json lists all)" } else { "" };
    named.truncate(MAX_LISTED_LINES);
    let all = count(u64::from(seen.histories) + n, "conversation");
    Some(format!(
        "{}: skipped {n} of {all} with losses: {lines} {}{more}",
        display_name(&seen.path),
        named.join(", ")
    ))
}

/// Sorted lines as `2`, and consecutive ones as `5-9`.
fn ranges(lines: &[u64]) -> Vec<String> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *line <= *last + 1 => *last = *line,
            _ => ranges.push((*line, *line)),
        }
    }
    let named = ranges.into_iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_as_ranges() {
        assert_eq!(ranges(&[2, 5, 6, 7, 9]), ["2", "5-7", "9"]);
        let seen = |left_out: Vec<u64>| DocReport {
            path: "a.jsonl".to_owned(),
            histories: 3,
            left_out,
            ..DocReport::default()
        };
        assert_eq!(describe(&seen(Vec::new())), None);
        let one = describe(&seen(vec![4])).unwrap_or_default();
        assert_eq!(one, "a.jsonl: skipped 1 of 4 conversations with losses: line 4");
        let many = describe(&seen((1..=50).map(|n| n * 2).collect())).unwrap_or_default();
        assert!(
            many.contains("50 of 53 conversations")
                && many.ends_with("38, 40, … (--output-format json lists all)")
        );
    }
}
