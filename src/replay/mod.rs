//! What is done with a conversation as a whole: reading it into a tree, judging for each node whether the next request
//! may build on the server's state, and building that request.

mod blocks;
pub mod body;
pub mod chain;
pub mod conversation;
pub mod cut;
mod events;
pub mod foreign;
mod lift;
mod nodes;
pub mod records;
pub mod slim;
pub mod stream;
pub mod turns;

pub use body::{Policy, Rebuild, Rebuilt, rebuild};
pub use chain::{Advice, ChainOptions, Judge, Reason};
pub use conversation::Conversation;
pub use cut::Budget;
pub use lift::{Lifted, of_session};
pub use turns::{Turn, turns};

/// Name of the dialect of sessions, whose blocks are written anew for a request.
pub use blocks::DIALECT as SESSION;
