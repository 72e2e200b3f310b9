//! Reasons for refusing a fix that several parts of the plan share.

pub(in crate::repair) const EMPTY: &str = "the list would be empty without it";
pub(in crate::repair) const EMPTY_CALL: &str =
    "the list would be empty without it; `replaylint fix --orphans stub FILE` adds a placeholder output";
pub(super) const LOSES_CALL: &str =
    "it would lose the call (--lossless); `replaylint fix --orphans stub FILE` adds a placeholder output";
pub(super) const LOSES_CONTENT: &str = "it would lose the content of the item (--lossless)";
pub(super) const LONE: &str = "it is the only content of the message, and the message cannot be removed";
pub(super) const ITEM_NOT_IN_FILE: &str = "the file does not contain the full item";
pub(in crate::repair) const SPREAD_ENTRY: &str =
    "the entry spans several lines; in a session, each entry must be on one line";
pub(in crate::repair) const COPY_WITH_FLAG: &str = "other files refer to the lines of this one; `replaylint fix --install --fix-warnings FILE` writes a repaired copy";
