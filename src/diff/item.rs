//! The difference of one item before and after, pretty-printed for review, with long strings shortened. Strings are
//! compared in full.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, TextDiff};

use crate::json::{NodeKind, Tape, Val, scan};

/// A printer of the values of an item.
pub trait ValuePrinter {
    /// The quoted text of a string value. `key` is the name of its member.
    fn string(&self, val: Val<'_>, key: Option<&str>) -> String;

    /// The text of a key, without quotes.
    fn key(&self, key: &str) -> String {
        crate::json::string::escaped(key).to_string()
    }

    /// The text of a number.
    fn number(&self, val: Val<'_>) -> String;
}

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    pub sign: Sign,
    pub text: String,
    /// Byte ranges of the text that changed within the line.
    pub marks: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    Same,
    Removed,
    Added,
    /// Omitted lines.
    Gap,
}

/// Time limit for the comparison of one pair.
const DEADLINE: Duration = Duration::from_millis(500);
/// Unchanged lines shown around a change.
const CONTEXT: usize = 2;
/// Maximum depth of printed values.
const MAX_DEPTH: usize = 32;
/// Maximum number of printed lines of an item.
const MAX_LINES: usize = 24;

/// The lines of an item that is removed (`after` is empty), added (`before` is empty), or changed.
pub fn lines(before: &[u8], after: &[u8], show: &dyn ValuePrinter) -> Vec<DiffLine> {
    let (old, new) = (pretty(before, show), pretty(after, show));
    let all = |lines: Vec<String>, sign| {
        let lines = lines.into_iter().map(|text| DiffLine { sign, text, marks: Vec::new() });
        shorten(lines.collect())
    };
    match (before.is_empty(), after.is_empty()) {
        (true, _) => all(new, Sign::Added),
        (_, true) => all(old, Sign::Removed),
        _ => changed_lines(&old, &new),
    }
}

/// The deadline of a comparison; `None` in WebAssembly, which has no clock.
fn deadline() -> Option<Instant> {
    (!cfg!(target_family = "wasm")).then(|| Instant::now() + DEADLINE)
}

fn changed_lines(old: &[String], new: &[String]) -> Vec<DiffLine> {
    let join = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (old, new) = (join(old), join(new));
    let mut configuration = TextDiff::configure();
    let configuration = configuration.algorithm(Algorithm::Myers);
    let configuration = match deadline() {
        Some(deadline) => configuration.deadline(deadline),
        None => configuration,
    };
    let diff = configuration.diff_lines(&old, &new);
    let mut lines = Vec::new();
    for (n, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if n > 0 {
            lines.push(DiffLine { sign: Sign::Gap, text: "…".to_owned(), marks: Vec::new() });
        }
        for op in group {
            for change in diff.iter_inline_changes_deadline(op, deadline()) {
                let sign = match change.tag() {
                    ChangeTag::Equal => Sign::Same,
                    ChangeTag::Delete => Sign::Removed,
                    ChangeTag::Insert => Sign::Added,
                };
                let mut text = String::new();
                let mut marks = Vec::new();
                for (marked, part) in change.iter_strings_lossy() {
                    let part: Cow<'_, str> = match part.strip_suffix('\n') {
                        Some(stripped) => Cow::Owned(stripped.to_owned()),
                        None => part,
                    };
                    let start = text.len();
                    text.push_str(&part);
                    if marked && !part.is_empty() {
                        marks.push((start, text.len()));
                    }
                }
                lines.push(DiffLine { sign, text, marks });
            }
        }
    }
    shorten(lines)
}

/// Shortens to at most [`MAX_LINES`] lines, by omitting the middle.
fn shorten(mut lines: Vec<DiffLine>) -> Vec<DiffLine> {
    if lines.len() > MAX_LINES {
        let omitted = lines.len() - MAX_LINES + 1;
        let text = format!("… {omitted} more lines …");
        lines.splice(
            MAX_LINES / 2..MAX_LINES / 2 + omitted,
            [DiffLine { sign: Sign::Gap, text, marks: Vec::new() }],
        );
    }
    lines
}

