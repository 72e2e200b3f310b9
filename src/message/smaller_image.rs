//! Images that are made smaller: the limits, the result, and what reports say of both.

use std::fmt;
use std::sync::Arc;

use super::media_bytes::{decoded_len, size_of_base64, type_of_base64};

/// What a server takes of one image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ImageLimits {
    /// Characters of base64.
    pub text: Option<u32>,
    /// Bytes.
    pub bytes: Option<u32>,
    /// Pixels of the longest side.
    pub side: Option<u32>,
}

impl ImageLimits {
    /// True if an image in base64 is above one of them. An image without a known size has no side.
    pub fn are_exceeded(&self, text: &[u8]) -> bool {
        let exceeds = |size: u64, most: Option<u32>| most.is_some_and(|most| size > u64::from(most));
        let side = || size_of_base64(text).map_or(0, |(width, height)| width.max(height));
        exceeds(text.len() as u64, self.text)
            || exceeds(decoded_len(text), self.bytes)
            || self.side.is_some() && exceeds(u64::from(side()), self.side)
    }

    /// True if an image of so many bytes is within the limits, also in base64.
    pub fn takes_bytes(&self, bytes: u64) -> bool {
        let takes = |size: u64, most: Option<u32>| most.is_none_or(|most| size <= u64::from(most));
        takes(bytes, self.bytes) && takes(bytes.div_ceil(3) * 4, self.text)
    }
}

/// An image that was made smaller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EncodedImage {
    pub mime: &'static str,
    /// In base64.
    pub text: Arc<str>,
}

/// Type, size in pixels and bytes of an image, as far as they are known: `PNG, 1200x800, 348 KB`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageFacts {
    mime: Option<&'static str>,
    size: Option<(u32, u32)>,
    bytes: u64,
}

impl ImageFacts {
    /// The facts of an image in base64.
    pub fn of(text: &[u8]) -> ImageFacts {
        ImageFacts { mime: type_of_base64(text), size: size_of_base64(text), bytes: decoded_len(text) }
    }

    /// The facts of several images: their bytes.
    fn and(self, other: ImageFacts) -> ImageFacts {
        ImageFacts { mime: None, size: None, bytes: self.bytes + other.bytes }
    }
}

/// What becomes of images: `PNG, 2400x1200, 1.2 MB -> JPEG, 2000x1000, 250 KB`; of several, their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageChange {
    from: ImageFacts,
    to: ImageFacts,
}

impl ImageChange {
    pub fn of(old: &[u8], new: &EncodedImage) -> ImageChange {
        ImageChange { from: ImageFacts::of(old), to: ImageFacts::of(new.text.as_bytes()) }
    }

    /// The change of several images.
    pub fn and(self, other: ImageChange) -> ImageChange {
        ImageChange { from: self.from.and(other.from), to: self.to.and(other.to) }
    }
}

impl fmt::Display for ImageChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from, self.to)
    }
}

impl fmt::Display for ImageFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(mime) = self.mime {
            write!(f, "{}, ", mime.rsplit('/').next().unwrap_or(mime).to_ascii_uppercase())?;
        }
        if let Some((width, height)) = self.size {
            write!(f, "{width}x{height}, ")?;
        }
        match self.bytes {
            bytes @ 0..1_000 => write!(f, "{bytes} bytes"),
            bytes @ 1_000..1_000_000 => write!(f, "{} KB", bytes / 1_000),
            bytes => write!(f, "{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
        }
    }
}
