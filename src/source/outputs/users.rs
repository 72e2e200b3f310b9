//! Other processes that have a file open, where the system reports them. A program with an open log continues to
//! write to the file that it opened, whatever has the name by then; one with an open database need not have a lock
//! on it.

use std::path::Path;

/// The id of another process that has a file open, as far as that is visible.
#[cfg(all(feature = "sqlite", target_os = "linux"))]
pub(in crate::source) fn other_process(real: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let own = std::fs::metadata(real).ok()?;
    let is_own = |file: &linux::OpenFile| (file.meta.dev(), file.meta.ino()) == (own.dev(), own.ino());
    linux::open_files().find(is_own).map(|file| file.process)
}

/// The id of another process that has a file open for writing, as far as that is visible. Cached for a second: a
/// run may ask for thousands of files.
#[cfg(target_os = "linux")]
pub(super) fn writing_process(real: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let own = std::fs::metadata(real).ok()?;
    linux::writers(&(own.dev(), own.ino()))
}

#[cfg(all(feature = "sqlite", not(target_os = "linux")))]
pub(super) fn other_process(_: &Path) -> Option<u32> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn writing_process(_: &Path) -> Option<u32> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use foldhash::HashMap;
    use std::fs::{self, Metadata};
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};

    /// A file that another process has open.
    pub struct OpenFile {
        pub process: u32,
        pub meta: Metadata,
        /// The file in `/proc` that contains its open flags.
        info: PathBuf,
    }

    /// The files that other processes have open. Processes of other users are not visible.
    pub fn open_files() -> impl Iterator<Item = OpenFile> {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let others = processes.filter_map(|entry| {
            let process: u32 = entry.file_name().to_str()?.parse().ok()?;
            (process != std::process::id()).then_some((process, entry.path()))
        });
        others.flat_map(|(process, folder)| {
            let files = fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
            files.filter_map(move |file| {
                let meta = fs::metadata(file.path()).ok().filter(Metadata::is_file)?;
                Some(OpenFile { process, meta, info: folder.join("fdinfo").join(file.file_name()) })
            })
        })
    }

    /// True if a file is open for writing, by the last octal digit of its flags.
    fn is_written(info: &Path) -> bool {
        let info = fs::read_to_string(info).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| matches!(flags & 3, 1 | 2))
    }

    /// Files by device and inode, and the process that writes to each.
    type Writers = HashMap<(u64, u64), u32>;

    const MAX_CACHE_AGE: Duration = Duration::from_secs(1);

    pub fn writers(file: &(u64, u64)) -> Option<u32> {
        static KNOWN: Mutex<Option<(Instant, Writers)>> = Mutex::new(None);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_none_or(|(since, _)| since.elapsed() > MAX_CACHE_AGE) {
            let written = open_files().filter(|file| is_written(&file.info));
            let writers = written.map(|file| ((file.meta.dev(), file.meta.ino()), file.process));
            *known = Some((Instant::now(), writers.collect()));
        }
        known.as_ref().and_then(|(_, writers)| writers.get(file).copied())
    }
}
