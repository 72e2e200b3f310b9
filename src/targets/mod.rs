//! The targets, one file per family, and their table.

pub mod anthropic;
pub mod bedrock;
pub mod chat;
pub mod chat_hosted;
pub mod chat_local;
pub mod compatible;
pub mod gemini;
pub mod models;
pub mod openai;

use crate::target::Target;

/// All targets; the first is the default of most formats.
pub static TARGETS: &[&Target] = &[
    &openai::OPENAI,
    &openai::OPENAI_STATELESS,
    &openai::AZURE,
    &openai::CODEX,
    &compatible::XAI,
    &compatible::DEEPSEEK,
    &compatible::OPENAI_COMPATIBLE,
    &chat::CHAT,
    &chat::CHAT_COMPATIBLE,
    &chat::MISTRAL,
    &chat::DEEPSEEK_CHAT,
    &chat::KIMI,
    &chat::CEREBRAS,
    &chat::GROQ,
    &chat::XAI_CHAT,
    &chat_hosted::OPENROUTER,
    &chat_hosted::DASHSCOPE,
    &chat_hosted::GLM,
    &chat_hosted::MINIMAX,
    &chat_local::CHAT_TEMPLATE,
    &chat_local::VLLM,
    &chat_local::LLAMACPP,
    &chat_local::OLLAMA,
    &anthropic::ANTHROPIC,
    &gemini::GEMINI,
    &bedrock::BEDROCK,
    &bedrock::BEDROCK_NOVA,
];

/// The target with this name.
pub fn by_name(name: &str) -> Option<&'static Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}
