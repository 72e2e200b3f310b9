//! What Crush sends of a session. It pairs by ids alone: a result in a later place is sent unchanged.

use crate::carry::{ResumeCommand, ResumeFolder};
use crate::format::agent::ResumeEffect::{Answers, LeavesOut};
use crate::format::agent::SessionDefect::{OrphanOutput, UnansweredCall};
use crate::format::agent::{Agent, Projects, Resume, ResumeAct, SessionFolders, SessionIdSource};
use crate::history::Version;

pub static AGENT: Agent = Agent {
    id: "crush",
    name: "Crush",
    session_folders: SessionFolders {
        variable: "CRUSH_GLOBAL_DATA",
        folder: ".local/share/crush",
        projects: Some(Projects {
            file: "projects.json",
            list: "projects",
            folder: "data_dir",
            sessions: "crush.db",
        }),
        ..SessionFolders::NONE
    },
    formats: &["crush"],
    acts: &[
        ResumeAct::new(UnansweredCall, Answers(""), "charmbracelet/crush#2622").since(Version(0, 59, 0)),
        ResumeAct::new(OrphanOutput, LeavesOut, "source, 2026-04-17"),
    ],
    resume: Resume::Command {
        command: &ResumeCommand { words: &["crush", "--session", "{id}"], folder: ResumeFolder::AboveStore(2) },
        id: SessionIdSource::Key,
    },
};
