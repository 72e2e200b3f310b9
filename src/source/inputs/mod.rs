//! From arguments to inputs: walks, globs, ignore files, archives, folders that are one session.

pub mod archive;
pub mod filter;
pub mod globs;
pub mod ignored;
pub mod special;
pub mod unpack;
pub mod walk;
pub mod zstandard;
