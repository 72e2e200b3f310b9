//! The hosts of the APIs, and their paths: a URL determines the dialect of a request, its target, and maybe its model.
//!
//! Sources: the providers' API references; the base URLs of LiteLLM (`litellm/constants.py`) and of pydantic-ai's providers.

use crate::target::Target;

use super::anthropic::ANTHROPIC;
use super::bedrock::BEDROCK;
use super::chat::{CEREBRAS, CHAT, CHAT_COMPATIBLE, DEEPSEEK_CHAT, GROQ, KIMI, MISTRAL, XAI_CHAT};
use super::chat_hosted::{DASHSCOPE, GLM, MINIMAX, OPENROUTER};
use super::chat_local::{LLAMACPP, OLLAMA, VLLM};
use super::chat_servers::{COPILOT, DATABRICKS, LMSTUDIO, NIM, SGLANG, SNOWFLAKE};
use super::compatible::{DEEPSEEK, OPENAI_COMPATIBLE, XAI};
use super::gemini::GEMINI;
use super::openai::{AZURE, CODEX, OPENAI};

/// Hosts, and the targets behind them, one for each dialect. A pattern that begins with a dot matches the end of a name, one
/// that ends in a dot its beginning, and one with both a part of it; a port belongs to the name. The first match counts.
static HOSTS: &[(&str, &[&Target])] = &[
    ("api.openai.com", &[&OPENAI, &CHAT]),
    (".api.openai.com", &[&OPENAI, &CHAT]),
    ("chatgpt.com", &[&CODEX]),
    (".openai.azure.com", AZURE_TARGETS),
    (".cognitiveservices.azure.com", AZURE_TARGETS),
    (".services.ai.azure.com", &[&AZURE, &CHAT_COMPATIBLE, &ANTHROPIC]),
    ("api.anthropic.com", &[&ANTHROPIC, &CHAT_COMPATIBLE]),
    ("generativelanguage.googleapis.com", &[&GEMINI, &CHAT_COMPATIBLE]),
    ("aiplatform.googleapis.com", &[&GEMINI, &ANTHROPIC, &CHAT_COMPATIBLE]),
    ("-aiplatform.googleapis.com", &[&GEMINI, &ANTHROPIC, &CHAT_COMPATIBLE]),
    ("bedrock-runtime.", &[&BEDROCK, &ANTHROPIC, &CHAT_COMPATIBLE]),
    ("api.mistral.ai", &[&MISTRAL]),
    ("api.deepseek.com", &[&DEEPSEEK, &DEEPSEEK_CHAT]),
    ("api.groq.com", &[&GROQ]),
    ("api.x.ai", &[&XAI, &XAI_CHAT]),
    ("openrouter.ai", &[&OPENROUTER]),
    ("api.cerebras.ai", &[&CEREBRAS]),
    ("api.moonshot.", &[&KIMI]),
    ("dashscope.", &[&DASHSCOPE]),
    ("dashscope-", &[&DASHSCOPE]),
    ("api.z.ai", &[&GLM]),
    ("open.bigmodel.cn", &[&GLM]),
    ("api.minimax.", &[&MINIMAX]),
    ("api.minimaxi.", &[&MINIMAX]),
    ("integrate.api.nvidia.com", &[&NIM]),
    ("api.githubcopilot.com", &[&COPILOT]),
    (".githubcopilot.com", &[&COPILOT]),
    (".snowflakecomputing.com", &[&SNOWFLAKE]),
    (".databricks.com", &[&DATABRICKS]),
    (".azuredatabricks.net", &[&DATABRICKS]),
    ("localhost:11434", &[&OLLAMA]),
    ("127.0.0.1:11434", &[&OLLAMA]),
    ("ollama.com", &[&OLLAMA]),
    ("localhost:1234", &[&LMSTUDIO]),
    ("127.0.0.1:1234", &[&LMSTUDIO]),
];

const AZURE_TARGETS: &[&Target] = &[&AZURE, &CHAT];

