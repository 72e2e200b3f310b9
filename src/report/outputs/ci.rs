//! What the reports for CI systems share: what a finding is known by from run to run, what its file is called, and what
//! is said of it. Lines move when something is written above them; rule, file and ids do not.

use std::collections::HashMap;

use xxhash_rust::xxh3::Xxh3;

use crate::report::{Diagnostic, Seen};

/// Fingerprints of the findings of a doc: 32 hexadecimal digits each, all of them unique. Equal findings of a doc are
/// distinguished by their order.
pub(super) fn fingerprints(doc: &Seen) -> Vec<String> {
    numbered(doc.diagnostics.iter().map(|diagnostic| hash(diagnostic, file(&diagnostic.path))))
}

fn numbered(hashes: impl Iterator<Item = u128>) -> Vec<String> {
    let mut seen: HashMap<u128, u64> = HashMap::new();
    let told = hashes.map(|identity| {
        let nth = seen.entry(identity).or_default();
        *nth += 1;
        let mut hasher = Xxh3::new();
        hasher.update(&identity.to_le_bytes());
        hasher.update(&nth.to_le_bytes());
        format!("{:032x}", hasher.digest128())
    });
    told.collect()
}

/// The ids are hashed as they are in the file: what of them is printed depends on where it is printed.
fn hash(diagnostic: &Diagnostic, path: &str) -> u128 {
    let identity = diagnostic.identity;
    hash_of(&[
        diagnostic.rule.to_string().as_bytes(),
        path.as_bytes(),
        &identity.id.to_le_bytes(),
        &identity.key.to_le_bytes(),
    ])
}

fn hash_of(parts: &[&[u8]]) -> u128 {
    let mut hasher = Xxh3::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.digest128()
}

/// What a finding is known by in a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its own, by the ids of what it is about.
    pub fingerprint: String,
    /// That of all findings like it in the file, whatever their ids are.
    pub likeness: String,
}

/// What the findings of a doc are known by in a baseline, where the doc has this path.
pub fn marks(diagnostics: &[Diagnostic], path: &str) -> Vec<Mark> {
    let likeness = |diagnostic: &Diagnostic| {
        let (rule, kind) = (diagnostic.rule.to_string(), diagnostic.identity.kind);
        format!("{:032x}", hash_of(&[rule.as_bytes(), &[diagnostic.variant], kind.as_bytes(), path.as_bytes()]))
    };
    let own = numbered(diagnostics.iter().map(|diagnostic| hash(diagnostic, path))).into_iter();
    own.zip(diagnostics).map(|(fingerprint, found)| Mark { fingerprint, likeness: likeness(found) }).collect()
}

/// A path as CI systems want it: relative ones without `./` in front, which some of them take for another file.
pub(super) fn file(path: &str) -> &str {
    let below = path.trim_start_matches("./");
    if below.is_empty() { path } else { below }
}

/// What a finding says, with its pointer; then the provider's words and the fix, each on a line of its own.
pub(super) fn details(diagnostic: &Diagnostic) -> String {
    let spot = &diagnostic.spot;
    let mut text = diagnostic.message.clone();
    if !spot.pointer.is_empty() {
        text.push_str(&format!(" ({})", spot.pointers()));
    }
    if let Some(api) = &diagnostic.api_message {
        text.push_str(&format!("\nthe API says: {api}"));
    }
    match (&diagnostic.fix, diagnostic.why_not()) {
        (Some(fix), _) => {
            text.push_str(&format!("\nfix ({}): {}", fix.terms(), fix.title));
        }
        (None, Some(why)) => text.push_str(&format!("\nno fix: {why}")),
        (None, None) => {}
    }
    text
}
