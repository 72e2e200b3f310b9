//! Temporary files beside the files that they will replace. They are removed when the run is interrupted; those of
//! a killed run are removed by the next one. The name identifies the writer: machine and process id.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use foldhash::HashSet;
use tempfile::NamedTempFile;

const PREFIX: &str = ".replaylint-";
const SUFFIX: &str = ".tmp";

/// Age from which files of another machine, or of a process whose id was reused, count as abandoned.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Files to remove if this run ends now.
type TempFiles = BTreeMap<PathBuf, TempKind>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TempKind {
    /// A temporary file or a copy.
    Temporary,
    /// A hard link of an existing file. Once it is the only name, because another run replaced the file meanwhile,
    /// it is that run's backup, too.
    Link,
    /// The journal of a backup, removed with it.
    Journal,
}

static LIVE: Mutex<TempFiles> = Mutex::new(BTreeMap::new());

fn discard(path: &Path, kind: TempKind) {
    let goes = match kind {
        TempKind::Temporary => true,
        TempKind::Link => has_another_name(path),
        // The backup's name sorts before the journal's, so it is already removed if it is to be.
        TempKind::Journal => fs::symlink_metadata(path.with_extension("")).is_err(),
    };
    if goes {
        let _ = fs::remove_file(path);
    }
}

#[cfg(unix)]
fn has_another_name(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| std::os::unix::fs::MetadataExt::nlink(&meta) > 1)
}

/// Backups are copies on this system.
#[cfg(not(unix))]
fn has_another_name(_: &Path) -> bool {
    false
}

/// Files are created, renamed and removed under this lock, so that a signal handler sees each of them before or
/// after that.
fn lock_temp_files() -> MutexGuard<'static, TempFiles> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file, removed when dropped.
pub struct TempFile(Option<NamedTempFile>);

impl TempFile {
    /// Creates a file in a folder. `public`: readable by others as far as the umask allows; else only by its
    /// owner.
    pub fn beside(folder: &Path, public: bool) -> io::Result<TempFile> {
        sweep(folder);
        clean_up_on_signals();
        let prefix = format!("{PREFIX}{:08x}-{}-", machine(), std::process::id());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX);
        #[cfg(unix)]
        if public {
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        }
        #[cfg(not(unix))]
        let _ = public;
        let mut live = lock_temp_files();
        let temp = builder.tempfile_in(folder)?;
        live.insert(temp.path().to_owned(), TempKind::Temporary);
        // The lock lasts as long as the file is open, however the process ends. Not every file system has locks.
        let _ = lock(temp.as_file());
        Ok(TempFile(Some(temp)))
    }

    pub fn file(&mut self) -> io::Result<&mut File> {
        self.0.as_mut().map(NamedTempFile::as_file_mut).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Its path, as long as it has no other name.
    #[cfg(feature = "sqlite")]
    pub fn path(&self) -> Option<&Path> {
        self.0.as_ref().map(NamedTempFile::path)
    }

    /// Gives the file its final name; `along` keep theirs from then on. `replace`: an old file of that name is
    /// replaced, else it is an error.
    pub fn persist(
        mut self,
        to: &Path,
        replace: bool,
        along: impl IntoIterator<Item = ClaimedName>,
    ) -> io::Result<()> {
        let mut live = lock_temp_files();
        self.rename(to, replace, &mut live)?;
        for path in along.into_iter().filter_map(|mut claimed| claimed.0.take()) {
            live.remove(&path);
        }
        Ok(())
    }

    /// Gives the file a name that is free. It is removed again unless it is passed to [`TempFile::persist`].
    pub fn claim(&mut self, to: &Path) -> io::Result<ClaimedName> {
        let mut live = lock_temp_files();
        self.rename(to, false, &mut live)?;
        live.insert(to.to_owned(), TempKind::Temporary);
        Ok(ClaimedName(Some(to.to_owned())))
    }

    /// Gives the file the name of a journal, replacing an abandoned one. It is removed again if its backup is.
    pub fn claim_journal(&mut self, to: &Path) -> io::Result<ClaimedName> {
        let mut live = lock_temp_files();
        self.rename(to, true, &mut live)?;
        live.insert(to.to_owned(), TempKind::Journal);
        Ok(ClaimedName(Some(to.to_owned())))
    }

    fn rename(&mut self, to: &Path, replace: bool, live: &mut TempFiles) -> io::Result<()> {
        let Some(temp) = self.0.take() else { return Err(io::ErrorKind::NotFound.into()) };
        let from = temp.path().to_owned();
        let named = match replace {
            true => temp.persist(to),
            false => temp.persist_noclobber(to).or_else(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => Err(error),
                // A file system that can only replace.
                _ if fs::symlink_metadata(to).is_err() => error.file.persist(to),
                _ => Err(error),
            }),
        };
        match named {
            Ok(_) => {
                live.remove(&from);
                Ok(())
            }
            Err(error) => {
                self.0 = Some(error.file);
                Err(error.error)
            }
        }
    }
}

/// A file with its final name, removed when dropped unless it is kept.
pub struct ClaimedName(Option<PathBuf>);

impl ClaimedName {
    /// Creates a hard link.
    pub fn link(from: &Path, to: &Path) -> io::Result<ClaimedName> {
        let mut live = lock_temp_files();
        fs::hard_link(from, to)?;
        live.insert(to.to_owned(), TempKind::Link);
        Ok(ClaimedName(Some(to.to_owned())))
    }
}

