//! Sessions of Kode, with models of Anthropic and with those of the Responses API.

pub mod responses;
pub mod session;
