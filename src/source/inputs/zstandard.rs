//! Zstandard, where it is built in: its decoder is C, which not every target can compile.

use std::io::{self, Read};

/// A decompressing reader. Fails in builds without the feature `zstd`.
#[cfg(feature = "zstd")]
pub fn decoder<'r>(from: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    Ok(Box::new(zstd::stream::read::Decoder::new(from)?))
}

/// A decompressing reader. Fails in builds without the feature `zstd`.
#[cfg(not(feature = "zstd"))]
pub fn decoder<'r>(_: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "Zstandard files are not supported by this build"))
}
