//! Opening inputs. A doc is opened once, knows what the file looked like then (so that a later write can tell whether
//! somebody else wrote meanwhile), and hands out random reads. Compressed files and standard input are spooled: in
//! memory while they are small, then in a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::place::DocId;

use super::bytes::growable::Roomy;
use super::bytes::prefix::Prefix;
use super::bytes::read::{CutShort, FileBytes, ReadAt};
use super::file_stamp::{Packing, Stamp};
use super::folders;
use super::inputs::archive::Member;
use super::inputs::special;
use super::inputs::unpack::{Limited, Opening, Unpacked};
use super::inputs::walk::{Earlier, Input};
use super::inputs::zstandard;
use super::segments::{self, Joined, Segment};
use super::sqlite::{self, Cells, Key};

/// Spooled bytes are held in memory up to this many.
const SPOOL_IN_MEMORY: usize = 64 << 20;

/// An open doc.
pub struct Doc {
    pub id: DocId,
    /// As printed: the argument as given, or a folder joined with what lies below it; `-` for standard input.
    pub label: String,
    /// The file to write back to; `None` for standard input.
    pub path: Option<PathBuf>,
    pub packing: Packing,
    pub stamp: Option<Stamp>,
    /// Named as an argument, or standard input.
    pub named: bool,
    pub bytes: Box<dyn ReadAt>,
    /// The files that it is made of, if there are several.
    pub segments: Vec<Segment>,
    /// The history of a database that it is; its segments are the rows.
    pub cells: Option<Cells>,
    /// What it was unpacked from, if it was compressed.
    pub unpacked: Option<Unpacked>,
}