#[cfg(feature = "sqlite")]
impl ClaimedName {
    /// Keeps the file.
    pub fn keep(mut self) {
        if let Some(path) = self.0.take() {
            lock_temp_files().remove(&path);
        }
    }
}

impl Drop for ClaimedName {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let mut live = lock_temp_files();
            if let Some(kind) = live.remove(&path) {
                discard(&path, kind);
            }
        }
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if let Some(temp) = self.0.take() {
            let mut live = lock_temp_files();
            live.remove(temp.path());
            // Removes the file.
            drop(temp);
        }
    }
}

impl Write for TempFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

/// Removes the temporary files that killed runs left in a folder; once per run, as the folder may be large.
pub fn sweep(folder: &Path) {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !swept.get_or_insert_default().insert(folder.to_owned()) {
        return;
    }
    // A folder that cannot be listed is not swept; it may still be writable.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(writer) = entry.file_name().to_str().and_then(TempWriter::of_name) else { continue };
        if is_stale(&entry.path(), &writer) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The creator of a temporary file, from its name.
#[derive(Debug, PartialEq, Eq)]
struct TempWriter {
    machine: u32,
    process: u32,
}

impl TempWriter {
    fn of_name(name: &str) -> Option<TempWriter> {
        let mut parts = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split('-');
        let (machine, process, random) = (parts.next()?, parts.next()?, parts.next()?);
        let is_ours = machine.len() == 8 && random.len() == 6 && parts.next().is_none();
        let writer = || {
            Some(TempWriter { machine: u32::from_str_radix(machine, 16).ok()?, process: process.parse().ok()? })
        };
        is_ours.then(writer).flatten()
    }
}

/// True if certainly no process writes to the file any more.
fn is_stale(path: &Path, writer: &TempWriter) -> bool {
    let Some(meta) = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file) else { return false };
    let age = meta.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    let abandoned = age.is_some_and(|age| age > ABANDONED);
    let gone = writer.machine == machine() && has_exited(writer.process);
    (gone || abandoned) && is_unlocked(path)
}

fn is_unlocked(path: &Path) -> bool {
    let open = File::options().read(true).write(true).open(path).or_else(|_| File::open(path));
    open.is_ok_and(|file| lock(&file).is_ok())
}

#[cfg(unix)]
fn lock(file: &File) -> io::Result<()> {
    Ok(rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive)?)
}

#[cfg(not(unix))]
fn lock(_: &File) -> io::Result<()> {
    Ok(())
}

/// True if no process has this id.
#[cfg(unix)]
fn has_exited(process: u32) -> bool {
    let pid = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn has_exited(_: u32) -> bool {
    false
}

/// A hash of the host name: process ids mean nothing on other machines and containers that share the folder.
fn machine() -> u32 {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_bytes().to_vec();
    #[cfg(not(unix))]
    let name = std::env::var_os("COMPUTERNAME").unwrap_or_default().into_encoded_bytes();
    xxhash_rust::xxh3::xxh3_64(&name) as u32
}

/// Installs handlers that remove the temporary files before an interrupted run ends as usual.
#[cfg(unix)]
fn clean_up_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // Signals that the caller ignores (nohup, background jobs) remain ignored.
        let ignored = ignored_signals();
        let wanted: Vec<i32> =
            [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|n| ignored & (1 << (n - 1)) == 0).collect();
        // Without handlers the run ends as usual, and the next one sweeps.
        let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // Never released: no other file is created until the process has ended.
                let live = lock_temp_files();
                live.iter().for_each(|(path, kind)| discard(path, *kind));
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

#[cfg(not(unix))]
fn clean_up_on_signals() {}

/// A bit mask of the signals that the process ignores; 0 if unknown.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_who_writes() {
        let of = TempWriter::of_name;
        assert_eq!(of(".replaylint-0000002a-17-abcDE1.tmp"), Some(TempWriter { machine: 42, process: 17 }));
        for name in
            ["replaylint-0000002a-17-abcDE1.tmp", ".replaylint-17-abcDE1.tmp", ".replaylint-0000002a-17-a.tmp"]
        {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_what_nobody_writes_any_more_is_swept() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let mut child = std::process::Command::new("true").spawn()?;
        let gone = child.id();
        child.wait()?;
        let (own, here) = (std::process::id(), machine());
        let file = |machine: u32, process: u32, random: &str| -> io::Result<PathBuf> {
            let path = dir.path().join(format!("{PREFIX}{machine:08x}-{process}-{random}{SUFFIX}"));
            fs::write(&path, "half of a fi")?;
            Ok(path)
        };
        let stale = file(here, gone, "aaaaaa")?;
        let elsewhere = file(here ^ 1, gone, "bbbbbb")?;
        let living = file(here, own, "cccccc")?;
        let old = file(here ^ 1, own, "dddddd")?;
        let old_but_open = file(here ^ 1, own, "eeeeee")?;
        let past = SystemTime::now() - 2 * ABANDONED;
        for path in [&old, &old_but_open] {
            File::options().write(true).open(path)?.set_modified(past)?;
        }
        let held = File::open(&old_but_open)?;
        lock(&held)?;
        let mine = TempFile::beside(dir.path(), false)?;
        let left = |path: &Path| path.exists();
        assert!(!left(&stale) && !left(&old));
        assert!(left(&elsewhere) && left(&living) && left(&old_but_open));
        assert_eq!(fs::read_dir(dir.path())?.count(), 4);
        drop(mine);
        assert_eq!(fs::read_dir(dir.path())?.count(), 3);
        Ok(())
    }
}
