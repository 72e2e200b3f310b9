//! Opening inputs. A doc is opened once, records the state of the file (so that a later write can detect changes
//! by others), and offers random reads. Compressed files and standard input are spooled: in memory while they are
//! small, then in a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::place::DocId;

use super::bytes::growable::GrowableBytes;
use super::bytes::hints::{ByteHints, RowAccess};
use super::bytes::prefix::DocPrefix;
use super::bytes::read::{FileBytes, ReadAt, TruncatedBytes};
use super::file_stamp::{FileStamp, Packing};
use super::folders;
use super::inputs::archive::ArchiveMember;
use super::inputs::special_files;
use super::inputs::unpack::{InputOptions, LimitedReader, UnpackedSize};
use super::inputs::walk::{Input, PrecedingFile};
use super::inputs::zstandard;
use super::segments::{self, JoinedSegments, Segment};
use super::sqlite::{self, HistoryCells, HistoryKey};

/// Spooled bytes kept in memory; more go to a temporary file.
const SPOOL_IN_MEMORY: usize = 64 << 20;

/// An open doc.
pub struct Doc {
    pub id: DocId,
    /// The printed name: the argument as given, or a folder joined with a path below it; `-` for standard input.
    pub label: String,
    /// The file to write back to; `None` for standard input.
    pub path: Option<PathBuf>,
    pub packing: Packing,
    pub stamp: Option<FileStamp>,
    /// Named as an argument, or standard input.
    pub named: bool,
    pub bytes: Box<dyn ReadAt>,
    /// The files that it consists of, if there are several.
    pub segments: Vec<Segment>,
    /// The database history that it was read from; its segments are the rows.
    pub cells: Option<HistoryCells>,
    /// Sizes before and after decompression, if it was compressed.
    pub unpacked: Option<UnpackedSize>,
}

impl Doc {
    /// Opens an input, decompressing it if its magic bytes say so.
    pub fn open(id: DocId, input: &Input, opening: &InputOptions<'_>) -> io::Result<Doc> {
        if let Input::Log { base, paths, named } = input {
            return Doc::open_log(id, base, paths, *named, opening);
        }
        if let Input::History { path, key, named } = input {
            return Doc::open_history(id, path, key, *named);
        }
        if let Input::Member { member, named } = input {
            return Doc::open_member(id, member, *named, opening);
        }
        if let Input::Tree { format, paths, named } = input {
            return Doc::open_tree(id, format, paths, *named);
        }
        let Input::File { path, named } = input else {
            let bytes = spool(&mut io::stdin().lock())?;
            let label = opening.stdin_name.unwrap_or("-").to_owned();
            let (packing, bytes, unpacked) = unpack(bytes, opening)?;
            let bytes = Box::new(GrowableBytes::new(bytes));
            return Ok(Doc {
                id,
                label,
                path: None,
                packing,
                stamp: None,
                named: true,
                bytes,
                segments: Vec::new(),
                cells: None,
                unpacked,
            });
        };
        if let Some(open) = opening.open_text.filter(|open| open.path == path) {
            let doc = Doc::of_bytes(id, &label(path), open.text.as_bytes().to_vec());
            return Ok(Doc { path: Some(path.clone()), named: *named, ..doc });
        }
        let meta = std::fs::metadata(path)?;
        if meta.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // A pipe or a device has no length and no offsets: it is read like standard input.
        let (plain, stamp): (Box<dyn ReadAt>, FileStamp) = match meta.is_file() {
            true => {
                let bytes = FileBytes::of_path(File::open(path)?, path)?;
                let stamp = bytes.stamp();
                (Box::new(bytes), stamp)
            }
            false => (spool(&mut special_files::open(path, &meta)?)?, FileStamp::of(&meta)),
        };
        let stamp = Some(stamp);
        let head = head_of(&*plain)?;
        if meta.is_file() && head == *sqlite::MAGIC {
            return Doc::open_database(id, path, *named);
        }
        let (packing, bytes, unpacked) = unpack_as(Packing::of(&head), plain, opening)?;
        let bytes = Box::new(GrowableBytes::new(bytes));
        let label = label(path);
        Ok(Doc {
            id,
            label,
            path: Some(path.clone()),
            packing,
            stamp,
            named: *named,
            bytes,
            segments: Vec::new(),
            cells: None,
            unpacked,
        })
    }