/// Targets of hosts that are in no table: the servers of a dialect that many programs speak. Anthropic's, Google's and
/// Bedrock's targets are those of one server each, which says nothing of another.
static COMPATIBLE: &[&Target] = &[&OPENAI_COMPATIBLE, &CHAT_COMPATIBLE];

/// A place of an API that takes conversations.
#[derive(PartialEq, Eq, Debug)]
pub struct Endpoint {
    /// The end of its path.
    end: &'static str,
    /// The dialect of requests.
    pub dialect: &'static str,
    /// The requests in a body: the steps from its root, `*` for each element of a list. No steps are the body itself.
    pub requests: &'static [&'static [&'static str]],
    /// A member that only bodies of the dialect have, where a path takes those of several; empty where it takes no others.
    pub mark: &'static str,
    /// The model answers at once. Elsewhere a conversation is counted, compacted, or queued.
    answers: bool,
}

impl Endpoint {
    /// The end of the path without its separator and its version: `messages/count_tokens`, `generateContent`.
    pub fn name(&self) -> &'static str {
        self.end.trim_start_matches(['/', ':']).trim_start_matches("v1/")
    }
}

/// The body is a request.
const BODY: &[&[&str]] = &[&[]];

const fn answering(end: &'static str, dialect: &'static str) -> Endpoint {
    Endpoint { end, dialect, requests: BODY, mark: "", answers: true }
}

/// The clouds have one path for the bodies of all publishers; both want this member of a body for Anthropic.
const fn marked(end: &'static str) -> Endpoint {
    Endpoint { mark: "anthropic_version", ..answering(end, "anthropic") }
}

const fn preparing(
    end: &'static str,
    dialect: &'static str,
    requests: &'static [&'static [&'static str]],
) -> Endpoint {
    Endpoint { requests, answers: false, ..answering(end, dialect) }
}

/// The places that take conversations.
pub static ENDPOINTS: &[Endpoint] = &[
    answering("/responses", "responses"),
    // Questions about a conversation of the Responses API. Google's path of this name has `v1beta`, and another format.
    preparing("/v1/decisions", "responses", BODY),
    preparing("/responses/compact", "responses", BODY),
    preparing("/responses/input_tokens", "responses", BODY),
    answering("/chat/completions", "chat"),
    answering("/inference:complete", "chat"),
    answering("/messages", "anthropic"),
    preparing("/messages/count_tokens", "anthropic", BODY),
    preparing("/messages/batches", "anthropic", &[&["requests", "*", "params"]]),
    marked(":rawPredict"),
    marked(":streamRawPredict"),
    marked("/invoke"),
    marked("/invoke-with-response-stream"),
    answering(":generateContent", "gemini"),
    answering(":streamGenerateContent", "gemini"),
    preparing(":countTokens", "gemini", &[&[], &["generateContentRequest"]]),
    preparing(
        ":batchGenerateContent",
        "gemini",
        &[
            &["batch", "inputConfig", "requests", "requests", "*", "request"],
            &["batch", "input_config", "requests", "requests", "*", "request"],
        ],
    ),
    answering("/converse", "bedrock"),
    answering("/converse-stream", "bedrock"),
    preparing("/count-tokens", "bedrock", &[&["input", "converse"]]),
];

/// What follows the host in a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ApiUrl<'u> {
    host: &'u str,
    path: &'u str,
    query: &'u str,
    pub endpoint: &'static Endpoint,
}

impl<'u> ApiUrl<'u> {
    /// Reads the URL of a request that a model answers; `None` if no conversation is sent there.
    pub fn parse(url: &'u str) -> Option<Self> {
        ApiUrl::of_conversations(url).filter(|api| api.endpoint.answers)
    }

