//! The content of a request, read without any of the code that converts: texts, calls, results and media, in order, each
//! with its place. Requests of different dialects are compared by it.

use serde_json::{Value, json};

/// One item of content.
#[derive(Clone, Debug, PartialEq)]
pub struct ContentItem {
    pub kind: ContentKind,
    /// Results are the user's.
    pub speaker: Speaker,
    /// The id that pairs a call with its result, if it has one.
    pub id: Option<String>,
    /// The tool's name, of a call.
    pub name: Option<String>,
    pub value: Value,
    pub pointer: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    Text,
    Call,
    Result,
    Media,
    /// Reasoning, and values that only their own dialect has.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    System,
    User,
    Model,
}

/// The content of a request of a dialect.
pub fn of(dialect: &str, body: &Value) -> Vec<ContentItem> {
    let mut reader = ContentReader::default();
    match dialect {
        "responses" => reader.responses(body),
        "chat" => reader.chat(body),
        "anthropic" => reader.anthropic(body),
        "gemini" => reader.gemini(body),
        "bedrock" => reader.bedrock(body),
        _ => panic!("no dialect {dialect}"),
    }
    reader.items
}

#[derive(Default)]
struct ContentReader {
    items: Vec<ContentItem>,
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Arguments and results as values: the text of an object or a list is parsed.
fn normalized(value: &Value) -> Value {
    match value.as_str() {
        Some("") => json!({}),
        Some(text) => match serde_json::from_str::<Value>(text) {
            Ok(parsed) if parsed.is_object() || parsed.is_array() => parsed,
            _ => json!(text),
        },
        None => value.clone(),
    }
}

fn speaker_of(role: &Value) -> Speaker {
    match role.as_str() {
        Some("assistant" | "model") => Speaker::Model,
        Some("system" | "developer") => Speaker::System,
        _ => Speaker::User,
    }
}

/// The texts of a result's parts, and the JSON of those that are neither text nor media.
fn result_texts(parts: &[(&Value, String)]) -> Vec<Value> {
    let text = |part: &Value| match (part["text"].is_string(), media_of(part)) {
        (true, _) => Some(part["text"].clone()),
        (false, None) => Some(part.clone()),
        (false, Some(_)) => None,
    };
    parts.iter().filter_map(|(part, _)| text(part)).collect()
}

/// The elements of a list at a key, with their pointers.
fn each<'v>(value: &'v Value, pointer: &str, key: &str) -> Vec<(&'v Value, String)> {
    let list = value[key].as_array().map_or(&[][..], Vec::as_slice);
    list.iter().enumerate().map(|(n, one)| (one, format!("{pointer}/{key}/{n}"))).collect()
}

impl ContentReader {
    fn add(&mut self, kind: ContentKind, speaker: Speaker, value: Value, pointer: &str) -> &mut ContentItem {
        self.items.push(ContentItem { kind, speaker, id: None, name: None, value, pointer: pointer.to_owned() });
        self.items.last_mut().expect("it was just added")
    }

    fn add_text(&mut self, speaker: Speaker, text: &Value, pointer: &str) {
        if let Some(text) = text.as_str().filter(|text| !text.trim().is_empty()) {
            self.add(ContentKind::Text, speaker, json!(text), pointer);
        }
    }

    fn call(&mut self, id: &Value, name: &Value, input: &Value, pointer: &str) {
        let thing = self.add(ContentKind::Call, Speaker::Model, normalized(input), pointer);
        thing.id = text_of(id).filter(|id| !id.is_empty());
        thing.name = text_of(name);
    }

    /// Adds a result: its texts are joined; media in it are items of their own.
    fn result(&mut self, id: &Value, texts: &[Value], media: Vec<Value>, pointer: &str) {
        let joined = match texts {
            [only] => normalized(only),
            several => {
                let text = |value: &Value| text_of(value).unwrap_or_else(|| value.to_string());
                normalized(&json!(several.iter().map(text).collect::<Vec<_>>().join("\n")))
            }
        };
        let joined = if joined == json!({}) && texts.iter().all(|text| text == "") { json!("") } else { joined };
        self.add(ContentKind::Result, Speaker::User, joined, pointer).id = text_of(id).filter(|id| !id.is_empty());
        for data in media {
            self.add(ContentKind::Media, Speaker::User, data, pointer);
        }
    }