    /// A doc in memory, for tests and for callers of the library.
    pub fn of_bytes(id: DocId, label: &str, bytes: Vec<u8>) -> Doc {
        Doc {
            id,
            label: label.to_owned(),
            path: None,
            packing: Packing::Plain,
            stamp: None,
            named: true,
            bytes: Box::new(GrowableBytes::new(bytes)),
            segments: Vec::new(),
            cells: None,
            unpacked: None,
        }
    }

    /// Opens a database with one history, or one that is not read.
    fn open_database(id: DocId, path: &Path, named: bool) -> io::Result<Doc> {
        let why = match sqlite::histories(path)? {
            Ok(keys) => match keys.as_slice() {
                [key] => return Doc::open_history(id, path, key, named),
                keys => {
                    let what = format!("contains {} sessions; only one can be read here", keys.len());
                    return Err(io::Error::other(what));
                }
            },
            Err(why) => why,
        };
        let bytes = Box::new(GrowableBytes::new(sqlite::unread_doc(why)));
        Ok(Doc { named, bytes, ..Doc::of_bytes(id, &label(path), Vec::new()) })
    }

    /// Opens a history of a database.
    fn open_history(id: DocId, path: &Path, key: &HistoryKey, named: bool) -> io::Result<Doc> {
        let (text, cells, segments) = match sqlite::open(path, key)? {
            Ok(cells) => {
                let (bytes, rows) = cells.doc()?;
                (bytes, Some(cells), rows)
            }
            Err(why) => (sqlite::unread_doc(why), None, Vec::new()),
        };
        let bytes = Box::new(GrowableBytes::new(text));
        let label = format!("{}: {key}", label(path));
        Ok(Doc { named, bytes, segments, cells, ..Doc::of_bytes(id, &label, Vec::new()) })
    }

    /// Opens a file in an archive.
    fn open_member(id: DocId, member: &ArchiveMember, named: bool, opening: &InputOptions<'_>) -> io::Result<Doc> {
        let (bytes, from) = member.unpack(opening.max_unpacked, spool)?;
        let (_, bytes, _) = unpack(bytes, opening)?;
        let unpacked = UnpackedSize { from, to: bytes.len() };
        Ok(Doc {
            id,
            label: member.label(),
            path: Some(member.path()),
            packing: Packing::Member,
            stamp: None,
            named,
            bytes: Box::new(GrowableBytes::new(bytes)),
            segments: Vec::new(),
            cells: None,
            unpacked: Some(unpacked),
        })
    }

    /// Opens the files of a session.
    fn open_tree(id: DocId, format: &'static str, paths: &[PathBuf], named: bool) -> io::Result<Doc> {
        let (text, segments) = folders::open(format, paths)?;
        let label = paths.first().map(|path| label(path)).unwrap_or_default();
        let bytes = Box::new(GrowableBytes::new(text));
        let doc = Doc::of_bytes(id, &label, Vec::new());
        Ok(Doc { path: paths.first().cloned(), packing: Packing::Shared, named, bytes, segments, ..doc })
    }

