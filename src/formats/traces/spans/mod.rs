//! Spans of OpenTelemetry: their attributes, as OTLP writes them (`resourceSpans`), as exporters to a console or a file do
//! (`attributes` with the names as keys), or by themselves.

mod flat_messages;

use crate::formats::member;
use crate::json::{KeyName, Val, name};

pub(super) use flat_messages::{AttributeNames, FlatMessages};

/// An attribute: its name and its value.
pub(super) type Attribute<'v> = (Box<str>, Val<'v>);

/// The maximum number of spans that are examined to recognise a trace.
const SAMPLE: usize = 64;

/// The attributes of each span of a record, and of the events in it.
pub(super) fn span_attributes<'v>(record: Val<'v>) -> Vec<Vec<Attribute<'v>>> {
    let mut spans = Vec::new();
    any_span(record, &mut |span| {
        spans.push(attributes(span));
        false
    });
    spans.retain(|attributes| !attributes.is_empty());
    spans
}

/// True if a span of a record has an attribute with one of these prefixes.
pub(super) fn has_attribute(record: Val<'_>, prefixes: &[&str]) -> bool {
    let is_one = |name: &[u8]| prefixes.iter().any(|prefix| name.starts_with(prefix.as_bytes()));
    let (mut seen, mut found) = (0, false);
    any_span(record, &mut |span| {
        seen += 1;
        found = any_attribute(span, &mut |name, _| is_one(name));
        found || seen == SAMPLE
    });
    found
}

/// The members that contain spans, or lists of them.
const LISTS: [KeyName; 5] =
    [name::resourceSpans, name::resource_spans, name::scopeSpans, name::scope_spans, name::spans];

/// Passes the spans of a record, until one is what is looked for.
fn any_span<'v>(val: Val<'v>, is_one: &mut dyn FnMut(Val<'v>) -> bool) -> bool {
    if val.is_array() {
        return val.elements().any(|one| any_span(one, is_one));
    }
    let names = val.names();
    let mut lists = LISTS.iter().filter(|name| names.has(**name));
    match lists.find_map(|name| val.get(*name).filter(Val::is_array)) {
        Some(list) => list.elements().any(|one| any_span(one, is_one)),
        None => val.is_object() && is_one(val),
    }
}

/// The attributes of a span, followed by those of its events.
fn attributes<'v>(span: Val<'v>) -> Vec<Attribute<'v>> {
    let mut out = Vec::new();
    any_attribute(span, &mut |name, val| {
        out.push((String::from_utf8_lossy(name).into(), val));
        false
    });
    out
}

/// Passes the attributes of a span, and those of its events, until one is what is looked for.
fn any_attribute<'v>(span: Val<'v>, is_one: &mut dyn FnMut(&[u8], Val<'v>) -> bool) -> bool {
    any_named(span.get(name::attributes).unwrap_or(span), is_one)
        || span.get(name::events).is_some_and(|events| {
            events.elements().any(|event| event.get(name::attributes).is_some_and(|own| any_named(own, is_one)))
        })
}

fn any_named<'v>(own: Val<'v>, is_one: &mut dyn FnMut(&[u8], Val<'v>) -> bool) -> bool {
    if !own.is_array() {
        // The names of attributes have dots, which keys with a number do not have.
        let mut unnumbered = own.members().filter(|member| !member.name.is_some());
        return unnumbered.any(|member| is_one(&member.key.decode(), member.val));
    }
    // OTLP: `{"key": …, "value": {"stringValue": …}}`.
    own.elements().any(|attribute| {
        let (Some(name), Some(value)) = (member::text(attribute, "key"), attribute.get(name::value)) else {
            return false;
        };
        is_one(name.as_bytes(), value.members().next().map_or(value, |member| member.val))
    })
}

/// The value of the first of these attributes that is present.
pub(super) fn get<'v>(attributes: &[Attribute<'v>], names: &[&str]) -> Option<Val<'v>> {
    names.iter().find_map(|name| attributes.iter().find(|(own, _)| **own == **name).map(|(_, val)| *val))
}

/// Its text, unless it is empty.
pub(super) fn text(attributes: &[Attribute<'_>], names: &[&str]) -> Option<Box<str>> {
    let text = get(attributes, names)?.text().filter(|text| !text.is_empty())?;
    Some(String::from_utf8_lossy(&text).into())
}
