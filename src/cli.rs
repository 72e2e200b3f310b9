//! The command line: what may be typed, and the way from there to what is meant.

mod convert;
mod lookup;
mod slim;
mod tree;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::commands::fix::{Destination, Repairs};
use crate::commands::products::Copies;
use crate::commands::{self, Failure, Outcome, Output, Run};
use crate::fix::{FixOptions, Orphans, Reasoning};
use crate::options::{self, About, Config, Lints, Misuse};
use crate::report::{self, Style};
use crate::source::commit::Replace;
use crate::source::product::Existing;
use crate::source::walk::Filter;

/// Says what a provider would reject when a stored LLM conversation is replayed, and repairs it.
#[derive(Parser, Debug)]
#[command(
    name = "replaylint",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 nothing found, 1 an error is left (or fix would change something), 2 the job could not \
                  be done.\nStart with `replaylint check FILE`, then `replaylint fix FILE`, then `replaylint fix -w FILE`."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Report what a provider would reject; writes nothing
    Check(CheckArgs),
    /// Show the repairs as a diff; -w makes them
    Fix(FixArgs),
    /// Explain a rule, or an error that an API gave
    Explain(lookup::ExplainArgs),
    /// List the rules
    Rules(lookup::RulesArgs),
    /// List the stored formats
    Formats(lookup::TellingArgs),
    /// List the APIs that a history can be replayed to
    Targets(lookup::TellingArgs),
    /// Write conversations as requests of another API, and tell what is lost
    Convert(convert::ConvertArgs),
    /// Compare two histories item by item: what is the same, changed, moved, added, removed
    Diff(convert::DiffArgs),
    /// Show the turns of a conversation as a graph, and for each whether the next request may build on its response
    Tree(tree::TreeArgs),
    /// Print the request that goes on at a node: chained, or with the whole history, repaired
    Rebuild(tree::RebuildArgs),
    /// Take out of a log what each of its requests repeats; -w writes
    Slim(slim::SlimArgs),
    /// Print a completion script for a shell
    #[command(hide = true)]
    Completions { shell: clap_complete::Shell },
    /// Print the man page, of a command if one is named
    #[command(hide = true)]
    Man { command: Option<String> },
}

