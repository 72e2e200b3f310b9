//! What Qwen Code sends of a session: `cleanOrphanedToolCalls`, for OpenAI-compatible providers.

use crate::carry::ResumeCommand;
use crate::format::agent::ResumeEffect::{Answers, JoinsLines, LeavesOut, LosesEarlier, LosesNext, Reads};
use crate::format::agent::SessionDefect::{
    EndedTruncatedLine, InvalidLine, MissingLastNewline, MissingParent, NulBytes, OrphanOutput,
    RecordAfterTruncatedOne, SharedLine, TruncatedLastLine, UnansweredCall,
};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};
use crate::history::Version;

pub static AGENT: Agent = Agent {
    id: "qwen-code",
    name: "Qwen Code",
    session_folders: SessionFolders {
        variable: "QWEN_HOME",
        folder: ".qwen",
        sessions: &["projects"],
        ..SessionFolders::NONE
    },
    formats: &["qwen-code"],
    acts: &[
        ResumeAct::new(UnansweredCall, LeavesOut, "wire 0.15.10, source").until(Version(0, 24, 0)),
        ResumeAct::new(UnansweredCall, Answers(""), "wire 0.24.4").since(Version(0, 24, 0)),
        ResumeAct::new(OrphanOutput, LeavesOut, "wire 0.24.4, source"),
        ResumeAct::new(MissingParent, LosesEarlier, "wire 0.15.10, 0.24.4"),
        ResumeAct::new(TruncatedLastLine, LosesNext, "wire 0.15.10, 0.24.4"),
        ResumeAct::new(MissingLastNewline, JoinsLines, "wire 0.15.10, 0.24.4"),
        ResumeAct::new(SharedLine, Reads, "wire 0.15.10, 0.24.4"),
        ResumeAct::new(RecordAfterTruncatedOne, LosesEarlier, "wire 0.15.10, 0.24.4"),
        ResumeAct::new(InvalidLine, LeavesOut, "wire 0.15.10, 0.24.4"),
        ResumeAct::new(NulBytes, Reads, "wire 0.24.4"),
        ResumeAct::new(EndedTruncatedLine, LeavesOut, "wire 0.15.10, 0.24.4"),
    ],
    resume: Resume::Command {
        command: &ResumeCommand::in_session_folder(&["qwen", "--resume", "{id}"]),
        id: SessionIdSource::FileName,
    },
};
