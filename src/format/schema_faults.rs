//! Faults of the JSON schemas in a request: properties that some provider refuses.

use crate::history::{PlacedFault, RequestOptions, SchemaFault, SchemaUse, StrictTotals};
use crate::json::{Val, name};

use super::{Probe, Record};

/// Limits of numbers, texts and lists, which grammars for strict answers do not have.
const BOUNDS: [&[u8]; 12] = [
    b"minimum",
    b"maximum",
    b"exclusiveMinimum",
    b"exclusiveMaximum",
    b"multipleOf",
    b"minLength",
    b"maxLength",
    b"maxItems",
    b"uniqueItems",
    b"minProperties",
    b"maxProperties",
    b"contains",
];

/// Keywords of JSON Schema that Gemini's own schemas do not have.
/// https://ai.google.dev/api/caching#Schema
const FOREIGN: [&[u8]; 19] = [
    b"$schema",
    b"$id",
    b"$comment",
    b"exclusiveMinimum",
    b"exclusiveMaximum",
    b"multipleOf",
    b"const",
    b"oneOf",
    b"allOf",
    b"not",
    b"if",
    b"then",
    b"else",
    b"patternProperties",
    b"propertyNames",
    b"uniqueItems",
    b"contains",
    b"examples",
    b"unevaluatedProperties",
];

/// The deepest level that is examined.
const MAX_DEPTH: u32 = 32;

/// Collects the faults of one schema.
pub(super) struct SchemaWalk<'w> {
    pub of: SchemaUse,
    pub record: &'w Record<'w>,
    pub options: &'w mut RequestOptions,
}

impl SchemaWalk<'_> {
    fn add(&mut self, fault: SchemaFault, at: Val<'_>) {
        self.options.add_fault(PlacedFault { of: self.of, fault, at: self.record.base.of(at) });
    }

    /// Examines the top of a schema.
    pub(super) fn visit_top(&mut self, schema: Val<'_>) {
        if !schema.is_object() {
            return;
        }
        for key in [name::oneOf, name::anyOf, name::allOf] {
            if let Some(union) = schema.get(key) {
                self.add(SchemaFault::TopUnion, union);
            }
        }
        match schema.get(name::r#type) {
            None => self.add(SchemaFault::NoType, schema),
            Some(kind) if kind.is("object") => {}
            Some(kind) => self.add(SchemaFault::OtherType, kind),
        }
    }

    /// Examines a schema for a strict answer, and the schemas in it.
    pub(super) fn visit_strict(&mut self, schema: Val<'_>, depth: u32) {
        if depth > MAX_DEPTH || !schema.is_object() {
            return;
        }
        let is_object = schema.get(name::r#type).is_some_and(|kind| kind.is("object"))
            || schema.get(name::properties).is_some();
        if is_object && schema.get(name::additionalProperties).is_none_or(|more| more.as_bool() != Some(false)) {
            self.add(SchemaFault::Open, schema);
        }
        each_optional(schema, &mut |property| self.add(SchemaFault::Optional, property));
        for member in schema.members() {
            let key = member.key.decode();
            let is_bound = BOUNDS.contains(&key.as_ref())
                || key.as_ref() == b"minItems" && member.val.as_u64().is_some_and(|least| least > 1);
            match key.as_ref() {
                b"oneOf" => self.add(SchemaFault::OneOf, member.val),
                b"default" => self.add(SchemaFault::Default, member.val),
                _ if is_bound => self.add(SchemaFault::Bound, member.val),
                _ => {}
            }
        }
        each_inner(schema, &mut |inner| self.visit_strict(inner, depth + 1));
    }

    /// Examines a schema in Gemini's own form, and the schemas in it.
    pub(super) fn visit_gemini(&mut self, schema: Val<'_>, depth: u32) {
        if depth > MAX_DEPTH || !schema.is_object() {
            return;
        }
        for member in schema.members() {
            if FOREIGN.contains(&member.key.decode().as_ref()) {
                self.add(SchemaFault::Foreign, member.val);
            }
        }
        if let Some(kind) = schema.get(name::r#type) {
            if kind.is_array() {
                self.add(SchemaFault::TypeList, kind);
            } else if (kind.is("array") || kind.is("ARRAY")) && schema.get(name::items).is_none() {
                self.add(SchemaFault::NoItems, schema);
            }
        }
        each_inner(schema, &mut |inner| self.visit_gemini(inner, depth + 1));
    }
}

