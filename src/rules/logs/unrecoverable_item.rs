//! RL640: a log contains the printed form of an item instead of the item.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds reasoning and server-side tool calls that a log stored only in printed form: a string instead of an item.
    /// Older versions of AG2's serializer wrote unknown objects with `str()`.
    ///
    /// ## Why it matters
    ///
    /// The item cannot be recovered: ids, encrypted content and results are not in the text, or not reliably. It is not
    /// replayed, and items that the model created with it lack it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"autogen.beta.config.openai.events.OpenAIReasoningEvent",
    ///  "data":{"content":"","item":"ResponseReasoningItem(id='rs_1', summary=[], type='reasoning')"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the item itself was not stored. The line is not changed.
    ///
    /// ## Evidence
    ///
    /// Inferred from the source of AG2: its first serializer knew events and bytes only.
    UNRECOVERABLE_ITEM, "unrecoverable-item", Check::External,
    [
        Variant {
            message: "only the printed form of an item was stored, which cannot be replayed",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
