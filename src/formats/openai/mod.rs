//! OpenAI's APIs.

pub mod chat;
pub mod responses;
