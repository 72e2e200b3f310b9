//! The version of the agent that wrote a log, which determines the problems that the agent repairs by itself.

use std::fmt;

use super::time;

/// Up to three numbers; a suffix (`-alpha.3`) is ignored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(pub u16, pub u16, pub u16);

impl Version {
    /// Parses `2.1.80`, `v0.45.0-alpha.3`, `0.154`.
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.trim().trim_start_matches('v');
        let plain = text.as_bytes().split(|b| matches!(b, b'-' | b'+' | b' ')).next()?;
        let number = |text: &[u8]| u16::try_from(time::digits(text)?).ok();
        let mut numbers = plain.split(|b| *b == b'.').map(number);
        let first = numbers.next()??;
        let mut next = || numbers.next().map_or(Some(0), |number| number);
        Some(Version(first, next()?, next()?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered_by_number() {
        let read = |text| Version::parse(text).map(|version| version.to_string());
        assert_eq!(read("2.1.80").as_deref(), Some("2.1.80"));
        assert_eq!(read("v0.45.0-alpha.3").as_deref(), Some("0.45.0"));
        assert_eq!(read("0.154").as_deref(), Some("0.154.0"));
        assert_eq!((read("main"), read("1.x"), read("")), (None, None, None));
        assert!(Version::parse("2.1.9") < Version::parse("2.1.80"));
    }
}
