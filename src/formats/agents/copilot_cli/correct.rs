//! Sessions that are repaired where they lie: a call without a result gets the event of one that failed, directly after
//! the line that started it, and the line after that names the new one. Line separators are escaped.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::dialects::responses::STUB;
use crate::format::correcting::{Correction, Corrector, Problems, Written};
use crate::format::translate::Stored;
use crate::formats::member::text;
use crate::json::{fingerprint_of, name, string};
use crate::place::{Edit, Place};

use super::event::{Separators, requests};

#[derive(Default)]
pub struct Corrections {
    lines: Vec<Line>,
    calls: Vec<Call>,
    /// The line that started each call.
    starts: HashMap<Box<str>, usize>,
    answered: HashSet<Box<str>>,
    separators: Vec<(usize, Separators)>,
}

struct Line {
    at: Place,
    record: u32,
    /// As JSON.
    id: Vec<u8>,
    time: Vec<u8>,
    parent: Option<(Place, Vec<u8>)>,
}

struct Call {
    at: Place,
    id: Box<str>,
    line: usize,
    /// The call that started the subagent, as JSON.
    of: Option<Vec<u8>>,
}

impl Corrector for Corrections {
    fn take(&mut self, record: &Stored<'_>) {
        let (val, base) = (record.val, record.base);
        let raw = |key: &str| val.get(key).map_or_else(|| b"null".to_vec(), |own| own.raw().to_vec());
        let line = self.lines.len();
        self.lines.push(Line {
            at: base.of(val),
            record: record.number,
            id: raw("id"),
            time: raw("timestamp"),
            parent: val.get(name::parentId).map(|own| (base.of(own), own.raw().to_vec())),
        });
        let separators = Separators::of(record);
        if separators.first().is_some() {
            self.separators.push((line, separators));
        }
        let Some(data) = val.get(name::data) else { return };
        let is = |kind: &str| val.get(name::r#type).is_some_and(|own| own.is(kind));
        let id = text(data, "toolCallId");
        match id {
            Some(id) if is("tool.execution_start") => {
                self.starts.entry(id).or_insert(line);
            }
            Some(id) if is("tool.execution_complete") => {
                self.answered.insert(id);
            }
            _ if is("assistant.message") => {
                let of = data.get("parentToolCallId").filter(|own| own.is_string());
                self.calls.extend(requests(data).filter_map(|request| {
                    let (id, of) = (text(request, "toolCallId")?, of.map(|own| own.raw().to_vec()));
                    Some(Call { at: base.of(request), id, line, of })
                }));
            }
            _ => {}
        }
    }

    fn finish(self: Box<Self>, problems: &Problems) -> (Vec<Correction>, Option<Vec<u8>>) {
        let mut corrections = Vec::new();
        for (line, separators) in &self.separators {
            let problems = separators.first().map(|first| problems.around(*first)).unwrap_or_default();
            if let (false, Some(line)) = (problems.is_empty(), self.lines.get(*line)) {
                corrections.push(Correction {
                    at: line.at,
                    record: line.record,
                    written: Written::Edits(separators.edits()),
                    near: None,
                    problems,
                    answers: false,
                    what: "escape the line separators",
                });
            }
        }
        let mut after: BTreeMap<usize, (Vec<&Call>, Vec<usize>)> = BTreeMap::new();
        for call in self.calls.iter().filter(|call| !self.answered.contains(&call.id)) {
            let own = problems.around(call.at);
            if !own.is_empty() {
                // A line before the call started another one with its id.
                let start = self.starts.get(&call.id).copied().filter(|start| *start > call.line);
                let (calls, solved) = after.entry(start.unwrap_or(call.line)).or_default();
                calls.push(call);
                solved.extend(own);
            }
        }
        let answers = after.into_iter().filter_map(|(line, (calls, problems))| {
            let edits = self.answers(line, &calls)?;
            let anchor = self.lines.get(line)?;
            let near = edits.get(1).map(|relinked| relinked.at);
            Some(Correction {
                at: anchor.at,
                record: anchor.record,
                written: Written::Edits(edits),
                near,
                problems,
                answers: true,
                what: "add a failed `tool.execution_complete` after this line",
            })
        });
        corrections.extend(answers);
        (corrections, None)
    }
}

impl Corrections {
    /// The edits that answer calls after a line.
    fn answers(&self, line: usize, calls: &[&Call]) -> Option<Vec<Edit>> {
        let anchor = self.lines.get(line)?;
        let mut before = anchor.id.clone();
        let mut added = Vec::new();
        for call in calls {
            let id = new_id(&anchor.id, &call.id);
            let of = call.of.as_ref().map(|of| [b",\"parentToolCallId\":", &of[..]].concat());
            added.extend(
                [
                    &b"\n{\"type\":\"tool.execution_complete\",\"data\":{\"toolCallId\":"[..],
                    &string::quoted(&call.id),
                    b",\"success\":false,\"error\":{\"message\":",
                    &string::quoted(STUB),
                    b"}",
                    &of.unwrap_or_default(),
                    b"},\"id\":",
                    &id,
                    b",\"timestamp\":",
                    &anchor.time,
                    b",\"parentId\":",
                    &before,
                    b"}",
                ]
                .concat(),
            );
            before = id;
        }
        let end = Place::new(anchor.at.doc, anchor.at.end(), 0);
        let mut edits = vec![Edit::replace(end, added)];
        if let Some((at, parent)) = self.lines.get(line + 1).and_then(|next| next.parent.as_ref())
            && *parent == anchor.id
        {
            edits.push(Edit::replace(*at, before));
        }
        Some(edits)
    }
}

/// An id in the form of Copilot's. It is the same in each run.
fn new_id(anchor: &[u8], call: &str) -> Vec<u8> {
    let one = fingerprint_of(&[anchor, call.as_bytes()].concat());
    let two = fingerprint_of(&[call.as_bytes(), anchor].concat());
    let id = format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        one >> 32,
        one >> 16 & 0xffff,
        one & 0xfff,
        two >> 48 & 0xfff,
        two & 0xffff_ffff_ffff
    );
    string::quoted(&id)
}
