//! Options that several commands share, in groups: a command flattens the groups that have an effect there, and no
//! others. Together they give a [`Run`].

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::commands::{Output, Run, lineage};
use crate::options::{self, FileOptions, Lints, Lookup, Misuse, Walking};
use crate::report::command_line::{self, CommandLine};
use crate::report::{self, Style, mask};
use crate::source::MOST_UNPACKED;
use crate::source::inputs::globs::{Glob, absolute};
use crate::source::outputs::product::Existing;

/// Findings that a report for people shows, unless told otherwise.
const SHOWN: usize = 100;

/// What is read.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Input")]
pub(super) struct Files {
    /// Files and folders; `-`, or nothing with piped input, is standard input
    #[arg(value_name = "PATH", help_heading = None)]
    pub paths: Vec<PathBuf>,
    /// Read more paths from FILE, one per line (`-` for standard input)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub files_from: Option<PathBuf>,
    /// Paths in the --files-from list end with NUL instead of a line break, as `find -print0` and `git ls-files -z` write
    /// them
    #[arg(short = '0', long = "null", requires = "files_from", hide_short_help = true)]
    pub by_nul: bool,
    /// Skip files below a folder that match GLOB
    #[arg(long, value_name = "GLOB", hide_short_help = true)]
    pub exclude: Vec<String>,
    /// File extensions to read in folders [default: json,jsonl,ndjson,sse,txt, each also with .gz and .zst]
    #[arg(long, value_name = "EXTENSION", value_delimiter = ',', hide_short_help = true)]
    pub ext: Vec<String>,
    /// Also read what .gitignore and .ignore files name, and .git and node_modules
    #[arg(long, hide_short_help = true)]
    pub no_ignore: bool,
    /// Do not look for the rollouts that a fork continues from outside of the given paths
    #[arg(long, hide_short_help = true)]
    pub no_lookup: bool,
}

/// How what is read is understood.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Input")]
pub(super) struct Reading {
    /// Stored format (see `replaylint formats`) [default: detected]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// JSON Pointer to the conversation, in each record
    #[arg(long, value_name = "POINTER", hide_short_help = true)]
    pub pointer: Option<String>,
    /// Order of a page of items, if the file does not say
    #[arg(long, value_name = "ORDER", value_parser = ["newest-first", "oldest-first"], hide_short_help = true)]
    pub order: Option<String>,
    /// Do not read records larger than SIZE, e.g. 512M [default: 1G]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub max_record_size: Option<String>,
    /// Do not read compressed files that unpack to more than SIZE [default: 64G]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub max_decompressed_size: Option<String>,
    /// Name to print for standard input
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub stdin_filename: Option<String>,
}

/// The API that the history is sent to.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Target")]
pub(super) struct Server {
    /// API to judge for (see `replaylint targets`)
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// Whether the server stores items, if the file does not say [possible values: true, false]
    #[arg(long, value_name = "BOOL", hide_possible_values = true)]
    pub store: Option<bool>,
    /// Model, if the file does not name it
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Time to count ages from, instead of the clock: 2026-01-31T12:00:00Z, or Unix seconds
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub now: Option<String>,
}

/// What is looked for.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Rules")]
pub(super) struct Judging {
    /// Run only these rules: codes (RL102), prefixes (RL1), names
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Run these rules, too: those that --select or the config file leaves out
    #[arg(long, value_name = "RULE", value_delimiter = ',', hide_short_help = true)]
    pub extend_select: Vec<String>,
    /// Skip these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Report findings of these rules as errors: the server has rejected the history for them
    #[arg(long, value_name = "RULE", value_delimiter = ',', hide_short_help = true)]
    pub proven: Vec<String>,
    /// Treat the input as a request (an unanswered last call is an error) or as a log (it is pending)
    #[arg(long = "as", value_name = "KIND", value_parser = ["request", "log"])]
    pub usage: Option<String>,
    /// Version of the agent that is to resume a session, if it is not the one that wrote it: what the agent puts right by
    /// itself is only noted
    #[arg(long, value_name = "VERSION", hide_short_help = true)]
    pub agent_version: Option<String>,
    /// Reasoning effort, if the file does not say
    #[arg(long, value_name = "LEVEL", hide_short_help = true)]
    pub effort: Option<String>,
    /// Check each item against this JSON Schema instead of the provider's; it describes one item
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub schema: Option<PathBuf>,
    /// Report references to server-side items older than AGE, e.g. 30d
    #[arg(long, value_name = "AGE", hide_short_help = true)]
    pub max_item_age: Option<String>,
}