    /// Reads the URL of a request; `None` if no conversation is sent there, to whatever end.
    pub fn of_conversations(url: &'u str) -> Option<Self> {
        let (_, rest) = url.split_once("://")?;
        let rest = rest.split('#').next().unwrap_or(rest);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host.rsplit('@').next().unwrap_or(host);
        let host = host.strip_suffix(":443").unwrap_or(host);
        let path = path.trim_end_matches('/');
        let endpoint = ENDPOINTS.iter().find(|endpoint| path.ends_with(endpoint.end))?;
        Some(ApiUrl { host, path, query, endpoint })
    }

    /// The target there. `given` is that of hosts that are not in the table; without one, it is the target for any server
    /// of the dialect, if there is one.
    pub fn target(&self, given: Option<&'static Target>) -> Option<&'static Target> {
        let of_dialect = |target: &&'static Target| target.dialect == self.endpoint.dialect;
        let others = given.into_iter().chain(COMPATIBLE.iter().copied());
        self.known_target().or_else(|| others.into_iter().find(of_dialect))
    }

    /// The target there, if the host is in the table, or the path is one that only Azure has.
    pub fn known_target(&self) -> Option<&'static Target> {
        let known = HOSTS.iter().find(|(pattern, _)| is_host(pattern, self.host)).map(|(_, targets)| *targets);
        let azure = || if self.is_azure_path() { AZURE_TARGETS } else { &[] };
        known.unwrap_or_else(azure).iter().copied().find(|target| target.dialect == self.endpoint.dialect)
    }

    /// True for the paths of Azure OpenAI, which gateways in front of it keep.
    fn is_azure_path(&self) -> bool {
        self.path.contains("/openai/deployments/")
            || self.path.contains("/openai/") && self.query.split('&').any(|part| part.starts_with("api-version="))
    }

    /// The model in the path, as Google and Bedrock have it.
    pub fn model(&self) -> Option<String> {
        let after = |key: &str| self.path.rsplit_once(key).map(|(_, rest)| rest);
        let rest = after("/models/").or_else(|| after("/model/"))?;
        let name = match self.endpoint.dialect {
            "gemini" => rest.split([':', '/']).next(),
            _ => rest.rsplit_once(['/', ':']).map(|(name, _)| name),
        };
        // The version of a model of Bedrock follows a colon, which libraries encode.
        name.map(|name| name.replace("%3A", ":").replace("%3a", ":").replace("%2F", "/").replace("%2f", "/"))
    }
}

/// Words that name a server or its product in the report of an error, in lower case.
static PRODUCTS: &[(&str, &[&Target])] = &[
    ("groq", &[&GROQ]),
    ("cerebras", &[&CEREBRAS]),
    ("azure", &[&AZURE]),
    ("nim", &[&NIM]),
    ("ollama", &[&OLLAMA]),
    ("copilot", &[&COPILOT]),
    ("snowflake", &[&SNOWFLAKE]),
    ("databricks", &[&DATABRICKS]),
    ("openrouter", &[&OPENROUTER]),
    ("mistral", &[&MISTRAL]),
    ("deepseek", &[&DEEPSEEK, &DEEPSEEK_CHAT]),
    ("moonshot", &[&KIMI]),
    ("kimi", &[&KIMI]),
    ("dashscope", &[&DASHSCOPE]),
    ("minimax", &[&MINIMAX]),
    ("vllm", &[&VLLM]),
    ("sglang", &[&SGLANG]),
    ("llama.cpp", &[&LLAMACPP]),
    ("codex", &[&CODEX]),
];

/// The targets that a text names by their host, or else by one product; empty if it names none, or several.
pub fn named_in(text: &str) -> &'static [&'static Target] {
    let text = text.to_ascii_lowercase();
    let mut words = text.split(|c: char| c.is_whitespace() || "/@\"'`()[]{}<>,;=".contains(c));
    let host = words.find_map(|word| HOSTS.iter().find(|(pattern, _)| is_host(pattern, word)));
    if let Some((_, targets)) = host {
        return targets;
    }
    let is_named = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            is_end(text[..at].chars().next_back()) && is_end(text[at + name.len()..].chars().next())
        })
    };
    let mut named = PRODUCTS.iter().filter(|(name, _)| is_named(name));
    match (named.next(), named.next()) {
        (Some((_, targets)), None) => targets,
        _ => &[],
    }
}

