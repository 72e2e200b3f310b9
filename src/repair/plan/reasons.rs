//! Why a fix is not made, where several places of the plan say so.

pub(in crate::repair) const EMPTY: &str = "the list would be empty without it";
pub(in crate::repair) const EMPTY_CALL: &str =
    "the list would be empty without it; `replaylint fix --orphans stub FILE` adds a placeholder output";
pub(super) const LOSES_CALL: &str =
    "it would lose the call (--lossless); `replaylint fix --orphans stub FILE` adds a placeholder output";
pub(super) const LOSES_CONTENT: &str = "it would lose the content of the item (--lossless)";
pub(super) const LONE: &str = "nothing else is in the message, and the message cannot be removed";
pub(super) const NOT_HELD: &str = "the file does not contain the full item";
pub(in crate::repair) const SPREAD_ENTRY: &str = "the entry spans several lines; a session has each on one line";
