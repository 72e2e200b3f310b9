//! Times as logs write them, in Unix milliseconds.

use crate::history::time::{format_iso, parse};

/// RFC 3339 with milliseconds.
pub fn rfc3339(ms: i64) -> String {
    let seconds = format_iso(ms.div_euclid(1000));
    format!("{}.{:03}Z", seconds.trim_end_matches('Z'), ms.rem_euclid(1000))
}

/// Milliseconds of a time that a log writes as text.
pub fn of_text(text: &str) -> Option<i64> {
    let seconds = parse(text)?;
    let fraction = text.split_once('.').map_or("", |(_, rest)| rest);
    let digits: String = fraction.chars().take_while(char::is_ascii_digit).take(3).collect();
    let fraction = if text.contains(':') { format!("{digits:0<3}").parse::<i64>().unwrap_or(0) } else { 0 };
    Some(seconds * 1000 + fraction)
}

/// Milliseconds of a number of seconds or milliseconds; `None` if it cannot be a time of a session.
pub fn of_number(number: f64) -> Option<i64> {
    let ms = if number.abs() >= 1e11 { number } else { number * 1e3 };
    // From 2001 to 2286: smaller numbers count something else.
    (1e12..1e13).contains(&ms).then_some(ms as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["2026-06-01T10:00:00.007Z", "2026-06-01T10:00:00.120Z"] {
            assert_eq!(of_text(text).map(rfc3339).as_deref(), Some(text));
        }
        assert_eq!(
            of_text("2026-06-01T12:00:00.5+02:00").map(rfc3339).as_deref(),
            Some("2026-06-01T10:00:00.500Z")
        );
        assert_eq!(of_number(1_767_225_600.0), Some(1_767_225_600_000));
        assert_eq!((of_number(1_767_225_600_001.0), of_number(12.0)), (Some(1_767_225_600_001), None));
    }
}
