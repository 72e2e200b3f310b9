//! What a target is: an API that a history is replayed to. Targets are data: what their server can do, and where its
//! verdicts differ from a rule's own. Rules ask for capabilities and never for a target's name.

use crate::history::Code;

/// How much a finding weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Shown in JSON, in text with `-v`; changes no exit code and is never fixed.
    Info,
    Warning,
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// The severity where the server stores items, and where it stores none; `None` is silence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Levels {
    pub stored: Option<Severity>,
    pub stateless: Option<Severity>,
}

const E: Option<Severity> = Some(Severity::Error);
const W: Option<Severity> = Some(Severity::Warning);
const I: Option<Severity> = Some(Severity::Info);

impl Levels {
    pub const ERROR: Levels = Levels { stored: E, stateless: E };
    pub const WARNING: Levels = Levels { stored: W, stateless: W };
    pub const INFO: Levels = Levels { stored: I, stateless: I };
    pub const OFF: Levels = Levels { stored: None, stateless: None };
    pub const STATELESS_ERROR: Levels = Levels { stored: None, stateless: E };
    pub const STORED_ERROR: Levels = Levels { stored: E, stateless: None };
    pub const STORED_WARNING: Levels = Levels { stored: W, stateless: None };
    pub const ERROR_OR_WARNING: Levels = Levels { stored: E, stateless: W };

    pub fn at(self, stored: bool) -> Option<Severity> {
        if stored { self.stored } else { self.stateless }
    }
}

/// Where a target's verdict differs from the rule's own.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    pub code: Code,
    /// The variant of the rule; `None` means all of them.
    pub variant: Option<u8>,
    pub levels: Levels,
    /// The target's own sentence, where it differs.
    pub api: Option<&'static str>,
}

/// A verdict on all variants of a rule.
pub const fn all(code: u16, levels: Levels) -> Verdict {
    Verdict { code: Code(code), variant: None, levels, api: None }
}

/// A verdict on one variant of a rule.
pub const fn one(code: u16, variant: u8, levels: Levels) -> Verdict {
    Verdict { code: Code(code), variant: Some(variant), levels, api: None }
}

/// What a target's server can do.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Takes reasoning without an id, if it carries its encrypted blob.
    pub detached_reasoning: bool,
    /// Takes reasoning without id and blob.
    pub bare_reasoning: bool,
    /// Takes references to stored items.
    pub references: bool,
    /// Wants the calls of a turn together, and their outputs directly behind them.
    pub contiguous_outputs: bool,
    /// Answers a local shell call with a function call's output.
    pub local_shell_as_function: bool,
}

/// What is known about a model by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thinking {
    /// Takes no reasoning items.
    Never,
    /// Reasons unless the request turns it off.
    ByDefault,
    /// Reasons only if the request asks for it.
    OnRequest,
    Unknown,
}

/// A row of the table of targets.
pub struct Target {
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    pub dialect: &'static str,
    /// Whether the server stores items unless the request says otherwise.
    pub store: bool,
    pub caps: Caps,
    /// By the start of the model's name; the first that fits holds. A trailing `$` means the whole name.
    pub models: &'static [(&'static str, Thinking)],
    pub verdicts: &'static [Verdict],
    /// Where the row's facts come from.
    pub evidence: &'static str,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Target {
    /// The target's own verdict on a variant of a rule.
    pub fn verdict(&self, code: Code, variant: u8) -> Option<&'static Verdict> {
        self.verdicts.iter().find(|v| v.code == code && v.variant.is_none_or(|n| n == variant))
    }

    /// What is known about a model. Routers put their own or the vendor's name in front.
    pub fn thinking(&self, model: &str) -> Thinking {
        let model = model.rsplit('/').next().unwrap_or(model);
        let model = model.strip_prefix("openai.").unwrap_or(model);
        let fits = |pattern: &str| match pattern.strip_suffix('$') {
            Some(whole) => model == whole,
            None => model.starts_with(pattern),
        };
        self.models.iter().find(|(pattern, _)| fits(pattern)).map_or(Thinking::Unknown, |(_, thinking)| *thinking)
    }
}
