//! Random reads of a doc's bytes: a file, a spooled stream, or a doc seen through a patch. Everything above reads
//! by offset into its own buffer, so no file is ever in memory as a whole, and none is mapped (logs grow and
//! shrink).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::place::{Pieces, Place, ReplacementPart};

use super::hints::{ByteHints, FileFault};
use super::synthetic::SyntheticSlot;
use crate::source::file_stamp::FileStamp;

/// Bytes that can be read at any offset by several threads.
pub trait ReadAt: Send + Sync {
    /// Length in bytes.
    fn len(&self) -> u64;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the bytes come from a compressed file that is truncated.
    fn is_truncated(&self) -> bool {
        false
    }

    /// Closes an open file until the next read: a process may have few of them, and some systems replace no file
    /// that is open.
    fn close(&self) {}

    /// Reads from `start` into `buf`, as much as there is. Fewer bytes than requested means the end.
    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize>;

    /// The slot for text synthesised from these bytes, which is read at offsets after their end. `None` if they
    /// have none.
    fn synthetic_slot(&self) -> Option<&SyntheticSlot> {
        None
    }

    /// Hints about the bytes. `None` if they have to be inspected.
    fn hints(&self) -> Option<ByteHints> {
        None
    }

    /// Faults of the files that the bytes consist of, in their order.
    fn file_faults(&self) -> &[FileFault] {
        &[]
    }

    /// The place that the text at a place was made from: itself, unless it is after the end.
    fn origin(&self, at: Place) -> Place {
        self.synthetic_slot().map_or(at, |slot| slot.origin(at))
    }

