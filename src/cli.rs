//! The command line: the clap types, and their conversion to the options of the commands.

mod agents;
mod baseline;
mod carry;
mod common;
mod config;
mod convert;
mod diff;
mod doctor;
mod evidence;
mod invocation;
mod judging;
mod length;
mod lookup;
#[cfg(feature = "lsp")]
mod lsp;
mod manual;
mod serve;
mod slim;
mod text_or_json;
mod tree;
mod usage;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::commands::fix::Repairs;
use crate::commands::run::known_findings::Baseline;
use crate::commands::run::products::{OutputMode, OutputPath};
use crate::commands::{self, Failure, Outcome};
use crate::options::{self, ImageRequest, ImageTreatment, UsageError};
use crate::rebuild::rewind::RewindTarget;
use crate::repair::{FixOptions, Orphans, Reasoning};
use crate::report::command_line;
use crate::source::outputs::backup::BackupPlace;
use crate::source::outputs::commit::ReplaceOptions;

use agents::{ALL_AGENTS, agent_names, given_names};
use common::{CommonArgs, ParsedArgs, existing_file};
use length::LengthArgs;

/// What the program prints on a terminal if no command is given.
const FIRST_STEPS: &str = "\
Finds what a provider would reject in stored LLM conversations, and repairs it.
  replaylint check FILE    report what would be rejected, and why
  replaylint fix -w FILE   repair it; the old file is kept as FILE.bak
  replaylint doctor        repair the newest session that an agent cannot resume
All commands: replaylint --help
";

/// Check stored LLM conversations for what a provider would reject on replay, and repair them.
#[derive(Parser, Debug)]
#[command(
    name = "replaylint",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  replaylint check session.jsonl   report errors\n  replaylint fix -w session.jsonl  \
                  repair, keeping a backup\n\nExit codes: 0 no errors, 1 errors found (or `fix` would change \
                  something), 2 usage or I/O error."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Report what a provider would reject
    Check(CheckArgs),
    /// Preview repairs as a diff, or apply them with -w
    Fix(FixArgs),
    /// Find sessions that their agent cannot resume, and repair the newest
    Doctor(doctor::DoctorArgs),
    /// Explain a rule or an API error message
    Explain(lookup::ExplainArgs),
    /// List the rules
    Rules(lookup::RulesArgs),
    /// List the supported formats
    Formats(lookup::FormatsArgs),
    /// List the APIs that conversations can be checked against
    Targets(lookup::TargetsArgs),
    /// List the agents, and what each makes of a damaged session
    Agents(lookup::AgentsArgs),
    /// Convert conversations for another API or agent, and report losses
    Convert(convert::ConvertArgs),
    /// Compare two conversations item by item
    Diff(diff::DiffArgs),
    /// Show the turns of a conversation, and the stored responses that the next request can build on
    Tree(tree::TreeArgs),
    /// Print the request that continues a conversation at a node
    Rebuild(tree::RebuildArgs),
    /// Replace repeated parts of a log with references
    Slim(slim::SlimArgs),
    /// Answer requests of other programs, one per line
    Serve(serve::ServeArgs),
    /// Answer the requests of an editor (Language Server Protocol)
    #[cfg(feature = "lsp")]
    Lsp(lsp::LspArgs),
    /// Compare verdicts with recorded answers of APIs
    Evidence(evidence::EvidenceArgs),
    /// Manage a baseline of known findings
    Baseline(baseline::BaselineArgs),
    /// Show the effective configuration for a path
    Config(config::ConfigArgs),
    /// Create a replaylint.toml for a folder
    Init(config::InitArgs),
    /// Print a shell completion script
    Completions {
        /// Shell to generate the script for
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man {
        /// Command to print the page of, instead of the main page
        command: Option<String>,
    },
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  replaylint check session.jsonl\n  replaylint check --target azure --output-format github logs/\n\n\
                        Exit codes: 0 no errors, 1 errors found, 2 usage or I/O error."
)]
struct CheckArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// Write the report to FILE instead of standard output
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Check every branch of a session, not just the current one
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    all_branches: bool,
    /// Report only findings that are not in this baseline (see `replaylint baseline`)
    #[arg(long, value_name = "FILE", help_heading = "Rules", hide_short_help = true)]
    baseline: Option<PathBuf>,
    /// Watch files and report new findings as they are written (Ctrl-C stops)
    #[arg(long, help_heading = "Input", hide_short_help = true, conflicts_with_all = ["baseline", "agents", "output"])]
    follow: bool,
    /// Check all sessions of agents on this machine (see `replaylint agents`) and print a summary
    #[arg(
        long,
        value_name = "AGENT",
        help_heading = "Input",
        num_args = 0..=1,
        value_delimiter = ',',
        default_missing_value = ALL_AGENTS,
        value_parser = agent_names(),
        hide_possible_values = true,
        conflicts_with_all = ["paths", "files_from", "stdin_filename"]
    )]
    agents: Option<Vec<String>>,
}

