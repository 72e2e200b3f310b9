//! Recordings of HTTP exchanges: requests with their answers, as test suites and browsers store them. VCR cassettes are
//! read in YAML and JSON, and HTTP archives (HAR).

mod body;
mod cassette;
mod exchange;
mod har;
mod node;
mod yaml;

pub use exchange::{Exchange, MAX_RECORDING, RecordingError};

use node::Node;

/// File extensions of recordings in folders, each also followed by `.gz` or `.zst`.
pub const EXTENSIONS: [&str; 4] = ["yaml", "yml", "json", "har"];

/// Bytes at the start of a file in which a recording has its first key.
pub const HEAD: u64 = 4096;

/// True if the first [`HEAD`] bytes of a file may be those of a recording.
pub fn may_be_recording(head: &[u8]) -> bool {
    let has = |key: &[u8]| head.windows(key.len()).any(|window| window == key);
    has(b"interactions") || has(b"\"log\"") && is_json(head)
}

/// Reads the exchanges of a recording.
///
/// # Errors
///
/// If it is too large, invalid, or not a recording.
pub fn read(bytes: &[u8]) -> Result<Vec<Exchange>, RecordingError> {
    if bytes.len() as u64 > MAX_RECORDING {
        return Err(RecordingError::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| RecordingError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = if is_json(bytes) { json(text)? } else { yaml::parse(text)? };
    cassette::exchanges(&root).or_else(|| har::exchanges(&root)).ok_or(RecordingError::NoExchanges)
}

fn json(text: &str) -> Result<Node, RecordingError> {
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| RecordingError::Json { line: error.line(), column: error.column() })?;
    Ok(Node::from(value))
}

fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().first() == Some(&b'{')
}