#[derive(Args, Debug)]
struct CheckArgs {
    #[command(flatten)]
    common: Common,
    /// Write the report to FILE instead of standard output
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct FixArgs {
    /// Write the repairs: each file is replaced in one step, the old one stays beside it as FILE.bak
    #[arg(short, long, conflicts_with_all = ["output", "patch"], group = "destination", help_heading = "Repair")]
    write: bool,
    /// Write the repaired text to FILE (to the folder FILE for several inputs)
    #[arg(
        short = 'o',
        long,
        value_name = "FILE",
        conflicts_with = "patch",
        group = "destination",
        help_heading = "Repair"
    )]
    output: Option<PathBuf>,
    /// Print a unified diff that `git apply` takes
    #[arg(long, help_heading = "Repair")]
    patch: bool,
    /// Only repairs that lose nothing of what the model saw
    #[arg(long, help_heading = "Repair")]
    lossless: bool,
    /// Make the fixes of warnings, too, that are off by default
    #[arg(long, help_heading = "Repair")]
    fix_warnings: bool,
    /// What to do about a call that nobody answered
    #[arg(long, value_enum, default_value = "drop", help_heading = "Repair")]
    orphans: OrphansArg,
    /// What to do about reasoning
    #[arg(long, value_enum, default_value = "auto", help_heading = "Repair")]
    reasoning: ReasoningArg,
    /// Copy the pending safety checks of computer calls into their outputs: you acknowledge them
    #[arg(long, help_heading = "Repair")]
    acknowledge_safety: bool,
    /// Append removed items to FILE, one a line, with their file, place and rule
    #[arg(long, value_name = "FILE", help_heading = "Repair")]
    dropped: Option<PathBuf>,
    /// Keep no backup beside a file that is replaced
    #[arg(long, requires = "write", help_heading = "Repair")]
    no_backup: bool,
    /// Write even if the file changed meanwhile, may be in use, has several hard links or is a named pipe; with -o,
    /// replace a file that exists
    #[arg(long, requires = "destination", help_heading = "Repair")]
    force: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum OrphansArg {
    /// Take it out
    Drop,
    /// Answer it by an output that claims nothing
    Stub,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ReasoningArg {
    /// Whatever the findings need, as little as possible
    Auto,
    /// References wherever a whole group can be referenced
    Reference,
    /// Never removed or rewritten; what stays broken is reported
    Keep,
    /// All of it goes, with the ids of its groups
    Strip,
}

impl From<OrphansArg> for Orphans {
    fn from(arg: OrphansArg) -> Self {
        match arg {
            OrphansArg::Drop => Orphans::Drop,
            OrphansArg::Stub => Orphans::Stub,
        }
    }
}

impl From<ReasoningArg> for Reasoning {
    fn from(arg: ReasoningArg) -> Self {
        match arg {
            ReasoningArg::Auto => Reasoning::Auto,
            ReasoningArg::Reference => Reasoning::Reference,
            ReasoningArg::Keep => Reasoning::Keep,
            ReasoningArg::Strip => Reasoning::Strip,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum ColorArg {
    Auto,
    Always,
    Never,
}

#[derive(Args, Debug)]
struct Common {
    /// Files and folders; `-`, or nothing with piped input, is standard input
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read more paths from FILE, one a line (`-`: from standard input)
    #[arg(long, value_name = "FILE", help_heading = "Input", hide_short_help = true)]
    files_from: Option<PathBuf>,
    /// Leave out what matches, in folders
    #[arg(long, value_name = "GLOB", help_heading = "Input", hide_short_help = true)]
    exclude: Vec<String>,
    /// Endings to take in folders, instead of json, jsonl, ndjson, sse, txt (each also with .gz, .zst)
    #[arg(long, value_name = "ENDING", value_delimiter = ',', help_heading = "Input", hide_short_help = true)]
    ext: Vec<String>,
    /// The name to print for standard input
    #[arg(long, value_name = "NAME", help_heading = "Input", hide_short_help = true)]
    stdin_filename: Option<String>,
    /// The conversation lies at this JSON Pointer, in each record
    #[arg(long, value_name = "POINTER", help_heading = "Input", hide_short_help = true)]
    pointer: Option<String>,
    /// Order of a page of items, where the file does not say: newest-first, oldest-first
    #[arg(long, value_name = "ORDER", help_heading = "Input", hide_short_help = true)]
    order: Option<String>,
    /// Records larger than this are not read
    #[arg(long, value_name = "SIZE", help_heading = "Input", hide_short_help = true)]
    max_record_size: Option<String>,
    /// Of a tree, also the branches at which it does not go on
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    all_branches: bool,
    /// It is no failure if no conversation is found
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    allow_empty: bool,

    /// The stored format, instead of detecting it (`replaylint formats` lists them)
    #[arg(long, value_name = "NAME", help_heading = "Judgement")]
    format: Option<String>,
    /// The API that it is replayed to, instead of the format's own (`replaylint targets` lists them)
    #[arg(long, value_name = "NAME", help_heading = "Judgement")]
    target: Option<String>,
    /// Whether the server stores items
    #[arg(long, value_name = "BOOL", help_heading = "Judgement")]
    store: Option<bool>,
    /// Judge as a request about to be sent, or as a log: request, log
    #[arg(long = "as", value_name = "USE", help_heading = "Judgement")]
    usage: Option<String>,
    /// The model, where the file does not name it
    #[arg(long, value_name = "NAME", help_heading = "Judgement")]
    model: Option<String>,
    /// The reasoning effort, where the file does not say it
    #[arg(long, value_name = "LEVEL", help_heading = "Judgement", hide_short_help = true)]
    effort: Option<String>,
    /// Hold each item against this JSON Schema instead of the provider's; it describes one item
    #[arg(long, value_name = "FILE", help_heading = "Judgement", hide_short_help = true)]
    schema: Option<PathBuf>,
    /// Tell of items that live only on the server and are older than this: 30d, 12h, 90m
    #[arg(long, value_name = "AGE", help_heading = "Judgement", hide_short_help = true)]
    max_item_age: Option<String>,
    /// The time to count ages from, instead of the clock's: 2026-01-31T12:00:00Z, or Unix seconds
    #[arg(long, value_name = "TIME", help_heading = "Judgement", hide_short_help = true)]
    now: Option<String>,
    /// Only these rules: code, prefix or name
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Judgement")]
    select: Vec<String>,
    /// Not these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Judgement")]
    ignore: Vec<String>,

    /// Form of the report: text, concise (a line a finding), json, jsonl, sarif (code scanning), github
    /// (annotations), gitlab (code quality), junit, api-error (what the provider would answer; check only);
    /// FORM=FILE writes it to FILE; may be given several times
    #[arg(
        long,
        value_name = "FORM",
        env = "REPLAYLINT_OUTPUT_FORMAT",
        value_delimiter = ',',
        help_heading = "Output"
    )]
    output_format: Vec<String>,
    /// Exit with 0 even if errors are found
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    exit_zero: bool,
    /// Exit with 1 on warnings, too
    #[arg(long, help_heading = "Output")]
    deny_warnings: bool,
    /// Count the findings by rule
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    statistics: bool,
    /// Show at most N findings in text (0: all)
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Output", hide_short_help = true)]
    max_diagnostics: usize,
    /// Show the content of items even where it is not a terminal that reads
    #[arg(long, help_heading = "Output")]
    show_content: bool,
    /// Colour
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Output",
        hide_short_help = true
    )]
    color: ColorArg,
    /// No summary
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    quiet: bool,
    /// Also what is only noted, and what was skipped
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,

    /// Use this config file
    #[arg(long, value_name = "FILE", conflicts_with = "isolated", help_heading = "Run", hide_short_help = true)]
    config: Option<PathBuf>,
    /// Use no config file
    #[arg(long, help_heading = "Run", hide_short_help = true)]
    isolated: bool,
    /// Number of threads
    #[arg(short = 'j', long, value_name = "N", help_heading = "Run", hide_short_help = true)]
    jobs: Option<usize>,
}

