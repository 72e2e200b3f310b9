//! The events of a conversation of OpenHands: `events/event-<number>-<id>.json`, in the order of their numbers.

use std::path::{Path, PathBuf};

use super::layout::{FolderLayout, FolderMember, any_has_strings, list_json};

pub(super) static EVENTS: FolderLayout = FolderLayout { format: "openhands", of, files };

/// The number of an event, from its file's name.
fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.strip_prefix("event-")?.split('-').next()?.parse().ok()
}

fn of(path: &Path) -> Option<FolderMember<'_>> {
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
