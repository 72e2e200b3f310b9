//! The rules, one a file, and their table.

pub mod fields;

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
    chain_with_history,
    chain_without_store,
    chain_and_conversation,
    expired_reference,
    id_length,
    synthetic_id,
    chain_not_supported,
    mixed_lineages,
    conflicting_blobs,
    schema_violation,
    output_only_field,
    foreign_field,
    missing_summary,
    reasoning_content,
    part_type,
    missing_annotations,
    null_content,
    empty_content,
    output_not_text,
    arguments_not_text,
    arguments_not_json,
    namespace_mismatch,
    wrong_role,
    missing_field,
    string_too_long,
    compaction_without_blob,
    compaction_trigger_not_last,
    items_before_compaction,
    misplaced_phase,
    unfinished_item,
    lost_program,
    chat_missing_reply,
    chat_orphan_reply,
    missing_parent,
    cycle,
    duplicate_node,
    broken_chain,
    unfinished_stream,
    unrecoverable_item,
    stray_part,
    lost_reasoning,
    lost_server_tool,
    lost_media,
    lost_citation,
    lost_cache_mark,
    changed_id,
    changed_role,
    lost_setting,
    lost_block,
    invented_content,
    changed_form,
    not_converted,
];

/// The rule with this code.
pub fn by_code(code: crate::history::Code) -> Option<&'static crate::rule::Rule> {
    RULES.binary_search_by_key(&code, |rule| rule.code).ok().map(|at| RULES[at])
}
