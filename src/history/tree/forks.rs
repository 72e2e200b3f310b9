//! Forks with their own file, which begins with the lines of the forked session. If those lines have other names, they
//! get the names of the originals, so that both are one.

use foldhash::HashMap;

use super::{EntryRole, NodeName, TreeEntry};

/// Renames the first lines of each fork to those of its session, as far as their content is equal.
pub(super) fn rename(entries: &mut [TreeEntry]) {
    let mut lines: HashMap<NodeName, Vec<usize>> = HashMap::default();
    for (ix, entry) in entries.iter().enumerate() {
        if let Some(session) =
            entry.session.as_ref().filter(|_| entry.part != EntryRole::Link && !entry.name.is_empty())
        {
            lines.entry(session.id.clone()).or_default().push(ix);
        }
    }
    // The lines of each fork, after those of the session that it was forked from.
    let forks = lines.iter().filter_map(|(id, own)| {
        let from = entries.get(*own.first()?)?.session.as_ref()?.forked_from.as_ref()?;
        Some((lines.get(from).filter(|_| from != id)?, own))
    });
    let mut names: HashMap<NodeName, NodeName> = HashMap::default();
    for (from, own) in forks {
        let pairs = from.iter().zip(own).map_while(|(a, b)| Some((entries.get(*a)?, entries.get(*b)?)));
        for (a, b) in pairs.take_while(|(a, b)| a.digest == b.digest).filter(|(a, b)| a.name != b.name) {
            names.insert(b.name.clone(), a.name.clone());
        }
    }
    if names.is_empty() {
        return;
    }
    // The names of a fork of a fork were replaced twice.
    let last = |name: &str| {
        let mut name = names.get(name)?;
        for _ in 0..names.len() {
            match names.get(name) {
                Some(next) => name = next,
                None => break,
            }
        }
        Some(name.clone())
    };
    for entry in entries {
        entry.name = last(&entry.name).unwrap_or_else(|| std::mem::take(&mut entry.name));
        entry.parent = entry.parent.take().map(|parent| last(&parent).unwrap_or(parent));
    }
}
