//! The formats, one a file, and their table.

pub mod agents;
mod claim;
mod cline_task;
mod kept;
mod langchain;
mod member;
mod opencode;
mod provider;
mod session_lines;
mod spans;
mod spoken;
mod transcript;
pub mod unread;
mod vercel;

/// Declares the modules and the table. Among formats that are equally sure of a record, the first wins.
macro_rules! formats {
    ($($module:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// All formats.
        pub static FORMATS: &[&dyn crate::format::Format] = &[$(&$module::FORMAT),*];
    };
}

formats![
    responses_request,
    responses_object,
    responses_page,
    responses_exchange,
    responses_batch,
    chat_request,
    chat_completion,
    chat_page,
    chat_exchange,
    chat_batch,
    chat_training,
    chat_preference,
    anthropic_request,
    anthropic_batch,
    anthropic_message,
    gemini_request,
    gemini_response,
    gemini_exchange,
    bedrock_request,
    bedrock_response,
    bedrock_exchange,
    responses_items,
    responses_item_lines,
    responses_stream,
    chat_stream,
    anthropic_stream,
    codex_rollout,
    codex_session,
    coder_chat,
    coder_chat_lines,
    coder_page,
    agents_session,
    agents_run_state,
    agents_js_state,
    ag2_events,
    ag2_log,
    claude_code,
    kode_session,
    kode_responses,
    iterate_stream,
    opencode_export,
    opencode_session,
    opencode_v2,
    crush,
    goose_session,
    google_adk,
    vercel_ui_messages,
    vercel_model_messages,
    pi_session,
    cline_session,
    roo_task,
    gemini_cli,
    copilot_cli,
    langchain_messages,
    langgraph_state,
    langgraph_checkpoint,
    codex_exec,
    gemini_recording,
    openhands,
    inspect_log,
    pydantic_ai,
    qwen_code,
    chatgpt_export,
    claude_ai_export,
    ai_studio,
    grok_export,
    droid_session,
    kimi_session,
    hermes_session,
    grok_cli,
    antigravity,
    amp_thread,
    zed_thread,
    cursor_session,
    litellm_log,
    langfuse,
    otel_genai,
    openinference,
    sharegpt,
    alpaca,
];

/// The format with this name.
pub fn by_name(name: &str) -> Option<&'static dyn crate::format::Format> {
    FORMATS.iter().copied().find(|format| format.info().name == name)
}

/// Names of those who carry the requests of logs out.
pub fn providers() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().filter_map(|format| format.requests()).flat_map(|requests| requests.providers()).copied()
}
