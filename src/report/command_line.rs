//! Commands that messages name, so that they can be pasted into a shell: each with its file, and with the flags of the
//! run that names it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::OnceLock;

use crate::source::shell_word;
use crate::targets;

/// The command line of the run, as far as other commands repeat it. It is set once, before anything is printed.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The running command: `check`, `baseline write`.
    pub command: String,
    pub paths: Vec<String>,
    /// The name that was given to standard input.
    pub stdin: Option<String>,
    /// The flags that each command repeats, by its name.
    pub repeated: BTreeMap<String, Vec<CommandFlag>>,
}

/// A flag, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFlag {
    /// With its dashes.
    pub flag: String,
    pub value: Option<String>,
    pub scope: FlagScope,
}

/// The inputs that a flag applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagScope {
    All,
    /// Folders, of whose files the flag selects some.
    Folders,
    Stdin,
}

static INVOCATION: OnceLock<Invocation> = OnceLock::new();

/// Sets the command line; the first call counts. Without one, commands name `FILE`.
pub fn set_invocation(invocation: Invocation) {
    INVOCATION.get_or_init(|| invocation);
}

/// The name of the running command.
pub fn running_command() -> &'static str {
    INVOCATION.get().map_or("check", |invocation| &invocation.command)
}

/// A command of this program.
#[derive(Clone, Debug)]
pub struct CommandLine {
    command: String,
    flags: Vec<CommandFlag>,
    inputs: CommandInputs,
}

#[derive(Clone, Debug)]
enum CommandInputs {
    /// Unknown.
    Placeholder,
    One(String),
    /// The inputs of the run.
    All,
    /// None: the command finds its inputs by itself.
    Nothing,
}

/// The placeholder of the file in a template.
const FILE: &str = "FILE";
/// The placeholder of the API that a history is checked against.
const API: &str = "API";

impl CommandLine {
    pub fn new(command: &str) -> CommandLine {
        CommandLine { command: command.to_owned(), flags: Vec::new(), inputs: CommandInputs::Placeholder }
    }

    /// A flag without a value.
    pub fn flag(self, flag: &str) -> CommandLine {
        self.add_flag(flag, None)
    }

    /// A flag with a value.
    pub fn with(self, flag: &str, value: &str) -> CommandLine {
        self.add_flag(flag, Some(value.to_owned()))
    }

    /// Flags as they are typed: `--store false --reasoning strip`. None of them contains a space.
    pub fn with_flags(mut self, flags: &str) -> CommandLine {
        for word in flags.split_whitespace() {
            match self.flags.last_mut() {
                Some(CommandFlag { value: value @ None, .. }) if !word.starts_with('-') => {
                    *value = Some(word.to_owned())
                }
                _ => self = self.flag(word),
            }
        }
        self
    }

    /// A flag with a value, unless the user gave that flag.
    pub fn with_default(self, flag: &str, value: &str) -> CommandLine {
        let repeated = INVOCATION.get().and_then(|invocation| invocation.repeated.get(&self.command));
        match repeated.is_some_and(|repeated| repeated.iter().any(|invocation| invocation.flag == flag)) {
            true => self,
            false => self.with(flag, value),
        }
    }

    /// True if it reads only standard input, and so prints its result.
    pub fn is_filter(&self) -> bool {
        let files = INVOCATION.get().map(|invocation| self.files(invocation)).unwrap_or_default();
        !files.is_empty() && files.iter().all(|file| file == "-")
    }

    fn add_flag(mut self, flag: &str, value: Option<String>) -> CommandLine {
        self.flags.push(CommandFlag { flag: flag.to_owned(), value, scope: FlagScope::All });
        self
    }

    /// Sets its input, given by its label.
    pub fn on_input(self, label: &str) -> CommandLine {
        CommandLine { inputs: CommandInputs::One(label.to_owned()), ..self }
    }

    /// Sets its inputs to those of the run.
    pub fn on_all_inputs(self) -> CommandLine {
        CommandLine { inputs: CommandInputs::All, ..self }
    }

    /// Leaves out its inputs.
    pub fn on_nothing(self) -> CommandLine {
        CommandLine { inputs: CommandInputs::Nothing, ..self }
    }

    /// Parses a template: `replaylint fix --orphans stub FILE`.
    fn parse(template: &str) -> CommandLine {
        let words = || template.split_whitespace().skip(1).filter(|word| *word != FILE);
        let is_name = |word: &&str| !word.starts_with('-');
        let command: Vec<&str> = words().take_while(is_name).collect();
        let flags: Vec<&str> = words().skip_while(is_name).collect();
        CommandLine::new(&command.join(" ")).with_flags(&flags.join(" "))
    }

