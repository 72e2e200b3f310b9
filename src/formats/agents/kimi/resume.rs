//! What Kimi Code sends of a session.

use crate::carry::ResumeCommand;
use crate::format::agent::ResumeEffect::{Answers, LeavesOut, LosesLater, LosesNext, SendsOnce};
use crate::format::agent::SessionDefect::{
    DuplicateOutput, EndedTruncatedLine, InvalidLine, MissingLastNewline, OrphanOutput, RecordAfterTruncatedOne,
    SharedLine, TruncatedLastLine, UnansweredCall,
};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "kimi",
    name: "Kimi Code",
    session_folders: SessionFolders {
        variable: "KIMI_CODE_HOME",
        folder: ".kimi-code",
        sessions: &["sessions"],
        ..SessionFolders::NONE
    },
    formats: &["kimi-session"],
    acts: &[
        ResumeAct::new(
            UnansweredCall,
            Answers("Tool execution was interrupted before its result was recorded"),
            "wire 2.1.0",
        ),
        ResumeAct::new(OrphanOutput, LeavesOut, "wire 2.1.0"),
        ResumeAct::new(DuplicateOutput, SendsOnce, "wire 2.1.0"),
        ResumeAct::new(MissingLastNewline, LosesNext, "wire 2.1.0"),
        ResumeAct::new(TruncatedLastLine, LeavesOut, "wire 2.1.0"),
        ResumeAct::new(SharedLine, LosesLater, "wire 2.1.0"),
        ResumeAct::new(InvalidLine, LosesLater, "wire 2.1.0"),
        ResumeAct::new(RecordAfterTruncatedOne, LosesLater, "wire 2.1.0"),
        ResumeAct::new(EndedTruncatedLine, LeavesOut, "wire 2.1.0"),
    ],
    resume: Resume::Command {
        command: &ResumeCommand::anywhere(&["kimi", "-S", "{id}"]),
        id: SessionIdSource::Folder(3),
    },
};
