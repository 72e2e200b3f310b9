//! The contract: what an agent takes over, who writes it, where it belongs.

use std::sync::OnceLock;

use crate::message::{Capabilities, LossKind, Losses, Role, Thread};

use super::clock::Clock;
use super::destination::{Destination, SourceHistory, WHOLE};
use super::ids::Ids;
use super::session_metadata::SessionMetadata;
use super::{notes, text, turns};

/// An agent that can go on with a session.
pub struct SessionWriter {
    /// As it is typed.
    pub name: &'static str,
    /// What goes on with it.
    pub agent: &'static str,
    /// The format that reads what is written.
    pub format: &'static str,
    pub is_document: bool,
    pub capabilities: &'static Capabilities,
    /// What calls and results become, unless the user says otherwise.
    pub tools: Tools,
    /// Readable thoughts are kept, without what seals them.
    pub keeps_thoughts: bool,
    /// The agent has no instructions and tools of its own: those of the source stay.
    pub keeps_instructions: bool,
    /// Ids of sessions begin with their time.
    pub ids_by_time: bool,
    /// Where sessions belong; `None` if the agent has no folder of its own to put them in.
    pub home: Option<Home>,
    pub write: fn(&SessionDraft<'_>, &mut Losses, &mut Vec<u8>),
    /// The file of a session, below the agent's folder.
    pub file: fn(&SessionDraft<'_>) -> String,
    /// How the agent goes on: a command line, from the destination and the path of the file.
    pub resume: fn(&Destination, &str) -> String,
    /// What is to be done with the file before that, where it cannot be put anywhere.
    pub import: Option<fn(&str) -> String>,
}

/// An agent's folder.
pub struct Home {
    /// The variable of the environment that names it.
    pub variable: &'static str,
    /// Its path in the user's home otherwise.
    pub folder: &'static str,
    /// Below either of them.
    pub sessions: &'static str,
}

/// What calls and results become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tools {
    /// Notes in the text of the model.
    Notes,
    Calls,
}

/// What the user wants.
#[derive(Clone, Debug, Default)]
pub struct CarryOptions {
    pub tools: Option<Tools>,
    /// So many turns, the last ones.
    pub last: Option<usize>,
    /// The folder in which the agent is to work on.
    pub cwd: Option<String>,
    /// That folder, if neither the user nor the session names one.
    pub here: String,
    /// When the session was, if it does not say, in Unix milliseconds.
    pub when: i64,
    /// What Gemini CLI calls the projects that it knows, by their folders.
    pub projects: Vec<(String, String)>,
}

/// Carries the histories of one doc over.
pub struct CarryOver {
    pub writer: &'static SessionWriter,
    asked: CarryOptions,
    metadata: OnceLock<SessionMetadata>,
}

/// What a writer is given.
pub struct SessionDraft<'s> {
    pub conversation: &'s Thread,
    pub metadata: &'s SessionMetadata,
    pub ids: Ids,
    pub clock: Clock<'s>,
    ids_by_time: bool,
    pub cwd: String,
    pub title: Option<String>,
    pub model: Option<String>,
    pub branch: String,
    /// What Gemini CLI calls the project of the folder.
    pub project: Option<String>,
}

impl CarryOver {
    pub fn new(writer: &'static SessionWriter, asked: CarryOptions) -> Self {
        CarryOver { writer, asked, metadata: OnceLock::new() }
    }

    fn metadata(&self, source: &SourceHistory<'_>) -> &SessionMetadata {
        self.metadata.get_or_init(|| SessionMetadata::of(source.bytes))
    }

    fn tools(&self) -> Tools {
        self.asked.tools.unwrap_or(self.writer.tools)
    }

    /// Whether a history is that of a subagent, which belongs to another one of its doc.
    pub fn belongs_to_another(&self, source: &SourceHistory<'_>) -> bool {
        self.metadata(source).is_side(source.bytes.origin(source.at).start)
    }

    /// Takes away what the agent does not take over. Gives how many turns were left out because fewer were wanted.
    pub fn prepare(&self, conversation: &mut Thread, source: &SourceHistory<'_>, losses: &mut Losses) -> u32 {
        if !self.writer.keeps_instructions {
            drop_instructions(conversation, losses);
        }
        for tool in std::mem::take(&mut conversation.tools) {
            losses.count(LossKind::TOOL_DEFINITIONS, tool.at);
        }
        for place in &self.metadata(source).snapshots {
            losses.count(LossKind::SNAPSHOTS, (*place).into());
        }
        let left_out = self.asked.last.map_or(0, |last| turns::keep_last(conversation, last));
        if self.tools() == Tools::Notes {
            notes::note(conversation, losses);
        }
        left_out
    }

    /// Writes a conversation that was fitted to what the agent takes.
    pub fn write(
        &self,
        conversation: &Thread,
        source: &SourceHistory<'_>,
        losses: &mut Losses,
        out: &mut Vec<u8>,
    ) -> Destination {
        let metadata = self.metadata(source);
        let start = source.bytes.origin(source.at).start;
        let cwd = self.asked.cwd.clone().or_else(|| metadata.cwd_at(start));
        let cwd = cwd.unwrap_or_else(|| self.asked.here.clone());
        let clock = Clock::new(source.bytes, metadata, self.asked.when);
        let project = self.asked.projects.iter().find(|(folder, _)| *folder == cwd);
        let draft = SessionDraft {
            conversation,
            metadata,
            ids: Ids::new(self.writer.name, &metadata.session, &cwd, conversation),
            ids_by_time: self.writer.ids_by_time,
            clock,
            title: metadata.title.clone().or_else(|| text::first_line(conversation)),
            model: conversation.model.as_ref().map(|model| String::from_utf8_lossy(&model.plain()).into_owned()),
            branch: metadata.branch.clone().unwrap_or_default(),
            project: project.map(|(_, name)| name.clone()),
            cwd,
        };
        (self.writer.write)(&draft, losses, out);
        Destination {
            id: draft.id(),
            file: (self.writer.file)(&draft),
            began: draft.begins() / 1000,
            cwd: draft.cwd,
            left_out: 0,
        }
    }
}

impl SessionDraft<'_> {
    /// When it begins, in Unix milliseconds.
    pub fn begins(&self) -> i64 {
        self.conversation.messages.first().map_or(0, |first| self.clock.at(first.at.place))
    }

    /// When it ends.
    pub fn ends(&self) -> i64 {
        let times = self.conversation.messages.iter().map(|message| self.clock.at(message.at.place));
        times.max().unwrap_or_default() + self.conversation.messages.len() as i64
    }

    /// The id of the session.
    pub fn id(&self) -> String {
        match self.ids_by_time {
            true => self.ids.session(self.begins()),
            false => self.ids.uuid("session", 0),
        }
    }
}

/// Instructions of the agent before: the next one has its own.
fn drop_instructions(conversation: &mut Thread, losses: &mut Losses) {
    for block in std::mem::take(&mut conversation.instructions) {
        losses.count(LossKind::INSTRUCTIONS, block.at);
    }
    conversation.messages.retain(|message| {
        let instructs = matches!(message.role, Role::System | Role::Developer);
        if instructs {
            losses.count(LossKind::INSTRUCTIONS, if message.at.place.len == 0 { WHOLE } else { message.at });
        }
        !instructs
    });
}
