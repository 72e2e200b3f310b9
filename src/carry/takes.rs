//! What the sessions of agents can say. The names are those of no dialect, so that what only a provider understands does
//! not get into them.

use crate::message::{Chars, IdRule, MediaKind, Takeable, Takes};

const IMAGE: Takeable = Takeable { data: true, ..Takeable::none(MediaKind::Image) };
const FILE: Takeable = Takeable { data: true, ..Takeable::none(MediaKind::File) };
const WORD: IdRule = IdRule::new(Chars::Word, 64);

const SESSION: Takes = Takes {
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
    ..Takes::NOTHING
};

pub static CODEX: Takes = Takes {
    dialect: "codex-session",
    custom_calls: true,
    error_marks: false,
    calls_last: false,
    object_inputs: false,
    ..SESSION
};

pub static CLAUDE_CODE: Takes = Takes {
    dialect: "claude-code-session",
    tool_names: IdRule::new(Chars::Word, 128),
    media: &[
        Takeable { subtypes: &["png", "jpeg", "gif", "webp"], ..IMAGE },
        Takeable { subtypes: &["pdf"], ..FILE },
    ],
    result_media: &[MediaKind::Image, MediaKind::File],
    user_first: true,
    ..SESSION
};

pub static OPENCODE: Takes = Takes {
    dialect: "opencode-export",
    media: &[IMAGE, FILE],
    result_media: &[MediaKind::Image, MediaKind::File],
    user_first: true,
    ..SESSION
};

pub static PI: Takes =
    Takes { dialect: "pi-session", result_media: &[MediaKind::Image], user_first: true, ..SESSION };

pub static GEMINI: Takes = Takes {
    dialect: "gemini-session",
    call_ids: IdRule::new(Chars::Any, 256),
    media: &[
        IMAGE,
        FILE,
        Takeable { kind: MediaKind::Audio, ..IMAGE },
        Takeable { kind: MediaKind::Video, ..IMAGE },
    ],
    user_first: true,
    file_names: false,
    ..SESSION
};

pub static UI_MESSAGES: Takes = Takes {
    dialect: "ui-messages",
    call_ids: IdRule::new(Chars::Any, 256),
    late_instructions: true,
    media: &[Takeable { url: true, ..IMAGE }, Takeable { url: true, ..FILE }],
    ..SESSION
};
