//! Arguments of `tree` and `rebuild`.

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::commands::rebuild::RebuildOptions;
use crate::commands::run::products::OutputPath;
use crate::commands::tree::NodeOverrides;
use crate::commands::{self, Failure, Outcome};
use crate::formats;
use crate::history::time;
use crate::options::{self, UsageError};
use crate::rebuild::{Budget, ChainOptions, ChainPolicy};
use crate::repair::{FixOptions, Orphans, Reasoning};
use crate::report::mask;
use crate::report::tree::{OUTPUTS, TreePrinter};
use crate::targets;

use super::common::{
    AllowEmptyArgs, ConfigFileArgs, ExitCodeArgs, InputArgs, ParsedArgs, PrivacyArgs, ReadingArgs, ScreenArgs,
    VerbosityArgs, existing_file, file_path, reveals_content,
};
use super::judging::{JudgeArgs, TargetArgs};
use super::{OrphansArg, ReasoningArg};

#[derive(Args, Debug)]
#[command(
    after_help = "A turn is a message of the user, or several in a row, with what follows. Marks: ● current branch, ○ other \
                  branch, ◌ not answered. After the name: the age of the turn, its estimated tokens, and the first words of the user, on a \
                  terminal or with --show-content. The heading says what requests send: only what is new, if the server \
                  stores the responses, or the full history. A line below a turn says why the request after it \
                  differs.\n\n\
                  Examples:\n  replaylint tree session.jsonl\n  replaylint tree --output-format mermaid logs/\n\n\
                  Exit codes: 0 success, 1 broken links, 2 usage or I/O error."
)]
pub(super) struct TreeArgs {
    #[command(flatten)]
    files: InputArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    emptiness: AllowEmptyArgs,
    #[command(flatten)]
    chain: ChainArgs,
    #[command(flatten)]
    server: TargetArgs,
    #[arg(long, value_name = "FORMAT", default_value = "text", help = tree_formats_help(), help_heading = "Output")]
    output_format: String,
    #[command(flatten)]
    privacy: PrivacyArgs,
    #[command(flatten)]
    leniency: ExitCodeArgs,
    #[command(flatten)]
    screen: ScreenArgs,
    /// Also print notes
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,
    #[command(flatten)]
    settings: ConfigFileArgs,
}

#[derive(Args, Debug)]
#[command(
    next_help_heading = "Request",
    after_help = "Prints the request to standard output, and the decisions and their reasons to standard error.\n\n\
                  Examples:\n  replaylint rebuild session.jsonl --ask \"Go on.\"\n  replaylint rebuild session.jsonl --at u3 --chain never -o body.json\n\n\
                  Exit codes: 0 success, 1 the printed request would still be rejected, 2 unknown node, usage or I/O \
                  error."
)]
pub(super) struct RebuildArgs {
    /// Node to continue after: a unique part of its name, a response id or a record number; in an event stream, the
    /// offset or name of a request [default: the current leaf]
    #[arg(long, value_name = "NODE")]
    at: Option<String>,
    /// Next user message
    #[arg(long, value_name = "TEXT")]
    ask: Option<String>,
    /// When to build on the stored response (previous_response_id)
    #[arg(long = "chain", value_enum, default_value = "auto", value_name = "WHEN")]
    policy: PolicyArg,
    /// Keep only the last N items, extended to a valid cut
    #[arg(long, value_name = "N", group = "budget")]
    last: Option<usize>,
    /// Keep only the last items, at most N characters
    #[arg(long, value_name = "N", group = "budget")]
    max_chars: Option<usize>,
    /// Keep only the last items, at most about N tokens (estimated)
    #[arg(long, value_name = "N", group = "budget")]
    max_tokens: Option<usize>,
    /// How to repair a call without a result [default: drop; in the session of an agent, as the agent does]
    #[arg(long, value_enum, value_name = "HOW")]
    orphans: Option<OrphansArg>,
    /// How to treat reasoning
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    reasoning: ReasoningArg,
    /// Provider of a request in an event stream, if the stream does not specify it
    #[arg(
        long,
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(formats::providers()),
        hide_short_help = true
    )]
    provider: Option<String>,
    /// In an event stream of iterate, begin every message with the offset of its event, as older renderers do
    #[arg(long, hide_short_help = true)]
    headers: bool,
    /// File with the first message of a request in an event stream of iterate, which only the agent's code contains
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    protocol_prompt: Option<PathBuf>,
    #[command(flatten)]
    chain: ChainArgs,
    #[command(flatten)]
    files: InputArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    server: TargetArgs,
    /// Version of the agent that resumes the session, if it is not the one that wrote it
    #[arg(long, value_name = "VERSION", help_heading = "Target", hide_short_help = true)]
    agent_version: Option<String>,
    /// Repair only findings of these rules: codes, prefixes or names
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Target", hide_short_help = true)]
    select: Vec<String>,
    /// Ignore findings of these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Target", hide_short_help = true)]
    ignore: Vec<String>,
    /// Reasoning effort, if the file does not specify it
    #[arg(long, value_name = "LEVEL", help_heading = "Target", hide_short_help = true)]
    effort: Option<String>,
    /// Check each item against this JSON Schema instead of the provider's
    #[arg(long, value_name = "FILE", help_heading = "Target", hide_short_help = true)]
    schema: Option<PathBuf>,
    /// Write the request to FILE
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "output", help_heading = "Output", hide_short_help = true)]
    force: bool,
    #[command(flatten)]
    leniency: ExitCodeArgs,
    #[command(flatten)]
    loudness: VerbosityArgs,
    #[command(flatten)]
    settings: ConfigFileArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Chain")]
