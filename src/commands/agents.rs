//! `check --agents`: a summary, per agent, of the sessions stored on this machine. It only reads files.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::convert;
use crate::history::Code;
use crate::judge::{JudgedDoc, WeighedFinding};
use crate::options::UsageError;
use crate::report;
use crate::report::command_line::CommandLine;
use crate::report::words::{count, group_digits};
use crate::rule::RuleTag;
use crate::source::{Doc, Input, describe_error, display_name};
use crate::target::Severity;

use super::agent_folders::{AgentStore, abbreviate_home, agent_stores};
use super::run::Inputs;
use super::run::labels::label_of;
use super::{Failure, Outcome, Run, print_error};

/// Maximum number of sessions listed.
const WORST: usize = 10;

/// The report of all agents, as `--output-format json` prints it.
#[derive(Debug, Serialize)]
struct AgentsReport {
    version: u32,
    agents: Vec<AgentSummary>,
}

#[derive(Debug, Default, Serialize)]
struct AgentSummary {
    agent: &'static str,
    folders: Vec<String>,
    sessions: u64,
    /// Sessions that the provider would reject when they are resumed.
    rejected: u64,
    /// Sessions whose file is damaged, so that the agent may not load all of it.
    damaged: u64,
    /// Files without a session of the agent.
    other_files: u64,
    unreadable: u64,
    rules: Vec<RuleCount>,
    worst: Vec<BrokenSession>,
}

/// A rule, and the number of sessions with an error of it.
#[derive(Debug, Serialize)]
struct RuleCount {
    rule: String,
    name: &'static str,
    sessions: u64,
}

#[derive(Debug, Serialize)]
struct BrokenSession {
    path: String,
    errors: u64,
}

/// The result of checking one file.
struct SessionCheck {
    is_session: bool,
    rejected: bool,
    damaged: bool,
    errors: u64,
    rules: Vec<(Code, &'static str)>,
}

/// Checks the sessions of the agents with these names; of all agents, if there are none.
pub fn check_agents(mut run: Run, names: &[String], out: &mut dyn Write) -> Result<Outcome, Failure> {
    let json = match run.outputs.as_slice() {
        [output] if output.file.is_none() && output.name == "json" => true,
        [output] if output.file.is_none() && output.name == "text" => false,
        _ => {
            return Err(UsageError::new("--agents prints text or JSON only")
                .help("use --output-format text or json")
                .into());
        }
    };
    let mut sums = Vec::new();
    let mut failed = false;
    for store in agent_stores(names, run.allow_empty)? {
        run.paths.clone_from(&store.folders);
        let (sum, bad) = check_agent(&run, &store)?;
        failed |= bad;
        sums.push(sum);
    }
    let found = sums.iter().any(|sum| sum.rejected + sum.damaged > 0);
    match json {
        true => report::write_pretty(&serde_json::json!(AgentsReport { version: 1, agents: sums }), out)?,
        false => {
            for (n, sum) in sums.iter().enumerate() {
                if n > 0 {
                    writeln!(out)?;
                }
                sum.print(out)?;
            }
        }
    }
    Ok(run.outcome(failed, found))
}

fn check_agent(run: &Run, store: &AgentStore) -> Result<(AgentSummary, bool), Failure> {
    let Inputs { all: inputs, mut failed, .. } = run.inputs()?;
    let mut sum = AgentSummary {
        agent: store.agent.name,
        folders: run.paths.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        ..AgentSummary::default()
    };
    let mut rules: BTreeMap<Code, (&'static str, u64)> = BTreeMap::new();
    let work = |doc: io::Result<Doc>, threads: usize| {
        let doc = doc?;
        let found = convert::check(doc.id, &*doc.bytes, run.lints.options_for(&doc.label), threads)?;
        Ok(SessionCheck::new(&found, store))
    };
    run.each_doc(&inputs, work, |input: &Input, looked: io::Result<SessionCheck>| {
        match looked {
            Ok(looked) if !looked.is_session => sum.other_files += 1,
            Ok(looked) => {
                sum.sessions += 1;
                sum.rejected += u64::from(looked.rejected);
                sum.damaged += u64::from(looked.damaged);
                for (code, name) in looked.rules {
                    rules.entry(code).or_insert((name, 0)).1 += 1;
                }
                if looked.errors > 0 {
                    sum.worst.push(BrokenSession { path: label_of(input), errors: looked.errors });
                }
            }
            Err(error) => {
                print_error(&describe_error(&label_of(input), &error));
                sum.unreadable += 1;
                failed = true;
            }
        }
        true
    });
    sum.worst.sort_by(|a, b| (b.errors, &a.path).cmp(&(a.errors, &b.path)));
    sum.worst.truncate(WORST);
    let of_rule = |(code, (name, sessions)): (Code, (&'static str, u64))| RuleCount {
        rule: code.to_string(),
        name,
        sessions,
    };
    sum.rules = rules.into_iter().map(of_rule).collect();
    sum.rules.sort_by_key(|rule| std::cmp::Reverse(rule.sessions));
    Ok((sum, failed))
}

impl SessionCheck {
    fn new<T>(found: &JudgedDoc<T>, store: &AgentStore) -> SessionCheck {
        let is_session = store.has(found.format);
        let errors = || found.findings.iter().filter(|judged| judged.severity == Severity::Error);
        let mut rules: Vec<(Code, &'static str)> =
            errors().map(|judged| (judged.finding.code, judged.rule().name)).collect();
        rules.sort_unstable();
        rules.dedup();
        SessionCheck {
            is_session,
            rejected: errors().any(|judged| !is_damage(judged)),
            damaged: errors().any(is_damage),
            errors: errors().count() as u64,
            rules,
        }
    }
}

/// True if a finding is about the file, not about the conversation.
pub(super) fn is_damage(judged: &WeighedFinding) -> bool {
    judged.history.is_none() || judged.rule().has_tag(RuleTag::Container)
}

impl AgentSummary {
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let folders: Vec<String> =
            self.folders.iter().map(|folder| display_name(&abbreviate_home(folder)).into_owned()).collect();
        writeln!(out, "{}: {} in {}", self.agent, count(self.sessions, "session"), folders.join(", "))?;
        let bad = self.worst.len();
        if bad == 0 {
            writeln!(out, "  No problems found.")?;
        }
        for (n, what) in [
            (self.rejected, "would be rejected on replay"),
            (self.damaged, "cannot be read completely: the file is damaged"),
            (self.unreadable, "could not be opened"),
        ] {
            if n > 0 {
                writeln!(out, "  {:>7} {what}", group_digits(n))?;
            }
        }
        if !self.rules.is_empty() {
            writeln!(out, "  By rule:")?;
        }
        for RuleCount { rule, name, sessions } in &self.rules {
            writeln!(out, "  {:>7} {rule} {name}", group_digits(*sessions))?;
        }
        let Some(first) = self.worst.first() else { return Ok(()) };
        writeln!(out, "  Most errors:")?;
        for BrokenSession { path, errors } in &self.worst {
            writeln!(out, "  {:>7} {}", group_digits(*errors), display_name(&abbreviate_home(path)))?;
        }
        writeln!(out, "  Details: {}", CommandLine::new("check").on_input(&abbreviate_home(&first.path)))
    }
}
