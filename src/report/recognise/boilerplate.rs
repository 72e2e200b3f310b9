//! Boilerplate around sentences in logs and terminals, which identifies no error: URLs, paths, status lines, headers, names of
//! models. No match relies on its words.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

/// The phrases of HTTP statuses.
const PHRASES: &str = "OK|Created|Accepted|No Content|Moved Permanently|Found|Not Modified|Bad Request|Unauthorized|\
                       Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Request Time-?out|\
                       Conflict|Gone|Length Required|Payload Too Large|Content Too Large|Request Entity Too Large|\
                       URI Too Long|Unsupported Media Type|Unprocessable (?:Entity|Content)|Too Many Requests|\
                       Internal Server Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway Time-?out";

/// Headers of requests and answers, at the start of a line.
const HEADERS: &str = "x-[a-z0-9-]+|cf-[a-z0-9-]+|anthropic-[a-z0-9-]+|openai-[a-z0-9-]+|access-control-[a-z-]+|\
                       accept(?:-[a-z]+)?|alt-svc|api-key|authorization|cache-control|content-(?:type|length|encoding|\
                       security-policy|disposition)|etag|request-id|retry-after|set-cookie|strict-transport-security|\
                       transfer-encoding|user-agent|vary|www-authenticate";

const MODELS: &str =
    "gpt|chatgpt|o[1345]|claude|gemini|gemma|deepseek|mistral|mixtral|llama|qwen|kimi|grok|glm|codex";

fn patterns() -> &'static [Regex] {
    static PATTERNS: OnceLock<Vec<Regex>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let all = [
            // A query may quote a sentence.
            r#"(?i)(?-u:\b)[a-z][a-z0-9+.-]{0,30}://[^\s"'<>`?#]+"#.to_owned(),
            r#"(?:^|[\s"'(=:,])(?:~|\.{1,2}|[A-Z]:)?[/\\][0-9A-Za-z_.@%~{}:-]+(?:[/\\][0-9A-Za-z_.@%~{}:-]*)*"#
                .to_owned(),
            format!(r#"(?-u:\b)HTTP/\d(?:\.\d)?(?:"?\s+\d{{3}}(?:\s+(?:{PHRASES})(?-u:\b))?)?"#),
            format!(r"(?-u:\b)[1-5][0-9][0-9]\s+(?:{PHRASES})(?-u:\b)"),
            format!(r"(?im)^(?:<\s*)?(?:{HEADERS}):\s[^\n]*$"),
            r"(?m)^<\s[A-Za-z-]+:\s[^\n]*$".to_owned(),
            format!(r"(?i)(?-u:\b)(?:{MODELS})(?:-[a-z.]{{1,20}}){{0,4}}-?[0-9][0-9A-Za-z_.:-]*"),
        ];
        all.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
    })
}

/// The text with an `x` for each letter of boilerplate: of the same length, so that places stay. Linear in its
/// length.
pub fn cover_boilerplate(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    for pattern in patterns() {
        for found in pattern.find_iter(text) {
            cover(&mut out, found.range());
        }
    }
    // Letters of ASCII only were replaced.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn cover(out: &mut [u8], range: Range<usize>) {
    for byte in out.get_mut(range).into_iter().flatten() {
        if byte.is_ascii_alphabetic() {
            *byte = b'x';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_covered_and_sentences_stay() {
        for (text, expected) in [
            (
                "POST https://api.x.com/v1/messages?title=No tool",
                "POST xxxxx://xxx.x.xxx/x1/xxxxxxxx?title=No tool",
            ),
            (
                r#""POST /v1/chat/completions HTTP/1.1" 200 OK, then"#,
                r#""POST /x1/xxxx/xxxxxxxxxxx xxxx/1.1" 200 xx, then"#,
            ),
            ("400 Bad Request No tool call", "400 xxx xxxxxxx No tool call"),
            ("400 No tool output found", "400 No tool output found"),
            ("x-request-id: a\nNo tool", "x-xxxxxxx-xx: x\nNo tool"),
            ("model gpt-4o and claude-sonnet-4-5 said", "model xxx-4x and xxxxxx-xxxxxx-4-5 said"),
            ("`thinking` or `redacted_thinking` blocks and/or", "`thinking` or `redacted_thinking` blocks and/or"),
            ("messages.3.content.0: Field required", "messages.3.content.0: Field required"),
            ("é /srv/app/agent.py é", "é /xxx/xxx/xxxxx.xx é"),
        ] {
            assert_eq!(cover_boilerplate(text), expected);
            assert_eq!(cover_boilerplate(text).len(), text.len());
        }
    }
}
