//! Writer of pi sessions: a header, then entries that name their parents. Contents are always lists, and usage is always
//! complete: pi crashes if they are not.

use crate::carry::{
    AgentHome, Destination, ModelNaming, ResumeCommand, SessionDraft, SessionWriter, ToolHandling,
    provider::{ModelOrigin, SessionModel},
    support, text,
    time::rfc3339,
};
use crate::dialects::common::write_input_object;
use crate::message::write::JsonWriter;
use crate::message::{Losses, Media, MediaSource, Message, Part, PartKind, ResultPart, Role, Text};

pub static RESUME: ResumeCommand = ResumeCommand::anywhere(&["pi", "--session", "{file}"]);

use super::config;

pub static WRITER: SessionWriter = SessionWriter {
    name: "pi-session",
    agent: "pi",
    format: "pi-session",
    is_document: false,
    capabilities: &support::PI,
    tools: ToolHandling::Calls,
    why_notes: None,
    model: Some(ModelNaming { choose: config::choose, note: model_note }),
    keeps_reasoning: true,
    keeps_instructions: false,
    ids_by_time: true,
    home: Some(AgentHome { variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent", sessions: "sessions" }),
    write,
    file,
    resume,
    import: None,
};

fn file(draft: &SessionDraft<'_>) -> String {
    let folder = draft.cwd.trim_start_matches(['/', '\\']).replace(['/', '\\', ':'], "-");
    let time = rfc3339(draft.start_ms()).replace([':', '.'], "-");
    format!("--{folder}--/{time}_{}.jsonl", draft.id())
}

fn resume(destination: &Destination, path: &str) -> String {
    let is_unknown = destination.model.as_ref().is_some_and(|model| model.origin == ModelOrigin::Unknown);
    let model = if is_unknown { " --model PROVIDER/MODEL" } else { "" };
    format!("{}{model}", RESUME.line(&destination.id, path, Some(&destination.cwd)))
}

/// pi uses its default if it does not have the model that a session names.
fn model_note(destination: &Destination) -> Option<String> {
    let SessionModel { provider, model, origin, .. } = destination.model.as_ref()?;
    (*origin == ModelOrigin::Unknown).then(|| {
        format!(
            "replace PROVIDER/MODEL with a model that `pi --list-models` lists: pi's configuration names none, and it may \
             not have {provider}/{model}, which the session names"
        )
    })
}

/// Writes entries, each the child of the previous one.
struct PiEntryWriter<'s> {
    draft: &'s SessionDraft<'s>,
    /// Number of entries so far.
    n: usize,
    parent: Option<String>,
}

impl PiEntryWriter<'_> {
    fn write_entry(
        &mut self,
        kind: &str,
        time: i64,
        out: &mut Vec<u8>,
        members: impl FnOnce(&mut JsonWriter<'_>),
    ) {
        let id = self.draft.ids.short(self.n);
        self.n += 1;
        JsonWriter::new(out).object(|w| {
            w.key("type").plain(kind);
            w.key("id").plain(&id);
            match &self.parent {
                Some(parent) => w.key("parentId").plain(parent),
                None => w.key("parentId").bytes(b"null"),
            }
            w.key("timestamp").plain(&rfc3339(time));
            members(w);
        });
        out.push(b'\n');
        self.parent = Some(id);
    }

    fn write_message(
        &mut self,
        role: &str,
        time: i64,
        out: &mut Vec<u8>,
        members: impl FnOnce(&mut JsonWriter<'_>),
    ) {
        self.write_entry("message", time, out, |w| {
            w.key("message").object(|w| {
                w.key("role").plain(role);
                members(w);
                w.key("timestamp").bytes(time.to_string().as_bytes());
            });
        });
    }
}

fn write(draft: &SessionDraft<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    JsonWriter::new(out).object(|w| {
        w.key("type").plain("session");
        w.key("version").bytes(b"3");
        w.key("id").plain(&draft.id());
        w.key("timestamp").plain(&rfc3339(draft.start_ms()));
        w.key("cwd").plain(&draft.cwd);
    });
    out.push(b'\n');
    let Some(model) = &draft.session_model else { return };
    let mut entries = PiEntryWriter { draft, n: 0, parent: None };
    let mut times = draft.clock.monotonic();
    for message in &draft.conversation.messages {
        let time = times.next(message.at.place);
        match message.role {
            Role::Assistant => entries.write_message("assistant", time, out, |w| write_answer(message, model, w)),
            Role::Tool => {
                for block in &message.parts {
                    let PartKind::Result(result) = &block.kind else { continue };
                    entries.write_message("toolResult", time, out, |w| {
                        w.key("toolCallId").text(&result.id);
                        w.key("toolName").text(result.name.as_ref().unwrap_or(&Text::default()));
                        w.key("content").array(|w| {
                            let words = text::of_result(result);
                            if !words.is_empty() || text::media_of(result).next().is_none() {
                                write_text(&Text::new(&words), w);
                            }
                            for part in &result.parts {
                                if let ResultPart::Media(media, _) = part {
                                    write_image(media, w);
                                }
                            }
                        });
                        w.key("isError").bool(result.is_error);
                    });
                }
            }
            _ => entries.write_message("user", time, out, |w| {
                w.key("content").array(|w| message.parts.iter().for_each(|block| write_block(block, w)));
            }),
        }
    }
    if let Some(title) = &draft.title {
        entries.write_entry("session_info", draft.end_ms(), out, |w| w.key("name").plain(title));
    }
}

fn write_answer(message: &Message, model: &SessionModel, w: &mut JsonWriter<'_>) {
    w.key("content").array(|w| message.parts.iter().for_each(|block| write_block(block, w)));
    w.key("api").plain(&model.api);
    w.key("provider").plain(&model.provider);
    w.key("model").plain(&model.model);
    w.key("usage").object(|w| {
        for key in ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] {
            w.key(key).bytes(b"0");
        }
        w.key("cost").object(|w| {
            for key in ["input", "output", "cacheRead", "cacheWrite", "total"] {
                w.key(key).bytes(b"0");
            }
        });
    });
    let calls = message.calls().next().is_some();
    w.key("stopReason").plain(if calls { "toolUse" } else { "stop" });
}

fn write_block(block: &Part, w: &mut JsonWriter<'_>) {
    match &block.kind {
        PartKind::Call(call) => w.object(|w| {
            w.key("type").plain("toolCall");
            w.key("id").text(&call.id);
            w.key("name").text(&call.name);
            write_input_object(&call.input, w.key("arguments"));
        }),
        PartKind::Reasoning(reasoning) => w.object(|w| {
            w.key("type").plain("thinking");
            w.key("thinking").text(&Text::join(&reasoning.texts, "\\n\\n"));
        }),
        PartKind::Media(media) => write_image(media, w),
        _ => text::of_block(block).into_iter().for_each(|text| write_text(text, w)),
    }
}

fn write_text(text: &Text, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        w.key("type").plain("text");
        w.key("text").text(text);
    });
}

fn write_image(media: &Media, w: &mut JsonWriter<'_>) {
    let MediaSource::Data(data) = &media.source else { return };
    w.object(|w| {
        w.key("type").plain("image");
        w.key("data").text(data);
        w.key("mimeType").text(&media.likely_mime());
    });
}
