//! Forks that lie in a file of their own: it begins with the lines of the session that was forked. Where those were
//! given other names, they get the names that they have there, so that they are one.

use std::collections::HashMap;

use super::{Entry, Name, Part};

/// Names the first lines of each fork as those of its session, as far as they say the same.
pub(super) fn rename(entries: &mut [Entry]) {
    let mut lines: HashMap<Name, Vec<usize>> = HashMap::new();
    for (ix, entry) in entries.iter().enumerate() {
        if let Some(session) =
            entry.session.as_ref().filter(|_| entry.part != Part::Link && !entry.name.is_empty())
        {
            lines.entry(session.id.clone()).or_default().push(ix);
        }
    }
    // The lines of each fork, after those of the session that it was forked from.
    let forks = lines.iter().filter_map(|(id, own)| {
        let from = entries.get(*own.first()?)?.session.as_ref()?.forked_from.as_ref()?;
        Some((lines.get(from).filter(|_| from != id)?, own))
    });
    let mut names: HashMap<Name, Name> = HashMap::new();
    for (from, own) in forks {
        let pairs = from.iter().zip(own).map_while(|(a, b)| Some((entries.get(*a)?, entries.get(*b)?)));
        for (a, b) in pairs.take_while(|(a, b)| a.digest == b.digest).filter(|(a, b)| a.name != b.name) {
            names.insert(b.name.clone(), a.name.clone());
        }
    }
    if names.is_empty() {
        return;
    }
    // A fork of a fork has names that were given twice.
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