#[derive(Args, Debug)]
#[command(
    next_help_heading = "Repair",
    after_help = "Examples:\n  replaylint fix session.jsonl     preview the changes\n  replaylint fix -w session.jsonl  \
                  apply them, keeping a backup\n\nExit codes: 0 no changes (or -w left no errors), 1 changes to apply or \
                  remaining errors, 2 usage or I/O error."
)]
struct FixArgs {
    /// Apply the repairs to the files, keeping backups as FILE.bak
    #[arg(short, long, conflicts_with_all = ["output", "patch"], group = "destination")]
    write: bool,
    /// Restore the backups of -w, unless a file has changed since
    #[arg(long, group = "destination", conflicts_with_all = NOT_WITH_UNDO)]
    undo: bool,
    /// Write to FILE (or to a folder, for several inputs)
    #[arg(short = 'o', long, value_name = "FILE", conflicts_with = "patch", group = "destination")]
    output: Option<PathBuf>,
    /// Write a copy of a Codex session that cannot be repaired in place to where Codex finds it; never overwrites a file
    #[arg(long, conflicts_with_all = ["patch", "force"], group = "destination", hide_short_help = true)]
    install: bool,
    /// Print a unified diff for `git apply`
    #[arg(long)]
    patch: bool,
    /// Write an unrepaired copy of the session that ends at this message (LAST-GOOD: at the last turn without errors)
    #[arg(long, value_name = "UUID", requires = "output", hide_short_help = true)]
    rewind_to: Option<String>,
    /// Show every change in the preview [default: the first three of each kind]
    #[arg(long, hide_short_help = true)]
    all: bool,
    /// Apply only lossless fixes
    #[arg(long)]
    lossless: bool,
    /// Also fix warnings that are not fixed by default
    #[arg(long)]
    fix_warnings: bool,
    /// How to repair calls without results, and results without calls
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    orphans: OrphansArg,
    /// How to treat reasoning
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    reasoning: ReasoningArg,
    /// Acknowledge the pending safety checks of computer calls in their outputs
    #[arg(long, hide_short_help = true)]
    acknowledge_safety: bool,
    /// What to do with images: list them (report), replace them with a text (drop), or all but the last N (keep-last=N), or
    /// make those above a limit smaller (shrink)
    #[arg(long, value_name = "HOW", value_parser = options::parse_images, hide_short_help = true)]
    images: Option<ImageTreatment>,
    /// Replace images larger than SIZE (e.g. 5M; in base64, as providers count) with a text, or shrink them
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    max_image_bytes: Option<String>,
    /// Replace images of which a side has more than N pixels with a text, or shrink them
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_image_pixels: Option<u32>,
    /// Replace all images but the last N of a conversation with a text
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_images: Option<u32>,
    #[command(flatten)]
    length: LengthArgs,
    /// Set the model provider of a Codex rollout
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    set_provider: Option<String>,
    /// Append removed items to FILE, one per line
    #[arg(long, value_name = "FILE")]
    dropped: Option<PathBuf>,
    /// Do not ask before writing lossy repairs
    #[arg(short, long, requires = "write", hide_short_help = true)]
    yes: bool,
    /// Do not keep backups
    #[arg(long, requires = "write", hide_short_help = true)]
    no_backup: bool,
    /// Write even if the file was just modified, may be in use, has several hard links or is a named pipe; with -o,
    /// overwrite an existing file
    #[arg(long, requires = "destination", hide_short_help = true)]
    force: bool,
    /// Check every branch of a session, not just the current one
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    all_branches: bool,
    /// Repair all sessions of agents on this machine (see `replaylint agents`); backups are in ~/.replaylint/backups
    #[arg(
        long,
        value_name = "AGENT",
        help_heading = "Input",
        hide_short_help = true,
        num_args = 0..=1,
        value_delimiter = ',',
        default_missing_value = ALL_AGENTS,
        value_parser = agent_names(),
        hide_possible_values = true,
        conflicts_with_all = ["paths", "files_from", "stdin_filename", "output", "patch", "rewind_to", "all"]
    )]
    agents: Option<Vec<String>>,
    #[command(flatten)]
    common: CommonArgs,
}