    /// Opens the files of one log as one doc.
    fn open_log(
        id: DocId,
        base: &[PrecedingFile],
        paths: &[PathBuf],
        named: bool,
        opening: &InputOptions<'_>,
    ) -> io::Result<Doc> {
        let mut segments: Vec<Segment> = Vec::with_capacity(paths.len());
        let mut parts = Vec::with_capacity(paths.len());
        let base = base.iter().map(|earlier| (&earlier.path, earlier.bytes, true));
        for (path, bytes, is_base) in base.chain(paths.iter().map(|path| (path, None, false))) {
            let part = Doc::open(id, &Input::File { path: path.clone(), named }, opening)?;
            segments.push(Segment {
                label: part.label,
                path: path.clone(),
                packing: part.packing,
                stamp: part.stamp,
                start: 0,
                len: 0,
                lines_before: 0,
                records_before: 0,
                is_base,
            });
            // There may be more of them than the limit of open files.
            part.bytes.close();
            parts.push(match bytes {
                Some(bytes) => Box::new(DocPrefix::new(part.bytes, bytes)),
                None => part.bytes,
            });
        }
        let joined = JoinedSegments::new(parts)?;
        for (segment, (start, len)) in segments.iter_mut().zip(joined.spans()) {
            (segment.start, segment.len) = (start, len);
        }
        segments::number_segments(&mut segments, &joined)?;
        let label = segments.last().map(|segment| segment.label.clone()).unwrap_or_default();
        let bytes = Box::new(joined);
        Ok(Doc {
            id,
            label,
            path: None,
            packing: Packing::Plain,
            stamp: None,
            named,
            bytes,
            segments,
            cells: None,
            unpacked: None,
        })
    }

    /// True if repairs can be written to its file, or to new files beside those that it consists of.
    pub fn has_writable_files(&self) -> bool {
        let is_extendable =
            || matches!(self.bytes.hints(), Some(ByteHints::Lines { rows: RowAccess::Extendable, .. }));
        self.packing == Packing::Plain || is_extendable()
    }

    /// One of the files that the doc consists of, as a doc to write back to.
    pub fn of_segment(&self, segment: &Segment) -> Doc {
        Doc {
            id: self.id,
            label: segment.label.clone(),
            path: Some(segment.path.clone()),
            packing: segment.packing,
            stamp: segment.stamp,
            named: self.named,
            bytes: Box::new(Vec::new()),
            segments: Vec::new(),
            cells: None,
            unpacked: None,
        }
    }
}

/// The printed form of a path.
fn label(path: &Path) -> String {
    path.to_string_lossy().replace('\\', if cfg!(windows) { "/" } else { "\\" })
}

/// The packing of a file, its decompressed bytes, and both sizes if it was compressed.
type UnpackedBytes = (Packing, Box<dyn ReadAt>, Option<UnpackedSize>);

fn unpack(bytes: Box<dyn ReadAt>, opening: &InputOptions<'_>) -> io::Result<UnpackedBytes> {
    let packing = Packing::of(&head_of(&*bytes)?);
    unpack_as(packing, bytes, opening)
}

/// The first bytes, among which are the magic ones; zeros after the end.
fn head_of(bytes: &dyn ReadAt) -> io::Result<[u8; sqlite::MAGIC.len()]> {
    let mut head = [0; sqlite::MAGIC.len()];
    bytes.read_at(0, &mut head)?;
    Ok(head)
}

fn unpack_as(packing: Packing, bytes: Box<dyn ReadAt>, opening: &InputOptions<'_>) -> io::Result<UnpackedBytes> {
    let reader = SequentialReader { bytes: &*bytes, at: 0 };
    let inflate = |from: &mut dyn Read| inflate(&mut LimitedReader::new(from, opening.max_unpacked));
    let plain = match packing {
        Packing::Plain | Packing::Member | Packing::Shared => return Ok((packing, bytes, None)),
        Packing::Gzip => inflate(&mut flate2::read::MultiGzDecoder::new(reader))?,
        Packing::Zstd => inflate(&mut zstandard::decoder(reader)?)?,
    };
    let unpacked = UnpackedSize { from: bytes.len(), to: plain.len() };
    Ok((packing, plain, Some(unpacked)))
}

/// A sequential reader of a doc.
pub struct SequentialReader<'r> {
    bytes: &'r dyn ReadAt,
    at: u64,
}

impl<'r> SequentialReader<'r> {
    pub fn new(bytes: &'r dyn ReadAt) -> Self {
        SequentialReader { bytes, at: 0 }
    }
}

