//! The commands, a file each, and the code that they share.

mod agent_environment;
mod agent_folders;
pub mod agents;
mod backup_folders;
pub mod baseline;
pub mod carry;
pub mod carry_output;
pub mod check;
pub mod config;
mod conversation_files;
pub mod convert;
mod databases;
pub mod diff;
pub mod doctor;
mod dropped_items;
pub mod evidence;
pub mod explain;
pub mod fix;
pub mod follow;
pub mod images;
pub mod init;
pub mod lineage;
mod loss_counts;
#[cfg(feature = "lsp")]
pub mod lsp;
mod numbered_logs;
mod omitted_conversations;
mod positions;
pub mod rebuild;
mod rebuild_options;
mod refusals;
mod resumed_session;
pub mod rewind;
pub mod run;
pub mod serve;
pub mod slim;
mod stored_requests;
pub mod tables;
mod target_page;
pub mod tree;
pub mod undo;
mod unslim;

pub use run::notice::{print_error, print_note, stderr};
pub use run::outcome::{Failure, Outcome};
pub use run::{Output, Run};

use run::output_file::ReportOutput;
