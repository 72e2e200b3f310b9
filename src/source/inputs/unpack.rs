//! Decompression limits: a small file may decompress to more than any disk holds, so output is counted and
//! limited.

use std::io::{self, Read};
use std::path::Path;

/// The text of a file that an editor has open: what is on the disk may be older.
#[derive(Clone, Copy, Debug)]
pub struct OpenText<'o> {
    pub path: &'o Path,
    pub text: &'o str,
}

/// Options for opening inputs.
#[derive(Clone, Copy, Debug)]
pub struct InputOptions<'o> {
    /// The name of standard input in messages.
    pub stdin_name: Option<&'o str>,
    /// Maximum decompressed size in bytes.
    pub max_unpacked: u64,
    /// Read instead of the file with this path, which need not exist.
    pub open_text: Option<OpenText<'o>>,
}

impl Default for InputOptions<'_> {
    fn default() -> Self {
        InputOptions { stdin_name: None, max_unpacked: MAX_UNPACKED, open_text: None }
    }
}

/// Default of [`InputOptions::max_unpacked`].
pub const MAX_UNPACKED: u64 = 64 << 30;

/// Sizes in bytes before and after decompression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnpackedSize {
    pub from: u64,
    pub to: u64,
}

impl UnpackedSize {
    /// Text compresses to a tenth, or to a hundredth if it is repetitive; this is beyond that.
    const ODD_RATIO: u64 = 1000;
    /// Smaller files do no harm.
    const FREE: u64 = 1 << 20;

    /// The ratio of both sizes, if it is suspicious.
    pub fn odd_ratio(&self) -> Option<u64> {
        let ratio = self.to / self.from.max(1);
        (ratio > Self::ODD_RATIO && self.to > Self::FREE).then_some(ratio)
    }
}

/// A reader that fails once it has read more than its limit.
pub struct LimitedReader<R> {
    inner: R,
    left: u64,
    reason: String,
}

impl<R: Read> LimitedReader<R> {
    /// Limits a reader to `most` bytes.
    pub fn new(inner: R, most: u64) -> Self {
        let reason = format!("decompresses to more than --max-decompressed-size ({most} bytes); it was not read");
        LimitedReader { inner, left: most, reason }
    }

    /// The same with another error message.
    pub fn with_reason(inner: R, most: u64, reason: &str) -> Self {
        LimitedReader { inner, left: most, reason: reason.to_owned() }
    }
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.left = self.left.checked_sub(n as u64).ok_or_else(|| io::Error::other(self.reason.clone()))?;
        Ok(n)
    }
}
