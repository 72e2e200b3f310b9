//! Sessions of pi and of OpenClaw, which is built on it: a header, then entries that name their parents, or consecutive lines
//! in version 1. They are translated as pi sends them: the branch that ends with the last entry, from the newest compaction
//! on, without failed or aborted answers.

use foldhash::{HashMap, HashSet};

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::tree::NodeName;
use crate::history::{Finding, HistorySettings, RepairAct, Row, UnsentItem, codes};
use crate::json::{Val, name};
use crate::place::Place;

use crate::formats::member::text;
use crate::formats::threads::{Dialects, STORE, translate};

mod config;
mod edit;
mod entry;
pub mod resume;
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
                (true, true) => 96,
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
    by_id: HashMap<NodeName, usize>,
}

impl ThreadReader for PiReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        if record.val.get(name::r#type).is_some_and(|kind| kind.is("session")) {
            self.header = text(record.val, "id");
            return;
        }
        let entry = PiEntry::of(record, self.entries.last());
        if let Some(id) = &entry.id {
            self.by_id.insert(id.clone(), self.entries.len());
        }
        self.entries.push(entry);
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let SentPath { path, cut } = self.path();
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
        translated.findings.extend(cut.map(|cut| cut.to_finding()));
        vec![translated]
    }
}

/// The entries that are sent.
struct SentPath {
    /// Indexes of the entries from the root to the last one.
    path: Vec<usize>,
    /// The entry at which they begin, if its parent is not before it in the file.
    cut: Option<PathCut>,
}

/// An entry whose parent is not in the file, or comes after it.
struct PathCut {
    at: Place,
    record: u32,
    /// Messages from the entry on.
    reached: u32,
    /// Messages that would be sent if the entry followed the one before it.
    of: u32,
    /// Its parent is one of the entries that follow it.
    is_cycle: bool,
}

impl PathCut {
    fn to_finding(&self) -> Finding {
        let row = Row::of_place(self.at, self.record);
        if self.is_cycle {
            return Finding::new(codes::CYCLE, row).variant(1).act(RepairAct::Relink);
        }
        let mut finding = Finding::new(codes::MISSING_PARENT, row).arg(self.reached);
        finding.row.turn = self.of;
        match self.reached < self.of {
            true => finding.variant(1).act(RepairAct::Relink),
            false => finding.never("its parent is not in the file"),
        }
    }
}

impl PiReader {
    /// The branch that ends with the last entry. An entry without an id follows the one before it.
    fn path(&self) -> SentPath {
        let mut seen = HashSet::default();
        let (path, orphan) = self.upward(self.entries.len().checked_sub(1), &mut seen);
        let count = |path: &[usize]| {
            path.iter()
                .filter(|ix| self.entries.get(**ix).is_some_and(|own| !own.message.parts.is_empty()))
                .count()
        };
        let cut = orphan.and_then(|orphan| {
            let reached = count(&path) as u32;
            let (mut of, mut next) = (reached, Some(orphan));
            while let Some(orphan) = next {
                let (before, missing) = self.upward(orphan.checked_sub(1), &mut seen);
                of += count(&before) as u32;
                next = missing;
            }
            let entry = self.entries.get(orphan)?;
            let is_cycle = entry.parent.as_ref().is_some_and(|parent| self.by_id.contains_key(parent));
            Some(PathCut { at: entry.message.at.place, record: entry.message.record, reached, of, is_cycle })
        });
        SentPath { path, cut }
    }

    /// The entries from a root to this one, which were not seen before; and the root, if its parent is not in the file, or was seen.
    fn upward(&self, from: Option<usize>, seen: &mut HashSet<usize>) -> (Vec<usize>, Option<usize>) {
        let (mut path, mut orphan, mut next) = (Vec::new(), None, from);
        while let Some(ix) = next.filter(|ix| seen.insert(*ix))
            && let Some(entry) = self.entries.get(ix)
        {
            path.push(ix);
            next = match &entry.parent {
                None if entry.id.is_some() => None,
                None => ix.checked_sub(1),
                Some(parent) if self.header.as_deref() == Some(parent) => None,
                Some(parent) => {
                    let parent = self.by_id.get(parent).copied().filter(|parent| !seen.contains(parent));
                    orphan = parent.is_none().then_some(ix);
                    parent
                }
            };
        }
        path.reverse();
        (path, orphan)
    }

    /// The summary of the newest compaction, the entries that it kept, and later ones.
    fn since_compaction(&self, path: Vec<usize>) -> Vec<usize> {
        let compaction = |ix: usize| self.entries.get(ix).filter(|entry| entry.is_compaction);
        let Some(newest) = path.iter().rposition(|ix| compaction(*ix).is_some()) else { return path };
        let (before, [summary, after @ ..]) = path.split_at(newest) else { return path };
        let first_kept = compaction(*summary).and_then(|entry| entry.first_kept.as_deref());
        let kept = first_kept.and_then(|id| self.by_id.get(id));
        let from = kept.and_then(|kept| before.iter().position(|ix| ix == kept)).unwrap_or(newest);
        let earlier = before.iter().skip(from).filter(|ix| compaction(**ix).is_none());
        [summary].into_iter().chain(earlier).chain(after).copied().collect()
    }
}