/// What the schema of a strict tool adds to the totals of its request.
pub fn strict_totals(schema: Val<'_>) -> StrictTotals {
    let mut totals = StrictTotals { tools: 1, ..StrictTotals::default() };
    count_strict(schema, 0, &mut totals);
    totals.recursive = u32::from(is_recursive(schema));
    totals
}

fn count_strict(schema: Val<'_>, depth: u32, totals: &mut StrictTotals) {
    if depth > MAX_DEPTH || !schema.is_object() {
        return;
    }
    each_optional(schema, &mut |_| totals.optional += 1);
    let has_types = schema.get(name::r#type).is_some_and(|kind| kind.is_array());
    totals.unions += u32::from(has_types || schema.get(name::anyOf).is_some());
    each_inner(schema, &mut |inner| count_strict(inner, depth + 1, totals));
}

/// True if a schema refers to itself, or one of its definitions does, directly or by way of others.
fn is_recursive(schema: Val<'_>) -> bool {
    let named: Vec<(String, Vec<String>)> = ["$defs", "definitions"]
        .into_iter()
        .filter_map(|key| Some((key, schema.get(key).filter(Val::is_object)?)))
        .flat_map(|(key, definitions)| definitions.members().map(move |own| (key, own)))
        .map(|(key, own)| {
            let mut refs = Vec::new();
            collect_refs(own.val, 0, &mut refs);
            (format!("#/{key}/{}", String::from_utf8_lossy(&own.key.decode())), refs)
        })
        .take(MAX_DEFINITIONS)
        .collect();
    let mut all = Vec::new();
    collect_refs(schema, 0, &mut all);
    all.iter().any(|target| target == "#")
        || named.iter().any(|(name, refs)| {
            let (mut seen, mut open): (Vec<&String>, Vec<&String>) = (Vec::new(), refs.iter().collect());
            while let Some(next) = open.pop() {
                if next == name {
                    return true;
                }
                if !seen.contains(&next) {
                    seen.push(next);
                    open.extend(named.iter().filter(|(own, _)| own == next).flat_map(|(_, refs)| refs));
                }
            }
            false
        })
}

/// The most definitions of a schema that are examined.
const MAX_DEFINITIONS: usize = 64;

fn collect_refs(schema: Val<'_>, depth: u32, refs: &mut Vec<String>) {
    if depth > MAX_DEPTH || !schema.is_object() {
        return;
    }
    if let Some(target) = schema.get("$ref").and_then(|target| target.text()) {
        refs.push(String::from_utf8_lossy(&target).into_owned());
    }
    each_inner(schema, &mut |inner| collect_refs(inner, depth + 1, refs));
}

/// Calls `see` with the properties of a schema that its `required` does not list.
fn each_optional<'v>(schema: Val<'v>, see: &mut dyn FnMut(Val<'v>)) {
    let required = schema.get(name::required);
    for property in schema.get(name::properties).iter().flat_map(Val::members) {
        let name = property.key.decode();
        let mut names = required.iter().flat_map(Val::elements);
        if !names.any(|own| own.text().is_some_and(|text| text == name)) {
            see(property.val);
        }
    }
}

/// Calls `see` with the schemas directly in a schema.
fn each_inner(schema: Val<'_>, see: &mut dyn FnMut(Val<'_>)) {
    let probe = Probe::new(schema);
    for named in [probe.get(name::properties), schema.get("$defs"), probe.get(name::definitions)] {
        let named = named.filter(Val::is_object);
        named.iter().flat_map(Val::members).for_each(|member| see(member.val));
    }
    for key in [name::anyOf, name::oneOf, name::allOf, name::prefixItems] {
        let list = probe.get(key).filter(Val::is_array);
        list.iter().flat_map(Val::elements).for_each(&mut *see);
    }
    for key in [name::items, name::additionalProperties, name::not] {
        if let Some(inner) = probe.get(key).filter(Val::is_object) {
            see(inner);
        }
    }
}
