//! RL304: a reference to a client's call. The server resolves it, so it is no longer reported.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports nothing any more: references to client-side calls (`fc_…`, `ctc_…` and the like) are accepted. The
    /// code is kept so that it never means anything else.
    ///
    /// ## Why it matters
    ///
    /// Every item that the server stored may be referenced, and the server pairs the output with the call that it
    /// knows. The output names its call by `call_id`, which a reference does not show, so RL102 does not report an
    /// output after such a reference; if there are fewer outputs than references, that is RL101. Where the server
    /// stores no items, the reference is an error: RL303.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"item_reference","id":"fc_1"},
    ///  {"type":"function_call_output","call_id":"call_1","output":"ok"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// None: there is nothing to repair. `--reasoning reference` writes such references, and `--reasoning inline` puts
    /// the calls back in full where the file contains them.
    ///
    /// ## Evidence
    ///
    /// Recorded: 22 accepted requests to OpenAI (July and August 2026, the default of the AI SDK on a target that stores
    /// items) have such references, also several in a row and in parallel. Earlier it was an error, because vercel/ai
    /// (`convert-to-openai-responses-input.ts`) never referenced plain function calls, and after vercel/ai#10829.
    REFERENCED_CALL, "referenced-call" of "responses" tags [Identity], Check::External,
    [
        Variant {
            message: "call {id} is only referenced",
            levels: Levels::OFF,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}
