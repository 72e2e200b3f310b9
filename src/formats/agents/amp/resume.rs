//! The session folders of Amp. What it sends of a damaged session is not known.

use crate::carry::ResumeCommand;
use crate::format::agent::{Agent, Resume, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "amp",
    name: "Amp",
    session_folders: SessionFolders { folder: ".local/share/amp", sessions: &["threads"], ..SessionFolders::NONE },
    formats: &["amp-thread"],
    acts: &[],
    resume: Resume::Command {
        command: &ResumeCommand::anywhere(&["amp", "threads", "continue", "{id}"]),
        id: SessionIdSource::Key,
    },
};
