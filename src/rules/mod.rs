//! The rules, one a file, and their table.

/// Declares the modules and the table, in the order of the codes.
macro_rules! rules {
    ($($module:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// All rules.
        pub static RULES: &[&crate::rule::Rule] = &[$(&$module::RULE),*];
    };
}

rules![
    invalid_json,
    duplicate_key,
    truncated_last_line,
    unknown_format,
    invalid_utf8,
    lone_surrogate,
    byte_order_mark,
    missing_output,
    orphan_output,
    output_before_call,
    duplicate_call,
    duplicate_output,
    mismatched_output,
    unanswered_approval,
    orphan_approval,
    unacknowledged_safety_check,
    split_parallel_calls,
    empty_call_id,
    item_without_reasoning,
    reasoning_without_item,
    regrouped_reasoning,
    reasoning_for_plain_model,
    reasoning_without_blob,
    provisional_item,
    orphan_tool_run,
    duplicate_id,
    wrong_id_prefix,
    item_not_stored,
    referenced_call,
    mixed_references,
    id_length,
    synthetic_id,
    schema_violation,
    chat_missing_reply,
    chat_orphan_reply,
    unrecoverable_item,
    stray_part,
];

/// The rule with this code.
pub fn by_code(code: crate::history::Code) -> Option<&'static crate::rule::Rule> {
    RULES.binary_search_by_key(&code, |rule| rule.code).ok().map(|at| RULES[at])
}