    fn responses(&mut self, body: &Value) {
        self.add_text(Speaker::System, &body["instructions"], "/instructions");
        self.add_text(Speaker::User, &body["input"], "/input");
        for (item, at) in each(body, "", "input") {
            match item["type"].as_str().unwrap_or("message") {
                "message" => {
                    let speaker = speaker_of(&item["role"]);
                    self.add_text(speaker, &item["content"], &at);
                    for (part, at) in each(item, &at, "content") {
                        self.part(speaker, part, &at);
                    }
                }
                "function_call" => self.call(&item["call_id"], &item["name"], &item["arguments"], &at),
                "custom_tool_call" => self.call(&item["call_id"], &item["name"], &item["input"], &at),
                "function_call_output" | "custom_tool_call_output" => {
                    let parts = each(item, &at, "output");
                    if parts.is_empty() {
                        self.result(&item["call_id"], &[item["output"].clone()], Vec::new(), &at);
                        continue;
                    }
                    let media = parts.iter().filter_map(|(part, _)| media_of(part)).collect();
                    self.result(&item["call_id"], &result_texts(&parts), media, &at);
                }
                "reasoning" if item["content"].is_array() && item["encrypted_content"].is_null() => {
                    let texts = item["content"].as_array().into_iter().flatten();
                    let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
                    self.add_reasoning(&texts.join("\n\n"), &at);
                }
                _ => {
                    self.add(ContentKind::Other, Speaker::Model, item.clone(), &at);
                }
            }
        }
    }

    /// Adds reasoning of an open model: adjacent texts of it are joined, from however many items.
    fn add_reasoning(&mut self, text: &str, pointer: &str) {
        match self
            .items
            .last_mut()
            .filter(|last| last.kind == ContentKind::Other && last.speaker == Speaker::Model)
        {
            Some(ContentItem { value: Value::String(thought), .. }) => *thought += &format!("\n\n{text}"),
            _ => {
                self.add(ContentKind::Other, Speaker::Model, json!(text), pointer);
            }
        }
    }

    fn part(&mut self, speaker: Speaker, part: &Value, at: &str) {
        match (part["text"].is_string(), part["refusal"].is_string(), media_of(part)) {
            (true, ..) => self.add_text(speaker, &part["text"], at),
            (_, true, _) => self.add_text(speaker, &part["refusal"], at),
            (.., Some(media)) => {
                self.add(ContentKind::Media, speaker, media, at);
            }
            _ => {
                self.add(ContentKind::Other, speaker, part.clone(), at);
            }
        }
    }

    fn chat(&mut self, body: &Value) {
        for (message, at) in each(body, "", "messages") {
            if message["role"] == "tool" || message["role"] == "function" {
                let parts = each(message, &at, "content");
                let texts: Vec<Value> = match parts.as_slice() {
                    [] => vec![message["content"].clone()],
                    parts => result_texts(parts),
                };
                let media = parts.iter().filter_map(|(part, _)| media_of(part)).collect();
                self.result(&message["tool_call_id"], &texts, media, &at);
                continue;
            }
            let speaker = speaker_of(&message["role"]);
            for key in ["reasoning_content", "reasoning", "reasoning_details"] {
                match &message[key] {
                    Value::String(text) if !text.is_empty() => self.add_reasoning(text, &at),
                    Value::Array(_) => {
                        self.add(ContentKind::Other, speaker, message[key].clone(), &at);
                    }
                    _ => {}
                }
            }
            self.add_text(speaker, &message["content"], &at);
            for (part, at) in each(message, &at, "content") {
                self.part(speaker, part, &at);
            }
            self.add_text(speaker, &message["refusal"], &at);
            for (call, at) in each(message, &at, "tool_calls") {
                let own = if call["custom"].is_object() { &call["custom"] } else { &call["function"] };
                let input = if own["input"].is_string() { &own["input"] } else { &own["arguments"] };
                self.call(&call["id"], &own["name"], input, &at);
            }
        }
    }

    fn anthropic(&mut self, body: &Value) {
        self.add_text(Speaker::System, &body["system"], "/system");
        for (part, at) in each(body, "", "system") {
            self.add_text(Speaker::System, &part["text"], &at);
        }
        for (message, at) in each(body, "", "messages") {
            let speaker = speaker_of(&message["role"]);
            self.add_text(speaker, &message["content"], &at);
            for (block, at) in each(message, &at, "content") {
                match block["type"].as_str().unwrap_or_default() {
                    "text" => self.add_text(speaker, &block["text"], &at),
                    "tool_use" => self.call(&block["id"], &block["name"], &block["input"], &at),
                    "tool_result" => {
                        let parts = each(block, &at, "content");
                        let texts: Vec<Value> = match parts.as_slice() {
                            [] => vec![block["content"].clone()].into_iter().filter(Value::is_string).collect(),
                            parts => result_texts(parts),
                        };
                        let texts = if texts.is_empty() { vec![json!("")] } else { texts };
                        let media = parts.iter().filter_map(|(part, _)| media_of(part)).collect();
                        self.result(&block["tool_use_id"], &texts, media, &at);
                    }
                    _ => match media_of(block) {
                        Some(media) => {
                            self.add(ContentKind::Media, speaker, media, &at);
                        }
                        None => {
                            self.add(ContentKind::Other, speaker, block.clone(), &at);
                        }
                    },
                }
            }
        }
    }

