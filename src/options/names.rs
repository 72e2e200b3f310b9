//! Lookup by name: formats, targets, usages, orders.

use crate::format::Format;
use crate::formats;
use crate::history::Usage;
use crate::target::Target;
use crate::targets;

use super::spelling::unknown_name;
use super::usage_error::UsageError;

/// Names of the formats.
pub fn formats() -> Vec<&'static str> {
    let mut names: Vec<&str> = formats::FORMATS.iter().map(|format| format.info().name).collect();
    // A format with two kinds of files has two rows.
    names.dedup();
    names
}

pub fn format(name: &str) -> Result<&'static dyn Format, UsageError> {
    formats::by_name(name).ok_or_else(|| unknown_name("format", name, formats()))
}

/// Names of the targets.
pub fn targets() -> Vec<&'static str> {
    targets::TARGETS.iter().map(|target| target.name).collect()
}

pub fn target(name: &str) -> Result<&'static Target, UsageError> {
    targets::by_name(name).ok_or_else(|| unknown_name("target", name, targets()))
}

pub const USAGES: [&str; 2] = ["request", "log"];

pub fn usage(name: &str) -> Result<Usage, UsageError> {
    match name {
        "request" => Ok(Usage::Request),
        "log" => Ok(Usage::Log),
        _ => Err(unknown_name("usage", name, USAGES.to_vec())),
    }
}

pub const ORDERS: [&str; 2] = ["newest-first", "oldest-first"];

/// True if the newest item comes first.
pub fn order(name: &str) -> Result<bool, UsageError> {
    match name {
        "newest-first" => Ok(true),
        "oldest-first" => Ok(false),
        _ => Err(unknown_name("order", name, ORDERS.to_vec())),
    }
}
