//! What Hermes sends of a session.

use crate::carry::ResumeCommand;
use crate::format::agent::ResumeEffect::{Answers, LeavesOut, SendsOnce};
use crate::format::agent::SessionDefect::{DuplicateOutput, OrphanOutput, UnansweredCall};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "hermes",
    name: "Hermes",
    session_folders: SessionFolders {
        variable: "HERMES_HOME",
        folder: ".hermes",
        sessions: &["state.db", "sessions"],
        ..SessionFolders::NONE
    },
    formats: &["hermes-session"],
    acts: &[
        ResumeAct::new(UnansweredCall, Answers("[Result unavailable — see context summary above]"), "wire 0.19.0"),
        ResumeAct::new(OrphanOutput, LeavesOut, "wire 0.19.0"),
        ResumeAct::new(DuplicateOutput, SendsOnce, "wire 0.19.0"),
    ],
    resume: Resume::Command {
        command: &ResumeCommand::anywhere(&["hermes", "chat", "--resume", "{id}"]),
        id: SessionIdSource::Header("session_id"),
    },
};
