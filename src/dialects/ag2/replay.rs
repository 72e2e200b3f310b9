//! How a log of AG2 is replayed: events become items of the Responses API.
//!
//! What the provider made is sent as it was, once an id, without nulls and without what only an answer has. Results of
//! what it ran are part of those items, and are not sent again; a shell's output is an item of its own, and its call is
//! sent only with it; an image is sent only if it is there.

use std::collections::HashSet;

use crate::dialect::{Replay, Replayed};
use crate::history::Kind;
use crate::json::edit::Base;
use crate::json::{NodeKind, Val};
use crate::place::Place;

use super::event::Ag2Event;
use crate::dialects::replay::{array, data_part, object, quoted, raw, text, text_part};

/// Fields that only answers have. With them the API refuses an item: "Unknown parameter: 'input[2].action'".
const ANSWERED: &[&str] = &["created_by"];
const ANSWERED_IMAGE: [&str; 7] =
    ["created_by", "action", "background", "output_format", "quality", "revised_prompt", "size"];

/// What comes before the summary of a compaction.
const SUMMARY: &str = "[Summary of earlier conversation]\n";

/// Replays the events of a log, in order. Outputs of shells come after their calls, so their keys are known before them.
#[derive(Debug, Default)]
pub struct Events {
    made: Replayed,
    /// Ids of the items that were sent.
    sent: HashSet<Vec<u8>>,
    /// Keys of shell outputs.
    answered: HashSet<Vec<u8>>,
}

impl Replay for Events {
    /// Takes the key of a shell's output, if an event holds one.
    fn tell(&mut self, event: Val<'_>) {
        let item = Ag2Event::of(event).and_then(|event| event.item());
        if let Some(item) = item.filter(|item| kind_of(*item) == Kind::ShellCallOutput) {
            self.answered.extend(item.get("call_id").and_then(|key| key.text()).map(|key| key.into_owned()));
        }
    }

    /// Replays an event, bare or in an envelope.
    fn take(&mut self, val: Val<'_>, base: Base<'_>) {
        let Some(event) = Ag2Event::of(val) else { return };
        match event.class() {
            b"ModelRequest" => {
                event.list("parts").for_each(|part| self.input(part, base));
                if let Some(words) = event.get("content").and_then(text) {
                    self.user(text_part("input_text", &words), base.of(val));
                }
            }
            b"TextInput" | b"DataInput" | b"BinaryInput" | b"FileIdInput" | b"UploadedFile" | b"UrlInput" => {
                self.input(val, base);
            }
            b"CompactionSummary" => {
                let words = event.get("summary").and_then(text).unwrap_or_default();
                self.user(text_part("input_text", &format!("{SUMMARY}{words}")), base.of(val));
            }
            b"ModelResponse" => self.response(event, base.of(val), base),
            b"ToolResultsEvent" => event.list("results").for_each(|result| self.result(result, base)),
            b"OpenAIReasoningEvent" | b"OpenAIServerToolCallEvent" | b"OpenAIServerToolResultEvent" => {
                self.provider_item(event, base);
            }
            _ => {}
        }
    }

    fn finish(self: Box<Self>) -> Replayed {
        self.made
    }
}

impl Events {
    fn user(&mut self, part: Vec<u8>, here: Place) {
        self.made.item(&[("role", quoted("user")), ("content", array(&[part]))], here);
    }

    fn input(&mut self, val: Val<'_>, base: Base<'_>) {
        match Ag2Event::of(val).and_then(input_part) {
            Some(part) => self.user(part, base.of(val)),
            None => self.made.leave(val, base, "this input has no content that can be sent"),
        }
    }

