//! Things that have names: formats, targets, uses, orders.

use crate::format::Format;
use crate::formats;
use crate::history::Usage;
use crate::target::Target;
use crate::targets;

use super::misuse::Misuse;
use super::spelling::unknown;

/// Names of the formats.
pub fn formats() -> Vec<&'static str> {
    let mut names: Vec<&str> = formats::FORMATS.iter().map(|format| format.info().name).collect();
    // A format of two sorts of files has two rows.
    names.dedup();
    names
}

pub fn format(name: &str) -> Result<&'static dyn Format, Misuse> {
    formats::by_name(name).ok_or_else(|| unknown("format", name, formats()))
}

/// Names of the targets.
pub fn targets() -> Vec<&'static str> {
    targets::TARGETS.iter().map(|target| target.name).collect()
}

pub fn target(name: &str) -> Result<&'static Target, Misuse> {
    targets::by_name(name).ok_or_else(|| unknown("target", name, targets()))
}

pub const USAGES: [&str; 2] = ["request", "log"];

pub fn usage(name: &str) -> Result<Usage, Misuse> {
    match name {
        "request" => Ok(Usage::Request),
        "log" => Ok(Usage::Log),
        _ => Err(unknown("use", name, USAGES.to_vec())),
    }
}

pub const ORDERS: [&str; 2] = ["newest-first", "oldest-first"];

/// Whether the newest item is the first.
pub fn order(name: &str) -> Result<bool, Misuse> {
    match name {
        "newest-first" => Ok(true),
        "oldest-first" => Ok(false),
        _ => Err(unknown("order", name, ORDERS.to_vec())),
    }
}
