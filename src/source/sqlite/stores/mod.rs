//! The known stores, one family a file, and their table.

mod agents_sdk;
mod langgraph;

use super::store::Store;

/// All stores. A table belongs to the first that it fits.
pub static STORES: &[&Store] = &[&agents_sdk::ADVANCED, &agents_sdk::PLAIN, &langgraph::CHECKPOINTS];
