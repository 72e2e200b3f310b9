//! Differences: of one item before and after, of two histories by their items, and of a document as a patch for
//! `git apply`.

pub mod align;
pub mod compare;
pub mod entries;
pub mod entry;
pub mod equivalence;
mod history_pairs;
pub mod item;
pub mod meaning;
pub mod renames;
pub mod settings;
mod shared;
mod shared_settings;
pub mod unified;