    fn gemini(&mut self, body: &Value) {
        for key in ["systemInstruction", "system_instruction"] {
            self.add_text(Speaker::System, &body[key], &format!("/{key}"));
            for (part, at) in each(&body[key], &format!("/{key}"), "parts") {
                self.add_text(Speaker::System, &part["text"], &at);
            }
        }
        for (content, at) in each(body, "", "contents") {
            let speaker = speaker_of(&content["role"]);
            for (part, at) in each(content, &at, "parts") {
                let get = |camel: &str, snake: &str| part.get(camel).or_else(|| part.get(snake)).cloned();
                if part["text"].is_string() && part["thought"] != true {
                    self.add_text(speaker, &part["text"], &at);
                } else if let Some(call) = get("functionCall", "function_call") {
                    let args = if call["args"].is_null() { json!({}) } else { call["args"].clone() };
                    self.call(&call["id"], &call["name"], &args, &at);
                } else if let Some(result) = get("functionResponse", "function_response") {
                    let response = &result["response"];
                    let only = response.as_object().filter(|object| object.len() == 1);
                    let output = only.and_then(|own| own.get("output").or_else(|| own.get("error")));
                    let text = output.filter(|text| text.is_string()).unwrap_or(response).clone();
                    self.result(&result["id"], &[text], Vec::new(), &at);
                } else if let Some(media) = media_of(part) {
                    self.add(ContentKind::Media, speaker, media, &at);
                } else {
                    self.add(ContentKind::Other, speaker, part.clone(), &at);
                }
            }
        }
    }

    fn bedrock(&mut self, body: &Value) {
        for (part, at) in each(body, "", "system") {
            self.add_text(Speaker::System, &part["text"], &at);
        }
        for (message, at) in each(body, "", "messages") {
            let speaker = speaker_of(&message["role"]);
            for (block, at) in each(message, &at, "content") {
                if block["text"].is_string() {
                    self.add_text(speaker, &block["text"], &at);
                } else if let Some(guarded) = block.pointer("/guardContent/text/text") {
                    self.add_text(speaker, guarded, &at);
                } else if block["toolUse"].is_object() && block["toolUse"]["type"] != "server_tool_use" {
                    let call = &block["toolUse"];
                    self.call(&call["toolUseId"], &call["name"], &call["input"], &at);
                } else if block["toolResult"].is_object() && speaker == Speaker::User {
                    let own = &block["toolResult"];
                    let parts = each(own, &at, "content");
                    let text = |part: &Value| match part.get("json") {
                        Some(json) => Some(json.clone()),
                        None => part.get("text").cloned(),
                    };
                    let texts: Vec<Value> = parts.iter().filter_map(|(part, _)| text(part)).collect();
                    let texts = if texts.is_empty() { vec![json!("")] } else { texts };
                    let media = parts.iter().filter_map(|(part, _)| media_of(part)).collect();
                    self.result(&own["toolUseId"], &texts, media, &at);
                } else if let Some(media) = media_of(block) {
                    self.add(ContentKind::Media, speaker, media, &at);
                } else if !block["cachePoint"].is_object() {
                    self.add(ContentKind::Other, speaker, block.clone(), &at);
                }
            }
        }
    }
}

/// The data of an image or a file, or its URL, in any dialect.
fn media_of(part: &Value) -> Option<Value> {
    let found = [
        "/image_url/url",
        "/image_url",
        "/file_url",
        "/file_data",
        "/file_id",
        "/file/file_data",
        "/file/file_id",
        "/input_audio/data",
        "/document_url",
        "/video_url/url",
        "/source/data",
        "/source/url",
        "/source/file_id",
        "/inlineData/data",
        "/inline_data/data",
        "/fileData/fileUri",
        "/file_data/file_uri",
        "/image/source/bytes",
        "/document/source/bytes",
        "/document/source/text",
        "/video/source/bytes",
        "/audio/source/bytes",
    ];
    let text = found.iter().find_map(|pointer| part.pointer(pointer)?.as_str())?;
    let data = text.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")).map(|(_, data)| data);
    // Google's base64 has the alphabet of URLs, too, and needs no padding.
    let is_url = text.contains("://");
    let plain = |text: &str| text.replace('-', "+").replace('_', "/").trim_end_matches('=').to_owned();
    Some(json!(if is_url { text.to_owned() } else { plain(data.unwrap_or(text)) }))
}
