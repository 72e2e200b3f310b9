//! Fits the JSON schemas of tools and answers to an API that refuses some of their properties, as its own SDKs do:
//! objects are closed, and what a grammar cannot express becomes part of the description.
//! https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/lib/_parse/_transform.py

use crate::format::schema_faults::strict_totals;
use crate::history::StrictTotals;
use crate::json::{Member, NameSet, ScratchBuffers, Val, name, scan, string};
use crate::message::{LossKind, Losses, OutputFormat, RawJson, RequestSettings, Tool, ToolKind};

/// Formats of texts that a grammar has.
const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6"];
const UUID: &str = "uuid";

/// Keys that are written unchanged.
const KEPT: [&[u8]; 6] = [b"type", b"$ref", b"enum", b"const", b"title", b"required"];
/// Keys with named schemas.
const NAMED: [&[u8]; 3] = [b"properties", b"$defs", b"definitions"];
/// Keys with lists of schemas.
const LISTS: [&[u8]; 2] = [b"anyOf", b"allOf"];
/// Alternatives, which the top of a tool's schema must not have.
static UNIONS: NameSet = NameSet::of(&["anyOf", "oneOf", "allOf"]);

/// Fits the schema of the answer.
pub fn fit_output(settings: &mut RequestSettings, losses: &mut Losses) {
    if let Some(output) = &mut settings.output
        && let OutputFormat::Schema { schema, .. } = &mut output.value
        && let Some(fitted) = with_schema(schema, closed)
    {
        losses.add(LossKind::SCHEMA, output.at);
        *schema = RawJson::new(fitted);
    }
}

/// Fits the schema of a tool.
pub fn fit_tool(tool: &mut Tool, losses: &mut Losses) {
    if let ToolKind::Function { parameters: Some(schema), .. } = &mut tool.kind
        && let Some(fitted) = with_schema(schema, plain)
    {
        losses.add(LossKind::TOOL_SCHEMA, tool.at);
        *schema = RawJson::new(fitted);
    }
}

/// Closes the schemas of strict tools, as long as a grammar has room for them; the other tools are strict no more.
pub fn fit_strict_tools(tools: &mut [Tool], losses: &mut Losses) {
    let mut totals = StrictTotals::default();
    for tool in tools.iter_mut().filter(|tool| tool.strict() == Some(true)) {
        let ToolKind::Function { parameters: Some(schema), .. } = &mut tool.kind else { continue };
        let bytes = schema.bytes().into_owned();
        let mut scratch = ScratchBuffers::acquire();
        let tape = &mut scratch.tape;
        let root = scan(&bytes, tape).ok().and_then(|()| tape.root(&bytes));
        let more = totals.plus(root.map(strict_totals).unwrap_or_default());
        if more.exceeds() {
            for extra in tool.extras.extract_if(.., |extra| extra.key == "strict") {
                losses.add(LossKind::SETTING_REFUSED, extra.at);
            }
            continue;
        }
        totals = more;
        if let Some(fitted) = root.and_then(closed) {
            losses.add(LossKind::SCHEMA, tool.at);
            *schema = RawJson::new(fitted);
        }
    }
}

