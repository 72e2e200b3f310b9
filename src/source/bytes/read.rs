//! Random reads of a doc's bytes: a file, a spooled stream, or a doc seen through a patch. Everything above reads by
//! offset into its own buffer, so no file is ever held whole, and none is mapped (logs grow and shrink).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::place::{Pieces, Place, With};

use super::hints::Known;
use super::synthetic::Room;
use crate::source::file_stamp::Stamp;

/// Bytes that can be read at any offset by several threads.
pub trait ReadAt: Send + Sync {
    /// Length in bytes.
    fn len(&self) -> u64;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it ends before its end: it was compressed, and the compressed file is truncated.
    fn is_cut(&self) -> bool {
        false
    }

    /// Lets go of an open file until the next read: a process may hold few of them, and some systems replace no file that
    /// is open.
    fn close(&self) {}

    /// Reads from `start` into `buf`, as much as there is. Fewer bytes than asked for means the end.
    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize>;

    /// Where text is kept that is made of these bytes. It is read at offsets after the end.
    fn room(&self) -> Option<&Room> {
        None
    }

    /// What is known of the bytes before they are looked at.
    fn known(&self) -> Option<Known> {
        None
    }

    /// Where the text at a place came from: the place itself, unless it lies after the end.
    fn origin(&self, at: Place) -> Place {
        self.room().map_or(at, |room| room.origin(at))
    }

    /// The bytes themselves, where they are in memory anyway.
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }

    /// Reads `len` bytes from `start` into `out`, replacing what it held. Fewer bytes than asked for is an error:
    /// the file shrank.
    fn read_into(&self, start: u64, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
        out.resize(len, 0);
        if self.read_at(start, out)? == len { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Appends `len` bytes from `start` to a file. A file gives them without a detour through memory, where the system
    /// can do that.
    fn append_to(&self, start: u64, len: u64, out: &mut File) -> io::Result<()> {
        let mut buf = vec![0; len.min(1 << 20) as usize];
        let mut at = start;
        while at < start + len {
            let want = (start + len - at).min(buf.len() as u64) as usize;
            let part = buf.split_at_mut(want).0;
            if self.read_at(at, part)? < want {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            out.write_all(part)?;
            at += want as u64;
        }
        Ok(())
    }
}

impl ReadAt for Box<dyn ReadAt> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn is_cut(&self) -> bool {
        (**self).is_cut()
    }

    fn close(&self) {
        (**self).close();
    }

    fn room(&self) -> Option<&Room> {
        (**self).room()
    }

    fn known(&self) -> Option<Known> {
        (**self).known()
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(start, buf)
    }

    fn in_memory(&self) -> Option<&[u8]> {
        (**self).in_memory()
    }

    fn append_to(&self, start: u64, len: u64, out: &mut File) -> io::Result<()> {
        (**self).append_to(start, len, out)
    }
}

/// A file as long as it was when it was opened: lines that a live agent appends meanwhile are not seen.
pub struct FileBytes {
    /// `None` while it is closed.
    file: RwLock<Option<File>>,
    len: u64,
    /// Where to find it again.
    path: Option<PathBuf>,
    stamp: Stamp,
}

/// Bytes that were read from files so far, by all threads: how far a run is.
static READ: AtomicU64 = AtomicU64::new(0);

/// How many bytes were read from files so far.
pub fn bytes_read() -> u64 {
    READ.load(Ordering::Relaxed)
}

impl FileBytes {
    /// A file without a name.
    pub fn new(file: File) -> io::Result<Self> {
        let stamp = Stamp::of(&file.metadata()?);
        Ok(FileBytes { file: RwLock::new(Some(file)), len: stamp.len, path: None, stamp })
    }

    pub fn of_path(file: File, path: &Path) -> io::Result<Self> {
        Ok(FileBytes { path: Some(path.to_owned()), ..FileBytes::new(file)? })
    }

    fn with_file<T>(&self, read: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        let open = self.file.read().unwrap_or_else(PoisonError::into_inner);
        let path = match (&*open, &self.path) {
            (Some(file), _) => return read(file),
            (None, Some(path)) => path,
            (None, None) => return Err(io::ErrorKind::NotFound.into()),
        };
        let file = File::open(path)?;
        if !Stamp::of(&file.metadata()?).continues(&self.stamp) {
            return Err(io::Error::other("changed while it was read"));
        }
        read(&file)
    }
}

impl ReadAt for FileBytes {
    fn len(&self) -> u64 {
        self.len
    }

    fn close(&self) {
        if self.path.is_some() {
            *self.file.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let want = buf.len().min(usize::try_from(self.len.saturating_sub(start)).unwrap_or(usize::MAX));
        self.with_file(|file| {
            let done = read_at(file, start, buf.split_at_mut(want).0)?;
            READ.fetch_add(done as u64, Ordering::Relaxed);
            Ok(done)
        })
    }

    fn append_to(&self, start: u64, len: u64, out: &mut File) -> io::Result<()> {
        self.with_file(|mut from| {
            // Reads go by offset, so the file's own position is free to be moved.
            from.seek(SeekFrom::Start(start))?;
            let copied = io::copy(&mut from.take(len), out)?;
            if copied < len { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
        })
    }
}

/// What could be unpacked of a truncated file.
pub struct CutShort(pub Box<dyn ReadAt>);

impl ReadAt for CutShort {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn is_cut(&self) -> bool {
        true
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(start, buf)
    }
}

/// Reads from an offset of a file as much as there is, and as the buffer holds.
pub(super) fn read_at(file: &File, start: u64, buf: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < buf.len() {
        match positioned_read(file, buf.split_at_mut(done).1, start + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(done)
}

#[cfg(unix)]
fn positioned_read(file: &File, buf: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, at)
}

#[cfg(windows)]
fn positioned_read(file: &File, buf: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, at)
}

/// Where there are no files, as in a browser, none is open.
#[cfg(not(any(unix, windows)))]
fn positioned_read(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self)
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        Memory(self).read_at(start, buf)
    }
}

/// Bytes of somebody else's.
pub struct Memory<'m>(pub &'m [u8]);