struct ChainArgs {
    /// Build only on responses up to this age (45s, 60m, 2h, 30d; 0 for any)
    #[arg(long, value_name = "AGE", default_value = "60m")]
    max_age: String,
    /// Response id of a node, if the file does not contain it
    #[arg(long, value_name = "NODE=ID", hide_short_help = true)]
    response_id: Vec<String>,
    /// Node whose text was edited after the server stored it
    #[arg(long, value_name = "NODE", hide_short_help = true)]
    edited: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum PolicyArg {
    /// If the server has exactly what the client has
    Auto,
    Always,
    Never,
}

impl TreeArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let (name, file) = match self.output_format.split_once('=') {
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (&*self.output_format, None),
        };
        let print = tree_printer(name)?;
        if file.is_some() {
            // The policy for a file differs from that for the screen.
            let reveal = reveals_content(self.privacy.show_content, false);
            mask::set_policy(mask::Policy { reveal, mask_names: self.privacy.mask_names });
        }
        let (chain, overrides) = self.chain.resolve(&self.server)?;
        let typed = ParsedArgs {
            files: self.files,
            reading: self.reading,
            emptiness: self.emptiness,
            server: self.server,
            privacy: self.privacy,
            leniency: self.leniency,
            screen: self.screen,
            loudness: VerbosityArgs { quiet: false, verbose: self.verbose },
            settings: self.settings,
            ..ParsedArgs::default()
        };
        commands::tree::tree(&typed.resolve(None)?, &chain, &overrides, print, file.as_deref(), out)
    }
}