/// True if a host has a name of the table.
fn is_host(pattern: &str, host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    match (pattern.starts_with(['.', '-']), pattern.ends_with(['.', '-'])) {
        (true, _) => host.ends_with(pattern),
        (_, true) => host.starts_with(pattern),
        _ => host == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_a_target_by_its_host_or_one_product() {
        let named = |text: &str| named_in(text).first().map(|target| target.name);
        assert_eq!(named("POST https://api.groq.com/openai/v1/chat/completions 400"), Some("groq"));
        assert_eq!(named("[Ollama] invalid message content type: <nil>"), Some("ollama"));
        assert_eq!(named("litellm.BadRequestError: AzureException"), None);
        assert_eq!(named("Azure OpenAI: 400"), Some("azure"));
        assert_eq!(named("from Groq through OpenRouter"), None);
        assert_eq!(named("minimum 1"), None);
    }

    #[test]
    fn urls_lead_to_targets_and_models() {
        for (url, target, model) in [
            ("https://api.openai.com/v1/responses", Some("openai"), None),
            ("https://api.openai.com:443/v1/chat/completions?x=/messages", Some("chat"), None),
            ("https://key@east.openai.azure.com/openai/deployments/d/chat/completions", Some("chat"), None),
            ("https://gateway.example/openai/deployments/d/chat/completions", Some("chat"), None),
            ("https://gateway.example/openai/responses?api-version=2025-03-01-preview", Some("azure"), None),
            ("https://gateway.example/openai/v1/responses", Some("openai-compatible"), None),
            ("https://chatgpt.com/backend-api/codex/responses", Some("codex"), None),
            ("https://api.anthropic.com/v1/messages?beta=true", Some("anthropic"), None),
            ("https://llm.example/v1/messages", None, None),
            ("https://llm.example/v1/chat/completions", Some("chat-compatible"), None),
            ("http://localhost:11434/v1/chat/completions", Some("ollama"), None),
            (
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent?alt=sse",
                Some("gemini"),
                Some("gemini-2.5-pro"),
            ),
            (
                "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-4-1@20250805:rawPredict",
                Some("anthropic"),
                Some("claude-opus-4-1@20250805"),
            ),
            (
                "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-micro-v1%3A0/converse",
                Some("bedrock"),
                Some("us.amazon.nova-micro-v1:0"),
            ),
            (
                "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-20250514-v1:0/converse-stream",
                Some("bedrock"),
                Some("us.anthropic.claude-sonnet-4-20250514-v1:0"),
            ),
        ] {
            let api = ApiUrl::parse(url).unwrap_or_else(|| panic!("{url}"));
            assert_eq!(api.target(None).map(|target| target.name), target, "{url}");
            assert_eq!(api.model().as_deref(), model, "{url}");
        }
        let proxy = ApiUrl::parse("https://llm.example/v1/messages");
        let target = proxy.and_then(|api| api.target(Some(&ANTHROPIC)));
        assert_eq!(target.map(|target| target.name), Some("anthropic"));
        assert_eq!(ApiUrl::parse("https://api.openai.com/v1/embeddings"), None);
        // What is only counted has no answer that would say whether it is valid.
        let counted = "https://api.anthropic.com/v1/messages/count_tokens";
        assert_eq!(ApiUrl::parse(counted), None);
        assert_eq!(
            ApiUrl::of_conversations(counted).map(|api| api.endpoint.name()),
            Some("messages/count_tokens")
        );
    }

    #[test]
    fn a_host_has_one_target_for_a_dialect() {
        for (host, targets) in HOSTS {
            let mut dialects: Vec<&str> = targets.iter().map(|target| target.dialect).collect();
            dialects.sort_unstable();
            dialects.dedup();
            assert_eq!(dialects.len(), targets.len(), "{host}");
        }
    }
}