fn with_schema(schema: &RawJson, fit: fn(Val<'_>) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let bytes = schema.bytes();
    let mut scratch = ScratchBuffers::acquire();
    scan(&bytes, &mut scratch.tape).ok()?;
    fit(scratch.tape.root(&bytes)?)
}

/// The schema of a tool without alternatives at its top, and with the type `object`; `None` if it is like that. The object has
/// the properties of all alternatives, and its description says what they are.
fn plain(schema: Val<'_>) -> Option<Vec<u8>> {
    let is_union = |member: &Member<'_>| UNIONS.has(member.name);
    let unions: Vec<Member<'_>> = schema.members().filter(is_union).collect();
    let is_object = schema.get(name::r#type).is_some_and(|kind| kind.is("object"));
    if !schema.is_object() || is_object && unions.is_empty() {
        return None;
    }
    let alternatives = unions.iter().flat_map(|union| union.val.elements());
    let objects = [schema].into_iter().chain(alternatives);
    let mut properties: Vec<Member<'_>> = Vec::new();
    for property in objects.filter_map(|object| object.get(name::properties)).flat_map(|all| all.members()) {
        if properties.iter().all(|own| own.key.raw != property.key.raw) {
            properties.push(property);
        }
    }
    let mut out = b"{\"type\":\"object\"".to_vec();
    for member in schema.members() {
        let is_written_apart =
            ["type", "properties", "description"].iter().any(|key| member.key.is(key.as_bytes()));
        if !is_written_apart && !is_union(&member) {
            push_key(member.key.raw, &mut out);
            out.extend_from_slice(member.val.raw());
        }
    }
    if schema.get(name::properties).is_some() || !properties.is_empty() {
        push_key(b"properties", &mut out);
        out.push(b'{');
        for property in &properties {
            push_key(property.key.raw, &mut out);
            out.extend_from_slice(property.val.raw());
        }
        out.push(b'}');
    }
    push_description(schema, &unions.iter().map(unsupported).collect::<Vec<_>>(), &mut out);
    out.push(b'}');
    Some(out)
}

/// A member of a schema as its description tells it.
fn unsupported(member: &Member<'_>) -> String {
    format!("{}: {}", String::from_utf8_lossy(&member.key.decode()), String::from_utf8_lossy(member.val.raw()))
}

/// Writes the description of a schema, followed by what the schema itself cannot say.
fn push_description(schema: Val<'_>, rest: &[String], out: &mut Vec<u8>) {
    let own = schema.get(name::description).and_then(|text| text.text());
    let mut text = own.map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default();
    if !rest.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n\n" };
        text = format!("{text}{gap}{{{}}}", rest.join(", "));
    }
    if !text.is_empty() {
        push_key(b"description", out);
        out.extend_from_slice(&string::quoted(&text));
    }
}

/// The schema of an answer with closed objects and without limits; `None` if it is like that.
fn closed(schema: Val<'_>) -> Option<Vec<u8>> {
    let mut writer = ClosedWriter { out: Vec::with_capacity(schema.raw().len()), is_changed: false };
    writer.write(schema);
    writer.is_changed.then_some(writer.out)
}

struct ClosedWriter {
    out: Vec<u8>,
    /// Something is different from the original.
    is_changed: bool,
}

impl ClosedWriter {
    fn write(&mut self, schema: Val<'_>) {
        if !schema.is_object() {
            self.out.extend_from_slice(schema.raw());
            return;
        }
        let mut rest: Vec<String> = Vec::new();
        let has_any_of = schema.get(name::anyOf).is_some();
        self.out.push(b'{');
        for member in schema.members() {
            let key = member.key.decode();
            match key.as_ref() {
                b"description" if member.val.is_string() => {}
                b"additionalProperties" => self.is_changed |= member.val.as_bool() != Some(false),
                b"oneOf" if !has_any_of && member.val.is_array() => {
                    self.is_changed = true;
                    push_key(b"anyOf", &mut self.out);
                    self.write_list(member.val);
                }
                b"items" => {
                    push_key(member.key.raw, &mut self.out);
                    self.write(member.val);
                }
                key if NAMED.contains(&key) && member.val.is_object() => {
                    push_key(member.key.raw, &mut self.out);
                    self.write_named(member.val);
                }
                key if LISTS.contains(&key) && member.val.is_array() => {
                    push_key(member.key.raw, &mut self.out);
                    self.write_list(member.val);
                }
                key if KEPT.contains(&key) || is_kept(key, member.val) => {
                    push_key(member.key.raw, &mut self.out);
                    self.out.extend_from_slice(member.val.raw());
                }
                _ => rest.push(unsupported(&member)),
            }
        }
        let is_object = schema.get(name::r#type).is_some_and(|kind| kind.is("object"));
        if is_object || schema.get(name::properties).is_some() {
            self.is_changed |= schema.get(name::additionalProperties).is_none();
            push_key(b"additionalProperties", &mut self.out);
            self.out.extend_from_slice(b"false");
        }
        self.is_changed |= !rest.is_empty();
        push_description(schema, &rest, &mut self.out);
        self.out.push(b'}');
    }

    fn write_list(&mut self, list: Val<'_>) {
        self.out.push(b'[');
        for (n, schema) in list.elements().enumerate() {
            if n > 0 {
                self.out.push(b',');
            }
            self.write(schema);
        }
        self.out.push(b']');
    }

    fn write_named(&mut self, schemas: Val<'_>) {
        self.out.push(b'{');
        for member in schemas.members() {
            push_key(member.key.raw, &mut self.out);
            self.write(member.val);
        }
        self.out.push(b'}');
    }
}

/// True for a keyword that some of its values make acceptable.
fn is_kept(key: &[u8], val: Val<'_>) -> bool {
    match key {
        b"minItems" => val.as_u64().is_some_and(|least| least <= 1),
        b"format" => FORMATS.iter().any(|format| val.is(format)) || val.is(UUID),
        _ => false,
    }
}

/// Appends the key of a member, after a comma unless it is the first.
fn push_key(raw: &[u8], out: &mut Vec<u8>) {
    if out.last().is_some_and(|last| *last != b'{') {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(raw);
    out.extend_from_slice(b"\":");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{SourceLocation, Text};

    fn fitted(text: &str, fit: fn(Val<'_>) -> Option<Vec<u8>>) -> Option<String> {
        let schema = RawJson::new(text.as_bytes());
        with_schema(&schema, fit).map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
    }

    #[test]
    fn limits_become_part_of_the_description() {
        assert_eq!(
            fitted(
                r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":10},"m":{"oneOf":[{"type":"string","description":"a","pattern":"x"}]}},"required":["n"]}"#,
                closed
            )
            .as_deref(),
            Some(
                r#"{"type":"object","properties":{"n":{"type":"integer","description":"{minimum: 1, maximum: 10}"},"m":{"anyOf":[{"type":"string","description":"a\n\n{pattern: \"x\"}"}]}},"required":["n"],"additionalProperties":false}"#
            )
        );
    }

    #[test]
    fn accepted_schemas_stay_as_they_are() {
        let text = r##"{"type":"object","additionalProperties":false,"properties":{"a":{"type":"array","items":{"$ref":"#/$defs/b"},"minItems":1}},"$defs":{"b":{"type":"string","format":"date"}}}"##;
        assert_eq!(fitted(text, closed), None);
        assert_eq!(fitted(r#"{"type":"object","properties":{"n":{"minimum":1}}}"#, plain), None);
    }

    #[test]
    fn the_last_of_several_types_of_a_tool_counts() {
        let schema = RawJson::new(&br#"{"type":"object","properties":{},"type":"string"}"#[..]);
        let kind = ToolKind::Function { name: Text::new("f"), description: None, parameters: Some(schema) };
        let mut tool = Tool { at: SourceLocation::default(), kind, cache: None, extras: Vec::new() };
        fit_tool(&mut tool, &mut Losses::default());
        let ToolKind::Function { parameters: Some(fitted), .. } = tool.kind else { panic!("a function") };
        assert_eq!(fitted.bytes().as_ref(), br#"{"type":"object","properties":{}}"#);
    }

    #[test]
    fn schemas_of_tools_are_of_plain_objects() {
        let text = r#"{"anyOf":[{"required":["a"]}],"properties":{"a":{"type":"string"}}}"#;
        assert_eq!(
            fitted(text, plain).as_deref(),
            Some(
                r#"{"type":"object","properties":{"a":{"type":"string"}},"description":"{anyOf: [{\"required\":[\"a\"]}]}"}"#
            )
        );
        let text = r#"{"description":"Moves","oneOf":[{"properties":{"a":{}}},{"properties":{"a":{},"b":{}}}]}"#;
        assert_eq!(
            fitted(text, plain).as_deref(),
            Some(
                r#"{"type":"object","properties":{"a":{},"b":{}},"description":"Moves\n\n{oneOf: [{\"properties\":{\"a\":{}}},{\"properties\":{\"a\":{},\"b\":{}}}]}"}"#
            )
        );
    }
}
