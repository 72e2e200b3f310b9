//! Turning arguments into inputs: walks, globs, ignore files, archives, decompression.

pub mod archive;
pub mod filter;
pub mod globs;
pub mod ignore_files;
pub mod special_files;
pub mod unpack;
pub mod walk;
pub mod zstandard;