impl Doc {
    /// Opens a file, inflating it if its first bytes say that it is compressed.
    pub fn open(id: DocId, input: &Input, opening: &Opening<'_>) -> io::Result<Doc> {
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
            let (packing, bytes, unpacked) = unpacked(bytes, opening)?;
            let bytes = Box::new(Roomy::new(bytes));
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
        let mut meta = std::fs::metadata(path)?;
        if meta.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if meta.is_file() && sqlite::is_database(path) {
            return Doc::open_database(id, path, *named);
        }
        // A pipe or a device has no length and no offsets: it is read like standard input.
        let plain: Box<dyn ReadAt> = match meta.is_file() {
            true => {
                let file = File::open(path)?;
                meta = file.metadata()?;
                Box::new(FileBytes::of_path(file, path)?)
            }
            false => spool(&mut special::open(path, &meta)?)?,
        };
        let stamp = Some(Stamp::of(&meta));
        let (packing, bytes, unpacked) = unpacked(plain, opening)?;
        let bytes = Box::new(Roomy::new(bytes));
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

    /// A doc that lies in memory, for tests and for callers of the library.
    pub fn of_bytes(id: DocId, label: &str, bytes: Vec<u8>) -> Doc {
        Doc {
            id,
            label: label.to_owned(),
            path: None,
            packing: Packing::Plain,
            stamp: None,
            named: true,
            bytes: Box::new(Roomy::new(bytes)),
            segments: Vec::new(),
            cells: None,
            unpacked: None,
        }
    }

    /// Opens a database that holds one history, or none that is read.
    fn open_database(id: DocId, path: &Path, named: bool) -> io::Result<Doc> {
        let why = match sqlite::histories(path)? {
            Ok(keys) => match keys.as_slice() {
                [key] => return Doc::open_history(id, path, key, named),
                keys => {
                    let what = format!("holds {} sessions, where only one can be read", keys.len());
                    return Err(io::Error::other(what));
                }
            },
            Err(why) => why,
        };
        let bytes = Box::new(Roomy::new(sqlite::unread(why)));
        Ok(Doc { named, bytes, ..Doc::of_bytes(id, &label(path), Vec::new()) })
    }

    /// Opens a history of a database.
    fn open_history(id: DocId, path: &Path, key: &Key, named: bool) -> io::Result<Doc> {
        let (text, cells, segments) = match sqlite::open(path, key)? {
            Ok(cells) => {
                let (bytes, rows) = cells.doc()?;
                (bytes, Some(cells), rows)
            }
            Err(why) => (sqlite::unread(why), None, Vec::new()),
        };
        let bytes = Box::new(Roomy::new(text));
        let label = format!("{}: {key}", label(path));
        Ok(Doc { named, bytes, segments, cells, ..Doc::of_bytes(id, &label, Vec::new()) })
    }

    /// Opens a file in an archive.
    fn open_member(id: DocId, member: &Member, named: bool, opening: &Opening<'_>) -> io::Result<Doc> {
        let (bytes, from) = member.unpack(opening.most_unpacked, spool)?;
        let (_, bytes, _) = unpacked(bytes, opening)?;
        let unpacked = Unpacked { from, to: bytes.len() };
        Ok(Doc {
            id,
            label: member.label(),
            path: Some(member.path()),
            packing: Packing::Member,
            stamp: None,
            named,
            bytes: Box::new(Roomy::new(bytes)),
            segments: Vec::new(),
            cells: None,
            unpacked: Some(unpacked),
        })
    }

    /// Opens the files of a session.
    fn open_tree(id: DocId, format: &'static str, paths: &[PathBuf], named: bool) -> io::Result<Doc> {
        let (text, segments) = folders::open(format, paths)?;
        let label = paths.first().map(|path| label(path)).unwrap_or_default();
        let bytes = Box::new(Roomy::new(text));
        let doc = Doc::of_bytes(id, &label, Vec::new());
        Ok(Doc { path: paths.first().cloned(), packing: Packing::Shared, named, bytes, segments, ..doc })
    }

    /// Opens files that are one log.
    fn open_log(
        id: DocId,
        base: &[Earlier],
        paths: &[PathBuf],
        named: bool,
        opening: &Opening<'_>,
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
            // There may be more of them than files that can be open.
            part.bytes.close();
            parts.push(match bytes {
                Some(bytes) => Box::new(Prefix::new(part.bytes, bytes)),
                None => part.bytes,
            });
        }
        let joined = Joined::new(parts)?;
        for (segment, (start, len)) in segments.iter_mut().zip(joined.spans()) {
            (segment.start, segment.len) = (start, len);
        }
        segments::number(&mut segments, &joined)?;
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

    /// One of the files that the doc is made of, as a doc to write back to.
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

/// A path as it is printed.
fn label(path: &Path) -> String {
    path.to_string_lossy().replace('\\', if cfg!(windows) { "/" } else { "\\" })
}

/// How a file is packed, what it holds, and what it was unpacked from.
type Plain = (Packing, Box<dyn ReadAt>, Option<Unpacked>);

fn unpacked(bytes: Box<dyn ReadAt>, opening: &Opening<'_>) -> io::Result<Plain> {
    let mut head = [0; 4];
    let n = bytes.read_at(0, &mut head)?;
    let packing = Packing::of(head.split_at(n).0);
    let reader = Sequential { bytes: &*bytes, at: 0 };
    let inflated = |from: &mut dyn Read| inflated(&mut Limited::new(from, opening.most_unpacked));
    let plain = match packing {
        Packing::Plain | Packing::Member | Packing::Shared => return Ok((packing, bytes, None)),
        Packing::Gzip => inflated(&mut flate2::read::MultiGzDecoder::new(reader))?,
        Packing::Zstd => inflated(&mut zstandard::decoder(reader)?)?,
    };
    let unpacked = Unpacked { from: bytes.len(), to: plain.len() };
    Ok((packing, plain, Some(unpacked)))
}

/// A doc read from front to back.
pub struct Sequential<'r> {
    bytes: &'r dyn ReadAt,
    at: u64,
}

impl<'r> Sequential<'r> {
    pub fn new(bytes: &'r dyn ReadAt) -> Self {
        Sequential { bytes, at: 0 }
    }
}

impl Read for Sequential<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.bytes.read_at(self.at, buf)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// Reads a stream to its end, so that it can be read again at any offset.
fn spool(from: &mut dyn Read) -> io::Result<Box<dyn ReadAt>> {
    let (bytes, ended) = spool_some(from)?;
    ended.map(|()| bytes)
}

/// Unpacks a stream. If it is truncated, what could be unpacked of it.
fn inflated(from: &mut dyn Read) -> io::Result<Box<dyn ReadAt>> {
    let (bytes, ended) = spool_some(from)?;
    match ended {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !bytes.is_empty() => {
            Ok(Box::new(CutShort(bytes)))
        }
        Err(error) => Err(error),
    }
}

/// What could be read of a stream, and how it ended.
fn spool_some(from: &mut dyn Read) -> io::Result<(Box<dyn ReadAt>, io::Result<()>)> {
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
        let doc = Doc::open(DocId(0), &Input::File { path, named: true }, &Opening::default())?;
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
                let (_, bytes, _) = unpacked(Box::new(packed[..part].to_vec()), &Opening::default())?;
                assert_eq!(bytes.is_cut(), cut);
                let mut out = Vec::new();
                bytes.read_into(0, bytes.len() as usize, &mut out)?;
                assert!(text.starts_with(&out));
            }
            assert!(
                unpacked(Box::new(packed[..6].to_vec()), &Opening::default()).is_err(),
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
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, &Opening::default())?;
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
