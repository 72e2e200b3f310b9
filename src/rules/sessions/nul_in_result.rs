//! RL663: a tool result of a session holds a NUL character.

use crate::dialect::{Cannot, Item};
use crate::history::{Act, BlockFlags, Finding, Kind, KindSet};
use crate::json::edit::Base;
use crate::json::mend::Mend;
use crate::json::{Val, name};
use crate::place::Edit;
use crate::rule::{Check, Evidence, Out, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds the escape `\u0000` in the content of a `tool_result` in a Claude Code session.
    ///
    /// ## Why it matters
    ///
    /// The agent's request ends at the character, and the API rejects what is left as invalid JSON, with each message that
    /// is sent from then on. It comes from tools that print binary data.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"tool_result","tool_use_id":"toolu_1","content":"ELF\u0000\u0000"}
    /// ```
    ///
    /// ## Fix
    ///
    /// Each NUL gives way to U+FFFD, the replacement character. `toolUseResult`, which is not sent, stays as it is.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#94055, #94408.
    NUL_IN_RESULT, "nul-in-result" of "anthropic", Check::Item(KindSet::of(&[Kind::ToolResult]), check),
    [
        Variant {
            message: "tool_result {call_id} contains a NUL character",
            evidence: Evidence::Reported,
            fix: "replace NUL with U+FFFD",
            ..Variant::BASE
        },
    ]
}

static CLEAN: Mend = Mend::by(clean).at(&["content"]);

/// The escape as it stands in JSON.
const NUL: &[u8] = b"\\u0000";

fn check(item: &Item<'_>, out: &mut Out) {
    let content = item.val.get(name::content).filter(|_| item.row.has(BlockFlags::NUL));
    if content.is_some_and(|content| nuls(content.raw()).next().is_some()) {
        out.add(Finding::new(RULE.code, item.row).act(Act::Mend(&CLEAN)));
    }
}

/// Offsets of the escape in a JSON text. A backslash that is escaped begins none.
fn nuls(raw: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += memchr::memchr(b'\\', raw.get(at..)?)?;
            let found = at;
            at += 2;
            if raw.get(found..)?.starts_with(NUL) {
                return u32::try_from(found).ok();
            }
        }
    })
}

fn clean(content: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    for at in nuls(content.raw()) {
        let from = content.start() + at;
        out.push(Edit::replace(base.place(from, from + NUL.len() as u32), *b"\\ufffd"));
    }
    Ok(())
}
