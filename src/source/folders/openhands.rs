//! The events of a conversation of OpenHands: `events/event-<number>-<id>.json`, in the order of their numbers. OpenHands
//! counts the files, and opens each event by its number.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use crate::json::{Tape, scan};

use super::layout::{FolderLayout, FolderMember, any_has_strings, is_json, list_json};
use crate::source::bytes::hints::{FileFaultKind, RowAccess};

pub(super) static EVENTS: FolderLayout =
    FolderLayout { format: "openhands", of, files, rows: RowAccess::Extendable, faults, new_file };

/// The number of an event, from its file's name.
fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.strip_prefix("event-")?.split('-').next()?.parse().ok()
}

fn of(path: &Path) -> Option<FolderMember<'_>> {
    is_json(path)?;
    let root = path.parent()?;
    let is_event = root.file_name()? == "events" && number(path).is_some();
    is_event.then_some(FolderMember { root, session: "" })
}

fn files(root: &Path, _: &str) -> Option<Vec<PathBuf>> {
    let mut events: Vec<(u64, PathBuf)> =
        list_json(root).into_iter().filter_map(|path| Some((number(&path)?, path))).collect();
    // Beyond five digits the names do not sort as the numbers do.
    events.sort();
    let events: Vec<PathBuf> = events.into_iter().map(|(_, path)| path).collect();
    any_has_strings(&events, &["id", "source", "timestamp"]).then_some(events)
}

fn faults(before: Option<&Path>, path: &Path, content: Option<&[u8]>) -> Vec<(FileFaultKind, u64)> {
    let Some(number) = number(path) else { return Vec::new() };
    let mut faults = Vec::new();
    let next = before.and_then(self::number).map_or(0, |before| before + 1);
    match number.cmp(&next) {
        Ordering::Greater => faults.push((FileFaultKind::MissingNumber, next)),
        Ordering::Less => faults.push((FileFaultKind::RepeatedNumber, number)),
        Ordering::Equal => {}
    }
    let (content, mut tape) = (content.unwrap_or_default(), Tape::new());
    if content.trim_ascii().is_empty() {
        faults.push((FileFaultKind::Empty, number));
    } else if scan(content, &mut tape).is_err() {
        faults.push((FileFaultKind::NotJson, number));
    }
    faults
}

/// The next number, and the id of the event.
fn new_file(last: &Path, event: &[u8]) -> Option<PathBuf> {
    let mut tape = Tape::new();
    scan(event, &mut tape).ok()?;
    let id = tape.root(event)?.get("id")?.text()?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let id = str::from_utf8(&id).ok().filter(|id| !id.is_empty() && id.bytes().all(|byte| is_name(&byte)))?;
    Some(last.with_file_name(format!("event-{:05}-{id}.json", number(last)? + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_found_by_number_and_content() {
        let found = |before: &str, path: &str, text: &str| {
            faults(Some(Path::new(before)), Path::new(path), Some(text.as_bytes()))
        };
        assert_eq!(faults(None, Path::new("event-00000-a.json"), Some(b"{}")), []);
        assert_eq!(
            faults(None, Path::new("event-00001-a.json"), Some(b"{}")),
            [(FileFaultKind::MissingNumber, 0)]
        );
        let (one, two) = ("event-00002-a.json", "event-00004-b.json");
        assert_eq!(found(one, two, ""), [(FileFaultKind::MissingNumber, 3), (FileFaultKind::Empty, 4)]);
        assert_eq!(found(one, one, "{"), [(FileFaultKind::RepeatedNumber, 2), (FileFaultKind::NotJson, 2)]);
    }

    #[test]
    fn a_new_event_has_the_next_number() {
        let last = Path::new("events/event-99999-a.json");
        assert_eq!(new_file(last, br#"{"id":"b-1"}"#), Some("events/event-100000-b-1.json".into()));
        assert_eq!(new_file(last, br#"{"id":"../b"}"#), None);
    }
}