/// Options that `--undo` excludes: they say how a file is repaired, judged or shown.
const NOT_WITH_UNDO: [&str; 23] = [
    "agents",
    "write",
    "output",
    "install",
    "patch",
    "rewind_to",
    "lossless",
    "fix_warnings",
    "orphans",
    "reasoning",
    "acknowledge_safety",
    "account_changed",
    "images",
    "max_image_bytes",
    "max_image_pixels",
    "max_images",
    "max_tokens",
    "set_provider",
    "dropped",
    "no_backup",
    "all_branches",
    "yes",
    "output_format",
];

#[derive(ValueEnum, Clone, Copy, Debug)]
enum OrphansArg {
    /// Add a placeholder output where a text can answer the call, otherwise remove the call; remove results without a call
    Auto,
    /// Remove both
    Drop,
    /// Insert a neutral placeholder output; never remove the call
    Stub,
    /// Like auto, but keep results without a call as user text
    Text,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ReasoningArg {
    /// Change only what the findings require
    Auto,
    /// Replace each group that can be referenced as a whole with references to the stored items
    Reference,
    /// Replace references with the items they refer to, where the file contains them
    Inline,
    /// Never remove or rewrite it; remaining errors are reported
    Keep,
    /// Remove all of it, including the ids of its groups
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
    /// Parses the arguments of the process, and keeps them for the commands that messages suggest.
    pub fn from_process_args() -> Result<Self, clap::Error> {
        let mut program = Cli::command();
        let mut args: Vec<_> = std::env::args_os().collect();
        if args.len() < 2 && std::io::stdout().is_terminal() {
            // Somebody tries it for the first time; a script that names no command has made an error.
            program = program.override_help(FIRST_STEPS);
            args.push("-h".into());
        }
        let matches =
            program.try_get_matches_from_mut(&args).map_err(|error| usage::suggest_command(error, &args))?;
        let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut program))?;
        command_line::set_invocation(invocation::from_matches(&program, &matches));
        Ok(cli)
    }

    /// True if somebody waits for each line of the output.
    pub fn is_streaming(&self) -> bool {
        match &self.command {
            Command::Check(args) => args.follow,
            Command::Serve(_) => true,
            #[cfg(feature = "lsp")]
            Command::Lsp(_) => true,
            _ => false,
        }
    }

    /// Runs the command.
    pub fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        match self.command {
            Command::Check(args) => {
                let typed = ParsedArgs { all_branches: args.all_branches, ..args.common.parsed() };
                let Some(agents) = args.agents else {
                    return check(typed, args.output, args.baseline, args.follow, out);
                };
                let run = typed.for_agents().resolve(args.output)?;
                commands::agents::check_agents(run, given_names(&agents), out)
            }
            Command::Fix(args) => args.run(out),
            Command::Doctor(args) => args.run(out),
            Command::Explain(args) => args.run(out),
            Command::Rules(args) => args.run(out),
            Command::Formats(args) => args.run(out),
            Command::Targets(args) => args.run(out),
            Command::Agents(args) => args.run(out),
            Command::Convert(args) => args.run(out),
            Command::Diff(args) => args.run(out),
            Command::Tree(args) => args.run(out),
            Command::Rebuild(args) => args.run(out),
            Command::Slim(args) => args.run(out),
            Command::Serve(args) => args.run(out),
            #[cfg(feature = "lsp")]
            Command::Lsp(args) => args.run(out),
            Command::Evidence(args) => args.run(out),
            Command::Baseline(args) => args.run(out),
            Command::Config(args) => args.run(out),
            Command::Init(args) => args.run(out),
            Command::Completions { shell } => manual::completions(shell, out),
            Command::Man { command } => manual::man(command.as_deref(), out),
        }
    }
}

