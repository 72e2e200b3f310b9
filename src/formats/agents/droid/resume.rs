//! The session folders of Factory Droid. What it sends of a damaged session is not known.

use crate::format::agent::{Agent, Resume, SessionFolders};

pub static AGENT: Agent = Agent {
    id: "droid",
    name: "Factory Droid",
    session_folders: SessionFolders { folder: ".factory", sessions: &["sessions"], ..SessionFolders::NONE },
    formats: &["droid-session"],
    acts: &[],
    resume: Resume::FromList,
};
