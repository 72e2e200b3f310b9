//! What is read of the places of findings before they are told: record by record, each read and scanned once.

use std::collections::HashMap;
use std::io;

use crate::history::{Act, Finding, Flags, NO_FIELD, Remedy};
use crate::json::Val;
use crate::json::edit::Base;
use crate::json::pointer::Finder;
use crate::judge::{Judged, JudgedDoc};
use crate::place::{DocId, Place};
use crate::read::{Texts, detect};
use crate::rules::container::unknown_format;
use crate::rules::conversion::other_model;
use crate::rules::fields;
use crate::rules::items::schema_violation;
use crate::schema::Violation;
use crate::source::{Held, ReadAt};
use crate::target::Verdict;

use super::Spot;
use super::item_facts::{Told, told, word};
use super::mask;
use super::place::{Locator, Pointer, each_record};
use super::snippet::{self, Snippet};

/// How content is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Keys, ids and types only.
    Masked,
    Shown,
    /// No snippets are wanted.
    None,
}

/// Reads what is told of some findings.
pub(super) struct Reader<'t, T> {
    pub id: DocId,
    pub lint: &'t JudgedDoc<T>,
    pub judged: &'t [Judged],
    pub texts: &'t Texts<'t>,
    pub held: &'t Held<'t>,
    pub content: Content,
}

/// A place that is told.
struct Wanted {
    at: Place,
    /// Number of the finding.
    of: usize,
    is_partner: bool,
}

/// What was read, by the number of the finding.
pub(super) struct Read {
    pub items: Vec<Item>,
    pub partners: HashMap<usize, Item>,
}

/// What is told of the item of a finding, or of its partner.
#[derive(Default)]
pub(super) struct Item {
    pub spot: Spot,
    pub told: Told,
    /// What the schema says to the item, where that is the finding.
    pub violation: Option<Violation>,
    pub field: Field,
    /// The key that the item is.
    pub key: Option<String>,
    /// Where in the record a conversation is, if no format claims the record.
    pub inside: Option<String>,
    pub snippet: Option<Snippet>,
}

/// Where in the item the member lies that the finding is about, what it says if that is a type or a role, and how long
/// it is.
#[derive(Default)]
pub(super) struct Field {
    pub path: Option<String>,
    pub value: Option<String>,
    pub length: Option<String>,
}

