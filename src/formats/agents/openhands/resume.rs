//! What OpenHands sends of a conversation.

use crate::carry::ResumeCommand;
use crate::format::agent::ResumeEffect::{IsRefused, SendsOnce};
use crate::format::agent::SessionDefect::{DuplicateOutput, UnansweredCall};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "openhands",
    name: "OpenHands",
    session_folders: SessionFolders {
        variable: "OPENHANDS_PERSISTENCE_DIR",
        folder: ".openhands",
        sessions: &["conversations"],
        ..SessionFolders::NONE
    },
    formats: &["openhands"],
    acts: &[
        ResumeAct::new(UnansweredCall, IsRefused, "wire 1.16.0"),
        ResumeAct::new(DuplicateOutput, SendsOnce, "wire 1.16.0"),
    ],
    resume: Resume::Command {
        command: &ResumeCommand::anywhere(&["openhands", "--resume", "{id}"]),
        id: SessionIdSource::Folder(2),
    },
};
