//! A session of an agent: where it is, by which id the agent finds it, and what is wrong with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::carry::{ResumeFolder, SessionMetadata};
use crate::format::agent::{Agent, Resume, SessionIdSource};
use crate::history::{Code, Version};
use crate::json::{Tape, Val, scan};
use crate::judge::WeighedFinding;
use crate::place::DocId;
use crate::report::client_versions::ClientFault;
use crate::source::bytes::read::FileBytes;
use crate::source::split::{DocumentPiece, split};
use crate::source::{Doc, Input, ReadAt, lines};

use crate::commands::agent_folders::abbreviate_home;
use crate::commands::run::labels::label_of;

/// A repaired copy of a session whose lines may not move.
pub(super) struct InstalledCopy {
    pub path: PathBuf,
    /// The id of the new session.
    pub id: String,
}

/// A session as it was judged.
pub(super) struct JudgedSession {
    pub agent: &'static Agent,
    pub facts: Facts,
    pub fault: Option<Fault>,
    /// The version of the agent that wrote it.
    pub version: Option<Version>,
    /// The faults of that version that belong to its errors.
    pub client_faults: Vec<&'static ClientFault>,
    pub has_numbered_lines: bool,
}

/// A session of an agent.
pub(super) struct Session {
    pub agent: &'static Agent,
    pub input: Input,
    /// The printed name: its path, or that of the database and its id.
    pub label: String,
    /// The file, or the database.
    pub path: PathBuf,
    /// The id by which the agent finds it; `None` for a transcript that is part of another session.
    pub id: Option<String>,
    /// The working directory in which the agent finds it, if it matters and is known.
    pub folder: Option<String>,
    /// When it was last changed, in Unix seconds.
    pub modified: i64,
    /// What is wrong with it; `None` if nothing is.
    pub fault: Option<Fault>,
    /// The version of the agent that wrote it.
    pub version: Option<Version>,
    /// The faults of that version that belong to its errors.
    pub client_faults: Vec<&'static ClientFault>,
    pub has_numbered_lines: bool,
    /// Its repaired copy, if there is one.
    pub copy: Option<InstalledCopy>,
}

/// What is wrong with a session.
pub(super) struct Fault {
    /// The message of the most urgent error.
    pub message: String,
    /// That error is about messages that are not sent.
    pub loses_turns: bool,
    /// That error is about the bytes of the file.
    pub is_damage: bool,
    /// All errors, by rule.
    pub rules: Vec<RuleCount>,
}

/// A rule, and the number of its errors.
pub(super) struct RuleCount {
    pub rule: Code,
    pub name: &'static str,
    pub count: u64,
}

impl RuleCount {
    /// The rules of some errors.
    pub fn of<'f>(errors: impl Iterator<Item = &'f WeighedFinding>) -> Vec<RuleCount> {
        let mut counts: BTreeMap<Code, RuleCount> = BTreeMap::new();
        for judged in errors {
            let rule = judged.rule();
            counts.entry(rule.code).or_insert(RuleCount { rule: rule.code, name: rule.name, count: 0 }).count += 1;
        }
        counts.into_values().collect()
    }
}

impl Fault {
    /// Number of errors.
    pub fn errors(&self) -> u64 {
        self.rules.iter().map(|rule| rule.count).sum()
    }
}

/// Facts in the text of a session.
pub(super) struct Facts {
    /// The id in its header.
    id: Option<String>,
    folder: Option<String>,
    /// The time of its last message in Unix seconds, for a session in a database.
    time: Option<i64>,
}

impl Facts {
    /// Reads the facts that the agent's command needs.
    pub fn of(doc: &Doc, agent: &Agent) -> Facts {
        let mut facts = Facts { id: None, folder: None, time: None };
        if let Resume::Command { id: SessionIdSource::Header(member), .. } = agent.resume {
            facts.id = header_member(&*doc.bytes, member);
        }
        let needs_folder =
            matches!(&agent.resume, Resume::Command { command, .. } if command.folder == ResumeFolder::Session);
        if needs_folder || doc.cells.is_some() {
            let metadata = SessionMetadata::of(&*doc.bytes);
            facts.folder = metadata.cwd_at(0).filter(|_| needs_folder);
            facts.time = metadata.last_time().map(|time| time / 1000).filter(|_| doc.cells.is_some());
        }
        facts
    }
}