    /// The bytes themselves, where they are in memory anyway.
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }

    /// Reads `len` bytes from `start` into `out`, replacing its contents. Fewer bytes than requested is an error:
    /// the file shrank.
    fn read_into(&self, start: u64, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
        if out.len() < len {
            out.clear();
            return self.append_from(start, len, out);
        }
        out.truncate(len);
        self.read_exact_at(start, out)
    }

    /// The `len` bytes from `start`: those in memory, else read into `buf`. Fewer bytes than requested is an error.
    fn borrow_or_read<'b>(&'b self, start: u64, len: usize, buf: &'b mut Vec<u8>) -> io::Result<&'b [u8]> {
        if let Some(bytes) = in_memory(self, start, len) {
            return Ok(bytes);
        }
        self.read_into(start, len, buf)?;
        Ok(buf)
    }

    /// Fills `buf` from `start`. Fewer bytes than requested is an error: the file shrank.
    fn read_exact_at(&self, start: u64, buf: &mut [u8]) -> io::Result<()> {
        if self.read_at(start, buf)? == buf.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Appends `len` bytes from `start` to a buffer. Fewer bytes than requested is an error: the file shrank.
    fn append_from(&self, start: u64, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
        append_by_read_at(self, start, len, out)
    }

    /// Appends `len` bytes from `start` to a file. A file gives them without a detour through memory, where the system
    /// can do that.
    fn append_to(&self, start: u64, len: u64, out: &mut File) -> io::Result<()> {
        let mut buf = vec![0; len.min(1 << 20) as usize];
        let mut at = start;
        while at < start + len {
            let want = (start + len - at).min(buf.len() as u64) as usize;
            let part = buf.split_at_mut(want).0;
            self.read_exact_at(at, part)?;
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

    fn is_truncated(&self) -> bool {
        (**self).is_truncated()
    }

    fn close(&self) {
        (**self).close();
    }

    fn synthetic_slot(&self) -> Option<&SyntheticSlot> {
        (**self).synthetic_slot()
    }

    fn hints(&self) -> Option<ByteHints> {
        (**self).hints()
    }

    fn file_faults(&self) -> &[FileFault] {
        (**self).file_faults()
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(start, buf)
    }

    fn in_memory(&self) -> Option<&[u8]> {
        (**self).in_memory()
    }

    fn append_from(&self, start: u64, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
        (**self).append_from(start, len, out)
    }

    fn append_to(&self, start: u64, len: u64, out: &mut File) -> io::Result<()> {
        (**self).append_to(start, len, out)
    }
}

/// A span of bytes, if they are in memory.
fn in_memory<R: ReadAt + ?Sized>(bytes: &R, start: u64, len: usize) -> Option<&[u8]> {
    let from = usize::try_from(start).ok()?;
    bytes.in_memory()?.get(from..from.checked_add(len)?)
}

/// [`ReadAt::append_from`] for bytes that cannot do better than clear the buffer, and read into it.
pub(super) fn append_by_read_at<R: ReadAt + ?Sized>(
    bytes: &R,
    start: u64,
    len: usize,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    if let Some(text) = in_memory(bytes, start, len) {
        out.extend_from_slice(text);
        return Ok(());
    }
    let have = out.len();
    out.reserve_exact(len);
    out.resize(have + len, 0);
    bytes.read_exact_at(start, out.split_at_mut(have).1)
}

/// A file as long as it was when it was opened: lines that a live agent appends meanwhile are not seen.
pub struct FileBytes {
    /// `None` while it is closed.
    file: RwLock<Option<File>>,
    len: u64,
    /// The path to reopen it; `None` for a temporary file.
    path: Option<PathBuf>,
    stamp: FileStamp,
}

/// Bytes read from files so far, by all threads; for the progress bar.
static READ: AtomicU64 = AtomicU64::new(0);

/// Bytes read from files so far.
pub fn bytes_read() -> u64 {
    READ.load(Ordering::Relaxed)
}

impl FileBytes {
    /// A file without a name.
    pub fn new(file: File) -> io::Result<Self> {
        let stamp = FileStamp::of(&file.metadata()?);
        Ok(FileBytes { file: RwLock::new(Some(file)), len: stamp.len, path: None, stamp })
    }

    pub fn of_path(file: File, path: &Path) -> io::Result<Self> {
        Ok(FileBytes { path: Some(path.to_owned()), ..FileBytes::new(file)? })
    }

    /// The state of the file when it was opened.
    pub fn stamp(&self) -> FileStamp {
        self.stamp
    }

    fn with_file<T>(&self, read: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        let open = self.file.read().unwrap_or_else(PoisonError::into_inner);
        let path = match (&*open, &self.path) {
            (Some(file), _) => return read(file),
            (None, Some(path)) => path,
            (None, None) => return Err(io::ErrorKind::NotFound.into()),
        };
        let file = File::open(path)?;
        if !FileStamp::of(&file.metadata()?).continues(&self.stamp) {
            return Err(io::Error::other("changed while being read"));
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

    fn append_from(&self, start: u64, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let have = out.len();
        out.reserve_exact(len);
        // What is read fills the room that there is.
        if out.capacity() - have > len * 2 {
            return append_by_read_at(self, start, len, out);
        }
        if start.saturating_add(len as u64) > self.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.with_file(|file| {
            while out.len() - have < len {
                match positioned_append(file, out, start + (out.len() - have) as u64) {
                    Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            out.truncate(have + len);
            READ.fetch_add(len as u64, Ordering::Relaxed);
            Ok(())
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

/// The bytes that could be decompressed of a truncated file.
pub struct TruncatedBytes(pub Box<dyn ReadAt>);

impl ReadAt for TruncatedBytes {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn is_truncated(&self) -> bool {
        true
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(start, buf)
    }
}

/// Reads from an offset of a file until the buffer is full or the file ends.
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

/// Reads into the room of a buffer, which need not be cleared for it.
#[cfg(unix)]
fn positioned_append(file: &File, out: &mut Vec<u8>, at: u64) -> io::Result<usize> {
    Ok(rustix::io::pread(file, rustix::buffer::spare_capacity(out), at)?)
}

#[cfg(not(unix))]
fn positioned_append(file: &File, out: &mut Vec<u8>, at: u64) -> io::Result<usize> {
    let have = out.len();
    out.resize(out.capacity(), 0);
    let read = positioned_read(file, out.split_at_mut(have).1, at);
    out.truncate(have + *read.as_ref().unwrap_or(&0));
    read
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
        BorrowedBytes(self).read_at(start, buf)
    }
}

/// Borrowed bytes.
pub struct BorrowedBytes<'m>(pub &'m [u8]);

impl ReadAt for BorrowedBytes<'_> {
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

/// Appends the text of one piece of a replacement.
pub fn append_piece(bytes: &dyn ReadAt, piece: &ReplacementPart, out: &mut Vec<u8>) -> io::Result<()> {
    match piece {
        ReplacementPart::Text(text) => out.extend_from_slice(text),
        ReplacementPart::Copy(at) => {
            let mut copied = Vec::new();
            bytes.read_into(at.start, at.len as usize, &mut copied)?;
            out.append(&mut copied);
        }
    }
    Ok(())
}

/// A doc with its edits applied. Copies within a patch are copies from the same doc.
pub struct PatchedView<'r> {
    inner: &'r dyn ReadAt,
    pieces: Pieces,
    /// For text synthesised from the patched bytes. Without edits the slot of the original bytes is used.
    slot: SyntheticSlot,
}

impl<'r> PatchedView<'r> {
    pub fn new(inner: &'r dyn ReadAt, pieces: Pieces) -> Self {
        PatchedView { inner, pieces, slot: SyntheticSlot::default() }
    }

    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }
}

impl ReadAt for PatchedView<'_> {
    fn len(&self) -> u64 {
        self.pieces.len()
    }

    fn close(&self) {
        self.inner.close();
    }

    fn is_truncated(&self) -> bool {
        self.inner.is_truncated()
    }

    fn synthetic_slot(&self) -> Option<&SyntheticSlot> {
        if self.pieces.is_unchanged() { self.inner.synthetic_slot() } else { Some(&self.slot) }
    }

    fn hints(&self) -> Option<ByteHints> {
        self.inner.hints()
    }

    fn file_faults(&self) -> &[FileFault] {
        self.inner.file_faults()
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        if let Some(n) = self.synthetic_slot().and_then(|slot| slot.read_at(start, buf)) {
            return Ok(n);
        }
        let end = self.pieces.len().min(start.saturating_add(buf.len() as u64));
        let mut done = 0;
        self.pieces.walk(start.min(end), end, |piece| {
            let len = piece.len() as usize;
            let part = buf.get_mut(done..done + len).ok_or(io::ErrorKind::InvalidInput)?;
            match piece {
                ReplacementPart::Text(text) => part.copy_from_slice(text),
                ReplacementPart::Copy(place) => self.inner.read_exact_at(place.start, part)?,
            }
            done += len;
            Ok::<(), io::Error>(())
        })?;
        Ok(done)
    }

    fn append_to(&self, start: u64, len: u64, out: &mut File) -> io::Result<()> {
        self.pieces.walk(start, start + len, |piece| match piece {
            ReplacementPart::Text(text) => out.write_all(text),
            ReplacementPart::Copy(place) => self.inner.append_to(place.start, u64::from(place.len), out),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{DocId, Edit, Patch, Place};
    use crate::source::GrowableBytes;

    #[test]
    fn a_file_is_appended_to_a_buffer_with_any_room() -> io::Result<()> {
        let text: Vec<u8> = (0..=255).cycle().take(1000).collect();
        let mut file = tempfile::tempfile()?;
        file.write_all(&text)?;
        let bytes = GrowableBytes::new(FileBytes::new(file.try_clone()?)?);
        // What is appended to the file later is not seen.
        file.write_all(b"more")?;
        for (start, len) in [(0, 1000), (0, 0), (1, 300), (999, 1), (1000, 0)] {
            for room in [0, 1, len, len + 1, len * 2, len * 2 + 1, 5000] {
                let mut out = Vec::with_capacity(4 + room);
                out.extend_from_slice(b"head");
                bytes.append_from(start as u64, len, &mut out)?;
                assert_eq!(out, [b"head", &text[start..start + len]].concat(), "{start}, {len}, {room}");
            }
        }
        for room in [0, 5000] {
            let mut out = Vec::with_capacity(room);
            let kind = |read: io::Result<()>| read.expect_err("past the end").kind();
            assert_eq!(kind(bytes.append_from(999, 2, &mut out)), io::ErrorKind::UnexpectedEof);
        }
        file.set_len(500)?;
        for room in [0, 5000] {
            let mut out = Vec::with_capacity(room);
            let kind = |read: io::Result<()>| read.expect_err("it shrank").kind();
            assert_eq!(kind(bytes.append_from(400, 200, &mut out)), io::ErrorKind::UnexpectedEof);
        }
        Ok(())
    }

    #[test]
    fn a_patched_doc_reads_at_any_offset() {
        let text = b"0123456789".to_vec();
        let doc = DocId(0);
        let mut patch = Patch::default();
        patch.add([
            Edit {
                at: Place::new(doc, 2, 1),
                with: vec![ReplacementPart::Copy(Place::new(doc, 7, 3)), ReplacementPart::text("x")],
            },
            Edit::remove(Place::new(doc, 7, 3)),
        ]);
        let view = PatchedView::new(&text, Pieces::new(patch.edits(doc), doc, 10));
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
