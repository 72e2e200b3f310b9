//! Writer of opencode sessions: the document that `opencode import` reads. Its server rejects parts without a required field,
//! so all are written. A call and its result are one part.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::carry::{
    Destination, ModelNaming, ResumeCommand, SessionDraft, SessionWriter, ToolHandling,
    provider::{ModelOrigin, SessionModel},
    support, text,
};
use crate::dialects::common::write_input_object;
use crate::message::write::JsonWriter;
use crate::message::{Losses, Media, Message, Part, PartKind, Role, Text, ToolCall, ToolResult};
use crate::source::shell_word;

use super::config;

pub static RESUME: ResumeCommand = ResumeCommand::anywhere(&["opencode", "-s", "{id}"]);

pub static WRITER: SessionWriter = SessionWriter {
    name: "opencode-export",
    agent: "opencode",
    format: "opencode-export",
    is_document: true,
    capabilities: &support::OPENCODE,
    tools: ToolHandling::Calls,
    why_notes: None,
    model: Some(ModelNaming { choose: config::choose, note: model_note }),
    keeps_reasoning: true,
    keeps_instructions: false,
    ids_by_time: false,
    home: None,
    write,
    file,
    resume,
    import: Some(|path| format!("opencode import {}", shell_word(path))),
};

const VERSION: &str = "1.2.10";

fn file(draft: &SessionDraft<'_>) -> String {
    format!("{}.json", session(draft))
}

fn resume(destination: &Destination, path: &str) -> String {
    let id = destination.file.trim_end_matches(".json");
    match &destination.model {
        Some(SessionModel { origin: ModelOrigin::Unknown, .. }) => {
            format!("opencode run -s {id} -m PROVIDER/MODEL MESSAGE")
        }
        _ => RESUME.line(id, path, None),
    }
}

/// opencode fails with "Unexpected server error" if it does not have the model that a session names.
fn model_note(destination: &Destination) -> Option<String> {
    let SessionModel { provider, model, origin, .. } = destination.model.as_ref()?;
    let id = destination.file.trim_end_matches(".json");
    match origin {
        ModelOrigin::Configured => None,
        ModelOrigin::Source => Some(format!(
            "opencode's configuration names no model, so the session names {provider}/{model}; if opencode does not have \
             it, use `opencode run -s {id} -m PROVIDER/MODEL MESSAGE` with a model that `opencode models` lists"
        )),
        ModelOrigin::Unknown => Some(format!(
            "replace PROVIDER/MODEL with a model that `opencode models` lists: opencode's configuration names none, and it \
             may not have {provider}/{model}, which the session names"
        )),
    }
}

fn session(draft: &SessionDraft<'_>) -> String {
    id(draft, "ses", draft.start_ms(), 0)
}

/// An id by which opencode sorts: six bytes of time and a number, then letters.
fn id(draft: &SessionDraft<'_>, kind: &str, ms: i64, n: usize) -> String {
    let time = (ms as u64).wrapping_mul(0x1000).wrapping_add(n as u64 & 0xfff) & 0xffff_ffff_ffff;
    format!("{kind}_{time:012x}{}", draft.ids.letters(kind, n, 14))
}

/// State of the writer.
struct OpencodeExportWriter<'s> {
    draft: &'s SessionDraft<'s>,
    session: String,
    /// The provider and the model.
    model: &'s SessionModel,
    /// Results by the ids of their calls.
    results: HashMap<Cow<'s, [u8]>, &'s ToolResult>,
    parts: usize,
    /// Time of the next part in milliseconds since 1970.
    time: i64,
    message: String,
}

fn write(draft: &SessionDraft<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    let Some(model) = &draft.session_model else { return };
    let results = draft.conversation.messages.iter().flat_map(|message| &message.parts);
    let results = results.filter_map(|block| match &block.kind {
        PartKind::Result(result) => Some((result.id.raw(), result)),
        _ => None,
    });
    let mut export = OpencodeExportWriter {
        draft,
        session: session(draft),
        model,
        results: results.collect(),
        parts: 0,
        time: draft.start_ms(),
        message: String::new(),
    };
    JsonWriter::new(out).object(|w| {
        w.key("info").object(|w| {
            w.key("id").plain(&export.session);
            w.key("slug").plain(&format!("carried-{}", draft.ids.short(0)));
            w.key("version").plain(VERSION);
            w.key("projectID").plain("global");
            w.key("directory").plain(&draft.cwd);
            w.key("title").plain(draft.title.as_deref().unwrap_or("Carried over"));
            w.key("time").object(|w| {
                write_number(w.key("created"), draft.start_ms());
                write_number(w.key("updated"), draft.end_ms());
            });
        });
        w.key("messages").array(|w| {
            let mut times = draft.clock.monotonic();
            let mut question = String::new();
            for (n, message) in draft.conversation.messages.iter().enumerate() {
                export.time = times.next(message.at.place);
                export.message = id(draft, "msg", export.time, n);
                match message.role {
                    Role::Assistant => export.write_answer(message, &question, w),
                    // Results are in the parts of their calls.
                    Role::Tool => {}
                    _ => {
                        question.clone_from(&export.message);
                        export.write_user(message, w);
                    }
                }
            }
        });
    });
    out.push(b'\n');
}

