//! Reads a log of AG2 as the messages that its client sends.
//!
//! Items of the provider are sent unchanged, once per id, without nulls and without members that only responses have.
//! Results of server tools are part of those items, and not sent again; a shell's output is an item of its own, and its
//! call is sent only with it; an image is sent only if it has a result.

use foldhash::HashSet;

use crate::dialect::log::media_from_data;
use crate::dialect::{LogReader, LogThread};
use crate::dialects::common::{nonempty_text, text};
use crate::dialects::responses::NAME;
use crate::history::Kind;
use crate::json::edit::RecordBase;
use crate::json::{Member, NodeKind, Val};
use crate::message::write::JsonWriter;
use crate::message::{
    CallInput, CallKind, Media, MediaKind, MediaSource, Part, PartKind, RawJson, ResultPart, Role, Text, ToolCall,
    ToolResult,
};
use crate::place::Place;

use super::event::Ag2Event;

/// Members that only responses have. The API refuses an item with them: "Unknown parameter: 'input[2].action'".
const ANSWERED: &[&str] = &["created_by"];
const ANSWERED_IMAGE: [&str; 7] =
    ["created_by", "action", "background", "output_format", "quality", "revised_prompt", "size"];

/// The heading of a compaction's summary.
const SUMMARY: &str = "[Summary of earlier conversation]";

/// Reads the events of a log, in order.
#[derive(Default)]
pub struct Ag2LogReader {
    log: LogThread,
    /// Ids of the items that were sent.
    sent: HashSet<Vec<u8>>,
    /// Shell calls: their keys, and places. Outputs come after their calls.
    shell_calls: Vec<(Option<Vec<u8>>, Place)>,
    answered: HashSet<Vec<u8>>,
}

impl LogReader for Ag2LogReader {
    /// Reads an event, bare or in an envelope.
    fn read(&mut self, val: Val<'_>, base: RecordBase<'_>) {
        let Some(event) = Ag2Event::of(val) else { return };
        match event.class() {
            b"ModelRequest" => {
                event.list("parts").for_each(|part| self.input(part, base));
                if let Some(words) = event.text_of("content") {
                    self.user(words, base.of(val));
                }
            }
            b"TextInput" | b"DataInput" | b"BinaryInput" | b"FileIdInput" | b"UploadedFile" | b"UrlInput" => {
                self.input(val, base);
            }
            b"CompactionSummary" => {
                let words = event.text_of("summary").unwrap_or_default();
                self.user(Text::join([&Text::new(SUMMARY), &words], "\\n"), base.of(val));
            }
            b"ModelResponse" => self.response(event, base.of(val), base),
            b"ToolResultsEvent" => event.list("results").for_each(|result| self.result(result, base)),
            b"OpenAIReasoningEvent" | b"OpenAIServerToolCallEvent" | b"OpenAIServerToolResultEvent" => {
                self.provider_item(event, base);
            }
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>) -> LogThread {
        let is_answered = |key: &Option<Vec<u8>>| key.as_ref().is_some_and(|key| self.answered.contains(key));
        let open = self.shell_calls.iter().filter(|(key, _)| !is_answered(key));
        let open: HashSet<Place> = open.map(|(_, place)| *place).collect();
        for message in &mut self.log.thread.messages {
            message.parts.retain(|part| !open.contains(&part.at.place));
        }
        self.log.thread.messages.retain(|message| !message.parts.is_empty());
        for (_, place) in self.shell_calls.iter().filter(|(_, place)| open.contains(place)) {
            self.log.omit_unanswered(*place, "the shell call has no result");
        }
        self.log
    }
}

impl Ag2LogReader {
    fn user(&mut self, words: Text, place: Place) {
        self.log.add_message(Role::User, [Part::text(words, place.into())]);
    }

    fn input(&mut self, val: Val<'_>, base: RecordBase<'_>) {
        let at = base.of(val);
        match Ag2Event::of(val).and_then(input) {
            Some(input) => self.log.add_message(Role::User, [Part::new(input, at.into())]),
            None => self.log.omit(at, "this input has no content that can be sent"),
        }
    }

