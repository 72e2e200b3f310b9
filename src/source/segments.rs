//! Logs in several files. When a log is compacted, the removed part is stored beside it:
//! `<name>.dropped-<N>.jsonl`, in the order of the numbers, and then `<name>.jsonl` are one log. They are read as
//! one run of bytes; findings and edits belong to the file that contains them.

use std::io;
use std::path::{Path, PathBuf};

use foldhash::HashMap;

use crate::place::{DocId, Edit, Place, ReplacementPart};

use super::bytes::read::ReadAt;
use super::file_stamp::{FileStamp, Packing};
use super::inputs::walk;
use super::inputs::walk::Input;

/// The text between the name of the log and the number of a segment.
const MARK: &str = ".dropped-";
const ENDING: &str = ".jsonl";

/// One file of a log.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The printed name.
    pub label: String,
    pub path: PathBuf,
    pub packing: Packing,
    pub stamp: Option<FileStamp>,
    /// Offset in the log.
    pub start: u64,
    pub len: u64,
    /// Number of lines in the segments before it.
    pub lines_before: u64,
    pub records_before: u32,
    /// It belongs to another log, which this one continues.
    pub is_base: bool,
}

/// The bytes of all segments, with a line end added in this view where one lacks it.
pub struct JoinedSegments {
    parts: Vec<(u64, Box<dyn ReadAt>)>,
    len: u64,
}

impl JoinedSegments {
    pub fn new(parts: Vec<Box<dyn ReadAt>>) -> io::Result<Self> {
        let mut joined = JoinedSegments { parts: Vec::new(), len: 0 };
        let last = parts.len().saturating_sub(1);
        for (n, part) in parts.into_iter().enumerate() {
            let start = joined.len;
            let mut end = [0];
            let ended = part.is_empty() || part.read_at(part.len() - 1, &mut end)? == 1 && end[0] == b'\n';
            joined.len += part.len() + u64::from(n < last && !ended);
            joined.parts.push((start, part));
        }
        Ok(joined)
    }

    /// The start and own length of each part.
    pub fn spans(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.parts.iter().map(|(start, part)| (*start, part.len()))
    }
}

impl ReadAt for JoinedSegments {
    fn len(&self) -> u64 {
        self.len
    }

    fn is_truncated(&self) -> bool {
        self.parts.iter().any(|(_, part)| part.is_truncated())
    }

