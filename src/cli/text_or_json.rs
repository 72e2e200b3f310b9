//! The formats of a report that is not about findings.

use clap::ValueEnum;

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TextOrJson {
    Text,
    Json,
}
