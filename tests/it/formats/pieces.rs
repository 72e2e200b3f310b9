//! A document that is too large to be scanned at once is read element by element: that finds what reading it at once does. A
//! low limit has the samples read that way, so that they need not be large.

use replaylint::internals::formats;
use replaylint::internals::judge::{JudgedDoc, Options};
use replaylint::internals::read;
use serde_json::Value;

use super::nets::{repeated, samples};
use crate::support::check;
use crate::support::memory::{convert_text, plan};

/// What is found of a document, and its conversion.
fn describe(text: &[u8], read: read::Options) -> Vec<String> {
    let options = Options { read, ..Options::default() };
    let (found, (converted, _)) = (check(text, &options), convert_text(text, &options, plan("chat")));
    let JudgedDoc { histories, items, .. } = &found;
    let converted = String::from_utf8_lossy(&converted);
    let mut lines =
        vec![format!("{:?}, {histories} histories, {items} items", found.format_name()), converted.into_owned()];
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
            let limited = read::Options { max_record: text.len() as u64 - 1, ..read::Options::default() };
            let whole = describe(text.as_bytes(), read::Options::default());
            let pieces = describe(text.as_bytes(), limited);
            seen += 1;
            if whole != pieces {
                faults.push(format!("{format}/{file}:\n  {}\n  {}", whole.join("\n  "), pieces.join("\n  ")));
            }
        }
    }
    let shown: String = faults.iter().take(50).map(|fault| format!("{fault}\n\n")).collect();
    assert!(faults.is_empty() && seen > 100, "{} of {seen} differ:\n{shown}", faults.len());
}
