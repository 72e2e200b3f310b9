//! The counts as JSON, described by `schemas/evidence.v1.json`: codes, names of targets and models, and numbers.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::report::write_pretty;

use super::counts::Evidence;

/// Version of the contract.
const VERSION: u32 = 1;

/// Writes the counts.
pub(super) fn write(all: &Evidence, out: &mut dyn Write) -> io::Result<()> {
    let models = all.answers.iter().map(|(key, counts)| {
        json!({
            "target": key.target,
            "model": key.model,
            "requests": counts.total(),
            "accepted": counts.accepted,
            "refused": counts.refused,
            "other": counts.other,
        })
    });
    let accepted = all.found_and_accepted.iter().map(|((code, key, severity), count)| {
        json!({
            "rule": code.to_string(),
            "target": key.target,
            "model": key.model,
            "severity": severity.name(),
            "requests": count,
        })
    });
    let refused = all.refused_and_not_found.iter().map(|((code, key), count)| {
        json!({
            "rule": code.map(|code| code.to_string()),
            "target": key.target,
            "model": key.model,
            "requests": count,
        })
    });
    write_pretty(
        &json!({
            "version": VERSION,
            "replaylint": env!("CARGO_PKG_VERSION"),
            "files": { "read": all.files_read, "skipped": all.files_skipped, "unreadable": all.files_unreadable },
            "requests": { "read": all.requests, "skipped": all.requests_skipped },
            "models": models.collect::<Value>(),
            "found_and_accepted": accepted.collect::<Value>(),
            "refused_and_not_found": refused.collect::<Value>(),
        }),
        out,
    )
}
