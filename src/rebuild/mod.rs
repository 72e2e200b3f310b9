//! What is done with a conversation as a whole: reading it into a tree, judging for each node whether the next request
//! may build on the server's state, and building that request.

use crate::format::{FormatInfo, Histories};

mod blocks;
pub mod body;
pub mod chain;
pub mod conversation;
pub mod cut;
mod feed;
pub mod foreign;
mod lift;
mod lifted;
mod messages;
mod messages_body;
mod nodes;
pub mod request;
pub mod rewind;
pub mod slim;
pub mod stream;
pub mod turns;

pub use body::rebuild;
pub use chain::{Advice, ChainOptions, Judge, Reason};
pub use conversation::Conversation;
pub use cut::Budget;
pub use messages::messages;
pub use request::{Policy, Rebuild, Rebuilt};
pub use turns::{Turn, turns};

/// Whether a format is one of sessions, whose blocks are written anew for a request.
pub fn is_session(info: &FormatInfo) -> bool {
    info.histories == Histories::Session
}
