//! An exchange of a recording, the errors of reading one, and the limits.

use std::io;

/// Bytes of a file, and of a body that is decompressed. Larger files are not read, because the whole file is parsed.
pub const MAX_RECORDING: u64 = 64 << 20;

/// Levels of nesting; as many as `serde_json` reads.
pub(super) const MAX_DEPTH: usize = 128;

/// Bytes of all copies that anchors and aliases make.
pub(super) const MAX_EXPANDED: usize = 64 << 20;

/// A request, and the answer to it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    pub method: String,
    pub url: String,
    pub request: Vec<u8>,
    /// The HTTP status; `None` if it is not recorded.
    pub status: Option<u16>,
    /// Empty if it is not recorded, or compressed in a way that is not read.
    pub response: Vec<u8>,
}

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error("larger than {} MiB; it was not read", MAX_RECORDING >> 20)]
    TooLarge,
    #[error("not UTF-8")]
    NotText,
    #[error("not valid JSON (line {line}, column {column})")]
    Json { line: usize, column: usize },
    #[error("not valid YAML (line {line}, column {column})")]
    Yaml { line: usize, column: usize },
    #[error("nested deeper than {} levels", MAX_DEPTH)]
    TooDeep,
    #[error("its aliases expand to more than {} MiB", MAX_EXPANDED >> 20)]
    TooManyAliases,
    #[error("no list of recorded requests (`interactions`, `http_interactions` or `log.entries`)")]
    NoExchanges,
}

impl From<RecordingError> for io::Error {
    fn from(error: RecordingError) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}
