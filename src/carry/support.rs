//! The capabilities of the sessions of agents. Their names are those of no dialect, so that raw values of a provider are
//! never written into them.

use crate::message::{Capabilities, Chars, IdRule, MediaKind, MediaSupport, ReasoningProvider};

const IMAGE: MediaSupport = MediaSupport { data: true, ..MediaSupport::none(MediaKind::Image) };
const FILE: MediaSupport = MediaSupport { data: true, ..MediaSupport::none(MediaKind::File) };
const WORD: IdRule = IdRule::new(Chars::Word, 64);

const SESSION: Capabilities = Capabilities {
    call_ids: WORD,
    unique_calls: true,
    tool_names: IdRule::new(Chars::Word, 64),
    blank_texts: false,
    error_marks: true,
    late_instructions: false,
    calls_last: true,
    object_inputs: true,
    media: &[IMAGE],
    names_model: false,
    ..Capabilities::NOTHING
};

pub static CODEX: Capabilities = Capabilities {
    dialect: "codex-session",
    custom_calls: true,
    error_marks: false,
    calls_last: false,
    object_inputs: false,
    ..SESSION
};

pub static CLAUDE_CODE: Capabilities = Capabilities {
    dialect: "claude-code-session",
    tool_names: IdRule::new(Chars::Word, 128),
    media: &[
        MediaSupport { subtypes: &["png", "jpeg", "gif", "webp"], ..IMAGE },
        MediaSupport { subtypes: &["pdf"], ..FILE },
    ],
    result_media: &[MediaKind::Image, MediaKind::File],
    user_first: true,
    ..SESSION
};

pub static OPENCODE: Capabilities = Capabilities {
    dialect: "opencode-export",
    media: &[IMAGE, FILE],
    result_media: &[MediaKind::Image, MediaKind::File],
    user_first: true,
    ..SESSION
};

pub static PI: Capabilities =
    Capabilities { dialect: "pi-session", result_media: &[MediaKind::Image], user_first: true, ..SESSION };

pub static GEMINI: Capabilities = Capabilities {
    dialect: "gemini-session",
    call_ids: IdRule::new(Chars::Any, 256),
    media: &[
        IMAGE,
        FILE,
        MediaSupport { kind: MediaKind::Audio, ..IMAGE },
        MediaSupport { kind: MediaKind::Video, ..IMAGE },
    ],
    user_first: true,
    file_names: false,
    ..SESSION
};

pub static UI_MESSAGES: Capabilities = Capabilities {
    dialect: "ui-messages",
    call_ids: IdRule::new(Chars::Any, 256),
    late_instructions: true,
    media: &[MediaSupport { url: true, ..IMAGE }, MediaSupport { url: true, ..FILE }],
    ..SESSION
};

pub static MODEL_MESSAGES: Capabilities = Capabilities {
    dialect: "model-messages",
    blank_texts: true,
    reasoning_providers: &[ReasoningProvider::OpenAi, ReasoningProvider::Anthropic, ReasoningProvider::Google],
    signatures: true,
    cache_marks: usize::MAX,
    call_ids: IdRule::new(Chars::Any, 256),
    tool_names: IdRule::new(Chars::Any, 256),
    names: true,
    late_instructions: true,
    calls_last: false,
    media: &[
        MediaSupport { url: true, ..IMAGE },
        MediaSupport { url: true, plain: true, ..FILE },
        MediaSupport { kind: MediaKind::Audio, url: true, ..FILE },
        MediaSupport { kind: MediaKind::Video, url: true, ..FILE },
    ],
    result_media: &[MediaKind::Image, MediaKind::File, MediaKind::Audio, MediaKind::Video],
    model_media: true,
    detail: true,
    document_metadata: true,
    file_names: true,
    ..SESSION
};

pub static LANGCHAIN: Capabilities = Capabilities {
    dialect: "langchain-messages",
    blank_texts: true,
    reasoning_providers: &[ReasoningProvider::OpenAi, ReasoningProvider::Anthropic],
    cache_marks: usize::MAX,
    call_ids: IdRule::new(Chars::Any, 256),
    tool_names: IdRule::new(Chars::Any, 256),
    names: true,
    late_instructions: true,
    object_inputs: false,
    detail: true,
    document_metadata: true,
    file_names: true,
    media: &[
        MediaSupport { url: true, ..IMAGE },
        MediaSupport { url: true, plain: true, ..FILE },
        MediaSupport { kind: MediaKind::Audio, ..FILE },
    ],
    result_media: &[MediaKind::Image, MediaKind::File],
    model_media: true,
    ..SESSION
};
