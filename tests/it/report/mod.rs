//! Reports, and the privacy of content in them.

pub mod bugs;
pub mod diffs;
pub mod error_places;
pub mod names;
pub mod outputs;
pub mod page;
pub mod previews;
pub mod privacy;
pub mod privacy_archives;
#[cfg(feature = "sqlite")]
pub mod privacy_databases;
pub mod reads;
pub mod reports;
