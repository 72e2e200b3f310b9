//! Temporary files beside the file that they will replace. They are removed when the run is interrupted; what a killed
//! run could not remove, the next run does. The name says who is writing: the machine, and the number of the process.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;

const PREFIX: &str = ".replaylint-";
const SUFFIX: &str = ".tmp";

/// What another machine left, or a process whose number was given to another one since, is abandoned after this long.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Files that go again if this run ends now.
type Live = BTreeMap<PathBuf, Kind>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A temporary file, or a copy.
    Own,
    /// A second name of a file that was there before. Once it is the only one, because another run replaced the file
    /// meanwhile, it is the backup of that run, too.
    Link,
    /// What lies beside a backup, and goes with it.
    Journal,
}

static LIVE: Mutex<Live> = Mutex::new(BTreeMap::new());

fn discard(path: &Path, kind: Kind) {
    let goes = match kind {
        Kind::Own => true,
        Kind::Link => has_another_name(path),
        // Of the two names the backup's comes first in order, so that it is gone by now if it goes.
        Kind::Journal => fs::symlink_metadata(path.with_extension("")).is_err(),
    };
    if goes {
        let _ = fs::remove_file(path);
    }
}

#[cfg(unix)]
fn has_another_name(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| std::os::unix::fs::MetadataExt::nlink(&meta) > 1)
}

/// Backups are copies here.
#[cfg(not(unix))]
fn has_another_name(_: &Path) -> bool {
    false
}

/// A file is made, named or removed while this is held, so that an interruption finds each file before or after that.
fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file. It is removed when it is dropped.
pub struct Temp(Option<NamedTempFile>);

impl Temp {
    /// `public`: others may read it as far as the user's mask allows; else only its owner may.
    pub fn beside(folder: &Path, public: bool) -> io::Result<Temp> {
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
        let mut live = live();
        let temp = builder.tempfile_in(folder)?;
        live.insert(temp.path().to_owned(), Kind::Own);
        // Held as long as the file is open, however the process ends. Not every file system knows locks.
        let _ = lock(temp.as_file());
        Ok(Temp(Some(temp)))
    }

