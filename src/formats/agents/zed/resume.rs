//! The session folders of Zed. What it sends of a damaged session is not known.

use crate::format::agent::{Agent, Resume, SessionFolders};

pub static AGENT: Agent = Agent {
    id: "zed",
    name: "Zed",
    session_folders: SessionFolders {
        variable: "XDG_DATA_HOME",
        folder: ".local/share",
        sessions: &["zed/threads/threads.db"],
        ..SessionFolders::NONE
    },
    formats: &["zed-thread"],
    acts: &[],
    resume: Resume::FromList,
};
