//! What Claude Code sends of a session, by version.

use crate::format::agent::ResumeEffect::{
    Answers, Breaks, IsRefused, JoinsLines, LeavesOut, LosesEarlier, Reads, ReadsInOrder, Replaces, Sends,
    SendsWithout,
};
use crate::format::agent::SessionDefect::{
    AlteredThinking, Cycle, InvalidLine, LoneSurrogate, MissingLastNewline, MissingParent, OrphanOutput,
    RecordAfterTruncatedOne, SharedLine, UnansweredCall,
};
use crate::format::agent::{Agent, Resume, ResumeAct, SessionFolders, SessionIdSource};
use crate::history::Version;

pub static AGENT: Agent = Agent {
    id: "claude-code",
    name: "Claude Code",
    session_folders: SessionFolders {
        list: Some("CLAUDE_CONFIG_DIRS"),
        variable: "CLAUDE_CONFIG_DIR",
        folder: ".claude",
        sessions: &["projects"],
        ..SessionFolders::NONE
    },
    formats: &["claude-code"],
    acts: &[
        ResumeAct::new(UnansweredCall, LeavesOut, "change log, wire 2.1.85 to 2.1.280")
            .since(Version(2, 1, 80))
            .until(Version(2, 1, 281)),
        ResumeAct::new(UnansweredCall, Answers("[Tool call interrupted: …]"), "wire 2.1.281 to 2.1.330")
            .since(Version(2, 1, 281)),
        ResumeAct::new(OrphanOutput, LeavesOut, "change log, wire 2.1.197").since(Version(2, 1, 69)),
        ResumeAct::new(LoneSurrogate, IsRefused, "anthropics/claude-code#60394, #61301, #68325, #69927")
            .until(Version(2, 1, 171)),
        ResumeAct::new(LoneSurrogate, Sends, "reported up to 2.1.170, not on 2.1.233")
            .since(Version(2, 1, 171))
            .until(Version(2, 1, 233)),
        ResumeAct::new(LoneSurrogate, Replaces, "not reported since 2.1.233").since(Version(2, 1, 233)),
        ResumeAct::new(AlteredThinking, SendsWithout, "wire 2.1.169 to 2.1.330").since(Version(2, 1, 169)),
        ResumeAct::new(Cycle, LosesEarlier, "wire 2.1.85").until(Version(2, 1, 91)),
        ResumeAct::new(Cycle, Breaks, "wire 2.1.197, 2.1.330").since(Version(2, 1, 91)),
        ResumeAct::new(MissingParent, LosesEarlier, "wire 2.1.85 to 2.1.90").until(Version(2, 1, 91)),
        ResumeAct::new(MissingParent, ReadsInOrder, "wire 2.1.91 to 2.1.330").since(Version(2, 1, 91)),
        ResumeAct::new(MissingLastNewline, JoinsLines, "wire 2.1.197"),
        ResumeAct::new(SharedLine, LosesEarlier, "wire 2.1.85").until(Version(2, 1, 91)),
        ResumeAct::new(SharedLine, Reads, "wire 2.1.197, 2.1.330").since(Version(2, 1, 91)),
        ResumeAct::new(RecordAfterTruncatedOne, LosesEarlier, "wire 2.1.85").until(Version(2, 1, 91)),
        ResumeAct::new(RecordAfterTruncatedOne, Reads, "wire 2.1.197, 2.1.330").since(Version(2, 1, 91)),
        ResumeAct::new(InvalidLine, LeavesOut, "wire 2.1.85, 2.1.197"),
    ],
    resume: Resume::Command { command: &super::write::RESUME, id: SessionIdSource::FileName },
};