impl Cli {
    /// Runs what was typed.
    pub fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        match self.command {
            Command::Check(args) => {
                let run = args.common.mean(args.output)?;
                commands::check::check(&run, out)
            }
            Command::Fix(args) => args.run(out),
            Command::Explain(args) => args.run(out),
            Command::Rules(args) => args.run(out),
            Command::Formats(args) => args.formats(out),
            Command::Targets(args) => args.targets(out),
            Command::Convert(args) => args.run(out),
            Command::Diff(args) => args.run(out),
            Command::Tree(args) => args.run(out),
            Command::Rebuild(args) => args.run(out),
            Command::Slim(args) => args.run(out),
            Command::Completions { shell } => {
                clap_complete::generate(shell, &mut Cli::command(), "replaylint", out);
                Ok(Outcome::Clean)
            }
            Command::Man { command } => {
                let mut whole = Cli::command();
                whole.build();
                let page = match command {
                    Some(name) => whole.find_subcommand(&name).cloned(),
                    None => Some(whole),
                };
                let page =
                    page.ok_or_else(|| Misuse::new("there is no such command; `replaylint --help` lists them"))?;
                clap_mangen::Man::new(page).render(out)?;
                Ok(Outcome::Clean)
            }
        }
    }
}

impl FixArgs {
    fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let to = match (self.write, self.output, self.patch) {
            (true, ..) => Destination::InPlace(Replace { backup: !self.no_backup, force: self.force }),
            (_, Some(to), _) => Destination::Copy(Copies { to, existing: existing(self.force) }),
            (_, _, true) => Destination::Patch,
            _ => Destination::Preview,
        };
        let options = FixOptions {
            orphans: self.orphans.into(),
            reasoning: self.reasoning.into(),
            lossless: self.lossless,
            warnings: self.fix_warnings,
            selected: options::selected(&self.common.select),
            acknowledge_safety: self.acknowledge_safety,
        };
        let repairs = Repairs { options, to, dropped: self.dropped };
        let run = self.common.mean(None)?;
        commands::fix::fix(&run, &repairs, out)
    }
}

