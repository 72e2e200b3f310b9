//! The commands, one a file, and what they share.

mod agent_folders;
pub mod agents;
pub mod baseline;
pub mod carry;
pub mod carry_output;
pub mod check;
pub mod config;
pub mod convert;
mod databases;
pub mod diff;
mod dropped;
pub mod explain;
pub mod fix;
pub mod follow;
pub mod init;
mod left_out;
pub mod lineage;
mod lost;
mod not_done;
mod numbered_logs;
mod parts;
mod positions;
pub mod rebuild;
mod rebuild_options;
pub mod rewind;
pub mod run;
pub mod slim;
mod stored;
pub mod tables;
pub mod tree;
pub mod undo;
mod unslim;

pub use run::notice::{complain, stderr, talk};
pub use run::outcome::{Failure, Outcome};
pub use run::{Output, Run};

use run::output_file::Sheet;
