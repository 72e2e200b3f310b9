//! What a request asks for beside its conversation, as far as more than one dialect knows it.

use super::settings_map::{FORMS, Name};
use super::write::Writer;
use super::{At, LossKind, Raw, Text};

/// A setting, and where its key is.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    pub value: T,
    pub at: At,
}

/// A setting that may be absent.
pub type Set<T> = Option<Setting<T>>;

/// A setting that says the same wherever it is known, and is copied as it stands.
#[derive(Clone, Debug)]
pub struct Plain {
    pub name: Name,
    pub value: Raw,
    pub at: At,
}

#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Settings that are copied.
    pub plain: Vec<Plain>,
    pub stop: Set<Vec<Text>>,
    pub choice: Set<Choice>,
    /// Whether the model may call several tools at once.
    pub parallel: Set<bool>,
    pub effort: Set<Effort>,
    /// How thoughts are summed up for the user: `auto`, `concise`, `detailed`.
    pub summary: Set<Text>,
    pub output: Set<OutputFormat>,
    /// Settings that no other dialect knows: where their keys stand, and what it is to lose them.
    pub others: Vec<Setting<LossKind>>,
    /// The request builds on what the server holds.
    pub state: Vec<At>,
}

impl Settings {
    /// Takes one of several words on how hard to think. That the model is not to think at all holds, wherever it is said;
    /// that it may choose says less than any other. A word that does not hold is lost.
    pub fn think(&mut self, set: Option<Setting<Effort>>) {
        let Some(new) = set else { return };
        let Some(old) = self.effort.take() else {
            self.effort = Some(new);
            return;
        };
        let rank = |effort: &Effort| match effort {
            Effort::Off => 2,
            Effort::Level(_) | Effort::Budget(_) => 1,
            Effort::Adaptive => 0,
        };
        let (kept, lost) = if rank(&new.value) > rank(&old.value) { (new, old) } else { (old, new) };
        if rank(&lost.value) == 1 {
            self.others.push(Setting { value: LossKind::OVERRULED, at: lost.at });
        }
        self.effort = Some(kept);
    }
}

/// How hard to think.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effort {
    /// `low`, `medium`, `high` …
    Level(Text),
    /// In tokens.
    Budget(u32),
    /// As hard as the model sees fit.
    Adaptive,
    Off,
}

/// Which tool to call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    Auto,
    None,
    /// Any tool, but one.
    Required,
    Tool(Text),
    /// Only these.
    Allowed {
        names: Vec<Text>,
        required: bool,
    },
}

/// The form of the answer.
#[derive(Clone, Debug)]
pub enum OutputFormat {
    Json,
    Schema { name: Option<Text>, description: Option<Text>, schema: Raw, strict: Option<bool> },
}

impl Settings {
    pub fn get(&self, name: Name) -> Option<&Plain> {
        self.plain.iter().find(|plain| plain.name == name)
    }

    pub fn get_mut(&mut self, name: Name) -> Option<&mut Plain> {
        self.plain.iter_mut().find(|plain| plain.name == name)
    }

    pub fn take(&mut self, name: Name) -> Option<Plain> {
        let ix = self.plain.iter().position(|plain| plain.name == name)?;
        Some(self.plain.remove(ix))
    }

    /// Takes a setting; of two that mean the same the later one holds.
    pub fn put(&mut self, plain: Plain) {
        match self.get_mut(plain.name) {
            Some(own) => *own = plain,
            None => self.plain.push(plain),
        }
    }

    /// The copied settings that lie directly in the object at a path of a dialect, each with its key, in the order of the
    /// table.
    fn within<'s>(&'s self, dialect: &'s str, path: &'s str) -> impl Iterator<Item = (&'static str, &'s Plain)> {
        FORMS.iter().filter_map(move |form| {
            let own = form.path(dialect)?;
            let (parent, key) = own.rsplit_once('.').unwrap_or(("", own));
            let plain = self.get(form.name).filter(|_| parent == path)?;
            Some((key, plain))
        })
    }

    /// Whether there are any.
    pub fn any_within(&self, dialect: &str, path: &str) -> bool {
        self.within(dialect, path).next().is_some()
    }

    /// Writes them as members.
    pub fn write_within(&self, dialect: &str, path: &str, w: &mut Writer<'_>) {
        for (key, plain) in self.within(dialect, path) {
            w.key(key).raw(&plain.value);
        }
    }
}

impl Effort {
    /// Google's page on its OpenAI-compatible API gives these budgets to the words.
    /// https://ai.google.dev/gemini-api/docs/openai
    const SCALE: [(&'static str, u32); 5] =
        [("minimal", 1024), ("low", 1024), ("medium", 8192), ("high", 24576), ("xhigh", 32768)];

    /// A word for a number of tokens: by thirds of the usual range.
    pub fn level_of(budget: u32) -> &'static str {
        match budget {
            0..8192 => "low",
            8192..16384 => "medium",
            _ => "high",
        }
    }

    /// A number of tokens for a word.
    pub fn budget_of(level: &Text) -> u32 {
        let plain = level.plain().to_ascii_lowercase();
        let found = Self::SCALE.iter().find(|(name, _)| name.as_bytes() == plain);
        found.map_or(24576, |(_, budget)| *budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_becomes_a_budget_and_the_same_word_again() {
        for word in ["low", "medium", "high"] {
            assert_eq!(Effort::level_of(Effort::budget_of(&Text::new(word))), word);
        }
    }
}
