//! The frame that iterate's openai-ws provider sends for a request: a `response.create` of the Responses API over a
//! WebSocket, whose instructions and input are made from the same messages.

use crate::formats::member;
use crate::history::Role;
use crate::json::{Tape, Val, name, scan, string};
use crate::target::Thinking;
use crate::targets;

/// Members of a frame in order: keys, and values as JSON.
pub type FrameMembers = Vec<(String, Vec<u8>)>;

/// The provider's default instructions.
const INSTRUCTIONS: &str = "You are a helpful assistant.";

/// Settings of request frames, by the events of a stream so far.
#[derive(Default)]
pub struct RequestFrame {
    model: Option<String>,
    /// True if the configuration makes requests continue the previous response.
    chains: bool,
    response: Option<String>,
}

impl RequestFrame {
    /// Updates the settings by an event.
    pub fn observe(&mut self, kind: &[u8], event: Val<'_>) {
        let Some(payload) = event.get(name::payload).filter(|_| is_openai_ws(kind)) else { return };
        if kind.ends_with(b"/config-updated") {
            self.model = text(payload, "model").or(self.model.take());
            let chains = payload.members().find(|member| {
                let key = String::from_utf8_lossy(&member.key.decode()).to_ascii_lowercase();
                key.contains("previousresponse") || key.contains("previous_response")
            });
            self.chains = chains.map_or(self.chains, |member| member.val.as_bool() == Some(true));
        } else if kind.ends_with(b"/llm-request-completed") {
            let result = payload.get(name::result);
            let id = text(payload, "responseId").or_else(|| text(result?, "responseId"));
            self.response = id.or_else(|| text(result?, "providerResponseId")).or(self.response.take());
        }
    }

    /// Writes the frame. `sent` has the members of the frame that was sent, except those with the history.
    pub fn write(&self, messages: &[Vec<u8>], sent: Option<FrameMembers>, model: Option<&str>) -> Vec<u8> {
        let (instructions, input) = instructions_and_input(messages);
        let mut members = sent.unwrap_or_else(|| self.members(model));
        let at = members.iter().position(|(key, _)| key == "model").map_or(1.min(members.len()), |ix| ix + 1);
        members.insert(at, ("instructions".to_owned(), instructions));
        members.insert(at + 1, ("input".to_owned(), input));
        let lines: Vec<Vec<u8>> =
            members.iter().map(|(key, value)| [&*string::quoted(key), b":", value].concat()).collect();
        [b"{", &*lines.join(&b","[..]), b"}\n"].concat()
    }

    fn members(&self, model: Option<&str>) -> FrameMembers {
        let model = self.model.as_deref().or(model);
        let mut members: FrameMembers = vec![("type".to_owned(), string::quoted("response.create"))];
        members.extend(model.map(|model| ("model".to_owned(), string::quoted(model))));
        members.push(("store".to_owned(), b"false".to_vec()));
        // A model without reasoning rejects this member.
        let openai = targets::by_name("openai");
        let reasons = openai.zip(model).is_none_or(|(target, model)| target.thinking(model) != Thinking::Never);
        if reasons {
            members.push(("reasoning".to_owned(), br#"{"summary":"auto"}"#.to_vec()));
        }
        if let Some(id) = self.response.as_ref().filter(|_| self.chains) {
            members.push(("previous_response_id".to_owned(), string::quoted(id)));
        }
        members
    }
}

fn is_openai_ws(kind: &[u8]) -> bool {
    memchr::memmem::find(kind, b"/openai-ws/").is_some()
}

fn text(val: Val<'_>, key: &str) -> Option<String> {
    member::text(val, key).map(String::from)
}

/// The members of a frame that was sent, except those with the history.
pub fn sent_members(kind: &[u8], event: Val<'_>) -> Option<FrameMembers> {
    if !is_openai_ws(kind) || !kind.ends_with(b"/websocket-message-sent") {
        return None;
    }
    let message = event.at(&["payload", "message"])?;
    let read = |message: Val<'_>| {
        let members =
            message.members().filter(|member| !member.key.is(b"input") && !member.key.is(b"instructions"));
        let members: FrameMembers = members
            .map(|member| {
                let mut value = Vec::new();
                string::one_line(member.val.raw(), &mut value);
                (String::from_utf8_lossy(&member.key.decode()).into_owned(), value)
            })
            .collect();
        members.iter().any(|(key, _)| key == "type").then_some(members)
    };
    let Some(text) = message.text() else { return read(message) };
    let mut tape = Tape::new();
    scan(&text, &mut tape).ok()?;
    read(tape.root(&text)?)
}

/// Instructions and input of a frame as JSON, with one item per line.
fn instructions_and_input(messages: &[Vec<u8>]) -> (Vec<u8>, Vec<u8>) {
    let (mut instructions, mut input) = (Vec::new(), Vec::new());
    let mut tape = Tape::new();
    for message in messages {
        let Some(val) = scan(message, &mut tape).ok().and_then(|()| tape.root(message)) else { continue };
        let (Some(role), Some(content)) =
            (val.get(name::role).and_then(|role| role.text()), val.get(name::content))
        else {
            continue;
        };
        let kind = match Role::of(&role) {
            Role::System => {
                instructions.extend(content.text().map(|text| String::from_utf8_lossy(&text).into_owned()));
                continue;
            }
            Role::Assistant => "output_text",
            _ => "input_text",
        };
        let role = String::from_utf8_lossy(&role).into_owned();
        let head =
            format!("{{\"type\":\"message\",\"role\":\"{role}\",\"content\":[{{\"type\":\"{kind}\",\"text\":");
        input.push([head.as_bytes(), content.raw(), b"}]}"].concat());
    }
    let instructions = match instructions.is_empty() {
        true => string::quoted(INSTRUCTIONS),
        false => string::quoted(&instructions.join("\n\n")),
    };
    let input = match input.is_empty() {
        true => b"[]".to_vec(),
        false => [b"[\n  ", &*input.join(&b",\n  "[..]), b"\n]"].concat(),
    };
    (instructions, input)
}
