//! The session folders of Mistral Vibe. It cancels an action that is pending when it is interrupted; what it makes of other
//! defects is not known.

use crate::carry::ResumeCommand;
use crate::format::agent::{Agent, Resume, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "vibe",
    name: "Mistral Vibe",
    session_folders: SessionFolders {
        variable: "VIBE_HOME",
        folder: ".vibe",
        sessions: &["logs/session/unified"],
        ..SessionFolders::NONE
    },
    formats: &["vibe-session"],
    acts: &[],
    resume: Resume::Command {
        command: &ResumeCommand::anywhere(&["vibe", "--resume", "{id}"]),
        id: SessionIdSource::Folder(2),
    },
};
