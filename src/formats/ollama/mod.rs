//! Ollama's own API, `/api/chat`: its requests, and its answers. Both are translated into messages of Chat Completions, which
//! Ollama serves as well.
//!
//! Source: `api/types.go` of ollama/ollama.

pub(in crate::formats) mod evidence;
mod message;
pub mod request;
pub mod response;
mod settings;

use crate::dialects::chat::CHAT;
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{FormatInfo, HistoryScope, RecordPart, RemovalUnit, Upstream};

/// What both formats have in common.
const BASE: FormatInfo = FormatInfo {
    upstream: Some(Upstream { repository: "ollama/ollama", file: Some("api/types.go"), version: None }),
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    unsent: UNSENT,
    ..FormatInfo::of(&CHAT, "ollama")
};

/// Values that are not part of messages.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["**/tool_name"], why: "the name is in the call" },
    UnsentPaths { paths: &["done", "done_reason"], why: "how the answer ended" },
    UnsentPaths { paths: &["remote_model", "remote_host", "logprobs/**"], why: "about the answer" },
    UnsentPaths { paths: &["format="], why: "an empty format is none" },
];