/// Findings, and what they mean for the exit code.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct Findings {
    #[arg(long, help = formats_of_reports(), value_name = "FORMAT", env = "REPLAYLINT_OUTPUT_FORMAT", hide_env = true, value_delimiter = ',')]
    pub output_format: Vec<String>,
    /// Exit with 1 on warnings, too
    #[arg(long)]
    pub deny_warnings: bool,
    /// Count the findings by rule
    #[arg(long, hide_short_help = true)]
    pub statistics: bool,
    /// Show at most N findings in text and concise (0 for all) [default: text 100, with -v all]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub max_diagnostics: Option<usize>,
}

fn formats_of_reports() -> String {
    let names = report::OUTPUTS.iter().map(|(name, _)| match *name {
        "api-error" => "api-error (check only)".to_owned(),
        name => name.to_owned(),
    });
    let names: Vec<String> = names.collect();
    format!("Report format: {}; FORMAT=FILE writes it to FILE; can be repeated", names.join(", "))
}

/// Exit codes that a caller may not want.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct Leniency {
    /// Exit with 0 where it would be 1
    #[arg(long, hide_short_help = true)]
    pub exit_zero: bool,
}

/// Nothing to do.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Input")]
pub(super) struct Emptiness {
    /// Exit with 0 when no conversation is found
    #[arg(long, hide_short_help = true)]
    pub allow_empty: bool,
}

/// Whether content is printed.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct Privacy {
    /// Show content even if the output is not a terminal
    #[arg(long)]
    pub show_content: bool,

    /// Also mask the names of tools
    #[arg(long, hide_short_help = true)]
    pub mask_names: bool,
}

/// The screen.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct Screen {
    /// When to use colors
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", hide_short_help = true)]
    pub color: ColorArg,
}

/// How much is said.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct Loudness {
    /// Print results only, no summary
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also print notes, every finding, and skipped files
    #[arg(short, long)]
    pub verbose: bool,
}

/// The config file.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Run")]
pub(super) struct ConfigFile {
    /// Use this config file instead of the nearest replaylint.toml
    #[arg(long, value_name = "FILE", conflicts_with = "isolated", hide_short_help = true)]
    pub config: Option<PathBuf>,
    /// Use no config file
    #[arg(long, hide_short_help = true)]
    pub isolated: bool,
}

impl ConfigFile {
    pub(super) fn lookup(&self) -> Lookup {
        match &self.config {
            Some(path) => Lookup::Named(path.clone()),
            None if self.isolated => Lookup::Isolated,
            None => Lookup::Nearest,
        }
    }
}

/// Threads.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Run")]
pub(super) struct Threads {
    /// Number of threads [default: the number of cores]
    #[arg(short = 'j', long, value_name = "N", hide_short_help = true)]
    pub jobs: Option<usize>,
    /// Do not show on a terminal how far the run is
    #[arg(long, hide_short_help = true)]
    pub no_progress: bool,
}

