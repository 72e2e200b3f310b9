//! `config`: prints the effective settings for a path, and the lines that set them.

use std::io::Write;
use std::path::Path;

use serde_json::json;

use crate::options::{ConfigSetting, EffectiveOptions, LAYERED, LintSettings};
use crate::report::write_pretty;
use crate::source::display_name;

use super::{Failure, Outcome};

pub fn config(lints: &LintSettings, path: &Path, as_json: bool, out: &mut dyn Write) -> Result<Outcome, Failure> {
    // A folder means any file in it.
    let inside = if path.is_dir() { path.join("-") } else { path.to_owned() };
    lints.load(&inside)?;
    let effective = lints.effective(&inside.to_string_lossy());
    let settings = effective_settings(&effective);
    let path = path.to_string_lossy();
    let label = effective.config.map(|config| config.label.as_str());
    if as_json {
        let to_json =
            |setting: &&ConfigSetting| json!({ "key": setting.key, "value": setting.value, "line": setting.line });
        let settings: Vec<_> = settings.iter().map(to_json).collect();
        let value = json!({ "version": 1, "path": path, "config": label, "settings": settings });
        write_pretty(&value, out)?;
        return Ok(Outcome::Clean);
    }
    let name = display_name(&path);
    let Some(label) = label.map(display_name) else {
        writeln!(out, "# {name}: no config file; the defaults apply")?;
        return Ok(Outcome::Clean);
    };
    writeln!(out, "# {name}: {label}")?;
    let texts: Vec<String> =
        settings.iter().map(|setting| format!("{} = {}", setting.key, setting.value)).collect();
    let width =
        texts.iter().map(|text| text.chars().count()).filter(|width| *width <= MAX_ALIGNED).max().unwrap_or(0);
    for (text, setting) in texts.iter().zip(&settings) {
        writeln!(out, "{:width$}  # {label}:{}", display_name(text), setting.line)?;
    }
    if settings.is_empty() {
        writeln!(out, "# no settings for this path")?;
    }
    Ok(Outcome::Clean)
}

/// Columns up to which settings are aligned; longer ones do not move the others.
const MAX_ALIGNED: usize = 60;

/// The effective settings: those of the `[[files]]` entry first, then those at the top of the file that it does not
/// override.
fn effective_settings<'l>(effective: &EffectiveOptions<'l>) -> Vec<&'l ConfigSetting> {
    let own = effective.files.map_or(&[][..], |files| &files.settings);
    let above = effective.config.map_or(&[][..], |config| &config.settings);
    let stays = |setting: &&ConfigSetting| {
        LAYERED.contains(&setting.key.as_str()) || own.iter().all(|other| other.key != setting.key)
    };
    own.iter().chain(above.iter().filter(stays)).collect()
}
