//! What Cline sends of a session: `sanitizeInitialMessagesForSessionStart` of its SDK, and the code that formats messages.

use crate::format::agent::ResumeEffect::{Answers, Moves, Replaces};
use crate::format::agent::SessionDefect::{LateOutput, LoneSurrogate, UnansweredCall};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders};

pub static AGENT: Agent = Agent {
    id: "cline",
    name: "Cline",
    session_folders: SessionFolders {
        variable: "CLINE_DATA_DIR",
        folder: ".cline/data",
        sessions: &["tasks", "sessions"],
        ..SessionFolders::NONE
    },
    formats: &["cline-session"],
    acts: &[
        ResumeAct::new(UnansweredCall, Answers(""), "source"),
        ResumeAct::new(LateOutput, Moves, "source"),
        ResumeAct::new(LoneSurrogate, Replaces, "source"),
    ],
    resume: Resume::FromList,
};