impl<T> Reader<'_, T> {
    pub fn read(&self, locator: &mut Locator<'_>) -> io::Result<Read> {
        let mut wanted: Vec<Wanted> = Vec::with_capacity(self.judged.len());
        for (of, judged) in self.judged.iter().enumerate() {
            wanted.push(Wanted { at: judged.finding.row.at, of, is_partner: false });
            let partner = partner(&judged.finding);
            wanted.extend(partner.map(|at| Wanted { at, of, is_partner: true }));
        }
        wanted.sort_by_key(|wanted| self.held.origin(wanted.at).order());
        let flags = |of: usize| self.judged.get(of).map(|judged| judged.finding.row.flags).unwrap_or_default();
        let placed = |wanted: &Wanted| {
            let (at, mut flags) = (self.held.origin(wanted.at), flags(wanted.of));
            // What messages were made of may lie in a JSON string.
            if at != wanted.at {
                flags.set(Flags::EMBEDDED);
            }
            (at, flags)
        };
        let sorted: Vec<(Place, Flags)> = wanted.iter().map(placed).collect();
        let mut seen = Read { items: Vec::new(), partners: HashMap::new() };
        seen.items.resize_with(self.judged.len(), Item::default);
        each_record(self.id, self.held, self.lint.container, &sorted, &mut |record| {
            let pointer = |at: Place| record.pointers.get(&at);
            // What lies in a JSON string is reported at the string's place.
            let shown = |at: Place| pointer(at).and_then(|pointer| pointer.string).unwrap_or(at);
            let places = sorted.get(record.range.clone()).unwrap_or_default();
            let ends = places.iter().map(|(at, _)| shown(*at)).flat_map(|shown| [shown.start, shown.end()]);
            let positions = locator.all(ends.collect())?;
            let own = wanted.get(record.range.clone()).unwrap_or_default();
            for (wanted, (at, _)) in own.iter().zip(places) {
                let Pointer { outer, inner, .. } = pointer(*at).cloned().unwrap_or_default();
                let spot = Spot { pointer: outer, inner_pointer: inner, ..Spot::new(shown(*at), &positions) };
                let Some(judged) = self.judged.get(wanted.of) else { continue };
                let look = Look { texts: self.texts, scanned: record.scanned, judged };
                let item = match wanted.is_partner {
                    true => Item { told: look.told(wanted.at, false), spot, ..Item::default() },
                    false => self.item(&look, spot),
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

    fn item(&self, look: &Look<'_, '_>, spot: Spot) -> Item {
        let judged = look.judged;
        let finding = &judged.finding;
        let tellable = self.content != Content::None && finding.row.at.len > 0;
        Item {
            told: look.told(finding.row.at, names(judged, "{shape}")),
            violation: violation(look, self.lint),
            field: look.field(),
            key: names(judged, "{key}").then(|| key(self.held, finding, &spot)).flatten(),
            inside: look.inside(&spot),
            snippet: tellable.then(|| self.snippet(look)).flatten(),
            spot,
        }
    }

    fn snippet(&self, look: &Look<'_, '_>) -> Option<Snippet> {
        let at = look.judged.finding.row.at;
        match self.content {
            Content::Shown if look.judged.history.is_none() => snippet::around(self.held, at),
            Content::Shown => snippet::window(self.held, at),
            _ => look.see(at, snippet::masked),
        }
    }
}

/// Whether a template of a finding holds a name.
fn names(judged: &Judged, name: &str) -> bool {
    let (variant, own) = (judged.variant(), own_verdict(judged));
    let answer = own.and_then(|own| own.answer).unwrap_or(variant.answer);
    let api = own.and_then(|own| own.api).or(variant.api);
    [Some(variant.message), api, answer.param].into_iter().flatten().any(|template| template.contains(name))
}

/// What the target says to a finding in words of its own.
pub(super) fn own_verdict(judged: &Judged) -> Option<&'static Verdict> {
    judged.target.verdict(judged.finding.code, judged.finding.variant).filter(|own| own.api.is_some())
}

/// A look at the item of a finding.
struct Look<'l, 't> {
    texts: &'l Texts<'l>,
    scanned: Option<(&'l Finder<'t>, Base<'t>)>,
    judged: &'l Judged,
}

impl Look<'_, '_> {
    /// Calls `see` with the value at a place: of the record where it was scanned, else it is read again.
    fn see<R>(&self, at: Place, see: impl FnOnce(Val<'_>) -> R) -> Option<R> {
        let is_embedded = self.judged.finding.row.has(Flags::EMBEDDED);
        match self
            .scanned
            .filter(|_| !is_embedded)
            .and_then(|(finder, base)| finder.value(base.relative(at.start)?, base.relative(at.end())?))
        {
            Some(val) => Some(see(val)),
            None => self.texts.see(at, is_embedded, see),
        }
    }

    fn told(&self, at: Place, with_shape: bool) -> Told {
        self.see(at, |item| told(item, self.texts.called(item), with_shape)).unwrap_or_default()
    }

    /// The pointer of a conversation in a record of unknown format, unless a key on the way is masked.
    fn inside(&self, spot: &Spot) -> Option<String> {
        let finding = &self.judged.finding;
        let is_unknown = finding.code == unknown_format::RULE.code && finding.variant == 0;
        let below = is_unknown.then(|| self.see(finding.row.at, detect::inside)).flatten().flatten()?;
        let pointer = spot.pointer.clone() + &below;
        (mask::pointer(&pointer) == pointer).then_some(pointer)
    }

    fn field(&self) -> Field {
        let finding = &self.judged.finding;
        let Some(field) = fields::row(finding.field).filter(|_| finding.field != NO_FIELD) else {
            return Field::default();
        };
        let tell = |item: Val<'_>| {
            let found = field.spot.first(item)?;
            let length = |val: Val<'_>| match val.as_str() {
                Some(text) => text.characters().to_string(),
                None => val.count().to_string(),
            };
            Some(Field {
                path: Some(mask::path(&found.path)),
                value: word(found.val),
                length: names(self.judged, "{length}").then(|| found.val.map(length)).flatten(),
            })
        };
        self.see(finding.row.at, tell).flatten().unwrap_or_default()
    }
}

/// What the schema says to the item of a finding; nothing for other rules.
fn violation<T>(look: &Look<'_, '_>, lint: &JudgedDoc<T>) -> Option<Violation> {
    let finding = &look.judged.finding;
    if finding.code != schema_violation::RULE.code {
        return None;
    }
    let dialect = lint.format.map_or(look.judged.target.dialect, |format| format.info().dialect.info().name);
    let standard = lint.schemas.of(dialect)?;
    look.see(finding.row.at, |item| schema_violation::of_finding(&standard, finding, item)).flatten()
}

/// The key that starts at a place, after the settings that it lies in.
fn key(bytes: &dyn ReadAt, finding: &Finding, spot: &Spot) -> Option<String> {
    let is_model = finding.code == other_model::RULE.code;
    let key = string_at(bytes, finding.row.at, if is_model { mask::model } else { mask::word })?;
    // The last step is the key itself.
    let above: Vec<&str> = spot.pointer.rsplit('/').skip(1).take_while(|step| HOLDERS.contains(step)).collect();
    let path = above.iter().rev().fold(String::new(), |path, step| path + step + ".");
    Some(format!("\"{path}{key}\""))
}

fn string_at(bytes: &dyn ReadAt, at: Place, mask: fn(&str) -> String) -> Option<String> {
    let mut text = vec![0; 200];
    let n = bytes.read_at(at.start, &mut text).ok()?;
    let mut key = serde_json::Deserializer::from_slice(text.get(..n)?).into_iter::<String>();
    key.next().and_then(Result::ok).map(|key| mask(&key))
}

/// Members of requests that hold settings: their names stand in front of a setting's own.
const HOLDERS: [&str; 24] = [
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

/// The other item that a finding is about. A damaged line is none: it may be long, and hold many findings.
fn partner(finding: &Finding) -> Option<Place> {
    finding.partner.filter(|_| finding.remedy != Remedy::One(Act::Text))
}
