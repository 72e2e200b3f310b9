//! Options of a run, resolved from arguments, config files and the environment. Modules below this one do not know flags.

mod config;
mod configs;
mod file_options;
mod images;
mod keys;
mod length;
mod lint_settings;
mod names;
mod parse;
mod path_list;
mod selection;
mod spelling;
mod usage_error;
mod values;

pub use config::{CONFIG, Config, ConfigSetting, PYPROJECT, Waiver};
pub use configs::{ConfigLookup, label};
pub use file_options::{FileOptions, next_model, unknown_next_model};
pub use images::{ImageRequest, ImageTreatment, parse_images};
pub use keys::{ConfigKey, IGNORE_KEYS, KEYS, KeyKind, LAYERED, SEVERITIES};
pub use length::{KeptContent, length_options, parse_kept, parse_tokens};
pub use lint_settings::{EffectiveOptions, LintSettings, WalkOptions};
pub use names::{format, target};
pub use path_list::read_path_list;
pub use selection::{RuleLayer, enabled_rules, matches, selected_codes};
pub use spelling::{edit_distance, nearest, suggest, unknown_name, unknown_with_nearest};
pub use usage_error::UsageError;
pub use values::{parse_large_size, parse_pointer, parse_size, parse_time};
