//! Options for files, from the command line or a config file, and their resolution.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::history::ReasoningEffort;
use crate::judge::{self, NextModel};
use crate::read;
use crate::rule::AgeLimit;
use crate::schema::Schemas;
use crate::targets::{self, models};

use super::names::{format, order, target, usage};
use super::selection::{RuleLayer, enabled_rules};
use super::usage_error::UsageError;
use super::values::{parse_duration, parse_pointer, parse_size, parse_time, parse_version};

/// Options for files, from the command line or a config file. The command line takes precedence.
#[derive(Clone, Debug, Default)]
pub struct FileOptions {
    pub format: Option<String>,
    pub target: Option<String>,
    pub store: Option<bool>,
    pub usage: Option<String>,
    pub model: Option<String>,
    /// The model that conversations go on with: `MODEL`, `TARGET:MODEL` or `TARGET`.
    pub next_model: Option<String>,
    /// Conversations go on in another account than they were made in.
    pub account_changed: bool,
    /// The version of the agent that will resume a session.
    pub agent_version: Option<String>,
    pub effort: Option<String>,
    pub pointer: Option<String>,
    pub order: Option<String>,
    pub select: Vec<String>,
    pub extend_select: Vec<String>,
    pub ignore: Vec<String>,
    /// Rules for which the server rejected the request: their findings are errors.
    pub proven: Vec<String>,
    /// A number of bytes, with an optional suffix `k`, `M` or `G`.
    pub max_record_size: Option<String>,
    /// A file with a JSON Schema for one item, instead of the provider's.
    pub schema: Option<PathBuf>,
    /// A number with a suffix `s`, `m`, `h`, `d` or `w`.
    pub max_item_age: Option<String>,
    /// The current time for computing ages, instead of that of the clock.
    pub now: Option<String>,
    pub all_branches: bool,
}

impl FileOptions {
    /// These options, with unset ones taken from `other`. Rules are not included, because they are layers.
    fn or(self, other: &FileOptions) -> FileOptions {
        FileOptions {
            format: self.format.or_else(|| other.format.clone()),
            target: self.target.or_else(|| other.target.clone()),
            store: self.store.or(other.store),
            usage: self.usage.or_else(|| other.usage.clone()),
            model: self.model.or_else(|| other.model.clone()),
            next_model: self.next_model.or_else(|| other.next_model.clone()),
            account_changed: self.account_changed || other.account_changed,
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

    fn layer(&self) -> RuleLayer<'_> {
        RuleLayer { select: &self.select, extend: &self.extend_select, ignore: &self.ignore }
    }
}

/// Merges the options of several places, highest precedence first.
pub fn judge_options(places: &[&FileOptions]) -> Result<judge::Options, UsageError> {
    let options = places.iter().fold(FileOptions::default(), |options, place| options.or(place));
    let layers: Vec<RuleLayer<'_>> = places.iter().rev().map(|place| place.layer()).collect();
    let target = options.target.as_deref().map(target).transpose()?;
    let dialect = target.map(|target| target.dialect);
    Ok(judge::Options {
        read: read::Options { dialect, ..read_options(&options)? },
        target,
        store: options.store,
        model: options.model.clone(),
        next: options.next_model.as_deref().map(next_model),
        account_changed: options.account_changed,
        schemas: options.schema.as_deref().map_or(Ok(Schemas::Official), read_schema)?,
        age: age_limit(&options)?,
        enabled: enabled_rules(&layers, &options.proven)?,
    })
}

/// The model that `--for` names. Reads `MODEL`, `TARGET:MODEL` or `TARGET`. What is before a colon and no target belongs to the name of the model.
pub fn next_model(text: &str) -> NextModel {
    let named = text.split_once(':').and_then(|(api, model)| Some((targets::by_name(api)?, model)));
    match (named, targets::by_name(text)) {
        (Some((target, model)), _) => NextModel { name: Some(model.to_owned()), target: Some(target) },
        (None, Some(target)) => NextModel { name: None, target: Some(target) },
        (None, None) => NextModel { name: Some(text.to_owned()), target: None },
    }
}

/// A note about a model of `--for` of which nothing is known; `None` if something is.
pub fn unknown_next_model(text: &str) -> Option<String> {
    let NextModel { name, target } = next_model(text);
    let name = name.filter(|name| target.is_none() && models::vendor(name).is_none())?;
    Some(format!(
        "--for {name}: no maker of such a model is known, so only the rules of the conversation's own API apply; \
         --for TARGET:MODEL names the API (see `replaylint targets`)"
    ))
}

fn read_options(options: &FileOptions) -> Result<read::Options, UsageError> {
    Ok(read::Options {
        format: options.format.as_deref().map(format).transpose()?,
        pointer: options.pointer.as_deref().map_or(Ok(Vec::new()), parse_pointer)?,
        newest_first: options.order.as_deref().map(order).transpose()?,
        max_record: options.max_record_size.as_deref().map_or(Ok(1 << 30), parse_size)?,
        panics: read::PanicPolicy::Fail,
        all_branches: options.all_branches,
        usage: options.usage.as_deref().map(usage).transpose()?,
        agent_version: options.agent_version.as_deref().map(parse_version).transpose()?,
        effort: options.effort.as_deref().map(|effort| ReasoningEffort::of(effort.as_bytes())),
        dialect: None,
        coverage: false,
        unsent: false,
    })
}

/// Reads the schema of `--schema`.
fn read_schema(path: &Path) -> Result<Schemas, UsageError> {
    let failed = |error: &dyn std::fmt::Display| {
        UsageError::new(format!("{}: {error}", crate::source::display_path(path)))
            .help("--schema requires a self-contained JSON Schema of one item")
    };
    let text = std::fs::read_to_string(path).map_err(|e| failed(&e))?;
    Schemas::custom(&text).map_err(|e| failed(&e))
}

/// The maximum age of stored items, and the current time; `None` without a maximum.
fn age_limit(options: &FileOptions) -> Result<Option<AgeLimit>, UsageError> {
    let now = options.now.as_deref().map(parse_time).transpose()?;
    let Some(max_seconds) = options.max_item_age.as_deref().map(parse_duration).transpose()? else {
        return Ok(None);
    };
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |past| past.as_secs());
    Ok(Some(AgeLimit { max_seconds, now: now.map_or_else(clock, |now| u64::try_from(now).unwrap_or(0)) }))
}
