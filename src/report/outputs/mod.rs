//! The outputs, one a file.

pub mod api_error;
pub mod ci;
pub mod concise;
pub mod github;
pub mod gitlab;
pub mod json;
pub mod jsonl;
pub mod junit;
pub mod sarif;
pub mod text;
