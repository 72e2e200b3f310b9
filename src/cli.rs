//! The command line: what may be typed, and the way from there to what is meant.

mod baseline;
mod carry;
mod common;
mod config;
mod convert;
mod lookup;
mod manual;
mod slim;
mod tree;
mod typed;
mod usage;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::commands::fix::Repairs;
use crate::commands::run::known_findings::Baseline;
use crate::commands::run::products::{Copies, Destination};
use crate::commands::{self, Failure, Outcome};
use crate::formats::agents::self_repair::AGENTS;
use crate::options;
use crate::rebuild::rewind::RewindTo;
use crate::repair::{FixOptions, Orphans, Reasoning};
use crate::report::command_line;
use crate::source::outputs::commit::Replace;

use common::{Common, Typed, existing};

/// Check stored LLM conversations for what a provider would reject on replay, and repair them.
#[derive(Parser, Debug)]
#[command(
    name = "replaylint",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  replaylint check session.jsonl      report what would be rejected\n  replaylint fix -w session.jsonl     \
                  repair it, keeping a backup\n\nExit codes: 0 no errors, 1 errors (or fix would change something), 2 the \
                  job could not be done."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Report what a provider would reject
    Check(CheckArgs),
    /// Show repairs as a diff; -w applies them
    Fix(FixArgs),
    /// Explain a rule, or an error message of an API
    Explain(lookup::ExplainArgs),
    /// List the rules
    Rules(lookup::RulesArgs),
    /// List the stored formats
    Formats(lookup::FormatsArgs),
    /// List the APIs that a history can be judged for
    Targets(lookup::TargetsArgs),
    /// Convert conversations to requests of another API, and report losses
    Convert(convert::ConvertArgs),
    /// Compare two histories item by item
    Diff(convert::DiffArgs),
    /// Show the turns of a conversation, and where the next request can build on a stored response
    Tree(tree::TreeArgs),
    /// Print the request that continues a conversation at a node
    Rebuild(tree::RebuildArgs),
    /// Replace repeated parts of a log by references; -w writes
    Slim(slim::SlimArgs),
    /// Accept the findings of today, and report only new ones
    Baseline(baseline::BaselineArgs),
    /// Print the settings that config files make for a path
    Config(config::ConfigArgs),
    /// Write a commented replaylint.toml from what a folder holds
    Init(config::InitArgs),
    /// Print a completion script for a shell
    Completions {
        /// Shell that reads the script
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man {
        /// Command whose page is printed, instead of that of the program
        command: Option<String>,
    },
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  replaylint check session.jsonl\n  replaylint check --target azure --output-format github logs/\n\n\
                        Exit codes: 0 no errors, 1 errors, 2 the job could not be done."
)]
struct CheckArgs {
    #[command(flatten)]
    common: Common,
    /// Write the report to FILE instead of standard output
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Check every branch of a session, not just the current one
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    all_branches: bool,
    /// Report only findings that are not in this baseline (see `replaylint baseline`)
    #[arg(long, value_name = "FILE", help_heading = "Rules", hide_short_help = true)]
    baseline: Option<PathBuf>,
    /// Go on reading, and report findings of files that are being written as they come, until interrupted
    #[arg(long, help_heading = "Input", hide_short_help = true, conflicts_with_all = ["baseline", "agents", "output"])]
    follow: bool,
    /// Sum up the sessions that agents have stored on this machine, instead of reading PATH
    #[arg(
        long,
        value_name = "AGENT",
        help_heading = "Input",
        num_args = 0..=1,
        value_delimiter = ',',
        default_missing_value = ALL,
        value_parser = agents(),
        conflicts_with_all = ["paths", "files_from", "stdin_filename"]
    )]
    agents: Option<Vec<String>>,
}

/// What `--agents` means without a name.
const ALL: &str = "all";

fn agents() -> clap::builder::PossibleValuesParser {
    let mut names: Vec<&str> = AGENTS.iter().map(|agent| agent.id).chain([ALL]).collect();
    // An agent whose versions heal different things has several rows.
    names.dedup();
    names.into()
}

