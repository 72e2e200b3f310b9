//! Sessions of pi and of OpenClaw, which is built on it: a header, then entries that name their parents, or consecutive lines
//! in version 1. They are translated as pi sends them: the branch that ends with the last entry, from the newest compaction
//! on, without failed or aborted answers.

use std::collections::{HashMap, HashSet};

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Finding, HistorySettings, Row, UnsentItem, codes};
use crate::json::{Val, name};
use crate::place::Place;

use crate::formats::member::text;
use crate::formats::threads::{Dialects, STORE, translate};

mod edit;
mod entry;
pub mod write;

use entry::PiEntry;

pub struct PiSession;

pub static FORMAT: PiSession = PiSession;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "pi-session",
    title: "session of pi or OpenClaw",
    upstream: Some(Upstream {
        repository: "badlogic/pi-mono",
        file: Some("packages/coding-agent/src/core/session-manager.ts"),
        version: Some("83378aad"),
    }),
    known_by: "first line `session` with `cwd`; lines `message` with a `message`, `compaction` with `firstKeptEntryId` …",
    is_appended: true,
    unsent: UNSENT,
    edit_support: EditSupport::Full,
    editor: Some(&edit::EDITOR),
    placeholder: Some(edit::placeholder_line),
    ..STORE
});

/// Types of entries that other agents may have, too: they count in files with a header or with entries that only pi writes.
const TYPES: [&str; 9] = [
    "message",
    "model_change",
    "thinking_level_change",
    "compaction",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "session_info",
];

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["message/content/textSignature"], why: "the id of an item of another model" },
    UnsentPaths {
        paths: &[
            "cwd",
            "firstKeptEntryId",
            "targetId",
            "[type=label]label",
            "message/api",
            "message/toolName",
            "modelId",
            "[type=session]**",
            "[type=session_info]**",
            "[type=thinking_level_change]**",
        ],
        why: "session metadata, and links between entries",
    },
    UnsentPaths { paths: &["message/isError"], why: "reported as the error mark" },
    UnsentPaths { paths: &["[type=custom]**"], why: "an entry of an extension, which the model never sees" },
];

