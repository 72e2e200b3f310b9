//! pi: a header, then entries that name their parents. Contents are always lists, and usage is always whole: pi does not
//! check, it crashes.

use crate::carry::{
    Destination, Home, SessionDraft, SessionWriter, Tools,
    provider::{self, Provider},
    support, text,
    time::rfc3339,
};
use crate::dialects::common::write_input_object;
use crate::message::write::Writer;
use crate::message::{Losses, Media, Message, Part, PartKind, ResultPart, Role, Source, Text};
use crate::source::shell_word;

pub static WRITER: SessionWriter = SessionWriter {
    name: "pi-session",
    agent: "pi",
    format: "pi-session",
    is_document: false,
    capabilities: &support::PI,
    tools: Tools::Calls,
    keeps_thoughts: true,
    keeps_instructions: false,
    ids_by_time: true,
    home: Some(Home { variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent", sessions: "sessions" }),
    write,
    file,
    resume,
    import: None,
};

fn file(draft: &SessionDraft<'_>) -> String {
    let folder = draft.cwd.trim_start_matches(['/', '\\']).replace(['/', '\\', ':'], "-");
    let time = rfc3339(draft.begins()).replace([':', '.'], "-");
    format!("--{folder}--/{time}_{}.jsonl", draft.id())
}

fn resume(_: &Destination, path: &str) -> String {
    format!("pi --session {}", shell_word(path))
}

/// Writes entries, each the child of the one before.
struct Entries<'s> {
    draft: &'s SessionDraft<'s>,
    n: usize,
    parent: Option<String>,
}

impl Entries<'_> {
    fn entry(&mut self, kind: &str, time: i64, out: &mut Vec<u8>, members: impl FnOnce(&mut Writer<'_>)) {
        let id = self.draft.ids.short(self.n);
        self.n += 1;
        Writer::new(out).object(|w| {
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

    fn message(&mut self, role: &str, time: i64, out: &mut Vec<u8>, members: impl FnOnce(&mut Writer<'_>)) {
        self.entry("message", time, out, |w| {
            w.key("message").object(|w| {
                w.key("role").plain(role);
                members(w);
                w.key("timestamp").bytes(time.to_string().as_bytes());
            });
        });
    }
}

fn write(draft: &SessionDraft<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    Writer::new(out).object(|w| {
        w.key("type").plain("session");
        w.key("version").bytes(b"3");
        w.key("id").plain(&draft.id());
        w.key("timestamp").plain(&rfc3339(draft.begins()));
        w.key("cwd").plain(&draft.cwd);
    });
    out.push(b'\n');
    let (provider, model) = provider::of(draft.model.as_deref());
    let mut entries = Entries { draft, n: 0, parent: None };
    let mut times = draft.clock.running();
    for message in &draft.conversation.messages {
        let time = times.next(message.at.place);
        match message.role {
            Role::Assistant => entries.message("assistant", time, out, |w| answer(message, provider, &model, w)),
            Role::Tool => {
                for block in &message.parts {
                    let PartKind::Result(result) = &block.kind else { continue };
                    entries.message("toolResult", time, out, |w| {
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
            _ => entries.message("user", time, out, |w| {
                w.key("content").array(|w| message.parts.iter().for_each(|block| write_block(block, w)));
            }),
        }
    }
    if let Some(title) = &draft.title {
        entries.entry("session_info", draft.ends(), out, |w| w.key("name").plain(title));
    }
}

fn answer(message: &Message, provider: Provider, model: &str, w: &mut Writer<'_>) {
    w.key("content").array(|w| message.parts.iter().for_each(|block| write_block(block, w)));
    w.key("api").plain(provider.api);
    w.key("provider").plain(provider.name);
    w.key("model").plain(model);
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

fn write_block(block: &Part, w: &mut Writer<'_>) {
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

fn write_text(text: &Text, w: &mut Writer<'_>) {
    w.object(|w| {
        w.key("type").plain("text");
        w.key("text").text(text);
    });
}

fn write_image(media: &Media, w: &mut Writer<'_>) {
    let Source::Data(data) = &media.source else { return };
    w.object(|w| {
        w.key("type").plain("image");
        w.key("data").text(data);
        w.key("mimeType").text(&media.likely_mime());
    });
}
