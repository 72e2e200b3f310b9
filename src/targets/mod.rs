//! The targets, one file per family, and their table.

pub mod anthropic;
pub mod bedrock;
pub mod chat;
pub mod chat_hosted;
pub mod chat_local;
pub mod chat_servers;
pub mod compatible;
pub mod gemini;
pub mod hosts;
pub mod media;
pub mod media_checks;
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
    &chat_servers::SNOWFLAKE,
    &chat_servers::DATABRICKS,
    &chat_servers::COPILOT,
    &chat_local::CHAT_TEMPLATE,
    &chat_local::VLLM,
    &chat_servers::SGLANG,
    &chat_servers::NIM,
    &chat_local::LLAMACPP,
    &chat_servers::LMSTUDIO,
    &chat_local::OLLAMA,
    &anthropic::ANTHROPIC,
    &gemini::GEMINI,
    &bedrock::BEDROCK,
    &bedrock::BEDROCK_NOVA,
];

/// Other names of targets that users know: the alias, and the name. Those of `convert --to` mean the same here.
pub static TARGET_ALIASES: [(&str, &str); 6] = [
    ("claude", "anthropic"),
    ("google", "gemini"),
    ("vertex", "gemini"),
    ("chat-completions", "chat"),
    ("openai-chat", "chat"),
    ("zai", "glm"),
];

/// The aliases of a target.
pub fn aliases(name: &str) -> impl Iterator<Item = &'static str> {
    TARGET_ALIASES.iter().filter(move |(_, of)| *of == name).map(|(alias, _)| *alias)
}

/// The target with this name or alias.
pub fn by_name(name: &str) -> Option<&'static Target> {
    let of_name = |name: &str| TARGETS.iter().copied().find(|target| target.name == name);
    of_name(name).or_else(|| of_name(TARGET_ALIASES.iter().find(|(alias, _)| *alias == name)?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_name_targets_and_are_no_targets() {
        for (alias, name) in TARGET_ALIASES {
            assert!(TARGETS.iter().all(|target| target.name != alias), "{alias}");
            assert_eq!(by_name(alias).map(|target| target.name), Some(name));
        }
    }
}
