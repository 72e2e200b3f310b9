//! Reads a chat of coder's chatd: rows, ordered by their ids, become messages, with their parts in order.
//!
//! It follows chatd's own repairs at load time and its mapping to items, with three exceptions. Hosted calls are sent in
//! full where their data were stored, so that no reference is beside full items of its group. Calls without a result, and
//! results without or before their call, are left to the repair of the request. And reasoning that nothing of the model
//! follows is sent without its id, since the server would look for the item that followed.

use foldhash::HashSet;

use crate::dialect::log::media_from_data;
use crate::dialect::{LogOptions, LogReader, LogThread};
use crate::dialects::common::nonempty_text;
use crate::dialects::responses::NAME;
use crate::history::ranked_order::{Rank, resolve};
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, scan};
use crate::message::{
    CallInput, CallKind, Opaque, OpaqueKind, Part, PartKind, RawJson, Reasoning, ReasoningProvider, ResultPart,
    Role, Text, ToolCall, ToolResult,
};
use crate::place::Place;

use super::item::{arguments, full_item, is_base64, key_of};
use super::part::{CoderPart, CoderPartKind};
use super::row::{parse_parts, rank};
use super::text::{json_text, plain, text, with_nul};

/// Reads the rows of a chat. They are collected first, because a file may contain them in any order.
pub struct CoderLogReader {
    options: LogOptions,
    ranks: Vec<Rank>,
    /// The text of each row, and its place.
    rows: Vec<(Vec<u8>, Place)>,
    log: LogThread,
    /// Images that tools returned: they follow the results.
    media: Vec<Part>,
}

/// How the last reasoning of a message is sent: hosted calls after it are sent likewise.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReasoningDelivery {
    NoReasoning,
    InFull,
    ByReference,
    Nothing,
}

impl LogReader for CoderLogReader {
    /// Reads a row, or a page of them.
    fn read(&mut self, val: Val<'_>, base: RecordBase<'_>) {
        if let Some(page) = val.get("messages").filter(Val::is_array) {
            page.elements().for_each(|row| self.collect_row(row, base));
        } else if val.is_array() {
            val.elements().for_each(|row| self.collect_row(row, base));
        } else {
            self.collect_row(val, base);
        }
    }

    fn finish(mut self: Box<Self>) -> LogThread {
        let (sent, _) = resolve(&self.ranks);
        let mut rows = std::mem::take(&mut self.rows);
        let mut tape = Tape::new();
        for ix in sent {
            let Some((bytes, at)) = rows.get_mut(ix).map(std::mem::take) else { continue };
            if scan(&bytes, &mut tape).is_ok()
                && let Some(row) = tape.root(&bytes)
            {
                self.read_row(row, RecordBase::new(at.doc, at.start));
            }
        }
        self.show_media();
        self.detach_lone_reasoning();
        self.log.keeps_ids = self.options.stored;
        self.log
    }
}

impl CoderLogReader {
    pub fn new(options: LogOptions) -> Self {
        CoderLogReader {
            options,
            ranks: Vec::new(),
            rows: Vec::new(),
            log: LogThread::default(),
            media: Vec::new(),
        }
    }

    fn collect_row(&mut self, row: Val<'_>, base: RecordBase<'_>) {
        let at = base.of(row);
        let only = self.options.only.as_ref();
        if row.is_object() && only.is_none_or(|only| only.range(at.start..at.end()).next().is_some()) {
            self.ranks.push(rank(row));
            self.rows.push((row.raw().to_vec(), at));
        }
    }

    fn read_row(&mut self, row: Val<'_>, base: RecordBase<'_>) {
        let role = row.get("role").and_then(text).unwrap_or_default();
        if role != "tool" {
            self.show_media();
        }
        let Some(content) = row.get("content") else { return };
        let place = base.of(content);
        if content.is_string()
            && parse_parts(content, |parts| {
                self.read_content(&role, row, parts, RecordBase::synthetic_from(place))
            })
            .is_some()
        {
            return;
        }
        self.read_content(&role, row, content, base);
    }

