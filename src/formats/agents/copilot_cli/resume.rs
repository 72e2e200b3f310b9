//! What Copilot CLI sends of a session. A maintainer in github/copilot-cli#3183 (2026-07-31) names "recent releases"; the newest one
//! was 1.0.74. Version 1.0.102 repairs all damage to the text of a file, and writes the file anew.

use crate::carry::ResumeCommand;
use crate::format::agent::ResumeEffect::{AddsNewline, Answers, LeavesOut};
use crate::format::agent::SessionDefect::{
    InvalidLine, MissingLastNewline, NulBytes, OrphanOutput, RecordAfterTruncatedOne, SharedLine, UnansweredCall,
};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};
use crate::history::Version;

pub static AGENT: Agent = Agent {
    id: "copilot",
    name: "Copilot CLI",
    session_folders: SessionFolders {
        variable: "COPILOT_HOME",
        folder: ".copilot",
        sessions: &["session-state"],
        ..SessionFolders::NONE
    },
    formats: &["copilot-cli"],
    acts: &[
        ResumeAct::new(UnansweredCall, Answers("interrupted"), "github/copilot-cli#3183, wire 1.0.102")
            .since(Version(1, 0, 74)),
        ResumeAct::new(OrphanOutput, LeavesOut, "github/copilot-cli#3183, wire 1.0.102").since(Version(1, 0, 74)),
        ResumeAct::new(MissingLastNewline, AddsNewline, "wire 1.0.102"),
        ResumeAct::new(SharedLine, LeavesOut, "wire 1.0.102").since(Version(1, 0, 102)),
        ResumeAct::new(RecordAfterTruncatedOne, LeavesOut, "wire 1.0.102").since(Version(1, 0, 102)),
        ResumeAct::new(NulBytes, LeavesOut, "wire 1.0.102").since(Version(1, 0, 102)),
        ResumeAct::new(InvalidLine, LeavesOut, "wire 1.0.102").since(Version(1, 0, 102)),
    ],
    resume: Resume::Command {
        command: &ResumeCommand::anywhere(&["copilot", "--resume={id}"]),
        id: SessionIdSource::Folder(1),
    },
};
