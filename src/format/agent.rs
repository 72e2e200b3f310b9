//! Agents: where they store their sessions, and what they make of a stored session before they send it. A session is
//! judged as its agent would send it.

use std::path::Path;

use crate::carry::ResumeCommand;
use crate::history::Version;
use crate::target::Severity;

/// An agent, and how it resumes a session.
pub struct Agent {
    /// The name on the command line.
    pub id: &'static str,
    pub name: &'static str,
    pub session_folders: SessionFolders,
    /// The names of the formats that it stores.
    pub formats: &'static [&'static str],
    /// What it does about defects of a session that it resumes.
    pub acts: &'static [ResumeAct],
    pub resume: Resume,
}

impl Agent {
    /// True if it stores its sessions in folders of its own.
    pub fn has_folders(&self) -> bool {
        !self.session_folders.sessions.is_empty() || self.session_folders.projects.is_some()
    }
}

/// How a user resumes a session.
pub enum Resume {
    Command {
        command: &'static ResumeCommand,
        id: SessionIdSource,
    },
    /// From the agent's list of sessions.
    FromList,
}

/// Where a file has the id of its session. The id of a session in a database is its key there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionIdSource {
    /// A key of the database; in older stores without one, the name of the file.
    Key,
    /// The name of the file, a UUID.
    FileName,
    /// The end of the name of the file, a UUID.
    FileNameEnd,
    /// The name of the folder so many levels above the file.
    Folder(usize),
    /// This member of the first record.
    Header(&'static str),
}

/// Length of a UUID.
const UUID: usize = 36;

impl SessionIdSource {
    /// The id in the path of a file; `None` if the path has none.
    pub fn of_path(self, path: &Path) -> Option<String> {
        let stem = path.file_stem()?.to_str()?;
        let uuid = |text: &str| is_uuid(text).then(|| text.to_owned());
        match self {
            SessionIdSource::Key => Some(stem.to_owned()),
            SessionIdSource::FileName => uuid(stem),
            SessionIdSource::FileNameEnd => uuid(stem.get(stem.len().checked_sub(UUID)?..)?),
            SessionIdSource::Folder(levels) => {
                Some(path.ancestors().nth(levels)?.file_name()?.to_str()?.to_owned())
            }
            SessionIdSource::Header(_) => None,
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let fits = |(n, byte): (usize, u8)| match n {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == UUID && text.bytes().enumerate().all(fits)
}

/// The folders in which an agent stores its sessions.
pub struct SessionFolders {
    /// The environment variable that lists several folders, separated by commas, if the agent has one.
    pub list: Option<&'static str>,
    /// The environment variable that names its folder.
    pub variable: &'static str,
    /// Its folder in the home directory of the user, if neither is set.
    pub folder: &'static str,
    /// The subfolders that contain sessions.
    pub sessions: &'static [&'static str],
    /// The file in its folder that lists projects, if each project has its own sessions.
    pub projects: Option<Projects>,
}

/// A JSON file that lists projects: `{list: [{folder: "…"}]}`.
pub struct Projects {
    pub file: &'static str,
    pub list: &'static str,
    pub folder: &'static str,
    /// The subfolder of a project that contains its sessions.
    pub sessions: &'static str,
}

impl SessionFolders {
    /// No folders.
    pub const NONE: SessionFolders =
        SessionFolders { list: None, variable: "", folder: "", sessions: &[], projects: None };
}

/// What an agent does about a defect of a session that it resumes.
pub struct ResumeAct {
    pub defect: SessionDefect,
    pub effect: ResumeEffect,
    /// The first version that does so; `None` if every earlier one does.
    pub since: Option<Version>,
    /// The first version that no longer does so; `None` if the newest one does.
    pub until: Option<Version>,
    /// How it is known: `wire` and the version whose requests were recorded, the name of a function of its source, its
    /// change log, or an issue.
    pub source: &'static str,
}

impl ResumeAct {
    pub const fn new(defect: SessionDefect, effect: ResumeEffect, source: &'static str) -> ResumeAct {
        ResumeAct { defect, effect, since: None, until: None, source }
    }

    pub const fn since(self, version: Version) -> ResumeAct {
        ResumeAct { since: Some(version), ..self }
    }

    pub const fn until(self, version: Version) -> ResumeAct {
        ResumeAct { until: Some(version), ..self }
    }

    /// The versions that do so, in words; empty for all.
    pub fn versions(&self) -> String {
        match (self.since, self.until) {
            (None, None) => String::new(),
            (Some(since), None) => format!("since {since}"),
            (None, Some(until)) => format!("before {until}"),
            (Some(since), Some(until)) => format!("since {since}, before {until}"),
        }
    }

    /// The words for `count` defects, and for what the agent does with them, after its name.
    pub fn words(&self, count: u32) -> (&'static str, String) {
        let pick = |[one, many]: [&'static str; 2]| if count == 1 { one } else { many };
        let effect = pick(self.effect.label());
        let effect = match self.effect {
            ResumeEffect::Answers(text) if !text.is_empty() => format!("{effect} `{text}`"),
            _ => effect.to_owned(),
        };
        (pick(self.defect.label()), effect)
    }

    /// A defect, and what the agent does with it.
    pub fn sentence(&self) -> String {
        let (defect, effect) = self.words(1);
        format!("{defect}: {effect}")
    }

    /// True if a version does so; `None` is the newest.
    pub fn is_of(&self, version: Option<Version>) -> bool {
        match version {
            Some(version) => {
                self.since.is_none_or(|since| version >= since) && self.until.is_none_or(|until| version < until)
            }
            None => self.until.is_none(),
        }
    }
}

/// Defects of stored sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionDefect {
    /// A call that the client runs has no output.
    UnansweredCall,
    /// The output of a call comes too late.
    LateOutput,
    /// An output has no call.
    OrphanOutput,
    /// A second output answers the same call.
    DuplicateOutput,
    /// A call lacks the signature of its thought.
    UnsignedCall,
    /// The lines of signed thinking are not in the order in which they were signed, or were changed.
    AlteredThinking,
    /// Half of a pair of surrogates is in a text.
    LoneSurrogate,
    /// Entries refer to each other as parents, in a cycle.
    Cycle,
    /// An entry names a parent that is not in the file.
    MissingParent,
    /// The last line is truncated, and has no newline.
    TruncatedLastLine,
    /// The last line is truncated, and ends in a newline.
    EndedTruncatedLine,
    /// The last line is whole, but has no newline.
    MissingLastNewline,
    /// Two records share a line.
    SharedLine,
    /// A record follows a truncated one on the same line.
    RecordAfterTruncatedOne,
    /// There are runs of NUL bytes.
    NulBytes,
    /// A line is not valid JSON.
    InvalidLine,
}

impl SessionDefect {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            SessionDefect::UnansweredCall => "unanswered-call",
            SessionDefect::LateOutput => "late-output",
            SessionDefect::OrphanOutput => "orphan-output",
            SessionDefect::DuplicateOutput => "duplicate-output",
            SessionDefect::UnsignedCall => "unsigned-call",
            SessionDefect::AlteredThinking => "altered-thinking",
            SessionDefect::LoneSurrogate => "lone-surrogate",
            SessionDefect::Cycle => "cycle",
            SessionDefect::MissingParent => "missing-parent",
            SessionDefect::TruncatedLastLine => "truncated-last-line",
            SessionDefect::EndedTruncatedLine => "ended-truncated-line",
            SessionDefect::MissingLastNewline => "missing-last-newline",
            SessionDefect::SharedLine => "shared-line",
            SessionDefect::RecordAfterTruncatedOne => "record-after-truncated-one",
            SessionDefect::NulBytes => "nul-bytes",
            SessionDefect::InvalidLine => "invalid-line",
        }
    }