    fn response(&mut self, event: Ag2Event<'_>, here: Place, base: Base<'_>) {
        let words = event.get("message").and_then(|message| message.get("content")).and_then(text);
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            let said = array(&[text_part("output_text", &words)]);
            self.made.item(&[("role", quoted("assistant")), ("content", said)], here);
        }
        let calls = event.get("tool_calls").and_then(|calls| calls.get("calls"));
        for call in calls.into_iter().flat_map(|calls| calls.elements()) {
            let get = |key: &str| call.get(key).filter(Val::is_string).map(raw);
            let members = [
                ("type", quoted("function_call")),
                ("call_id", get("id").unwrap_or_else(|| quoted(""))),
                ("name", get("name").unwrap_or_else(|| quoted(""))),
                ("arguments", get("arguments").unwrap_or_else(|| quoted("{}"))),
            ];
            self.made.item(&members, base.of(call));
        }
        self.made.end_of_response();
    }

    fn result(&mut self, result: Val<'_>, base: Base<'_>) {
        let Some(key) = result.get("parent_id").filter(Val::is_string) else {
            return self.made.leave(result, base, "it is not known what it answers");
        };
        // A failed tool's result holds what the model was shown, the traceback; older logs hold the error alone.
        let shown = result.get("result").is_some_and(|result| parts_of(result).next().is_some());
        let output = match result.get("error").filter(|_| !shown) {
            Some(error) => quoted(&text(error).or(error.get("message").and_then(text)).unwrap_or_default()),
            None => output(result),
        };
        let kind = ("type", quoted("function_call_output"));
        self.made.item(&[kind, ("call_id", raw(key)), ("output", output)], base.of(result));
    }

    /// An item that the provider made.
    fn provider_item(&mut self, event: Ag2Event<'_>, base: Base<'_>) {
        if let Some(printed) = event.printed_item() {
            return self.made.leave(printed, base, "only the printed form of the item was stored");
        }
        let Some(item) = event.item() else { return };
        let kind = kind_of(item);
        if event.class() == b"OpenAIServerToolResultEvent" && !kind.is_output() {
            return;
        }
        let id = item.get("id").and_then(|id| id.text()).map(|id| id.into_owned());
        if id.is_some_and(|id| !self.sent.insert(id)) {
            return;
        }
        let text = |key: &str| item.get(key).and_then(|val| val.text()).filter(|text| !text.is_empty());
        let answered_only = match kind {
            Kind::ImageGenerationCall if text("result").is_none() => {
                return self.made.leave_unanswered(item, base, "the image has no result");
            }
            Kind::ShellCall if !text("call_id").is_some_and(|key| self.answered.contains(key.as_ref())) => {
                return self.made.leave_unanswered(item, base, "nothing answered the shell call");
            }
            Kind::ImageGenerationCall => &ANSWERED_IMAGE[..],
            _ => ANSWERED,
        };
        let members = item.members().filter(|member| !member.val.is_null());
        let kept: Vec<Vec<u8>> = members
            .filter(|member| !answered_only.iter().any(|key| member.key.is(key.as_bytes())))
            .map(|member| [b"\"", member.key.raw, b"\":", &*without_nulls(member.val)].concat())
            .collect();
        self.made.add([b"{", &*kept.join(&b","[..]), b"}"].concat(), base.of(item));
    }
}

fn kind_of(item: Val<'_>) -> Kind {
    item.get("type").and_then(|name| name.text()).map_or(Kind::Unknown, |name| Kind::of_type(&name))
}

/// A value as it stands, without the members that say nothing.
fn without_nulls(val: Val<'_>) -> Vec<u8> {
    match val.kind() {
        NodeKind::Object => {
            let members = val.members().filter(|member| !member.val.is_null());
            let kept: Vec<Vec<u8>> = members
                .map(|member| [b"\"", member.key.raw, b"\":", &*without_nulls(member.val)].concat())
                .collect();
            [b"{", &*kept.join(&b","[..]), b"}"].concat()
        }
        NodeKind::Array => array(&val.elements().map(without_nulls).collect::<Vec<_>>()),
        _ => val.raw().to_vec(),
    }
}

/// Whether a file's name says that it is an image that the API takes.
fn names_image(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["png", "jpg", "jpeg", "gif", "webp"].iter().any(|image| ending.eq_ignore_ascii_case(image))
}

