//! The events of a conversation of OpenHands: `events/event-<number>-<id>.json`, in the order of their numbers.

use std::path::{Path, PathBuf};

use super::layout::{Kind, Member, is_like, listed};

pub(super) static EVENTS: Kind = Kind { format: "openhands", of, files };

/// The number that a file's name gives to its event.
fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.strip_prefix("event-")?.split('-').next()?.parse().ok()
}

fn of(path: &Path) -> Option<Member<'_>> {
    let root = path.parent()?;
    let is_event = root.file_name()? == "events" && number(path).is_some();
    is_event.then_some(Member { root, session: "" })
}

fn files(root: &Path, _: &str) -> Option<Vec<PathBuf>> {
    let mut events: Vec<(u64, PathBuf)> =
        listed(root).into_iter().filter_map(|path| Some((number(&path)?, path))).collect();
    // Beyond five digits the names do not sort as the numbers do.
    events.sort();
    let events: Vec<PathBuf> = events.into_iter().map(|(_, path)| path).collect();
    is_like(&events, &["id", "source", "timestamp"]).then_some(events)
}
