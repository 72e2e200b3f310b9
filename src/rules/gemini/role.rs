//! RL564: a content has a role that the API does not know.

use crate::dialect::Item;
use crate::history::{Finding, Flags, Kind, KindSet};
use crate::json::value_edit::ValueEdit;
use crate::json::{Val, name};
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a content with a role other than `user` and `model`. The role `function` is accepted on a content that
    /// has only `functionResponse` parts.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Please use a valid role: user, model.
    ///
    /// It happens when a history comes from an API whose model is the `assistant`, whose tools have their own role, or
    /// whose instructions are among the messages.
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
    /// Assistant contents become the model's, contents of tools and functions the user's; nothing is lost.
    /// Instructions become user content, which changes their authority; it is better to move them to
    /// `systemInstruction`.
    ///
    /// ## Evidence
    ///
    /// Reported in many places. Seven recorded requests to gemini-2.0-flash and gemini-3.1-flash-lite have the role
    /// `function` on their function responses and were accepted; all others use `user` and `model` only.
    GEMINI_ROLE, "gemini-role" of "gemini" tags [Field], Check::Item(KindSet::of(&[Kind::BlockMessage]), check),
    [
        Variant {
            message: "the role is another API's name for `model`",
            api: Some("Please use a valid role: user, model."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "change the role to model",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the role is another API's name for `user`",
            api: Some("Please use a valid role: user, model."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "change the role to user",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the role is neither `user` nor `model`",
            api: Some("Please use a valid role: user, model."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "change the role to `user`",
            ..Variant::BASE
        },
    ]
}

const CLIENT: u8 = 1;
const OTHER: u8 = 2;

static TO_USER: ValueEdit = ValueEdit::put("role", r#""user""#);
static TO_MODEL: ValueEdit = ValueEdit::put("role", r#""model""#);

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let Some(role) = item.val.get(name::role).and_then(|role| role.text()) else { return };
    let (variant, mend) = match role.as_ref() {
        _ if item.row.has(Flags::RECORDED) => return,
        b"user" | b"model" => return,
        b"function" if has_only_responses(item.val) => return,
        b"assistant" => (0, &TO_MODEL),
        b"function" | b"tool" => (CLIENT, &TO_USER),
        _ => (OTHER, &TO_USER),
    };
    out.add(Finding::new(RULE.code, item.row).variant(variant).edit_value(mend));
}

fn has_only_responses(content: Val<'_>) -> bool {
    let is_response = |part: Val<'_>| {
        let response = part.get(name::functionResponse).or_else(|| part.get(name::function_response));
        response.is_some_and(|response| response.is_object())
    };
    content.get(name::parts).is_some_and(|parts| parts.count() > 0 && parts.elements().all(is_response))
}
