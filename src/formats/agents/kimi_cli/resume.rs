//! What Kimi CLI sends of a session: it pairs nothing, and skips lines that are not valid JSON. Its folder is that of
//! `get_share_dir` in its share.py.

use crate::carry::ResumeCommand;
use crate::format::agent::ResumeEffect::{AddsNewline, Hangs, IsRefused, LeavesOut};
use crate::format::agent::SessionDefect::{
    InvalidLine, LoneSurrogate, MissingLastNewline, TruncatedLastLine, UnansweredCall,
};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};

pub static AGENT: Agent = Agent {
    id: "kimi-cli",
    name: "Kimi CLI",
    session_folders: SessionFolders {
        variable: "KIMI_SHARE_DIR",
        folder: ".kimi",
        sessions: &["sessions"],
        ..SessionFolders::NONE
    },
    formats: &["kimi-cli"],
    acts: &[
        ResumeAct::new(UnansweredCall, IsRefused, "wire 1.49.0"),
        ResumeAct::new(InvalidLine, LeavesOut, "wire 1.49.0"),
        ResumeAct::new(TruncatedLastLine, LeavesOut, "wire 1.49.0"),
        ResumeAct::new(MissingLastNewline, AddsNewline, "wire 1.49.0"),
        ResumeAct::new(LoneSurrogate, Hangs, "wire 1.49.0"),
    ],
    resume: Resume::Command {
        command: &ResumeCommand::anywhere(&["kimi", "-r", "{id}"]),
        id: SessionIdSource::Folder(1),
    },
};
