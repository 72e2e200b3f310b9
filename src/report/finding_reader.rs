//! Reads the items of findings for their diagnostics, record by record: each is read and scanned once.

use std::io;

use foldhash::HashMap;
use serde::de::IgnoredAny;

use crate::history::{Finding, Flags, NO_FIELD, Remedy, RepairAct};
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::json::pointer::PointerFinder;
use crate::judge::{JudgedDoc, NewValues, WeighedFinding};
use crate::message::LossKind;
use crate::place::{DocId, Place};
use crate::read::{TextReader, detect};
use crate::rules::container::unknown_format;
use crate::rules::conversion::other_model;
use crate::rules::fields;
use crate::rules::items::schema_violation;
use crate::schema::Violation;
use crate::source::{CachedReader, ReadAt};
use crate::target::Verdict;

use super::Location;
use super::item_facts::{ItemFacts, read_facts, word};
use super::locator::{LastRecord, Locator, Pointer, visit_records};
use super::mask;
use super::snippet::{self, Snippet};

/// How snippets show content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContentDisplay {
    /// Keys, ids and types only.
    Masked,
    Shown,
    /// No snippets.
    None,
}

/// Reads the items of some findings.
pub(super) struct FindingReader<'t, T> {
    pub id: DocId,
    pub lint: &'t JudgedDoc<T>,
    pub judged: &'t [WeighedFinding],
    pub texts: &'t TextReader<'t>,
    pub cached: &'t CachedReader<'t>,
    pub content: ContentDisplay,
}

/// A place to read.
struct RequestedPlace {
    at: Place,
    /// Number of the finding.
    of: usize,
    is_partner: bool,
}

/// The items of findings and their partners, by the number of the finding.
pub(super) struct FindingItems {
    pub items: Vec<FindingItem>,
    pub partners: HashMap<usize, FindingItem>,
}

/// The item of a finding, or its partner.
#[derive(Default)]
pub(super) struct FindingItem {
    pub location: Location,
    pub facts: ItemFacts,
    /// The violation of the schema, if that is the finding.
    pub violation: Option<Violation>,
    pub field: FieldFacts,
    /// The key, if the item is one, and its value.
    pub key: Option<String>,
    pub was: Option<String>,
    /// What a conversion writes instead.
    pub to: Option<String>,
    /// JSON Pointer of a conversation within the record, if no format claims the record.
    pub inside: Option<String>,
    pub snippet: Option<Snippet>,
}

/// The member of the item that the finding is about: its path, its value if that is a type or a role, and its
/// length.
#[derive(Default)]
pub(super) struct FieldFacts {
    pub path: Option<String>,
    pub value: Option<String>,
    pub length: Option<String>,
}