/// What was typed. A group that a command lacks is empty.
#[derive(Debug, Default)]
pub(super) struct Typed {
    pub files: Files,
    pub reading: Reading,
    pub server: Server,
    pub judging: Judging,
    pub findings: Findings,
    pub leniency: Leniency,
    pub emptiness: Emptiness,
    pub privacy: Privacy,
    pub screen: Screen,
    pub loudness: Loudness,
    pub settings: ConfigFile,
    pub threads: Threads,
    pub all_branches: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ColorArg {
    #[default]
    Auto,
    Always,
    Never,
}

/// All groups, for the commands that judge.
#[derive(Args, Debug)]
pub(super) struct Common {
    #[command(flatten)]
    pub files: Files,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub emptiness: Emptiness,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub judging: Judging,
    #[command(flatten)]
    pub findings: Findings,
    #[command(flatten)]
    pub leniency: Leniency,
    #[command(flatten)]
    pub privacy: Privacy,
    #[command(flatten)]
    pub screen: Screen,
    #[command(flatten)]
    pub loudness: Loudness,
    #[command(flatten)]
    pub settings: ConfigFile,
    #[command(flatten)]
    pub threads: Threads,
}

impl Common {
    pub(super) fn typed(self) -> Typed {
        Typed {
            files: self.files,
            reading: self.reading,
            server: self.server,
            judging: self.judging,
            findings: self.findings,
            leniency: self.leniency,
            emptiness: self.emptiness,
            privacy: self.privacy,
            screen: self.screen,
            loudness: self.loudness,
            settings: self.settings,
            threads: self.threads,
            all_branches: false,
        }
    }
}

impl Typed {
    /// From what was typed to what is meant. `report_file` is where `-o` puts the report.
    pub(super) fn mean(self, report_file: Option<PathBuf>) -> Result<Run, Misuse> {
        let most_unpacked = self.reading.max_decompressed_size;
        let lookup_of_config = self.settings.lookup();
        let about = FileOptions {
            format: self.reading.format,
            target: self.server.target,
            store: self.server.store,
            usage: self.judging.usage,
            model: self.server.model,
            agent_version: self.judging.agent_version,
            effort: self.judging.effort,
            pointer: self.reading.pointer,
            order: self.reading.order,
            select: self.judging.select,
            extend_select: self.judging.extend_select,
            proven: self.judging.proven,
            ignore: self.judging.ignore,
            max_record_size: self.reading.max_record_size,
            schema: self.judging.schema,
            max_item_age: self.judging.max_item_age,
            now: self.server.now,
            all_branches: self.all_branches,
        };
        let lookup = lineage::lookup(!self.files.no_lookup);
        let mut paths = self.files.paths;
        // With --allow-empty a list may name files that are no conversation.
        let lenient_from = if self.emptiness.allow_empty { paths.len() } else { usize::MAX };
        if let Some(list) = &self.files.files_from {
            paths.extend(options::listed(list, self.files.by_nul)?);
        }
        if paths.is_empty() && self.files.files_from.is_none() {
            if io::stdin().is_terminal() {
                return Err(Misuse::new("no input: name a file or a folder, or pipe something in")
                    .help(format!("`{}`; `-` is standard input", CommandLine::new(command_line::running()))));
            }
            paths.push(PathBuf::from("-"));
        }
        let here = absolute(Path::new("."));
        let exclude = self.files.exclude.iter().map(|glob| Glob::new(&here, glob).map(Arc::new));
        let exclude = exclude.collect::<Result<_, _>>().map_err(|e| Misuse::new(e.to_string()))?;
        let walking = Walking { exclude, ext: self.files.ext, no_ignore: self.files.no_ignore };
        let schema = about.schema.clone();
        let lints = Lints::new(about, walking, lookup_of_config)?;
        // What the working folder's config file says about the run as a whole.
        lints.load(&here.join("-"))?;
        let deny_warnings = self.findings.deny_warnings || lints.in_force("-").denies_warnings();
        let report_flag = report_file.is_some();
        let outputs = outputs(&self.findings.output_format, report_file)?;
        mask::set(mask::Policy {
            reveal: reveals(self.privacy.show_content, outputs.iter().all(|output| output.file.is_none())),
            mask_names: self.privacy.mask_names,
        });
        Ok(Run {
            paths,
            lints,
            threads: self.threads.jobs.filter(|n| *n > 0).unwrap_or_else(cores),
            allow_empty: self.emptiness.allow_empty,
            exit_zero: self.leniency.exit_zero,
            deny_warnings: self.findings.deny_warnings,
            stdin_name: self.reading.stdin_filename,
            most_unpacked: most_unpacked.map_or(Ok(MOST_UNPACKED), |size| options::large_size(&size))?,
            show_content: self.privacy.show_content,
            verbose: self.loudness.verbose,
            quiet: self.loudness.quiet,
            progress: !self.loudness.quiet && !self.threads.no_progress,
            style: Style {
                info: self.loudness.verbose,
                grouped: !self.loudness.verbose,
                quiet: self.loudness.quiet,
                statistics: self.findings.statistics,
                denies_warnings: deny_warnings,
                limit: match self.findings.max_diagnostics {
                    Some(0) => None,
                    None if self.loudness.verbose => None,
                    given => given.or(Some(SHOWN)),
                },
                ..self.screen.color.style()
            },
            most_shown: self.findings.max_diagnostics.filter(|most| *most > 0),
            lenient_from,
            report_flag,
            lookup,
            outputs,
            also_read: self.files.files_from.into_iter().chain(self.settings.config).chain(schema).collect(),
        })
    }
}

/// Whether words of conversations are printed that are not published: on a terminal alone, or where it was asked for.
pub(super) fn reveals(show_content: bool, on_screen: bool) -> bool {
    show_content || on_screen && io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// The file that `-o` names; `None` for `-`, which is standard output.
pub(super) fn file_of(output: Option<PathBuf>) -> Option<PathBuf> {
    output.filter(|path| path.as_os_str() != "-")
}

/// What `--force` means for a file that `-o` names.
pub(super) fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Refuse }
}

