//! The session folders of Cursor. What it sends of a damaged session is not known.

use crate::format::agent::{Agent, Resume, SessionFolders};

pub static AGENT: Agent = Agent {
    id: "cursor",
    name: "Cursor",
    session_folders: SessionFolders {
        folder: ".cursor",
        sessions: &["projects", "chats"],
        ..SessionFolders::NONE
    },
    formats: &["cursor-session"],
    acts: &[],
    resume: Resume::FromList,
};
