//! RL541: a thinking block has no signature.

use crate::dialect::Item;
use crate::history::{BlockFlags, Finding, Kind, KindSet, RepairAct};
use crate::json::{Val, name};
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `thinking` block without a `signature`, one without `thinking`, and a `redacted_thinking` block without
    /// `data`. The API itself sends signed thinking with an empty text. Models of DeepSeek are skipped: their endpoint
    /// for this API accepts empty signatures.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.1.content.0.thinking.signature: Field required
    ///
    /// > messages.1.content.0: Invalid `signature` in `thinking` block
    ///
    /// It happens when a stream breaks off before the signature, when a client merges thinking, and when the thinking
    /// comes from another provider. Claude Code 2.1.169 and later send the request again without thinking if the API
    /// rejects a block that was changed.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"user","content":"hi"},
    ///  {"role":"assistant","content":[{"type":"thinking","thinking":"A greeting."},{"type":"text","text":"Hello"}]},
    ///  {"role":"user","content":"bye"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The block is dropped: a signature cannot be invented. The model loses its thinking. Claude Fable 5.1, Mythos
    /// 5.1, and Opus, Sonnet and Haiku 5.5 bind thinking to everything before it: for them, all thinking after the
    /// block is dropped, too. `--reasoning strip` drops all thinking, even if it is signed: use it if the API rejects a
    /// signature, which cannot be seen in a file.
    ///
    /// ## Evidence
    ///
    /// Reported: vybestack/llxprt-code#2335, NousResearch/hermes-agent#24401, can1357/oh-my-pi#6379,
    /// openclaw/openclaw#120596, anthropics/claude-code#21726 (a session with 534 empty signatures). Signatures do not
    /// expire: Anthropic in anthropics/anthropic-sdk-python#1598. DeepSeek: QwenLM/qwen-code#3788.
    ///
    /// A signed block whose text is empty is not reported: recorded requests to claude-sonnet-5, whose thinking text
    /// may be omitted, and to claude-sonnet-4-6 were accepted with one. Users also report it as the cause of
    /// "`thinking` blocks in the latest assistant message cannot be modified" (anthropics/claude-code#63277,
    /// hive-mind#1836, openclaw/openclaw#112029, router-for-me/CLIProxyAPI#3663): after that answer `explain --error`
    /// looks for such blocks, and `--proven RL541` reports and drops them.
    ANTHROPIC_UNSIGNED_THINKING, "anthropic-unsigned-thinking" of "anthropic" tags [Field], Check::Item(KindSet::of(&[Kind::Thinking]), check),
    [
        Variant {
            message: "{type} has no signature",
            api: Some("messages.{message}.content.{block}.thinking.signature: Field required"),
            evidence: Evidence::Reported,
            fix: "drop the thinking",
            ..Variant::BASE
        },
        Variant {
            message: "the signature of {type} is empty",
            evidence: Evidence::Reported,
            fix: "drop the thinking",
            ..Variant::BASE
        },
        Variant {
            message: "{type} has no thinking",
            api: Some("messages.{message}.content.{block}.thinking.thinking: Field required"),
            also: &["each thinking block must contain thinking", "thinking 块格式无效"],
            evidence: Evidence::Reported,
            fix: "drop the thinking",
            ..Variant::BASE
        },
        Variant {
            message: "{type} has no data",
            evidence: Evidence::Documented,
            fix: "drop the thinking",
            ..Variant::BASE
        },
        Variant {
            message: "{type} is empty although it is signed",
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            fix: "drop the thinking",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const EMPTY: u8 = 1;
const WITHOUT: u8 = 2;
const NO_DATA: u8 = 3;
const SIGNED_EMPTY: u8 = 4;

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let signed = item.row.has(BlockFlags::SIGNED);
    let variant = match item.val.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
        Some(b"redacted_thinking") if !signed => NO_DATA,
        Some(b"thinking") if !item.val.get(name::thinking).as_ref().is_some_and(Val::is_string) => WITHOUT,
        Some(b"thinking") if !signed && item.val.get(name::signature).is_some() => EMPTY,
        Some(b"thinking") if !signed => 0,
        Some(b"thinking")
            if item.val.get(name::thinking).and_then(|val| val.as_str()).is_some_and(|text| text.is_empty()) =>
        {
            SIGNED_EMPTY
        }
        _ => return,
    };
    out.add(Finding::new(RULE.code, item.row).variant(variant).act(RepairAct::Drop));
}