    /// The flags of the run that it repeats: those that its own flags do not replace.
    fn repeated<'t>(&'t self, invocation: &'t Invocation) -> impl Iterator<Item = &'t CommandFlag> {
        let all = invocation.repeated.get(&self.command).into_iter().flatten();
        let reads_stdin = self.files(invocation).iter().any(|file| file == "-");
        all.filter(move |setting| {
            let is_wanted = match setting.scope {
                FlagScope::All => true,
                FlagScope::Folders => matches!(self.inputs, CommandInputs::All),
                FlagScope::Stdin => reads_stdin,
            };
            is_wanted && self.flags.iter().all(|own| own.flag != setting.flag)
        })
    }

    /// The files, quoted for a shell.
    fn files(&self, invocation: &Invocation) -> Vec<String> {
        let has_list = || invocation.repeated.values().flatten().any(|setting| setting.flag == "--files-from");
        match &self.inputs {
            CommandInputs::Placeholder => vec![FILE.to_owned()],
            CommandInputs::One(label) if Some(label) == invocation.stdin.as_ref() => vec!["-".to_owned()],
            CommandInputs::One(label) => vec![file(label)],
            CommandInputs::Nothing => Vec::new(),
            CommandInputs::All if invocation.paths.is_empty() && !has_list() => vec!["-".to_owned()],
            CommandInputs::All => invocation.paths.iter().map(|path| file(path)).collect(),
        }
    }
}

impl Display for CommandLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let none = Invocation::default();
        let invocation = INVOCATION.get().unwrap_or(&none);
        let files = if INVOCATION.get().is_some() { self.files(invocation) } else { vec![FILE.to_owned()] };
        // Standard input cannot be replaced: the result is written to standard output.
        let is_filter = self.is_filter();
        write!(f, "replaylint {}", self.command)?;
        let own = self.flags.iter().filter(|own| !["-w", "-o"].contains(&&*own.flag) || !is_filter);
        for CommandFlag { flag, value, .. } in own.chain(self.repeated(invocation)) {
            write!(f, " {flag}")?;
            if let Some(value) = value {
                write!(f, " {}", shell_word(value))?;
            }
        }
        files.iter().try_for_each(|file| write!(f, " {file}"))
    }
}

/// The file of a label, quoted for a shell. Histories of a database are named after it.
fn file(label: &str) -> String {
    let path = file_of_label(label);
    match path.strip_prefix("~/") {
        // `~` is the home only without quotes.
        Some(below) => format!("~/{}", shell_word(below)),
        _ if path.starts_with('-') && path != "-" => shell_word(&format!("./{path}")),
        _ => shell_word(path),
    }
}

/// The file of a label: a history of a database is printed as `agents.db: session …`, a file of an archive in the same
/// way.
pub fn file_of_label(label: &str) -> &str {
    let is_file = |path: &str| std::path::Path::new(path).is_file();
    match label.rsplit_once(": ") {
        Some((path, _)) if !is_file(label) && is_file(path) => path,
        _ => label,
    }
}

/// A text with its commands filled in: the file and the flags of the run for `FILE`, the target's dialect for `API`.
pub fn fill_commands<'t>(text: &'t str, label: &str, target: &str) -> Cow<'t, str> {
    const BEGINS: &str = "`replaylint ";
    if INVOCATION.get().is_none() || !text.contains(BEGINS) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGINS)
        && let Some((command, after)) = after.split_once('`')
    {
        let template = format!("replaylint {command}");
        let is_template = command.split(' ').any(|word| word == FILE);
        let mut line = CommandLine::parse(&template).on_input(label);
        for value in line.flags.iter_mut().filter_map(|flag| flag.value.as_mut()).filter(|value| *value == API) {
            *value = targets::by_name(target).map_or("responses", |target| target.dialect).to_owned();
        }
        let command = if is_template { line.to_string() } else { template };
        out.push_str(&format!("{before}`{command}`"));
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_read() {
        let line = CommandLine::parse("replaylint fix --orphans stub -w FILE");
        assert_eq!(line.to_string(), "replaylint fix --orphans stub -w FILE");
        assert_eq!(CommandLine::parse("replaylint baseline write FILE").command, "baseline write");
        assert_eq!(file("a b.json"), "'a b.json'");
        assert_eq!(file("-x.json"), "./-x.json");
        assert_eq!(file("~/it's"), r"~/'it'\''s'");
    }
}
