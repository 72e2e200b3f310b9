//! RL208: the history has what only the account can use that it was made in.

use crate::history::{BlockFlags, Finding, INLINE, ItemFlags, Kind, Remedy, RepairAct};
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// With `--account-changed`, or with `--for` and another provider: finds what another account cannot use. That is, in
    /// Responses histories, encrypted reasoning, encrypted compactions, references to stored items, and ids of items; in
    /// histories for Claude Sonnet 5.5 and Haiku 5.5, signed thinking. Another organisation, another deployment and
    /// another provider are other accounts, too.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > The encrypted content for item rs_abc could not be verified. Reason: Encrypted content could not be decrypted or parsed.
    ///
    /// A reference is answered like one to an item that was never stored (RL303).
    ///
    /// It happens when a session goes on with another key, after a change of the login, and behind a router that changes
    /// providers. The thinking of Sonnet 5.5 and Haiku 5.5 works only in the account that produced it, or in one that is
    /// linked to it; the sentence of that refusal is not known.
    ///
    /// ## Example
    ///
    /// With `--account-changed`:
    ///
    /// ```json
    /// {"model":"gpt-5.4","store":false,"input":[
    ///   {"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},
    ///   {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},
    ///   {"type":"message","id":"msg_1a","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello","annotations":[]}]},
    ///   {"type":"message","role":"user","content":[{"type":"input_text","text":"bye"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Encrypted reasoning is dropped and its group loses its ids; the new account could not have read it. Compactions
    /// and signed thinking are dropped, references are replaced with their items where the file has them, and ids are
    /// removed, which the model does not see.
    ///
    /// ## Evidence
    ///
    /// Observed in the servers' own errors; documented for Claude (platform.claude.com, "What's new" of Haiku 5.5 and
    /// Sonnet 5.5).
    OTHER_ACCOUNT, "other-account" tags [Identity, LosesReasoning], Check::History(check),
    [
        Variant {
            message: "another account cannot decrypt {type} {any_id}",
            fix: "drop the reasoning and remove the ids of its group",
            ..Variant::BASE
        },
        Variant {
            message: "another account cannot decrypt {type} {any_id}",
            fix: "drop the encrypted compaction",
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} has an id of another account",
            levels: Levels { stored: Levels::ERROR.stored, stateless: Levels::WARNING.stateless },
            fix: "remove the item id",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {id}: another account does not have the item",
            fix: "replace the reference with its item",
            ..Variant::BASE
        },
        Variant {
            message: "another account cannot use signed {type}",
            evidence: Evidence::Documented,
            fix: "drop the thinking",
            ..Variant::BASE
        },
    ]
}

const COMPACTION: u8 = 1;
const ID: u8 = 2;
const REFERENCE: u8 = 3;
const SIGNED: u8 = 4;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.account_changed {
        return;
    }
    // The ids of a group go with its reasoning.
    let encrypted = cx.history.groups.iter().filter(|group| {
        group.has_reasoning() && cx.history.rows_in(group.reasoning()).iter().any(|row| row.has(ItemFlags::BLOB))
    });
    let groups: Vec<_> = encrypted.collect();
    for group in &groups {
        out.add(Finding::new(RULE.code, *cx.row(group.start)).remedy(Remedy::One(RepairAct::Flatten)));
    }
    for (row, ix) in cx.history.rows.iter().zip(0u32..) {
        let next = groups.partition_point(|group| group.end <= ix);
        let is_in_group = row.is_model_made() && groups.get(next).is_some_and(|group| group.start <= ix);
        let (variant, remedy) = match row.kind {
            Kind::Compaction => (COMPACTION, Remedy::One(RepairAct::Drop)),
            Kind::Thinking if cx.has(Trait::AccountBound) && row.has(BlockFlags::SIGNED) => {
                (SIGNED, Remedy::One(RepairAct::Drop))
            }
            _ if row.kind.is_block_kind() => continue,
            _ if row.is_reference() => (REFERENCE, INLINE),
            _ if row.has_id() && !is_in_group && !row.is_reasoning() => (ID, Remedy::One(RepairAct::StripId)),
            _ => continue,
        };
        out.add(Finding::new(RULE.code, *row).variant(variant).remedy(remedy));
    }
}