impl Read for SequentialReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.bytes.read_at(self.at, buf)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// Reads a stream to its end into memory or a temporary file.
fn spool(from: &mut dyn Read) -> io::Result<Box<dyn ReadAt>> {
    let (bytes, ended) = spool_available(from)?;
    ended.map(|()| bytes)
}

/// Decompresses a stream; a truncated one as far as possible.
fn inflate(from: &mut dyn Read) -> io::Result<Box<dyn ReadAt>> {
    let (bytes, ended) = spool_available(from)?;
    match ended {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !bytes.is_empty() => {
            Ok(Box::new(TruncatedBytes(bytes)))
        }
        Err(error) => Err(error),
    }
}

/// The bytes read from a stream, and how it ended.
fn spool_available(from: &mut dyn Read) -> io::Result<(Box<dyn ReadAt>, io::Result<()>)> {
    let mut bytes = Vec::new();
    let read = from.take(SPOOL_IN_MEMORY as u64).read_to_end(&mut bytes);
    if bytes.len() < SPOOL_IN_MEMORY {
        return Ok((Box::new(bytes), read.map(drop)));
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(&bytes)?;
    let mut ended = read.map(drop);
    let mut buf = vec![0; 1 << 20];
    while ended.is_ok() {
        match from.read(&mut buf) {
            Ok(0) => break,
            Ok(n) => file.write_all(buf.split_at(n).0)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => ended = Err(error),
        }
    }
    file.rewind()?;
    Ok((Box::new(FileBytes::new(file)?), ended))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(content: &[u8]) -> io::Result<(Packing, Vec<u8>)> {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("x.json");
        std::fs::write(&path, content)?;
        let doc = Doc::open(DocId(0), &Input::File { path, named: true }, &InputOptions::default())?;
        let mut out = Vec::new();
        doc.bytes.read_into(0, doc.bytes.len() as usize, &mut out)?;
        Ok((doc.packing, out))
    }

    #[test]
    fn compressed_files_are_told_by_their_bytes() -> io::Result<()> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"{}")?;
        assert_eq!(opened(&gzip.finish()?)?, (Packing::Gzip, b"{}".to_vec()));
        assert_eq!(opened(&zstd::encode_all(&b"[]"[..], 1)?)?, (Packing::Zstd, b"[]".to_vec()));
        assert_eq!(opened(b"[1]")?, (Packing::Plain, b"[1]".to_vec()));
        assert!(opened(&[0x1f, 0x8b, 1, 2, 3]).is_err());
        Ok(())
    }

    #[test]
    fn a_truncated_file_is_read_as_far_as_it_goes() -> io::Result<()> {
        // Nothing in it is repeated, so that it does not become short.
        let text: Vec<u8> = (0..20_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text)?;
        for packed in [gzip.finish()?, zstd::encode_all(&text[..], 1)?] {
            for (part, cut) in [(packed.len(), false), (packed.len() - 3, true), (packed.len() / 2, true)] {
                let (_, bytes, _) = unpack(Box::new(packed[..part].to_vec()), &InputOptions::default())?;
                assert_eq!(bytes.is_truncated(), cut);
                let mut out = Vec::new();
                bytes.read_into(0, bytes.len() as usize, &mut out)?;
                assert!(text.starts_with(&out));
            }
            assert!(
                unpack(Box::new(packed[..6].to_vec()), &InputOptions::default()).is_err(),
                "nothing of it can be read"
            );
        }
        Ok(())
    }

    #[test]
    fn a_closed_file_is_read_again_unless_it_is_another() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("x.json");
        std::fs::write(&path, "[1]")?;
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, &InputOptions::default())?;
        doc.bytes.close();
        let mut out = Vec::new();
        std::fs::OpenOptions::new().append(true).open(&path)?.write_all(b"\n[2]")?;
        doc.bytes.read_into(0, 3, &mut out)?;
        assert_eq!((out.as_slice(), doc.bytes.len()), (&b"[1]"[..], 3));
        std::fs::write(&path, "[")?;
        assert!(doc.bytes.read_into(0, 3, &mut out).is_err());
        Ok(())
    }
}
