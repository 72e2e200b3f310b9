//! Bodies of Gemini's `generateContent`, and its answers.

pub mod gemini_exchange;
pub mod gemini_request;
pub mod gemini_response;
