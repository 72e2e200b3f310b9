//! Sessions of agents, a folder an agent, and what each agent repairs by itself.

pub mod amp;
pub mod amplifier;
pub mod antigravity;
pub mod atif;
pub mod claude_code;
pub mod cline;
pub mod coder;
pub mod codex;
pub mod copilot_cli;
pub mod crush;
pub mod cursor;
pub mod droid;
pub mod gemini_cli;
pub mod goose;
pub mod grok_cli;
pub mod hermes;
pub mod iterate;
pub mod kimi;
pub mod kode;
pub mod opencode;
pub mod openhands;
pub mod pi;
pub mod qwen_code;
pub mod self_repair;
mod session_lines;
pub mod zed;
