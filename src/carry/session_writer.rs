//! The contract of session writers: what an agent can resume, how it is written, where it belongs.

use std::sync::{Arc, OnceLock};

use crate::message::{Capabilities, LossKind, Losses, Role, Thread};

use super::agent_config::{AgentEnvironment, NoEnvironment};
use super::clock::Clock;
use super::destination::{Destination, Preparation, SourceHistory, WHOLE_SESSION};
use super::ids::Ids;
use super::provider::{ModelHints, SessionModel};
use super::session_metadata::SessionMetadata;
use super::{notes, text, turns};

/// The writer of sessions of one agent.
pub struct SessionWriter {
    /// The name that users type.
    pub name: &'static str,
    /// The agent that resumes the session.
    pub agent: &'static str,
    /// The format of the written session.
    pub format: &'static str,
    pub is_document: bool,
    pub capabilities: &'static Capabilities,
    /// The default treatment of calls and results.
    pub tools: ToolHandling,
    /// Why the default is notes, as a sentence for the user; `None` where it is obvious.
    pub why_notes: Option<&'static str>,
    /// How a session names its provider and its model; `None` if it names none.
    pub model: Option<ModelNaming>,
    /// Readable reasoning is kept, without signatures and encrypted content.
    pub keeps_reasoning: bool,
    /// The agent has no instructions and tools of its own: those of the source stay.
    pub keeps_instructions: bool,
    /// Ids of sessions begin with their time.
    pub ids_by_time: bool,
    /// The folder of sessions; `None` if the agent has none of its own.
    pub home: Option<AgentHome>,
    pub write: fn(&SessionDraft<'_>, &mut Losses, &mut Vec<u8>),
    /// Makes the path of a session's file below the agent's folder.
    pub file: fn(&SessionDraft<'_>) -> String,
    /// Makes the command line that resumes the session, from the destination and the path of the file.
    pub resume: fn(&Destination, &str) -> String,
    /// Makes the command that imports the file first, for agents without a folder to put it in.
    pub import: Option<fn(&str) -> String>,
}

/// How a session names its provider and its model.
pub struct ModelNaming {
    pub choose: fn(&ModelHints<'_>) -> SessionModel,
    /// A clause about the model for the user; `None` if it needs no attention.
    pub note: fn(&Destination) -> Option<String>,
}

/// An agent's folder.
pub struct AgentHome {
    /// The environment variable that names it.
    pub variable: &'static str,
    /// Its default path in the user's home directory.
    pub folder: &'static str,
    /// The folder of sessions below it.
    pub sessions: &'static str,
}

/// The treatment of calls and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToolHandling {
    /// Notes in the text of the model.
    Notes,
    Calls,
}

/// The options of carrying a session over.
#[derive(Clone, Debug, Default)]
pub struct CarryOptions {
    pub tools: Option<ToolHandling>,
    /// Keep only so many turns, the last ones.
    pub last: Option<usize>,
    /// The working directory for the agent.
    pub cwd: Option<String>,
    /// The working directory if neither the user nor the session names one.
    pub current_dir: String,
    /// The time of the session if it has none, in Unix milliseconds.
    pub default_time: i64,
    /// The known projects of Gemini CLI: folders, and names.
    pub projects: Vec<(String, String)>,
    /// The provider and the model that the user asked for.
    pub provider: Option<String>,
    pub model: Option<String>,
    /// Where the agent finds its configuration; `None` for an agent without any.
    pub environment: Option<Arc<dyn AgentEnvironment>>,
}

/// Carries the histories of one doc over to another agent.
pub struct CarryOver {
    pub writer: &'static SessionWriter,
    options: CarryOptions,
    metadata: OnceLock<SessionMetadata>,
}

/// A session to write, with its metadata.
pub struct SessionDraft<'s> {
    pub conversation: &'s Thread,
    pub metadata: &'s SessionMetadata,
    pub ids: Ids,
    pub clock: Clock<'s>,
    ids_by_time: bool,
    pub cwd: String,
    pub title: Option<String>,
    /// The model of the source.
    pub model: Option<String>,
    /// The provider and the model that the session names, if it does.
    pub session_model: Option<SessionModel>,
    pub branch: String,
    /// The name of the folder's project in Gemini CLI.
    pub project: Option<String>,
}

impl CarryOver {
    pub fn new(writer: &'static SessionWriter, options: CarryOptions) -> Self {
        CarryOver { writer, options, metadata: OnceLock::new() }
    }

    fn metadata(&self, source: &SourceHistory<'_>) -> &SessionMetadata {
        self.metadata.get_or_init(|| SessionMetadata::of(source.bytes))
    }

    fn tools(&self) -> ToolHandling {
        self.options.tools.unwrap_or(self.writer.tools)
    }

