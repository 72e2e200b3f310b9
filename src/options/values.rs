//! Parsing of values: sizes, times, versions, pointers.

use crate::history::{Version, time};
use crate::json::pointer;

use super::usage_error::UsageError;

/// The steps of a JSON Pointer.
pub fn parse_pointer(text: &str) -> Result<Vec<String>, UsageError> {
    pointer::parse(text).ok_or_else(|| {
        UsageError::new(format!("invalid JSON Pointer '{text}'"))
            .help("a pointer begins with '/', for example --pointer /data/request")
    })
}

/// A size of a record or an image in bytes, up to 4 GiB, because offsets in a record have 32 bits.
pub fn parse_size(text: &str) -> Result<u64, UsageError> {
    let bytes = parse_bytes(text).filter(|n| *n <= u64::from(u32::MAX));
    bytes.ok_or_else(|| {
        UsageError::new(format!("invalid size '{text}'"))
            .help("a size is a number of bytes up to 4G, for example 512M")
    })
}

/// A size in bytes without a limit.
pub fn parse_large_size(text: &str) -> Result<u64, UsageError> {
    parse_bytes(text).ok_or_else(|| {
        UsageError::new(format!("invalid size '{text}'"))
            .help("a size is a number of bytes, for example 512M or 64G")
    })
}

fn parse_bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.trim_end_matches(['B', 'b']).split_at_checked(text.len().saturating_sub(1)) {
        Some((digits, "k" | "K")) => (digits, 10),
        Some((digits, "M" | "m")) => (digits, 20),
        Some((digits, "G" | "g")) => (digits, 30),
        Some((digits, "T" | "t")) => (digits, 40),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift)).filter(|n| *n > 0)
}

/// A duration in seconds.
pub fn parse_duration(text: &str) -> Result<u64, UsageError> {
    time::parse_duration(text, 1).and_then(|seconds| u64::try_from(seconds).ok()).ok_or_else(|| {
        UsageError::new(format!("invalid duration '{text}'"))
            .help("a duration is a number with s, m, h, d or w, for example --max-item-age 30d")
    })
}

/// A time in Unix seconds; a date without a time is its beginning in UTC.
pub fn parse_time(text: &str) -> Result<i64, UsageError> {
    time::parse(text).ok_or_else(|| {
        UsageError::new(format!("invalid time '{text}'"))
            .help("a time is Unix seconds or a date, for example --now 2026-01-31T12:00:00Z")
    })
}

/// The version of an agent.
pub fn parse_version(text: &str) -> Result<Version, UsageError> {
    Version::parse(text).ok_or_else(|| {
        UsageError::new(format!("invalid version '{text}'"))
            .help("a version is numbers and dots, for example 2.1.80")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_times_are_read() {
        assert_eq!(parse_duration("30d").ok(), Some(2_592_000));
        assert!(parse_duration("1y").is_err() && parse_time("soon").is_err());
        assert_eq!(parse_time("2026-01-31T13:00:00+01:00").ok(), Some(1_769_860_800));
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_size("512M").ok(), Some(512 << 20));
        assert_eq!(parse_size("100").ok(), Some(100));
        assert_eq!(parse_large_size("2T").ok(), Some(2 << 40));
        assert!(parse_large_size("x").is_err() && parse_large_size("0G").is_err());
        assert!(parse_size("5G").is_err() && parse_size("x").is_err() && parse_size("0").is_err());
    }
}