fn check(
    mut typed: ParsedArgs,
    output: Option<PathBuf>,
    baseline: Option<PathBuf>,
    follows: bool,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    if follows {
        // The end of a file that is being written is not the end of a request.
        typed.judging.usage.get_or_insert_with(|| "log".to_owned());
    }
    let mut run = typed.resolve(output)?;
    run.lints.skip_bugs();
    if follows {
        return commands::follow::follow(&run, out);
    }
    let mut baseline = baseline.map(|path| Baseline::read(&path)).transpose()?;
    let outcome = commands::check::check(&run, baseline.as_mut(), out)?;
    out.flush()?;
    baseline.iter().filter(|_| !run.quiet).for_each(Baseline::report_stale);
    Ok(outcome)
}

impl FixArgs {
    fn run(mut self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let outputs = &mut self.common.findings.output_format;
        let is_sql = outputs.iter().any(|name| name == "sql");
        outputs.retain(|name| name != "sql");
        if is_sql && (self.write || self.undo || self.patch || self.install || self.output.is_some()) {
            return Err(UsageError::new("--output-format sql prints statements, and nothing else is written")
                .help("write them to a file: `replaylint fix --output-format sql FILE > repair.sql`")
                .into());
        }
        if self.undo {
            return commands::undo::undo(&self.common.parsed().resolve(None)?, self.force, out);
        }
        let to = match (self.write, self.output, self.patch) {
            (true, ..) => OutputMode::InPlace(ReplaceOptions {
                backups: BackupPlace::by_flag(self.no_backup),
                force: self.force,
                is_live: true,
            }),
            (_, Some(to), _) if to.as_os_str() == "-" => OutputMode::Stream,
            (_, Some(to), _) => OutputMode::Copy(OutputPath { to, existing: existing_file(self.force) }),
            (_, _, true) => OutputMode::Patch,
            _ if self.install => OutputMode::Install,
            _ if is_sql => OutputMode::Sql,
            _ => OutputMode::Preview,
        };
        let images = ImageRequest {
            treatment: self.images,
            max_bytes: self.max_image_bytes.as_deref().map(options::parse_size).transpose()?,
            max_pixels: self.max_image_pixels,
            max_count: self.max_images,
        };
        let options = FixOptions {
            orphans: self.orphans.into(),
            reasoning: self.reasoning.into(),
            lossless: self.lossless,
            warnings: self.fix_warnings,
            selected: options::selected_codes(&self.common.judging.select),
            acknowledge_safety: self.acknowledge_safety,
            images: images.options()?,
            length: self.length.options(),
            provider: self.set_provider,
            writes_copy: matches!(to, OutputMode::Copy(_) | OutputMode::Stream | OutputMode::Install),
            pinned: false,
            accepted: Vec::new(),
            is_preview: matches!(to, OutputMode::Preview),
        };
        let typed = ParsedArgs { all_branches: self.all_branches, ..self.common.parsed() };
        if self.images == Some(ImageTreatment::Report) {
            if self.agents.is_some() || images.has_limit() || !matches!(to, OutputMode::Preview) {
                return Err(UsageError::new("--images report lists images, and changes nothing")
                    .help("use it with files or folders and without options about what to write or to replace")
                    .into());
            }
            return commands::images::report(&typed.resolve(None)?, out);
        }
        if let Some(agents) = self.agents {
            let repairs = Repairs { options, to, dropped: self.dropped, all: false, yes: self.yes };
            let run = typed.for_agents().resolve(None)?;
            return commands::fix::agents::fix_agents(run, repairs, given_names(&agents), out);
        }
        let run = typed.resolve(None)?;
        let copies = match &to {
            OutputMode::Copy(copies) => Some(copies),
            _ => None,
        };
        if let Some(name) = &self.rewind_to {
            let to = match name.as_str() {
                "LAST-GOOD" => RewindTarget::LastGood,
                name => RewindTarget::Line(name.to_owned()),
            };
            return commands::rewind::fix_by_rewinding(&run, &to, copies, out);
        }
        let repairs = Repairs { options, to, dropped: self.dropped, all: self.all, yes: self.yes };
        commands::fix::fix(&run, &repairs, out)
    }
}
