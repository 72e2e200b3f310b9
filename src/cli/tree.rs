//! What may be typed behind `tree` and `rebuild`.

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};

use crate::commands::products::Copies;
use crate::commands::rebuild::Wanted;
use crate::commands::tree::Told;
use crate::commands::{self, Failure, Outcome};
use crate::fix::FixOptions;
use crate::history::time;
use crate::options::{self, Misuse};
use crate::replay::stream::Provider;
use crate::replay::{Budget, ChainOptions, Policy};
use crate::report::tree::{OUTPUTS, Print};
use crate::targets;

use super::{Common, OrphansArg, ReasoningArg, existing};

#[derive(Args, Debug)]
#[command(
    after_help = "Marks: ● on the live branch, ○ on another, ◌ not answered yet. Behind the name: age of the \
                        response, and whether the next request there may build on its id (chain) or must carry the \
                        whole history (rebuild), and why.\nExit codes: 0, 1 if links are broken, 2 if the job could \
                        not be done."
)]
pub(super) struct TreeArgs {
    #[command(flatten)]
    chain: ChainArgs,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
#[command(
    after_help = "The request goes to standard output, the decisions and their reasons to standard error. The \
                        conversation's files are never written. Warnings about the request are told with -v.\nExit codes: 0, 1 if the request would still be \
                        refused (it is printed), 2 for an unknown node or if the job could not be done."
)]
pub(super) struct RebuildArgs {
    /// The node behind which the conversation goes on: its name or a unique part of it, a response id, or the number
    /// of a record; the current leaf if it is not given. Of an event stream, the offset or the name of a request; of a
    /// slimmed log, the number of a record
    #[arg(long, value_name = "NODE", help_heading = "Request")]
    at: Option<String>,
    /// What the user says next
    #[arg(long, value_name = "TEXT", help_heading = "Request")]
    ask: Option<String>,
    /// Whether to build on the server's state by previous_response_id
    #[arg(long = "chain", value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Request")]
    policy: PolicyArg,
    /// Only the last N items, cut where it is legal
    #[arg(long, value_name = "N", group = "budget", help_heading = "Request")]
    last: Option<usize>,
    /// Only the last items, of N characters together
    #[arg(long, value_name = "N", group = "budget", help_heading = "Request")]
    max_chars: Option<usize>,
    /// Only the last items, of about N tokens together (estimated)
    #[arg(long, value_name = "N", group = "budget", help_heading = "Request")]
    max_tokens: Option<usize>,
    /// What to do about a call that nobody answered
    #[arg(long, value_enum, default_value = "drop", help_heading = "Request")]
    orphans: OrphansArg,
    /// What to do about reasoning
    #[arg(long, value_enum, default_value = "auto", help_heading = "Request")]
    reasoning: ReasoningArg,
    /// Whose request of an event stream it is, where the stream does not say: cloudflare-ai, openai-ws
    #[arg(long, value_name = "NAME", help_heading = "Request")]
    provider: Option<String>,
    /// Write the request to FILE
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, requires = "output", help_heading = "Output")]
    force: bool,
    #[command(flatten)]
    chain: ChainArgs,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
struct ChainArgs {
    /// Build on responses up to this age only (45s, 60m, 2h, 30d; 0: any)
    #[arg(long, value_name = "AGE", default_value = "60m", help_heading = "Chain")]
    max_age: String,
    /// The response id of a node, where the file does not hold it
    #[arg(long, value_name = "NODE=ID", help_heading = "Chain")]
    response_id: Vec<String>,
    /// A node whose text was edited, so that the server holds another
    #[arg(long, value_name = "NODE", help_heading = "Chain")]
    edited: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum PolicyArg {
    /// Where the server holds just what the client has
    Auto,
    Always,
    Never,
}

impl TreeArgs {
    pub(super) fn run(mut self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let print = output(std::mem::take(&mut self.common.output_format))?;
        let (chain, told) = self.chain.mean(&self.common)?;
        let run = self.common.mean(None)?;
        commands::tree::tree(&run, &chain, &told, print, out)
    }
}

impl RebuildArgs {
    pub(super) fn run(mut self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        if let Some(form) = std::mem::take(&mut self.common.output_format).first() {
            return Err(Misuse::new(format!("rebuild prints a request, not '{form}'")).into());
        }
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
            let misuse = Misuse::new("a chained request carries no history that could be cut");
            return Err(misuse.help("--chain always goes without --last, --max-chars and --max-tokens").into());
        }
        let (chain, told) = self.chain.mean(&self.common)?;
        let fix =
            FixOptions { orphans: self.orphans.into(), reasoning: self.reasoning.into(), ..FixOptions::default() };
        let provider = self.provider.as_deref().map(provider).transpose()?;
        let output = self.output.map(|to| Copies { to, existing: existing(self.force) });
        let wanted = Wanted { at: self.at, policy, ask: self.ask, budget, fix, told, output, provider };
        let run = self.common.mean(None)?;
        commands::rebuild::rebuild(&run, &chain, &wanted, out)
    }
}

impl ChainArgs {
    fn mean(self, common: &Common) -> Result<(ChainOptions, Told), Misuse> {
        let now = match &common.now {
            Some(text) => options::moment(text)?,
            None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64),
        };
        let pair = |text: &String| {
            let (node, id) = text.split_once('=').filter(|(node, id)| !node.is_empty() && !id.is_empty())?;
            Some((node.to_owned(), id.to_owned()))
        };
        let responses = self.response_id.iter().map(|text| {
            pair(text).ok_or_else(|| Misuse::new(format!("'{text}' is no NODE=ID")).help("as in u3=resp_abc"))
        });
        let told = Told { responses: responses.collect::<Result<_, _>>()?, edited: self.edited };
        let chain = ChainOptions {
            max_age: age(&self.max_age)?,
            now,
            store: common.store,
            model: common.model.clone(),
            target: common.target.as_deref().and_then(targets::by_name),
        };
        Ok((chain, told))
    }
}

/// A length of time; `None` for no limit. A number alone means minutes.
fn age(text: &str) -> Result<Option<i64>, Misuse> {
    let age = time::span(text, 60).ok_or_else(|| {
        Misuse::new(format!("'{text}' is no age")).help("as in 45s, 60m, 2h, 30d; 0 means any age")
    })?;
    Ok((age > 0).then_some(age))
}

/// Who carries requests out.
fn provider(name: &str) -> Result<Provider, Misuse> {
    let known = Provider::ALL.into_iter().find(|known| known.name() == name);
    known.ok_or_else(|| options::unknown("provider", name, Provider::ALL.map(Provider::name).to_vec()))
}

/// The one form in which a tree is printed.
fn output(told: Vec<String>) -> Result<Print, Misuse> {
    let name = told.first().map_or("text", String::as_str);
    let known = OUTPUTS.iter().find(|(known, _)| *known == name);
    known
        .map(|(_, print)| *print)
        .ok_or_else(|| options::unknown("form of a tree", name, OUTPUTS.iter().map(|(name, _)| *name).collect()))
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
