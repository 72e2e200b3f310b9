//! Differences: of one item before and after, of two histories by their items, and of a document as a patch for
//! `git apply`.

pub mod align;
pub mod compare;
pub mod continuation;
pub mod entries;
pub mod entry;
pub mod equivalence;
mod forms;
mod history_pairs;
pub mod item;
pub mod meaning;
pub mod renames;
mod sequence;
pub mod settings;
mod shared;
mod shared_settings;
mod tools;
pub mod unified;
pub mod values;
pub mod words;