/// A part of what a user gives, or of what a tool returned.
fn input_part(event: Ag2Event<'_>) -> Option<Vec<u8>> {
    let get = |key: &str| event.text(key).filter(|text| !text.is_empty());
    let is_image = get("kind").is_some_and(|kind| kind.eq_ignore_ascii_case("image"));
    match event.class() {
        b"TextInput" => Some(text_part("input_text", &event.get("content").and_then(text)?)),
        b"DataInput" => Some(text_part("input_text", &String::from_utf8_lossy(&raw(event.get("data")?)))),
        b"BinaryInput" => {
            let data = event.get("data")?;
            let data = text(data).or_else(|| data.get("__bytes__").and_then(text))?;
            Some(data_part(&get("media_type").unwrap_or_default(), &data, get("filename")))
        }
        // A file that lies at the provider brings its own name, and one at an address must bring none.
        b"FileIdInput" | b"UploadedFile" => {
            let named_so =
                event.class() == b"UploadedFile" && get("filename").is_some_and(|name| names_image(&name));
            let kind = if is_image || named_so { "input_image" } else { "input_file" };
            Some(object(&[("type", quoted(kind)), ("file_id", quoted(&get("file_id")?))]))
        }
        b"UrlInput" if is_image => {
            Some(object(&[("type", quoted("input_image")), ("image_url", quoted(&get("url")?))]))
        }
        b"UrlInput" => Some(object(&[("type", quoted("input_file")), ("file_url", quoted(&get("url")?))])),
        _ => None,
    }
}

