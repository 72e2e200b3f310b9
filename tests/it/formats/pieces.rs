//! A document that is too large to be scanned at once is read element by element: that finds what reading it at once does. A
//! low limit has the samples read that way, so that they need not be large.

use replaylint::internals::formats;
use replaylint::internals::judge::{JudgedDoc, Options};
use replaylint::internals::read;
use serde_json::Value;

use super::nets::{repeated, samples};
use crate::support::check;

/// What is found of a document.
fn describe<T>(found: &JudgedDoc<T>) -> Vec<String> {
    let JudgedDoc { histories, items, .. } = found;
    let mut lines = vec![format!("{:?}, {histories} histories, {items} items", found.format_name())];
    lines.extend(found.findings.iter().map(|judged| {
        let finding = &judged.finding;
        format!("{} {} {:?} {:?}", finding.code, finding.variant, finding.row.at, judged.severity)
    }));
    lines
}

/// True if a document of this format is read at once, however large it is.
fn is_read_whole(format: &str) -> bool {
    formats::by_name(format).is_some_and(|format| format.layout().is_translated() || format.info().is_read_whole)
}

#[test]
fn documents_are_read_in_pieces_as_at_once() {
    let (mut faults, mut seen) = (Vec::new(), 0);
    for (format, file, text) in samples().into_iter().filter(|(format, ..)| !is_read_whole(format)) {
        let Ok(value) = serde_json::from_slice::<Value>(&text) else { continue };
        let variants = [vec![value.clone()], repeated(&value)].concat();
        for text in variants.iter().map(Value::to_string) {
            let whole = describe(&check(text.as_bytes(), &Options::default()));
            let limited = read::Options { max_record: text.len() as u64 - 1, ..read::Options::default() };
            let pieces = describe(&check(text.as_bytes(), &Options { read: limited, ..Options::default() }));
            seen += 1;
            if whole != pieces {
                faults.push(format!("{format}/{file}:\n  {}\n  {}", whole.join("\n  "), pieces.join("\n  ")));
            }
        }
    }
    let shown: String = faults.iter().take(50).map(|fault| format!("{fault}\n\n")).collect();
    assert!(faults.is_empty() && seen > 100, "{} of {seen} differ:\n{shown}", faults.len());
}
