//! The capabilities of the sessions of agents. Their names are those of no dialect, so that raw values of a provider are
//! never written into them.

use crate::message::{Capabilities, Chars, IdRule, MediaKind, MediaSupport};

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
