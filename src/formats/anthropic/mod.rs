//! Bodies of the Anthropic Messages API, its answers, batches and streams.

pub mod anthropic_batch;
pub mod anthropic_message;
pub mod anthropic_request;
pub mod anthropic_stream;
