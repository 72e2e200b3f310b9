//! `rules`, `formats`, `targets`, `agents`: the tables, as text or JSON.

use std::io::Write;

use serde_json::{Value, json};

use crate::format::Format;
use crate::format::agent::{Agent, ResumeAct, ResumeEffect};
use crate::formats::agents::resume::AGENTS;
use crate::formats::{FORMATS, SESSION_WRITERS};
use crate::judge::levels;
use crate::options;
use crate::report::table::write_table;
use crate::report::{rulebook, write_pretty};
use crate::rules::RULES;
use crate::target::Severity;
use crate::targets::{self, TARGETS};

use super::explain::PrintOptions;
use super::{Failure, Outcome, target_page};

/// Prints the rules; with a target, those that apply to it, with their severities there.
pub fn rules(target: Option<&str>, print_options: &PrintOptions, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let target = target.map(options::target).transpose()?;
    let name_of = |level: Option<Severity>| level.map_or("off", Severity::name);
    let judging = || RULES.iter().filter(|rule| target.is_none_or(|target| rule.judges(target.dialect)));
    if print_options.json {
        let rule = |rule: &&'static crate::rule::Rule| {
            let (mut stored, mut stateless) = (None, None);
            for (n, variant) in rule.variants.iter().enumerate() {
                let levels = target.map_or(variant.levels, |target| levels(rule, n as u8, target));
                stored = stored.max(levels.stored);
                stateless = stateless.max(levels.stateless);
            }
            json!({
                "code": rule.code.to_string(),
                "name": rule.name,
                "summary": rulebook::first_sentence(rule),
                "severity": { "stored": name_of(stored), "stateless": name_of(stateless) },
                "fixed": rulebook::fix_availability(rule, target).name(),
                "evidence": rulebook::best_evidence(rule).name(),
            })
        };
        let rules: Vec<Value> = judging().map(rule).collect();
        let name = target.map(|target| target.name);
        write_pretty(&json!({ "version": 1, "target": name, "rules": rules }), out)?;
        return Ok(Outcome::Clean);
    }
    let row = |rule: &&'static crate::rule::Rule| {
        vec![
            rule.code.to_string(),
            rule.name.to_owned(),
            name_of(rulebook::worst_severity(rule, target)).to_owned(),
            rulebook::fix_availability(rule, target).name().to_owned(),
            rulebook::best_evidence(rule).name().to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = judging().map(row).collect();
    write_table(&["code", "name", "severity", "autofix", "evidence"], &rows, &print_options.style, out)?;
    Ok(Outcome::Clean)
}

/// Prints the formats.
pub fn formats(print_options: &PrintOptions, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let carried = |name: &str| {
        let writer = SESSION_WRITERS.into_iter().find(|writer| writer.format == name);
        writer.map(|writer| writer.name)
    };
    if print_options.json {
        let formats: Vec<Value> = FORMATS
            .iter()
            .map(|format| {
                let info = format.info();
                json!({
                    "name": info.name,
                    "title": info.title,
                    "known_by": info.known_by,
                    "upstream": info.upstream.map_or(json!("observed"), |upstream| json!({
                        "repository": upstream.repository,
                        "file": upstream.file,
                        "version": upstream.version,
                    })),
                    "dialect": info.dialect.info().name,
                    "target": info.target,
                    "as": info.usage.name(),
                    "recognised": !format.info().is_explicit_only,
                    "fixed": format.info().edit_support.name(),
                    "carried": carried(info.name),
                })
            })
            .collect();
        write_pretty(&json!({ "version": 1, "formats": formats }), out)?;
        return Ok(Outcome::Clean);
    }
    let row = |format: &&'static dyn Format| {
        let info = format.info();
        vec![
            info.name.to_owned(),
            if format.info().is_explicit_only { "--format" } else { "yes" }.to_owned(),
            format!("{}, {}", info.target, info.usage.name()),
            format.info().edit_support.name().to_owned(),
            carried(info.name).map_or("no", |_| "yes").to_owned(),
            format!("{}: {}", info.title, info.known_by),
        ]
    };
    let rows: Vec<Vec<String>> = FORMATS.iter().map(row).collect();
    let headings = ["name", "detected", "default target", "fix", "convert --to"];
    write_table(&headings, &rows, &print_options.style, out)?;
    Ok(Outcome::Clean)
}

/// Prints the targets, or one of them.
pub fn targets(name: Option<&str>, print_options: &PrintOptions, out: &mut dyn Write) -> Result<Outcome, Failure> {
    if let Some(name) = name {
        return target_page::print(options::target(name)?, print_options, out);
    }
    if print_options.json {
        let targets: Vec<Value> = TARGETS
            .iter()
            .map(|target| {
                json!({
                    "name": target.name,
                    "aliases": targets::aliases(target.name).collect::<Vec<_>>(),
                    "title": target.title,
                    "dialect": target.dialect,
                    "store": target.store,
                    "evidence": target.evidence,
                })
            })
            .collect();
        write_pretty(&json!({ "version": 1, "targets": targets }), out)?;
        return Ok(Outcome::Clean);
    }
    let row = |target: &&'static crate::target::Target| {
        let what = format!("{} ({})", target.title, target.evidence);
        let store = if target.store { "yes" } else { "no" };
        vec![target.name.to_owned(), target.dialect.to_owned(), store.to_owned(), what]
    };
    let rows: Vec<Vec<String>> = TARGETS.iter().map(row).collect();
    write_table(&["name", "dialect", "stores", "description (evidence)"], &rows, &print_options.style, out)?;
    Ok(Outcome::Clean)
}

/// Prints the agents, and what each makes of defects of a session that it resumes.
pub fn agents(print_options: &PrintOptions, out: &mut dyn Write) -> Result<Outcome, Failure> {
    if print_options.json {
        let act = |act: &ResumeAct| {
            json!({
                "defect": act.defect.name(),
                "effect": act.effect.name(),
                "placeholder": match act.effect {
                    ResumeEffect::Answers(text) if !text.is_empty() => Some(text),
                    _ => None,
                },
                "severity": act.effect.severity().map(Severity::name),
                "since": act.since.map(|version| version.to_string()),
                "until": act.until.map(|version| version.to_string()),
                "source": act.source,
            })
        };
        let agents: Vec<Value> = AGENTS
            .iter()
            .map(|agent| {
                json!({
                    "id": agent.id,
                    "name": agent.name,
                    "formats": agent.formats,
                    "acts": agent.acts.iter().map(act).collect::<Vec<_>>(),
                })
            })
            .collect();
        write_pretty(&json!({ "version": 1, "agents": agents }), out)?;
        return Ok(Outcome::Clean);
    }
    let row = |agent: &Agent, act: &ResumeAct| {
        let known: Vec<String> =
            [act.versions(), act.source.to_owned()].into_iter().filter(|text| !text.is_empty()).collect();
        let severity = act.effect.severity().map_or("repaired", Severity::name);
        vec![agent.id.to_owned(), severity.to_owned(), format!("{} ({})", act.sentence(), known.join("; "))]
    };
    let rows: Vec<Vec<String>> =
        AGENTS.iter().flat_map(|agent| agent.acts.iter().map(move |act| row(agent, act))).collect();
    write_table(&["agent", "severity", "defect: effect (versions; source)"], &rows, &print_options.style, out)?;
    Ok(Outcome::Clean)
}