    fn read_content(&mut self, role: &str, row: Val<'_>, content: Val<'_>, base: RecordBase<'_>) {
        let parts: Vec<CoderPart<'_>> = content.elements().filter(Val::is_object).map(CoderPart::of).collect();
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

    /// Removes the id of reasoning that nothing of the model follows. Reasoning before a run of results without calls is
    /// removed with that run, in the repair.
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
                        self.log.detached_reasoning += 1;
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
            self.log.add_message(Role::User, [media]);
        }
    }

    fn answer_text(&mut self, words: Val<'_>, here: Place) {
        if let Some(text) = nonblank(&plain(words)) {
            self.log.add_answer(PartKind::Text { text, citations: None }, here);
        }
    }

    /// A text of the model: an item of its own, as the model wrote it, with the phase that was stored.
    fn push_text(&mut self, part: &CoderPart<'_>, words: Val<'_>, base: RecordBase<'_>) {
        let Some(text) = nonblank(&plain(words)) else { return };
        let last = self.log.thread.messages.last().and_then(|message| message.parts.last());
        if last.is_some_and(|last| matches!(last.kind, PartKind::Text { .. })) {
            self.log.end_response();
        }
        let member = |key: &str| part.item_data().and_then(|data| nonempty_text(data, key));
        let id = member("item_id").filter(|_| self.options.keeps_item_ids);
        let answer = Part::text(text, base.of(part.val).into());
        self.log.push(Role::Assistant, Part { id, phase: member("phase"), ..answer });
    }

    fn system(&mut self, content: Val<'_>, parts: &[CoderPart<'_>], here: Place) {
        let words = if content.is_string() {
            plain(content)
        } else {
            let texts: Vec<String> = parts.iter().filter_map(|part| part.get("text").map(plain)).collect();
            texts.join("\n")
        };
        self.log.add_message(Role::System, nonblank(&words).map(|text| Part::text(text, here.into())));
    }

    fn user(&mut self, content: Val<'_>, parts: &[CoderPart<'_>], base: RecordBase<'_>) {
        if content.is_string() {
            let text = nonblank(&plain(content));
            return self.log.add_message(Role::User, text.map(|text| Part::text(text, base.of(content).into())));
        }
        let mut said = Vec::new();
        for part in parts.iter().filter(|part| part.kind == CoderPartKind::Content) {
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
                    said.push(Part::new(
                        media_from_data(get("media_type"), data, get("file_name")).into(),
                        at.into(),
                    ));
                }
                _ => self.log.omit(at, "its content is in chatd's own store"),
            }
        }
        self.log.add_message(Role::User, said);
    }

    fn assistant(&mut self, parts: &[CoderPart<'_>], base: RecordBase<'_>) {
        let mut sent = ReasoningDelivery::NoReasoning;
        for (n, part) in parts.iter().enumerate() {
            match part.kind {
                CoderPartKind::Content => match part.get("text") {
                    Some(words) => self.push_text(part, words, base),
                    None => self.log.omit(base.of(part.val), "the model's own files cannot be sent back"),
                },
                CoderPartKind::Reasoning => {
                    sent = self.reasoning(part, parts.get(n + 1..).unwrap_or_default(), base)
                }
                CoderPartKind::Call => self.call(part, base),
                CoderPartKind::HostedCall => self.hosted(part, parts, sent, base),
                // A result in the message of its call.
                CoderPartKind::Result => self.result(part, base),
                CoderPartKind::HostedResult | CoderPartKind::Unsent => {}
            }
        }
        self.log.end_response();
    }

    fn reasoning(
        &mut self,
        part: &CoderPart<'_>,
        rest: &[CoderPart<'_>],
        base: RecordBase<'_>,
    ) -> ReasoningDelivery {
        let here = base.of(part.val);
        let Some(id) = part.item_id() else {
            self.log.omit(here, "reasoning without the id of its item cannot be sent");
            return ReasoningDelivery::Nothing;
        };
        // Of a hosted call after it only the id may be stored: then both are sent by reference.
        let group = rest.iter().take_while(|part| part.kind != CoderPartKind::Reasoning);
        let mut hosted = group.filter(|part| part.kind == CoderPartKind::HostedCall);
        let by_reference = self.options.stored && hosted.any(|call| full_item(call, rest).is_none());
        match part.blob().filter(|_| !by_reference) {
            Some(blob) => {
                let summary = part.item_data().and_then(|data| data.get("summary"));
                let texts = summary.into_iter().flat_map(|list| list.elements()).filter_map(Text::of_val);
                let reasoning = Reasoning {
                    provider: ReasoningProvider::OpenAi,
                    texts: texts.filter(|text| !text.is_empty()).collect(),
                    encrypted_content: Text::of_val(blob),
                    redacted: None,
                };
                let piece = Part::new(PartKind::Reasoning(reasoning), here.into());
                self.log.push(Role::Assistant, Part { id: Some(Text::of(id)), ..piece });
                ReasoningDelivery::InFull
            }
            None if self.options.stored => {
                self.push_reference(Text::of(id), here);
                ReasoningDelivery::ByReference
            }
            None => {
                self.log.omit(here, "without its encrypted content it needs a server that stores it");
                ReasoningDelivery::Nothing
            }
        }
    }

    fn push_reference(&mut self, id: Text, here: Place) {
        let raw = RawJson::build(here, |w| {
            w.object(|w| {
                w.key("type").plain("item_reference");
                w.key("id").text(&id);
            });
        });
        self.log.add_answer(opaque_item(OpaqueKind::Reference, raw), here);
    }

    fn hosted(
        &mut self,
        part: &CoderPart<'_>,
        parts: &[CoderPart<'_>],
        sent: ReasoningDelivery,
        base: RecordBase<'_>,
    ) {
        let here = base.of(part.val);
        match (sent, full_item(part, parts)) {
            (ReasoningDelivery::ByReference, _) => match part.item_id() {
                Some(id) => self.push_reference(Text::of(id), here),
                None => self.log.omit(here, "a call of the provider without an id cannot be sent"),
            },
            (ReasoningDelivery::InFull | ReasoningDelivery::NoReasoning, Some(raw)) => {
                self.log.add_answer(opaque_item(OpaqueKind::ServerTool, raw), here);
            }
            (ReasoningDelivery::Nothing, _) => self.log.omit(here, "its reasoning is not sent"),
            (_, None) => self.log.omit(here, "only the id of the server-side call is known"),
        }
    }

    fn call(&mut self, part: &CoderPart<'_>, base: RecordBase<'_>) {
        let here = base.of(part.val);
        let Some(key) = key_of(part) else {
            return self.log.omit(here, "a call without an id cannot be paired");
        };
        let call = ToolCall {
            id: Text::new(&key),
            has_synthetic_id: false,
            name: part.get("tool_name").and_then(Text::of_val).unwrap_or_default(),
            input: CallInput::Text(Text::new(&arguments(part))),
            kind: CallKind::Function,
        };
        let id = part.item_data().and_then(|data| nonempty_text(data, "item_id"));
        let id = id.filter(|_| self.options.keeps_item_ids);
        self.log.push(Role::Assistant, Part { id, ..Part::new(PartKind::Call(call), here.into()) });
    }

    fn result(&mut self, part: &CoderPart<'_>, base: RecordBase<'_>) {
        let here = base.of(part.val);
        match part.kind {
            CoderPartKind::Result => {}
            CoderPartKind::HostedResult => return,
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
        self.log.add_result(ToolResult { id, name: None, parts, is_error: is("is_error"), kind }, here);
    }

    /// The text of a result with an image or a file, which is sent in a message of the user.
    fn media_result(&mut self, result: Val<'_>, here: Place) -> String {
        let data = nonempty_text(result, "data").filter(|data| is_base64(&data.to_plain_string()));
        let Some(data) = data else {
            let words = result.get("text").and_then(text).filter(|words| !words.is_empty());
            return words.unwrap_or_else(|| "[media content unavailable: corrupted data]".to_owned());
        };
        let kind = nonempty_text(result, "mime_type");
        let name = kind.as_ref().map(Text::to_plain_string).unwrap_or_default();
        self.media.push(Part::new(
            media_from_data(kind, data, nonempty_text(result, "attachment_name")).into(),
            here.into(),
        ));
        format!("The tool returned {name} content; see the following user message.")
    }
}

/// A text, unless it is blank.
fn nonblank(words: &str) -> Option<Text> {
    (!words.trim().is_empty()).then(|| Text::new(words))
}

/// An item of the Responses API.
fn opaque_item(kind: OpaqueKind, raw: RawJson) -> PartKind {
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
        let mut reader = CoderLogReader::new(LogOptions { stored, ..LogOptions::default() });
        let root = tape.root(rows.as_bytes()).expect("a value");
        reader.read(root, RecordBase::new(DocId(0), 0));
        let mut lines = Vec::new();
        write_lines(&RESPONSES, &Box::new(reader).finish().thread, &mut lines);
        String::from_utf8_lossy(&lines).lines().map(str::to_owned).collect()
    }

    /// Replays the parts with an answer after them, which is left out of the result.
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
        // Reasoning before a run of results without calls is removed with it, later.
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