fn write_number(w: &mut JsonWriter<'_>, number: i64) {
    w.bytes(number.to_string().as_bytes());
}

fn write_tokens(w: &mut JsonWriter<'_>) {
    w.key("cost").bytes(b"0");
    w.key("tokens").bytes(br#"{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}"#);
}

impl OpencodeExportWriter<'_> {
    fn write_common(&self, role: &str, w: &mut JsonWriter<'_>) {
        w.key("id").plain(&self.message);
        w.key("sessionID").plain(&self.session);
        w.key("role").plain(role);
        w.key("agent").plain("build");
    }

    fn write_user(&mut self, message: &Message, w: &mut JsonWriter<'_>) {
        w.object(|w| {
            w.key("info").object(|w| {
                self.write_common("user", w);
                w.key("time").object(|w| write_number(w.key("created"), self.time));
                w.key("model").object(|w| {
                    w.key("providerID").plain(&self.model.provider);
                    w.key("modelID").plain(&self.model.model);
                });
            });
            w.key("parts").array(|w| message.parts.iter().for_each(|block| self.write_block(block, w)));
        });
    }

    fn write_answer(&mut self, message: &Message, question: &str, w: &mut JsonWriter<'_>) {
        let finish = if message.calls().next().is_some() { "tool-calls" } else { "stop" };
        w.object(|w| {
            w.key("info").object(|w| {
                self.write_common("assistant", w);
                w.key("parentID").plain(question);
                w.key("modelID").plain(&self.model.model);
                w.key("providerID").plain(&self.model.provider);
                w.key("mode").plain("build");
                w.key("path").object(|w| {
                    w.key("cwd").plain(&self.draft.cwd);
                    w.key("root").plain(&self.draft.cwd);
                });
                write_tokens(w);
                w.key("time").object(|w| {
                    write_number(w.key("created"), self.time);
                    write_number(w.key("completed"), self.time);
                });
                w.key("finish").plain(finish);
            });
            w.key("parts").array(|w| {
                self.write_part("step-start", w, |_, _| {});
                message.parts.iter().for_each(|block| self.write_block(block, w));
                self.write_part("step-finish", w, |_, w| {
                    w.key("reason").plain(finish);
                    write_tokens(w);
                });
            });
        });
    }

    fn write_part(
        &mut self,
        kind: &str,
        w: &mut JsonWriter<'_>,
        members: impl FnOnce(&Self, &mut JsonWriter<'_>),
    ) {
        self.parts += 1;
        let id = id(self.draft, "prt", self.time, self.parts);
        w.object(|w| {
            w.key("id").plain(&id);
            w.key("sessionID").plain(&self.session);
            w.key("messageID").plain(&self.message);
            w.key("type").plain(kind);
            members(self, w);
        });
    }

    fn write_time(&self, w: &mut JsonWriter<'_>) {
        w.key("time").object(|w| {
            write_number(w.key("start"), self.time);
            write_number(w.key("end"), self.time);
        });
    }

    fn write_block(&mut self, block: &Part, w: &mut JsonWriter<'_>) {
        match &block.kind {
            PartKind::Call(call) => self.write_part("tool", w, |export, w| export.write_tool(call, w)),
            PartKind::Reasoning(reasoning) => self.write_part("reasoning", w, |export, w| {
                w.key("text").text(&Text::join(&reasoning.texts, "\\n\\n"));
                export.write_time(w);
            }),
            PartKind::Media(media) => self.write_part("file", w, |_, w| write_file(media, w)),
            _ => {
                if let Some(text) = text::of_block(block) {
                    self.write_part("text", w, |_, w| w.key("text").text(text));
                }
            }
        }
    }

    fn write_tool(&self, call: &ToolCall, w: &mut JsonWriter<'_>) {
        w.key("callID").text(&call.id);
        w.key("tool").text(&call.name);
        let result = self.results.get(&call.id.raw());
        w.key("state").object(|w| {
            let failed = result.is_none_or(|result| result.is_error);
            w.key("status").plain(if failed { "error" } else { "completed" });
            write_input_object(&call.input, w.key("input"));
            let words = result.map(|result| text::of_result(result)).unwrap_or_default();
            w.key(if failed { "error" } else { "output" }).plain(&words);
            if !failed {
                w.key("title").text(&call.name);
            }
            w.key("metadata").object(|_| {});
            self.write_time(w);
            let media: Vec<&Media> = result.into_iter().flat_map(|result| text::media_of(result)).collect();
            if !media.is_empty() {
                w.key("attachments").array(|w| {
                    for (n, media) in media.into_iter().enumerate() {
                        w.object(|w| {
                            w.key("id").plain(&format!("{}{n}", id(self.draft, "prt", self.time, self.parts)));
                            w.key("sessionID").plain(&self.session);
                            w.key("messageID").plain(&self.message);
                            w.key("type").plain("file");
                            write_file(media, w);
                        });
                    }
                });
            }
        });
    }
}

fn write_file(media: &Media, w: &mut JsonWriter<'_>) {
    w.key("mime").text(&media.likely_mime());
    media.name.iter().for_each(|name| w.key("filename").text(name));
    if let Some(url) = media.data_url() {
        w.key("url").text(&url);
    }
}
