//! The structure of the crate: layers, import cycles, versions, the address of the repository.

pub mod addresses;
pub mod import_cycles;
pub mod layers;
pub mod npm;
pub mod versions;
