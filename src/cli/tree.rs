//! Arguments of `tree` and `rebuild`.

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::commands::rebuild::Wanted;
use crate::commands::run::products::Copies;
use crate::commands::tree::Told;
use crate::commands::{self, Failure, Outcome};
use crate::formats;
use crate::history::time;
use crate::options::{self, Misuse};
use crate::rebuild::{Budget, ChainOptions, Policy};
use crate::repair::FixOptions;
use crate::report::mask;
use crate::report::tree::{OUTPUTS, Print};
use crate::targets;

use super::common::{
    ConfigFile, Emptiness, Files, Judging, Leniency, Loudness, Privacy, Reading, Screen, Server, Typed, existing,
    file_of, reveals,
};
use super::{OrphansArg, ReasoningArg};

#[derive(Args, Debug)]
#[command(
    after_help = "Marks: ● on the current branch, ○ on another, ◌ not answered yet. After the name: the age of the response, \
                  and whether the next request can build on its id (chain) or has to carry the whole history (rebuild), \
                  with the reason.\n\n\
                  Examples:\n  replaylint tree session.jsonl\n  replaylint tree --output-format mermaid logs/\n\n\
                  Exit codes: 0, 1 if links are broken, 2 if the job could not be done."
)]
pub(super) struct TreeArgs {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    emptiness: Emptiness,
    #[command(flatten)]
    chain: ChainArgs,
    #[command(flatten)]
    server: Server,
    #[arg(long, value_name = "FORMAT", default_value = "text", help = formats_of_trees(), help_heading = "Output")]
    output_format: String,
    #[command(flatten)]
    privacy: Privacy,
    #[command(flatten)]
    leniency: Leniency,
    #[command(flatten)]
    screen: Screen,
    /// Also print notes
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,
    #[command(flatten)]
    settings: ConfigFile,
}

#[derive(Args, Debug)]
#[command(
    next_help_heading = "Request",
    after_help = "The request goes to standard output, the decisions and their reasons to standard error.\n\n\
                  Examples:\n  replaylint rebuild session.jsonl --ask \"Go on.\"\n  replaylint rebuild session.jsonl --at u3 --chain never -o body.json\n\n\
                  Exit codes: 0, 1 if the request would still be rejected (it is printed), 2 for an unknown node or if \
                  the job could not be done."
)]
pub(super) struct RebuildArgs {
    /// Node to continue after: a unique part of its name, a response id or a record number; in an event stream the
    /// offset or name of a request [default: the current leaf]
    #[arg(long, value_name = "NODE")]
    at: Option<String>,
    /// What the user says next
    #[arg(long, value_name = "TEXT")]
    ask: Option<String>,
    /// Whether to build on the stored response (previous_response_id)
    #[arg(long = "chain", value_enum, default_value = "auto", value_name = "WHEN")]
    policy: PolicyArg,
    /// Keep only the last N items, cut where it is legal
    #[arg(long, value_name = "N", group = "budget")]
    last: Option<usize>,
    /// Keep only the last items, up to N characters
    #[arg(long, value_name = "N", group = "budget")]
    max_chars: Option<usize>,
    /// Keep only the last items, up to about N tokens (estimated)
    #[arg(long, value_name = "N", group = "budget")]
    max_tokens: Option<usize>,
    /// What to do with an unanswered call
    #[arg(long, value_enum, default_value = "drop", value_name = "HOW")]
    orphans: OrphansArg,
    /// What to do with reasoning
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    reasoning: ReasoningArg,
    /// Provider of a request in an event stream, where the stream does not say
    #[arg(
        long,
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(formats::providers()),
        hide_short_help = true
    )]
    provider: Option<String>,
    #[command(flatten)]
    chain: ChainArgs,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    server: Server,
    /// Repair only what these rules find: codes, prefixes or names
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Target", hide_short_help = true)]
    select: Vec<String>,
    /// Skip these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Target", hide_short_help = true)]
    ignore: Vec<String>,
    /// Reasoning effort, if the file does not say
    #[arg(long, value_name = "LEVEL", help_heading = "Target", hide_short_help = true)]
    effort: Option<String>,
    /// Check each item against this JSON Schema instead of the provider's; it describes one item
    #[arg(long, value_name = "FILE", help_heading = "Target", hide_short_help = true)]
    schema: Option<PathBuf>,
    /// Write the request to FILE
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output", help_heading = "Output", hide_short_help = true)]
    force: bool,
    #[command(flatten)]
    leniency: Leniency,
    #[command(flatten)]
    loudness: Loudness,
    #[command(flatten)]
    settings: ConfigFile,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Chain")]
