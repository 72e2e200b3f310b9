//! `config`: prints what the config files say for a path, and where they say it.

use std::io::Write;
use std::path::Path;

use serde_json::json;

use crate::options::{InForce, LAYERED, Lints, Said};
use crate::report::write_pretty;
use crate::source::display_name;

use super::{Failure, Outcome};

pub fn config(lints: &Lints, path: &Path, as_json: bool, out: &mut dyn Write) -> Result<Outcome, Failure> {
    // A folder stands for any file in it.
    let inside = if path.is_dir() { path.join("-") } else { path.to_owned() };
    lints.load(&inside)?;
    let held = lints.in_force(&inside.to_string_lossy());
    let said = said(&held);
    let path = path.to_string_lossy();
    let label = held.config.map(|config| config.label.as_str());
    if as_json {
        let one = |said: &&Said| json!({ "key": said.key, "value": said.value, "line": said.line });
        let settings: Vec<_> = said.iter().map(one).collect();
        let value = json!({ "version": 1, "path": path, "config": label, "settings": settings });
        write_pretty(&value, out)?;
        return Ok(Outcome::Clean);
    }
    let name = display_name(&path);
    let Some(label) = label.map(display_name) else {
        writeln!(out, "# {name}: no config file; the defaults are in force")?;
        return Ok(Outcome::Clean);
    };
    writeln!(out, "# {name}: {label}")?;
    let settings: Vec<String> = said.iter().map(|said| format!("{} = {}", said.key, said.value)).collect();
    let width =
        settings.iter().map(|text| text.chars().count()).filter(|width| *width <= WIDTH).max().unwrap_or(0);
    for (text, said) in settings.iter().zip(&said) {
        writeln!(out, "{:width$}  # {label}:{}", display_name(text), said.line)?;
    }
    if said.is_empty() {
        writeln!(out, "# it sets nothing for this path")?;
    }
    Ok(Outcome::Clean)
}

/// Longer settings do not push the places of the others to the right.
const WIDTH: usize = 60;

/// What holds: the entry of `[[files]]` first, then what the top of the file says and the entry leaves as it is.
fn said<'l>(held: &InForce<'l>) -> Vec<&'l Said> {
    let own = held.files.map_or(&[][..], |files| &files.said);
    let above = held.config.map_or(&[][..], |config| &config.said);
    let stays =
        |said: &&Said| LAYERED.contains(&said.key.as_str()) || own.iter().all(|other| other.key != said.key);
    own.iter().chain(above.iter().filter(stays)).collect()
}
