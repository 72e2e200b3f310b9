//! What does not parse, and whether it was a conversation: the part before the fault is closed as if it had ended there.

use std::io;

use crate::json::{Tape, pointer, scan, scan_prefix};
use crate::source::{Container, ReadAt, framing};

use super::detect;

/// As much of a file is looked at.
pub const HEAD: u64 = 1 << 20;

/// Whether text begins as JSON does: a bracket and what may follow it. Lines of a log may begin with a bracket, too.
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

/// Whether what can be read at the beginning of a doc is of a conversation.
pub fn looks_like_conversation(bytes: &dyn ReadAt, steps: &[String]) -> io::Result<bool> {
    let (head, container) = head(bytes)?;
    if !matches!(container, Container::Document { .. }) && detect::of(container, &head, steps).is_some() {
        return Ok(true);
    }
    let Some(text) = readable(&head) else { return Ok(false) };
    let mut tape = Tape::new();
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    Ok(root.and_then(|root| pointer::resolve(root, steps)).and_then(detect::of_document).is_some())
}

fn head(bytes: &dyn ReadAt) -> io::Result<(Vec<u8>, Container)> {
    let container = framing::sniff(bytes)?;
    let start = container.mark();
    let mut head = Vec::new();
    bytes.read_into(start, (bytes.len() - start).min(HEAD) as usize, &mut head)?;
    Ok((head, container))
}

/// The first value of a text: whole, or up to its last member or element before the fault, and closed there.
fn readable(text: &[u8]) -> Option<Vec<u8>> {
    let end = match scan_prefix(text, &mut Tape::new()) {
        Ok(end) => return Some(text[..end as usize].to_vec()),
        Err(fault) => (fault.at as usize).min(text.len()),
    };
    let mut open: Vec<u8> = Vec::new();
    let (mut cut, mut open_at_cut) = (0, 0);
    let (mut in_string, mut escaped) = (false, false);
    let mut closed: Vec<u8> = Vec::new();
    for (at, byte) in text[..end].iter().enumerate() {
        if in_string {
            in_string = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
        // Before a comma, and after any bracket, a value may end.
        if matches!(byte, b',' | b'{' | b'[' | b'}' | b']') {
            cut = if *byte == b',' { at } else { at + 1 };
            open_at_cut = open.len();
            closed.clone_from(&open);
        }
    }
    if cut == 0 {
        return None;
    }
    let mut out = text[..cut].to_vec();
    out.extend(closed[..open_at_cut].iter().rev());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readable_part_is_closed() {
        for (text, part) in [
            (r#"{"a":[1,{"b":"x"#, r#"{"a":[1,{}]}"#),
            (r#"{"a":[1,{"b":"x,\"]"},2"#, r#"{"a":[1,{"b":"x,\"]"}]}"#),
            (r#"{"a":[{"b":1}],"c":NaN,"d":2}"#, r#"{"a":[{"b":1}]}"#),
            (r#"[1,2] x"#, "[1,2]"),
            ("[", "[]"),
        ] {
            let found = readable(text.as_bytes()).map(|part| String::from_utf8_lossy(&part).into_owned());
            assert_eq!(found.as_deref(), Some(part), "{text}");
        }
        assert_eq!(readable(b"nul"), None);
    }

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
