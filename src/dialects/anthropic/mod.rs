//! Messages of the Anthropic Messages API.

mod lift;
mod lower;

use crate::dialect::{Body, Cannot, Change, Dialect, Item, Origin, Written};
use crate::json::Val;
use crate::json::edit::Base;
use crate::neutral::{Conversation, Losses, Takes};
use crate::place::Edit;

pub struct Anthropic;

pub static ANTHROPIC: Anthropic = Anthropic;

/// The dialect's name.
pub const NAME: &str = "anthropic";

impl Dialect for Anthropic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn rows<'t>(&self, _: Val<'t>, _: Origin<'_>, _: &mut dyn FnMut(Item<'t>)) {}

    fn change(&self, _: &Change, _: Val<'_>, _: Base<'_>, _: &mut Vec<Edit>) -> Result<(), Cannot> {
        Err(Cannot("items of this dialect are converted, and not edited"))
    }

    fn stub(&self, _: Val<'_>) -> Result<Vec<u8>, Cannot> {
        Err(Cannot("items of this dialect are converted, and not edited"))
    }

    fn takes(&self) -> &'static Takes {
        &lower::TAKES
    }

    fn lift(&self, body: Body<'_>, out: &mut Conversation, losses: &mut Losses) {
        lift::lift(&body, out, losses);
    }

    fn lower(&self, conversation: &Conversation, written: Written, out: &mut Vec<u8>) {
        lower::lower(conversation, written, out);
    }
}
