//! How a chat of coder's chatd is replayed: rows become items of the Responses API, ordered by their ids, in the order of
//! their parts.
//!
//! It follows chatd's own repairs at load time and its mapping to items, but for three things. What the provider ran
//! goes in full where its data were kept, so that no reference is beside full items of its group. Calls without a
//! result, and results without or before their call, are left to the repair of the request. And reasoning that nothing
//! of the model follows goes without its id, since the server would look for what followed.

use std::collections::{BTreeSet, HashSet};

use crate::dialect::{Replay, Replayed};
use crate::history::ranked::{Rank, resolve};
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::place::Place;

use super::item::{arguments, full_item, is_base64, key_of};
use super::part::{Part, PartKind};
use super::row::{parts_in, rank};
use super::text::{json_text, plain, with_nul};
use crate::dialects::replay::{array, data_part, object, quoted, raw, text, text_part};

/// Replays the rows of a chat. They are kept until all are there, as the file may hold them in any order.
#[derive(Debug, Default)]
pub struct Rows {
    /// Whether the server stores items, so that they can be sent by reference.
    store: bool,
    /// Only rows in which one of these places lies.
    only: Option<BTreeSet<u64>>,
    ranks: Vec<Rank>,
    /// The text of each row, and where it lies.
    rows: Vec<(Vec<u8>, Place)>,
    made: Replayed,
    /// What each item is to the reasoning before it.
    beside: Vec<Beside>,
    /// Keys of all local calls.
    called: HashSet<String>,
    /// Images that tools returned: they follow the run of results.
    media: Vec<(Vec<u8>, Place)>,
}

/// What an item is to the reasoning before it.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Beside {
    /// Reasoning in full, with its id; and how its text begins without it.
    Reasoning(Vec<u8>),
    /// The model made it.
    Model,
    /// The result of the call with this key.
    Result(String),
    Other,
}

/// How the newest reasoning of a message was sent: what the provider ran after it goes the same way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    NoReasoning,
    InFull,
    ByReference,
    Nothing,
}

impl Replay for Rows {
    fn only(&mut self, starts: &BTreeSet<u64>) {
        self.only = Some(starts.clone());
    }

    /// Takes a row, or a page of them.
    fn take(&mut self, val: Val<'_>, base: Base<'_>) {
        if let Some(page) = val.get("messages").filter(Val::is_array) {
            page.elements().for_each(|row| self.keep(row, base));
        } else if val.is_array() {
            val.elements().for_each(|row| self.keep(row, base));
        } else {
            self.keep(val, base);
        }
    }

    fn finish(mut self: Box<Self>) -> Replayed {
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
        self.made.keeps_ids = self.store;
        self.made
    }
}

impl Rows {
    pub fn new(store: bool) -> Self {
        Rows { store, ..Rows::default() }
    }

