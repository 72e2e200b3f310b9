//! What pi sends of a session: `transformMessages` answers open calls at the next message.

use crate::format::agent::ResumeEffect::{Answers, Hangs, LeavesOut, LosesEarlier, LosesNext};
use crate::format::agent::SessionDefect::{
    Cycle, EndedTruncatedLine, InvalidLine, MissingLastNewline, MissingParent, NulBytes, RecordAfterTruncatedOne,
    SharedLine, TruncatedLastLine, UnansweredCall,
};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "pi",
    name: "pi",
    session_folders: SessionFolders {
        variable: "PI_CODING_AGENT_DIR",
        folder: ".pi/agent",
        sessions: &["sessions"],
        ..SessionFolders::NONE
    },
    formats: &["pi-session"],
    acts: &[
        ResumeAct::new(UnansweredCall, Answers("No result provided"), "wire 0.74.2, source"),
        ResumeAct::new(MissingParent, LosesEarlier, "wire 0.74.2"),
        ResumeAct::new(MissingLastNewline, LosesNext, "wire 0.74.2"),
        ResumeAct::new(TruncatedLastLine, LosesNext, "wire 0.74.2"),
        ResumeAct::new(SharedLine, LosesEarlier, "wire 0.74.2"),
        ResumeAct::new(RecordAfterTruncatedOne, LosesEarlier, "wire 0.74.2"),
        ResumeAct::new(InvalidLine, LeavesOut, "wire 0.74.2"),
        ResumeAct::new(NulBytes, LosesNext, "wire 0.74.2"),
        ResumeAct::new(Cycle, Hangs, "wire 0.74.2"),
        ResumeAct::new(EndedTruncatedLine, LeavesOut, "wire 0.74.2"),
    ],
    resume: Resume::Command { command: &super::write::RESUME, id: SessionIdSource::Header("id") },
};
