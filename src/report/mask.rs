//! Masks the words of a conversation for printing. Keys, types and roles that are published, and ids in the forms that
//! providers give them, are no one's secret; any other word was written by a user, a model or a client, and is masked
//! like content.

use std::sync::OnceLock;

use foldhash::HashSet;

use crate::message::members;

use super::words::{count, to_printable};

/// The masking policy of the process. It is set once, before anything is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Unknown words and ids are printed as they are.
    pub reveal: bool,
    /// Names of tools are masked as well.
    pub mask_names: bool,
}

static POLICY: OnceLock<Policy> = OnceLock::new();

/// Sets the policy of the process; the first call counts. Without one, words are masked and names of tools are not.
pub fn set_policy(policy: Policy) {
    POLICY.get_or_init(|| policy);
}

fn policy() -> Policy {
    POLICY.get().copied().unwrap_or_default()
}

/// Ids that are not in a provider's form are shown up to this many characters.
const SHOWN_OF_FOREIGN_ID: usize = 12;

/// The published words: keys, types and values of schemas, and what stored formats call their members. Written by
/// `tests/it/report/privacy.rs`. The members of requests are in a table of their own.
static WORDS: &str = include_str!("../../schemas/words/published.txt");

fn is_published(word: &str) -> bool {
    static KNOWN: OnceLock<HashSet<&'static str>> = OnceLock::new();
    KNOWN.get_or_init(|| WORDS.lines().chain(MORE.iter().copied()).collect()).contains(word)
        || members::is_of_any_dialect(word)
}

/// Words of stored formats that no code names.
const MORE: &[&str] = &[
    "toolCallStates",
    "audio_asset_pointer",
    "audio_transcription",
    "base_instructions",
    "builtin_function",
    "image_asset_pointer",
    "input_messages",
    "invocation_parameters",
    "llm",
    "message_content",
    "message_contents",
    "output_messages",
    "prNumber",
    "prRepository",
    "prUrl",
    "real_time_user_audio_video_asset_pointer",
    "review_rollout_user",
];

/// True if a key is published. Attributes of traces are keys of keys: `llm.input_messages.0.message.role`.
fn is_known(key: &str) -> bool {
    let is_one = |part: &str| part.is_empty() || is_number(part) || is_published(part);
    is_one(key) || key.split('.').all(is_one)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The mask of content: its size.
pub fn size(text: &str) -> String {
    format!("… ({})", count(text.chars().count() as u64, "char"))
}

/// A key, a type, a role or a state.
pub fn word(text: &str) -> String {
    if policy().reveal || is_known(text) {
        return to_printable(text);
    }
    // The types of some event streams begin with the stream's own name.
    let own = text.find('/').and_then(|at| text.split_at_checked(at + 1)).filter(|(own, _)| is_published(own));
    if let Some((own, rest)) = own {
        return format!("{own}{}", word(rest));
    }
    // Parts of UI messages and blocks of some stores have the name of their tool in their type.
    match text.strip_prefix("tool-") {
        Some(tool) if is_name(tool) => format!("tool-{}", name(tool)),
        _ => size(text),
    }
}

/// The name of a tool: it is the tool's interface, not content of a conversation.
pub fn name(text: &str) -> String {
    let policy = policy();
    if policy.reveal || is_name(text) && !policy.mask_names { to_printable(text) } else { size(text) }
}

/// True if a text has the form of a tool's name that the providers accept.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte);
    !text.is_empty() && text.len() <= 128 && text.bytes().all(is_part)
}

/// An id: whole in a provider's form, else its beginning.
pub fn id(text: &str) -> String {
    let is_short = text.chars().nth(SHOWN_OF_FOREIGN_ID).is_none();
    if policy().reveal || is_short || is_published(text) || text.split('|').all(is_of_provider) {
        return to_printable(text);
    }
    let beginning: String = text.chars().take(SHOWN_OF_FOREIGN_ID).collect();
    to_printable(&beginning) + "…"
}