    /// The words for one of these defects, and for several.
    pub fn label(self) -> [&'static str; 2] {
        match self {
            SessionDefect::UnansweredCall => ["call without an output", "calls without an output"],
            SessionDefect::LateOutput => ["output in a later message", "outputs in later messages"],
            SessionDefect::OrphanOutput => ["output without a call", "outputs without a call"],
            SessionDefect::DuplicateOutput => ["second output of a call", "second outputs of calls"],
            SessionDefect::UnsignedCall => {
                ["call without a thought signature", "calls without a thought signature"]
            }
            SessionDefect::AlteredThinking => ["altered thinking block", "altered thinking blocks"],
            SessionDefect::LoneSurrogate => ["unpaired surrogate", "unpaired surrogates"],
            SessionDefect::Cycle => ["cycle of entries", "cycles of entries"],
            SessionDefect::MissingParent => ["entry with a missing parent", "entries with a missing parent"],
            SessionDefect::TruncatedLastLine => ["truncated last line", "truncated last lines"],
            SessionDefect::EndedTruncatedLine => {
                ["truncated line that ends in a newline", "truncated lines that end in newlines"]
            }
            SessionDefect::MissingLastNewline => ["last line without a newline", "last lines without a newline"],
            SessionDefect::SharedLine => ["record on the line of another one", "records on the lines of others"],
            SessionDefect::RecordAfterTruncatedOne => {
                ["record after a truncated one on its line", "records after truncated ones on their lines"]
            }
            SessionDefect::NulBytes => ["run of NUL bytes", "runs of NUL bytes"],
            SessionDefect::InvalidLine => ["line that is not valid JSON", "lines that are not valid JSON"],
        }
    }
}

/// The effect of what an agent does about a defect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResumeEffect {
    /// It answers the call with a placeholder that contains this text.
    Answers(&'static str),
    /// It does not send it.
    LeavesOut,
    /// It sends the first output of the call.
    SendsOnce,
    /// It moves the output to its call.
    Moves,
    /// It sends U+FFFD instead.
    Replaces,
    /// It ignores the link that closes the cycle.
    Breaks,
    /// It sends the signature that skips the check.
    SkipsCheck,
    /// It sends the request again, without it.
    SendsWithout,
    /// It reads the entries in the order of the file.
    ReadsInOrder,
    /// It reads what is there.
    Reads,
    /// It adds the newline before it writes.
    AddsNewline,
    /// It appends its next record to the line, and reads both.
    JoinsLines,
    /// The provider may reject it.
    Sends,
    /// The provider rejects it.
    IsRefused,
    /// It does not open the session.
    Hangs,
    /// It cannot read the line.
    LosesLine,
    /// Everything before it is lost.
    LosesEarlier,
    /// Everything after it is lost.
    LosesLater,
    /// What the agent writes next is lost.
    LosesNext,
}