impl<T> FindingReader<'_, T> {
    /// Reads the items of all findings, record by record.
    pub fn read(&self, locator: &mut Locator<'_>, last: &mut LastRecord) -> io::Result<FindingItems> {
        let mut wanted: Vec<RequestedPlace> = Vec::with_capacity(self.judged.len());
        for (of, judged) in self.judged.iter().enumerate() {
            wanted.push(RequestedPlace { at: judged.finding.row.at, of, is_partner: false });
            let partner = partner(&judged.finding);
            wanted.extend(partner.map(|at| RequestedPlace { at, of, is_partner: true }));
        }
        wanted.sort_by_key(|wanted| self.cached.origin(wanted.at).order());
        let flags = |of: usize| self.judged.get(of).map(|judged| judged.finding.row.flags).unwrap_or_default();
        let placed = |wanted: &RequestedPlace| {
            let (at, mut flags) = (self.cached.origin(wanted.at), flags(wanted.of));
            // The source of synthesised text may be in a JSON string.
            if at != wanted.at {
                flags.set(Flags::EMBEDDED);
            }
            (at, flags)
        };
        let sorted: Vec<(Place, Flags)> = wanted.iter().map(placed).collect();
        let mut seen = FindingItems { items: Vec::new(), partners: HashMap::default() };
        seen.items.resize_with(self.judged.len(), FindingItem::default);
        visit_records(self.id, self.cached, self.lint.container, &sorted, last, &mut |record| {
            let pointer = |at: Place| record.pointers.get(&at);
            // A place in a JSON string is reported at the string.
            let shown = |at: Place| pointer(at).and_then(|pointer| pointer.string).unwrap_or(at);
            let places = sorted.get(record.range.clone()).unwrap_or_default();
            let ends = places.iter().map(|(at, _)| shown(*at)).flat_map(|shown| [shown.start, shown.end()]);
            let positions = locator.all(ends.collect())?;
            let own = wanted.get(record.range.clone()).unwrap_or_default();
            for (wanted, (at, _)) in own.iter().zip(places) {
                let Pointer { outer, inner, .. } = pointer(*at).cloned().unwrap_or_default();
                let location =
                    Location { pointer: outer, inner_pointer: inner, ..Location::new(shown(*at), &positions) };
                let Some(judged) = self.judged.get(wanted.of) else { continue };
                let access = ItemAccess { texts: self.texts, scanned: record.scanned, judged };
                let item = match wanted.is_partner {
                    true => {
                        FindingItem { facts: access.facts(wanted.at, false), location, ..FindingItem::default() }
                    }
                    false => self.item(&access, location),
                };
                match seen.items.get_mut(wanted.of) {
                    Some(slot) if !wanted.is_partner => *slot = item,
                    _ => drop(seen.partners.insert(wanted.of, item)),
                }
            }
            Ok(())
        })?;
        Ok(seen)
    }

    fn item(&self, access: &ItemAccess<'_, '_>, location: Location) -> FindingItem {
        let judged = access.judged;
        let finding = &judged.finding;
        let has_snippet = self.content != ContentDisplay::None && finding.row.at.len > 0;
        FindingItem {
            facts: access.facts(finding.row.at, template_uses(judged, "{shape}")),
            violation: violation(access, self.lint),
            field: access.field(),
            key: template_uses(judged, "{key}").then(|| key(self.cached, finding, &location)).flatten(),
            was: template_uses(judged, "{was}").then(|| value_of_key(self.cached, finding.row.at)).flatten(),
            to: new_value(&self.lint.new_values, finding),
            inside: access.inside(&location),
            snippet: has_snippet.then(|| self.snippet(access)).flatten(),
            location,
        }
    }

    fn snippet(&self, access: &ItemAccess<'_, '_>) -> Option<Snippet> {
        let at = access.judged.finding.row.at;
        match self.content {
            ContentDisplay::Shown if access.judged.history.is_none() => snippet::context(self.cached, at),
            ContentDisplay::Shown => snippet::window(self.cached, at),
            _ => access.see(at, snippet::masked_snippet),
        }
    }
}

/// True if a template of a finding uses a name.
fn template_uses(judged: &WeighedFinding, name: &str) -> bool {
    let (variant, own) = (judged.variant(), own_verdict(judged));
    let answer = own.and_then(|own| own.error).unwrap_or(variant.error);
    let api = own.and_then(|own| own.api).or(variant.api);
    [Some(variant.message), api, answer.param].into_iter().flatten().any(|template| template.contains(name))
}

/// The target's verdict on a finding, if it has a message of its own.
pub(super) fn own_verdict(judged: &WeighedFinding) -> Option<&'static Verdict> {
    judged.target.verdict(judged.finding.code, judged.finding.variant).filter(|own| own.api.is_some())
}

/// Access to the values of a finding's record.
struct ItemAccess<'l, 't> {
    texts: &'l TextReader<'l>,
    scanned: Option<(&'l PointerFinder<'t>, RecordBase<'t>)>,
    judged: &'l WeighedFinding,
}

impl ItemAccess<'_, '_> {
    /// Calls `see` with the value at a place, from the scanned record if there is one, else by reading it again.
    fn see<R>(&self, at: Place, see: impl FnOnce(Val<'_>) -> R) -> Option<R> {
        let is_embedded = self.judged.finding.row.has(Flags::EMBEDDED);
        match self
            .scanned
            .filter(|_| !is_embedded)
            .and_then(|(finder, base)| finder.value(base.relative(at.start)?, base.relative(at.end())?))
        {
            Some(val) => Some(see(val)),
            None => self.texts.with_value(at, is_embedded, see),
        }
    }

    fn facts(&self, at: Place, with_shape: bool) -> ItemFacts {
        self.see(at, |item| read_facts(item, self.texts.ids(item), with_shape)).unwrap_or_default()
    }

    /// The pointer of a conversation in a record of unknown format, unless a key of it is masked.
    fn inside(&self, location: &Location) -> Option<String> {
        let finding = &self.judged.finding;
        let is_unknown = finding.code == unknown_format::RULE.code && finding.variant == 0;
        let below = is_unknown.then(|| self.see(finding.row.at, detect::find_conversation)).flatten().flatten()?;
        let pointer = location.pointer.clone() + &below;
        (mask::pointer(&pointer) == pointer).then_some(pointer)
    }

    fn field(&self) -> FieldFacts {
        let finding = &self.judged.finding;
        let Some(field) = fields::row(finding.field).filter(|_| finding.field != NO_FIELD) else {
            return FieldFacts::default();
        };
        let read_field = |item: Val<'_>| {
            let found = field.spot.first(item)?;
            let length = |val: Val<'_>| match val.as_str() {
                Some(text) => text.characters().to_string(),
                None => val.count().to_string(),
            };
            Some(FieldFacts {
                path: Some(mask::path(&found.path)),
                value: word(found.val),
                length: template_uses(self.judged, "{length}").then(|| found.val.map(length)).flatten(),
            })
        };
        self.see(finding.row.at, read_field).flatten().unwrap_or_default()
    }
}