/// Prefixes of the ids of providers, and of the agents that store sessions.
const PREFIXES: [&str; 62] = [
    "T",
    "adk",
    "amsg",
    "ask",
    "batch",
    "call",
    "cfg",
    "chatcmpl",
    "ci",
    "citation",
    "cm",
    "cmp",
    "cntr",
    "cnv",
    "conv",
    "cot",
    "ctc",
    "ctco",
    "cu",
    "cuo",
    "fc",
    "fco",
    "file",
    "fs",
    "functions",
    "gen",
    "ig",
    "lsh",
    "lsho",
    "mcp",
    "mcpa",
    "mcpl",
    "mcpr",
    "mcptoolu",
    "msg",
    "part",
    "prg",
    "prt",
    "replaylint",
    "req",
    "resp",
    "rs",
    "rsn",
    "run",
    "ses",
    "session",
    "sho",
    "skill",
    "srvtoolu",
    "step",
    "tco",
    "thread",
    "tool",
    "toolu",
    "tooluse",
    "trace",
    "ts",
    "tsc",
    "tso",
    "turn",
    "wrtr",
    "ws",
];

/// True if a provider or an agent makes such ids: a known prefix with letters and digits, a UUID, or digits.
fn is_of_provider(id: &str) -> bool {
    // Kimi's: the name of the tool, and a number.
    if let Some((tool, number)) = id.strip_prefix("functions.").and_then(|rest| rest.rsplit_once(':')) {
        return is_name(tool) && is_number(number) && !policy().mask_names;
    }
    let is_made = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if id.is_empty() || id.len() > 100 || !id.bytes().all(is_made) {
        return false;
    }
    let is_hex = id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-' || byte == b'_');
    let is_ulid = id.len() == 26 && id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let prefix = id.split(['_', '-']).next().filter(|prefix| prefix.len() < id.len());
    is_hex || is_ulid || prefix.is_some_and(|prefix| PREFIXES.contains(&prefix))
}

/// Families of the providers' models: how their names begin.
const FAMILIES: [&str; 29] = [
    "amazon",
    "anthropic",
    "chatgpt",
    "claude",
    "codestral",
    "codex",
    "deepseek",
    "devstral",
    "gemini",
    "gemma",
    "glm",
    "gpt",
    "grok",
    "kimi",
    "llama",
    "magistral",
    "meta",
    "minimax",
    "ministral",
    "mistral",
    "mixtral",
    "moonshotai",
    "nova",
    "o1",
    "o3",
    "o4",
    "openai",
    "pixtral",
    "qwen",
];

/// The name of a model. Deployments and fine-tuned models have names of their own: these are shortened like ids.
pub fn model(text: &str) -> String {
    let plain = ["us.", "eu.", "apac.", "global.", "models/"].iter().find_map(|region| text.strip_prefix(region));
    let plain = plain.unwrap_or(text);
    let family = plain.split(['-', '.', '/', '_', ':']).next().unwrap_or(plain).to_ascii_lowercase();
    let bare = family.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_public = is_name(text) && text.len() <= 80 && [&*family, bare].iter().any(|own| FAMILIES.contains(own));
    if policy().reveal || is_public || is_published(text) { to_printable(text) } else { id(text) }
}

/// Words that formats put before an id.
const NUMBERED: [&str; 6] = ["candidate", "choice", "custom_id", "session", "subagent", "thread"];

/// The label of a session, a branch or a row: its id, or a title, which is content.
pub fn label(text: &str) -> String {
    if let Some((what, own)) = text.split_once(' ').filter(|(what, _)| NUMBERED.contains(what)) {
        return format!("{what} {}", id(own));
    }
    let is_plain = is_published(text) || is_number(text) || text.split('|').all(is_of_provider);
    if policy().reveal || is_plain { to_printable(text) } else { size(text) }
}

/// A JSON Pointer: its steps are keys and numbers.
pub fn pointer(text: &str) -> String {
    if policy().reveal || text.split('/').all(is_known) {
        return text.to_owned();
    }
    let step = |step: &str| {
        if is_known(step) { step.to_owned() } else { "…".to_owned() }
    };
    text.split('/').map(step).collect::<Vec<_>>().join("/")
}

