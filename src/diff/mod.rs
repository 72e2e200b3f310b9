//! Differences, shown: of one item before and after, of two histories by their items, and of a whole doc as a patch
//! that `git apply` takes.

pub mod align;
pub mod compare;
pub mod entries;
pub mod entry;
pub mod item;
mod partners;
pub mod renames;
pub mod said;
pub mod same;
pub mod settings;
mod shared;
mod shared_settings;
pub mod unified;
