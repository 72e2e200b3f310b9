//! Unpacking: a small file may unpack to more than any disk holds, so that what comes out is counted, and an end is put to it.

use std::io::{self, Read};

/// How inputs are opened.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'o> {
    /// What standard input is called.
    pub stdin_name: Option<&'o str>,
    /// Bytes that a compressed file may be unpacked to.
    pub most_unpacked: u64,
}

impl Default for Opening<'_> {
    fn default() -> Self {
        Opening { stdin_name: None, most_unpacked: MOST_UNPACKED }
    }
}

/// Bytes that a compressed file may be unpacked to, unless another limit is asked for.
pub const MOST_UNPACKED: u64 = 64 << 30;

/// What a compressed file was unpacked to, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unpacked {
    pub from: u64,
    pub to: u64,
}

impl Unpacked {
    /// Text is packed to a tenth, or a hundredth where it repeats itself; this is more than that.
    const ODD_RATIO: u64 = 1000;
    /// Shorter ones do no harm.
    const FREE: u64 = 1 << 20;

    /// How many times as long as it was packed, if that is odd.
    pub fn odd_ratio(&self) -> Option<u64> {
        let ratio = self.to / self.from.max(1);
        (ratio > Self::ODD_RATIO && self.to > Self::FREE).then_some(ratio)
    }
}

/// Ends in an error where more comes than there may be.
pub struct Limited<R> {
    inner: R,
    left: u64,
    why: String,
}

impl<R: Read> Limited<R> {
    /// At most so many bytes.
    pub fn new(inner: R, most: u64) -> Self {
        let why = format!("unpacks to more than --max-decompressed-size ({most} bytes); it was not read");
        Limited { inner, left: most, why }
    }

    /// The same, with another word about why no more may come.
    pub fn because(inner: R, most: u64, why: &str) -> Self {
        Limited { inner, left: most, why: why.to_owned() }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.left = self.left.checked_sub(n as u64).ok_or_else(|| io::Error::other(self.why.clone()))?;
        Ok(n)
    }
}