#[derive(Args, Debug)]
#[command(
    next_help_heading = "Repair",
    after_help = "Examples:\n  replaylint fix session.jsonl        show what would change\n  replaylint fix -w session.jsonl     \
                  apply it, keeping session.jsonl.bak\n\nExit codes: 0 nothing to change or no errors left, 1 something \
                  to change or errors left, 2 the job could not be done."
)]
struct FixArgs {
    /// Replace each file, keeping the old one as FILE.bak
    #[arg(short, long, conflicts_with_all = ["output", "patch"], group = "destination")]
    write: bool,
    /// Restore what -w replaced, if the file is as it left it
    #[arg(long, group = "destination", conflicts_with_all = NOT_WITH_UNDO)]
    undo: bool,
    /// Write to FILE (a folder for several inputs)
    #[arg(short = 'o', long, value_name = "FILE", conflicts_with = "patch", group = "destination")]
    output: Option<PathBuf>,
    /// Print a unified diff for `git apply`
    #[arg(long)]
    patch: bool,
    /// Write a copy of a session that ends at a message, or with LAST-GOOD at the last turn without errors; the copy is
    /// not repaired
    #[arg(long, value_name = "UUID", requires = "output", hide_short_help = true)]
    rewind_to: Option<String>,
    /// Show every change in the preview, not only the first three of each kind
    #[arg(long, hide_short_help = true)]
    all: bool,
    /// Make only fixes that lose nothing the model saw
    #[arg(long)]
    lossless: bool,
    /// Also fix warnings whose fix is off by default
    #[arg(long)]
    fix_warnings: bool,
    /// How to treat unpaired calls and results
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    orphans: OrphansArg,
    /// What to do with reasoning
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    reasoning: ReasoningArg,
    /// Copy the pending safety checks of computer calls into their outputs, which acknowledges them
    #[arg(long, hide_short_help = true)]
    acknowledge_safety: bool,
    /// Remove what only the account that wrote it can use: encrypted reasoning, compactions, item ids
    #[arg(long, hide_short_help = true)]
    account_changed: bool,
    /// Replace inline images larger than SIZE, e.g. 1M, by a text
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    max_image_bytes: Option<String>,
    /// Set the model provider that a Codex rollout names
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    set_provider: Option<String>,
    /// Append removed items to FILE, one per line
    #[arg(long, value_name = "FILE")]
    dropped: Option<PathBuf>,
    /// Do not ask before repairs that lose content are written
    #[arg(short, long, requires = "write", hide_short_help = true)]
    yes: bool,
    /// Keep no backup of a file that is replaced
    #[arg(long, requires = "write", hide_short_help = true)]
    no_backup: bool,
    /// Write even if the file has just changed, may be in use, has several hard links or is a named pipe; with -o,
    /// replace an existing file
    #[arg(long, requires = "destination", hide_short_help = true)]
    force: bool,
    /// Check every branch of a session, not just the current one
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    all_branches: bool,
    #[command(flatten)]
    common: Common,
}

/// What says how a file is repaired, judged or shown: nothing that is put back depends on it.
const NOT_WITH_UNDO: [&str; 17] = [
    "write",
    "output",
    "patch",
    "rewind_to",
    "lossless",
    "fix_warnings",
    "orphans",
    "reasoning",
    "acknowledge_safety",
    "account_changed",
    "max_image_bytes",
    "set_provider",
    "dropped",
    "no_backup",
    "all_branches",
    "yes",
    "output_format",
];

