//! Shared by the reports for CI systems: the fingerprint that identifies a finding from run to run, the path of its file,
//! and its text. Lines move when something is inserted above them; rule, file and ids do not.

use foldhash::HashMap;
use xxhash_rust::xxh3::Xxh3;

use crate::report::{Diagnostic, DocReport};

/// Fingerprints of a document's findings: 32 hexadecimal digits each, all of them unique. Equal findings are
/// distinguished by their order.
pub(super) fn fingerprints(doc: &DocReport) -> Vec<String> {
    number_duplicates(doc.diagnostics.iter().map(|diagnostic| hash(diagnostic, file(&diagnostic.path))))
}

fn number_duplicates(hashes: impl Iterator<Item = u128>) -> Vec<String> {
    let mut seen: HashMap<u128, u64> = HashMap::default();
    let unique = hashes.map(|identity| {
        let nth = seen.entry(identity).or_default();
        *nth += 1;
        let mut hasher = Xxh3::new();
        hasher.update(&identity.to_le_bytes());
        hasher.update(&nth.to_le_bytes());
        format!("{:032x}", hasher.digest128())
    });
    unique.collect()
}

/// The ids are hashed as they are in the file, because their printed form depends on the masking policy.
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

/// The key of a finding in a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineKey {
    /// Of the finding itself, with the ids of its item.
    pub fingerprint: String,
    /// Of all similar findings in the file, whatever their ids are.
    pub likeness: String,
}

/// The baseline keys of a document's findings, for a path of the document.
pub fn baseline_keys(diagnostics: &[Diagnostic], path: &str) -> Vec<BaselineKey> {
    let likeness = |diagnostic: &Diagnostic| {
        let (rule, kind) = (diagnostic.rule.to_string(), diagnostic.identity.kind);
        format!("{:032x}", hash_of(&[rule.as_bytes(), &[diagnostic.variant], kind.as_bytes(), path.as_bytes()]))
    };
    let own = number_duplicates(diagnostics.iter().map(|diagnostic| hash(diagnostic, path))).into_iter();
    own.zip(diagnostics)
        .map(|(fingerprint, found)| BaselineKey { fingerprint, likeness: likeness(found) })
        .collect()
}

/// A path as CI systems want it: relative ones without a leading `./`, which some of them take for another file.
pub(super) fn file(path: &str) -> &str {
    let below = path.trim_start_matches("./");
    if below.is_empty() { path } else { below }
}

/// The message of a finding with its pointer; then the provider's message and the fix, each on a line of its own.
pub(super) fn details(diagnostic: &Diagnostic) -> String {
    let location = &diagnostic.location;
    let mut text = diagnostic.message.clone();
    if !location.pointer.is_empty() {
        text.push_str(&format!(" ({})", location.pointers()));
    }
    if let Some(api) = &diagnostic.api_message {
        text.push_str(&format!("\nthe API says: {api}"));
    }
    match (&diagnostic.fix, diagnostic.no_fix_reason()) {
        (Some(fix), _) => {
            text.push_str(&format!("\nfix ({}): {}", fix.terms(), fix.title));
        }
        (None, Some(why)) => text.push_str(&format!("\nno automatic fix: {why}")),
        (None, None) => {}
    }
    text
}
