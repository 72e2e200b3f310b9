//! Findings: cases, recorded requests, mutations, schemas, messages of providers.

pub mod answers;
pub mod anthropic;
pub mod cases;
pub mod corpus;
pub mod corpus_gemini_bedrock;
pub mod everyday_lines;
pub mod histories;
mod media;
pub mod messages;
pub mod mutations;
pub mod mutations_anthropic;
pub mod mutations_chat;
pub mod mutations_gemini_bedrock;
pub mod pasted_messages;
pub mod recorded_requests;
mod reports;
pub mod schema;
pub mod schema_messages;