impl Session {
    pub fn new(input: &Input, judged: JudgedSession) -> Session {
        let JudgedSession { agent, facts, fault, version, client_faults, has_numbered_lines } = judged;
        let paths = paths_of(input);
        let path = match input {
            Input::Log { .. } => paths.last(),
            _ => paths.first(),
        };
        let path = path.cloned().unwrap_or_default();
        let folder = facts.folder.or_else(|| project_folder(agent, &path));
        Session {
            id: id_in_store(input, agent, &path).or(facts.id),
            modified: facts.time.or(paths.iter().filter_map(|path| modified(path)).max()).unwrap_or(0),
            label: label_of(input),
            input: input.clone(),
            agent,
            path,
            folder,
            fault,
            version,
            client_faults,
            has_numbered_lines,
            copy: None,
        }
    }

    /// The files of the session.
    pub fn paths(&self) -> Vec<PathBuf> {
        paths_of(&self.input)
    }

    /// True if the agent can resume it by itself: it is not part of another session.
    pub fn is_resumable(&self) -> bool {
        match &self.agent.resume {
            Resume::Command { .. } => self.id.is_some(),
            Resume::FromList => true,
        }
    }

    /// The argument of `doctor` that means this session.
    pub fn argument(&self) -> String {
        match (&self.input, &self.id) {
            (Input::History { .. }, Some(id)) => id.clone(),
            _ => abbreviate_home(&self.path.to_string_lossy()),
        }
    }
}

/// True if an input is the session with this id, or its file has this name.
pub(super) fn is_named(input: &Input, agent: &Agent, name: &str) -> bool {
    let Some(path) = paths_of(input).pop() else { return false };
    let is_file = |part: Option<&std::ffi::OsStr>| part.is_some_and(|part| part == name);
    let in_header = || match agent.resume {
        Resume::Command { id: SessionIdSource::Header(member), .. } => {
            let file = fs::File::open(&path).and_then(|file| FileBytes::of_path(file, &path));
            file.ok().and_then(|bytes| header_member(&bytes, member))
        }
        _ => None,
    };
    match id_in_store(input, agent, &path) {
        Some(id) if id == name => true,
        _ if input.database().is_some() => false,
        _ => is_file(path.file_name()) || is_file(path.file_stem()) || in_header().is_some_and(|id| id == name),
    }
}

/// True if a file of an agent's store has the name of a session.
pub(super) fn is_named_like_one(agent: &Agent, doc: &Doc) -> bool {
    let source = match agent.resume {
        Resume::Command { id: id @ (SessionIdSource::FileName | SessionIdSource::FileNameEnd), .. } => id,
        _ => return false,
    };
    let is_lines = |path: &Path| path.extension().is_some_and(|ending| ending == "jsonl");
    doc.path.as_ref().is_some_and(|path| is_lines(path) && source.of_path(path).is_some())
}

/// The id of a session by its place in the store.
fn id_in_store(input: &Input, agent: &Agent, path: &Path) -> Option<String> {
    match (input, &agent.resume) {
        (Input::History { key, .. }, _) => Some(key.session.clone()),
        (_, Resume::Command { id, .. }) => id.of_path(path),
        (_, Resume::FromList) => None,
    }
}

fn paths_of(input: &Input) -> Vec<PathBuf> {
    match input {
        Input::Stdin => Vec::new(),
        Input::File { path, .. } | Input::History { path, .. } => vec![path.clone()],
        Input::Member { member, .. } => vec![member.archive.clone()],
        Input::Log { paths, .. } | Input::Tree { paths, .. } => paths.clone(),
    }
}

/// The time of the last change to a file, in Unix seconds.
fn modified(path: &Path) -> Option<i64> {
    let since = fs::metadata(path).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// The folder of the project that a file above the session names.
fn project_folder(agent: &Agent, path: &Path) -> Option<String> {
    let Resume::Command { command, .. } = &agent.resume else { return None };
    let ResumeFolder::Project(name) = command.folder else { return None };
    let text = fs::read_to_string(path.parent()?.parent()?.join(name)).ok()?;
    Some(text.trim().to_owned()).filter(|folder| !folder.is_empty())
}

/// A text of the first record: the first line, or the document.
fn header_member(bytes: &dyn ReadAt, member: &str) -> Option<String> {
    let of = |record: Val<'_>| {
        let val = record.get(member).filter(|val| val.is_string())?.text()?;
        Some(String::from_utf8_lossy(&val).into_owned())
    };
    let (mut text, mut tape) = (Vec::new(), Tape::new());
    let first = lines::read_chunk(bytes, 0, 0, u64::MAX / 2, &mut text).ok()?;
    let line = first.bytes.split_at(lines::line_len(first.bytes)).0;
    if scan(line, &mut tape).is_ok() {
        return tape.root(line).and_then(of);
    }
    let mut found = None;
    let done = split(bytes, DocId(0), 0, u64::MAX / 2, |piece, tape| {
        if let DocumentPiece::Head { bytes, .. } = piece {
            found = tape.root(bytes).and_then(of);
        }
        true
    });
    done.ok().and(found)
}