    fn response(&mut self, event: Ag2Event<'_>, here: Place, base: RecordBase<'_>) {
        if let Some(text) = event.get("message").and_then(|message| nonempty_text(message, "content")) {
            self.log.add_answer(text_part(text), here);
        }
        let calls = event.get("tool_calls").and_then(|calls| calls.get("calls"));
        for call in calls.into_iter().flat_map(|calls| calls.elements()) {
            let made = ToolCall {
                id: text(call, "id").unwrap_or_default(),
                has_synthetic_id: false,
                name: text(call, "name").unwrap_or_default(),
                input: CallInput::Text(text(call, "arguments").unwrap_or_else(|| Text::new("{}"))),
                kind: CallKind::Function,
            };
            self.log.add_answer(PartKind::Call(made), base.of(call));
        }
        self.log.end_response();
    }

    fn result(&mut self, result: Val<'_>, base: RecordBase<'_>) {
        let Some(id) = text(result, "parent_id") else {
            return self.log.omit(base.of(result), "it is not known what it answers");
        };
        // A failed tool's result contains the traceback that the model saw; older logs contain only the error.
        let shown = result.get("result").is_some_and(|result| parts_of(result).next().is_some());
        let parts = match result.get("error").filter(|_| !shown) {
            Some(error) => {
                let words = Text::of_val(error).or_else(|| text(error, "message")).unwrap_or_default();
                vec![ResultPart::Text(words)]
            }
            None => {
                let parts = result.get("result").into_iter().flat_map(parts_of);
                let at = base.of(result).into();
                let parts = parts.filter_map(input).filter_map(|part| match part {
                    PartKind::Text { text, .. } => Some(ResultPart::Text(text)),
                    PartKind::Media(media) => Some(ResultPart::Media(media, at)),
                    _ => None,
                });
                parts.collect()
            }
        };
        let kind = CallKind::Function;
        let is_error = result.get("error").is_some_and(|error| !error.is_null());
        self.log.add_result(ToolResult { id, name: None, parts, is_error, kind }, base.of(result));
    }

