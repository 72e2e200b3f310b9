//! Options that several commands share, in groups. A command flattens the groups that have an effect there; together
//! they are resolved to a [`Run`].

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::commands::{Output, Run, lineage, print_note};
use crate::options::{self, ConfigLookup, FileOptions, LintSettings, UsageError, WalkOptions};
use crate::report::command_line::{self, CommandLine};
use crate::report::{self, Style, mask};
use crate::source::MAX_UNPACKED;
use crate::source::inputs::globs::{Glob, absolute};
use crate::source::outputs::new_file::ExistingFile;

use super::judging::{JudgeArgs, TargetArgs};

/// Default number of findings in a text report.
const DEFAULT_MAX_DIAGNOSTICS: usize = 100;

/// The files to read.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Input")]
pub(super) struct InputArgs {
    /// Files and folders; `-`, or no path with piped input, reads standard input
    #[arg(value_name = "PATH", help_heading = None)]
    pub paths: Vec<PathBuf>,
    /// Read more paths from FILE, one per line (`-` for standard input)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub files_from: Option<PathBuf>,
    /// Paths in --files-from end with NUL instead of a line break (`find -print0`, `git ls-files -z`)
    #[arg(short = '0', long = "null", requires = "files_from", hide_short_help = true)]
    pub by_nul: bool,
    /// Skip files in folders that match GLOB
    #[arg(long, value_name = "GLOB", hide_short_help = true)]
    pub exclude: Vec<String>,
    /// File extensions to read in folders [default: json,jsonl,ndjson,sse,txt, each also with .gz and .zst]
    #[arg(long, value_name = "EXTENSION", value_delimiter = ',', hide_short_help = true)]
    pub ext: Vec<String>,
    /// Also read files excluded by .gitignore and .ignore, and .git and node_modules
    #[arg(long, hide_short_help = true)]
    pub no_ignore: bool,
    /// Do not search outside PATH for a fork's parent session
    #[arg(long, hide_short_help = true)]
    pub no_lookup: bool,
}

/// Options for parsing files.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Input")]
pub(super) struct ReadingArgs {
    /// Stored format (see `replaylint formats`) [default: detected]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// JSON Pointer to the conversation in each record
    #[arg(long, value_name = "POINTER", hide_short_help = true)]
    pub pointer: Option<String>,
    /// Order of a page of items, if the file does not specify it
    #[arg(long, value_name = "ORDER", value_parser = ["newest-first", "oldest-first"], hide_short_help = true)]
    pub order: Option<String>,
    /// Do not read records larger than SIZE, e.g. 512M [default: 1G]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub max_record_size: Option<String>,
    /// Do not read compressed files that unpack to more than SIZE [default: 64G]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub max_decompressed_size: Option<String>,
    /// File name to report for standard input
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub stdin_filename: Option<String>,
}

/// The report of findings, and their effect on the exit code.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct ReportArgs {
    #[arg(long, help = report_formats_help(), value_name = "FORMAT", env = "REPLAYLINT_OUTPUT_FORMAT", hide_env = true, value_delimiter = ',')]
    pub output_format: Vec<String>,
    /// Exit with 1 on warnings as well
    #[arg(long)]
    pub deny_warnings: bool,
    /// Print the number of findings by rule
    #[arg(long, hide_short_help = true)]
    pub statistics: bool,
    /// Show at most N findings in text and concise output, 0 for all [default: 100 in text, all with -v]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub max_diagnostics: Option<usize>,
}

fn report_formats_help() -> String {
    let names = report::OUTPUTS.iter().map(|(name, _)| match *name {
        "api-error" => "api-error (check only)".to_owned(),
        name => name.to_owned(),
    });
    let names: Vec<String> = names.collect();
    format!("Report format: {}; FORMAT=FILE writes to FILE; can be repeated", names.join(", "))
}

/// Overrides of the exit code.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct ExitCodeArgs {
    /// Exit with 0 even if errors are found
    #[arg(long, hide_short_help = true)]
    pub exit_zero: bool,
}

/// Options for runs without a conversation.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Input")]
pub(super) struct AllowEmptyArgs {
    /// Exit with 0 when no conversation is found
    #[arg(long, hide_short_help = true)]
    pub allow_empty: bool,
}

/// Options for printing content of conversations.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct PrivacyArgs {
    /// Show content even without a terminal
    #[arg(long)]
    pub show_content: bool,

    /// Also mask tool names
    #[arg(long, hide_short_help = true)]
    pub mask_names: bool,
}

