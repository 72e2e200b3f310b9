//! The crate itself: layers, circles, versions.

pub mod circles;
pub mod layers;
pub mod npm;
pub mod versions;