/// The lines of a value; for invalid JSON, one line that says so.
fn pretty(text: &[u8], show: &dyn ValuePrinter) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let mut tape = Tape::new();
    match scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
        Some(val) => pretty_lines(val, show),
        None => vec![format!("({} bytes that are not JSON)", text.len())],
    }
}

/// All lines of a value.
pub fn pretty_lines(val: Val<'_>, show: &dyn ValuePrinter) -> Vec<String> {
    let mut out = vec![String::new()];
    write(val, None, 0, show, &mut out);
    out
}

fn write(val: Val<'_>, key: Option<&str>, depth: usize, show: &dyn ValuePrinter, out: &mut Vec<String>) {
    let indent = |depth: usize| "  ".repeat(depth);
    let push = |out: &mut Vec<String>, text: &str| {
        if let Some(last) = out.last_mut() {
            last.push_str(text);
        }
    };
    match val.kind() {
        NodeKind::String => push(out, &show.string(val, key)),
        NodeKind::Number => push(out, &show.number(val)),
        NodeKind::True | NodeKind::False | NodeKind::Null => push(out, &String::from_utf8_lossy(val.raw())),
        NodeKind::Object | NodeKind::Array if val.count() == 0 => {
            push(out, if val.is_object() { "{}" } else { "[]" });
        }
        _ if depth > MAX_DEPTH => push(out, if val.is_object() { "{…}" } else { "[…]" }),
        NodeKind::Object => {
            push(out, "{");
            let last = val.count() as usize - 1;
            for (n, member) in val.members().enumerate() {
                let name = String::from_utf8_lossy(&member.key.decode()).into_owned();
                out.push(format!("{}\"{}\": ", indent(depth + 1), show.key(&name)));
                write(member.val, Some(&name), depth + 1, show, out);
                push(out, if n < last { "," } else { "" });
            }
            out.push(format!("{}}}", indent(depth)));
        }
        NodeKind::Array => {
            push(out, "[");
            let last = val.count() as usize - 1;
            for (n, element) in val.elements().enumerate() {
                out.push(indent(depth + 1));
                write(element, key, depth + 1, show, out);
                push(out, if n < last { "," } else { "" });
            }
            out.push(format!("{}]", indent(depth)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct RawPrinter;

    impl ValuePrinter for RawPrinter {
        fn string(&self, val: Val<'_>, _: Option<&str>) -> String {
            String::from_utf8_lossy(val.raw()).into_owned()
        }

        fn number(&self, val: Val<'_>) -> String {
            String::from_utf8_lossy(val.raw()).into_owned()
        }
    }

    fn shown(before: &str, after: &str) -> String {
        let sign = |sign| match sign {
            Sign::Same => ' ',
            Sign::Removed => '-',
            Sign::Added => '+',
            Sign::Gap => ':',
        };
        let lines = lines(before.as_bytes(), after.as_bytes(), &RawPrinter);
        lines.iter().map(|line| format!("{}{}\n", sign(line.sign), line.text)).collect()
    }

    #[test]
    fn a_change_shows_what_changed_and_a_little_around_it() {
        let before = r#"{"a":1,"b":2,"c":3,"d":4,"id":"x","e":5,"f":[1,2]}"#;
        let after = r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":[1,2]}"#;
        assert_eq!(
            shown(before, after),
            "   \"c\": 3,\n   \"d\": 4,\n-  \"id\": \"x\",\n   \"e\": 5,\n   \"f\": [\n"
        );
        assert_eq!(shown("{}", ""), "-{}\n");
        assert_eq!(shown("", "[1]"), "+[\n+  1\n+]\n");
    }

    #[test]
    fn a_long_item_is_cut_in_the_middle() {
        let long = format!("[{}1]", "1,".repeat(1000));
        assert_eq!(lines(long.as_bytes(), b"", &RawPrinter).len(), MAX_LINES);
    }
}
