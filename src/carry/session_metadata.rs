//! The metadata of a source: times, folder, title. Every store has its own names for these; they are found by name alone,
//! outside of the content of messages.

use crate::json::{Tape, Val, scan};
use crate::place::{DocId, Place};
use crate::source::{Container, ReadAt, framing, lines};

use super::time;

#[derive(Debug, Default)]
pub struct SessionMetadata {
    /// Offsets of objects, and their times in Unix milliseconds.
    times: Vec<(u64, i64)>,
    /// Offsets of objects, and the working directories that they name.
    folders: Vec<(u64, String)>,
    /// The id of the session in the source.
    pub session: String,
    pub title: Option<String>,
    /// The rank of the title: the user's own is highest.
    rank: usize,
    pub branch: Option<String>,
    /// The provider of the newest answer, or of the session.
    pub provider: Option<String>,
    /// The provider of a session of Codex.
    pub codex_provider: Option<String>,
    /// Places of file snapshots.
    pub snapshots: Vec<Place>,
    /// Offsets of lines of subagents.
    sidechains: Vec<u64>,
    has_main: bool,
}

/// Members with a time, the best first.
const TIMES: [&str; 7] = ["timestamp", "created", "createdAt", "created_at", "time_created", "ts", "startTime"];
/// Members with a working directory.
const FOLDERS: [&str; 4] = ["cwd", "directory", "working_dir", "workingDirectory"];
/// Members with a title, the best last. A `name` counts only where it is that of a session.
const TITLES: [&str; 6] = ["summary", "title", "name", "aiTitle", "thread_name", "customTitle"];
const SESSIONS: [&str; 4] = ["sessionId", "session_id", "sessionID", "id"];
/// Members with a provider, first that of Codex.
const PROVIDERS: [&str; 3] = ["model_provider", "providerID", "provider"];
/// Types of lines and parts with snapshots of files.
const SNAPSHOTS: [&str; 5] = ["file-history-snapshot", "snapshot", "patch", "ghost_snapshot", "ghost_commit"];
/// Members with the content of messages: nothing in there is about the session.
const CONTENT: [&str; 12] = [
    "content",
    "input",
    "arguments",
    "args",
    "output",
    "result",
    "toolUseResult",
    "snapshot",
    "metadata",
    "state",
    "message",
    "tools",
];
const DEPTH: u8 = 6;

impl SessionMetadata {
    /// The metadata of a doc; empty for one that cannot be read.
    pub fn of(bytes: &dyn ReadAt) -> SessionMetadata {
        let mut metadata = SessionMetadata::default();
        let Ok(container) = framing::sniff(bytes) else { return metadata };
        let mut text = Vec::new();
        let Ok(len) = usize::try_from(bytes.len()) else { return metadata };
        if bytes.read_into(0, len, &mut text).is_err() {
            return metadata;
        }
        let mut tape = Tape::new();
        match container {
            Container::Document { start } => {
                let from = usize::try_from(start).unwrap_or(0);
                let record = text.get(from..).unwrap_or_default();
                metadata.read_record(record, start, &mut tape);
            }
            _ => {
                for (start, line) in lines::split(&text) {
                    let skip = line.iter().position(|byte| *byte == b'{' || *byte == b'[').unwrap_or(line.len());
                    metadata.read_record(line.get(skip..).unwrap_or_default(), (start + skip) as u64, &mut tape);
                }
            }
        }
        metadata.times.sort_unstable();
        metadata
    }

    fn read_record(&mut self, record: &[u8], start: u64, tape: &mut Tape) {
        if scan(record, tape).is_err() {
            return;
        }
        if let Some(root) = tape.root(record) {
            if root.is_object() {
                match root.get("isSidechain").and_then(|side| side.as_bool()) {
                    Some(true) => self.sidechains.push(start),
                    Some(false) => self.has_main |= root.at(&["message", "content"]).is_some(),
                    None => {}
                }
            }
            self.read_value(root, start, DEPTH);
        }
    }

