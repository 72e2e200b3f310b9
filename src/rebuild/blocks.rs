//! From Anthropic content blocks to Responses items: text becomes messages (that of the model, too, which the client
//! itself leaves out beside calls), calls and results become calls and outputs. Thinking is signed for another
//! provider; it is counted, and left out.

use crate::history::{Kind, Role, Row};
use crate::json::{Val, name, string};

use super::lifted::{Lifted, message, text_part};

/// Gathers the blocks of one node: outputs stand before what the user adds to them.
#[derive(Default)]
pub(super) struct Blocks {
    outputs: Vec<Vec<u8>>,
    items: Vec<Vec<u8>>,
    /// Parts of the message at hand.
    parts: Vec<Vec<u8>>,
    role: Role,
    thinking: usize,
    skipped: usize,
}

impl Blocks {
    /// Takes a block, or the text that stands for a message, or a message whose blocks have rows of their own.
    pub fn take(&mut self, row: &Row, val: Val<'_>) {
        let val = match row.kind {
            Kind::BlockMessage => match val.get(name::content).filter(Val::is_string) {
                Some(text) => text,
                None => return,
            },
            _ => val,
        };
        match row.kind {
            Kind::Message | Kind::BlockMessage | Kind::Text | Kind::Media => {
                let part = match val.text() {
                    Some(text) => (!text.is_empty()).then(|| text_part(row.role, &text)),
                    None => part(row.role, val),
                };
                let Some(part) = part else {
                    if val.is_object() && !is_blank(val) {
                        self.skipped += 1;
                    }
                    return;
                };
                if self.role != row.role {
                    self.end_message();
                }
                if self.parts.is_empty() {
                    self.role = row.role;
                }
                self.parts.push(part);
            }
            Kind::FunctionCall | Kind::ToolUse => {
                self.end_message();
                let Some(id) = raw(val, "id") else { return self.skipped += 1 };
                let name = raw(val, "name").unwrap_or(b"\"\"");
                let mut input = Vec::new();
                string::one_line(raw(val, "input").unwrap_or(b"{}"), &mut input);
                let arguments = string::quoted(&String::from_utf8_lossy(&input));
                let members: [&[u8]; 7] = [
                    b"{\"type\":\"function_call\",\"call_id\":",
                    id,
                    b",\"name\":",
                    name,
                    b",\"arguments\":",
                    &arguments,
                    b"}",
                ];
                self.items.push(members.concat());
            }
            Kind::FunctionCallOutput | Kind::ToolResult => {
                let Some(id) = raw(val, "tool_use_id") else { return self.skipped += 1 };
                let output = self.output(val.get(name::content));
                let members: [&[u8]; 5] =
                    [b"{\"type\":\"function_call_output\",\"call_id\":", id, b",\"output\":", &output, b"}"];
                self.outputs.push(members.concat());
            }
            _ => match val.get(name::r#type).and_then(|name| name.text()).as_deref() {
                Some(b"thinking" | b"redacted_thinking") => self.thinking += 1,
                _ => self.skipped += 1,
            },
        }
    }

    pub fn finish(mut self, to: &mut Lifted) {
        self.end_message();
        to.items.extend(self.outputs.into_iter().chain(self.items));
        to.thinking += self.thinking;
        to.skipped += self.skipped;
    }

    fn end_message(&mut self) {
        if !self.parts.is_empty() {
            let parts = std::mem::take(&mut self.parts);
            self.items.push(message(self.role, &parts.join(&b","[..])));
        }
    }

    /// The `output` of a result: a text, or a list where it holds more than that.
    fn output(&mut self, content: Option<Val<'_>>) -> Vec<u8> {
        let Some(content) = content else { return string::quoted("") };
        if content.is_string() {
            return content.raw().to_vec();
        }
        let texts: Vec<_> = content.elements().filter_map(|part| part.get(name::text)?.text()).collect();
        if texts.len() == content.count() as usize {
            let lines: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text)).collect();
            return string::quoted(&lines.join("\n"));
        }
        let parts: Vec<Vec<u8>> = content.elements().filter_map(|block| part(Role::User, block)).collect();
        self.skipped += (content.count() as usize).saturating_sub(parts.len());
        [b"[", &*parts.join(&b","[..]), b"]"].concat()
    }
}

fn raw<'v>(val: Val<'v>, key: &str) -> Option<&'v [u8]> {
    val.get(key).map(|val| val.raw())
}

fn is_blank(val: Val<'_>) -> bool {
    val.get(name::text).and_then(|text| text.as_str()).is_some_and(|text| text.is_empty())
}

/// A block as a part of a message or an output; `None` for what has no counterpart, and for an empty text.
fn part(role: Role, block: Val<'_>) -> Option<Vec<u8>> {
    let kind = block.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
    let source = block.get(name::source);
    let of = |key: &str| source.and_then(|source| source.get(key)?.text());
    let url = || match (of("url"), of("media_type"), of("data")) {
        (Some(url), ..) => Some(String::from_utf8_lossy(&url).into_owned()),
        (None, Some(media), Some(data)) => {
            Some(format!("data:{};base64,{}", String::from_utf8_lossy(&media), String::from_utf8_lossy(&data)))
        }
        _ => None,
    };
    let member = |text: &str| String::from_utf8_lossy(&string::quoted(text)).into_owned();
    match kind.as_ref() {
        b"text" => {
            let text = block.get(name::text)?.text().filter(|text| !text.is_empty())?;
            Some(text_part(role, &text))
        }
        b"image" => Some(format!("{{\"type\":\"input_image\",\"image_url\":{}}}", member(&url()?)).into_bytes()),
        b"document"
            if source.is_some_and(|source| source.get(name::r#type).is_some_and(|kind| kind.is("text"))) =>
        {
            Some(text_part(role, &of("data")?))
        }
        b"document" => {
            let (key, name) = match of("url") {
                Some(_) => ("file_url", String::new()),
                None => ("file_data", ",\"filename\":\"document.pdf\"".to_owned()),
            };
            Some(format!("{{\"type\":\"input_file\",\"{key}\":{}{name}}}", member(&url()?)).into_bytes())
        }
        _ => None,
    }
}