impl ColorArg {
    /// How standard output looks; everything is shown.
    pub(super) fn style(self) -> Style {
        Style {
            color: self.on(),
            unicode: !is_dumb(),
            width: columns(),
            info: true,
            grouped: false,
            quiet: true,
            statistics: false,
            denies_warnings: false,
            limit: None,
        }
    }

    /// Standard output is coloured on a terminal that is not dumb, unless NO_COLOR is set; FORCE_COLOR colours anything.
    fn on(self) -> bool {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto if set("NO_COLOR") => false,
            ColorArg::Auto => set("FORCE_COLOR") || io::stdout().is_terminal() && !is_dumb(),
        }
    }
}

/// A terminal that shows text and obeys nothing.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Columns of the terminal, 80 if there is none, at most 120.
fn columns() -> usize {
    let wide = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    wide.filter(|_| io::stdout().is_terminal()).unwrap_or(80).clamp(40, 120)
}

/// `FORMAT` or `FORMAT=FILE`, where `-` is standard output; without any, text.
fn outputs(told: &[String], report_file: Option<PathBuf>) -> Result<Vec<Output>, Misuse> {
    let report_file = file_of(report_file);
    let text = ["text".to_owned()];
    let told = if told.is_empty() { text.as_slice() } else { told };
    let mut outputs = Vec::new();
    for form in told {
        let (name, file) = match form.split_once('=') {
            Some((name, file)) => (name, file_of(Some(PathBuf::from(file)))),
            None => (form.as_str(), report_file.clone()),
        };
        let known = report::OUTPUTS.iter().find(|(known, _)| *known == name);
        let (name, make) = known.copied().ok_or_else(|| {
            options::unknown("output format", name, report::OUTPUTS.iter().map(|(name, _)| *name).collect())
        })?;
        outputs.push(Output { name, make, file });
    }
    for (n, output) in outputs.iter().enumerate() {
        if outputs.iter().take(n).any(|other| other.file == output.file) {
            let to = output
                .file
                .as_ref()
                .map_or("standard output".to_owned(), |file| crate::source::display_path(file));
            return Err(Misuse::new(format!("two reports cannot both go to {to}"))
                .help("write one of them to a file: --output-format text --output-format json=report.json"));
        }
    }
    match report_file {
        Some(file) if outputs.iter().all(|output| output.file.as_ref() != Some(&file)) => {
            Err(Misuse::new("every report already has a file of its own, so -o has nothing to write")
                .help("a report without a file goes where -o says: --output-format FORMAT"))
        }
        _ => Ok(outputs),
    }
}
