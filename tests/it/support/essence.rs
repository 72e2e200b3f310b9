//! What a request says, read without any of the code that converts: texts, calls, results and media, in order, each with
//! its place. What two requests of different dialects share is compared by this.

use serde_json::{Value, json};

/// One thing that a request says.
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    pub what: What,
    /// `system`, `user` or `assistant`; results are the user's.
    pub side: Side,
    /// The id that pairs a call with its result, if it has one.
    pub id: Option<String>,
    /// Of a call.
    pub name: Option<String>,
    pub value: Value,
    pub pointer: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Text,
    Call,
    Result,
    Media,
    /// Reasoning, and what only its own dialect has.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    System,
    User,
    Model,
}

/// Everything that a request of the dialect says.
pub fn of(dialect: &str, body: &Value) -> Vec<Thing> {
    let mut reader = Reader::default();
    match dialect {
        "responses" => reader.responses(body),
        "chat" => reader.chat(body),
        "anthropic" => reader.anthropic(body),
        "gemini" => reader.gemini(body),
        "bedrock" => reader.bedrock(body),
        _ => panic!("no dialect {dialect}"),
    }
    reader.things
}

#[derive(Default)]
struct Reader {
    things: Vec<Thing>,
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Arguments and results are the same whether they stand as a value or as its text.
fn same(value: &Value) -> Value {
    match value.as_str() {
        Some("") => json!({}),
        Some(text) => match serde_json::from_str::<Value>(text) {
            Ok(parsed) if parsed.is_object() || parsed.is_array() => parsed,
            _ => json!(text),
        },
        None => value.clone(),
    }
}

fn side_of(role: &Value) -> Side {
    match role.as_str() {
        Some("assistant" | "model") => Side::Model,
        Some("system" | "developer") => Side::System,
        _ => Side::User,
    }
}

/// What the parts of a result say: texts, and of what is neither text nor media the JSON.
fn said(parts: &[(&Value, String)]) -> Vec<Value> {
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

impl Reader {
    fn add(&mut self, what: What, side: Side, value: Value, pointer: &str) -> &mut Thing {
        self.things.push(Thing { what, side, id: None, name: None, value, pointer: pointer.to_owned() });
        self.things.last_mut().expect("it was just added")
    }

    fn say(&mut self, side: Side, text: &Value, pointer: &str) {
        if let Some(text) = text.as_str().filter(|text| !text.trim().is_empty()) {
            self.add(What::Text, side, json!(text), pointer);
        }
    }

    fn call(&mut self, id: &Value, name: &Value, input: &Value, pointer: &str) {
        let thing = self.add(What::Call, Side::Model, same(input), pointer);
        thing.id = text_of(id).filter(|id| !id.is_empty());
        thing.name = text_of(name);
    }

    /// All texts of a result are one; media in it are things of their own.
    fn result(&mut self, id: &Value, texts: &[Value], media: Vec<Value>, pointer: &str) {
        let joined = match texts {
            [only] => same(only),
            several => {
                let text = |value: &Value| text_of(value).unwrap_or_else(|| value.to_string());
                same(&json!(several.iter().map(text).collect::<Vec<_>>().join("\n")))
            }
        };
        let joined = if joined == json!({}) && texts.iter().all(|text| text == "") { json!("") } else { joined };
        self.add(What::Result, Side::User, joined, pointer).id = text_of(id).filter(|id| !id.is_empty());
        for data in media {
            self.add(What::Media, Side::User, data, pointer);
        }
    }

    fn responses(&mut self, body: &Value) {
        self.say(Side::System, &body["instructions"], "/instructions");
        self.say(Side::User, &body["input"], "/input");
        for (item, at) in each(body, "", "input") {
            match item["type"].as_str().unwrap_or("message") {
                "message" => {
                    let side = side_of(&item["role"]);
                    self.say(side, &item["content"], &at);
                    for (part, at) in each(item, &at, "content") {
                        self.part(side, part, &at);
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
                    self.result(&item["call_id"], &said(&parts), media, &at);
                }
                "reasoning" if item["content"].is_array() && item["encrypted_content"].is_null() => {
                    let texts = item["content"].as_array().into_iter().flatten();
                    let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
                    self.think(&texts.join("\n\n"), &at);
                }
                _ => {
                    self.add(What::Other, Side::Model, item.clone(), &at);
                }
            }
        }
    }

    /// What an open model thought is one text until it says something, in however many items it stands.
    fn think(&mut self, text: &str, pointer: &str) {
        match self.things.last_mut().filter(|last| last.what == What::Other && last.side == Side::Model) {
            Some(Thing { value: Value::String(thought), .. }) => *thought += &format!("\n\n{text}"),
            _ => {
                self.add(What::Other, Side::Model, json!(text), pointer);
            }
        }
    }

    fn part(&mut self, side: Side, part: &Value, at: &str) {
        match (part["text"].is_string(), part["refusal"].is_string(), media_of(part)) {
            (true, ..) => self.say(side, &part["text"], at),
            (_, true, _) => self.say(side, &part["refusal"], at),
            (.., Some(media)) => {
                self.add(What::Media, side, media, at);
            }
            _ => {
                self.add(What::Other, side, part.clone(), at);
            }
        }
    }

    fn chat(&mut self, body: &Value) {
        for (message, at) in each(body, "", "messages") {
            if message["role"] == "tool" || message["role"] == "function" {
                let parts = each(message, &at, "content");
                let texts: Vec<Value> = match parts.as_slice() {
                    [] => vec![message["content"].clone()],
                    parts => said(parts),
                };
                let media = parts.iter().filter_map(|(part, _)| media_of(part)).collect();
                self.result(&message["tool_call_id"], &texts, media, &at);
                continue;
            }
            let side = side_of(&message["role"]);
            for key in ["reasoning_content", "reasoning", "reasoning_details"] {
                match &message[key] {
                    Value::String(text) if !text.is_empty() => self.think(text, &at),
                    Value::Array(_) => {
                        self.add(What::Other, side, message[key].clone(), &at);
                    }
                    _ => {}
                }
            }
            self.say(side, &message["content"], &at);
            for (part, at) in each(message, &at, "content") {
                self.part(side, part, &at);
            }
            self.say(side, &message["refusal"], &at);
            for (call, at) in each(message, &at, "tool_calls") {
                let own = if call["custom"].is_object() { &call["custom"] } else { &call["function"] };
                let input = if own["input"].is_string() { &own["input"] } else { &own["arguments"] };
                self.call(&call["id"], &own["name"], input, &at);
            }
        }
    }

    fn anthropic(&mut self, body: &Value) {
        self.say(Side::System, &body["system"], "/system");
        for (part, at) in each(body, "", "system") {
            self.say(Side::System, &part["text"], &at);
        }
        for (message, at) in each(body, "", "messages") {
            let side = side_of(&message["role"]);
            self.say(side, &message["content"], &at);
            for (block, at) in each(message, &at, "content") {
                match block["type"].as_str().unwrap_or_default() {
                    "text" => self.say(side, &block["text"], &at),
                    "tool_use" => self.call(&block["id"], &block["name"], &block["input"], &at),
                    "tool_result" => {
                        let parts = each(block, &at, "content");
                        let texts: Vec<Value> = match parts.as_slice() {
                            [] => vec![block["content"].clone()].into_iter().filter(Value::is_string).collect(),
                            parts => said(parts),
                        };
                        let texts = if texts.is_empty() { vec![json!("")] } else { texts };
                        let media = parts.iter().filter_map(|(part, _)| media_of(part)).collect();
                        self.result(&block["tool_use_id"], &texts, media, &at);
                    }
                    _ => match media_of(block) {
                        Some(media) => {
                            self.add(What::Media, side, media, &at);
                        }
                        None => {
                            self.add(What::Other, side, block.clone(), &at);
                        }
                    },
                }
            }
        }
    }

    fn gemini(&mut self, body: &Value) {
        for key in ["systemInstruction", "system_instruction"] {
            self.say(Side::System, &body[key], &format!("/{key}"));
            for (part, at) in each(&body[key], &format!("/{key}"), "parts") {
                self.say(Side::System, &part["text"], &at);
            }
        }
        for (content, at) in each(body, "", "contents") {
            let side = side_of(&content["role"]);
            for (part, at) in each(content, &at, "parts") {
                let get = |camel: &str, snake: &str| part.get(camel).or_else(|| part.get(snake)).cloned();
                if part["text"].is_string() && part["thought"] != true {
                    self.say(side, &part["text"], &at);
                } else if let Some(call) = get("functionCall", "function_call") {
                    let args = if call["args"].is_null() { json!({}) } else { call["args"].clone() };
                    self.call(&call["id"], &call["name"], &args, &at);
                } else if let Some(result) = get("functionResponse", "function_response") {
                    let response = &result["response"];
                    let only = response.as_object().filter(|object| object.len() == 1);
                    let told = only.and_then(|own| own.get("output").or_else(|| own.get("error")));
                    let text = told.filter(|text| text.is_string()).unwrap_or(response).clone();
                    self.result(&result["id"], &[text], Vec::new(), &at);
                } else if let Some(media) = media_of(part) {
                    self.add(What::Media, side, media, &at);
                } else {
                    self.add(What::Other, side, part.clone(), &at);
                }
            }
        }
    }

    fn bedrock(&mut self, body: &Value) {
        for (part, at) in each(body, "", "system") {
            self.say(Side::System, &part["text"], &at);
        }
        for (message, at) in each(body, "", "messages") {
            let side = side_of(&message["role"]);
            for (block, at) in each(message, &at, "content") {
                if block["text"].is_string() {
                    self.say(side, &block["text"], &at);
                } else if let Some(guarded) = block.pointer("/guardContent/text/text") {
                    self.say(side, guarded, &at);
                } else if block["toolUse"].is_object() && block["toolUse"]["type"] != "server_tool_use" {
                    let call = &block["toolUse"];
                    self.call(&call["toolUseId"], &call["name"], &call["input"], &at);
                } else if block["toolResult"].is_object() && side == Side::User {
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
                    self.add(What::Media, side, media, &at);
                } else if !block["cachePoint"].is_object() {
                    self.add(What::Other, side, block.clone(), &at);
                }
            }
        }
    }
}

/// The data of an image or a file, or its address, in whatever dialect.
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
