//! Differences, shown: of one item before and after, and of a whole doc as a patch that `git apply` takes.

pub mod item;
pub mod unified;
