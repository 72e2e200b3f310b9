//! What is found: cases, recorded requests, mutations, schemas, sentences of providers.

pub mod answers;
pub mod anthropic;
pub mod cases;
pub mod corpus;
pub mod corpus_gemini_bedrock;
pub mod everyday;
pub mod histories;
pub mod messages;
pub mod mutations;
pub mod mutations_anthropic;
pub mod mutations_chat;
pub mod mutations_gemini_bedrock;
pub mod pasted;
pub mod recorded;
pub mod schema;
pub mod schema_messages;
