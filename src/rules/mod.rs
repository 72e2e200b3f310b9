//! The rules, one file each and one folder per family, and their table.

pub mod fields;
pub mod media_pass;

/// Declares the modules and the table, in the order of the codes: a family's codes are one range.
macro_rules! rules {
    ($($(#[doc = $doc:literal])* $family:ident [$($module:ident),* $(,)?])*) => {
        $($(#[doc = $doc])* pub mod $family {
            $(pub mod $module;)*
        })*

        /// All rules.
        pub static RULES: &[&crate::rule::Rule] = &[$($(&$family::$module::RULE,)*)*];

        /// The families: what a family is about, in a sentence, and its rules.
        pub static FAMILIES: &[(&str, &[&crate::rule::Rule])] =
            &[$((concat!($($doc,)*), &[$(&$family::$module::RULE,)*]),)*];
    };
}

rules! {
    /// Files and records: bytes, text encodings, JSON.
    container [
        invalid_json,
        duplicate_key,
        truncated_last_line,
        unknown_format,
        invalid_utf8,
        lone_surrogate,
        byte_order_mark,
        shared_line,
        record_after_truncated_one,
        raw_control_character,
        nul_bytes,
        missing_last_newline,
        links_to_lost_line,
    ]
    /// Calls and their outputs, in Responses histories.
    calls [
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
    ]
    /// Reasoning, and the items that follow it.
    reasoning [
        item_without_reasoning,
        reasoning_without_item,
        regrouped_reasoning,
        reasoning_for_plain_model,
        reasoning_without_blob,
        provisional_item,
        orphan_tool_run,
        other_account,
    ]
    /// Ids of items, references, chains of responses.
    ids [
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
    ]
    /// Fields of Responses items.
    items [
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
    ]
    /// Chat Completions.
    chat [
        missing_reply,
        orphan_reply,
        duplicate_reply,
        duplicate_call_id,
        call_id_length,
        missing_id,
        null_content,
        empty_tool_calls,
        empty_messages,
        name,
        part_type,
        role,
        arguments,
        missing_reasoning,
        refused_reasoning,
        role_order,
        last_role,
        call_id_form,
        empty_assistant,
        long_content,
        assumed,
        template_order,
        too_many_calls,
        content_with_thinking,
    ]
    /// Anthropic Messages.
    anthropic [
        missing_result,
        orphan_result,
        duplicate_result,
        duplicate_call,
        misplaced_block,
        open_server_call,
        orphan_server_result,
        tool_id,
        tool_input,
        tool_name,
        undefined_tools,
        unsigned_thinking,
        thinking_not_first,
        missing_thinking,
        empty_text,
        cache_control,
        prefill,
        system_message,
        unknown_role,
        extra_field,
        empty_messages,
        disabled_thinking,
        undefined_reference,
    ]
    /// Gemini contents.
    gemini [
        missing_response,
        orphan_response,
        leading_call,
        unnamed_response,
        role,
        unsigned_call,
        empty_parts,
        empty_text,
        mixed_response,
        model_last,
        unacknowledged_safety,
        empty_contents,
    ]
    /// Bedrock Converse.
    bedrock [
        missing_result,
        orphan_result,
        duplicate_id,
        tool_id,
        tool_input,
        empty_content,
        blank_text,
        assistant_first,
        missing_tool_config,
        silent_error,
        document_alone,
        document_name,
        remote_document,
        misplaced_reasoning,
        unsigned_reasoning,
        duplicate_document,
        empty_messages,
        mixed_result,
        tool_name,
    ]
    /// Trees of nodes, and chains of responses.
    trees [
        missing_parent,
        cycle,
        duplicate_node,
        broken_chain,
        unfinished_stream,
    ]
    /// Streams of events.
    events [
        dangling_request,
        stale_output,
        output_after_cancel,
        answered_twice,
        completed_without_request,
        offsets_not_increasing,
        embedded_body_differs,
        unknown_event,
        invalid_event,
    ]
    /// Logs that grow, and their continuations.
    logs [
        unrecoverable_item,
        stray_part,
        history_window,
        broken_ordinals,
        missing_session_meta,
        other_history_base,
        invalid_image_url,
    ]
    /// Sessions of agents.
    sessions [
        phantom_parent,
        split_thinking,
        cut_signature,
        nul_in_result,
        unfindable_session,
        unknown_line,
        session_host,
        incomplete_record,
        hidden_session,
        session_file,
        unknown_rewind,
        unknown_version,
        raw_line_separator,
        healed_by_agent,
    ]
    /// Images, sounds, videos and files: which parts are taken, and what they contain.
    media [
        unsupported_part,
        unfetched_media,
        media_type,
        mismatched_media_type,
        empty_media,
        invalid_base64,
        media_without_prefix,
        large_media,
        large_image,
        too_many_media,
        large_body,
    ]
    /// Settings of a request that its model refuses: thinking, sampling, schemas.
    settings [
        unsupported_thinking,
        thinking_budget,
        thinking_with_sampling,
        forced_tool,
        unsupported_effort,
        gemini_thinking_level,
        sampling_conflict,
        refused_sampling,
        option_range,
        blank_stop,
        anthropic_strict_schema,
        anthropic_tool_schema,
        strict_schema,
        gemini_schema,
        strict_tool_limits,
    ]
    /// What a conversion loses, or changes.
    conversion [
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
        other_model,
    ]
}

/// The rule with this code.
pub fn by_code(code: crate::history::Code) -> Option<&'static crate::rule::Rule> {
    RULES.binary_search_by_key(&code, |rule| rule.code).ok().and_then(|at| RULES.get(at)).copied()
}

#[cfg(test)]
mod tests {
    use super::{RULES, by_code};
    use crate::history::codes::{self, unknown_format};
    use crate::targets::TARGETS;

    #[test]
    fn rules_are_sorted_and_their_dialects_have_targets() {
        assert!(RULES.is_sorted_by_key(|rule| rule.code));
        for dialect in RULES.iter().filter_map(|rule| rule.dialect) {
            assert!(TARGETS.iter().any(|target| target.dialect == dialect), "{dialect}");
        }
    }

    #[test]
    fn codes_of_the_reader_are_in_the_table() {
        let named = [
            (codes::INVALID_JSON, "invalid-json"),
            (codes::DUPLICATE_KEY, "duplicate-key"),
            (codes::TRUNCATED_LAST_LINE, "truncated-last-line"),
            (codes::UNKNOWN_FORMAT, "unknown-format"),
            (codes::INVALID_UTF8, "invalid-utf8"),
            (codes::LONE_SURROGATE, "lone-surrogate"),
            (codes::BYTE_ORDER_MARK, "byte-order-mark"),
            (codes::SHARED_LINE, "shared-line"),
            (codes::RECORD_AFTER_TRUNCATED_ONE, "record-after-truncated-one"),
            (codes::RAW_CONTROL_CHARACTER, "raw-control-character"),
            (codes::NUL_BYTES, "nul-bytes"),
            (codes::MISSING_LAST_NEWLINE, "missing-last-newline"),
            (codes::LINKS_TO_LOST_LINE, "links-to-lost-line"),
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
            (codes::PHANTOM_PARENT, "phantom-parent"),
            (codes::UNFINDABLE_SESSION, "unfindable-session"),
            (codes::UNKNOWN_LINE, "unknown-line"),
            (codes::SESSION_HOST, "session-host"),
            (codes::SESSION_FILE, "session-file"),
            (codes::RAW_LINE_SEPARATOR, "raw-line-separator"),
        ];
        for (code, name) in named {
            assert_eq!(by_code(code).map(|rule| rule.name), Some(name));
        }
        let variants = by_code(codes::UNKNOWN_FORMAT).map_or(0, |rule| rule.variants.len());
        assert_eq!(variants, usize::from(unknown_format::NOT_JUDGED) + 1);
    }
}