    fn close(&self) {
        self.parts.iter().for_each(|(_, part)| part.close());
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let want = buf.len().min(usize::try_from(self.len.saturating_sub(start)).unwrap_or(usize::MAX));
        let mut done = 0;
        while done < want {
            let at = start + done as u64;
            let next = self.parts.partition_point(|(from, _)| *from <= at);
            let Some((from, part)) = next.checked_sub(1).and_then(|n| self.parts.get(n)) else { break };
            let end = self.parts.get(next).map_or(self.len, |(next, _)| *next);
            let here = ((end - at) as usize).min(want - done);
            let own = buf.split_at_mut(done).1.split_at_mut(here).0;
            let read = part.read_at(at - from, own)?;
            match own.get_mut(read) {
                // The byte that is not in the file is the line end that joins it to the next.
                Some(byte) if at + (read as u64) + 1 == end => {
                    *byte = b'\n';
                    done += read + 1;
                }
                Some(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
                None => done += here,
            }
        }
        Ok(done)
    }
}

/// Counts the line ends and records in `from..to`, where lines begin and end.
pub fn count_lines(bytes: &dyn ReadAt, from: u64, to: u64) -> io::Result<(u64, u32)> {
    let (mut lines, mut records, mut blank) = (0, 0, true);
    let mut buf = vec![0; 256 << 10];
    let mut at = from;
    while at < to {
        let want = (to - at).min(buf.len() as u64) as usize;
        let n = bytes.read_at(at, buf.split_at_mut(want).0)?;
        if n == 0 {
            break;
        }
        for byte in buf.split_at(n).0 {
            match byte {
                b'\n' => {
                    lines += 1;
                    records += u32::from(!blank);
                    blank = true;
                }
                byte => blank &= byte.is_ascii_whitespace(),
            }
        }
        at += n as u64;
    }
    Ok((lines, records + u32::from(!blank)))
}

/// Sets the numbers of lines and records before each segment. Their starts are offsets in `bytes`.
pub fn number_segments(log: &mut [Segment], bytes: &dyn ReadAt) -> io::Result<()> {
    let (mut at, mut lines, mut records) = (0, 0, 0);
    for segment in log {
        let own = count_lines(bytes, at, segment.start)?;
        (at, lines, records) = (segment.start, lines + own.0, records + own.1);
        (segment.lines_before, segment.records_before) = (lines, records);
    }
    Ok(())
}

/// The segments as they are after the edits; `view` is the patched log.
pub fn shift_segments(log: &[Segment], edits: &[Edit], view: &dyn ReadAt) -> io::Result<Vec<Segment>> {
    let shifted = |at: u64| {
        let before = edits.iter().filter(|edit| edit.at.start < at);
        before.fold(at, |to, edit| {
            to + edit.with.iter().map(ReplacementPart::len).sum::<u64>() - (edit.at.end().min(at) - edit.at.start)
        })
    };
    let mut moved: Vec<Segment> = log
        .iter()
        .map(|segment| {
            let start = shifted(segment.start);
            Segment { start, len: shifted(segment.start + segment.len) - start, ..segment.clone() }
        })
        .collect();
    number_segments(&mut moved, view)?;
    Ok(moved)
}

/// The segment that contains an offset of the log.
pub fn segment_at(segments: &[Segment], offset: u64) -> Option<&Segment> {
    segments.partition_point(|segment| segment.start <= offset).checked_sub(1).and_then(|n| segments.get(n))
}

/// The edits of a log that are in one of its segments, and the removal of everything else, so that the patched log
/// is the patched segment. `None` if no edit is in it.
pub fn segment_edits(segment: &Segment, edits: &[Edit], id: DocId, total: u64) -> Option<Vec<Edit>> {
    let end = segment.start + segment.len;
    let mut own = removal(id, 0, segment.start);
    let before = own.len();
    for edit in edits {
        let last = segment.start + segment.len >= total;
        let (from, to) = (edit.at.start.max(segment.start), edit.at.end().min(end));
        let inserts_here = edit.at.len == 0 && segment.start <= edit.at.start && (edit.at.start < end || last);
        if from < to || inserts_here {
            // The text of an edit across a border goes into its first segment.
            let with = if edit.at.start >= segment.start { edit.with.clone() } else { Vec::new() };
            own.push(Edit { at: Place::new(id, from, (to.max(from) - from) as u32), with });
        }
    }
    let changed = own.len() > before;
    own.extend(removal(id, end, total));
    changed.then_some(own)
}

/// The same edits relative to the file of the segment: copies from other files become text.
pub fn local_edits(segment: &Segment, edits: &[Edit], id: DocId, bytes: &dyn ReadAt) -> io::Result<Vec<Edit>> {
    let end = segment.start + segment.len;
    let inside = |at: &Place| segment.start <= at.start && at.end() <= end;
    let shift = |at: Place| Place::new(id, at.start - segment.start, at.len);
    let mut local = Vec::new();
    for edit in
        segment_edits(segment, edits, id, bytes.len()).into_iter().flatten().filter(|edit| inside(&edit.at))
    {
        let mut with = Vec::new();
        for piece in edit.with {
            with.push(match piece {
                ReplacementPart::Copy(at) if inside(&at) => ReplacementPart::Copy(shift(at)),
                ReplacementPart::Copy(at) => {
                    let mut text = Vec::new();
                    bytes.read_into(at.start, at.len as usize, &mut text)?;
                    ReplacementPart::text(text)
                }
                text => text,
            });
        }
        local.push(Edit { at: shift(edit.at), with });
    }
    Ok(local)
}

/// The edits that remove everything but a segment.
pub fn isolate(segment: &Segment, id: DocId, total: u64) -> Vec<Edit> {
    let mut edits = removal(id, 0, segment.start);
    edits.extend(removal(id, segment.start + segment.len, total));
    edits
}

fn removal(id: DocId, mut from: u64, to: u64) -> Vec<Edit> {
    let mut edits = Vec::new();
    while from < to {
        let len = u32::try_from(to - from).unwrap_or(u32::MAX);
        edits.push(Edit::remove(Place::new(id, from, len)));
        from += u64::from(len);
    }
    edits
}

/// The name of the log that a file is part of, and its number if it is a dropped segment.
fn parse_name(path: &Path) -> Option<(&str, Option<u64>)> {
    let stem = path.file_name()?.to_str()?.strip_suffix(ENDING)?;
    match stem.rsplit_once(MARK) {
        Some((name, number)) => number.parse().ok().map(|number| (name, Some(number))),
        None => Some((stem, None)),
    }
}

/// Replaces the files of each log by one input. The files are recognised by their names; `is_log` checks the
/// content.
pub fn group_logs(inputs: Vec<Input>, is_log: impl Fn(&Path) -> bool) -> Vec<Input> {
    let mut folders: HashMap<PathBuf, HashMap<String, Vec<(u64, PathBuf)>>> = HashMap::default();
    walk::join_logs(inputs, |path| {
        let (name, _) = parse_name(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        if !folders.contains_key(folder) {
            folders.insert(folder.to_owned(), segments_in(folder));
        }
        let logs = folders.get(folder)?;
        let mut group: Vec<PathBuf> = logs.get(name)?.iter().map(|(_, path)| path.clone()).collect();
        let main = folder.join(format!("{name}{ENDING}"));
        group.extend(main.is_file().then_some(main));
        (group.len() > 1 && is_log(path)).then_some((Vec::new(), group))
    })
}

/// The dropped segments in a folder, by the log's name, in the order of their numbers.
fn segments_in(folder: &Path) -> HashMap<String, Vec<(u64, PathBuf)>> {
    let mut logs: HashMap<String, Vec<(u64, PathBuf)>> = HashMap::default();
    let at = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
        let file = entry.file_name();
        if let Some((name, Some(number))) = parse_name(Path::new(&file)) {
            logs.entry(name.to_owned()).or_default().push((number, folder.join(&file)));
        }
    }
    logs.values_mut().for_each(|list| list.sort_unstable());
    logs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Pieces;
    use crate::source::PatchedView;

    fn joined(parts: &[&str]) -> JoinedSegments {
        let boxed = |text: &&str| Box::new(text.as_bytes().to_vec()) as Box<dyn ReadAt>;
        JoinedSegments::new(parts.iter().map(boxed).collect()).expect("memory reads")
    }

    fn text(bytes: &dyn ReadAt) -> String {
        let mut out = Vec::new();
        bytes.read_into(0, bytes.len() as usize, &mut out).expect("memory reads");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn segments_are_joined_by_line_ends_at_any_offset() {
        let log = joined(&["a\nb", "", "c\n", "d"]);
        let whole = "a\nb\nc\nd";
        assert_eq!(text(&log), whole);
        for from in 0..whole.len() {
            for to in from..=whole.len() {
                let mut buf = vec![0; to - from];
                assert_eq!(log.read_at(from as u64, &mut buf).ok(), Some(to - from));
                assert_eq!(buf, &whole.as_bytes()[from..to]);
            }
        }
    }

    #[test]
    fn edits_are_cut_at_the_borders_of_files() {
        let log = joined(&["aa\nbb", "cc\ndd\n"]);
        let id = DocId(0);
        let segments: Vec<Segment> = log
            .spans()
            .map(|(start, len)| Segment {
                label: String::new(),
                path: PathBuf::new(),
                packing: Packing::Plain,
                stamp: None,
                start,
                len,
                lines_before: 0,
                records_before: 0,
                is_base: false,
            })
            .collect();
        let edits = [
            Edit {
                at: Place::new(id, 3, 6),
                with: vec![ReplacementPart::text("x\n"), ReplacementPart::Copy(Place::new(id, 9, 2))],
            },
            Edit { at: Place::new(id, 12, 0), with: vec![ReplacementPart::Copy(Place::new(id, 0, 2))] },
        ];
        let made: Vec<String> = segments
            .iter()
            .map(|segment| {
                let own = segment_edits(segment, &edits, id, log.len()).expect("changed");
                let alone = text(&PatchedView::new(&log, Pieces::new(&own, id, log.len())));
                let local = local_edits(segment, &edits, id, &log).expect("memory reads");
                let file = text(&log)[segment.start as usize..(segment.start + segment.len) as usize].to_owned();
                let file = file.into_bytes();
                let len = file.len() as u64;
                assert_eq!(text(&PatchedView::new(&file, Pieces::new(&local, id, len))), alone);
                alone
            })
            .collect();
        assert_eq!(made, ["aa\nx\ndd", "dd\naa"]);
    }

    #[test]
    fn files_of_one_log_come_together_in_the_order_of_their_numbers() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = |name: &str| dir.path().join(name);
        for name in
            ["s.jsonl", "s.dropped-10.jsonl", "s.dropped-2.jsonl", "t.jsonl", "u.dropped-1.jsonl", "u.jsonl"]
        {
            std::fs::write(path(name), "{}\n")?;
        }
        let file = |name: &str| Input::File { path: path(name), named: true };
        let inputs = ["s.jsonl", "s.dropped-2.jsonl", "t.jsonl", "u.jsonl"].map(file).to_vec();
        let grouped = group_logs(inputs, |path| !path.ends_with("u.jsonl"));
        let paths = ["s.dropped-2.jsonl", "s.dropped-10.jsonl", "s.jsonl"].map(path).to_vec();
        assert_eq!(
            grouped,
            [Input::Log { base: Vec::new(), paths, named: true }, file("t.jsonl"), file("u.jsonl")]
        );
        Ok(())
    }
}