struct ChainArgs {
    /// Build only on responses up to this age (45s, 60m, 2h, 30d; 0 for any)
    #[arg(long, value_name = "AGE", default_value = "60m")]
    max_age: String,
    /// Response id of a node, where the file does not hold it
    #[arg(long, value_name = "NODE=ID", hide_short_help = true)]
    response_id: Vec<String>,
    /// Node whose text was edited, so that the server holds a different one
    #[arg(long, value_name = "NODE", hide_short_help = true)]
    edited: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum PolicyArg {
    /// Where the server holds exactly what the client has
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
        let print = output(name)?;
        if file.is_some() {
            // A file is no screen.
            let reveal = reveals(self.privacy.show_content, false);
            mask::set(mask::Policy { reveal, mask_names: self.privacy.mask_names });
        }
        let (chain, told) = self.chain.mean(&self.server)?;
        let typed = Typed {
            files: self.files,
            reading: self.reading,
            emptiness: self.emptiness,
            server: self.server,
            privacy: self.privacy,
            leniency: self.leniency,
            screen: self.screen,
            loudness: Loudness { quiet: false, verbose: self.verbose },
            settings: self.settings,
            ..Typed::default()
        };
        commands::tree::tree(&typed.mean(None)?, &chain, &told, print, file.as_deref(), out)
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
            PolicyArg::Auto => Policy::Auto,
            PolicyArg::Always => Policy::Always,
            PolicyArg::Never => Policy::Never,
        };
        if policy == Policy::Always && budget.is_some() {
            let misuse = Misuse::new("a chained request has no history that could be cut");
            return Err(misuse
                .help("--chain always cannot be combined with --last, --max-chars or --max-tokens")
                .into());
        }
        let (chain, told) = self.chain.mean(&self.server)?;
        let fix =
            FixOptions { orphans: self.orphans.into(), reasoning: self.reasoning.into(), ..FixOptions::default() };
        let provider = self.provider.as_deref().map(provider).transpose()?;
        let output = file_of(self.output).map(|to| Copies { to, existing: existing(self.force) });
        let wanted = Wanted { at: self.at, policy, ask: self.ask, budget, fix, told, output, provider };
        let typed = Typed {
            files: self.files,
            reading: self.reading,
            server: self.server,
            judging: Judging {
                select: self.select,
                ignore: self.ignore,
                effort: self.effort,
                schema: self.schema,
                ..Judging::default()
            },
            leniency: self.leniency,
            loudness: self.loudness,
            settings: self.settings,
            ..Typed::default()
        };
        let run = typed.mean(None)?;
        commands::rebuild::rebuild(&run, &chain, &wanted, out)
    }
}

impl ChainArgs {
    fn mean(self, server: &Server) -> Result<(ChainOptions, Told), Misuse> {
        let now = match &server.now {
            Some(text) => options::moment(text)?,
            None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64),
        };
        let pair = |text: &String| {
            let (node, id) = text.split_once('=').filter(|(node, id)| !node.is_empty() && !id.is_empty())?;
            Some((node.to_owned(), id.to_owned()))
        };
        let responses = self.response_id.iter().map(|text| {
            pair(text).ok_or_else(|| Misuse::new(format!("'{text}' is not NODE=ID")).help("as in u3=resp_abc"))
        });
        let told = Told { responses: responses.collect::<Result<_, _>>()?, edited: self.edited };
        let chain = ChainOptions {
            max_age: age(&self.max_age)?,
            now,
            store: server.store,
            model: server.model.clone(),
            target: server.target.as_deref().and_then(targets::by_name),
        };
        Ok((chain, told))
    }
}

/// A length of time; `None` for no limit. A number alone means minutes.
fn age(text: &str) -> Result<Option<i64>, Misuse> {
    let age = time::span(text, 60).ok_or_else(|| {
        Misuse::new(format!("'{text}' is not an age")).help("as in 45s, 60m, 2h, 30d; 0 means any age")
    })?;
    Ok((age > 0).then_some(age))
}

/// Who carries requests out.
fn provider(name: &str) -> Result<&'static str, Misuse> {
    let known = formats::providers().find(|known| *known == name);
    known.ok_or_else(|| options::unknown("provider", name, formats::providers().collect()))
}

fn formats_of_trees() -> String {
    let names: Vec<&str> = OUTPUTS.iter().map(|(name, _)| *name).collect();
    format!("Output format: {}; FORMAT=FILE writes it to FILE", names.join(", "))
}

/// The way in which a tree is printed.
fn output(name: &str) -> Result<Print, Misuse> {
    let known = OUTPUTS.iter().find(|(known, _)| *known == name);
    known
        .map(|(_, print)| *print)
        .ok_or_else(|| options::unknown("output format", name, OUTPUTS.iter().map(|(name, _)| *name).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_read() {
        assert_eq!(age("60m").ok(), Some(Some(3600)));
        assert_eq!(age("60").ok(), Some(Some(3600)));
        assert_eq!(age("30d").ok(), Some(Some(2_592_000)));
        assert_eq!(age("0").ok(), Some(None));
        assert!(age("1y").is_err() && age("").is_err() && age("-5m").is_err());
    }
}
