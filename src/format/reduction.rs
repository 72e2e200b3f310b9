//! Tables by which the events of a recorded stream add up to a message: what begins a message, what each event adds to it
//! and where, and when it is complete. One reader serves all tables.

use crate::json::builder::MergeRules;
use crate::json::{Val, name};

/// The reason why the events themselves are not edited.
pub const READ_ONLY: &str = "recorded streams are not edited; `replaylint convert --to API FILE` writes their messages as requests, which `fix` can repair";

/// The table of a format.
pub struct Reduction {
    pub start: MessageStart,
    pub steps: &'static [ReductionStep],
    pub merge_rules: MergeRules,
    /// The path of the message in the result; empty: the result is one.
    pub message: &'static [&'static str],
    /// Members of every message, as JSON, unless events set them.
    pub defaults: &'static [(&'static str, &'static str)],
    /// The list of alternative messages; `None` if the result is one message.
    pub choices: Option<Choices>,
    /// The member with the reason why the model stopped: null until then.
    pub stop_reason: &'static str,
    /// The member of an event, or of its source, with the index of the part or choice that it adds to.
    pub index: &'static str,
    /// The event that ends a message; empty: none.
    pub end_event: &'static str,
    /// The event that ends a part; empty: none.
    pub part_end_event: &'static str,
    /// The list of parts in a message. An incomplete part is dropped.
    pub parts: &'static str,
    /// Types of parts that are kept even if incomplete. Their text is in a member of the same name.
    pub text_types: &'static [&'static str],
    /// Paths in a part to JSON text, which shows whether the part is complete.
    pub json_paths: &'static [&'static [&'static str]],
    /// The members with content: a message without any of them is empty.
    pub content_members: &'static [&'static str],
}

/// Alternative messages in one result.
pub struct Choices {
    pub list: &'static str,
    pub message: &'static str,
    /// Members of each message, as JSON, unless events set them.
    pub defaults: &'static [(&'static str, &'static str)],
}

/// The way in which events are assigned to messages.
pub enum MessageStart {
    /// A message begins with this event.
    Event(&'static str),
    /// All events of a message share the value of the first member that they have of these. Events of several messages may
    /// be interleaved; on some servers a message lasts from one event with a role to the next.
    Id { keys: &'static [&'static str], role: &'static [&'static str] },
}

/// An addition of an event to a message.
pub struct ReductionStep {
    /// The event; empty: any.
    pub event: &'static str,
    /// The type of the event's `delta`; empty: any.
    pub delta: &'static str,
    /// The list of the event whose elements are the sources, each with its own index, or the object that is the only one;
    /// empty: the event itself.
    pub each: &'static str,
    pub from: &'static [&'static str],
    pub to: &'static [PathStep],
    pub mode: MergeMode,
}

/// A step of the path in a message to which an event adds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathStep {
    Key(&'static str),
    /// The element with the `index` of the event.
    Index,
}

/// The way in which a value is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MergeMode {
    /// Replaces the present value, unless the new one is null.
    Replace,
    /// Is set if the member is absent or empty.
    SetIfEmpty,
    /// Its members are added to the object.
    Merge,
    /// Text that is appended.
    AppendText,
    /// Text that is appended, and is JSON once complete.
    AppendJson,
    /// Is appended to a list.
    Push,
    /// Its elements are appended to a list of parts; a plain text continues the text before it.
    AppendParts,
}

/// True if an event has this name: as its `type`, or as the key of its content.
pub fn is_event(event: Val<'_>, name: &str) -> bool {
    !name.is_empty() && (event.get(name::r#type).is_some_and(|kind| kind.is(name)) || event.get(name).is_some())
}

impl Reduction {
    /// True if an event adds to a part of a message, or to one of several.
    pub fn adds_content(&self, event: Val<'_>) -> bool {
        let mut steps = self.steps.iter().filter(|step| step.to.contains(&PathStep::Index) && step.matches(event));
        steps.any(|step| step.sources(event).next().is_some())
    }
}

/// The defaults of a step.
pub const ANY: ReductionStep =
    ReductionStep { event: "", delta: "", each: "", from: &[], to: &[], mode: MergeMode::Replace };

impl ReductionStep {
    /// True if the step applies to an event.
    pub fn matches(&self, event: Val<'_>) -> bool {
        let has_delta = || event.at(&["delta", "type"]).is_some_and(|kind| kind.is(self.delta));
        (self.event.is_empty() || is_event(event, self.event)) && (self.delta.is_empty() || has_delta())
    }

    /// The values to add, each after the value with its index.
    pub fn sources<'e>(&self, event: Val<'e>) -> impl Iterator<Item = (Val<'e>, Val<'e>)> {
        let list = (!self.each.is_empty()).then(|| event.get(self.each)).flatten();
        let alone = if self.each.is_empty() { Some(event) } else { list.filter(Val::is_object) };
        let holders = alone.into_iter().chain(list.into_iter().flat_map(|list| list.elements()));
        let from = self.from;
        holders.filter_map(move |holder| Some((holder, holder.at(from)?)))
    }
}
