//! The layout of a printed body: a line for each member, and one for each element of the list.

use std::ops::Range;

use crate::json::provenance::{ProvenanceSpan, TracedText};
use crate::json::{Tape, scan};

/// A body with each member, and each element of the list under this key, on a line of its own. The values and their
/// provenance are the same.
pub(super) fn by_element(body: &TracedText, list_key: &str) -> TracedText {
    let (mut out, mut tape) = (TracedText::default(), Tape::new());
    let Some(root) = scan(&body.text, &mut tape).ok().and_then(|()| tape.root(&body.text)) else { return out };
    let mut before: &[u8] = b"{\n  \"";
    for member in root.members() {
        out.text.extend_from_slice(before);
        out.text.extend([member.key.raw, b"\": "].concat());
        before = b",\n  \"";
        let range = |val: crate::json::Val<'_>| val.start() as usize..val.end() as usize;
        if !member.key.is(list_key.as_bytes()) || member.val.count() == 0 {
            copy(body, range(member.val), &mut out);
            continue;
        }
        let mut before: &[u8] = b"[\n    ";
        for element in member.val.elements() {
            out.text.extend_from_slice(before);
            copy(body, range(element), &mut out);
            before = b",\n    ";
        }
        out.text.extend_from_slice(b"\n  ]");
    }
    out.text.extend_from_slice(b"\n}\n");
    out
}

/// Appends a range of a text, with its provenance.
fn copy(from: &TracedText, range: Range<usize>, out: &mut TracedText) {
    let Some(text) = from.text.get(range.clone()) else { return };
    let moved = |span: &ProvenanceSpan| ProvenanceSpan {
        at: span.at.saturating_sub(range.start as u64) + out.text.len() as u64,
        ..*span
    };
    let first = from.spans.partition_point(|span| span.at < range.start as u64);
    let inside = from.spans.iter().skip(first).take_while(|span| span.at < range.end as u64);
    out.spans.extend(inside.map(moved));
    out.text.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use crate::json::provenance::Provenance;
    use crate::place::{DocId, Place};

    use super::*;

    #[test]
    fn elements_are_on_lines_of_their_own() {
        let text = br#"{"model":"m","input":[{"a":1},{"b":2}],"empty":[]}"#.to_vec();
        let from = Place::new(DocId(0), 7, 1);
        let at = text.windows(3).position(|part| part == b"{\"b").unwrap_or_default() as u64;
        let spans = vec![ProvenanceSpan { at, from, provenance: Provenance::Named }];
        let out = by_element(&TracedText { text, spans }, "input");
        let shown = String::from_utf8_lossy(&out.text);
        assert_eq!(
            shown,
            "{\n  \"model\": \"m\",\n  \"input\": [\n    {\"a\":1},\n    {\"b\":2}\n  ],\n  \"empty\": []\n}\n"
        );
        assert_eq!(shown.get(out.spans[0].at as usize..).map(|rest| &rest[..3]), Some("{\"b"));
    }
}
