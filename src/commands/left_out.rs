//! Conversations that `--deny-loss=record` leaves out: on which lines they are.

use std::io;

use crate::convert::ConvertedDoc;
use crate::report::Seen;
use crate::report::place::positions;
use crate::report::words::count;
use crate::source::{ReadAt, display_name};

/// Lines, and runs of lines, that are named in text.
const NAMED: usize = 20;

/// The lines on which the conversations begin that were left out.
pub(super) fn lines(bytes: &dyn ReadAt, done: &ConvertedDoc) -> io::Result<Vec<u64>> {
    if done.left_out.is_empty() {
        return Ok(Vec::new());
    }
    let positions = positions(bytes, &done.lines, done.left_out.clone())?;
    let mut lines: Vec<u64> =
        done.left_out.iter().filter_map(|at| positions.get(at)).map(|(line, _)| *line).collect();
    lines.sort_unstable();
    Ok(lines)
}

/// Says how many conversations of a doc were left out, and which.
pub(super) fn words(seen: &Seen) -> Option<String> {
    let n = seen.left_out.len() as u64;
    if n == 0 {
        return None;
    }
    let mut named = runs(&seen.left_out);
    let lines = if seen.left_out.first() == seen.left_out.last() { "line" } else { "lines" };
    let more = if named.len() > NAMED { ", … (--output-format json lists all)" } else { "" };
    named.truncate(NAMED);
    let all = count(u64::from(seen.histories) + n, "conversation");
    Some(format!(
        "{}: left out {n} of {all} because of losses: {lines} {}{more}",
        display_name(&seen.path),
        named.join(", ")
    ))
}

/// `2`, `5-9`: sorted lines, and runs of lines that follow each other.
fn runs(lines: &[u64]) -> Vec<String> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, last)) if *line <= *last + 1 => *last = *line,
            _ => runs.push((*line, *line)),
        }
    }
    let named = runs.into_iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_as_runs() {
        assert_eq!(runs(&[2, 5, 6, 7, 9]), ["2", "5-7", "9"]);
        let seen =
            |left_out: Vec<u64>| Seen { path: "a.jsonl".to_owned(), histories: 3, left_out, ..Seen::default() };
        assert_eq!(words(&seen(Vec::new())), None);
        let one = words(&seen(vec![4])).unwrap_or_default();
        assert_eq!(one, "a.jsonl: left out 1 of 4 conversations because of losses: line 4");
        let many = words(&seen((1..=50).map(|n| n * 2).collect())).unwrap_or_default();
        assert!(
            many.contains("50 of 53 conversations")
                && many.ends_with("38, 40, … (--output-format json lists all)")
        );
    }
}
