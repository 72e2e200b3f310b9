//! Commands that messages name, so that they can be pasted into a shell: each with its file, and with the settings of the
//! run that names it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::OnceLock;

use crate::source::shell_word;
use crate::targets;

/// What was typed, as far as other commands repeat it. It is set once, before anything is printed.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    /// The command that runs: `check`, `baseline write`.
    pub command: String,
    pub paths: Vec<String>,
    /// The name that was given to standard input.
    pub stdin: Option<String>,
    /// What each command repeats, by its name.
    pub repeated: BTreeMap<String, Vec<Setting>>,
}

/// A flag, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// With its dashes.
    pub flag: String,
    pub value: Option<String>,
    pub concerns: Concerns,
}

/// Inputs that a setting makes a difference for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concerns {
    All,
    /// Which files are read of those that are named.
    Folders,
    Stdin,
}

static TYPED: OnceLock<Typed> = OnceLock::new();

/// Sets what was typed; the first call counts. Without one, commands name `FILE`.
pub fn set(typed: Typed) {
    TYPED.get_or_init(|| typed);
}

/// The name of the command that runs.
pub fn running() -> &'static str {
    TYPED.get().map_or("check", |typed| &typed.command)
}

/// A command of this program.
#[derive(Clone, Debug)]
pub struct CommandLine {
    command: String,
    flags: Vec<Setting>,
    inputs: Inputs,
}

#[derive(Clone, Debug)]
enum Inputs {
    /// Not known.
    Placeholder,
    One(String),
    /// Those of the run.
    All,
}

/// What stands for the file in a template.
const FILE: &str = "FILE";
/// What stands for the API that a history is judged for.
const API: &str = "API";

impl CommandLine {
    pub fn new(command: &str) -> CommandLine {
        CommandLine { command: command.to_owned(), flags: Vec::new(), inputs: Inputs::Placeholder }
    }

    pub fn flag(self, flag: &str) -> CommandLine {
        self.setting(flag, None)
    }

    /// A flag with a value.
    pub fn with(self, flag: &str, value: &str) -> CommandLine {
        self.setting(flag, Some(value.to_owned()))
    }

    /// Flags as they are typed: `--store false --reasoning strip`. None of them holds a space.
    pub fn and(mut self, flags: &str) -> CommandLine {
        for word in flags.split_whitespace() {
            match self.flags.last_mut() {
                Some(Setting { value: value @ None, .. }) if !word.starts_with('-') => {
                    *value = Some(word.to_owned())
                }
                _ => self = self.flag(word),
            }
        }
        self
    }

    /// A flag with a value that holds as long as the user said nothing else.
    pub fn assuming(self, flag: &str, value: &str) -> CommandLine {
        let repeated = TYPED.get().and_then(|typed| typed.repeated.get(&self.command));
        match repeated.is_some_and(|repeated| repeated.iter().any(|typed| typed.flag == flag)) {
            true => self,
            false => self.with(flag, value),
        }
    }

    /// Whether it reads standard input alone, and so prints what it makes of it.
    pub fn is_filter(&self) -> bool {
        let files = TYPED.get().map(|typed| self.files(typed)).unwrap_or_default();
        !files.is_empty() && files.iter().all(|file| file == "-")
    }

    fn setting(mut self, flag: &str, value: Option<String>) -> CommandLine {
        self.flags.push(Setting { flag: flag.to_owned(), value, concerns: Concerns::All });
        self
    }

    /// On one input, as it is printed.
    pub fn on(self, label: &str) -> CommandLine {
        CommandLine { inputs: Inputs::One(label.to_owned()), ..self }
    }

    /// On what the run reads.
    pub fn on_all(self) -> CommandLine {
        CommandLine { inputs: Inputs::All, ..self }
    }

    /// From a template: `replaylint fix --orphans stub FILE`.
    fn parse(template: &str) -> CommandLine {
        let words = || template.split_whitespace().skip(1).filter(|word| *word != FILE);
        let is_name = |word: &&str| !word.starts_with('-');
        let command: Vec<&str> = words().take_while(is_name).collect();
        let flags: Vec<&str> = words().skip_while(is_name).collect();
        CommandLine::new(&command.join(" ")).and(&flags.join(" "))
    }

    /// The settings of the run that it repeats: those that its own flags do not replace.
    fn repeated<'t>(&'t self, typed: &'t Typed) -> impl Iterator<Item = &'t Setting> {
        let all = typed.repeated.get(&self.command).into_iter().flatten();
        let reads_stdin = self.files(typed).iter().any(|file| file == "-");
        all.filter(move |setting| {
            let is_wanted = match setting.concerns {
                Concerns::All => true,
                Concerns::Folders => matches!(self.inputs, Inputs::All),
                Concerns::Stdin => reads_stdin,
            };
            is_wanted && self.flags.iter().all(|own| own.flag != setting.flag)
        })
    }

    /// The files as a shell takes them.
    fn files(&self, typed: &Typed) -> Vec<String> {
        let has_list = || typed.repeated.values().flatten().any(|setting| setting.flag == "--files-from");
        match &self.inputs {
            Inputs::Placeholder => vec![FILE.to_owned()],
            Inputs::One(label) if Some(label) == typed.stdin.as_ref() => vec!["-".to_owned()],
            Inputs::One(label) => vec![file(label)],
            Inputs::All if typed.paths.is_empty() && !has_list() => vec!["-".to_owned()],
            Inputs::All => typed.paths.iter().map(|path| file(path)).collect(),
        }
    }
}

impl Display for CommandLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let none = Typed::default();
        let typed = TYPED.get().unwrap_or(&none);
        let files = if TYPED.get().is_some() { self.files(typed) } else { vec![FILE.to_owned()] };
        // Standard input cannot be replaced: what is made of it goes to standard output.
        let is_filter = self.is_filter();
        write!(f, "replaylint {}", self.command)?;
        let own = self.flags.iter().filter(|own| !["-w", "-o"].contains(&&*own.flag) || !is_filter);
        for Setting { flag, value, .. } in own.chain(self.repeated(typed)) {
            write!(f, " {flag}")?;
            if let Some(value) = value {
                write!(f, " {}", shell_word(value))?;
            }
        }
        files.iter().try_for_each(|file| write!(f, " {file}"))
    }
}

/// The file of an input as it is printed, as a shell takes it. Histories of a database are named after it.
fn file(label: &str) -> String {
    let path = file_of(label);
    match path.strip_prefix("~/") {
        // Only without quotes it is the home.
        Some(below) => format!("~/{}", shell_word(below)),
        _ if path.starts_with('-') && path != "-" => shell_word(&format!("./{path}")),
        _ => shell_word(path),
    }
}

/// The file of a label: a history of a database is printed as `agents.db: session …`, a file of an archive in the same
/// way.
pub fn file_of(label: &str) -> &str {
    let is_file = |path: &str| std::path::Path::new(path).is_file();
    match label.rsplit_once(": ") {
        Some((path, _)) if !is_file(label) && is_file(path) => path,
        _ => label,
    }
}

/// A text whose commands name `FILE`, with the file and the settings of the run in them, and the target's API for `API`.
pub fn filled<'t>(text: &'t str, label: &str, target: &str) -> Cow<'t, str> {
    const BEGINS: &str = "`replaylint ";
    if TYPED.get().is_none() || !text.contains(BEGINS) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGINS)
        && let Some((command, after)) = after.split_once('`')
    {
        let template = format!("replaylint {command}");
        let is_template = command.split(' ').any(|word| word == FILE);
        let mut line = CommandLine::parse(&template).on(label);
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
