//! Broken texts.

pub mod hold;
pub mod mutate;
pub mod mutated;
pub mod regressions;
pub mod seeds;
