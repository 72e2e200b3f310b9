//! The members of requests in each dialect: those of the official SDKs' types, and those that vendors of Chat Completions
//! add. A request that is copied within its dialect keeps only these.

use std::borrow::Cow;

/// Members of a request, by dialect.
const MEMBERS: [(&str, &[&str]); 5] = [
    (
        "chat",
        &[
            "audio",
            "cache_prompt",
            "chat_template",
            "chat_template_kwargs",
            "citation_options",
            "compound_custom",
            "data_sources",
            "debug",
            "deferred",
            "do_sample",
            "documents",
            "enable_search",
            "enable_thinking",
            "exclude_domains",
            "extra_body",
            "frequency_penalty",
            "function_call",
            "functions",
            "guided_choice",
            "guided_grammar",
            "guided_json",
            "guided_regex",
            "ignore_eos",
            "include_domains",
            "include_reasoning",
            "incremental_output",
            "length_penalty",
            "logit_bias",
            "logprobs",
            "mask_sensitive_info",
            "max_completion_tokens",
            "max_tokens",
            "messages",
            "metadata",
            "min_p",
            "min_tokens",
            "modalities",
            "model",
            "models",
            "moderation",
            "n",
            "parallel_tool_calls",
            "plugins",
            "prediction",
            "presence_penalty",
            "prompt_cache_key",
            "prompt_cache_options",
            "prompt_cache_retention",
            "prompt_mode",
            "provider",
            "random_seed",
            "reasoning",
            "reasoning_effort",
            "reasoning_format",
            "reasoning_split",
            "echo",
            "safety_model",
            "repetition_penalty",
            "request_id",
            "response_format",
            "route",
            "safe_prompt",
            "safety_identifier",
            "search_parameters",
            "seed",
            "service_tier",
            "skip_special_tokens",
            "stop",
            "stop_token_ids",
            "store",
            "stream",
            "stream_options",
            "structured_outputs",
            "temperature",
            "thinking",
            "thinking_budget",
            "tool_choice",
            "tool_stream",
            "tools",
            "top_a",
            "top_k",
            "top_logprobs",
            "top_p",
            "transforms",
            "translation_options",
            "usage",
            "user",
            "user_id",
            "verbosity",
            "web_search_options",
        ],
    ),
    (
        "responses",
        &[
            "access_programs",
            "background",
            "background_options",
            "context_management",
            "conversation",
            "extra_body",
            "image",
            "include",
            "input",
            "instructions",
            "max_output_tokens",
            "max_tool_calls",
            "metadata",
            "model",
            "moderation",
            "parallel_tool_calls",
            "previous_response_id",
            "prompt",
            "prompt_cache_key",
            "prompt_cache_options",
            "prompt_cache_retention",
            "provider",
            "reasoning",
            "safety_identifier",
            "service_tier",
            "store",
            "stream",
            "stream_options",
            "temperature",
            "text",
            "tool_choice",
            "tools",
            "top_logprobs",
            "top_p",
            "truncation",
            "user",
        ],
    ),
    (
        "anthropic",
        &[
            "anthropic_beta",
            "anthropic_version",
            "betas",
            "cache_control",
            "container",
            "context_management",
            "diagnostics",
            "inference_geo",
            "max_tokens",
            "mcp_servers",
            "messages",
            "metadata",
            "model",
            "output_config",
            "output_format",
            "service_tier",
            "speed",
            "stop_sequences",
            "stream",
            "system",
            "temperature",
            "thinking",
            "tool_choice",
            "tools",
            "top_k",
            "top_p",
            "user_profile_id",
            "workspace_id",
        ],
    ),
    (
        "gemini",
        &[
            "cachedContent",
            "config",
            "contents",
            "continuationToken",
            "generationConfig",
            "labels",
            "model",
            "modelArmorConfig",
            "outputConfig",
            "safetySettings",
            "serviceTier",
            "store",
            "systemInstruction",
            "toolConfig",
            "tools",
        ],
    ),
    (
        "bedrock",
        &[
            "additionalModelRequestFields",
            "additionalModelResponseFieldPaths",
            "guardrailConfig",
            "inferenceConfig",
            "messages",
            "model",
            "modelId",
            "outputConfig",
            "performanceConfig",
            "promptVariables",
            "requestMetadata",
            "serviceTier",
            "system",
            "toolConfig",
        ],
    ),
];

/// Members that only a response has, and that have no meaning for a model.
const OF_RESPONSES: [&str; 17] = [
    "id",
    "object",
    "created",
    "created_at",
    "completed_at",
    "status",
    "error",
    "incomplete_details",
    "output_text",
    "usage",
    "billing",
    "system_fingerprint",
    "stop_reason",
    "stop_sequence",
    "usageMetadata",
    "modelVersion",
    "responseId",
];

/// True if requests of a dialect have a member, also in the snake_case of Python's dumps.
pub fn is_known(dialect: &str, key: &str) -> bool {
    let camel = to_camel_case(key);
    let has = |members: &[&str]| members.contains(&key) || members.contains(&&*camel);
    MEMBERS.iter().any(|(name, members)| *name == dialect && has(members))
}

/// True if requests of some dialect have a member.
pub fn is_of_any_dialect(key: &str) -> bool {
    MEMBERS.iter().any(|(_, members)| members.contains(&key))
}

/// A name in camelCase, as Google and AWS document theirs.
pub fn to_camel_case(name: &str) -> Cow<'_, str> {
    if !name.contains('_') {
        return Cow::Borrowed(name);
    }
    let mut words = name.split('_');
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    Cow::Owned(out)
}

/// True if only responses have a member.
pub fn is_response_only(key: &str) -> bool {
    OF_RESPONSES.contains(&key)
}