/// Appearance on the terminal.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct ScreenArgs {
    /// When to use colors
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", hide_short_help = true)]
    pub color: ColorArg,
}

/// Verbosity.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(super) struct VerbosityArgs {
    /// Print only results, no summary
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also print notes, all findings, skipped files
    #[arg(short, long)]
    pub verbose: bool,
}

/// Options for the config file.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Run")]
pub(super) struct ConfigFileArgs {
    /// Use this config file instead of the nearest replaylint.toml
    #[arg(long, value_name = "FILE", conflicts_with = "isolated", hide_short_help = true)]
    pub config: Option<PathBuf>,
    /// Ignore all config files
    #[arg(long, hide_short_help = true)]
    pub isolated: bool,
}

impl ConfigFileArgs {
    pub(super) fn lookup(&self) -> ConfigLookup {
        match &self.config {
            Some(path) => ConfigLookup::Named(path.clone()),
            None if self.isolated => ConfigLookup::Isolated,
            None => ConfigLookup::Nearest,
        }
    }
}

/// Threads and progress.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Run")]
pub(super) struct ThreadArgs {
    /// Number of threads [default: number of cores]
    #[arg(short = 'j', long, value_name = "N", hide_short_help = true)]
    pub jobs: Option<usize>,
    /// Hide the progress bar
    #[arg(long, hide_short_help = true)]
    pub no_progress: bool,
}

