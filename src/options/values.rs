//! Values that are written as text: sizes, times, versions, pointers.

use crate::history::{Version, time};
use crate::json::pointer;

use super::misuse::Misuse;

/// The steps of a JSON Pointer.
pub fn steps(text: &str) -> Result<Vec<String>, Misuse> {
    pointer::parse(text).ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a JSON Pointer"))
            .help("a pointer begins with '/', as in --pointer /data/request")
    })
}

/// A number of bytes, as a record or an image may have, up to 4 GiB: offsets within a record have 32 bits.
pub fn size(text: &str) -> Result<u64, Misuse> {
    let bytes = bytes(text).filter(|n| *n <= u64::from(u32::MAX));
    bytes.ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a valid size"))
            .help("a size is a number of bytes up to 4G, as in 512M")
    })
}

/// A size of any length.
pub fn large_size(text: &str) -> Result<u64, Misuse> {
    bytes(text).ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a valid size")).help("a size is a number of bytes, as in 512M or 64G")
    })
}

fn bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.trim_end_matches(['B', 'b']).split_at_checked(text.len().saturating_sub(1)) {
        Some((digits, "k" | "K")) => (digits, 10),
        Some((digits, "M" | "m")) => (digits, 20),
        Some((digits, "G" | "g")) => (digits, 30),
        Some((digits, "T" | "t")) => (digits, 40),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift)).filter(|n| *n > 0)
}

/// A span of time, in seconds.
pub fn duration(text: &str) -> Result<u64, Misuse> {
    time::span(text, 1).and_then(|seconds| u64::try_from(seconds).ok()).ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a duration"))
            .help("a duration is a number with s, m, h, d or w, as in --max-item-age 30d")
    })
}

/// A time, as Unix seconds; a day alone means its beginning in UTC.
pub fn moment(text: &str) -> Result<i64, Misuse> {
    time::parse(text).ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a time"))
            .help("a time is Unix seconds, or a date as in --now 2026-01-31T12:00:00Z")
    })
}

/// The version of an agent.
pub fn version(text: &str) -> Result<Version, Misuse> {
    Version::parse(text)
        .ok_or_else(|| Misuse::new(format!("not a version: {text}")).help("a version is numbers and dots: 2.1.80"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_times_are_read() {
        assert_eq!(duration("30d").ok(), Some(2_592_000));
        assert!(duration("1y").is_err() && moment("soon").is_err());
        assert_eq!(moment("2026-01-31T13:00:00+01:00").ok(), Some(1_769_860_800));
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("512M").ok(), Some(512 << 20));
        assert_eq!(size("100").ok(), Some(100));
        assert_eq!(large_size("2T").ok(), Some(2 << 40));
        assert!(large_size("x").is_err() && large_size("0G").is_err());
        assert!(size("5G").is_err() && size("x").is_err() && size("0").is_err());
    }
}
