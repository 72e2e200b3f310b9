//! The session folders of Antigravity. What it sends of a damaged session is not known.

use crate::format::agent::{Agent, Resume, SessionFolders};

pub static AGENT: Agent = Agent {
    id: "antigravity",
    name: "Antigravity",
    session_folders: SessionFolders {
        folder: ".gemini",
        sessions: &["antigravity-cli/brain", "antigravity-ide/brain", "antigravity/brain"],
        ..SessionFolders::NONE
    },
    formats: &["antigravity"],
    acts: &[],
    resume: Resume::FromList,
};
