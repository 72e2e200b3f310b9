//! The formats, a folder a family, an agent's in a folder of its own, and their table.

pub mod agents;
pub mod anthropic;
pub mod aws;
mod buffered_records;
pub mod datasets;
pub mod envelopes;
pub mod exports;
pub mod google;
mod member;
pub mod ollama;
pub mod openai;
mod provider;
pub(crate) mod scoring;
pub mod sdks;
mod threads;
pub mod traces;
pub mod unsupported;

use std::sync::LazyLock;

use foldhash::HashMap;

use crate::carry::SessionWriter;
use crate::format::{Format, Probe};
use crate::json::NameSet;

/// All formats. Among formats that are equally sure of a record, the first wins.
pub static FORMATS: &[&dyn Format] = &[
    &envelopes::RESPONSES_REQUEST,
    &envelopes::RESPONSES_OBJECT,
    &envelopes::RESPONSES_PAGE,
    &envelopes::RESPONSES_EXCHANGE,
    &envelopes::RESPONSES_BATCH,
    &envelopes::CHAT_REQUEST,
    &envelopes::CHAT_COMPLETION,
    &envelopes::CHAT_PAGE,
    &envelopes::CHAT_EXCHANGE,
    &envelopes::CHAT_BATCH,
    &envelopes::CHAT_TRAINING,
    &envelopes::CHAT_PREFERENCE,
    &envelopes::ANTHROPIC_REQUEST,
    &envelopes::ANTHROPIC_BATCH,
    &envelopes::ANTHROPIC_MESSAGE,
    &envelopes::GEMINI_REQUEST,
    &envelopes::GEMINI_RESPONSE,
    &envelopes::GEMINI_EXCHANGE,
    &envelopes::BEDROCK_REQUEST,
    &envelopes::BEDROCK_RESPONSE,
    &envelopes::BEDROCK_EXCHANGE,
    &envelopes::BEDROCK_BATCH,
    &openai::responses::items::FORMAT,
    &openai::responses::item_lines::FORMAT,
    &openai::responses::stream::FORMAT,
    &openai::chat::stream::FORMAT,
    &anthropic::stream::FORMAT,
    &google::stream::FORMAT,
    &aws::stream::FORMAT,
    &ollama::request::FORMAT,
    &ollama::response::FORMAT,
    &agents::codex::rollout::FORMAT,
    &agents::codex::session::FORMAT,
    &agents::coder::chat::FORMAT,
    &agents::coder::chat_lines::FORMAT,
    &agents::coder::page::FORMAT,
    &sdks::openai_agents::session::FORMAT,
    &sdks::openai_agents::run_state::FORMAT,
    &sdks::openai_agents::js_state::FORMAT,
    &sdks::ag2::events::FORMAT,
    &sdks::ag2::log::FORMAT,
    &agents::claude_code::FORMAT,
    &agents::kode::session::FORMAT,
    &agents::kode::responses::FORMAT,
    &agents::iterate::FORMAT,
    &agents::opencode::export::FORMAT,
    &agents::opencode::store::FORMAT,
    &agents::opencode::v2::FORMAT,
    &agents::crush::FORMAT,
    &agents::goose::FORMAT,
    &sdks::google_adk::FORMAT,
    &sdks::vercel::ui_messages::FORMAT,
    &sdks::vercel::model_messages::FORMAT,
    &agents::pi::FORMAT,
    &agents::cline::session::FORMAT,
    &agents::cline::roo_task::FORMAT,
    &agents::gemini_cli::FORMAT,
    &agents::copilot_cli::FORMAT,
    &sdks::langchain::messages::FORMAT,
    &sdks::langchain::langgraph_state::FORMAT,
    &sdks::langchain::langgraph_checkpoint::FORMAT,
    &agents::codex::exec::FORMAT,
    &agents::gemini_cli::recording::FORMAT,
    &agents::openhands::FORMAT,
    &traces::inspect_log::FORMAT,
    &sdks::pydantic_ai::FORMAT,
    &agents::qwen_code::FORMAT,
    &exports::chatgpt::FORMAT,
    &exports::claude_ai::FORMAT,
    &exports::ai_studio::FORMAT,
    &exports::grok::FORMAT,
    &agents::droid::FORMAT,
    &agents::kimi::FORMAT,
    &agents::kimi_cli::FORMAT,
    &agents::hermes::FORMAT,
    &agents::grok_cli::FORMAT,
    &agents::antigravity::FORMAT,
    &agents::amp::FORMAT,
    &agents::zed::FORMAT,
    &agents::cursor::FORMAT,
    &agents::amplifier::FORMAT,
    &agents::continue_cli::FORMAT,
    &agents::vibe::FORMAT,
    &agents::atif::FORMAT,
    &traces::litellm_log::FORMAT,
    &traces::langfuse::FORMAT,
    &traces::otel_genai::FORMAT,
    &traces::openinference::FORMAT,
    &datasets::sharegpt::FORMAT,
    &datasets::alpaca::FORMAT,
];

/// Keys that together only records of a few formats have, with the names of these: the others need not be asked, as a test
/// verifies. Lines of Claude Code and Kode are too alike to be certain, so that all formats were asked for a file's first sixteen.
static RARE_KEYS: [(NameSet, &[&str]); 1] =
    [(NameSet::of(&["type", "uuid", "parentUuid", "message"]), &["claude-code", "kode-session", "qwen-code"])];

/// The formats that a record may have, as indices of [`FORMATS`].
pub fn candidates(probe: &Probe<'_>) -> &'static [usize] {
    static ALL: LazyLock<Vec<usize>> = LazyLock::new(|| (0..FORMATS.len()).collect());
    static FEW: LazyLock<Vec<(&NameSet, Vec<usize>)>> = LazyLock::new(|| {
        let indices = |names: &[&str]| {
            let all = ALL.iter().copied().zip(FORMATS);
            all.filter(|(_, format)| names.contains(&format.info().name)).map(|(n, _)| n).collect()
        };
        RARE_KEYS.iter().map(|(keys, names)| (keys, indices(names))).collect()
    });
    FEW.iter().find(|(keys, _)| probe.names.has_all(keys)).map_or(&ALL, |(_, few)| few)
}

/// The format with this name; of several, the first.
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    static BY_NAME: LazyLock<HashMap<&str, &dyn Format>> =
        LazyLock::new(|| FORMATS.iter().rev().map(|format| (format.info().name, *format)).collect());
    BY_NAME.get(name).copied()
}

/// The names of the providers that requests of logs can be rebuilt for.
pub fn providers() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().filter_map(|format| format.info().requests).flat_map(|requests| requests.providers()).copied()
}

/// All writers of sessions, in the order in which they are listed.
pub static SESSION_WRITERS: [&SessionWriter; 9] = [
    &agents::codex::write::WRITER,
    &agents::claude_code::write::WRITER,
    &agents::opencode::write::WRITER,
    &agents::pi::write::WRITER,
    &agents::gemini_cli::write::WRITER,
    &sdks::openai_agents::write::WRITER,
    &sdks::vercel::write::WRITER,
    &sdks::vercel::model_messages::write::WRITER,
    &sdks::langchain::write::WRITER,
];

/// The writer of sessions with this name.
pub fn session_writer(name: &str) -> Option<&'static SessionWriter> {
    SESSION_WRITERS.into_iter().find(|writer| writer.name == name)
}
