//! What opencode sends of a session: `toModelMessages` of 1.x.

use crate::format::agent::ResumeEffect::Answers;
use crate::format::agent::SessionDefect::UnansweredCall;
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "opencode",
    name: "opencode",
    session_folders: SessionFolders {
        variable: "XDG_DATA_HOME",
        folder: ".local/share",
        sessions: &["opencode/opencode.db", "opencode/storage"],
        ..SessionFolders::NONE
    },
    formats: &["opencode-export", "opencode-session"],
    acts: &[ResumeAct::new(UnansweredCall, Answers("[Tool execution was interrupted]"), "wire 1.18.33, source")],
    resume: Resume::Command { command: &super::write::RESUME, id: SessionIdSource::Key },
};

/// `toLLMMessages` of 2.x sends calls unchanged. Its sessions are in the same folder as those of 1.x.
pub static AGENT_V2: Agent = Agent {
    id: "opencode",
    name: "opencode",
    session_folders: SessionFolders {
        variable: "XDG_DATA_HOME",
        folder: ".local/share",
        sessions: &[],
        ..SessionFolders::NONE
    },
    formats: &["opencode-v2"],
    acts: &[],
    resume: Resume::Command { command: &super::write::RESUME, id: SessionIdSource::Key },
};
