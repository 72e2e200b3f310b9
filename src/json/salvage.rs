//! Salvaging the part of a text before its first syntax error, closed as if it had ended there.

use super::{Tape, scan_prefix};

/// The first value of a text, complete or closed after its last member or element before the syntax error. `None`
/// if there is none.
pub fn salvage(text: &[u8]) -> Option<Vec<u8>> {
    let end = match scan_prefix(text, &mut Tape::new()) {
        Ok(end) => return text.get(..end as usize).map(<[u8]>::to_vec),
        Err(fault) => (fault.at as usize).min(text.len()),
    };
    let text = text.get(..end)?;
    let mut open: Vec<u8> = Vec::new();
    let (mut cut, mut open_at_cut) = (0, 0);
    let (mut in_string, mut escaped) = (false, false);
    let mut closed: Vec<u8> = Vec::new();
    for (at, byte) in text.iter().enumerate() {
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
    let mut out = text.get(..cut)?.to_vec();
    out.extend(closed.iter().take(open_at_cut).rev());
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
            let found = salvage(text.as_bytes()).map(|part| String::from_utf8_lossy(&part).into_owned());
            assert_eq!(found.as_deref(), Some(part), "{text}");
        }
        assert_eq!(salvage(b"nul"), None);
    }
}