impl ReadAt for Memory<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self.0)
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let mut rest = usize::try_from(start).ok().and_then(|from| self.0.get(from..)).unwrap_or_default();
        io::Read::read(&mut rest, buf)
    }
}

/// Appends what a piece of a replacement says.
pub fn append(bytes: &dyn ReadAt, piece: &With, out: &mut Vec<u8>) -> io::Result<()> {
    match piece {
        With::Text(text) => out.extend_from_slice(text),
        With::Copy(at) => {
            let mut copied = Vec::new();
            bytes.read_into(at.start, at.len as usize, &mut copied)?;
            out.append(&mut copied);
        }
    }
    Ok(())
}

/// A doc as it will be once its edits are made. Copies within a patch are copies from the same doc.
pub struct Patched<'r> {
    inner: &'r dyn ReadAt,
    pieces: Pieces,
    /// For what is made of the patched bytes. Of bytes that no edit changes, nothing else is made.
    room: Room,
}

impl<'r> Patched<'r> {
    pub fn new(inner: &'r dyn ReadAt, pieces: Pieces) -> Self {
        Patched { inner, pieces, room: Room::default() }
    }
}

impl ReadAt for Patched<'_> {
    fn len(&self) -> u64 {
        self.pieces.len()
    }

    fn close(&self) {
        self.inner.close();
    }

    fn is_cut(&self) -> bool {
        self.inner.is_cut()
    }

    fn room(&self) -> Option<&Room> {
        if self.pieces.is_whole() { self.inner.room() } else { Some(&self.room) }
    }

    fn known(&self) -> Option<Known> {
        self.inner.known()
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        if let Some(n) = self.room().and_then(|room| room.read_at(start, buf)) {
            return Ok(n);
        }
        let end = self.pieces.len().min(start.saturating_add(buf.len() as u64));
        let mut done = 0;
        self.pieces.walk(start.min(end), end, |piece| {
            let len = piece.len() as usize;
            let part = buf.get_mut(done..done + len).ok_or(io::ErrorKind::InvalidInput)?;
            match piece {
                With::Text(text) => part.copy_from_slice(text),
                With::Copy(place) => {
                    if self.inner.read_at(place.start, part)? < len {
                        return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
                    }
                }
            }
            done += len;
            Ok(())
        })?;
        Ok(done)
    }

    fn append_to(&self, start: u64, len: u64, out: &mut File) -> io::Result<()> {
        self.pieces.walk(start, start + len, |piece| match piece {
            With::Text(text) => out.write_all(text),
            With::Copy(place) => self.inner.append_to(place.start, u64::from(place.len), out),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{DocId, Edit, Patch, Place};

    #[test]
    fn a_patched_doc_reads_at_any_offset() {
        let text = b"0123456789".to_vec();
        let doc = DocId(0);
        let mut patch = Patch::default();
        patch.add([
            Edit { at: Place::new(doc, 2, 1), with: vec![With::Copy(Place::new(doc, 7, 3)), With::text("x")] },
            Edit::remove(Place::new(doc, 7, 3)),
        ]);
        let view = Patched::new(&text, Pieces::new(patch.edits(doc), doc, 10));
        let whole = b"01789x3456";
        assert_eq!(view.len(), 10);
        for from in 0..=10 {
            for to in from..=10 {
                let mut buf = vec![0; to - from];
                assert_eq!(view.read_at(from as u64, &mut buf).ok(), Some(to - from));
                assert_eq!(buf, &whole[from..to]);
            }
        }
    }
}
