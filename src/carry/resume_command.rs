//! The command line that resumes a session, as data: the same for a session that was repaired and for one that was written.

use std::path::Path;

use crate::source::shell_word;

/// The command line that resumes a session.
pub struct ResumeCommand {
    /// The program and its arguments; `{id}` is the id of the session, `{file}` the path of its file.
    pub words: &'static [&'static str],
    /// The folder in which it must be run.
    pub folder: ResumeFolder,
}

/// The folder in which an agent finds a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResumeFolder {
    Any,
    /// The working directory that the session names.
    Session,
    /// The project, whose path is in a file of this name above the folder of the session.
    Project(&'static str),
    /// The folder so many levels above the store.
    AboveStore(usize),
}

impl ResumeCommand {
    /// A command that works in any folder.
    pub const fn anywhere(words: &'static [&'static str]) -> ResumeCommand {
        ResumeCommand { words, folder: ResumeFolder::Any }
    }

    /// A command that works in the working directory of the session only.
    pub const fn in_session_folder(words: &'static [&'static str]) -> ResumeCommand {
        ResumeCommand { words, folder: ResumeFolder::Session }
    }

    /// The command for a session, quoted for a shell. `folder` is the working directory of the session, if it is known.
    pub fn line(&self, id: &str, file: &str, folder: Option<&str>) -> String {
        let quoted = match file.strip_prefix("~/") {
            // `~` is the home only without quotes.
            Some(below) => format!("~/{}", shell_word(below)),
            None => shell_word(file),
        };
        let fill = |word: &&str| word.replace("{id}", &shell_word(id)).replace("{file}", &quoted);
        let command = self.words.iter().map(fill).collect::<Vec<_>>().join(" ");
        let folder = match self.folder {
            ResumeFolder::Any => None,
            ResumeFolder::Session | ResumeFolder::Project(_) => folder.map(str::to_owned),
            ResumeFolder::AboveStore(levels) => {
                Path::new(file).ancestors().nth(levels).map(|folder| folder.to_string_lossy().into_owned())
            }
        };
        match folder {
            Some(folder) => format!("cd {} && {command}", shell_word(&folder)),
            None => command,
        }
    }

    /// True if the command names the id.
    pub fn needs_id(&self) -> bool {
        self.words.iter().any(|word| word.contains("{id}"))
    }

    /// The command with placeholders: `codex resume ID`.
    pub fn template(&self) -> String {
        self.words.join(" ").replace("{id}", "ID").replace("{file}", "FILE")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_filled_and_quoted() {
        let by_id = ResumeCommand::in_session_folder(&["claude", "--resume", "{id}"]);
        assert_eq!(by_id.line("s1", "x", Some("/a b")), "cd '/a b' && claude --resume s1");
        assert_eq!(by_id.line("s1", "x", None), "claude --resume s1");
        assert_eq!(by_id.template(), "claude --resume ID");
        let by_file = ResumeCommand::anywhere(&["pi", "--session", "{file}"]);
        assert_eq!(by_file.line("s1", "~/a b/c.jsonl", Some("/w")), "pi --session ~/'a b/c.jsonl'");
        let of_project =
            ResumeCommand { words: &["crush", "--session", "{id}"], folder: ResumeFolder::AboveStore(2) };
        assert_eq!(of_project.line("s1", "/p/.crush/crush.db", None), "cd /p && crush --session s1");
    }
}
