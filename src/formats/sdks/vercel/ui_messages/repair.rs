//! How UIMessages are repaired where they lie. The ids of messages are keys of the app's database: they stay.

use crate::format::{Repaired, Wanted};
use crate::formats::sdks::vercel;
use crate::history::{Code, codes};
use crate::json::edit::{Base, remove_members};
use crate::json::{Val, name};
use crate::place::Edit;

use super::part::{UiPart, parts};

/// The findings about calls without a result, and about ids of items that the server does not take.
pub(super) const CURES: &[(Code, &str)] = &[
    (codes::MISSING_OUTPUT, FAIL),
    (codes::CHAT_MISSING_REPLY, FAIL),
    (codes::ANTHROPIC_MISSING_RESULT, FAIL),
    (codes::ITEM_WITHOUT_REASONING, FORGET),
    (codes::REASONING_WITHOUT_ITEM, FORGET),
    (codes::REGROUPED_REASONING, FORGET),
    (codes::DUPLICATE_ID, FORGET),
];

const FAIL: &str = "set the part to `output-error`, with an `errorText` that says that there is no result";
const FORGET: &str = "remove `itemId` and `reasoningEncryptedContent` from all parts of the step";

/// What the model reads in the place of the result.
const NO_RESULT: &str = "The tool call was interrupted and has no result.";

pub(super) fn repair(record: Val<'_>, base: Base<'_>, wanted: &Wanted<'_>, out: &mut Repaired) {
    for message in vercel::messages(record).filter(|message| wanted.within(base.of(*message))) {
        let parts = parts(message);
        for step in parts.split(|part| part.is("step-start")) {
            let asks = |part: &UiPart<'_>, cure: &str| {
                wanted
                    .of(base.of(part.val))
                    .any(|code| CURES.iter().any(|(own, what)| *own == code && *what == cure))
            };
            out.edits.extend(step.iter().filter(|part| asks(part, FAIL)).filter_map(|part| failed(part, base)));
            let Some(first) = step.iter().find(|part| asks(part, FORGET)) else { continue };
            for part in step {
                let before = out.edits.len();
                forget(part, base, &mut out.edits);
                if out.edits.len() > before && !asks(part, FORGET) {
                    out.besides.push((base.of(part.val), base.of(first.val)));
                }
            }
        }
    }
}

/// Ends a call. The text goes after the state, so that the rest of the part stays as it is.
fn failed(part: &UiPart<'_>, base: Base<'_>) -> Option<Edit> {
    let state = part.tool?.get(name::state)?;
    let is_old = state.is("call");
    let (name, key) = if is_old { ("result", "result") } else { ("output-error", "errorText") };
    Some(Edit::replace(base.of(state), format!("\"{name}\",\"{key}\":\"{NO_RESULT}\"")))
}

/// Takes out what names items of OpenAI's.
fn forget(part: &UiPart<'_>, base: Base<'_>, out: &mut Vec<Edit>) {
    for key in ["providerMetadata", "callProviderMetadata"] {
        for provider in ["openai", "azure"] {
            if let Some(own) = part.val.at(&[key, provider]).filter(|own| own.is_object()) {
                // What cannot be edited stays as it is.
                let _ = remove_members(own, &["itemId", "reasoningEncryptedContent"], base, out);
            }
        }
    }
}
