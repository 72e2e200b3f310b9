//! RL663: a tool result of a session contains a NUL character.

use crate::dialect::{EditRefusal, Item};
use crate::history::{BlockFlags, Finding, Kind, KindSet, RepairAct};
use crate::json::edit::RecordBase;
use crate::json::value_edit::ValueEdit;
use crate::json::{Val, name};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds the escape `\u0000` in the content of a `tool_result` in a Claude Code session.
    ///
    /// ## Why it matters
    ///
    /// The agent's request ends at the character, and the API rejects the truncated request as invalid JSON, as it does
    /// every later request of the session. It comes from tools that print binary data.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"tool_result","tool_use_id":"toolu_1","content":"ELF\u0000\u0000"}
    /// ```
    ///
    /// ## Fix
    ///
    /// Each NUL is replaced by U+FFFD, the replacement character. `toolUseResult`, which is not sent, is not changed.
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

static CLEAN: ValueEdit = ValueEdit::by(clean).at(&["content"]);

/// The escape in JSON.
const NUL: &[u8] = b"\\u0000";

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let content = item.val.get(name::content).filter(|_| item.row.has(BlockFlags::NUL));
    if content.is_some_and(|content| nuls(content.raw()).next().is_some()) {
        out.add(Finding::new(RULE.code, item.row).act(RepairAct::EditValue(&CLEAN)));
    }
}

/// Offsets of the escape in a JSON text. An escaped backslash does not begin one.
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

fn clean(content: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    for at in nuls(content.raw()) {
        let from = content.start() + at;
        out.push(Edit::replace(base.place(from, from + NUL.len() as u32), *b"\\ufffd"));
    }
    Ok(())
}