    pub fn file(&mut self) -> io::Result<&mut File> {
        self.0.as_mut().map(NamedTempFile::as_file_mut).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Where it is, as long as it has no other name.
    #[cfg(feature = "sqlite")]
    pub fn path(&self) -> Option<&Path> {
        self.0.as_ref().map(NamedTempFile::path)
    }

    /// Gives the file its name, and lets what was claimed along with it keep its own. `replace`: an old file of that name
    /// goes, else it is an error.
    pub fn name(mut self, to: &Path, replace: bool, along: impl IntoIterator<Item = Claimed>) -> io::Result<()> {
        let mut live = live();
        self.rename(to, replace, &mut live)?;
        for path in along.into_iter().filter_map(|mut claimed| claimed.0.take()) {
            live.remove(&path);
        }
        Ok(())
    }

    /// Gives the file a name that nothing has; it goes again unless another file is named along with it.
    pub fn claim(&mut self, to: &Path) -> io::Result<Claimed> {
        let mut live = live();
        self.rename(to, false, &mut live)?;
        live.insert(to.to_owned(), Kind::Own);
        Ok(Claimed(Some(to.to_owned())))
    }

    /// Gives the file the name of a journal, which an abandoned one may have; it goes again if its backup does.
    pub fn claim_journal(&mut self, to: &Path) -> io::Result<Claimed> {
        let mut live = live();
        self.rename(to, true, &mut live)?;
        live.insert(to.to_owned(), Kind::Journal);
        Ok(Claimed(Some(to.to_owned())))
    }

    fn rename(&mut self, to: &Path, replace: bool, live: &mut Live) -> io::Result<()> {
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

/// A file that has its name, and loses it again unless it is kept.
pub struct Claimed(Option<PathBuf>);

impl Claimed {
    /// Gives a file a second name.
    pub fn link(from: &Path, to: &Path) -> io::Result<Claimed> {
        let mut live = live();
        fs::hard_link(from, to)?;
        live.insert(to.to_owned(), Kind::Link);
        Ok(Claimed(Some(to.to_owned())))
    }
}

#[cfg(feature = "sqlite")]
impl Claimed {
    /// The file keeps its name.
    pub fn keep(mut self) {
        if let Some(path) = self.0.take() {
            live().remove(&path);
        }
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let mut live = live();
            if let Some(kind) = live.remove(&path) {
                discard(&path, kind);
            }
        }
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if let Some(temp) = self.0.take() {
            let mut live = live();
            live.remove(temp.path());
            // Removes the file.
            drop(temp);
        }
    }
}

impl Write for Temp {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

/// Removes what killed runs left in a folder; once a run, for it may be long.
pub fn sweep(folder: &Path) {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !swept.get_or_insert_default().insert(folder.to_owned()) {
        return;
    }
    // A folder that cannot be listed is not swept: that is no reason not to write.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(writer) = entry.file_name().to_str().and_then(Writer::of_name) else { continue };
        if is_stale(&entry.path(), &writer) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Who made a temporary file.
#[derive(Debug, PartialEq, Eq)]
struct Writer {
    machine: u32,
    process: u32,
}

impl Writer {
    fn of_name(name: &str) -> Option<Writer> {
        let mut parts = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split('-');
        let (machine, process, random) = (parts.next()?, parts.next()?, parts.next()?);
        let is_ours = machine.len() == 8 && random.len() == 6 && parts.next().is_none();
        let writer =
            || Some(Writer { machine: u32::from_str_radix(machine, 16).ok()?, process: process.parse().ok()? });
        is_ours.then(writer).flatten()
    }
}

/// Whether surely nobody writes to a file any more.
fn is_stale(path: &Path, writer: &Writer) -> bool {
    let Some(meta) = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file) else { return false };
    let age = meta.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    let abandoned = age.is_some_and(|age| age > ABANDONED);
    let gone = writer.machine == machine() && is_gone(writer.process);
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

/// Whether no process has this number.
#[cfg(unix)]
fn is_gone(process: u32) -> bool {
    let pid = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_gone(_: u32) -> bool {
    false
}

/// Tells machines, and containers, that share a folder apart: the numbers of their processes say nothing to each other.
fn machine() -> u32 {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_bytes().to_vec();
    #[cfg(not(unix))]
    let name = std::env::var_os("COMPUTERNAME").unwrap_or_default().into_encoded_bytes();
    xxhash_rust::xxh3::xxh3_64(&name) as u32
}

/// Lets an interrupted run remove its temporary files before it ends as it would have ended.
#[cfg(unix)]
fn clean_up_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // What the caller wants ignored (nohup, a job in the background) stays so.
        let ignored = ignored_signals();
        let wanted: Vec<i32> =
            [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|n| ignored & (1 << (n - 1)) == 0).collect();
        // Without the handlers a run ends as it always does, and the next one sweeps.
        let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // Not let go of: no other file is made until the process has ended.
                let live = live();
                live.iter().for_each(|(path, kind)| discard(path, *kind));
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

#[cfg(not(unix))]
fn clean_up_on_signals() {}

/// The signals that the process was started to ignore, a bit each; none where the system does not say.
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
        let of = Writer::of_name;
        assert_eq!(of(".replaylint-0000002a-17-abcDE1.tmp"), Some(Writer { machine: 42, process: 17 }));
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
        let mine = Temp::beside(dir.path(), false)?;
        let left = |path: &Path| path.exists();
        assert!(!left(&stale) && !left(&old));
        assert!(left(&elsewhere) && left(&living) && left(&old_but_open));
        assert_eq!(fs::read_dir(dir.path())?.count(), 4);
        drop(mine);
        assert_eq!(fs::read_dir(dir.path())?.count(), 3);
        Ok(())
    }
}
