//! What goose sends of a session: it repairs a conversation before each request.

use crate::carry::ResumeCommand;
use crate::format::agent::ResumeEffect::LeavesOut;
use crate::format::agent::SessionDefect::{OrphanOutput, UnansweredCall};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "goose",
    name: "goose",
    session_folders: SessionFolders {
        variable: "XDG_DATA_HOME",
        folder: ".local/share",
        sessions: &["goose/sessions"],
        ..SessionFolders::NONE
    },
    formats: &["goose-session"],
    acts: &[
        ResumeAct::new(UnansweredCall, LeavesOut, "source"),
        ResumeAct::new(OrphanOutput, LeavesOut, "source"),
    ],
    resume: Resume::Command {
        command: &ResumeCommand::anywhere(&["goose", "session", "--resume", "--session-id", "{id}"]),
        id: SessionIdSource::Key,
    },
};
