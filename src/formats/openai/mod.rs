//! Bodies of the Responses API and of Chat Completions, alone, with their answers, in batches and pages, and for training.

pub mod chat_batch;
pub mod chat_completion;
pub mod chat_exchange;
pub mod chat_page;
pub mod chat_preference;
pub mod chat_request;
pub mod chat_stream;
pub mod chat_training;
pub mod responses_batch;
pub mod responses_exchange;
pub mod responses_item_lines;
pub mod responses_items;
pub mod responses_object;
pub mod responses_page;
pub mod responses_request;
pub mod responses_stream;
