//! The sources of formats, for those who maintain their readers.

/// The program that defines a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Upstream {
    /// The owner and name on GitHub.
    pub repository: &'static str,
    /// The file or folder that defines it; `None` if it is spread over many.
    pub file: Option<&'static str>,
    /// The release that was read or run, the commit, or the month in which it was read; `None` if that was not recorded.
    pub version: Option<&'static str>,
}
