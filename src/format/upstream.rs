//! Where a format was read, so that whoever maintains its reader can look there again.

/// The program that defines a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Upstream {
    /// On GitHub: owner and name.
    pub repository: &'static str,
    /// The file or folder that defines it; `None` where it is spread over many.
    pub file: Option<&'static str>,
    /// The release that was read or run, the commit, or the month in which it was read; `None` if that was not recorded.
    pub version: Option<&'static str>,
}
