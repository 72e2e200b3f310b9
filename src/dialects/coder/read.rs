//! How a chat of coder's chatd is read: rows, ordered by their ids, become messages, their parts in order.
//!
//! It follows chatd's own repairs at load time and its mapping to items, but for three things. What the provider ran
//! goes in full where its data were kept, so that no reference is beside full items of its group. Calls without a
//! result, and results without or before their call, are left to the repair of the request. And reasoning that nothing
//! of the model follows goes without its id, since the server would look for what followed.

use std::collections::HashSet;

use crate::dialect::log::media;
use crate::dialect::{Log, LogOptions, LogReader};
use crate::dialects::common::said;
use crate::dialects::responses::NAME;
use crate::history::ranked::{Rank, resolve};
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::message::{
    Call, CallKind, Input, Maker, Opaque, OpaqueKind, Part, PartKind, Raw, Reasoning, ResultPart, Role, Text,
    ToolResult,
};
use crate::place::Place;

use super::item::{arguments, full_item, is_base64, key_of};
use super::part::{Part as ChatPart, PartKind as ChatPartKind};
use super::row::{parts_in, rank};
use super::text::{json_text, plain, text, with_nul};

/// Reads the rows of a chat. They are kept until all are there, as the file may hold them in any order.
pub struct Rows {
    options: LogOptions,
    ranks: Vec<Rank>,
    /// The text of each row, and where it lies.
    rows: Vec<(Vec<u8>, Place)>,
    log: Log,
    /// Images that tools returned: they follow the run of results.
    media: Vec<Part>,
}

/// How the newest reasoning of a message was sent: what the provider ran after it goes the same way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    NoReasoning,
    InFull,
    ByReference,
    Nothing,
}

impl LogReader for Rows {
    /// Reads a row, or a page of them.
    fn read(&mut self, val: Val<'_>, base: Base<'_>) {
        if let Some(page) = val.get("messages").filter(Val::is_array) {
            page.elements().for_each(|row| self.keep(row, base));
        } else if val.is_array() {
            val.elements().for_each(|row| self.keep(row, base));
        } else {
            self.keep(val, base);
        }
    }

    fn finish(mut self: Box<Self>) -> Log {
        let (sent, _) = resolve(&self.ranks);
        let mut rows = std::mem::take(&mut self.rows);
        let mut tape = Tape::new();
        for ix in sent {
            let Some((bytes, at)) = rows.get_mut(ix).map(std::mem::take) else { continue };
            if scan(&bytes, &mut tape).is_ok()
                && let Some(row) = tape.root(&bytes)
            {
                self.row(row, Base::new(at.doc, at.start));
            }
        }
        self.show_media();
        self.detach_lone_reasoning();
        self.log.keeps_ids = self.options.stored;
        self.log
    }
}

impl Rows {
    pub fn new(options: LogOptions) -> Self {
        Rows { options, ranks: Vec::new(), rows: Vec::new(), log: Log::default(), media: Vec::new() }
    }

    fn keep(&mut self, row: Val<'_>, base: Base<'_>) {
        let at = base.of(row);
        let only = self.options.only.as_ref();
        if row.is_object() && only.is_none_or(|only| only.range(at.start..at.end()).next().is_some()) {
            self.ranks.push(rank(row));
            self.rows.push((row.raw().to_vec(), at));
        }
    }

    fn row(&mut self, row: Val<'_>, base: Base<'_>) {
        let role = row.get("role").and_then(text).unwrap_or_default();
        if role != "tool" {
            self.show_media();
        }
        let Some(content) = row.get("content") else { return };
        let place = base.of(content);
        if content.is_string()
            && parts_in(content, |parts| self.content(&role, row, parts, Base::made_of(place))).is_some()
        {
            return;
        }
        self.content(&role, row, content, base);
    }

