//! The settings of a request that more than one dialect has.

use super::settings_map::{SETTING_ROWS, SettingName};
use super::write::JsonWriter;
use super::{LossKind, RawJson, SourceLocation, Text};

/// A setting, and the location of its key.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    pub value: T,
    pub at: SourceLocation,
}

/// A setting that may be absent.
pub type OptionalSetting<T> = Option<Setting<T>>;

/// A setting that has the same values in all dialects, and is copied unchanged.
#[derive(Clone, Debug)]
pub struct CopiedSetting {
    pub name: SettingName,
    pub value: RawJson,
    pub at: SourceLocation,
}

#[derive(Clone, Debug, Default)]
pub struct RequestSettings {
    /// Settings that are copied.
    pub copied: Vec<CopiedSetting>,
    pub stop: OptionalSetting<Vec<Text>>,
    pub choice: OptionalSetting<ToolChoice>,
    /// True if the model may call several tools at once.
    pub parallel: OptionalSetting<bool>,
    pub effort: OptionalSetting<EffortSetting>,
    /// How reasoning is summarised for the user: `auto`, `concise`, `detailed`.
    pub summary: OptionalSetting<Text>,
    pub output: OptionalSetting<OutputFormat>,
    /// Settings that no other dialect has: the locations of their keys, and the kind of their loss.
    pub dialect_only: Vec<Setting<LossKind>>,
    /// Locations of members that refer to state on the server.
    pub server_state: Vec<SourceLocation>,
}

impl RequestSettings {
    /// Sets the reasoning effort, which several members may give. Off overrides an amount, and an amount overrides adaptive;
    /// an amount that is overridden is reported as lost.
    pub fn set_effort(&mut self, set: Option<Setting<EffortSetting>>) {
        let Some(new) = set else { return };
        let Some(old) = self.effort.take() else {
            self.effort = Some(new);
            return;
        };
        let rank = |effort: &EffortSetting| match effort {
            EffortSetting::Off => 2,
            EffortSetting::Level(_) | EffortSetting::Budget(_) => 1,
            EffortSetting::Adaptive => 0,
        };
        let (kept, lost) = if rank(&new.value) > rank(&old.value) { (new, old) } else { (old, new) };
        if rank(&lost.value) == 1 {
            self.dialect_only.push(Setting { value: LossKind::OVERRIDDEN_SETTING, at: lost.at });
        }
        self.effort = Some(kept);
    }
}

/// Reasoning effort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EffortSetting {
    /// `low`, `medium`, `high` …
    Level(Text),
    /// In tokens.
    Budget(u32),
    /// The model decides.
    Adaptive,
    Off,
}

/// The tools that the model may or must call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolChoice {
    Auto,
    None,
    /// Any tool, but at least one.
    Required,
    Tool(Text),
    /// Only these.
    Allowed {
        names: Vec<Text>,
        required: bool,
    },
}

/// The format of the answer.
#[derive(Clone, Debug)]
pub enum OutputFormat {
    Json,
    Schema { name: Option<Text>, description: Option<Text>, schema: RawJson, strict: Option<bool> },
}

impl RequestSettings {
    pub fn get(&self, name: SettingName) -> Option<&CopiedSetting> {
        self.copied.iter().find(|setting| setting.name == name)
    }

    pub fn get_mut(&mut self, name: SettingName) -> Option<&mut CopiedSetting> {
        self.copied.iter_mut().find(|setting| setting.name == name)
    }

    pub fn remove(&mut self, name: SettingName) -> Option<CopiedSetting> {
        let ix = self.copied.iter().position(|setting| setting.name == name)?;
        Some(self.copied.remove(ix))
    }

    /// Sets a setting, instead of an earlier one of its name.
    pub fn insert(&mut self, setting: CopiedSetting) {
        match self.get_mut(setting.name) {
            Some(own) => *own = setting,
            None => self.copied.push(setting),
        }
    }

    /// The copied settings directly in the object at a path of a dialect, each with its key, in the order of the table.
    fn members_of<'s>(
        &'s self,
        dialect: &'s str,
        path: &'s str,
    ) -> impl Iterator<Item = (&'static str, &'s CopiedSetting)> {
        let rows = if self.copied.is_empty() { &[][..] } else { &SETTING_ROWS };
        rows.iter().filter_map(move |row| {
            let setting = self.get(row.name)?;
            let own = row.path(dialect)?;
            let (parent, key) = own.rsplit_once('.').unwrap_or(("", own));
            (parent == path).then_some((key, setting))
        })
    }

    /// True if the object at a path has copied settings.
    pub fn has_members_of(&self, dialect: &str, path: &str) -> bool {
        self.members_of(dialect, path).next().is_some()
    }

    /// Writes the copied settings of the object at a path as members.
    pub fn write_members_of(&self, dialect: &str, path: &str, w: &mut JsonWriter<'_>) {
        for (key, setting) in self.members_of(dialect, path) {
            w.key(key).raw(&setting.value);
        }
    }
}

impl EffortSetting {
    /// Budgets in tokens for words, from Google's page on its OpenAI-compatible API.
    /// https://ai.google.dev/gemini-api/docs/openai
    const SCALE: [(&'static str, u32); 5] =
        [("minimal", 1024), ("low", 1024), ("medium", 8192), ("high", 24576), ("xhigh", 32768)];

    /// The word for a number of tokens: by thirds of the usual range.
    pub fn level_of(budget: u32) -> &'static str {
        match budget {
            0..8192 => "low",
            8192..16384 => "medium",
            _ => "high",
        }
    }

    /// The number of tokens for a word.
    pub fn budget_of(level: &Text) -> u32 {
        let word = level.plain().to_ascii_lowercase();
        let found = Self::SCALE.iter().find(|(name, _)| name.as_bytes() == word);
        found.map_or(24576, |(_, budget)| *budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_becomes_a_budget_and_the_same_word_again() {
        for word in ["low", "medium", "high"] {
            assert_eq!(EffortSetting::level_of(EffortSetting::budget_of(&Text::new(word))), word);
        }
    }
}
