//! Reads the settings of a request by the table of shared settings. A dialect itself reads those that have a form of their
//! own; all others are copied, or reported as settings that only this dialect has.

use std::borrow::Cow;

use crate::dialect::{Body, BodyShape};
use crate::json::{Member, Val, string};
use crate::message::settings_map;
use crate::message::settings_map::SettingRow;
use crate::message::{CopiedSetting, Losses, RawJson, Setting, Thread};

/// A member of a request, or of an object of settings in one.
pub struct SettingMember<'f, 't> {
    /// Its path in the request, in the dialect's own spelling.
    pub path: &'f str,
    pub member: &'f Member<'t>,
    /// The object that contains it.
    pub parent: Val<'t>,
    pub body: &'f Body<'t>,
}

/// Reads a setting with a form of its own. Returns whether it was one.
pub type SettingReader = fn(&SettingMember<'_, '_>, &mut Thread, &mut Losses) -> bool;

/// The reader of a dialect's settings.
pub struct SettingsGrammar {
    pub dialect: &'static str,
    /// Converts a key to the spelling that paths have.
    pub spell: fn(&[u8]) -> Cow<'_, str>,
    pub read_own: SettingReader,
}

/// Keeps the spelling.
pub fn as_written(key: &[u8]) -> Cow<'_, str> {
    string::lossy(key)
}

/// Reads one message of a body.
pub type MessageReader = fn(&Body<'_>, Val<'_>, &mut Thread, &mut Losses);

/// Reads a body: a request with its settings, a list of messages, or one message.
pub fn read_body(
    body: &Body<'_>,
    reading: &SettingsGrammar,
    message: MessageReader,
    out: &mut Thread,
    losses: &mut Losses,
) {
    match body.shape {
        BodyShape::Request => read(body, reading, out, losses),
        BodyShape::List => body.val.elements().for_each(|val| message(body, val, out, losses)),
        BodyShape::Item => message(body, body.val, out, losses),
    }
}

/// Reads the members of a request.
pub fn read(body: &Body<'_>, reading: &SettingsGrammar, out: &mut Thread, losses: &mut Losses) {
    read_within(body, body.val, "", reading, out, losses);
}

fn read_within(
    body: &Body<'_>,
    val: Val<'_>,
    above: &str,
    reading: &SettingsGrammar,
    out: &mut Thread,
    losses: &mut Losses,
) {
    for member in val.members().filter(|member| !member.val.is_null()) {
        let key = member.key.decode();
        let key = (reading.spell)(&key);
        let path = if above.is_empty() { key } else { Cow::Owned(format!("{above}.{key}")) };
        let found = SettingMember { path: &path, member: &member, parent: val, body };
        if (reading.read_own)(&found, out, losses) {
            continue;
        }
        let at = body.at_key(&member);
        if member.val.is_object() && settings_map::contains_settings(reading.dialect, &path) {
            read_within(body, member.val, &path, reading, out, losses);
            continue;
        }
        match SettingRow::by_path(reading.dialect, &path) {
            Some(form) => {
                out.settings.insert(CopiedSetting { name: form.name, value: RawJson::of(member.val), at })
            }
            None if settings_map::is_server_state(reading.dialect, &path) => out.settings.server_state.push(at),
            // An empty object or list has no effect.
            None if (member.val.is_object() || member.val.is_array()) && member.val.count() == 0 => {}
            None => out.settings.dialect_only.push(Setting { value: settings_map::dialect_only_loss(&path), at }),
        }
    }
}

impl SettingMember<'_, '_> {
    /// A setting at this member.
    pub fn set<T>(&self, value: T) -> Option<Setting<T>> {
        Some(Setting { value, at: self.body.at_key(self.member) })
    }

    /// Records it as a setting that only this dialect has.
    pub fn add_dialect_only(&self, out: &mut Thread) {
        let value = settings_map::dialect_only_loss(self.path);
        out.settings.dialect_only.push(Setting { value, at: self.body.at_key(self.member) });
    }
}
