//! Sessions of Kode, for models of Anthropic and for those of the Responses API.

pub mod responses;
pub mod session;
