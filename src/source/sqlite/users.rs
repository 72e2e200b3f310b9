//! Who has a database open. A connection that does nothing holds no lock in some modes, so the system is asked, where it
//! tells.

use std::path::Path;

/// The number of another process that has a file open, as far as that shows.
#[cfg(target_os = "linux")]
pub(super) fn other(real: &Path) -> Option<u32> {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    let own = fs::metadata(real).ok()?;
    let is_own = |meta: fs::Metadata| (meta.dev(), meta.ino()) == (own.dev(), own.ino());
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut others = processes.filter_map(|entry| {
        let number: u32 = entry.file_name().to_str()?.parse().ok()?;
        (number != std::process::id()).then_some((number, entry.path().join("fd")))
    });
    others.find_map(|(number, files)| {
        // Of somebody else's processes nothing shows.
        let mut files = fs::read_dir(files).ok()?.flatten();
        files.any(|file| fs::metadata(file.path()).is_ok_and(is_own)).then_some(number)
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn other(_: &Path) -> Option<u32> {
    None
}
