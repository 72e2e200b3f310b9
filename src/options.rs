//! What the user means: arguments, the config files and the environment put together. Below this module nothing knows
//! flags.

mod about;
mod config;
mod configs;
mod keys;
mod lints;
mod listed;
mod misuse;
mod names;
mod parse;
mod selection;
mod spelling;
mod values;

pub use about::FileOptions;
pub use config::{CONFIG, Config, PYPROJECT, Said, Waiver};
pub use configs::{Lookup, label};
pub use keys::{IGNORE_KEYS, KEYS, Key, Kind, LAYERED, SEVERITIES};
pub use lints::{InForce, Lints, Walking};
pub use listed::listed;
pub use misuse::Misuse;
pub use names::{format, target};
pub use selection::{Layer, enabled, matches, selected};
pub use spelling::{distance, meant, nearest, unknown, unknown_of};
pub use values::{large_size, moment, size, steps};
