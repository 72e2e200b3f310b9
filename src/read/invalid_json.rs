//! Docs that do not parse: whether they are JSON, or a conversation, judged by the part before the syntax error.

use std::io;

use crate::json::{Tape, pointer, salvage, scan};
use crate::source::{Container, ReadAt, framing};

use super::Options;
use super::detect::{self, Detection, LineSample};

/// Bytes of a file that are inspected, at most.
pub const HEAD: u64 = 1 << 20;

/// True if text begins like JSON: a bracket and what may follow it. Lines of a log may begin with a bracket, too.
pub fn begins_like_json(bytes: &dyn ReadAt) -> io::Result<bool> {
    let (head, container) = head(bytes)?;
    let mut chars = head.iter().filter(|b| !b.is_ascii_whitespace());
    let begins = match (chars.next(), chars.next()) {
        (Some(b'{'), next) => matches!(next, Some(b'"' | b'}') | None),
        (Some(b'['), next) => matches!(next, Some(b'{' | b'[' | b'"' | b']') | None),
        _ => false,
    };
    Ok(begins && matches!(container, Container::Document { .. } | Container::Lines { .. }))
}

/// True if the readable beginning of a doc is part of a conversation.
pub fn looks_like_conversation(bytes: &dyn ReadAt, steps: &[String]) -> io::Result<bool> {
    let (head, container) = head(bytes)?;
    if !matches!(container, Container::Document { .. })
        && matches!(
            detect::detect_lines(container, &mut LineSample::new(&head, 0, steps), &Options::default()),
            Detection::Read(_)
        )
    {
        return Ok(true);
    }
    let Some(text) = salvage(&head) else { return Ok(false) };
    let mut tape = Tape::new();
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    Ok(root
        .and_then(|root| pointer::resolve(root, steps))
        .and_then(|val| detect::of_document(val, None))
        .is_some())
}

fn head(bytes: &dyn ReadAt) -> io::Result<(Vec<u8>, Container)> {
    let container = framing::sniff(bytes)?;
    let start = container.bom_len();
    let mut head = Vec::new();
    bytes.read_into(start, (bytes.len() - start).min(HEAD) as usize, &mut head)?;
    Ok((head, container))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_line_is_not_taken_for_json() {
        let begins = |text: &str| begins_like_json(&text.as_bytes().to_vec()).expect("memory reads");
        assert!(begins("{\"a\":") && begins("[\n {") && begins("\u{feff}[\"x"));
        assert!(!begins("[2026-01-01] started") && !begins("{ name: 1 }") && !begins("text"));
    }

    #[test]
    fn a_conversation_is_known_by_its_beginning() {
        let looks = |text: &str| looks_like_conversation(&text.as_bytes().to_vec(), &[]).expect("memory reads");
        assert!(looks(r#"{"model":"gpt-5","input":[{"role":"user","content":"a"},{"role":"#));
        assert!(looks(r#"[{"role":"user","content":"a"},{"role":"user","content":NaN}]"#));
        assert!(!looks(r#"{"compilerOptions":{"strict":true,"#));
    }
}
