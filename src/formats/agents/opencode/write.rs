//! opencode: the document that `opencode import` reads. Its server refuses parts that lack a field, so all are there. A
//! call and its result are one part.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::carry::{
    Destination, SessionDraft, SessionWriter, Tools,
    provider::{self, Provider},
    support, text,
};
use crate::dialects::common::write_input_object;
use crate::message::write::Writer;
use crate::message::{Call, Losses, Media, Message, Part, PartKind, Role, Text, ToolResult};
use crate::source::shell_word;

pub static WRITER: SessionWriter = SessionWriter {
    name: "opencode-export",
    agent: "opencode",
    format: "opencode-export",
    is_document: true,
    capabilities: &support::OPENCODE,
    tools: Tools::Calls,
    keeps_thoughts: true,
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

fn resume(destination: &Destination, _: &str) -> String {
    let id = destination.file.trim_end_matches(".json");
    format!("opencode --session {id}")
}

fn session(draft: &SessionDraft<'_>) -> String {
    id(draft, "ses", draft.begins(), 0)
}

/// opencode sorts by ids: six bytes of time and a number, then letters.
fn id(draft: &SessionDraft<'_>, kind: &str, ms: i64, n: usize) -> String {
    let time = (ms as u64).wrapping_mul(0x1000).wrapping_add(n as u64 & 0xfff) & 0xffff_ffff_ffff;
    format!("{kind}_{time:012x}{}", draft.ids.letters(kind, n, 14))
}

/// What all parts of a session have in common.
struct Export<'s> {
    draft: &'s SessionDraft<'s>,
    session: String,
    provider: Provider,
    model: String,
    /// Results by the ids of their calls.
    results: HashMap<Cow<'s, [u8]>, &'s ToolResult>,
    parts: usize,
    /// When the next part is.
    time: i64,
    message: String,
}

fn write(draft: &SessionDraft<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    let (provider, model) = provider::of(draft.model.as_deref());
    let results = draft.conversation.messages.iter().flat_map(|message| &message.parts);
    let results = results.filter_map(|block| match &block.kind {
        PartKind::Result(result) => Some((result.id.raw(), result)),
        _ => None,
    });
    let mut export = Export {
        draft,
        session: session(draft),
        provider,
        model,
        results: results.collect(),
        parts: 0,
        time: draft.begins(),
        message: String::new(),
    };
    Writer::new(out).object(|w| {
        w.key("info").object(|w| {
            w.key("id").plain(&export.session);
            w.key("slug").plain(&format!("carried-{}", draft.ids.short(0)));
            w.key("version").plain(VERSION);
            w.key("projectID").plain("global");
            w.key("directory").plain(&draft.cwd);
            w.key("title").plain(draft.title.as_deref().unwrap_or("Carried over"));
            w.key("time").object(|w| {
                number(w.key("created"), draft.begins());
                number(w.key("updated"), draft.ends());
            });
        });
        w.key("messages").array(|w| {
            let mut times = draft.clock.running();
            let mut asked = String::new();
            for (n, message) in draft.conversation.messages.iter().enumerate() {
                export.time = times.next(message.at.place);
                export.message = id(draft, "msg", export.time, n);
                match message.role {
                    Role::Assistant => export.answer(message, &asked, w),
                    // They are in the parts of their calls.
                    Role::Tool => {}
                    _ => {
                        asked.clone_from(&export.message);
                        export.asked(message, w);
                    }
                }
            }
        });
    });
    out.push(b'\n');
}

fn number(w: &mut Writer<'_>, number: i64) {
    w.bytes(number.to_string().as_bytes());
}

fn tokens(w: &mut Writer<'_>) {
    w.key("cost").bytes(b"0");
    w.key("tokens").bytes(br#"{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}"#);
}

impl Export<'_> {
    fn head(&self, role: &str, w: &mut Writer<'_>) {
        w.key("id").plain(&self.message);
        w.key("sessionID").plain(&self.session);
        w.key("role").plain(role);
        w.key("agent").plain("build");
    }

    fn asked(&mut self, message: &Message, w: &mut Writer<'_>) {
        w.object(|w| {
            w.key("info").object(|w| {
                self.head("user", w);
                w.key("time").object(|w| number(w.key("created"), self.time));
                w.key("model").object(|w| {
                    w.key("providerID").plain(self.provider.name);
                    w.key("modelID").plain(&self.model);
                });
            });
            w.key("parts").array(|w| message.parts.iter().for_each(|block| self.block(block, w)));
        });
    }

    fn answer(&mut self, message: &Message, asked: &str, w: &mut Writer<'_>) {
        let finish = if message.calls().next().is_some() { "tool-calls" } else { "stop" };
        w.object(|w| {
            w.key("info").object(|w| {
                self.head("assistant", w);
                w.key("parentID").plain(asked);
                w.key("modelID").plain(&self.model);
                w.key("providerID").plain(self.provider.name);
                w.key("mode").plain("build");
                w.key("path").object(|w| {
                    w.key("cwd").plain(&self.draft.cwd);
                    w.key("root").plain(&self.draft.cwd);
                });
                tokens(w);
                w.key("time").object(|w| {
                    number(w.key("created"), self.time);
                    number(w.key("completed"), self.time);
                });
                w.key("finish").plain(finish);
            });
            w.key("parts").array(|w| {
                self.part("step-start", w, |_, _| {});
                message.parts.iter().for_each(|block| self.block(block, w));
                self.part("step-finish", w, |_, w| {
                    w.key("reason").plain(finish);
                    tokens(w);
                });
            });
        });
    }

    fn part(&mut self, kind: &str, w: &mut Writer<'_>, members: impl FnOnce(&Self, &mut Writer<'_>)) {
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

    fn spans(&self, w: &mut Writer<'_>) {
        w.key("time").object(|w| {
            number(w.key("start"), self.time);
            number(w.key("end"), self.time);
        });
    }

    fn block(&mut self, block: &Part, w: &mut Writer<'_>) {
        match &block.kind {
            PartKind::Call(call) => self.part("tool", w, |export, w| export.tool(call, w)),
            PartKind::Reasoning(reasoning) => self.part("reasoning", w, |export, w| {
                w.key("text").text(&Text::join(&reasoning.texts, "\\n\\n"));
                export.spans(w);
            }),
            PartKind::Media(media) => self.part("file", w, |_, w| write_file(media, w)),
            _ => {
                if let Some(text) = text::of_block(block) {
                    self.part("text", w, |_, w| w.key("text").text(text));
                }
            }
        }
    }

    fn tool(&self, call: &Call, w: &mut Writer<'_>) {
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
            self.spans(w);
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

fn write_file(media: &Media, w: &mut Writer<'_>) {
    w.key("mime").text(&media.likely_mime());
    media.name.iter().for_each(|name| w.key("filename").text(name));
    if let Some(url) = media.data_url() {
        w.key("url").text(&url);
    }
}