    /// Reads an item of the provider.
    fn provider_item(&mut self, event: Ag2Event<'_>, base: RecordBase<'_>) {
        if let Some(printed) = event.printed_item() {
            return self.log.omit(base.of(printed), "only the printed form of the item was stored");
        }
        let Some(item) = event.item() else { return };
        let kind =
            item.get("type").and_then(|name| name.text()).map_or(Kind::Unknown, |name| Kind::of_type(&name));
        let plain = |key: &str| nonempty_text(item, key).map(|text| text.plain().into_owned());
        if kind == Kind::ShellCallOutput {
            self.answered.extend(plain("call_id"));
        }
        if event.class() == b"OpenAIServerToolResultEvent" && !kind.is_output() {
            return;
        }
        if item.get("id").and_then(|id| id.text()).is_some_and(|id| !self.sent.insert(id.into_owned())) {
            return;
        }
        let here = base.of(item);
        match kind {
            Kind::ImageGenerationCall if plain("result").is_none() => {
                return self.log.omit_unanswered(here, "the image has no result");
            }
            Kind::ShellCall => self.shell_calls.push((plain("call_id"), here)),
            _ => {}
        }
        let answered_only = if kind == Kind::ImageGenerationCall { &ANSWERED_IMAGE[..] } else { ANSWERED };
        let raw = RawJson::build(here, |w| write_without(item, answered_only, w));
        self.log.push(Role::Assistant, Part::verbatim(NAME, raw, here));
    }
}

/// Writes a value without nulls, and without the members of these names.
fn write_without(val: Val<'_>, names: &[&str], w: &mut JsonWriter<'_>) {
    let goes =
        |member: &Member<'_>| member.val.is_null() || names.iter().any(|name| member.key.is(name.as_bytes()));
    match val.kind() {
        NodeKind::Object => w.object(|w| {
            for member in val.members().filter(|member| !goes(member)) {
                write_without(member.val, &[], w.key(&String::from_utf8_lossy(member.key.raw)));
            }
        }),
        NodeKind::Array => w.array(|w| val.elements().for_each(|element| write_without(element, &[], w))),
        _ => w.bytes(val.raw()),
    }
}

/// True if a file has the extension of an image that the API accepts.
fn is_image_name(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["png", "jpg", "jpeg", "gif", "webp"].iter().any(|image| ending.eq_ignore_ascii_case(image))
}

/// The part of an input; `None` if it has no content that can be sent.
fn input(event: Ag2Event<'_>) -> Option<PartKind> {
    let get = |key: &str| event.text_of(key).filter(|text| !text.is_empty());
    let is_image = event.text("kind").is_some_and(|kind| kind.eq_ignore_ascii_case("image"));
    let kind = |is_image: bool| if is_image { MediaKind::Image } else { MediaKind::File };
    let media = match event.class() {
        b"TextInput" => return Some(text_part(event.text_of("content")?)),
        b"DataInput" => return Some(text_part(RawJson::of(event.get("data")?).to_text())),
        b"BinaryInput" => {
            let data = event.get("data")?;
            let data = Text::of_val(data).or_else(|| text(data, "__bytes__"))?;
            media_from_data(get("media_type"), data, get("filename"))
        }
        // A file of the provider has a name there, and one by URL must have none.
        b"FileIdInput" | b"UploadedFile" => {
            let uploaded = event.class() == b"UploadedFile";
            let named_so = uploaded && event.text("filename").is_some_and(|name| is_image_name(&name));
            Media::new(kind(is_image || named_so), MediaSource::Id(get("file_id")?, NAME))
        }
        b"UrlInput" => Media::new(kind(is_image), MediaSource::Url(get("url")?)),
        _ => return None,
    };
    Some(media.into())
}

fn text_part(text: Text) -> PartKind {
    PartKind::Text { text, citations: None }
}

/// The parts of a result, whichever marker it has.
fn parts_of(result: Val<'_>) -> impl Iterator<Item = Ag2Event<'_>> {
    let inner = result.get("data").filter(Val::is_object).unwrap_or(result);
    inner.get("parts").into_iter().flat_map(|parts| parts.elements()).filter_map(Ag2Event::of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::write_lines;
    use crate::dialects::responses::RESPONSES;
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
        let mut reader = Ag2LogReader::default();
        root.elements().for_each(|event| reader.read(event, RecordBase::new(DocId(0), 0)));
        let mut lines = Vec::new();
        write_lines(&RESPONSES, &Box::new(reader).finish().thread, &mut lines);
        String::from_utf8_lossy(&lines).lines().map(str::to_owned).collect()
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
        let user = |part: &str| {
            format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_file",{part}}}]}}"#)
        };
        let expected = [
            format!("{{{page}}}"),
            format!("{{{code}}}"),
            user(r#""file_id":"file_1""#),
            user(r#""file_url":"https://x""#),
        ];
        // Members keep the order of the item.
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
        let user = |content: &str| format!(r#"{{"type":"message","role":"user","content":{content}}}"#);
        assert_eq!(
            made,
            [
                user(r#""21 C""#),
                user(r#"[{"type":"input_file","filename":"file.pdf","file_data":"data:application/pdf;base64,aGk="}]"#),
                user(r#"[{"type":"input_image","image_url":"https://x"}]"#),
                user(r#""[Summary of earlier conversation]\nSo far""#),
                r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look"}]}"#.to_owned(),
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
        let user = |content: &str| format!(r#"{{"type":"message","role":"user","content":{content}}}"#);
        assert_eq!(
            made,
            [
                user(r#"[{"type":"input_image","image_url":"https://x/a.png"}]"#),
                user(r#"[{"type":"input_file","file_id":"file_1"}]"#),
                user(r#"[{"type":"input_image","file_id":"file_2"}]"#),
                r#"{"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"https://x/a.png"},{"type":"input_file","file_url":"https://x/a.pdf"}]}"#.to_owned(),
                r#"{"type":"function_call_output","call_id":"b","output":"Traceback: no"}"#.to_owned(),
            ]
        );
    }
}
