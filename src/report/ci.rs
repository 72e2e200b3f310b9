//! What the reports for CI systems share: what a finding is known by from run to run, what its file is called, and what
//! is said of it. Lines move when something is written above them; rule, file and ids do not.

use std::collections::HashMap;

use xxhash_rust::xxh3::Xxh3;

use super::{Diagnostic, Seen};

/// Fingerprints of the findings of a doc: 32 hexadecimal digits each, no two alike. Equal findings of a doc are told
/// apart by their order.
pub(super) fn fingerprints(doc: &Seen) -> Vec<String> {
    let mut seen: HashMap<u128, u64> = HashMap::new();
    let told = doc.diagnostics.iter().map(|diagnostic| {
        let identity = hash(diagnostic);
        let nth = seen.entry(identity).or_default();
        *nth += 1;
        let mut hasher = Xxh3::new();
        hasher.update(&identity.to_le_bytes());
        hasher.update(&nth.to_le_bytes());
        format!("{:032x}", hasher.digest128())
    });
    told.collect()
}

fn hash(diagnostic: &Diagnostic) -> u128 {
    let code = diagnostic.rule.to_string();
    let ids = [&diagnostic.id, &diagnostic.call_id].map(|id| id.as_deref().unwrap_or_default());
    let mut hasher = Xxh3::new();
    for part in [code.as_str(), file(&diagnostic.path), ids[0], ids[1]] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.digest128()
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
    match (&diagnostic.fix, diagnostic.no_fix) {
        (Some(fix), _) => {
            text.push_str(&format!("\nfix ({}): {}", fix.terms(), fix.title));
        }
        (None, Some(why)) => text.push_str(&format!("\nno fix: {why}")),
        (None, None) => {}
    }
    text
}
