//! What the OpenAI Agents SDK sends of a stored session.

use crate::format::agent::ResumeEffect::LeavesOut;
use crate::format::agent::SessionDefect::{InvalidLine, UnansweredCall};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders};

/// Its sessions are wherever the program that uses it keeps them.
pub static AGENT: Agent = Agent {
    id: "openai-agents",
    name: "OpenAI Agents SDK",
    session_folders: SessionFolders::NONE,
    formats: &["agents-session"],
    acts: &[
        ResumeAct::new(UnansweredCall, LeavesOut, "wire 0.24.0"),
        ResumeAct::new(InvalidLine, LeavesOut, "wire 0.24.0"),
    ],
    resume: Resume::FromList,
};