    /// True if a history is that of a subagent of another history in the doc.
    pub fn is_of_subagent(&self, source: &SourceHistory<'_>) -> bool {
        self.metadata(source).is_sidechain(source.bytes.origin(source.at).start)
    }

    /// Removes what the agent cannot resume.
    pub fn prepare(
        &self,
        conversation: &mut Thread,
        source: &SourceHistory<'_>,
        losses: &mut Losses,
    ) -> Preparation {
        if !self.writer.keeps_instructions {
            drop_instructions(conversation, losses);
        }
        for tool in std::mem::take(&mut conversation.tools) {
            losses.count(LossKind::TOOL_DEFINITIONS, tool.at);
        }
        for place in &self.metadata(source).snapshots {
            losses.count(LossKind::SNAPSHOTS, (*place).into());
        }
        let left_out = self.options.last.map_or(0, |last| turns::keep_last(conversation, last));
        let is_noted = self.tools() == ToolHandling::Notes;
        let has_calls = conversation.messages.iter().any(|message| message.calls().next().is_some());
        if is_noted {
            notes::convert_to_notes(conversation, losses);
        }
        Preparation { left_out, has_default_notes: is_noted && has_calls && self.options.tools.is_none() }
    }

    /// Chooses the provider and the model that the session names.
    fn choose_model(
        &self,
        source_model: Option<&str>,
        metadata: &SessionMetadata,
        cwd: &str,
    ) -> Option<SessionModel> {
        let naming = self.writer.model.as_ref()?;
        Some((naming.choose)(&ModelHints {
            asked_provider: self.options.provider.as_deref(),
            asked_model: self.options.model.as_deref(),
            source_provider: metadata.provider.as_deref(),
            source_codex_provider: metadata.codex_provider.as_deref(),
            source_model,
            cwd,
            environment: self.options.environment.as_deref().unwrap_or(&NoEnvironment),
        }))
    }

    /// Writes a conversation that was fitted to the agent's capabilities.
    pub fn write(
        &self,
        conversation: &Thread,
        source: &SourceHistory<'_>,
        losses: &mut Losses,
        out: &mut Vec<u8>,
    ) -> Destination {
        let metadata = self.metadata(source);
        let start = source.bytes.origin(source.at).start;
        let cwd = self.options.cwd.clone().or_else(|| metadata.cwd_at(start));
        let cwd = cwd.unwrap_or_else(|| self.options.current_dir.clone());
        let clock = Clock::new(source.bytes, metadata, self.options.default_time);
        let project = self.options.projects.iter().find(|(folder, _)| *folder == cwd);
        let model = conversation.model.as_ref().map(|model| String::from_utf8_lossy(&model.plain()).into_owned());
        let draft = SessionDraft {
            conversation,
            metadata,
            ids: Ids::new(self.writer.name, &metadata.session, &cwd, conversation),
            ids_by_time: self.writer.ids_by_time,
            clock,
            title: metadata.title.clone().or_else(|| text::first_line(conversation)),
            session_model: self.choose_model(model.as_deref(), metadata, &cwd),
            model,
            branch: metadata.branch.clone().unwrap_or_default(),
            project: project.map(|(_, name)| name.clone()),
            cwd,
        };
        (self.writer.write)(&draft, losses, out);
        Destination {
            id: draft.id(),
            file: (self.writer.file)(&draft),
            started: draft.start_ms() / 1000,
            cwd: draft.cwd,
            model: draft.session_model,
            preparation: Preparation::default(),
        }
    }
}

impl SessionDraft<'_> {
    /// The time at which it begins, in Unix milliseconds.
    pub fn start_ms(&self) -> i64 {
        self.conversation.messages.first().map_or(0, |first| self.clock.at(first.at.place))
    }

    /// The time at which it ends, in Unix milliseconds.
    pub fn end_ms(&self) -> i64 {
        let times = self.conversation.messages.iter().map(|message| self.clock.at(message.at.place));
        times.max().unwrap_or_default() + self.conversation.messages.len() as i64
    }

    /// The id of the session.
    pub fn id(&self) -> String {
        match self.ids_by_time {
            true => self.ids.session(self.start_ms()),
            false => self.ids.uuid("session", 0),
        }
    }
}

/// The file of a session that is one document, for an agent without a folder of its own.
pub fn json_file(draft: &SessionDraft<'_>) -> String {
    format!("{}.json", draft.id())
}

/// Removes the instructions of the source's agent: the next one has its own.
fn drop_instructions(conversation: &mut Thread, losses: &mut Losses) {
    for block in std::mem::take(&mut conversation.instructions) {
        losses.count(LossKind::INSTRUCTIONS, block.at);
    }
    conversation.messages.retain(|message| {
        let instructs = matches!(message.role, Role::System | Role::Developer);
        if instructs {
            losses
                .count(LossKind::INSTRUCTIONS, if message.at.place.len == 0 { WHOLE_SESSION } else { message.at });
        }
        !instructs
    });
}
