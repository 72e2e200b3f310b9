//! Bodies of Bedrock's `Converse`, and its answers.

pub mod bedrock_exchange;
pub mod bedrock_request;
pub mod bedrock_response;