/// The parts of a result, whichever marker it has.
fn parts_of(result: Val<'_>) -> impl Iterator<Item = Ag2Event<'_>> {
    let inner = result.get("data").filter(Val::is_object).unwrap_or(result);
    inner.get("parts").into_iter().flat_map(|parts| parts.elements()).filter_map(Ag2Event::of)
}

/// What a tool returned: a single text as such, else a list of parts.
fn output(result: Val<'_>) -> Vec<u8> {
    let parts: Vec<Ag2Event<'_>> = result.get("result").into_iter().flat_map(parts_of).collect();
    match parts.as_slice() {
        [] => quoted(""),
        [only] if only.class() == b"TextInput" => only.get("content").map_or_else(|| quoted(""), raw),
        [only] if only.class() == b"DataInput" => quoted(
            &only.get("data").map(|data| String::from_utf8_lossy(&raw(data)).into_owned()).unwrap_or_default(),
        ),
        several => array(&several.iter().copied().filter_map(input_part).collect::<Vec<_>>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Tape, scan};
    use crate::place::DocId;

    /// Events are given by class and fields.
    fn replay(events: &[(&str, &str)]) -> Vec<String> {
        let one = |(class, fields): &(&str, &str)| {
            format!(r#"{{"type":"ag2.config.openai.events.{class}","data":{{{fields}}}}}"#)
        };
        let log = format!("[{}]", events.iter().map(one).collect::<Vec<_>>().join(","));
        let mut tape = Tape::new();
        scan(log.as_bytes(), &mut tape).expect("JSON");
        let root = tape.root(log.as_bytes()).expect("a value");
        let mut replay = Events::default();
        root.elements().for_each(|event| replay.tell(event));
        root.elements().for_each(|event| replay.take(event, Base::new(DocId(0), 0)));
        Box::new(replay).finish().items.iter().map(|item| String::from_utf8_lossy(item).into_owned()).collect()
    }

    #[test]
    fn items_of_the_provider_go_once_without_nulls_and_their_results_never() {
        let reasoning = r#""content":"a","item":{"__pydantic__":"R","data":{"id":"rs_1","summary":[{"type":"summary_text","text":"a","x":null}],"type":"reasoning","content":null,"encrypted_content":"gA","status":null}}"#;
        let search = r#""id":"ws_1","item":{"__pydantic__":"W","data":{"id":"ws_1","action":{"type":"search","query":null},"created_by":"x","type":"web_search_call"}}"#;
        let made = replay(&[
            ("OpenAIReasoningEvent", reasoning),
            ("OpenAIReasoningEvent", reasoning),
            ("OpenAIServerToolCallEvent", search),
            ("OpenAIServerToolResultEvent", r#""parent_id":"ws_1","result":{}"#),
            ("OpenAIServerToolCallEvent", r#""id":"ws_2","item":"Printed(id='ws_2')""#),
        ]);
        assert_eq!(
            made,
            [
                r#"{"id":"rs_1","summary":[{"type":"summary_text","text":"a"}],"type":"reasoning","encrypted_content":"gA"}"#,
                r#"{"id":"ws_1","action":{"type":"search"},"type":"web_search_call"}"#,
            ]
        );
    }

    #[test]
    fn a_shell_call_needs_its_output_and_an_image_its_result() {
        let item = |text: &str| format!(r#""id":"x","item":{{"__pydantic__":"X","data":{{{text}}}}}"#);
        let shell = |key: &str| item(&format!(r#""id":"sh_{key}","call_id":"{key}","type":"shell_call""#));
        let output = item(r#""id":"sho_a","call_id":"a","output":[],"type":"shell_call_output""#);
        let image =
            r#""id":"ig_1","type":"image_generation_call","status":"completed","size":"1x1","result":"aGk=""#;
        let made = replay(&[
            ("OpenAIServerToolCallEvent", &shell("a")),
            ("OpenAIServerToolResultEvent", &output),
            ("OpenAIServerToolCallEvent", &shell("b")),
            ("OpenAIServerToolCallEvent", &item(image)),
            ("OpenAIServerToolCallEvent", &item(r#""id":"ig_2","type":"image_generation_call","result":null"#)),
        ]);
        assert_eq!(
            made,
            [
                r#"{"id":"sh_a","call_id":"a","type":"shell_call"}"#,
                r#"{"id":"sho_a","call_id":"a","output":[],"type":"shell_call_output"}"#,
                r#"{"id":"ig_1","type":"image_generation_call","status":"completed","result":"aGk="}"#,
            ]
        );
    }

    #[test]
    fn actions_and_failures_of_the_provider_go_as_they_were() {
        let item = |text: &str| format!(r#""id":"x","item":{{"__pydantic__":"X","data":{{{text}}}}}"#);
        let page = r#""id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"find_in_page","url":"https://x","pattern":"p"}"#;
        let code = r#""id":"ci_1","type":"code_interpreter_call","status":"failed","container_id":"c","code":"""#;
        let tool = |fields: &str| format!(r#""parts":[{{"__event__":"ag2.events.input_events.{fields}}}]"#);
        let made = replay(&[
            ("OpenAIServerToolCallEvent", &item(page)),
            ("OpenAIServerToolCallEvent", &item(&format!("{code},\"outputs\":null"))),
            ("ModelRequest", &tool(r#"FileIdInput","file_id":"file_1","filename":"a.pdf""#)),
            ("ModelRequest", &tool(r#"UrlInput","url":"https://x","kind":"document""#)),
            ("ModelRequest", &tool(r#"UrlInput","url":"","kind":"document""#)),
        ]);
        let user = |part: &str| format!(r#"{{"role":"user","content":[{{"type":"input_file",{part}}}]}}"#);
        let expected = [
            format!("{{{page}}}"),
            format!("{{{code}}}"),
            user(r#""file_id":"file_1""#),
            user(r#""file_url":"https://x""#),
        ];
        // Members stand in the order of the item.
        assert_eq!(made, expected);
    }

    #[test]
    fn messages_calls_and_results_take_the_form_of_the_api() {
        let part =
            |class: &str, fields: &str| format!(r#"{{"__event__":"ag2.events.input_events.{class}",{fields}}}"#);
        let result = |key: &str, parts: &[String]| {
            let parts = parts.join(",");
            format!(
                r#"{{"parent_id":"{key}","name":"f","result":{{"__dataclass__":"T","data":{{"parts":[{parts}]}}}}}}"#
            )
        };
        let words = part("TextInput", r#""content":"21 C""#);
        let image = part("BinaryInput", r#""data":{"__bytes__":"aGk="},"media_type":"image/png""#);
        let file = part("BinaryInput", r#""data":{"__bytes__":"aGk="},"media_type":"application/pdf""#);
        let url = part("UrlInput", r#""url":"https://x","kind":"image""#);
        let made = replay(&[
            ("ModelRequest", &format!(r#""parts":[{words},{file},{url}]"#)),
            ("CompactionSummary", r#""summary":"So far""#),
            (
                "ModelResponse",
                r#""tool_calls":{"calls":[{"id":"a","name":"f","arguments":"{\"x\":1}"}]},"message":{"content":"I look"}"#,
            ),
            ("ToolCallsEvent", r#""calls":[{"id":"a","name":"f","arguments":"{}"}]"#),
            (
                "ToolResultsEvent",
                &format!(
                    r#""results":[{},{},{{"parent_id":"c","error":{{"__exception__":"E","message":"no"}}}}]"#,
                    result("a", std::slice::from_ref(&words)),
                    result("b", &[words.clone(), image])
                ),
            ),
        ]);
        let user = |part: &str| format!(r#"{{"role":"user","content":[{part}]}}"#);
        assert_eq!(
            made,
            [
                user(r#"{"type":"input_text","text":"21 C"}"#),
                user(r#"{"type":"input_file","filename":"file.pdf","file_data":"data:application/pdf;base64,aGk="}"#),
                user(r#"{"type":"input_image","image_url":"https://x"}"#),
                user(r#"{"type":"input_text","text":"[Summary of earlier conversation]\nSo far"}"#),
                r#"{"role":"assistant","content":[{"type":"output_text","text":"I look"}]}"#.to_owned(),
                r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x\":1}"}"#.to_owned(),
                r#"{"type":"function_call_output","call_id":"a","output":"21 C"}"#.to_owned(),
                r#"{"type":"function_call_output","call_id":"b","output":[{"type":"input_text","text":"21 C"},{"type":"input_image","image_url":"data:image/png;base64,aGk="}]}"#.to_owned(),
                r#"{"type":"function_call_output","call_id":"c","output":"no"}"#.to_owned(),
            ]
        );
    }

    #[test]
    fn later_versions_mark_enums_keep_uploads_and_show_the_traceback() {
        let part =
            |class: &str, fields: &str| format!(r#"{{"__event__":"ag2.events.input_events.{class}",{fields}}}"#);
        let kind =
            |kind: &str| format!(r#""kind":{{"__enum__":"ag2.events.input_events.BinaryType","value":"{kind}"}}"#);
        let image = part("UrlInput", &format!(r#""url":"https://x/a.png",{}"#, kind("image")));
        let page = part("UrlInput", &format!(r#""url":"https://x/a.pdf",{}"#, kind("document")));
        let upload = |fields: &str| format!(r#"{{"__event__":"ag2.files.types.UploadedFile",{fields}}}"#);
        let (report, photo) = (
            upload(r#""file_id":"file_1","filename":"a.pdf""#),
            upload(r#""file_id":"file_2","filename":"a.PNG""#),
        );
        let traceback = part("TextInput", r#""content":"Traceback: no""#);
        let failed = format!(
            r#"{{"__event__":"ag2.events.tool_events.ToolErrorEvent","parent_id":"b","name":"f","error":{{"__exception__":"E","message":"no"}},"result":{{"__event__":"T","parts":[{traceback}]}}}}"#
        );
        let shown = format!(r#"{{"parent_id":"a","name":"f","result":{{"parts":[{image},{page}]}}}}"#);
        let made = replay(&[
            ("ModelRequest", &format!(r#""parts":[{image},{report},{photo}]"#)),
            ("ToolResultsEvent", &format!(r#""results":[{shown},{failed}]"#)),
        ]);
        let user = |part: &str| format!(r#"{{"role":"user","content":[{part}]}}"#);
        assert_eq!(
            made,
            [
                user(r#"{"type":"input_image","image_url":"https://x/a.png"}"#),
                user(r#"{"type":"input_file","file_id":"file_1"}"#),
                user(r#"{"type":"input_image","file_id":"file_2"}"#),
                r#"{"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"https://x/a.png"},{"type":"input_file","file_url":"https://x/a.pdf"}]}"#.to_owned(),
                r#"{"type":"function_call_output","call_id":"b","output":"Traceback: no"}"#.to_owned(),
            ]
        );
    }
}