    fn content(&mut self, role: &str, row: Val<'_>, content: Val<'_>, base: Base<'_>) {
        let parts: Vec<ChatPart<'_>> = content.elements().filter(Val::is_object).map(ChatPart::of).collect();
        match role {
            "assistant" => {
                if content.is_string() {
                    self.answer_text(content, base.of(content));
                }
                self.assistant(&parts, base);
            }
            "tool" => parts.iter().for_each(|part| self.result(part, base)),
            "system" => self.system(content, &parts, base.of(content)),
            "user" => self.user(content, &parts, base),
            _ => self.log.omit(base.of(row), "chatd has no such role"),
        }
    }

    /// Takes the id from reasoning that nothing of the model follows. Reasoning before a run of results none of which
    /// has a call goes with that run, in the repair.
    fn detach_lone_reasoning(&mut self) {
        let messages = &mut self.log.thread.messages;
        let calls = messages.iter().flat_map(|message| message.calls());
        let called: HashSet<Vec<u8>> = calls.map(|call| call.id.plain().into_owned()).collect();
        let mut followed = false;
        let mut calls_in_run = None;
        let parts = messages.iter_mut().rev().flat_map(|message| {
            let role = message.role;
            message.parts.iter_mut().rev().map(move |part| (role, part))
        });
        for (role, part) in parts {
            match &part.kind {
                PartKind::Reasoning(_) => {
                    if !followed && calls_in_run != Some(false) && part.id.take().is_some() {
                        self.log.detached += 1;
                    }
                }
                PartKind::Result(result) => {
                    let is_called = called.contains(&*result.id.plain());
                    (followed, calls_in_run) = (false, Some(calls_in_run.unwrap_or(false) || is_called));
                }
                _ => (followed, calls_in_run) = (role == Role::Assistant, None),
            }
        }
    }

    fn show_media(&mut self) {
        for media in std::mem::take(&mut self.media) {
            self.log.message(Role::User, [media]);
        }
    }

    fn answer_text(&mut self, words: Val<'_>, here: Place) {
        if let Some(text) = spoken(&plain(words)) {
            self.log.answer(PartKind::Text { text, citations: None }, here);
        }
    }

