//! The commands, one a file, and what they share.

pub mod agents;
pub mod baseline;
pub mod bugs;
pub mod carriage;
pub mod carry;
pub mod check;
mod closing;
pub mod config;
pub mod convert;
mod databases;
pub mod diff;
mod dropped;
pub mod explain;
pub mod fix;
pub mod follow;
mod homes;
pub mod init;
mod kept;
pub mod known;
mod labels;
mod left_out;
pub mod lineage;
mod met;
mod outcome;
mod parts;
mod positions;
pub mod products;
mod progress;
pub mod rebuild;
pub mod rewind;
mod run;
mod say;
mod settled;
mod sheet;
pub mod slim;
mod stored;
pub mod tables;
pub mod tree;
mod wanted;
mod whole;

pub use outcome::{Failure, Outcome};
pub use run::{Output, Run};
pub use say::{complain, stderr, talk};

use sheet::Sheet;
