//! The table of envelopes: requests, responses, pages, batches and exchanges of the providers' APIs. A new envelope is a row.

use crate::format::envelope::{Envelope, RecordShape, ScoreRule};
use crate::format::{Format, FormatInfo, Layout, Probe, RecordPart, RemovalUnit, Upstream};
use crate::history::Usage;
use crate::json::name;

use super::openai::{chat, responses};
use super::{anthropic, aws, google};

impl Format for Envelope {
    fn info(&'static self) -> &'static FormatInfo {
        &self.info
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        self.score(probe)
    }

    fn layout(&'static self) -> Layout {
        Layout::Envelope(self)
    }
}

pub static RESPONSES_REQUEST: Envelope = Envelope {
    info: FormatInfo {
        name: "responses-request",
        title: "body of a Responses request",
        upstream: Some(Upstream {
            repository: "openai/openai-python",
            file: Some("src/openai/types/responses"),
            version: Some("3.54.0"),
        }),
        known_by: "an object with `input`, and `model` or a list of items; or with a stored `prompt`",
        usage: Usage::Request,
        parts: &[RecordPart { path: &["input"], unit: RemovalUnit::Element }],
        ..FormatInfo::of(responses::API.dialect, "openai")
    },
    ..Envelope::of(&responses::API, "openai")
};

pub static RESPONSES_OBJECT: Envelope = Envelope {
    info: FormatInfo {
        name: "responses-object",
        title: "response of the Responses API",
        upstream: Some(Upstream {
            repository: "openai/openai-python",
            file: Some("src/openai/types/responses"),
            version: Some("3.54.0"),
        }),
        known_by: "`object` is \"response\", and `output` is a list",
        parts: &[RecordPart { path: &["output"], unit: RemovalUnit::Element }],
        records_responses: true,
        ..FormatInfo::of(responses::API.dialect, "openai")
    },
    shape: RecordShape::Response,
    score_rule: ScoreRule::Parts(100),
    ..Envelope::of(&responses::API, "openai")
};

/// A page of `GET /v1/responses/{id}/input_items`. The API lists the newest item first unless it was asked for `order=asc`, which
/// the page does not state: `--order oldest-first` does.
pub static RESPONSES_PAGE: Envelope = Envelope {
    info: FormatInfo {
        name: "responses-page",
        title: "page of a response's input items",
        upstream: Some(Upstream {
            repository: "openai/openai-python",
            file: Some("src/openai/types/responses"),
            version: Some("3.54.0"),
        }),
        known_by: "`object` is \"list\", and `data` is a list of items",
        parts: &[RecordPart { path: &["data"], unit: RemovalUnit::Element }],
        ..FormatInfo::of(responses::API.dialect, "openai")
    },
    shape: RecordShape::Page { newest_first: true },
    score_rule: ScoreRule::Custom(responses::page_score),
    required_keys: &[&[name::object], &[name::data]],
    ..Envelope::of(&responses::API, "openai")
};

/// A request together with its response, as proxies and recorders write it. Either may be stored as a JSON string: then it is
/// read, and never edited.
pub static RESPONSES_EXCHANGE: Envelope = Envelope {
    info: FormatInfo {
        name: "responses-exchange",
        title: "Responses request with its response",
        known_by: "`request` or `body`, a request, and `response`, its response (either may be a JSON string)",
        usage: Usage::Exchange,
        parts: &[
            RecordPart { path: &["request", "input"], unit: RemovalUnit::Element },
            RecordPart { path: &["body", "input"], unit: RemovalUnit::Element },
            RecordPart { path: &["request", "body", "input"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "output"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "body", "output"], unit: RemovalUnit::Element },
        ],
        records_responses: true,
        ..FormatInfo::of(responses::API.dialect, "openai")
    },
    shape: RecordShape::Exchange { requests: 3 },
    score_rule: ScoreRule::Parts(90),
    required_keys: &[&[name::response], &[name::request, name::body]],
    excluded_keys: &[name::custom_id],
    ..Envelope::of(&responses::API, "openai")
};

/// Lines of the Batch API: `{"custom_id": …, "body": {request}}` as input, and `{"custom_id": …, "response": {"body":
/// {response}}}` as output.
pub static RESPONSES_BATCH: Envelope = Envelope {
    info: FormatInfo {
        name: "responses-batch",
        title: "lines of the Batch API for Responses, input and output",
        upstream: Some(Upstream {
            repository: "openai/openai-python",
            file: Some("src/openai/types/responses"),
            version: Some("3.54.0"),
        }),
        known_by: "`custom_id` with a request in `body`, or a response in `response.body`",
        usage: Usage::Request,
        parts: &[
            RecordPart { path: &["body", "input"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "body", "output"], unit: RemovalUnit::Element },
        ],
        records_responses: true,
        ..FormatInfo::of(responses::API.dialect, "openai")
    },
    shape: RecordShape::Batch { requests: 1, list: "" },
    score_rule: ScoreRule::Parts(98),
    required_keys: &[&[name::custom_id]],
    labels_entries: true,
    response_settings: Some(responses::settings_in_batch),
    ..Envelope::of(&responses::API, "openai")
};

pub static CHAT_REQUEST: Envelope = Envelope {
    info: FormatInfo {
        name: "chat-request",
        title: "body of a Chat Completions request",
        upstream: Some(Upstream {
            repository: "openai/openai-python",
            file: Some("src/openai/types/chat"),
            version: Some("3.54.0"),
        }),
        known_by: "an object with `messages`, a list of objects with a `role`; or a list of Chat messages",
        usage: Usage::Request,
        parts: &[
            RecordPart { path: &["messages"], unit: RemovalUnit::Element },
            RecordPart { path: &[], unit: RemovalUnit::Element },
        ],
        is_plausible: Some(chat::is_plausible),
        ..FormatInfo::of(chat::API.dialect, "chat")
    },
    settings: Some(chat::request_settings),
    ..Envelope::of(&chat::API, "chat")
};

pub static CHAT_COMPLETION: Envelope = Envelope {
    info: FormatInfo {
        name: "chat-completion",
        title: "response of the Chat Completions API",
        upstream: Some(Upstream {
            repository: "openai/openai-python",
            file: Some("src/openai/types/chat"),
            version: Some("3.54.0"),
        }),
        known_by: "`object` is \"chat.completion\", and `choices` is a list",
        parts: &[RecordPart { path: &["choices"], unit: RemovalUnit::Element }],
        is_read_whole: true,
        ..FormatInfo::of(chat::API.dialect, "chat")
    },
    shape: RecordShape::Response,
    score_rule: ScoreRule::Parts(100),
    ..Envelope::of(&chat::API, "chat")
};

/// A page of stored completions, `GET /v1/chat/completions`, or of the messages of one of them. The oldest comes first, unless the
/// page was asked for otherwise.
pub static CHAT_PAGE: Envelope = Envelope {
    info: FormatInfo {
        name: "chat-page",
        title: "page of stored completions, or of the messages of one",
        upstream: Some(Upstream {
            repository: "openai/openai-python",
            file: Some("src/openai/types/chat"),
            version: Some("3.54.0"),
        }),
        known_by: "`object` is \"list\", and `data` is a list of completions, or of messages with ids of completions",
        parts: &[RecordPart { path: &["data"], unit: RemovalUnit::Element }],
        is_read_whole: true,
        ..FormatInfo::of(chat::API.dialect, "chat")
    },
    shape: RecordShape::Page { newest_first: false },
    score_rule: ScoreRule::Custom(chat::page_score),
    required_keys: &[&[name::object], &[name::data]],
    ..Envelope::of(&chat::API, "chat")
};

pub static CHAT_EXCHANGE: Envelope = Envelope {
    info: FormatInfo {
        name: "chat-exchange",
        title: "Chat Completions request with its response",
        known_by: "`request` or `body` with `messages`, and `response` with `choices` (either may be a JSON string)",
        usage: Usage::Exchange,
        parts: &[
            RecordPart { path: &["request", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["body", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["request", "body", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "choices"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "body", "choices"], unit: RemovalUnit::Element },
        ],
        ..FormatInfo::of(chat::API.dialect, "chat")
    },
    shape: RecordShape::Exchange { requests: 3 },
    score_rule: ScoreRule::Exchange(95),
    required_keys: &[&[name::response], &[name::request, name::body]],
    excluded_keys: &[name::custom_id],
    ..Envelope::of(&chat::API, "chat")
};

pub static CHAT_BATCH: Envelope = Envelope {
    info: FormatInfo {
        name: "chat-batch",
        title: "lines of the Batch API for Chat Completions, input and output",
        upstream: Some(Upstream {
            repository: "openai/openai-python",
            file: Some("src/openai/types/chat"),
            version: Some("3.54.0"),
        }),
        known_by: "`custom_id` with `messages` in `body`, or a completion in `response.body`",
        usage: Usage::Request,
        parts: &[
            RecordPart { path: &["body", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "body", "choices"], unit: RemovalUnit::Element },
        ],
        ..FormatInfo::of(chat::API.dialect, "chat")
    },
    shape: RecordShape::Batch { requests: 1, list: "" },
    score_rule: ScoreRule::Parts(97),
    required_keys: &[&[name::custom_id]],
    labels_entries: true,
    ..Envelope::of(&chat::API, "chat")
};

/// Lines for supervised fine-tuning.
pub static CHAT_TRAINING: Envelope = Envelope {
    info: FormatInfo {
        name: "chat-training",
        title: "lines for fine-tuning on Chat Completions",
        known_by: "`messages` without `model`, with a `weight` on one of them or the assistant's last",
        parts: &[RecordPart { path: &["messages"], unit: RemovalUnit::Element }],
        ..FormatInfo::of(chat::API.dialect, "chat")
    },
    score_rule: ScoreRule::Custom(chat::training_score),
    required_keys: &[&[name::messages]],
    settings: Some(chat::training_settings),
    ..Envelope::of(&chat::API, "chat")
};

pub static CHAT_PREFERENCE: Envelope = Envelope {
    info: FormatInfo {
        name: "chat-preference",
        title: "lines for fine-tuning by preference on Chat Completions",
        known_by: "`preferred_output`, `non_preferred_output` and `input.messages`",
        parts: &[
            RecordPart { path: &["input", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["preferred_output"], unit: RemovalUnit::Element },
            RecordPart { path: &["non_preferred_output"], unit: RemovalUnit::Element },
        ],
        is_read_whole: true,
        ..FormatInfo::of(chat::API.dialect, "chat")
    },
    shape: RecordShape::Custom(chat::preference::read),
    score_rule: ScoreRule::Custom(chat::preference_score),
    required_keys: &[&[name::input]],
    ..Envelope::of(&chat::API, "chat")
};

pub static ANTHROPIC_REQUEST: Envelope = Envelope {
    info: FormatInfo {
        name: "anthropic-request",
        title: "body of an Anthropic Messages request, or the list of its messages",
        upstream: Some(Upstream {
            repository: "anthropics/anthropic-sdk-python",
            file: Some("src/anthropic/types"),
            version: Some("2.12.0"),
        }),
        known_by: "`messages` with `system`, `anthropic_version` or tools with `input_schema`; `max_tokens` before \
              `messages`, roles and texts, and no member of Chat's; or a list with blocks that only Anthropic has",
        usage: Usage::Request,
        parts: &[
            RecordPart { path: &["messages"], unit: RemovalUnit::Element },
            RecordPart { path: &[], unit: RemovalUnit::Element },
        ],
        is_plausible: Some(anthropic::request::is_plausible),
        ..FormatInfo::of(anthropic::API.dialect, "anthropic")
    },
    labels_entries: true,
    ..Envelope::of(&anthropic::API, "anthropic")
};

pub static ANTHROPIC_BATCH: Envelope = Envelope {
    info: FormatInfo {
        name: "anthropic-batch",
        title: "Anthropic Message Batches, requests and results",
        upstream: Some(Upstream {
            repository: "anthropics/anthropic-sdk-python",
            file: Some("src/anthropic/types"),
            version: Some("2.12.0"),
        }),
        known_by: "`custom_id` with a request in `params` or a batch `result`; or a list of such `requests`",
        usage: Usage::Request,
        parts: &[
            RecordPart { path: &["requests", "params", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["params", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["result", "message"], unit: RemovalUnit::Record },
        ],
        records_responses: true,
        ..FormatInfo::of(anthropic::API.dialect, "anthropic")
    },
    shape: RecordShape::Batch { requests: 2, list: "requests" },
    score_rule: ScoreRule::Custom(anthropic::batch_score),
    labels_entries: true,
    ..Envelope::of(&anthropic::API, "anthropic")
};

pub static ANTHROPIC_MESSAGE: Envelope = Envelope {
    info: FormatInfo {
        name: "anthropic-message",
        title: "message as the Anthropic Messages API returns it",
        upstream: Some(Upstream {
            repository: "anthropics/anthropic-sdk-python",
            file: Some("src/anthropic/types"),
            version: Some("2.12.0"),
        }),
        known_by: "`type` is \"message\", with `stop_reason`, `role` and `content`",
        parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
        records_responses: true,
        ..FormatInfo::of(anthropic::API.dialect, "anthropic")
    },
    shape: RecordShape::Response,
    score_rule: ScoreRule::Custom(anthropic::message::score),
    ..Envelope::of(&anthropic::API, "anthropic")
};

pub static GEMINI_REQUEST: Envelope = Envelope {
    info: FormatInfo {
        name: "gemini-request",
        title: "body of a Gemini request, or the list of its contents",
        upstream: Some(Upstream {
            repository: "googleapis/python-genai",
            file: Some("google/genai/types.py"),
            version: Some("3.4.0"),
        }),
        known_by: "`contents` with `parts`, or a list of contents",
        usage: Usage::Request,
        parts: &[
            RecordPart { path: &["contents"], unit: RemovalUnit::Element },
            RecordPart { path: &[], unit: RemovalUnit::Element },
        ],
        ..FormatInfo::of(google::API.dialect, "gemini")
    },
    ..Envelope::of(&google::API, "gemini")
};

pub static GEMINI_RESPONSE: Envelope = Envelope {
    info: FormatInfo {
        name: "gemini-response",
        title: "response of the Gemini API",
        upstream: Some(Upstream {
            repository: "googleapis/python-genai",
            file: Some("google/genai/types.py"),
            version: Some("3.4.0"),
        }),
        known_by: "`candidates`, a list of objects with `content` or `finishReason`; or `promptFeedback` with `modelVersion`",
        parts: &[RecordPart { path: &["candidates"], unit: RemovalUnit::Element }],
        records_responses: true,
        is_read_whole: true,
        ..FormatInfo::of(google::API.dialect, "gemini")
    },
    shape: RecordShape::Response,
    score_rule: ScoreRule::Parts(90),
    ..Envelope::of(&google::API, "gemini")
};

/// The response is optional. Unlike a request alone, the record names the model: in the response's `modelVersion`, or in the
/// URL of the request.
pub static GEMINI_EXCHANGE: Envelope = Envelope {
    info: FormatInfo {
        name: "gemini-exchange",
        title: "Gemini request with its response",
        known_by: "`request` or `body` with `contents`, and usually a `response` with `candidates`",
        usage: Usage::Exchange,
        parts: &[
            RecordPart { path: &["request", "contents"], unit: RemovalUnit::Element },
            RecordPart { path: &["body", "contents"], unit: RemovalUnit::Element },
            RecordPart { path: &["request", "body", "contents"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "candidates"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "body", "candidates"], unit: RemovalUnit::Element },
        ],
        records_responses: true,
        ..FormatInfo::of(google::API.dialect, "gemini")
    },
    shape: RecordShape::Exchange { requests: 3 },
    score_rule: ScoreRule::Parts(92),
    required_keys: &[&[name::request, name::body]],
    labels_entries: true,
    ..Envelope::of(&google::API, "gemini")
};

pub static BEDROCK_REQUEST: Envelope = Envelope {
    info: FormatInfo {
        name: "bedrock-request",
        title: "body of a Bedrock Converse request, or the list of its messages",
        upstream: Some(Upstream {
            repository: "boto/botocore",
            file: Some("botocore/data/bedrock-runtime/2023-09-30/service-2.json"),
            version: Some("1.44.5"),
        }),
        known_by: "`messages` with blocks without a `type`, or with `inferenceConfig` or `toolConfig`",
        usage: Usage::Request,
        parts: &[
            RecordPart { path: &["messages"], unit: RemovalUnit::Element },
            RecordPart { path: &[], unit: RemovalUnit::Element },
        ],
        is_plausible: Some(aws::request::is_plausible),
        ..FormatInfo::of(aws::API.dialect, "bedrock")
    },
    ..Envelope::of(&aws::API, "bedrock")
};

pub static BEDROCK_RESPONSE: Envelope = Envelope {
    info: FormatInfo {
        name: "bedrock-response",
        title: "response of Bedrock's Converse",
        upstream: Some(Upstream {
            repository: "boto/botocore",
            file: Some("botocore/data/bedrock-runtime/2023-09-30/service-2.json"),
            version: Some("1.44.5"),
        }),
        known_by: "`output` with a `message` in it",
        parts: &[RecordPart { path: &["output", "message"], unit: RemovalUnit::Element }],
        records_responses: true,
        ..FormatInfo::of(aws::API.dialect, "bedrock")
    },
    shape: RecordShape::Response,
    score_rule: ScoreRule::Parts(92),
    required_keys: &[&[name::output]],
    ..Envelope::of(&aws::API, "bedrock")
};

/// Includes records of Bedrock's own invocation log, which has request and response under `input` and `output`.
/// Lines of Bedrock's batch inference with Claude: bodies as `InvokeModel` takes them, and in the output the answers.
pub static BEDROCK_BATCH: Envelope = Envelope {
    info: FormatInfo {
        name: "bedrock-batch",
        title: "lines of Bedrock batch inference with Claude, input and output",
        known_by: "`modelInput`, an Anthropic request, and in the output `modelOutput`, a message",
        usage: Usage::Exchange,
        parts: &[
            RecordPart { path: &["modelInput", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["modelOutput"], unit: RemovalUnit::Record },
        ],
        records_responses: true,
        ..FormatInfo::of(anthropic::API.dialect, "anthropic")
    },
    shape: RecordShape::Exchange { requests: 1 },
    score_rule: ScoreRule::Exchange(94),
    required_keys: &[&[name::modelInput]],
    labels_entries: true,
    ..Envelope::of(&anthropic::API, "anthropic")
};
pub static BEDROCK_EXCHANGE: Envelope = Envelope {
    info: FormatInfo {
        name: "bedrock-exchange",
        title: "Bedrock Converse request with its response",
        known_by: "`request` or `body`, a Converse request, and its `response`; or a record of Bedrock's invocation log or \
                   of its batches",
        usage: Usage::Exchange,
        parts: &[
            RecordPart { path: &["request", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["body", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["request", "body", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["input", "inputBodyJson", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["modelInput", "messages"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "output"], unit: RemovalUnit::Element },
            RecordPart { path: &["response", "body", "output"], unit: RemovalUnit::Element },
            RecordPart { path: &["output", "outputBodyJson", "output"], unit: RemovalUnit::Element },
            RecordPart { path: &["modelOutput", "output"], unit: RemovalUnit::Element },
        ],
        records_responses: true,
        ..FormatInfo::of(aws::API.dialect, "bedrock")
    },
    shape: RecordShape::Exchange { requests: 5 },
    score_rule: ScoreRule::Parts(92),
    required_keys: &[&[name::request, name::body, name::input, name::modelInput]],
    labels_entries: true,
    ..Envelope::of(&aws::API, "bedrock")
};
