//! Predictions of `check`: what the default repair would do, determined by planning it.

pub mod fix_outcome;
pub mod predictions;
mod trial;