impl Format for PiSession {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.anthropic
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let val = probe.val;
        let Some(kind) = val.get(name::r#type).filter(|_| !probe.has(name::payload) && !probe.has(name::uuid))
        else {
            return 0;
        };
        let has = |path: &[&str]| val.at(path).is_some();
        if kind.is("session") {
            return if has(&["cwd"]) && has(&["id"]) && has(&["timestamp"]) { 100 } else { 0 };
        }
        if kind.is("message") {
            let role = val.at(&["message", "role"]);
            let own = role.is_some_and(|role| role.is("toolResult")) && has(&["message", "toolCallId"])
                || has(&["message", "stopReason"]) && has(&["message", "api"]);
            return match (role.is_some(), own) {
                (true, true) => 60,
                (true, false) if has(&["timestamp"]) => 15,
                _ => 0,
            };
        }
        if kind.is("compaction") && has(&["firstKeptEntryId"]) {
            return 60;
        }
        let known = TYPES.iter().any(|name| kind.is(name));
        if known && (has(&["parentId"]) || has(&["timestamp"])) { 15 } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        // Entries of newer types are skipped.
        let is_entry = val.get(name::parentId).is_some() || val.get(name::timestamp).is_some();
        self.detect(&Probe::new(val)) > 0 || is_entry && val.get(name::r#type).is_some_and(|kind| kind.is_string())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(PiReader::default()))
    }
}

/// Collects the entries of a session.
#[derive(Default)]
struct PiReader {
    header: Option<Box<str>>,
    entries: Vec<PiEntry>,
    /// Index of each entry with an id, by the id.
    by_id: HashMap<Box<str>, usize>,
}

impl ThreadReader for PiReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        if record.val.get(name::r#type).is_some_and(|kind| kind.is("session")) {
            self.header = text(record.val, "id");
            return;
        }
        let entry = PiEntry::of(record);
        if let Some(id) = &entry.id {
            self.by_id.insert(id.clone(), self.entries.len());
        }
        self.entries.push(entry);
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let (path, orphans) = self.path();
        let model = path.iter().rev().find_map(|ix| self.entries.get(*ix)?.model.clone()).unwrap_or_default();
        let mut unsent = Vec::new();
        let mut leave_out = |ix: &usize, why| {
            let message = self.entries.get(*ix).map(|entry| &entry.message).filter(|own| !own.parts.is_empty());
            unsent.extend(message.map(|own| UnsentItem::at(own.at.place, own.record, "an entry", why)));
        };
        let on_path: HashSet<usize> = path.iter().copied().collect();
        let others = (0..self.entries.len()).filter(|ix| !on_path.contains(ix));
        others.for_each(|ix| leave_out(&ix, "it is on another branch than the last entry"));
        let branch = path.clone();
        let path = self.since_compaction(path);
        let kept: HashSet<usize> = path.iter().copied().collect();
        let replaced = branch.iter().filter(|ix| !kept.contains(ix));
        replaced.for_each(|ix| leave_out(ix, "a compaction has replaced it"));
        let (dialect, target) = model.dialect();
        let mut entries: Vec<Option<PiEntry>> = self.entries.into_iter().map(Some).collect();
        let mut messages = Vec::new();
        for entry in path.into_iter().filter_map(|ix| entries.get_mut(ix)?.take()) {
            entry.translate(dialect, &model, &mut messages);
        }
        let settings = HistorySettings {
            label: self.header,
            model: Some(model.name).filter(|name| !name.is_empty()),
            target: Some(target),
            store: Some(false),
            unsent,
            ..HistorySettings::default()
        };
        let mut translated = translate(DIALECTS.row(dialect), settings, messages);
        let missing = |(at, record): (Place, u32)| {
            let finding = Finding::new(codes::MISSING_PARENT, Row::of_place(at, record));
            finding.variant(1).never("its parent is not in the file")
        };
        translated.findings.extend(orphans.into_iter().map(missing));
        vec![translated]
    }
}

/// Place and record number of an entry whose parent is not in the file.
type OrphanEntry = (Place, u32);

impl PiReader {
    /// Indexes of the entries from the root to the last one. An entry without an id, or whose parent is missing, follows the
    /// entry before it.
    fn path(&self) -> (Vec<usize>, Vec<OrphanEntry>) {
        let (mut path, mut orphans, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        let mut next = self.entries.len().checked_sub(1);
        while let Some(ix) = next.filter(|ix| seen.insert(*ix))
            && let Some(entry) = self.entries.get(ix)
        {
            path.push(ix);
            next = match &entry.parent {
                None if entry.id.is_some() => None,
                None => ix.checked_sub(1),
                Some(parent) if self.header.as_ref() == Some(parent) => None,
                Some(parent) => self.by_id.get(parent).copied().or_else(|| {
                    orphans.push((entry.message.at.place, entry.message.record));
                    ix.checked_sub(1)
                }),
            };
        }
        path.reverse();
        (path, orphans)
    }

    /// The summary of the newest compaction, the entries that it kept, and later ones.
    fn since_compaction(&self, path: Vec<usize>) -> Vec<usize> {
        let compaction = |ix: usize| self.entries.get(ix).filter(|entry| entry.is_compaction);
        let Some(newest) = path.iter().rposition(|ix| compaction(*ix).is_some()) else { return path };
        let (before, [summary, after @ ..]) = path.split_at(newest) else { return path };
        let first_kept = compaction(*summary).and_then(|entry| entry.first_kept.as_ref());
        let kept = first_kept.and_then(|id| self.by_id.get(id));
        let from = kept.and_then(|kept| before.iter().position(|ix| ix == kept)).unwrap_or(newest);
        let earlier = before.iter().skip(from).filter(|ix| compaction(**ix).is_none());
        [summary].into_iter().chain(earlier).chain(after).copied().collect()
    }
}
