//! Spans of OpenTelemetry: their attributes, as OTLP writes them (`resourceSpans`), as exporters to a console or a file do
//! (`attributes` with the names as keys), or by themselves.

mod flat_messages;

use crate::formats::member;
use crate::json::{Val, name};

pub(super) use flat_messages::{AttributeNames, FlatMessages};

/// An attribute: its name and its value.
pub(super) type Attribute<'v> = (Box<str>, Val<'v>);

/// The maximum number of spans that are examined to recognise a trace.
const SAMPLE: usize = 64;

/// The attributes of each span of a record, and of the events in it.
pub(super) fn span_attributes<'v>(record: Val<'v>) -> Vec<Vec<Attribute<'v>>> {
    let mut spans = Vec::new();
    collect_spans(record, &mut spans);
    spans.iter().map(|span| attributes(*span)).filter(|attributes| !attributes.is_empty()).collect()
}

/// True if a span of a record has an attribute with one of these prefixes.
pub(super) fn has_attribute(record: Val<'_>, prefixes: &[&str]) -> bool {
    let mut spans = Vec::new();
    collect_spans(record, &mut spans);
    spans.into_iter().take(SAMPLE).any(|span| {
        let all = attributes(span);
        all.iter().any(|(name, _)| prefixes.iter().any(|prefix| name.starts_with(prefix)))
    })
}

fn collect_spans<'v>(val: Val<'v>, out: &mut Vec<Val<'v>>) {
    if val.is_array() {
        return val.elements().for_each(|one| collect_spans(one, out));
    }
    let lists = ["resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans"];
    match lists.iter().find_map(|key| val.get(key).filter(Val::is_array)) {
        Some(list) => list.elements().for_each(|one| collect_spans(one, out)),
        None if val.is_object() => out.push(val),
        None => {}
    }
}

/// The attributes of a span, followed by those of its events.
fn attributes<'v>(span: Val<'v>) -> Vec<Attribute<'v>> {
    let mut out = Vec::new();
    match span.get("attributes") {
        Some(own) => collect_attributes(own, &mut out),
        None => collect_attributes(span, &mut out),
    }
    for event in span.get("events").into_iter().flat_map(|events| events.elements()) {
        if let Some(own) = event.get("attributes") {
            collect_attributes(own, &mut out);
        }
    }
    out
}

fn collect_attributes<'v>(own: Val<'v>, out: &mut Vec<Attribute<'v>>) {
    if own.is_array() {
        // OTLP: `{"key": …, "value": {"stringValue": …}}`.
        for attribute in own.elements() {
            let (Some(name), Some(value)) = (member::text(attribute, "key"), attribute.get(name::value)) else {
                continue;
            };
            let value = value.members().next().map_or(value, |member| member.val);
            out.push((name, value));
        }
        return;
    }
    let member = |key: &[u8]| -> Box<str> { String::from_utf8_lossy(key).into() };
    out.extend(own.members().map(|own| (member(&own.key.decode()), own.val)));
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
