//! What Codex sends of a session: `normalize` of its context manager runs before each request.

use crate::format::agent::ResumeEffect::{AddsNewline, Answers, LeavesOut, LosesLine};
use crate::format::agent::SessionDefect::{LoneSurrogate, MissingLastNewline, OrphanOutput, UnansweredCall};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "codex",
    name: "Codex",
    session_folders: SessionFolders {
        variable: "CODEX_HOME",
        folder: ".codex",
        sessions: &["sessions", "archived_sessions"],
        ..SessionFolders::NONE
    },
    formats: &["codex-rollout"],
    acts: &[
        ResumeAct::new(UnansweredCall, Answers("aborted"), "wire 0.169.0, source"),
        ResumeAct::new(OrphanOutput, LeavesOut, "wire 0.169.0, source"),
        ResumeAct::new(MissingLastNewline, AddsNewline, "wire 0.169.0"),
        ResumeAct::new(LoneSurrogate, LosesLine, "wire 0.169.0"),
    ],
    resume: Resume::Command { command: &super::write::RESUME, id: SessionIdSource::FileNameEnd },
};
