//! Sessions and states of the OpenAI Agents SDKs.

pub mod js_state;
pub mod resume;
pub mod run_state;
pub mod session;
pub mod write;
