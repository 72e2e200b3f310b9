//! Topics of errors that no history causes: what each means, and what to do next.

/// The topic of an error that no history causes.
#[derive(Debug, PartialEq, Eq)]
pub struct Topic {
    pub name: &'static str,
    /// What the error is, as a clause.
    pub description: &'static str,
    /// What to do next, as a sentence.
    pub advice: &'static str,
    /// A command that helps, as a template, and what it does, as the rest of a sentence.
    pub command: Option<(&'static str, &'static str)>,
    /// The conversation is too large, or a document of it cannot be used: no rule finds that, but it is not about anything else.
    pub is_of_history: bool,
}

impl Topic {
    pub(super) const BASE: Topic =
        Topic { name: "", description: "", advice: "", command: None, is_of_history: false };
}

pub(super) static CREDENTIALS: Topic = Topic {
    name: "credentials",
    description: "the server did not accept the credentials, or they do not cover what was asked for",
    advice: "Sign in again, or check the API key, its project and its permissions.",
    ..Topic::BASE
};
pub(super) static CREDIT: Topic = Topic {
    name: "credit",
    description: "the account has no credit left, or its plan is used up",
    advice: "Check plan and billing, or wait until the limit resets; then send the same request again.",
    ..Topic::BASE
};
pub(super) static RATE: Topic = Topic {
    name: "rate-limit",
    description: "too many requests or tokens were sent in a short time",
    advice: "Wait as long as the answer says and send the same request again.",
    ..Topic::BASE
};
pub(super) static OVERLOAD: Topic = Topic {
    name: "overload",
    description: "the server is overloaded or failed",
    advice: "Wait and send the same request again.",
    ..Topic::BASE
};
pub(super) static NETWORK: Topic = Topic {
    name: "network",
    description: "the connection failed before an answer was complete",
    advice: "Check network and proxy, and send the same request again.",
    ..Topic::BASE
};
pub(super) static LENGTH: Topic = Topic {
    name: "context-length",
    description: "the request is longer than the model's context window, or leaves too little room for the answer",
    advice: "Shorten the history, or lower the limit of output tokens.",
    command: Some((
        "replaylint fix --max-tokens 100k FILE",
        "shortens it from its oldest end: long results first, then whole steps; your messages stay",
    )),
    is_of_history: true,
};
pub(super) static OUTPUT_LENGTH: Topic = Topic {
    name: "output-length",
    description: "the request asks for more output tokens than the model can give",
    advice: "Lower `max_tokens` (`max_output_tokens`) in the request.",
    ..Topic::BASE
};
pub(super) static POLICY: Topic = Topic {
    name: "content-policy",
    description: "a content filter blocked the prompt or the answer",
    advice: "Rephrase or remove what the filter objects to; repairing the history does not help.",
    ..Topic::BASE
};
pub(super) static PARAMETER: Topic = Topic {
    name: "parameter",
    description: "the model or server does not support a parameter of the request, or its value",
    advice: "Remove the parameter from the request, or change it as the message says.",
    ..Topic::BASE
};
pub(super) static TOOLS: Topic = Topic {
    name: "tool-definition",
    description: "the server rejected the definition of a tool in `tools`, not a call in the history",
    advice: "Correct the tool's name or JSON Schema, or leave the tool out.",
    ..Topic::BASE
};
pub(super) static INSTRUCTION: Topic = Topic {
    name: "instructions",
    description: "the instructions beside the history (`system`, `system_instruction`) are empty or malformed",
    advice: "Correct the instructions, or leave them out.",
    ..Topic::BASE
};
pub(super) static DOCUMENT: Topic = Topic {
    name: "document",
    description: "the server cannot process a document of the conversation: its pages, or its content",
    advice: "Split or convert it, or remove old documents from the history.",
    is_of_history: true,
    ..Topic::BASE
};
pub(super) static MODEL: Topic = Topic {
    name: "model",
    description: "the model or endpoint does not exist, was taken out of service, or the account has no access to it",
    advice: "Use another model.",
    command: Some(("replaylint check --model NAME FILE", "checks the history for it")),
    ..Topic::BASE
};
pub(super) static ROUTE: Topic = Topic {
    name: "route",
    description: "the gateway has no provider that supports what the request asks for",
    advice: "Allow more providers, or use a model that supports it.",
    ..Topic::BASE
};
pub(super) static FEATURE: Topic = Topic {
    name: "feature",
    description: "the API does not offer a feature that the request asks for",
    advice: "Turn the feature off in the client, or use an API that has it.",
    ..Topic::BASE
};
