//! How the events of a recorded stream add up to a message, as data: what begins a message, what each event adds to it and
//! where, and when it is complete. The reading is the same for all.

use crate::json::builder::MergeRules;
use crate::json::{Val, name};

/// Why the events themselves are not edited.
pub const READ_ONLY: &str = "recorded streams are not edited; `replaylint convert --to API FILE` writes their messages as requests, which `fix` can repair";

/// What the events of a format add up to.
pub struct Reduction {
    pub begins: Begins,
    pub steps: &'static [Step],
    pub merging: MergeRules,
    /// Members of every message, as JSON, unless events set them.
    pub fixed: &'static [(&'static str, &'static str)],
    /// The list of messages that can be gone on with, each in its member `message`; without one, the whole is the message.
    pub choices: Option<Choices>,
    /// Member that says why the model stopped: null until it did.
    pub reason: &'static str,
    /// Type of the event that ends a message.
    pub end: &'static str,
    /// Type of the event that ends a part.
    pub part_end: &'static str,
    /// The list of parts in a message that count only once they are complete.
    pub parts: &'static str,
    /// Types of parts that count as far as they go: what they say is in a member of the same name.
    pub texts: &'static [&'static str],
    /// Where a part holds JSON that shows whether it is complete.
    pub json: &'static [&'static [&'static str]],
    /// Members without which a message says nothing.
    pub said: &'static [&'static str],
}

/// Several messages in one.
pub struct Choices {
    pub list: &'static str,
    pub message: &'static str,
    /// Members of each message, as JSON, unless events set them.
    pub fixed: &'static [(&'static str, &'static str)],
}

/// How the events of one message are known.
pub enum Begins {
    /// By the type of its first event.
    Event(&'static str),
    /// By a member that all of them share. Messages may be mixed, and of some servers one lasts from an event with a
    /// role to the next.
    Id { key: &'static str, role: &'static [&'static str] },
}

/// What an event adds to a message.
pub struct Step {
    /// Type of the event; empty: any.
    pub event: &'static str,
    /// Type of the event's `delta`; empty: any.
    pub delta: &'static str,
    /// Taken from the elements of this list of the event, each of which goes by its own index; empty: from the event.
    pub each: &'static str,
    pub from: &'static [&'static str],
    pub to: &'static [To],
    pub how: How,
}

/// A step on the way to what an event adds to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    Key(&'static str),
    /// The element that goes by the event's `index`.
    Index,
}

/// How something is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// It replaces what is there, unless it is null.
    Put,
    /// It is put where nothing is said yet.
    First,
    /// Its members are added.
    Merge,
    /// A text that goes on.
    Grow,
    /// A text that goes on, and spells JSON in the end.
    GrowJson,
    /// An element of a list.
    Push,
}

impl Reduction {
    /// Whether an event adds to a part of a message, or to one of several.
    pub fn speaks(&self, event: Val<'_>) -> bool {
        let mut steps = self.steps.iter().filter(|step| step.to.contains(&To::Index) && step.fits(event));
        steps.any(|step| step.sources(event).next().is_some())
    }
}

impl Step {
    pub fn fits(&self, event: Val<'_>) -> bool {
        let is = |val: Option<Val<'_>>, name: &str| name.is_empty() || val.is_some_and(|val| val.is(name));
        is(event.get(name::r#type), self.event) && is(event.at(&["delta", "type"]), self.delta)
    }

    /// What is added, each with what holds its index.
    pub fn sources<'e>(&self, event: Val<'e>) -> impl Iterator<Item = (Val<'e>, Val<'e>)> {
        let list = (!self.each.is_empty()).then(|| event.get(self.each)).flatten();
        let alone = self.each.is_empty().then_some(event);
        let holders = alone.into_iter().chain(list.into_iter().flat_map(|list| list.elements()));
        let from = self.from;
        holders.filter_map(move |holder| Some((holder, holder.at(from)?)))
    }
}
