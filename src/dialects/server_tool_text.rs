//! What tools of the server did and returned, as text for an API that has no such items.

use crate::json::{Tape, Val, name, scan};
use crate::message::{Opaque, Text};

/// The readable parts of one kind of item.
struct ReadableParts {
    dialect: &'static str,
    /// The item's type; of Gemini and Bedrock the member that holds it.
    kind: &'static str,
    /// Paths to what the tool was asked, and to what it returned.
    paths: &'static [&'static [&'static str]],
    /// A list in the item, and paths to the readable parts of each element.
    list: &'static [&'static str],
    of_each: &'static [&'static [&'static str]],
    /// False if the model also read something that is no text: encrypted pages, an image.
    is_whole: bool,
}

const ITEM: ReadableParts =
    ReadableParts { dialect: "responses", kind: "", paths: &[], list: &[], of_each: &[], is_whole: true };
const BLOCK: ReadableParts = ReadableParts { dialect: "anthropic", ..ITEM };
const OUTPUT: &[&[&str]] = &[&["content", "stdout"], &["content", "stderr"], &["content", "error_code"]];

/// The types of the official SDKs: openai-python 3.54.0 `types/responses`, anthropic-sdk-python 2.12.0 `types/beta`,
/// python-genai 3.4.0 `types.py`, botocore 1.44.5.
static READABLE: [ReadableParts; 22] = [
    ReadableParts {
        kind: "web_search_call",
        paths: &[&["action", "query"], &["action", "url"], &["action", "pattern"]],
        list: &["action", "sources"],
        of_each: &[&["url"]],
        ..ITEM
    },
    ReadableParts {
        kind: "file_search_call",
        paths: &[&["queries"]],
        list: &["results"],
        of_each: &[&["filename"], &["text"]],
        ..ITEM
    },
    ReadableParts {
        kind: "code_interpreter_call",
        paths: &[&["code"]],
        list: &["outputs"],
        of_each: &[&["logs"]],
        ..ITEM
    },
    ReadableParts {
        kind: "mcp_call",
        paths: &[&["server_label"], &["name"], &["arguments"], &["output"], &["error"]],
        ..ITEM
    },
    ReadableParts {
        kind: "mcp_list_tools",
        paths: &[&["server_label"]],
        list: &["tools"],
        of_each: &[&["name"], &["description"]],
        ..ITEM
    },
    ReadableParts { kind: "image_generation_call", paths: &[&["revised_prompt"]], is_whole: false, ..ITEM },
    ReadableParts { kind: "server_tool_use", paths: &[&["name"], &["input"]], ..BLOCK },
    ReadableParts { kind: "mcp_tool_use", paths: &[&["server_name"], &["name"], &["input"]], ..BLOCK },
    ReadableParts {
        kind: "web_search_tool_result",
        paths: &[&["content", "error_code"]],
        list: &["content"],
        of_each: &[&["title"], &["url"]],
        is_whole: false,
        ..BLOCK
    },
    ReadableParts {
        kind: "web_fetch_tool_result",
        paths: &[
            &["content", "url"],
            &["content", "content", "title"],
            &["content", "content", "source", "data"],
            &["content", "error_code"],
        ],
        ..BLOCK
    },
    ReadableParts { kind: "code_execution_tool_result", paths: OUTPUT, ..BLOCK },
    ReadableParts { kind: "bash_code_execution_tool_result", paths: OUTPUT, ..BLOCK },
    ReadableParts {
        kind: "text_editor_code_execution_tool_result",
        paths: &[&["content", "content"], &["content", "error_code"]],
        ..BLOCK
    },
    ReadableParts { kind: "mcp_tool_result", list: &["content"], of_each: &[&["text"]], ..BLOCK },
    ReadableParts {
        kind: "tool_search_tool_result",
        paths: &[&["content", "error_code"]],
        list: &["content", "tool_references"],
        of_each: &[&["tool_name"]],
        ..BLOCK
    },
    ReadableParts { kind: "advisor_tool_result", paths: &[&["content", "text"]], ..BLOCK },
    ReadableParts { dialect: "gemini", kind: "executableCode", paths: &[&["executableCode", "code"]], ..ITEM },
    ReadableParts {
        dialect: "gemini",
        kind: "codeExecutionResult",
        paths: &[&["codeExecutionResult", "output"]],
        ..ITEM
    },
    ReadableParts {
        dialect: "gemini",
        kind: "toolCall",
        paths: &[&["toolCall", "toolType"], &["toolCall", "args"]],
        ..ITEM
    },
    ReadableParts { dialect: "gemini", kind: "toolResponse", paths: &[&["toolResponse", "response"]], ..ITEM },
    ReadableParts {
        dialect: "bedrock",
        kind: "toolUse",
        paths: &[&["toolUse", "name"], &["toolUse", "input"]],
        ..ITEM
    },
    ReadableParts {
        dialect: "bedrock",
        kind: "toolResult",
        list: &["toolResult", "content"],
        of_each: &[&["text"], &["json"]],
        ..ITEM
    },
];

/// The text of an item, and whether it has all that the model read; `None` if nothing in it is text.
pub fn read(item: &Opaque) -> Option<(Text, bool)> {
    let raw = item.raw.bytes();
    let mut tape = Tape::new();
    scan(&raw, &mut tape).ok()?;
    let val = tape.root(&raw)?;
    let is_it = |parts: &&ReadableParts| {
        parts.dialect == item.dialect
            && (val.get(name::r#type).is_some_and(|kind| kind.is(parts.kind)) || val.get(parts.kind).is_some())
    };
    let parts = READABLE.iter().find(is_it)?;
    let mut lines: Vec<String> = parts.paths.iter().filter_map(|path| readable(val.at(path)?)).collect();
    let elements =
        val.at(parts.list).filter(|_| !parts.list.is_empty()).into_iter().flat_map(|list| list.elements());
    lines.extend(elements.filter_map(|element| {
        let texts: Vec<String> = parts.of_each.iter().filter_map(|path| readable(element.at(path)?)).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }));
    let is_base64 = val.at(&["content", "content", "source", "type"]).is_some_and(|kind| kind.is("base64"));
    if lines.is_empty() || is_base64 {
        return None;
    }
    Some((Text::new(&format!("[{}]\n{}", parts.kind, lines.join("\n"))), parts.is_whole))
}

/// A string as it is, any other value as JSON; `None` for nothing.
fn readable(val: Val<'_>) -> Option<String> {
    if val.is_null() {
        return None;
    }
    let text = match val.text() {
        Some(text) => String::from_utf8_lossy(&text).into_owned(),
        None if val.is_array() && val.elements().all(|element| element.is_string()) => {
            val.elements().filter_map(readable).collect::<Vec<_>>().join("\n")
        }
        None => String::from_utf8_lossy(val.raw()).into_owned(),
    };
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{OpaqueKind, RawJson};

    #[test]
    fn searches_code_and_connectors_become_text() {
        let text = |dialect, json: &str| {
            let raw = RawJson::new(json.as_bytes());
            let (text, is_whole) = read(&Opaque { dialect, kind: OpaqueKind::ServerTool, raw })?;
            Some((text.to_plain_string(), is_whole))
        };
        let search = r#"{"type":"web_search_call","action":{"type":"search","query":"rain","sources":[{"type":"url","url":"https://a.b"}]}}"#;
        assert_eq!(text("responses", search), Some(("[web_search_call]\nrain\nhttps://a.b".to_owned(), true)));
        let code = r#"{"type":"code_interpreter_call","code":"1+1","outputs":[{"type":"logs","logs":"2"}]}"#;
        assert_eq!(text("responses", code), Some(("[code_interpreter_call]\n1+1\n2".to_owned(), true)));
        let found = r#"{"type":"web_search_tool_result","content":[{"title":"Rain","url":"https://a.b","encrypted_content":"x"}]}"#;
        let expected = "[web_search_tool_result]\nRain\nhttps://a.b".to_owned();
        assert_eq!(text("anthropic", found), Some((expected, false)));
        let gemini = r#"{"executableCode":{"language":"PYTHON","code":"1"}}"#;
        assert_eq!(text("gemini", gemini), Some(("[executableCode]\n1".to_owned(), true)));
        assert_eq!(text("responses", r#"{"type":"web_search_call","action":{"type":"search"}}"#), None);
    }
}
