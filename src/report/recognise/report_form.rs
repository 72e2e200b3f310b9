//! Detects the report of an API's error. What any program may say, such as `Too many requests`, means an API only in such
//! a report, or where nothing else is said.

use std::sync::OnceLock;

use foldhash::HashSet;
use regex::Regex;

/// How APIs and their clients begin and type errors.
const FORMS: [&str; 9] = [
    r#"["']error["']\s*:\s*\{"#,
    r#"["']type["']\s*:\s*["'](?:error|[a-z_]+_error)["']"#,
    r#"["']\$fault["']"#,
    // The module of a client precedes the name of its error.
    r"\b(?:openai|anthropic|litellm|groq|mistralai|google\.genai|google\.api_core|cohere|ollama|langchain_\w+)[\w.]*(?:Error|Exception|Timeout)\b",
    // What only clients of such APIs raise, or what says its status first.
    r"\b(?:APIConnectionError|APITimeoutError|APIStatusError|AI_\w+Error|OpenAIException|AnthropicException)\b",
    r"\b(?:BadRequest|RateLimit|Authentication|PermissionDenied|NotFound|UnprocessableEntity|InternalServer|Conflict|API)Error:\s+[45]\d\d\b",
    r"\bAPI\s+(?:Streaming\s+)?Error\b",
    r"\bError\s+code:\s+[45]\d\d\s+-\s",
    r"\bLLM\s+(?:provider\s+)?error\b",
];

fn pattern() -> Option<&'static Regex> {
    static PATTERN: OnceLock<Option<Regex>> = OnceLock::new();
    PATTERN.get_or_init(|| Regex::new(&format!("(?i)(?:{})", FORMS.join("|"))).ok()).as_ref()
}

/// True if a text has the form in which APIs and their clients report errors.
pub fn is_report(text: &str) -> bool {
    pattern().is_some_and(|pattern| pattern.is_match(text))
}

/// Words around a message that add nothing to it.
const AROUND: [&str; 9] = ["api", "code", "detail", "error", "http", "message", "reason", "status", "type"];

/// True if a text says nothing but what is at `start..end`, once or several times.
pub fn is_all(text: &str, start: usize, end: usize) -> bool {
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.filter(|word| !word.bytes().all(|b| b.is_ascii_digit())).map(str::to_lowercase).collect()
    };
    let said = words(text.get(start..end).unwrap_or_default());
    words(text).iter().all(|word| said.contains(word) || AROUND.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_distinguished_from_logs() {
        for text in [
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            "openai.APIConnectionError: Connection error.",
            "Error code: 400 - {'object': 'error'}",
            "[API Error: 503]",
            "BadRequestError: 400 it",
            r#"{"name":"ThrottlingException","$fault":"client"}"#,
        ] {
            assert!(is_report(text), "{text}");
        }
        for text in [
            r#"{"level":"error","msg":"connection refused"}"#,
            "requests.exceptions.ConnectionError: Connection refused",
            "DEBUG:anthropic._base_client:Sending HTTP Request",
            "Error response from daemon: unauthorized",
        ] {
            assert!(!is_report(text), "{text}");
        }
    }

    #[test]
    fn a_text_may_say_nothing_else() {
        let text = "529 overloaded_error: Overloaded";
        assert!(is_all(text, text.len() - 10, text.len()) || is_all(text, 4, text.len()));
        assert!(is_all("API Error: Overloaded", 11, 21));
        assert!(!is_all("the lift is overloaded", 12, 22));
    }
}
