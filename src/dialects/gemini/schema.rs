//! Converts Gemini's own schemas to JSON Schema. They name types in capitals, have `nullable` beside a type, and contain
//! numbers as texts, like Google's JSON of 64-bit integers.

use crate::json::{NodeKind, Val};
use crate::message::RawJson;

/// Keywords whose value is a number.
const NUMBERS: [&str; 6] = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/// A Gemini schema as JSON Schema; one that is JSON Schema already is unchanged.
pub fn json_schema(val: Val<'_>) -> RawJson {
    let mut out = Vec::with_capacity(val.raw().len());
    write(val, &mut out);
    RawJson::new(out)
}

fn write(val: Val<'_>, out: &mut Vec<u8>) {
    match val.kind() {
        NodeKind::Object => schema(val, out),
        NodeKind::Array => list(val, out),
        _ => out.extend_from_slice(val.raw()),
    }
}

fn list(val: Val<'_>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (n, element) in val.elements().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}

fn schema(val: Val<'_>, out: &mut Vec<u8>) {
    let nullable = val.get("nullable").and_then(|own| own.as_bool()) == Some(true);
    let mut first = true;
    out.push(b'{');
    for member in val.members().filter(|member| !(member.key.is(b"nullable") && member.val.as_bool().is_some())) {
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        out.push(b'"');
        out.extend_from_slice(member.key.raw);
        out.extend_from_slice(b"\":");
        let own = member.val;
        if member.key.is(b"type") && own.is_string() {
            let kind = own.raw().to_ascii_lowercase();
            match nullable {
                true => out.extend([b"[", &*kind, b",\"null\"]"].concat()),
                false => out.extend(kind),
            }
        } else if NUMBERS.iter().any(|name| member.key.is(name.as_bytes())) && is_number_in_text(own) {
            out.extend_from_slice(own.as_str().map_or(own.raw(), |text| text.raw));
        } else if member.key.is(b"properties") && own.is_object() {
            properties(own, out);
        } else if member.key.is(b"enum") || member.key.is(b"example") || member.key.is(b"default") {
            out.extend_from_slice(own.raw());
        } else {
            write(own, out);
        }
    }
    out.push(b'}');
}

/// Each property is a schema, whatever it is called.
fn properties(val: Val<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (n, member) in val.members().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        out.push(b'"');
        out.extend_from_slice(member.key.raw);
        out.extend_from_slice(b"\":");
        write(member.val, out);
    }
    out.push(b'}');
}

fn is_number_in_text(val: Val<'_>) -> bool {
    let digits = val.as_str().filter(|text| !text.raw.is_empty());
    digits.is_some_and(|text| text.raw.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Tape, scan};

    fn made(text: &str) -> String {
        let mut tape = Tape::new();
        scan(text.as_bytes(), &mut tape).expect("JSON");
        let raw = json_schema(tape.root(text.as_bytes()).expect("a value"));
        String::from_utf8_lossy(&raw.bytes()).into_owned()
    }

    #[test]
    fn types_numbers_and_nullable_are_translated() {
        assert_eq!(
            made(
                r#"{"type":"OBJECT","properties":{"type":{"type":"STRING","nullable":true},"nullable":{"type":"ARRAY","minItems":"1","items":{"type":"INTEGER"}}},"required":["type"]}"#
            ),
            r#"{"type":"object","properties":{"type":{"type":["string","null"]},"nullable":{"type":"array","minItems":1,"items":{"type":"integer"}}},"required":["type"]}"#
        );
    }

    #[test]
    fn json_schema_stays_as_it_is() {
        let text = r#"{"type":["object","null"],"properties":{"a":{"const":"X","enum":["STRING"]}},"anyOf":[{"minItems":2}]}"#;
        assert_eq!(made(text), text);
    }
}