    fn keep(&mut self, row: Val<'_>, base: Base<'_>) {
        let at = base.of(row);
        let wanted = |only: &BTreeSet<u64>| only.range(at.start..at.end()).next().is_some();
        if row.is_object() && self.only.as_ref().is_none_or(wanted) {
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
        let parts: Vec<Part<'_>> = content.elements().filter(Val::is_object).map(Part::of).collect();
        match role {
            "assistant" => {
                content.is_string().then(|| self.say("assistant", plain(content), base.of(content)));
                self.assistant(&parts, base);
            }
            "tool" => parts.iter().for_each(|part| self.result(part, base)),
            "system" | "user" => self.said(role, content, &parts, base),
            _ => self.made.leave(row, base, "chatd has no such role"),
        }
    }

    /// Adds an item of members whose values are JSON already.
    fn item(&mut self, beside: Beside, members: &[(&str, Vec<u8>)], here: Place) {
        self.add(beside, object(members), here);
    }

    fn add(&mut self, beside: Beside, item: Vec<u8>, here: Place) {
        self.made.add(item, here);
        self.beside.push(beside);
    }

    /// Takes the id from reasoning that nothing of the model follows. Reasoning before a run of results none of which
    /// has a call goes with that run, in the repair.
    fn detach_lone_reasoning(&mut self) {
        let mut followed = false;
        let mut calls_in_run = None;
        for (beside, item) in self.beside.iter().zip(&mut self.made.items).rev() {
            match beside {
                Beside::Model => (followed, calls_in_run) = (true, None),
                Beside::Other => (followed, calls_in_run) = (false, None),
                Beside::Result(key) => {
                    let called = self.called.contains(key);
                    (followed, calls_in_run) = (false, Some(calls_in_run.unwrap_or(false) || called));
                }
                Beside::Reasoning(bare) if !followed && calls_in_run != Some(false) => {
                    item.clone_from(bare);
                    self.made.detached += 1;
                }
                Beside::Reasoning(_) => {}
            }
        }
    }

    fn show_media(&mut self) {
        for (item, here) in std::mem::take(&mut self.media) {
            self.add(Beside::Other, item, here);
        }
    }

    fn say(&mut self, role: &str, words: String, here: Place) {
        if !words.trim().is_empty() {
            let beside = if role == "assistant" { Beside::Model } else { Beside::Other };
            self.item(beside, &[("role", quoted(role)), ("content", quoted(&words))], here);
        }
    }

    fn said(&mut self, role: &str, content: Val<'_>, parts: &[Part<'_>], base: Base<'_>) {
        if content.is_string() {
            return self.say(role, plain(content), base.of(content));
        }
        if role == "system" {
            let words: Vec<String> = parts.iter().filter_map(|part| part.get("text").map(plain)).collect();
            return self.say(role, words.join("\n"), base.of(content));
        }
        let mut said = Vec::new();
        for part in parts.iter().filter(|part| part.kind == PartKind::Said) {
            if let Some(words) = part.reference() {
                said.push(text_part("input_text", &words));
                continue;
            }
            let (words, data) = (part.get("text").or(part.get("content")), part.get("data").and_then(text));
            match (words.filter(Val::is_string), data) {
                (Some(words), _) => said.push(text_part("input_text", &plain(words))),
                (None, Some(data)) => {
                    let media = part.get("media_type").and_then(text).unwrap_or_default();
                    said.push(data_part(&media, &data, part.get("file_name").and_then(text)));
                }
                _ => self.made.leave(part.val, base, "its content is in chatd's own store"),
            }
        }
        if !said.is_empty() {
            let members = [("role", quoted(role)), ("content", array(&said))];
            self.item(Beside::Other, &members, base.of(content));
        }
    }

    fn assistant(&mut self, parts: &[Part<'_>], base: Base<'_>) {
        let mut sent = Sent::NoReasoning;
        for (n, part) in parts.iter().enumerate() {
            match part.kind {
                PartKind::Said => match part.get("text") {
                    Some(words) => self.say("assistant", plain(words), base.of(part.val)),
                    None => self.made.leave(part.val, base, "the model's own files cannot be sent back"),
                },
                PartKind::Reasoning => sent = self.reasoning(part, parts.get(n + 1..).unwrap_or_default(), base),
                PartKind::Call => self.call(part, base),
                PartKind::HostedCall => self.hosted(part, parts, sent, base),
                // A result in the message of its call.
                PartKind::Result => self.result(part, base),
                PartKind::HostedResult | PartKind::Silent => {}
            }
        }
        self.made.end_of_response();
    }

    fn reasoning(&mut self, part: &Part<'_>, behind: &[Part<'_>], base: Base<'_>) -> Sent {
        let Some(id) = part.item_id().map(|id| String::from_utf8_lossy(&id.decode()).into_owned()) else {
            self.made.leave(part.val, base, "reasoning without the id of its item cannot be sent");
            return Sent::Nothing;
        };
        // What the provider ran after it may be known by its id alone: then both go by reference.
        let group = behind.iter().take_while(|part| part.kind != PartKind::Reasoning);
        let mut hosted = group.filter(|part| part.kind == PartKind::HostedCall);
        let by_reference = self.store && hosted.any(|call| full_item(call, behind).is_none());
        match part.blob().filter(|_| !by_reference) {
            Some(blob) => {
                let data = part.item_data();
                let summary = data.and_then(|data| data.get("summary"));
                let summary = summary.into_iter().flat_map(|list| list.elements()).filter_map(text);
                let summary: Vec<Vec<u8>> = summary
                    .filter(|words| !words.is_empty())
                    .map(|words| text_part("summary_text", &words))
                    .collect();
                let members = [
                    ("type", quoted("reasoning")),
                    ("id", quoted(&id)),
                    ("summary", array(&summary)),
                    ("encrypted_content", raw(blob)),
                ];
                let bare = object(&[&members[..1], &members[2..]].concat());
                self.item(Beside::Reasoning(bare), &members, base.of(part.val));
                Sent::InFull
            }
            None if self.store => {
                self.refer(&id, base.of(part.val));
                Sent::ByReference
            }
            None => {
                self.made.leave(part.val, base, "without its encrypted content it needs a server that stores it");
                Sent::Nothing
            }
        }
    }

