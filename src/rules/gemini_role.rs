//! RL564: a content has a role that the API does not know.

use crate::dialect::Item;
use crate::dialects::gemini::Mend;
use crate::history::{Code, Finding, Flags, Kind, KindSet};
use crate::rule::{Check, Evidence, Loss, Out, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a content with another role than `user` and `model`.
    ///
    /// ## Why it matters
    ///
    /// The API refuses the request with HTTP 400:
    ///
    /// > Please use a valid role: user, model.
    ///
    /// It happens when a history comes from an API whose model is the `assistant`, whose tools have a role of their own,
    /// or whose instructions stand among the messages.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"text":"Hello"}]},
    ///  {"role":"assistant","parts":[{"text":"Hi"}]},
    ///  {"role":"user","parts":[{"text":"Bye"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// What an assistant says becomes the model's, what a tool or a function says the user's; nothing is lost.
    /// Instructions become words of the user, which changes their weight; better is to put them into
    /// `systemInstruction`.
    ///
    /// ## Evidence
    ///
    /// Reported in many places. All 56 recorded accepted requests use these two roles only.
    564, "gemini-role", Check::Item(KindSet::of(&[Kind::Turn]), check),
    [
        Variant {
            message: "the role of the content is another API's name for the model",
            api: Some("Please use a valid role: user, model."),
            answer: Answer::GOOGLE,
            evidence: Evidence::Reported,
            fix: "make it the model's",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the role of the content is another API's name for what the client says",
            api: Some("Please use a valid role: user, model."),
            answer: Answer::GOOGLE,
            evidence: Evidence::Reported,
            fix: "make it the user's",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the role of the content is neither user nor model",
            api: Some("Please use a valid role: user, model."),
            answer: Answer::GOOGLE,
            evidence: Evidence::Reported,
            fix: "let the user say it",
            ..Variant::BASE
        },
    ]
}

const CLIENT: u8 = 1;
const OTHER: u8 = 2;

fn check(item: &Item<'_>, out: &mut Out) {
    let Some(role) = item.val.get("role").and_then(|role| role.text()) else { return };
    let (variant, mend) = match role.as_ref() {
        _ if item.row.has(Flags::RECORDED) => return,
        b"user" | b"model" => return,
        b"assistant" => (0, Mend::ModelRole),
        b"function" | b"tool" => (CLIENT, Mend::UserRole),
        _ => (OTHER, Mend::UserRole),
    };
    out.add(Finding::new(Code(564), item.row).variant(variant).act(mend.act()));
}
