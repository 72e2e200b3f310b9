//! Fuzzing: invariants of broken texts, mutations, and regressions of the fuzz targets.

pub mod fuzzer;
pub mod invariants;
pub mod mutate;
pub mod regressions;
pub mod seeds;
