//! What Gemini CLI sends of a session: `ensureActiveLoopHasThoughtSignatures`. A call without a result is sent unchanged.

use crate::format::agent::ResumeEffect::{LeavesOut, Reads, SkipsCheck};
use crate::format::agent::SessionDefect::{
    InvalidLine, NulBytes, RecordAfterTruncatedOne, SharedLine, UnsignedCall,
};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "gemini-cli",
    name: "Gemini CLI",
    session_folders: SessionFolders {
        variable: "GEMINI_CLI_HOME",
        folder: "",
        sessions: &[".gemini/tmp"],
        ..SessionFolders::NONE
    },
    formats: &["gemini-cli"],
    acts: &[
        ResumeAct::new(UnsignedCall, SkipsCheck, "source"),
        ResumeAct::new(SharedLine, Reads, "wire 0.61.0"),
        ResumeAct::new(RecordAfterTruncatedOne, Reads, "wire 0.61.0"),
        ResumeAct::new(NulBytes, Reads, "wire 0.61.0"),
        ResumeAct::new(InvalidLine, LeavesOut, "wire 0.61.0"),
    ],
    resume: Resume::Command { command: &super::write::RESUME, id: SessionIdSource::Header("sessionId") },
};
