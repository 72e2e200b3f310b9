//! Work and memory, which must not grow faster than the input.

pub mod commands;
pub mod folders;
pub mod histories;
pub mod large;
pub mod lineage;
#[cfg(target_os = "linux")]
pub mod peak;
pub mod shapes;
pub mod stores;
