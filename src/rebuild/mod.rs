//! What is done with a conversation as a whole: reading it into a tree, judging for each node whether the next request
//! may build on the server's state, and building that request.

pub mod body;
pub mod chain;
pub mod conversation;
pub mod cut;
mod feed;
mod messages_body;
mod nodes;
mod replay;
pub mod request;
pub mod rewind;
pub mod slim;
pub mod turns;

pub use body::rebuild;
pub use chain::{Advice, ChainOptions, Judge, Reason};
pub use conversation::Conversation;
pub use cut::Budget;
pub use request::{Policy, Rebuild, Rebuilt};
pub use turns::{Turn, turns};
