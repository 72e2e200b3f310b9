//! Times as logs and users write them: RFC 3339 text or a number of seconds (or milliseconds) since 1970. Only ages are
//! needed, so a time is in whole Unix seconds.

/// Reads RFC 3339 (`2026-06-01T10:00:00.5Z`, with an offset or without one, which means UTC; also only a date), or a
/// number of seconds or milliseconds since 1970. Gives Unix seconds.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    date_and_clock(text.as_bytes()).or_else(|| from_number(text.parse().ok()?))
}

fn date_and_clock(text: &[u8]) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.split(|b| *b == b'-').map(digits);
    let (Some(Some(year)), Some(Some(month)), Some(Some(day)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    Some(days(year.into(), month.into(), day.into()) * 86_400 + clock(rest)?)
}

/// The number that a text of up to nine digits says.
pub(super) fn digits(text: &[u8]) -> Option<u32> {
    let digit = |b: &u8| b.is_ascii_digit().then(|| u32::from(b - b'0'));
    let is_number = (1..=9).contains(&text.len());
    is_number.then(|| text.iter().try_fold(0, |number, b| Some(number * 10 + digit(b)?)))?
}

/// Unix seconds from a number of seconds or, if it is too large for a plausible date, milliseconds since 1970.
pub fn from_number(number: f64) -> Option<i64> {
    let seconds = if number.abs() >= 1e11 { number / 1e3 } else { number };
    (seconds.is_finite() && seconds.abs() < 1e11).then_some(seconds.floor() as i64)
}

/// Seconds since midnight UTC of `T10:00:00.000+02:00`; an empty text means midnight.
fn clock(text: &[u8]) -> Option<i64> {
    let [b'T' | b't' | b' ', text @ ..] = text else { return text.is_empty().then_some(0) };
    let end = text.iter().position(|b| matches!(b, b'Z' | b'z' | b'+' | b'-')).unwrap_or(text.len());
    let (time, zone) = text.split_at(end);
    let mut parts = time.split(|b| *b == b':');
    let mut next = |limit: u32| {
        let whole = parts.next().map_or(Some(0), |part| digits(part.split(|b| *b == b'.').next()?))?;
        (whole <= limit).then_some(i64::from(whole))
    };
    let seconds = next(24)? * 3600 + next(59)? * 60 + next(60)?;
    let (sign, zone) = match zone {
        [b'+', zone @ ..] => (1, zone),
        [b'-', zone @ ..] => (-1, zone),
        _ => return Some(seconds),
    };
    let mut parts = zone.splitn(2, |b| *b == b':');
    let (hours, minutes) = match (parts.next(), parts.next()) {
        (Some(hours), Some(minutes)) => (hours, minutes),
        _ => zone.split_at_checked(2).unwrap_or((zone, b"")),
    };
    let minutes = if minutes.is_empty() { 0 } else { digits(minutes)? };
    Some(seconds - sign * (i64::from(digits(hours)?) * 3600 + i64::from(minutes) * 60))
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// A time as RFC 3339 text in UTC.
pub fn format_iso(seconds: i64) -> String {
    let (day, second) = (seconds.div_euclid(86_400) + 719_468, seconds.rem_euclid(86_400));
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
    let year = era * 400 + year + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Parses a duration (`45s`, `60m`, `2h`, `30d`, `4w`) as seconds. A number without a unit is multiplied by `bare`.
pub fn parse_duration(text: &str, bare: i64) -> Option<i64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => bare,
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    digits.parse::<u32>().ok().map(|number| i64::from(number) * unit)
}

/// A duration with one unit: `45s`, `12m`, `3h`, `9d`.
pub fn format_duration(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{}s", seconds.max(0)),
        60..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_as_they_are_parsed() {
        for text in
            ["1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "2025-12-31T10:00:01Z", "1969-03-01T00:00:00Z"]
        {
            assert_eq!(parse(text).map(format_iso).as_deref(), Some(text));
        }
    }

    #[test]
    fn times_are_parsed() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-06-01T10:00:00.000Z", 1_780_308_000),
            ("2026-06-01T12:00:00+02:00", 1_780_308_000),
            ("2026-06-01T08:30:00-0130", 1_780_308_000),
            ("2026-06-01T12:00:00+02", 1_780_308_000),
            ("2026-06-01 10:00", 1_780_308_000),
            ("2024-02-29", 1_709_164_800),
            ("1780308000", 1_780_308_000),
            ("1780308000123", 1_780_308_000),
            ("1760000000.1", 1_760_000_000),
        ] {
            assert_eq!(parse(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            "now",
            "2026-13-01",
            "2026-06-01T25:99:00Z",
            "2026-06-01x",
            "NaN",
            "2026-06-01T10:00+x",
            "2026-06-01T10:00-\u{fffd}",
            "2026-06-01T10:00+9223372036854775807",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_parsed() {
        for (text, seconds) in
            [("90", 90), ("45s", 45), ("60m", 3600), ("2h", 7200), ("30d", 2_592_000), ("1w", 604_800)]
        {
            assert_eq!(parse_duration(text, 1), Some(seconds), "{text}");
        }
        assert_eq!(parse_duration("60", 60), Some(3600));
        for text in ["", "d", "1y", "-5m", "1.5h", "5mm", "99999999999d"] {
            assert_eq!(parse_duration(text, 1), None, "{text}");
        }
    }

    #[test]
    fn durations_are_formatted() {
        assert_eq!(
            [format_duration(5), format_duration(90), format_duration(7200), format_duration(200_000)],
            ["5s", "1m", "2h", "2d"]
        );
    }
}
