//! New lines of a session for results that are missing, and their links.

use std::io;

use foldhash::HashSet;

use crate::dialects::responses::STUB;
use crate::format::format_uuid;
use crate::history::Row;
use crate::json::{Tape, Val, fingerprint_of, scan, string};
use crate::place::{Place, ReplacementPart};

use super::incoming_results::{IncomingResult, find_tails};
use super::table::COPIED;
use crate::repair::edit::item_text::stub_text;
use crate::repair::edit::render::edited_text;
use crate::repair::{Action, Cause, ItemChange};

use super::SessionRepair;

impl SessionRepair<'_> {
    /// The change that moves a result to its call, or adds a placeholder to this call.
    fn incoming_change(&self, row: &Row) -> Option<&ItemChange> {
        let changes = self.causes.get(&self.lines.at(row.at.start)?)?;
        let from = changes.partition_point(|change| change.row.at.order() < row.at.order());
        let own = changes.iter().skip(from).take_while(|change| change.row.at == row.at);
        own.into_iter().find(|change| matches!(change.action, Action::Move | Action::Stub))
    }

    /// The line of the call that was found without a result: other calls may have the same id.
    pub(super) fn call_of(&self, result: &Row) -> Option<u32> {
        let Cause::Rule(_, _, found) = self.incoming_change(result)?.cause else { return None };
        let lacks = |ix: &u32| self.lines.line(*ix).calls.contains(&result.key);
        self.lines.at(found.start).filter(lacks)
    }

    /// Places results after the calls of one response; what followed the response follows the last of them.
    pub(super) fn answer_response(
        &mut self,
        members: &[u32],
        incoming: Vec<(u32, IncomingResult)>,
        relinked_lines: &mut HashSet<u32>,
    ) -> io::Result<()> {
        let names: HashSet<u64> = members.iter().map(|ix| self.lines.line(*ix).name).collect();
        let children = names.iter().filter_map(|name| self.children.get(name)).flatten();
        let tails = find_tails(&self.lines, members, children.copied().collect());
        let after = members.iter().copied().max().unwrap_or_default();
        let (mut last, mut cause) = (0, None);
        for (call, result) in incoming {
            let name = self.lines.line(call).name;
            let (IncomingResult::Real(row, _) | IncomingResult::Stub(row)) = &result;
            let change = self.incoming_change(row).cloned();
            let own = change.as_ref().map(|change| change.cause);
            cause = cause.or(change);
            last = match result {
                IncomingResult::Real(result, changes) => match self.lines.line_with_only(&result) {
                    Some(ix) => {
                        relinked_lines.insert(ix);
                        self.moved.insert(result.at, self.anchor_place(call, own));
                        self.link_result(ix, name, &names);
                        self.lines.line(ix).name
                    }
                    None => {
                        let block = match changes.is_empty() {
                            true => ReplacementPart::Copy(result.at),
                            false => ReplacementPart::text(edited_text(
                                self.id,
                                self.bytes,
                                self.dialect,
                                &result,
                                &changes,
                            )?),
                        };
                        self.moved.insert(result.at, self.anchor_place(after, own));
                        self.new_line(call, after, result.key, block, false)?
                    }
                },
                IncomingResult::Stub(row) => {
                    let block = stub_text(self.dialect, self.bytes, &row)?;
                    self.new_line(call, after, row.key, ReplacementPart::text(block), true)?
                }
            };
        }
        if last != 0 {
            for tail in tails {
                if self.lines.line(tail).name == last {
                    continue;
                }
                self.parents.entry(tail).or_insert(last);
                self.note_link_change(tail, cause.as_ref());
            }
        }
        Ok(())
    }

    /// The place of the call in a line that was found without a result, or else of the line.
    fn anchor_place(&self, ix: u32, cause: Option<Cause>) -> Place {
        let line = self.lines.line(ix).at;
        match cause {
            Some(Cause::Rule(_, _, found)) if line.contains(&found) => found,
            _ => line,
        }
    }

    /// Links the line of a result to its call; what followed it follows its old parent.
    fn link_result(&mut self, ix: u32, call: u64, response: &HashSet<u64>) {
        let line = self.lines.line(ix);
        if response.contains(&line.parent) {
            return;
        }
        let (name, parent) = (line.name, line.parent);
        let cause = self.cause(ix).cloned();
        for child in self.children.get(&name).cloned().unwrap_or_default() {
            self.parents.entry(child).or_insert(parent);
            self.note_link_change(child, cause.as_ref());
        }
        self.parents.insert(ix, call);
        for other in self.lines.copies(ix).collect::<Vec<_>>() {
            self.parents.insert(other, call);
            self.note_link_change(other, cause.as_ref());
        }
    }

    /// Inserts a new line with a result after a line. Returns its name.
    fn new_line(
        &mut self,
        call: u32,
        after: u32,
        key: u64,
        block: ReplacementPart,
        is_stub: bool,
    ) -> io::Result<u64> {
        let text = self.text_of(call)?;
        let mut tape = Tape::new();
        let Some(line) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(0) };
        let uuid = self.derive_name(line, key);
        let parent = self.lines.text(self.lines.line(call).name).to_vec();
        let mut head = [br#"{"parentUuid":"#, &*parent].concat();
        for key in COPIED {
            if let Some(val) = line.get(key) {
                head.extend([b",\"", key.as_bytes(), b"\":", val.raw()].concat());
            }
        }
        head.extend(br#","type":"user","message":{"role":"user","content":["#);
        let mut tail = [br#"]},"uuid":"#, &*uuid].concat();
        if let Some(time) = line.get("timestamp") {
            tail.extend([br#","timestamp":"#, time.raw()].concat());
        }
        if is_stub {
            tail.extend([br#","toolUseResult":"#, &*string::quoted(&format!("Error: {STUB}"))].concat());
        }
        tail.extend([br#","sourceToolAssistantUUID":"#, &*parent, b"}"].concat());
        self.new_lines.entry(after).or_default().push(vec![
            ReplacementPart::text(head),
            block,
            ReplacementPart::text(tail),
        ]);
        Ok(self.lines.add_name(uuid))
    }

    /// A name for the result of a call: the same in each run, and unique.
    fn derive_name(&mut self, line: Val<'_>, key: u64) -> Vec<u8> {
        let session = line.get("sessionId").map_or(&b""[..], |id| id.raw());
        let half = |n: u64| fingerprint_of(&[session, &key.to_le_bytes(), &n.to_le_bytes()].concat());
        // Calls may share an id: names that were tried are not tried again.
        let next = self.derived.entry(half(0)).or_default();
        loop {
            let (a, b) = (half(*next), half(*next + 1));
            *next += 2;
            let uuid = format_uuid(a, b);
            if !self.lines.has(fingerprint_of(uuid.as_bytes())) {
                return string::quoted(&uuid);
            }
        }
    }
}