#[derive(ValueEnum, Clone, Copy, Debug)]
enum OrphansArg {
    /// Answer a call with a placeholder output where a text can answer it, else drop it; drop a result without a call
    Auto,
    /// Drop both
    Drop,
    /// Add a placeholder output that claims nothing, and never drop the call instead
    Stub,
    /// As auto, but keep a result without a call as a text of the user
    Text,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ReasoningArg {
    /// Change as little as the findings require
    Auto,
    /// Replace every group that can be referenced whole by references to the stored items
    Reference,
    /// Replace references by the items that they name, where the file contains them
    Inline,
    /// Never remove or rewrite it; what remains broken is reported
    Keep,
    /// Remove all of it, and the ids of its groups
    Strip,
}

impl From<OrphansArg> for Orphans {
    fn from(arg: OrphansArg) -> Self {
        match arg {
            OrphansArg::Auto => Orphans::Auto,
            OrphansArg::Drop => Orphans::Drop,
            OrphansArg::Stub => Orphans::Stub,
            OrphansArg::Text => Orphans::Text,
        }
    }
}

impl From<ReasoningArg> for Reasoning {
    fn from(arg: ReasoningArg) -> Self {
        match arg {
            ReasoningArg::Auto => Reasoning::Auto,
            ReasoningArg::Reference => Reasoning::Reference,
            ReasoningArg::Inline => Reasoning::Inline,
            ReasoningArg::Keep => Reasoning::Keep,
            ReasoningArg::Strip => Reasoning::Strip,
        }
    }
}

impl Cli {
    /// Reads the arguments of the process, and keeps them for the commands that messages name.
    pub fn typed() -> Result<Self, clap::Error> {
        let mut whole = Cli::command();
        let args: Vec<_> = std::env::args_os().collect();
        let matches = whole.try_get_matches_from_mut(&args).map_err(|error| usage::meant(error, &args))?;
        let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut whole))?;
        command_line::set(typed::typed(&whole, &matches));
        Ok(cli)
    }

    /// Whether it goes on until nobody reads what it prints.
    pub fn is_endless(&self) -> bool {
        matches!(&self.command, Command::Check(args) if args.follow)
    }

    /// Runs what was typed.
    pub fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        match self.command {
            Command::Check(args) => {
                let mut typed = Typed { all_branches: args.all_branches, ..args.common.typed() };
                let Some(agents) = args.agents else {
                    return check(typed, args.output, args.baseline, args.follow, out);
                };
                // No path is read but theirs.
                typed.files.paths.push(PathBuf::new());
                // They are where the agents keep them, whatever a repository around them ignores.
                typed.files.no_ignore = true;
                let all = agents.iter().any(|name| name == ALL);
                commands::agents::agents(typed.mean(args.output)?, if all { &[] } else { &agents }, out)
            }
            Command::Fix(args) => args.run(out),
            Command::Explain(args) => args.run(out),
            Command::Rules(args) => args.run(out),
            Command::Formats(args) => args.run(out),
            Command::Targets(args) => args.run(out),
            Command::Convert(args) => args.run(out),
            Command::Diff(args) => args.run(out),
            Command::Tree(args) => args.run(out),
            Command::Rebuild(args) => args.run(out),
            Command::Slim(args) => args.run(out),
            Command::Baseline(args) => args.run(out),
            Command::Config(args) => args.run(out),
            Command::Init(args) => args.run(out),
            Command::Completions { shell } => manual::completions(shell, out),
            Command::Man { command } => manual::man(command.as_deref(), out),
        }
    }
}

fn check(
    mut typed: Typed,
    output: Option<PathBuf>,
    baseline: Option<PathBuf>,
    follows: bool,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    if follows {
        // What is being written ends where its writer is, not where it is sent.
        typed.judging.usage.get_or_insert_with(|| "log".to_owned());
    }
    let mut run = typed.mean(output)?;
    run.lints.skip_bugs();
    if follows {
        return commands::follow::follow(&run, out);
    }
    let mut baseline = baseline.map(|path| Baseline::read(&path)).transpose()?;
    let outcome = commands::check::check(&run, baseline.as_mut(), out)?;
    out.flush()?;
    baseline.iter().filter(|_| !run.quiet).for_each(Baseline::say_stale);
    Ok(outcome)
}

impl FixArgs {
    fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        if self.undo {
            return commands::undo::undo(&self.common.typed().mean(None)?, self.force, out);
        }
        let to = match (self.write, self.output, self.patch) {
            (true, ..) => {
                Destination::InPlace(Replace { backup: !self.no_backup, force: self.force, is_kept: true })
            }
            (_, Some(to), _) if to.as_os_str() == "-" => Destination::Stream,
            (_, Some(to), _) => Destination::Copy(Copies { to, existing: existing(self.force) }),
            (_, _, true) => Destination::Patch,
            _ => Destination::Preview,
        };
        let bytes = self.max_image_bytes.as_deref().map(options::size).transpose()?;
        let options = FixOptions {
            orphans: self.orphans.into(),
            reasoning: self.reasoning.into(),
            lossless: self.lossless,
            warnings: self.fix_warnings,
            selected: options::selected(&self.common.judging.select),
            acknowledge_safety: self.acknowledge_safety,
            account_changed: self.account_changed,
            max_image_bytes: bytes.map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX)),
            provider: self.set_provider,
            copies: matches!(to, Destination::Copy(_) | Destination::Stream),
            pinned: false,
            accepted: Vec::new(),
            preview: matches!(to, Destination::Preview),
        };
        let run = Typed { all_branches: self.all_branches, ..self.common.typed() }.mean(None)?;
        let copies = match &to {
            Destination::Copy(copies) => Some(copies),
            _ => None,
        };
        if let Some(name) = &self.rewind_to {
            let to = match name.as_str() {
                "LAST-GOOD" => RewindTo::LastGood,
                name => RewindTo::Line(name.to_owned()),
            };
            return commands::rewind::fix_by_rewinding(&run, &to, copies, out);
        }
        let repairs = Repairs { options, to, dropped: self.dropped, all: self.all, yes: self.yes };
        commands::fix::fix(&run, &repairs, out)
    }
}
