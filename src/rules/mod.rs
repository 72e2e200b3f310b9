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
    empty_input,
    not_an_item,
    chat_missing_reply,
    chat_orphan_reply,
    chat_duplicate_reply,
    chat_duplicate_call_id,
    chat_call_id_length,
    chat_missing_id,
    chat_null_content,
    chat_empty_tool_calls,
    chat_empty_messages,
    chat_name,
    chat_part_type,
    chat_role,
    chat_arguments,
    chat_missing_reasoning,
    chat_refused_reasoning,
    chat_role_order,
    chat_last_role,
    chat_call_id_form,
    chat_empty_assistant,
    chat_long_content,
    chat_assumed,
    chat_template_order,
    anthropic_missing_result,
    anthropic_orphan_result,
    anthropic_duplicate_result,
    anthropic_duplicate_call,
    anthropic_misplaced_block,
    anthropic_open_server_call,
    anthropic_orphan_server_result,
    anthropic_tool_id,
    anthropic_tool_input,
    anthropic_tool_name,
    anthropic_undefined_tools,
    anthropic_unsigned_thinking,
    anthropic_thinking_not_first,
    anthropic_missing_thinking,
    anthropic_empty_text,
    anthropic_cache_control,
    anthropic_prefill,
    anthropic_system_message,
    anthropic_unknown_role,
    anthropic_extra_field,
    anthropic_empty_messages,
    anthropic_undefined_reference,
    gemini_missing_response,
    gemini_orphan_response,
    gemini_leading_call,
    gemini_unnamed_response,
    gemini_role,
    gemini_unsigned_call,
    gemini_empty_parts,
    gemini_empty_text,
    gemini_mixed_response,
    gemini_model_last,
    gemini_unacknowledged_safety,
    gemini_empty_contents,
    bedrock_missing_result,
    bedrock_orphan_result,
    bedrock_duplicate_id,
    bedrock_tool_id,
    bedrock_tool_input,
    bedrock_empty_content,
    bedrock_blank_text,
    bedrock_assistant_first,
    bedrock_missing_tool_config,
    bedrock_silent_error,
    bedrock_document_alone,
    bedrock_document_name,
    bedrock_remote_document,
    bedrock_misplaced_reasoning,
    bedrock_unsigned_reasoning,
    bedrock_duplicate_document,
    bedrock_empty_messages,
    bedrock_mixed_result,
    missing_parent,
    cycle,
    duplicate_node,
    broken_chain,
    unfinished_stream,
    dangling_request,
    stale_output,
    output_after_cancel,
    answered_twice,
    completed_without_request,
    offsets_not_increasing,
    embedded_body_differs,
    unknown_event,
    invalid_event,
    unrecoverable_item,
    stray_part,
    history_window,
    broken_ordinals,
    missing_session_meta,
    other_history_base,
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

#[cfg(test)]
mod tests {
    use super::{RULES, by_code};
    use crate::history::codes::{self, unknown};
    use crate::targets::TARGETS;

    #[test]
    fn rules_stand_in_order_and_judge_dialects_that_targets_speak() {
        assert!(RULES.is_sorted_by_key(|rule| rule.code));
        for dialect in RULES.iter().filter_map(|rule| rule.dialect) {
            assert!(TARGETS.iter().any(|target| target.dialect == dialect), "{dialect}");
        }
    }

    #[test]
    fn what_the_reader_finds_is_in_the_table() {
        let named = [
            (codes::INVALID_JSON, "invalid-json"),
            (codes::DUPLICATE_KEY, "duplicate-key"),
            (codes::CUT_LAST_LINE, "truncated-last-line"),
            (codes::UNKNOWN_FORMAT, "unknown-format"),
            (codes::INVALID_UTF8, "invalid-utf8"),
            (codes::LONE_SURROGATE, "lone-surrogate"),
            (codes::BYTE_ORDER_MARK, "byte-order-mark"),
            (codes::NOT_AN_ITEM, "not-an-item"),
            (codes::MISSING_PARENT, "missing-parent"),
            (codes::CYCLE, "cycle"),
            (codes::DUPLICATE_NODE, "duplicate-node"),
            (codes::BROKEN_CHAIN, "broken-chain"),
            (codes::UNFINISHED_STREAM, "unfinished-stream"),
            (codes::DANGLING_REQUEST, "dangling-request"),
            (codes::STALE_OUTPUT, "stale-output"),
            (codes::OUTPUT_AFTER_CANCEL, "output-after-cancel"),
            (codes::ANSWERED_TWICE, "answered-twice"),
            (codes::COMPLETED_WITHOUT_REQUEST, "completed-without-request"),
            (codes::OFFSETS_NOT_INCREASING, "offsets-not-increasing"),
            (codes::EMBEDDED_BODY_DIFFERS, "embedded-body-differs"),
            (codes::UNKNOWN_EVENT, "unknown-event"),
            (codes::INVALID_EVENT, "invalid-event"),
            (codes::UNRECOVERABLE_ITEM, "unrecoverable-item"),
        ];
        for (code, name) in named {
            assert_eq!(by_code(code).map(|rule| rule.name), Some(name));
        }
        let variants = by_code(codes::UNKNOWN_FORMAT).map_or(0, |rule| rule.variants.len());
        assert_eq!(variants, usize::from(unknown::STRANGER) + 1);
    }
}
