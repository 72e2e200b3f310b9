//! The formats, a folder a family, an agent's in a folder of its own, and their table.

pub mod agents;
pub mod anthropic;
pub mod aws;
mod claim;
pub mod datasets;
pub mod exports;
pub mod google;
mod kept;
mod member;
pub mod openai;
mod provider;
pub mod sdks;
mod spoken;
pub mod traces;
mod transcript;
pub mod unread;

/// Declares the table. Among formats that are equally sure of a record, the first wins.
macro_rules! formats {
    ($($($module:ident)::+),* $(,)?) => {
        /// All formats.
        pub static FORMATS: &[&dyn crate::format::Format] = &[$(&$($module::)+FORMAT),*];
    };
}

formats![
    openai::responses_request,
    openai::responses_object,
    openai::responses_page,
    openai::responses_exchange,
    openai::responses_batch,
    openai::chat_request,
    openai::chat_completion,
    openai::chat_page,
    openai::chat_exchange,
    openai::chat_batch,
    openai::chat_training,
    openai::chat_preference,
    anthropic::anthropic_request,
    anthropic::anthropic_batch,
    anthropic::anthropic_message,
    google::gemini_request,
    google::gemini_response,
    google::gemini_exchange,
    aws::bedrock_request,
    aws::bedrock_response,
    aws::bedrock_exchange,
    openai::responses_items,
    openai::responses_item_lines,
    openai::responses_stream,
    openai::chat_stream,
    anthropic::anthropic_stream,
    agents::codex::rollout,
    agents::codex::session,
    agents::coder::chat,
    agents::coder::chat_lines,
    agents::coder::page,
    sdks::openai_agents::session,
    sdks::openai_agents::run_state,
    sdks::openai_agents::js_state,
    sdks::ag2::events,
    sdks::ag2::log,
    agents::claude_code,
    agents::kode::session,
    agents::kode::responses,
    agents::iterate,
    agents::opencode::export,
    agents::opencode::store,
    agents::opencode::v2,
    agents::crush,
    agents::goose,
    sdks::google_adk,
    sdks::vercel::ui_messages,
    sdks::vercel::model_messages,
    agents::pi,
    agents::cline::session,
    agents::cline::roo_task,
    agents::gemini_cli,
    agents::copilot_cli,
    sdks::langchain::messages,
    sdks::langchain::langgraph_state,
    sdks::langchain::langgraph_checkpoint,
    agents::codex::exec,
    agents::gemini_cli::recording,
    agents::openhands,
    traces::inspect_log,
    sdks::pydantic_ai,
    agents::qwen_code,
    exports::chatgpt,
    exports::claude_ai,
    exports::ai_studio,
    exports::grok,
    agents::droid,
    agents::kimi,
    agents::hermes,
    agents::grok_cli,
    agents::antigravity,
    agents::amp,
    agents::zed,
    agents::cursor,
    traces::litellm_log,
    traces::langfuse,
    traces::otel_genai,
    traces::openinference,
    datasets::sharegpt,
    datasets::alpaca,
];

/// The format with this name.
pub fn by_name(name: &str) -> Option<&'static dyn crate::format::Format> {
    FORMATS.iter().copied().find(|format| format.info().name == name)
}

/// Names of those who carry the requests of logs out.
pub fn providers() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().filter_map(|format| format.info().requests).flat_map(|requests| requests.providers()).copied()
}