impl ResumeEffect {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ResumeEffect::Answers(_) => "answers",
            ResumeEffect::LeavesOut => "leaves-out",
            ResumeEffect::SendsOnce => "sends-once",
            ResumeEffect::Moves => "moves",
            ResumeEffect::Replaces => "replaces",
            ResumeEffect::Breaks => "breaks",
            ResumeEffect::SkipsCheck => "skips-check",
            ResumeEffect::SendsWithout => "sends-without",
            ResumeEffect::ReadsInOrder => "reads-in-order",
            ResumeEffect::Reads => "reads",
            ResumeEffect::AddsNewline => "adds-newline",
            ResumeEffect::JoinsLines => "joins-lines",
            ResumeEffect::Sends => "sends",
            ResumeEffect::IsRefused => "is-refused",
            ResumeEffect::Hangs => "hangs",
            ResumeEffect::LosesLine => "loses-line",
            ResumeEffect::LosesEarlier => "loses-earlier",
            ResumeEffect::LosesLater => "loses-later",
            ResumeEffect::LosesNext => "loses-next",
        }
    }

    /// The severity of the defect for the user of the agent; `None` if the agent repairs it, and nothing is to be fixed.
    pub fn severity(self) -> Option<Severity> {
        match self {
            ResumeEffect::AddsNewline => Some(Severity::Info),
            ResumeEffect::JoinsLines | ResumeEffect::Sends => Some(Severity::Warning),
            ResumeEffect::IsRefused
            | ResumeEffect::Hangs
            | ResumeEffect::LosesLine
            | ResumeEffect::LosesEarlier
            | ResumeEffect::LosesLater
            | ResumeEffect::LosesNext => Some(Severity::Error),
            _ => None,
        }
    }

    /// What the agent does, after its name: with one defect (`it`), and with several (`them`).
    pub fn label(self) -> [&'static str; 2] {
        match self {
            ResumeEffect::Answers("") => ["answers it with a placeholder", "answers them with a placeholder"],
            ResumeEffect::Answers(_) => ["answers it with", "answers them with"],
            ResumeEffect::LeavesOut => ["leaves it out", "leaves them out"],
            ResumeEffect::SendsOnce => ["sends the first one", "sends the first ones"],
            ResumeEffect::Moves => ["moves it to its call", "moves them to their calls"],
            ResumeEffect::Replaces => ["replaces it", "replaces them"],
            ResumeEffect::Breaks => ["breaks it", "breaks them"],
            ResumeEffect::SkipsCheck => ["sends the signature that skips the check"; 2],
            ResumeEffect::SendsWithout => {
                ["sends the request again without it", "sends the request again without them"]
            }
            ResumeEffect::ReadsInOrder => ["sends the entries in the order of the file"; 2],
            ResumeEffect::Reads => ["reads it", "reads them"],
            ResumeEffect::AddsNewline => ["adds it", "adds them"],
            ResumeEffect::JoinsLines => ["appends its next record to it, and reads both"; 2],
            ResumeEffect::Sends => ["sends it", "sends them"],
            ResumeEffect::IsRefused => {
                ["sends it, and the provider rejects it", "sends them, and the provider rejects them"]
            }
            ResumeEffect::Hangs => ["never opens the session"; 2],
            ResumeEffect::LosesLine => ["loses its line", "loses their lines"],
            ResumeEffect::LosesEarlier => ["loses everything before it", "loses everything before them"],
            ResumeEffect::LosesLater => ["loses everything after it", "loses everything after them"],
            ResumeEffect::LosesNext => ["loses what it writes next"; 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_paths() {
        const ID: &str = "019f7000-0000-7000-8000-000000000001";
        let of = |source: SessionIdSource, path: &str| source.of_path(Path::new(path));
        for (source, path, id) in [
            (SessionIdSource::FileName, format!("p/-w/{ID}.jsonl"), Some(ID)),
            (SessionIdSource::FileName, "p/-w/agent-a0ad4f4.jsonl".to_owned(), None),
            (SessionIdSource::FileNameEnd, format!("s/rollout-2026-09-18T09-30-54-{ID}.jsonl"), Some(ID)),
            (SessionIdSource::FileNameEnd, "s/rollout-1.jsonl".to_owned(), None),
            (SessionIdSource::Folder(1), format!("session-state/{ID}/events.jsonl"), Some(ID)),
            (SessionIdSource::Key, "storage/session/p/ses_1.json".to_owned(), Some("ses_1")),
            (SessionIdSource::Header("sessionId"), "chats/session-1.jsonl".to_owned(), None),
        ] {
            assert_eq!(of(source, &path).as_deref(), id, "{path}");
        }
    }
}
