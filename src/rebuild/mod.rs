//! Rebuilding requests from whole conversations: reading them into a tree, deciding for each node whether the next
//! request may continue the server's state, and building that request.

pub mod body;
pub mod chain;
pub mod conversation;
pub mod history_cut;
mod log_follower;
mod messages_body;
mod node_thread;
mod nodes;
pub mod request;
pub mod resume;
pub mod rewind;
pub mod slim;
pub mod turns;

pub use body::rebuild;
pub use chain::{Advice, ChainJudge, ChainOptions, Reason};
pub use conversation::Conversation;
pub use history_cut::Budget;
pub use request::{ChainPolicy, NextRequest, RequestSpec};
pub use turns::{Turn, turns};
