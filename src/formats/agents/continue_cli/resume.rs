//! What Continue sends of a session. Its folder is that of `getSessionDir` of its CLI, and core/util/paths.ts.

use crate::format::agent::ResumeEffect::IsRefused;
use crate::format::agent::SessionDefect::UnansweredCall;
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders};

pub static AGENT: Agent = Agent {
    id: "continue",
    name: "Continue",
    session_folders: SessionFolders {
        variable: "CONTINUE_GLOBAL_DIR",
        folder: ".continue",
        sessions: &["sessions"],
        ..SessionFolders::NONE
    },
    formats: &["continue-session"],
    acts: &[ResumeAct::new(UnansweredCall, IsRefused, "wire 1.5.47")],
    resume: Resume::FromList,
};