impl Common {
    /// From what was typed to what is meant.
    fn mean(self, report_file: Option<PathBuf>) -> Result<Run, Misuse> {
        let config = Config::find(self.config.as_deref(), self.isolated)?;
        let about = About {
            format: self.format,
            target: self.target,
            store: self.store,
            usage: self.usage,
            model: self.model,
            effort: self.effort,
            pointer: self.pointer,
            order: self.order,
            select: self.select,
            ignore: self.ignore,
            max_record_size: self.max_record_size,
            schema: self.schema,
            max_item_age: self.max_item_age,
            now: self.now,
            all_branches: self.all_branches,
        };
        let mut paths = self.paths;
        if let Some(list) = &self.files_from {
            paths.extend(options::listed(list)?);
        }
        if paths.is_empty() && self.files_from.is_none() {
            if io::stdin().is_terminal() {
                return Err(Misuse::new("no input: name a file or a folder, or pipe something in")
                    .help("`replaylint check FILE`; `-` is standard input"));
            }
            paths.push(PathBuf::from("-"));
        }
        let exclude: Vec<String> = self.exclude.into_iter().chain(config.exclude.iter().cloned()).collect();
        let ext = if self.ext.is_empty() { config.ext.clone() } else { self.ext };
        let filter = Filter::new(&exclude, &ext).map_err(|e| Misuse::new(e.to_string()))?;
        Ok(Run {
            paths,
            filter,
            lints: Lints::new(&about, &config)?,
            threads: self.jobs.filter(|n| *n > 0).unwrap_or_else(cores),
            allow_empty: self.allow_empty,
            exit_zero: self.exit_zero,
            deny_warnings: self.deny_warnings || config.deny_warnings,
            stdin_name: self.stdin_filename,
            show_content: self.show_content,
            verbose: self.verbose,
            quiet: self.quiet,
            style: Style {
                info: self.verbose,
                quiet: self.quiet,
                statistics: self.statistics,
                limit: (self.max_diagnostics > 0).then_some(self.max_diagnostics),
                ..self.color.style()
            },
            report_flag: report_file.is_some(),
            outputs: outputs(&self.output_format, report_file)?,
            also_read: self.files_from.into_iter().chain(self.config).chain(about.schema).collect(),
        })
    }
}

/// What `--force` means for a file that `-o` names.
fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Refuse }
}

impl ColorArg {
    /// Everything in the form that standard output takes.
    fn style(self) -> Style {
        Style {
            color: self.on(),
            unicode: std::env::var("TERM").map_or(true, |term| term != "dumb"),
            width: columns(),
            info: true,
            quiet: true,
            statistics: false,
            limit: None,
        }
    }

    /// Standard output is coloured on a terminal, unless NO_COLOR is set; FORCE_COLOR colours anything.
    fn on(self) -> bool {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto if set("NO_COLOR") => false,
            ColorArg::Auto => set("FORCE_COLOR") || io::stdout().is_terminal(),
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Columns of the terminal, 80 if there is none, at most 120.
fn columns() -> usize {
    let wide = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    wide.filter(|_| io::stdout().is_terminal()).unwrap_or(80).clamp(40, 120)
}

/// `FORM` or `FORM=FILE`; without any, text.
fn outputs(told: &[String], report_file: Option<PathBuf>) -> Result<Vec<Output>, Misuse> {
    let text = ["text".to_owned()];
    let told = if told.is_empty() { &text[..] } else { told };
    let mut outputs = Vec::new();
    for form in told {
        let (name, file) = match form.split_once('=') {
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (form.as_str(), report_file.clone()),
        };
        let known = report::OUTPUTS.iter().find(|(known, _)| *known == name);
        let (name, make) = known.copied().ok_or_else(|| {
            options::unknown("output format", name, report::OUTPUTS.iter().map(|(name, _)| *name).collect())
        })?;
        outputs.push(Output { name, make, file });
    }
    for (n, output) in outputs.iter().enumerate() {
        if outputs[..n].iter().any(|other| other.file == output.file) {
            let to = output.file.as_ref().map_or("standard output".to_owned(), |file| file.display().to_string());
            return Err(Misuse::new(format!("two reports cannot both go to {to}"))
                .help("give one of them a file: --output-format text --output-format json=report.json"));
        }
    }
    match report_file {
        Some(file) if outputs.iter().all(|output| output.file.as_ref() != Some(&file)) => {
            Err(Misuse::new("every report has a file of its own, so -o has none to write")
                .help("--output-format FORM without a file goes where -o says"))
        }
        _ => Ok(outputs),
    }
}
