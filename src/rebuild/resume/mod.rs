//! The request that an agent sends when it resumes a session: the history of the live branch, as the agent repairs it. Each
//! part of the request knows its place in the session.

mod acts;
mod body_layout;
mod doc;
mod request;
mod stored_thread;

pub use doc::{ResumedHistory, resume_doc};
pub use request::{RequestPart, ResumedRequest};