/// The parsed arguments of a command. A group that the command lacks has its defaults.
#[derive(Debug, Default)]
pub(super) struct ParsedArgs {
    pub files: InputArgs,
    pub reading: ReadingArgs,
    pub server: TargetArgs,
    pub judging: JudgeArgs,
    pub findings: ReportArgs,
    pub leniency: ExitCodeArgs,
    pub emptiness: AllowEmptyArgs,
    pub privacy: PrivacyArgs,
    pub screen: ScreenArgs,
    pub loudness: VerbosityArgs,
    pub settings: ConfigFileArgs,
    pub threads: ThreadArgs,
    pub all_branches: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ColorArg {
    #[default]
    Auto,
    Always,
    Never,
}

/// All groups, for the commands that check conversations.
#[derive(Args, Debug)]
pub(super) struct CommonArgs {
    #[command(flatten)]
    pub files: InputArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub emptiness: AllowEmptyArgs,
    #[command(flatten)]
    pub server: TargetArgs,
    #[command(flatten)]
    pub judging: JudgeArgs,
    #[command(flatten)]
    pub findings: ReportArgs,
    #[command(flatten)]
    pub leniency: ExitCodeArgs,
    #[command(flatten)]
    pub privacy: PrivacyArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
    #[command(flatten)]
    pub loudness: VerbosityArgs,
    #[command(flatten)]
    pub settings: ConfigFileArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
}

impl CommonArgs {
    pub(super) fn parsed(self) -> ParsedArgs {
        ParsedArgs {
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

impl ParsedArgs {
    /// Resolves the arguments to the options of a run. `report_file` is the file of `-o` for the report.
    ///
    /// # Errors
    ///
    /// If an option is invalid, or nothing is to be read.
    pub(super) fn resolve(self, report_file: Option<PathBuf>) -> Result<Run, UsageError> {
        let max_unpacked = self.reading.max_decompressed_size;
        let lookup_of_config = self.settings.lookup();
        let about = FileOptions {
            format: self.reading.format,
            target: self.server.target,
            store: self.server.store,
            usage: self.judging.usage,
            model: self.server.model,
            next_model: self.judging.next_model,
            account_changed: self.judging.account_changed,
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
        let listed_from = paths.len();
        if let Some(list) = &self.files.files_from {
            paths.extend(options::read_path_list(list, self.files.by_nul)?);
        }
        if paths.is_empty() && self.files.files_from.is_none() {
            if io::stdin().is_terminal() {
                return Err(UsageError::new("no input: specify a file or a folder, or pipe data in").help(
                    format!(
                        "usage: `{}`; `-` reads standard input",
                        CommandLine::new(command_line::running_command())
                    ),
                ));
            }
            paths.push(PathBuf::from("-"));
        }
        let here = absolute(Path::new("."));
        let exclude = self.files.exclude.iter().map(|glob| Glob::new(&here, glob).map(Arc::new));
        let exclude = exclude.collect::<Result<_, _>>().map_err(|e| UsageError::new(e.to_string()))?;
        let walking = WalkOptions { exclude, ext: self.files.ext, no_ignore: self.files.no_ignore };
        let schema = about.schema.clone();
        if let Some(model) = about.next_model.as_deref().filter(|_| !self.loudness.quiet) {
            options::unknown_next_model(model).iter().for_each(|note| print_note(note));
        }
        let lints = LintSettings::new(about, walking, lookup_of_config)?;
        // The config file of the working folder applies to the run as a whole.
        lints.load(&here.join("-"))?;
        let deny_warnings = self.findings.deny_warnings || lints.effective("-").denies_warnings();
        let report_flag = report_file.is_some();
        let outputs = parse_outputs(&self.findings.output_format, report_file)?;
        mask::set_policy(mask::Policy {
            reveal: reveals_content(self.privacy.show_content, outputs.iter().all(|output| output.file.is_none())),
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
            max_unpacked: max_unpacked.map_or(Ok(MAX_UNPACKED), |size| options::parse_large_size(&size))?,
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
                    given => given.or(Some(DEFAULT_MAX_DIAGNOSTICS)),
                },
                ..self.screen.color.style()
            },
            max_diagnostics: self.findings.max_diagnostics.filter(|most| *most > 0),
            listed_from,
            report_flag,
            lookup,
            proposes: outputs.iter().any(|output| output.name == "sarif"),
            outputs,
            also_read: self.files.files_from.into_iter().chain(self.settings.config).chain(schema).collect(),
        })
    }
}

/// True if content of conversations is printed: on a terminal only, or if `--show-content` is given.
pub(super) fn reveals_content(show_content: bool, on_screen: bool) -> bool {
    show_content || on_screen && io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// The file of `-o`; `None` for `-`, which is standard output.
pub(super) fn file_path(output: Option<PathBuf>) -> Option<PathBuf> {
    output.filter(|path| path.as_os_str() != "-")
}

/// The treatment of an existing file of `-o`, by `--force`.
pub(super) fn existing_file(force: bool) -> ExistingFile {
    if force { ExistingFile::Replace } else { ExistingFile::Refuse }
}

impl ColorArg {
    /// The style of standard output; everything is shown.
    pub(super) fn style(self) -> Style {
        Style {
            color: self.is_colored(),
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

    /// True on a terminal that is not dumb, unless NO_COLOR is set; FORCE_COLOR colors any output.
    fn is_colored(self) -> bool {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto if set("NO_COLOR") => false,
            ColorArg::Auto => set("FORCE_COLOR") || io::stdout().is_terminal() && !is_dumb(),
        }
    }
}

/// True for a terminal without control sequences.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Columns of the terminal, from 40 to 120; 80 without a terminal.
fn columns() -> usize {
    let wide = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    wide.filter(|_| io::stdout().is_terminal()).unwrap_or(80).clamp(40, 120)
}

/// Parses `FORMAT` or `FORMAT=FILE`, where `-` is standard output; the default is text.
fn parse_outputs(given: &[String], report_file: Option<PathBuf>) -> Result<Vec<Output>, UsageError> {
    let report_file = file_path(report_file);
    let text = ["text".to_owned()];
    let given = if given.is_empty() { text.as_slice() } else { given };
    let mut outputs = Vec::new();
    for form in given {
        let (name, file) = match form.split_once('=') {
            Some((name, file)) => (name, file_path(Some(PathBuf::from(file)))),
            None => (form.as_str(), report_file.clone()),
        };
        let known = report::OUTPUTS.iter().find(|(known, _)| *known == name);
        let (name, make) = known.copied().ok_or_else(|| {
            options::unknown_name("output format", name, report::OUTPUTS.iter().map(|(name, _)| *name).collect())
        })?;
        outputs.push(Output { name, make, file });
    }
    for (n, output) in outputs.iter().enumerate() {
        if outputs.iter().take(n).any(|other| other.file == output.file) {
            let to = output
                .file
                .as_ref()
                .map_or("standard output".to_owned(), |file| crate::source::display_path(file));
            return Err(UsageError::new(format!("two reports cannot be written to {to}"))
                .help("write one of them to a file: --output-format text --output-format json=report.json"));
        }
    }
    match report_file {
        Some(file) if outputs.iter().all(|output| output.file.as_ref() != Some(&file)) => {
            Err(UsageError::new("-o has nothing to write: every report already has a file")
                .help("-o applies to a report without a file: --output-format FORMAT"))
        }
        _ => Ok(outputs),
    }
}