    fn system(&mut self, content: Val<'_>, parts: &[ChatPart<'_>], here: Place) {
        let words = if content.is_string() {
            plain(content)
        } else {
            let texts: Vec<String> = parts.iter().filter_map(|part| part.get("text").map(plain)).collect();
            texts.join("\n")
        };
        self.log.message(Role::System, spoken(&words).map(|text| Part::text(text, here.into())));
    }

    fn user(&mut self, content: Val<'_>, parts: &[ChatPart<'_>], base: Base<'_>) {
        if content.is_string() {
            let text = spoken(&plain(content));
            return self.log.message(Role::User, text.map(|text| Part::text(text, base.of(content).into())));
        }
        let mut said = Vec::new();
        for part in parts.iter().filter(|part| part.kind == ChatPartKind::Said) {
            let (words, data) = (part.get("text").or(part.get("content")), part.get("data"));
            let at = base.of(part.val);
            if let Some(words) = part.reference() {
                said.push(Part::text(Text::new(&words), at.into()));
                continue;
            }
            match (words.filter(Val::is_string), data.and_then(Text::of_val)) {
                (Some(words), _) => said.push(Part::text(Text::new(&plain(words)), at.into())),
                (None, Some(data)) => {
                    let get = |key: &str| part.get(key).and_then(Text::of_val);
                    said.push(Part::new(media(get("media_type"), data, get("file_name")).into(), at.into()));
                }
                _ => self.log.omit(at, "its content is in chatd's own store"),
            }
        }
        self.log.message(Role::User, said);
    }

    fn assistant(&mut self, parts: &[ChatPart<'_>], base: Base<'_>) {
        let mut sent = Sent::NoReasoning;
        for (n, part) in parts.iter().enumerate() {
            match part.kind {
                ChatPartKind::Said => match part.get("text") {
                    Some(words) => self.answer_text(words, base.of(part.val)),
                    None => self.log.omit(base.of(part.val), "the model's own files cannot be sent back"),
                },
                ChatPartKind::Reasoning => {
                    sent = self.reasoning(part, parts.get(n + 1..).unwrap_or_default(), base)
                }
                ChatPartKind::Call => self.call(part, base),
                ChatPartKind::HostedCall => self.hosted(part, parts, sent, base),
                // A result in the message of its call.
                ChatPartKind::Result => self.result(part, base),
                ChatPartKind::HostedResult | ChatPartKind::Silent => {}
            }
        }
        self.log.end_response();
    }

    fn reasoning(&mut self, part: &ChatPart<'_>, behind: &[ChatPart<'_>], base: Base<'_>) -> Sent {
        let here = base.of(part.val);
        let Some(id) = part.item_id() else {
            self.log.omit(here, "reasoning without the id of its item cannot be sent");
            return Sent::Nothing;
        };
        // What the provider ran after it may be known by its id alone: then both go by reference.
        let group = behind.iter().take_while(|part| part.kind != ChatPartKind::Reasoning);
        let mut hosted = group.filter(|part| part.kind == ChatPartKind::HostedCall);
        let by_reference = self.options.stored && hosted.any(|call| full_item(call, behind).is_none());
        match part.blob().filter(|_| !by_reference) {
            Some(blob) => {
                let summary = part.item_data().and_then(|data| data.get("summary"));
                let texts = summary.into_iter().flat_map(|list| list.elements()).filter_map(Text::of_val);
                let reasoning = Reasoning {
                    maker: Maker::OpenAi,
                    texts: texts.filter(|text| !text.is_empty()).collect(),
                    seal: Text::of_val(blob),
                    redacted: None,
                };
                let piece = Part::new(PartKind::Reasoning(reasoning), here.into());
                self.log.push(Role::Assistant, Part { id: Some(Text::of(id)), ..piece });
                Sent::InFull
            }
            None if self.options.stored => {
                self.refer(Text::of(id), here);
                Sent::ByReference
            }
            None => {
                self.log.omit(here, "without its encrypted content it needs a server that stores it");
                Sent::Nothing
            }
        }
    }

    fn refer(&mut self, id: Text, here: Place) {
        let raw = Raw::build(here, |w| {
            w.object(|w| {
                w.key("type").plain("item_reference");
                w.key("id").text(&id);
            });
        });
        self.log.answer(item(OpaqueKind::Reference, raw), here);
    }

    fn hosted(&mut self, part: &ChatPart<'_>, parts: &[ChatPart<'_>], sent: Sent, base: Base<'_>) {
        let here = base.of(part.val);
        match (sent, full_item(part, parts)) {
            (Sent::ByReference, _) => match part.item_id() {
                Some(id) => self.refer(Text::of(id), here),
                None => self.log.omit(here, "a call of the provider without an id cannot be sent"),
            },
            (Sent::InFull | Sent::NoReasoning, Some(raw)) => {
                self.log.answer(item(OpaqueKind::ServerTool, raw), here);
            }
            (Sent::Nothing, _) => self.log.omit(here, "its reasoning is not sent"),
            (_, None) => self.log.omit(here, "only the id of the server-side call is known"),
        }
    }

    fn call(&mut self, part: &ChatPart<'_>, base: Base<'_>) {
        let here = base.of(part.val);
        let Some(key) = key_of(part) else {
            return self.log.omit(here, "a call without an id cannot be paired");
        };
        let call = Call {
            id: Text::new(&key),
            invented: false,
            name: part.get("tool_name").and_then(Text::of_val).unwrap_or_default(),
            input: Input::Text(Text::new(&arguments(part))),
            kind: CallKind::Function,
        };
        self.log.answer(PartKind::Call(call), here);
    }

    fn result(&mut self, part: &ChatPart<'_>, base: Base<'_>) {
        let here = base.of(part.val);
        match part.kind {
            ChatPartKind::Result => {}
            ChatPartKind::HostedResult => return,
            _ => return self.log.omit(here, "only results are sent for a tool"),
        }
        let Some(key) = key_of(part) else {
            return self.log.omit(here, "a result without an id cannot be paired");
        };
        let result = part.get("result").filter(|result| !result.is_null());
        let is = |flag: &str| part.get(flag).and_then(|flag| flag.as_bool()) == Some(true);
        let error = result.filter(|_| is("is_error")).and_then(|result| result.get("error")).and_then(text);
        let words = match (error, result.map(|result| (result, text(result)))) {
            (_, Some((result, _))) if is("is_media") && result.is_object() => self.media_result(result, here),
            (Some(error), _) => error,
            (None, Some((_, Some(words)))) if !words.is_empty() => with_nul(&words, "\0"),
            (None, Some((result, None))) => json_text(result),
            _ => "{}".to_owned(),
        };
        let parts = vec![ResultPart::Text(Text::new(&words))];
        let (id, kind) = (Text::new(&key), CallKind::Function);
        self.log.result(ToolResult { id, name: None, parts, is_error: is("is_error"), kind }, here);
    }

    /// What a result says that holds an image or a file. A user's message shows it.
    fn media_result(&mut self, result: Val<'_>, here: Place) -> String {
        let data = said(result, "data").filter(|data| is_base64(&data.to_plain_string()));
        let Some(data) = data else {
            let words = result.get("text").and_then(text).filter(|words| !words.is_empty());
            return words.unwrap_or_else(|| "[media content unavailable: corrupted data]".to_owned());
        };
        let kind = said(result, "mime_type");
        let name = kind.as_ref().map(Text::to_plain_string).unwrap_or_default();
        self.media.push(Part::new(media(kind, data, said(result, "attachment_name")).into(), here.into()));
        format!("The tool returned {name} content; see the following user message.")
    }
}

