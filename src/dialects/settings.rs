//! The settings of a request, read by the table of what dialects share. What a dialect says in a form of its own it reads
//! itself; all else is copied, or noted as what only that dialect has.

use std::borrow::Cow;

use crate::dialect::Body;
use crate::json::{Member, Val};
use crate::message::settings_map;
use crate::message::settings_map::Form;
use crate::message::{Losses, Plain, Raw, Setting, Thread};

/// A member of a request, or of an object of settings in one.
pub struct Found<'f, 't> {
    /// Its path in the request, in the dialect's own spelling.
    pub path: &'f str,
    pub member: &'f Member<'t>,
    /// The object that holds it.
    pub parent: Val<'t>,
    pub body: &'f Body<'t>,
}

/// Reads what has a form of its own; whether it was that.
pub type Own = fn(&Found<'_, '_>, &mut Thread, &mut Losses) -> bool;

/// How a dialect's settings are read.
pub struct Reading {
    pub dialect: &'static str,
    /// The spelling of a key that paths have.
    pub spell: fn(&[u8]) -> Cow<'_, str>,
    pub own: Own,
}

/// The spelling as it stands.
pub fn as_written(key: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(key)
}

/// Reads the members of a request.
pub fn read(body: &Body<'_>, reading: &Reading, out: &mut Thread, losses: &mut Losses) {
    within(body, body.val, "", reading, out, losses);
}

fn within(body: &Body<'_>, val: Val<'_>, above: &str, reading: &Reading, out: &mut Thread, losses: &mut Losses) {
    for member in val.members().filter(|member| !member.val.is_null()) {
        let key = member.key.decode();
        let key = (reading.spell)(&key);
        let path = if above.is_empty() { key } else { Cow::Owned(format!("{above}.{key}")) };
        let found = Found { path: &path, member: &member, parent: val, body };
        if (reading.own)(&found, out, losses) {
            continue;
        }
        let at = body.at_key(&member);
        if member.val.is_object() && settings_map::holds(reading.dialect, &path) {
            within(body, member.val, &path, reading, out, losses);
            continue;
        }
        match Form::at(reading.dialect, &path) {
            Some(form) => out.settings.put(Plain { name: form.name, value: Raw::of(member.val), at }),
            None if settings_map::is_state(reading.dialect, &path) => out.settings.state.push(at),
            // What is empty asks for nothing.
            None if (member.val.is_object() || member.val.is_array()) && member.val.count() == 0 => {}
            None => out.settings.others.push(Setting { value: settings_map::loss_alone(&path), at }),
        }
    }
}

impl Found<'_, '_> {
    /// A setting of this member.
    pub fn set<T>(&self, value: T) -> Option<Setting<T>> {
        Some(Setting { value, at: self.body.at_key(self.member) })
    }

    /// Notes that only this dialect has it.
    pub fn alone(&self, out: &mut Thread) {
        let value = settings_map::loss_alone(self.path);
        out.settings.others.push(Setting { value, at: self.body.at_key(self.member) });
    }
}
