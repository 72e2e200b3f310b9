//! The session folders of Grok CLI. What it sends of a damaged session is not known.

use crate::format::agent::{Agent, Resume, SessionFolders};

pub static AGENT: Agent = Agent {
    id: "grok",
    name: "Grok CLI",
    session_folders: SessionFolders {
        variable: "GROK_HOME",
        folder: ".grok",
        sessions: &["sessions"],
        ..SessionFolders::NONE
    },
    formats: &["grok-cli"],
    acts: &[],
    resume: Resume::FromList,
};
