//! What may be said about files, on the command line or in a config file, and what it means.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::history::Effort;
use crate::judge;
use crate::read;
use crate::rule::Age;
use crate::schema::Schemas;

use super::misuse::Misuse;
use super::names::{format, order, target, usage};
use super::selection::{Layer, enabled};
use super::values::{duration, moment, size, steps, version};

/// What may be said about files, on the command line or in a config file. The command line wins.
#[derive(Clone, Debug, Default)]
pub struct FileOptions {
    pub format: Option<String>,
    pub target: Option<String>,
    pub store: Option<bool>,
    pub usage: Option<String>,
    pub model: Option<String>,
    /// The version of the agent that is to go on with a session.
    pub agent_version: Option<String>,
    pub effort: Option<String>,
    pub pointer: Option<String>,
    pub order: Option<String>,
    pub select: Vec<String>,
    pub extend_select: Vec<String>,
    pub ignore: Vec<String>,
    /// Rules in whose words the server has rejected the history: their findings are errors.
    pub proven: Vec<String>,
    /// Bytes, or with `k`, `M`, `G` after it.
    pub max_record_size: Option<String>,
    /// A file with a JSON Schema for one item, instead of the provider's.
    pub schema: Option<PathBuf>,
    /// A number with `s`, `m`, `h`, `d` or `w` after it.
    pub max_item_age: Option<String>,
    /// A time to count from instead of the clock's.
    pub now: Option<String>,
    pub all_branches: bool,
}

impl FileOptions {
    /// What this says, and where it is silent what the other says. Rules are not among it: those are layers.
    fn or(self, other: &FileOptions) -> FileOptions {
        FileOptions {
            format: self.format.or_else(|| other.format.clone()),
            target: self.target.or_else(|| other.target.clone()),
            store: self.store.or(other.store),
            usage: self.usage.or_else(|| other.usage.clone()),
            model: self.model.or_else(|| other.model.clone()),
            agent_version: self.agent_version.or_else(|| other.agent_version.clone()),
            effort: self.effort.or_else(|| other.effort.clone()),
            pointer: self.pointer.or_else(|| other.pointer.clone()),
            order: self.order.or_else(|| other.order.clone()),
            proven: if self.proven.is_empty() { other.proven.clone() } else { self.proven },
            max_record_size: self.max_record_size.or_else(|| other.max_record_size.clone()),
            schema: self.schema.or_else(|| other.schema.clone()),
            max_item_age: self.max_item_age.or_else(|| other.max_item_age.clone()),
            now: self.now.or_else(|| other.now.clone()),
            all_branches: self.all_branches || other.all_branches,
            ..FileOptions::default()
        }
    }

    fn layer(&self) -> Layer<'_> {
        Layer { select: &self.select, extend: &self.extend_select, ignore: &self.ignore }
    }
}

/// What several places say together, the one that wins first.
pub fn judge_options(places: &[&FileOptions]) -> Result<judge::Options, Misuse> {
    let about = places.iter().fold(FileOptions::default(), |about, place| about.or(place));
    let layers: Vec<Layer<'_>> = places.iter().rev().map(|place| place.layer()).collect();
    let target = about.target.as_deref().map(target).transpose()?;
    let dialect = target.map(|target| target.dialect);
    Ok(judge::Options {
        read: read::Options { dialect, ..read_options(&about)? },
        target,
        store: about.store,
        model: about.model.clone(),
        agent_version: about.agent_version.as_deref().map(version).transpose()?,
        schemas: about.schema.as_deref().map_or(Ok(Schemas::Official), schema)?,
        age: age(&about)?,
        enabled: enabled(&layers, &about.proven)?,
    })
}

fn read_options(about: &FileOptions) -> Result<read::Options, Misuse> {
    Ok(read::Options {
        format: about.format.as_deref().map(format).transpose()?,
        pointer: about.pointer.as_deref().map_or(Ok(Vec::new()), steps)?,
        newest_first: about.order.as_deref().map(order).transpose()?,
        max_record: about.max_record_size.as_deref().map_or(Ok(1 << 30), size)?,
        panics: read::Panics::Fail,
        all_branches: about.all_branches,
        usage: about.usage.as_deref().map(usage).transpose()?,
        effort: about.effort.as_deref().map(|effort| Effort::of(effort.as_bytes())),
        dialect: None,
        coverage: false,
        unsent: false,
    })
}

/// The user's own schema for items.
fn schema(path: &Path) -> Result<Schemas, Misuse> {
    let failed = |error: &dyn std::fmt::Display| {
        Misuse::new(format!("{}: {error}", crate::source::display_path(path)))
            .help("--schema takes a JSON Schema that describes one item and needs no other file")
    };
    let text = std::fs::read_to_string(path).map_err(|e| failed(&e))?;
    Schemas::own(&text).map_err(|e| failed(&e))
}

/// How old stored items may be, and what time it is.
fn age(about: &FileOptions) -> Result<Option<Age>, Misuse> {
    let now = about.now.as_deref().map(moment).transpose()?;
    let Some(most) = about.max_item_age.as_deref().map(duration).transpose()? else { return Ok(None) };
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |past| past.as_secs());
    Ok(Some(Age { most, now: now.map_or_else(clock, |now| u64::try_from(now).unwrap_or(0)) }))
}