    fn read_value(&mut self, val: Val<'_>, base: u64, depth: u8) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if val.is_array() {
            val.elements().for_each(|element| self.read_value(element, base, depth));
            return;
        }
        if !val.is_object() {
            return;
        }
        let start = base + u64::from(val.start());
        let kind = val.get("type");
        if kind.is_some_and(|kind| SNAPSHOTS.iter().any(|name| kind.is(name))) {
            self.snapshots.push(Place::new(DocId(0), start, val.end() - val.start()));
        }
        // opencode keeps times in an object of their own; they apply to its parent.
        let own = val.get("time").filter(|time| time.is_object());
        let time = TIMES.iter().find_map(|key| val.get(key).and_then(time_of)).or_else(|| {
            TIMES.iter().chain(&["start"]).find_map(|key| own.and_then(|own| own.get(key)).and_then(time_of))
        });
        self.times.extend(time.map(|time| (start, time)));
        if let Some(folder) = FOLDERS.iter().find_map(|key| text(val, key)).filter(|folder| is_path(folder)) {
            self.folders.push((start, folder));
        }
        self.read_names(val, kind);
        if self.branch.is_none() {
            let branch = text(val, "gitBranch").or_else(|| text(val.get("git")?, "branch"));
            self.branch = branch.filter(|branch| !branch.is_empty());
        }
        // pi names the provider in the message, whose content is not about the session.
        let answer =
            val.get("message").filter(|message| message.get("role").is_some_and(|role| role.is("assistant")));
        // The last one wins.
        let providers = answer.into_iter().chain([val]).rev();
        let mut providers = providers.flat_map(|val| PROVIDERS.iter().rev().filter_map(move |key| text(val, key)));
        self.provider = providers.find(|name| !name.is_empty()).or(self.provider.take());
        self.codex_provider = PROVIDERS.first().and_then(|key| text(val, key)).or(self.codex_provider.take());
        for member in val.members() {
            let is_content = CONTENT.iter().any(|key| member.key.is(key.as_bytes()));
            if !is_content {
                self.read_value(member.val, base, depth);
            }
        }
    }

    /// Reads the id and the title of the session.
    fn read_names(&mut self, val: Val<'_>, kind: Option<Val<'_>>) {
        if self.session.is_empty() {
            self.session = SESSIONS.iter().find_map(|key| text(val, key)).unwrap_or_default();
        }
        let is_session = ["summary", "session_info", "custom-title", "ai-title", "thread_name_updated"];
        let is_titled = kind.is_none_or(|kind| is_session.iter().any(|name| kind.is(name)));
        for (rank, key) in TITLES.iter().enumerate().filter(|_| is_titled) {
            // A summary may be a list, and a name may be that of anything.
            let fits = match *key {
                "name" => kind.is_some_and(|kind| kind.is("session_info")),
                "title" | "summary" => {
                    kind.is_some_and(|kind| kind.is("summary"))
                        || val.get("directory").is_some()
                        || val.get("projectHash").is_some()
                }
                _ => true,
            };
            if let Some(title) =
                text(val, key).filter(|title| fits && !title.trim().is_empty() && rank + 1 >= self.rank)
            {
                (self.title, self.rank) = (Some(title), rank + 1);
            }
        }
    }

    /// The time at an offset, in Unix milliseconds: that of the nearest object that begins before it.
    pub fn time_at(&self, offset: u64) -> Option<i64> {
        let ix = self.times.partition_point(|(start, _)| *start <= offset);
        let nearest = ix.checked_sub(1).or((!self.times.is_empty()).then_some(0))?;
        self.times.get(nearest).map(|(_, time)| *time)
    }

    /// The latest time in the session, in Unix milliseconds.
    pub fn last_time(&self) -> Option<i64> {
        self.times.iter().map(|(_, time)| *time).max()
    }

    /// The working directory of the session that begins at an offset.
    pub fn cwd_at(&self, offset: u64) -> Option<String> {
        let ix = self.folders.partition_point(|(start, _)| *start <= offset);
        self.folders.get(ix.saturating_sub(1)).map(|(_, folder)| folder.clone())
    }

    /// True if a subagent's history begins at an offset, in a file that also contains the agent's own.
    pub fn is_sidechain(&self, offset: u64) -> bool {
        let ix = self.sidechains.partition_point(|start| *start <= offset);
        let side = ix.checked_sub(1).and_then(|ix| self.sidechains.get(ix));
        // The line that contains the offset has the last time at or before it.
        let line = self.times.partition_point(|(start, _)| *start <= offset).checked_sub(1);
        let line = line.and_then(|ix| self.times.get(ix)).map(|(start, _)| *start);
        self.has_main && side.is_some_and(|side| line.is_none_or(|line| line <= *side))
    }
}

fn time_of(val: Val<'_>) -> Option<i64> {
    match val.text().filter(|_| val.is_string()) {
        Some(text) => time::of_text(&String::from_utf8_lossy(&text)),
        None => std::str::from_utf8(val.raw()).ok()?.parse().ok().and_then(time::of_number),
    }
}

fn text(val: Val<'_>, key: &str) -> Option<String> {
    let text = val.get(key).filter(|val| val.is_string())?.text()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// An absolute path, of any system.
fn is_path(text: &str) -> bool {
    text.starts_with('/') || text.as_bytes().get(1) == Some(&b':')
}