/// The schema violation of a finding's item; `None` for other rules.
fn violation<T>(access: &ItemAccess<'_, '_>, lint: &JudgedDoc<T>) -> Option<Violation> {
    let finding = &access.judged.finding;
    if finding.code != schema_violation::RULE.code {
        return None;
    }
    let dialect = lint.format.map_or(access.judged.target.dialect, |format| format.info().dialect.info().name);
    let standard = lint.schemas.of(dialect)?;
    access.see(finding.row.at, |item| schema_violation::find_violation(&standard, finding, item)).flatten()
}

/// The key that starts at a place, after the names of the settings that contain it.
fn key(bytes: &dyn ReadAt, finding: &Finding, location: &Location) -> Option<String> {
    let is_model = finding.code == other_model::RULE.code;
    let key = string_at(bytes, finding.row.at, if is_model { mask::model } else { mask::word })?;
    // The last step is the key itself.
    let above: Vec<&str> =
        location.pointer.rsplit('/').skip(1).take_while(|step| SETTING_OBJECTS.contains(step)).collect();
    let path = above.iter().rev().fold(String::new(), |path, step| path + step + ".");
    Some(format!("\"{path}{key}\""))
}

/// The value of the key that starts at a place.
fn value_of_key(bytes: &dyn ReadAt, at: Place) -> Option<String> {
    let mut text = vec![0; MAX_SHOWN_VALUE];
    let n = bytes.read_at(at.start, &mut text).ok()?;
    let text = text.get(..n)?;
    let mut key = serde_json::Deserializer::from_slice(text).into_iter::<String>();
    let is_model = matches!(&*key.next()?.ok()?, "model" | "modelId");
    let after = text.get(key.byte_offset()..)?.trim_ascii_start().strip_prefix(b":")?;
    let mut value = serde_json::Deserializer::from_slice(after).into_iter::<IgnoredAny>();
    value.next()?.ok()?;
    let raw = after.get(..value.byte_offset())?.trim_ascii();
    match raw.first()? {
        b'"' => {
            let text: String = serde_json::from_slice(raw).ok()?;
            let shown = if is_model { mask::model(&text) } else { mask::word(&text) };
            // The size of a masked text says nothing.
            (shown != mask::size(&text)).then(|| format!("\"{shown}\""))
        }
        // A list or an object is shown at its place.
        b'[' | b'{' => None,
        _ => Some(String::from_utf8_lossy(raw).into_owned()),
    }
}

/// Maximum length in bytes of a key and its value, to show the value.
const MAX_SHOWN_VALUE: usize = 200;

/// The value that a conversion writes instead of the old one.
fn new_value(values: &NewValues, finding: &Finding) -> Option<String> {
    let to = values.get(&(finding.row.at, finding.code, finding.variant))?;
    Some(match LossKind::of(finding) {
        LossKind::CALL_ID_RENAMED => mask::id(to),
        LossKind::TOOL_RENAMED => mask::name(to),
        _ => to.to_string(),
    })
}

fn string_at(bytes: &dyn ReadAt, at: Place, mask: fn(&str) -> String) -> Option<String> {
    let mut text = vec![0; 200];
    let n = bytes.read_at(at.start, &mut text).ok()?;
    let mut key = serde_json::Deserializer::from_slice(text.get(..n)?).into_iter::<String>();
    key.next().and_then(Result::ok).map(|key| mask(&key))
}

/// Members of requests that contain settings: their names precede a setting's own.
const SETTING_OBJECTS: [&str; 24] = [
    "tool_choice",
    "thinking",
    "output_config",
    "reasoning",
    "text",
    "format",
    "response_format",
    "json_schema",
    "web_search_options",
    "prompt_cache_options",
    "generationConfig",
    "generation_config",
    "thinkingConfig",
    "thinking_config",
    "toolConfig",
    "tool_config",
    "functionCallingConfig",
    "function_calling_config",
    "inferenceConfig",
    "outputConfig",
    "textFormat",
    "additionalModelRequestFields",
    "guardrailConfig",
    "stream_options",
];

/// The other item that a finding is about. A damaged line is none: it may be long, and have many findings.
fn partner(finding: &Finding) -> Option<Place> {
    finding.partner.filter(|_| finding.remedy != Remedy::One(RepairAct::RepairText))
}
