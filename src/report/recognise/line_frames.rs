//! What quoting, terminals and loggers put around each line of a text: `> `, borders of boxes, marks of lists, a time and
//! a level before it. A sentence that was broken over such lines is whole again without them.

/// The lines without their frames. Linear in the length of the text.
pub fn strip_frames(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            out.push('\n');
        }
        let line = line.trim_start_matches(is_border).trim_end_matches(|c| c != '>' && is_border(c));
        out.push_str(without_time(line).trim_start_matches(is_border));
    }
    out
}

fn is_border(c: char) -> bool {
    c.is_whitespace()
        || c == '>'
        || matches!(c, '|' | '•' | '·' | '⎿' | '⏺' | '✕' | '✖' | '✗' | '\u{2500}'..='\u{25ff}')
}

const LEVELS: [&str; 8] = ["TRACE", "DEBUG", "INFO", "WARNING", "WARN", "ERROR", "FATAL", "CRITICAL"];

/// A line without the time, and the level, that a logger begins it with.
fn without_time(line: &str) -> &str {
    let mut rest = line;
    while let Some(next) = after_time(rest) {
        rest = next.trim_start();
    }
    if rest.len() == line.len() {
        return line;
    }
    let inner = rest.trim_start_matches('[');
    let level = LEVELS.iter().find_map(|level| inner.strip_prefix(level));
    let ended = level.filter(|after| after.is_empty() || after.starts_with([' ', ']', ':', '\t', '-', '|']));
    ended.map_or(rest, |after| after.trim_start_matches([' ', ']', ':', '\t', '-', '|']))
}

/// What follows a date or a time at the start of a line: `2026-09-01T10:00:00.000Z`, `[12:30:01]`, `2026-09-01`.
fn after_time(line: &str) -> Option<&str> {
    let inner = line.strip_prefix(['[', '(']).unwrap_or(line);
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ',' | '-' | '/' | '+' | 'T' | 'Z');
    let end = inner.find(|c: char| !is_part(c)).unwrap_or(inner.len());
    let time = &inner[..end];
    let marks = |mark: char| time.matches(mark).count();
    let is_time = time.starts_with(|c: char| c.is_ascii_digit())
        && (marks(':') >= 2 || marks('-') == 2 && time.len() == 10)
        && time.chars().filter(char::is_ascii_digit).count() >= 5;
    let rest = inner[end..].trim_start_matches([']', ')']);
    (is_time && (rest.is_empty() || rest.starts_with([' ', '\t', '|', ':'])))
        .then(|| rest.trim_start_matches(['|', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_go_and_text_stays() {
        for (framed, text) in [
            ("> one\n> > two", "one\ntwo"),
            ("│  one   │\n│ two │", "one\ntwo"),
            ("  ⎿ one", "one"),
            ("one <nil>", "one <nil>"),
            ("[12:30:01] one\n[12:30:01] two", "one\ntwo"),
            ("2026-09-01T10:00:00.000Z ERROR one\n2026-09-01T10:00:00.000Z ERROR two", "one\ntwo"),
            ("2026-09-01 10:00:00,123 [INFO] one", "one"),
            ("messages.3: a | b", "messages.3: a | b"),
            ("400 Bad Request", "400 Bad Request"),
            ("12:30 one", "12:30 one"),
            ("ERROR one", "ERROR one"),
        ] {
            assert_eq!(strip_frames(framed), text, "{framed}");
        }
    }
}
