//! Devices, pipes and sockets. A walk skips them. Named as an argument, a pipe is read to its end; a device may be
//! endless, so only those that the caller has opened (`/dev/stdin`, `/dev/fd/3`, `<(command)`) are read.

use std::fs::{FileType, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// The name of a file type that is not a file, a folder, or a link.
pub(super) fn type_name(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a named pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    (!kind.is_file() && !kind.is_dir() && !kind.is_symlink()).then_some("a device")
}

/// Opens a special file for one sequential read.
pub(in crate::source) fn open(path: &Path, meta: &Metadata) -> io::Result<Box<dyn Read>> {
    let Some(what) = type_name(meta.file_type()).filter(|_| !is_inherited(path)) else {
        return Ok(Box::new(std::fs::File::open(path)?));
    };
    match what {
        #[cfg(unix)]
        "a named pipe" => pipe::open(path),
        _ => Err(io::Error::other(format!("is {what}; pass a file, or - for standard input"))),
    }
}

/// True if a path names an open file of this process. A path to an unnamed pipe has no canonical form.
fn is_inherited(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::to_str).unwrap_or_default();
    let is_list = folder == "/dev/fd" || folder.starts_with("/proc/") && folder.ends_with("/fd");
    path == Path::new("/dev/stdin") || is_list || path.canonicalize().is_err()
}

#[cfg(unix)]
mod pipe {
    use std::fs::File;
    use std::io::{self, Cursor, ErrorKind, Read};
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;
    use std::time::{Duration, Instant};

    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    /// How long to wait for a writer of a pipe.
    const PATIENCE: Duration = Duration::from_secs(5);
    const STEP: Duration = Duration::from_millis(5);

    /// Opens a named pipe and waits for its writer.
    pub(super) fn open(path: &Path) -> io::Result<Box<dyn Read>> {
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
        let mut pipe = File::options().read(true).custom_flags(flags).open(path)?;
        let mut first = [0; 4096];
        let begun = Instant::now();
        let read = loop {
            match pipe.read(&mut first) {
                // No writer, or none any more.
                Ok(0) if begun.elapsed() < PATIENCE => std::thread::sleep(STEP),
                Ok(0) => return Err(io::Error::other("is a named pipe that nothing writes to")),
                Ok(read) => break read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break 0,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        fcntl_setfl(&pipe, fcntl_getfl(&pipe)? - OFlags::NONBLOCK)?;
        let first = first.get(..read).unwrap_or_default().to_vec();
        Ok(Box::new(Cursor::new(first).chain(pipe)))
    }
}