/// A text that says something.
fn spoken(words: &str) -> Option<Text> {
    (!words.trim().is_empty()).then(|| Text::new(words))
}

/// An item of the Responses API.
fn item(kind: OpaqueKind, raw: Raw) -> PartKind {
    PartKind::Opaque(Opaque { dialect: NAME, kind, raw })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::write_lines;
    use crate::dialects::responses::RESPONSES;
    use crate::place::DocId;

    fn replay(rows: &str, stored: bool) -> Vec<String> {
        let mut tape = Tape::new();
        scan(rows.as_bytes(), &mut tape).expect("JSON");
        let mut reader = Rows::new(LogOptions { stored, only: None });
        let root = tape.root(rows.as_bytes()).expect("a value");
        reader.read(root, Base::new(DocId(0), 0));
        let mut lines = Vec::new();
        write_lines(&RESPONSES, &Box::new(reader).finish().thread, &mut lines);
        String::from_utf8_lossy(&lines).lines().map(str::to_owned).collect()
    }

    /// What the parts become, with an answer after them, which is left out here.
    fn assistant(parts: &str, store: bool) -> Vec<String> {
        let parts = if parts.is_empty() { String::new() } else { format!("{parts},") };
        let answer = r#"{"type":"text","text":"."}"#;
        let mut made = replay(&format!(r#"[{{"role":"assistant","content":[{parts}{answer}]}}]"#), store);
        made.pop();
        made
    }

    const BLOB: &str = r#"{"type":"reasoning","text":"","provider_metadata":{"openai":{"data":{"item_id":"rs_1","encrypted_content":"gAAA","summary":["", "s"]}}}}"#;
    const BARE: &str =
        r#"{"type":"reasoning","text":"","provider_metadata":{"openai":{"data":{"item_id":"rs_1"}}}}"#;
    const FULL: &str = r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"gAAA"}"#;
    const RS: &str = r#"{"type":"item_reference","id":"rs_1"}"#;
    const SEARCH: &str = r#"{"type":"tool-call","tool_call_id":"ws_1","tool_name":"web_search","args":{},"provider_executed":true}"#;
    const FOUND: &str = r#"{"type":"tool-result","tool_call_id":"ws_1","tool_name":"web_search","provider_executed":true,"result":{},"provider_metadata":{"openai":{"data":{"item_id":"ws_1","status":"failed","action":{"type":"search","queries":["q"]}}}}}"#;
    const WS: &str =
        r#"{"type":"web_search_call","id":"ws_1","status":"failed","action":{"type":"search","queries":["q"]}}"#;

    #[test]
    fn reasoning_goes_in_full_with_its_blob_else_by_reference_else_not_at_all() {
        assert_eq!(assistant(BLOB, true), [FULL]);
        assert_eq!(assistant(BLOB, false), [FULL]);
        assert_eq!(assistant(BARE, true), [RS]);
        assert_eq!(assistant(BARE, false), [""; 0]);
        let empty = BLOB.replace(r#"["", "s"]"#, "[]");
        let item = FULL.replace(r#"[{"type":"summary_text","text":"s"}]"#, "[]");
        assert_eq!(assistant(&empty, false), [item]);
    }

    #[test]
    fn reasoning_that_nothing_of_the_model_follows_has_no_id() {
        let bare = FULL.replace(r#""id":"rs_1","#, "");
        let row = |more: &str| format!(r#"[{{"role":"assistant","content":[{BLOB}]}}{more}]"#);
        assert_eq!(replay(&row(""), true), [&*bare]);
        let user = r#",{"role":"user","content":"?"}"#;
        assert_eq!(replay(&row(user), true)[0], bare);
        // A run of results without calls goes with it, later.
        let result = r#",{"role":"tool","content":[{"tool_call_id":"a","result":{}}]}"#;
        assert_eq!(replay(&row(result), true)[0], FULL);
        let call = r#",{"role":"assistant","content":[{"type":"tool-call","tool_call_id":"a","tool_name":"f"}]}"#;
        assert_eq!(replay(&row(&format!("{result}{call}")), true)[0], bare);
        assert_eq!(replay(&row(call), true)[0], FULL);
    }

    #[test]
    fn what_the_provider_ran_goes_the_way_of_its_reasoning() {
        let with = |reasoning: &str, found: bool| {
            let parts = [reasoning, SEARCH, FOUND];
            let parts = parts[..2 + usize::from(found)].iter().filter(|part| !part.is_empty());
            parts.copied().collect::<Vec<_>>().join(",")
        };
        let ws = r#"{"type":"item_reference","id":"ws_1"}"#;
        assert_eq!(assistant(&with(BLOB, true), true), [FULL, WS]);
        assert_eq!(assistant(&with(BLOB, true), false), [FULL, WS]);
        assert_eq!(assistant(&with(BLOB, false), true), [RS, ws]);
        assert_eq!(assistant(&with(BLOB, false), false), [FULL]);
        assert_eq!(assistant(&with(BARE, true), true), [RS, ws]);
        assert_eq!(assistant(&with(BARE, true), false), [""; 0]);
        assert_eq!(assistant(&with("", true), true), [WS]);
        assert_eq!(assistant(&with("", false), true), [""; 0]);
    }

    #[test]
    fn calls_and_results_are_mended_as_they_are_loaded() {
        let rows = r#"[{"role":"assistant","content":[
            {"type":"tool-call","tool_call_id":"a:1","tool_name":"f","args":{"x": "\ue000\ue001"}},
            {"type":"tool-call","tool_call_id":"b","tool_name":"f","args":[]},
            {"type":"tool-call","tool_call_id":"","tool_name":"f","args":{}}]},
          {"role":"tool","content":[{"type":"tool-result","tool_call_id":"a:1","result":""},
            {"type":"tool-result","tool_call_id":"ws_9","provider_executed":true,"result":{}}]},
          {"role":"user","content":[{"type":"text","text":" "},{"type":"text","text":"go\ue000\ue000"}]},
          {"role":"tool","content":[{"tool_call_id":"c","result":{"error":"no"},"is_error":true}]}]"#;
        assert_eq!(
            replay(rows, true),
            [
                r#"{"type":"function_call","call_id":"a_1","name":"f","arguments":"{\"x\":\"\\u0000\"}"}"#,
                r#"{"type":"function_call","call_id":"b","name":"f","arguments":"{}"}"#,
                r#"{"type":"function_call_output","call_id":"a_1","output":"{}"}"#,
                "{\"type\":\"message\",\"role\":\"user\",\"content\":\"go\u{e000}\"}",
                r#"{"type":"function_call_output","call_id":"c","output":"no"}"#,
            ]
        );
    }

    #[test]
    fn a_late_result_is_not_stubbed_before() {
        let rows = r#"[{"role":"assistant","content":[{"type":"tool-call","tool_call_id":"a","tool_name":"f"}]},
          {"role":"user","content":[{"type":"text","text":"?"}]},
          {"role":"tool","content":[{"tool_call_id":"a","result":{"x":1}}]}]"#;
        let outputs = replay(rows, true).into_iter().filter(|item| item.contains("_output")).collect::<Vec<_>>();
        assert_eq!(outputs, [r#"{"type":"function_call_output","call_id":"a","output":"{\"x\":1}"}"#]);
    }

    #[test]
    fn what_says_nothing_is_not_sent() {
        let rows = r#"[{"role":"assistant","content":[{"type":"reasoning","text":" "},{"type":"source","url":"https://x"}]},
          {"role":"user","content":[{"type":"text","text":""}]},
          {"role":"user","content":[{"type":"file","data":"aGk=","media_type":"text/csv","file_name":"a.csv"}]},
          {"role":"assistant","content":[{"type":"tool-call","tool_call_id":"a","tool_name":"f","args":""},
            {"type":"tool-call","tool_call_id":"b","tool_name":"f","args":"oops"}]},
          {"role":"tool","content":[{"tool_call_id":"a","result":null},{"tool_call_id":"b","result":"x"}]}]"#;
        let call =
            |key: &str| format!(r#"{{"type":"function_call","call_id":"{key}","name":"f","arguments":"{{}}"}}"#);
        let output = |key: &str, text: &str| {
            format!(r#"{{"type":"function_call_output","call_id":"{key}","output":"{text}"}}"#)
        };
        let file = r#"{"type":"message","role":"user","content":[{"type":"input_file","filename":"a.csv","file_data":"data:text/csv;base64,aGk="}]}"#;
        assert_eq!(
            replay(rows, false),
            [file.to_owned(), call("a"), call("b"), output("a", "{}"), output("b", "x")]
        );
    }

    #[test]
    fn media_follow_the_results_of_their_turn() {
        let rows = r#"[{"role":"assistant","content":[{"type":"tool-call","tool_call_id":"a","tool_name":"f"},
            {"type":"tool-call","tool_call_id":"b","tool_name":"f"}]},
          {"role":"tool","content":[
            {"tool_call_id":"a","is_media":true,"result":{"data":"aGk=","mime_type":"image/png"}},
            {"tool_call_id":"b","is_media":true,"result":{"data":"%","mime_type":"image/png"}}]}]"#;
        assert_eq!(
            replay(rows, true)[2..],
            [
                r#"{"type":"function_call_output","call_id":"a","output":"The tool returned image/png content; see the following user message."}"#,
                r#"{"type":"function_call_output","call_id":"b","output":"[media content unavailable: corrupted data]"}"#,
                r#"{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,aGk="}]}"#,
            ]
        );
    }
}