    fn refer(&mut self, id: &str, here: Place) {
        self.item(Beside::Model, &[("type", quoted("item_reference")), ("id", quoted(id))], here);
    }

    fn hosted(&mut self, part: &Part<'_>, parts: &[Part<'_>], sent: Sent, base: Base<'_>) {
        match (sent, full_item(part, parts)) {
            (Sent::ByReference, _) => {
                match part.item_id().map(|id| String::from_utf8_lossy(&id.decode()).into_owned()) {
                    Some(id) => self.refer(&id, base.of(part.val)),
                    None => self.made.leave(part.val, base, "a call of the provider without an id cannot be sent"),
                }
            }
            (Sent::InFull | Sent::NoReasoning, Some(item)) => {
                self.add(Beside::Model, item, base.of(part.val));
            }
            (Sent::Nothing, _) => self.made.leave(part.val, base, "its reasoning is not sent"),
            (_, None) => {
                self.made.leave(part.val, base, "only the id of the server-side call is known");
            }
        }
    }

    fn call(&mut self, part: &Part<'_>, base: Base<'_>) {
        let Some(key) = key_of(part) else {
            return self.made.leave(part.val, base, "a call without an id cannot be paired");
        };
        let name = part.get("tool_name").and_then(text).unwrap_or_default();
        let members = [
            ("type", quoted("function_call")),
            ("call_id", quoted(&key)),
            ("name", quoted(&name)),
            ("arguments", quoted(&arguments(part))),
        ];
        self.called.insert(key);
        self.item(Beside::Model, &members, base.of(part.val));
    }

    fn result(&mut self, part: &Part<'_>, base: Base<'_>) {
        match part.kind {
            PartKind::Result => {}
            PartKind::HostedResult => return,
            _ => return self.made.leave(part.val, base, "only results are sent for a tool"),
        }
        let Some(key) = key_of(part) else {
            return self.made.leave(part.val, base, "a result without an id cannot be paired");
        };
        let result = part.get("result").filter(|result| !result.is_null());
        let is = |flag: &str| part.get(flag).and_then(|flag| flag.as_bool()) == Some(true);
        if is("is_media")
            && let Some(result) = result.filter(Val::is_object)
        {
            return self.media_result(&key, result, base.of(part.val));
        }
        let error = result.filter(|_| is("is_error")).and_then(|result| result.get("error")).and_then(text);
        let words = match (error, result.map(|result| (result, text(result)))) {
            (Some(error), _) => error,
            (None, Some((_, Some(words)))) if !words.is_empty() => with_nul(&words, "\0"),
            (None, Some((result, None))) => json_text(result),
            _ => "{}".to_owned(),
        };
        self.output(&key, &words, base.of(part.val));
    }

    fn media_result(&mut self, key: &str, result: Val<'_>, here: Place) {
        let get = |name: &str| result.get(name).and_then(text).filter(|text| !text.is_empty());
        let (data, kind) = (get("data").filter(|data| is_base64(data)), get("mime_type").unwrap_or_default());
        let Some(data) = data else {
            let words = get("text").unwrap_or_else(|| "[media content unavailable: corrupted data]".to_owned());
            return self.output(key, &words, here);
        };
        self.output(key, &format!("The tool returned {kind} content; see the following user message."), here);
        let part = data_part(&kind, &data, get("attachment_name"));
        self.media.push((object(&[("role", quoted("user")), ("content", array(&[part]))]), here));
    }

    fn output(&mut self, key: &str, words: &str, here: Place) {
        let kind = ("type", quoted("function_call_output"));
        let members = [kind, ("call_id", quoted(key)), ("output", quoted(words))];
        self.item(Beside::Result(key.to_owned()), &members, here);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::DocId;

    fn replay(rows: &str, store: bool) -> Vec<String> {
        let mut tape = Tape::new();
        scan(rows.as_bytes(), &mut tape).expect("JSON");
        let mut replay = Rows::new(store);
        let root = tape.root(rows.as_bytes()).expect("a value");
        replay.take(root, Base::new(DocId(0), 0));
        Box::new(replay).finish().items.iter().map(|item| String::from_utf8_lossy(item).into_owned()).collect()
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
                "{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"go\u{e000}\"}]}",
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
        let file = r#"{"role":"user","content":[{"type":"input_file","filename":"a.csv","file_data":"data:text/csv;base64,aGk="}]}"#;
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
                r#"{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,aGk="}]}"#,
            ]
        );
    }
}