impl RebuildArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let budget = match (self.last, self.max_chars, self.max_tokens) {
            (Some(items), ..) => Some(Budget::Items(items)),
            (_, Some(chars), _) => Some(Budget::Chars(chars)),
            (.., Some(tokens)) => Some(Budget::Tokens(tokens)),
            _ => None,
        };
        let policy = match self.policy {
            PolicyArg::Auto => ChainPolicy::Auto,
            PolicyArg::Always => ChainPolicy::Always,
            PolicyArg::Never => ChainPolicy::Never,
        };
        if policy == ChainPolicy::Always && budget.is_some() {
            let usage_error =
                UsageError::new("--chain always cannot be combined with --last, --max-chars or --max-tokens");
            return Err(usage_error.help("a chained request sends no history that could be shortened").into());
        }
        let (chain, overrides) = self.chain.resolve(&self.server)?;
        let orphans = self.orphans.map_or(Orphans::Drop, Orphans::from);
        let fix = FixOptions { orphans, reasoning: self.reasoning.into(), ..FixOptions::default() };
        let only_resumes = self.at.is_none()
            && budget.is_none()
            && self.orphans.is_none()
            && fix.reasoning == Reasoning::Auto
            && policy != ChainPolicy::Always
            && overrides.is_empty()
            && self.provider.is_none();
        let provider = self.provider.as_deref().map(find_provider).transpose()?;
        let output = file_path(self.output).map(|to| OutputPath { to, existing: existing_file(self.force) });
        let protocol_prompt = self.protocol_prompt.map(|file| {
            std::fs::read_to_string(&file).map_err(|error| {
                UsageError::new(format!("--protocol-prompt {}: {error}", crate::source::display_path(&file)))
            })
        });
        let options = RebuildOptions {
            every_header: self.headers,
            protocol_prompt: protocol_prompt.transpose()?,
            at: self.at,
            policy,
            ask: self.ask,
            budget,
            fix,
            overrides,
            output,
            provider,
            only_resumes,
        };
        let typed = ParsedArgs {
            files: self.files,
            reading: self.reading,
            server: self.server,
            judging: JudgeArgs {
                select: self.select,
                ignore: self.ignore,
                effort: self.effort,
                schema: self.schema,
                agent_version: self.agent_version,
                ..JudgeArgs::default()
            },
            leniency: self.leniency,
            loudness: self.loudness,
            settings: self.settings,
            ..ParsedArgs::default()
        };
        let run = typed.resolve(None)?;
        commands::rebuild::rebuild(&run, &chain, &options, out)
    }
}

impl ChainArgs {
    fn resolve(self, server: &TargetArgs) -> Result<(ChainOptions, NodeOverrides), UsageError> {
        let now = match &server.now {
            Some(text) => options::parse_time(text)?,
            None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64),
        };
        let pair = |text: &String| {
            let (node, id) = text.split_once('=').filter(|(node, id)| !node.is_empty() && !id.is_empty())?;
            Some((node.to_owned(), id.to_owned()))
        };
        let responses = self.response_id.iter().map(|text| {
            pair(text).ok_or_else(|| {
                UsageError::new(format!("invalid value '{text}': expected NODE=ID")).help("example: u3=resp_abc")
            })
        });
        let overrides = NodeOverrides { responses: responses.collect::<Result<_, _>>()?, edited: self.edited };
        let chain = ChainOptions {
            max_age: parse_age(&self.max_age)?,
            now,
            store: server.store,
            model: server.model.clone(),
            target: server.target.as_deref().and_then(targets::by_name),
        };
        Ok((chain, overrides))
    }
}

/// Parses a maximum age in seconds; `None` for no limit. A number without a unit is minutes.
fn parse_age(text: &str) -> Result<Option<i64>, UsageError> {
    let age = time::parse_duration(text, 60).ok_or_else(|| {
        UsageError::new(format!("invalid age '{text}'")).help("examples: 45s, 60m, 2h, 30d; 0 for any age")
    })?;
    Ok((age > 0).then_some(age))
}

/// The provider with this name.
fn find_provider(name: &str) -> Result<&'static str, UsageError> {
    let known = formats::providers().find(|known| *known == name);
    known.ok_or_else(|| options::unknown_name("provider", name, formats::providers().collect()))
}

fn tree_formats_help() -> String {
    let names: Vec<&str> = OUTPUTS.iter().map(|(name, _)| *name).collect();
    format!("Output format: {}; FORMAT=FILE writes to FILE", names.join(", "))
}

/// The printer of an output format.
fn tree_printer(name: &str) -> Result<TreePrinter, UsageError> {
    let known = OUTPUTS.iter().find(|(known, _)| *known == name);
    known.map(|(_, print)| *print).ok_or_else(|| {
        options::unknown_name("output format", name, OUTPUTS.iter().map(|(name, _)| *name).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_read() {
        assert_eq!(parse_age("60m").ok(), Some(Some(3600)));
        assert_eq!(parse_age("60").ok(), Some(Some(3600)));
        assert_eq!(parse_age("30d").ok(), Some(Some(2_592_000)));
        assert_eq!(parse_age("0").ok(), Some(None));
        assert!(parse_age("1y").is_err() && parse_age("").is_err() && parse_age("-5m").is_err());
    }
}