/// A path of keys as providers and reports write it: `content[0].text`.
pub fn path(text: &str) -> String {
    if policy().reveal {
        return to_printable(text);
    }
    if is_published(text) {
        return text.to_owned();
    }
    let ends = |c: char| ".[]/\"' ".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(ends).unwrap_or(rest.len());
        let (step, after) = rest.split_at(end);
        out.push_str(if is_known(step) { step } else { "…" });
        let stop = after.chars().next();
        out.extend(stop);
        rest = stop.map_or("", |stop| after.get(stop.len_utf8()..).unwrap_or_default());
    }
    to_printable(&out)
}

/// Words around one that is quoted from the conversation in backticks or parentheses: "a part `thought`", "message (user)".
pub fn phrase(text: &str) -> String {
    if policy().reveal {
        return to_printable(text);
    }
    for (open, close) in [("`", "`"), (" (", ")"), (" of ", "")] {
        let Some((before, rest)) = text.split_once(open) else { continue };
        let (quoted, after) = match close {
            "" => (rest, ""),
            close => rest.rsplit_once(close).unwrap_or((rest, "")),
        };
        let quoted = if close.is_empty() { name(quoted) } else { word(quoted) };
        return format!("{}{open}{quoted}{close}{}", mask_words(before), mask_words(after));
    }
    mask_words(text)
}

/// Words of the formats' own descriptions.
const FORMAT_WORDS: [&str; 21] = [
    "a", "an", "and", "block", "call", "chunk", "content", "each", "in", "item", "line", "list", "message",
    "messages", "of", "one", "part", "role", "the", "tools", "with",
];

fn mask_words(text: &str) -> String {
    let one = |token: &str| match token.is_empty() || FORMAT_WORDS.contains(&token) {
        true => token.to_owned(),
        false => label(token),
    };
    text.split(' ').map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_words_are_shown_and_others_by_their_size() {
        assert_eq!(word("function_call"), "function_call");
        assert_eq!(word("a-secret-type"), "… (13 chars)");
        assert_eq!(word("tool-getWeather"), "tool-getWeather");
        assert_eq!(path("content[0].salary of alice.text"), "content[0].… of ….text");
        assert_eq!(pointer("/messages/3/content/0/input/salary"), "/messages/3/content/0/input/…");
        assert_eq!(pointer("/messages/3/content"), "/messages/3/content");
    }

    #[test]
    fn ids_of_providers_are_shown_and_others_shortened() {
        for whole in [
            "call_abc123",
            "toolu_01A09q90qw90lq917835lq9",
            "0d9f7c3e-2b1a-4c5d-8e9f-001122334455",
            "fc_68d|call_1",
            "AbCdEf012",
            "alice",
        ] {
            assert_eq!(id(whole), whole);
        }
        assert_eq!(id("alice@example.com/4711"), "alice@exampl…");
        assert_eq!(id("account-of-alice-4711"), "account-of-a…");
        assert_eq!(model("claude-sonnet-4-5-20250929"), "claude-sonnet-4-5-20250929");
        assert_eq!(model("acme-corp-legal-finetune"), "acme-corp-le…");
    }

    #[test]
    fn titles_are_content_and_names_of_tools_are_not() {
        assert_eq!(label("My divorce papers"), "… (17 chars)");
        assert_eq!(label("ses_0a1b2c"), "ses_0a1b2c");
        assert_eq!(label("session alice"), "session alice");
        assert_eq!(name("get_weather"), "get_weather");
        assert_eq!(name("what the user said"), "… (18 chars)");
        assert_eq!(phrase("a part `image_url`"), "a part `image_url`");
        assert_eq!(phrase("a part `of alice`"), "a part `… (8 chars)`");
        assert_eq!(phrase("message (user)"), "message (user)");
        assert_eq!(phrase("call of get_weather"), "call of get_weather");
    }
}
