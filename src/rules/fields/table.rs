//! The table of field rules: output-only members, members of other APIs, missing members, wrong types, long values. A
//! new row is a line here; a new code also needs a page next to this folder.

use std::borrow::Cow;

use crate::history::{Code, DETACH, INLINE, ItemFlags, KEYLESS, Kind as K, KindSet, RepairAct, Role, codes};
use crate::json::member_match::{MemberEdit, MemberMatch, ValueTest};

use super::{FieldFix, FieldRule};

const ANY: KindSet = KindSet::KNOWN;
const MESSAGE: KindSet = KindSet::of(&[K::Message]);
const REASONING: KindSet = KindSet::of(&[K::Reasoning]);
const FUNCTION_CALL: KindSet = KindSet::of(&[K::FunctionCall]);
const CUSTOM_CALL: KindSet = KindSet::of(&[K::CustomToolCall]);
const NAMED_CALLS: KindSet = KindSet::of(&[K::FunctionCall, K::CustomToolCall]);
const JSON_CALLS: KindSet = KindSet::of(&[K::FunctionCall, K::McpCall]);
const TEXT_OUTPUTS: KindSet = KindSet::of(&[K::FunctionCallOutput, K::CustomToolCallOutput]);
const LONG_OUTPUTS: KindSet = KindSet::of(&[
    K::FunctionCallOutput,
    K::CustomToolCallOutput,
    K::LocalShellCallOutput,
    K::ApplyPatchCallOutput,
]);
const CALLS_AND_OUTPUTS: KindSet =
    KindSet::of(&[K::FunctionCall, K::FunctionCallOutput, K::CustomToolCall, K::CustomToolCallOutput]);
/// Items that are paired only by `call_id`.
const KEYED: KindSet = KindSet::of(&[
    K::FunctionCall,
    K::FunctionCallOutput,
    K::CustomToolCall,
    K::CustomToolCallOutput,
    K::ComputerCall,
    K::ComputerCallOutput,
    K::ShellCall,
    K::ShellCallOutput,
    K::ApplyPatchCall,
    K::ApplyPatchCallOutput,
    K::Program,
    K::ProgramOutput,
]);
const LOCAL_SHELL: KindSet = KindSet::of(&[K::LocalShellCall, K::LocalShellCallOutput]);
const LOCAL_SHELL_OUTPUT: KindSet = KindSet::of(&[K::LocalShellCallOutput]);
const TOOL_SEARCH: KindSet = KindSet::of(&[K::ToolSearchCall]);
const WEB_SEARCH: KindSet = KindSet::of(&[K::WebSearchCall]);
const IMAGE: KindSet = KindSet::of(&[K::ImageGenerationCall]);
const COMPUTER_OUTPUT: KindSet = KindSet::of(&[K::ComputerCallOutput]);
const COMPACTION: KindSet = KindSet::of(&[K::Compaction]);
const PROGRAM: KindSet = KindSet::of(&[K::Program]);
const ADDITIONAL_TOOLS: KindSet = KindSet::of(&[K::AdditionalTools]);

const ASSISTANT: &[Role] = &[Role::Assistant];
const INPUT_ROLES: &[Role] = &[Role::User, Role::System, Role::Developer];

/// No string of an item may have more characters (openai-openapi f85dbe2; the server's own errors).
const TEXT_LIMIT: u32 = 10_485_760;
/// Length to which a longer one is truncated, leaving room for the note about the rest.
const TRUNCATED_LENGTH: u32 = TEXT_LIMIT - 100;
/// Limit of the blob of a compaction (openai-openapi f85dbe2).
const BLOB_LIMIT: u32 = 20_971_520;

const REMOVE: FieldFix = FieldFix::Change(MemberEdit::Remove);
const QUOTE: FieldFix = FieldFix::Change(MemberEdit::Quote);
const TRUNCATE: FieldFix = FieldFix::Change(MemberEdit::Truncate(TRUNCATED_LENGTH));

const fn json(text: &'static str) -> FieldFix {
    FieldFix::Change(MemberEdit::Json(Cow::Borrowed(text)))
}

const fn row(
    code: Code,
    variant: u8,
    kinds: KindSet,
    path: &'static [&'static str],
    is: ValueTest,
    cure: FieldFix,
) -> FieldRule {
    let spot = MemberMatch { path, parts: &[], is };
    let (unless, note) = (ItemFlags::NONE, ItemFlags::NONE);
    FieldRule { kinds, roles: &[], spot, code, variant, fix: cure, unless, flag: note }
}

/// A row about messages of some roles.
const fn role_row(
    code: Code,
    variant: u8,
    roles: &'static [Role],
    path: &'static [&'static str],
    is: ValueTest,
    cure: FieldFix,
) -> FieldRule {
    let spot = MemberMatch { path, parts: &[], is };
    let (unless, note) = (ItemFlags::NONE, ItemFlags::NONE);
    FieldRule { kinds: MESSAGE, roles, spot, code, variant, fix: cure, unless, flag: note }
}

/// A row about items without a flag.
const fn row_unless(
    unless: ItemFlags,
    code: Code,
    variant: u8,
    kinds: KindSet,
    spot: MemberMatch,
    fix: FieldFix,
) -> FieldRule {
    FieldRule { kinds, roles: &[], spot, code, variant, fix, unless, flag: ItemFlags::NONE }
}

/// A row that only some targets enforce.
const fn flagged_row(
    code: Code,
    variant: u8,
    kinds: KindSet,
    spot: MemberMatch,
    flag: ItemFlags,
    fix: FieldFix,
) -> FieldRule {
    FieldRule { kinds, roles: &[], spot, code, variant, fix, unless: ItemFlags::NONE, flag }
}

const fn member(path: &'static [&'static str], is: ValueTest) -> MemberMatch {
    MemberMatch { path, parts: &[], is }
}

const MISPLACED_OUTPUT: &str = "its content must be moved to the field that the API reads";
const NO_TOOL_CALLS: &str = "its calls must become items: use `replaylint convert --to API FILE`";
const CANNOT_INVENT: &str = "it cannot be invented";
const CANNOT_TRUNCATE: &str = "truncating it would change its meaning";
const OTHER_MEDIA: &str = "its content must be sent in another way";
const CONVERT: &str = "the history must be converted: use `replaylint convert`";
const IN_INSTRUCTIONS: &str = "its text belongs in `instructions`";
const LOST_HISTORY: &str = "the history it replaces would be lost";

/// All rows.
#[rustfmt::skip]
pub static ROWS: &[FieldRule] = &[
    // RL401: the server returns them, but does not accept them.
    row(codes::OUTPUT_ONLY_FIELD, 0, ANY, &["created_by"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, MESSAGE, &["parsed"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, MESSAGE, &["content", "*", "parsed"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, FUNCTION_CALL, &["parsed_arguments"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, WEB_SEARCH, &["action", "sources"], ValueTest::NotNull, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, WEB_SEARCH, &["action", "query"], ValueTest::Null, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["action"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["background"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["output_format"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["quality"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["revised_prompt"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["size"], ValueTest::Present, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 1, REASONING, &["status"], ValueTest::NotNull, REMOVE),
    row(codes::OUTPUT_ONLY_FIELD, 2, REASONING, &["status"], ValueTest::Null, REMOVE),
    // RL402: another API or a client wrote them.
    row(codes::FOREIGN_FIELD, 0, ANY, &["_"], ValueTest::Present, REMOVE),
    row(codes::FOREIGN_FIELD, 0, MESSAGE, &["name"], ValueTest::Present, REMOVE),
    row(codes::FOREIGN_FIELD, 0, ANY, &["cache_control"], ValueTest::Present, REMOVE),
    row(codes::FOREIGN_FIELD, 0, MESSAGE, &["content", "*", "cache_control"], ValueTest::Present, REMOVE),
    row(codes::FOREIGN_FIELD, 0, TEXT_OUTPUTS, &["output", "*", "cache_control"], ValueTest::Present, REMOVE),
    row(codes::FOREIGN_FIELD, 1, MESSAGE, &["reasoning_content"], ValueTest::Present, REMOVE),
    row(codes::FOREIGN_FIELD, 2, MESSAGE, &["tool_calls"], ValueTest::Present, FieldFix::Never(NO_TOOL_CALLS)),
    row(codes::FOREIGN_FIELD, 2, CALLS_AND_OUTPUTS, &["content"], ValueTest::Present, FieldFix::Never(MISPLACED_OUTPUT)),
    // RL403
    row(codes::MISSING_SUMMARY, 0, REASONING, &["summary"], ValueTest::Missing, json("[]")),
    row(codes::MISSING_SUMMARY, 1, REASONING, &["summary"], ValueTest::NotList, json("[]")),
    // RL404: DeepSeek requires what others reject.
    row(codes::REASONING_CONTENT, 0, REASONING, &["content"], ValueTest::NonEmptyList, REMOVE),
    flagged_row(codes::REASONING_CONTENT, 1, REASONING, member(&["content"], ValueTest::Missing), ItemFlags::WORDLESS, FieldFix::Never(CANNOT_INVENT)),
    flagged_row(codes::REASONING_CONTENT, 1, REASONING, member(&["content"], ValueTest::Empty), ItemFlags::WORDLESS, FieldFix::Never(CANNOT_INVENT)),
    // RL405
    role_row(codes::PART_TYPE, 0, ASSISTANT, &["content", "*", "type"], ValueTest::OneOf(&["input_text", "text"]), json("\"output_text\"")),
    role_row(codes::PART_TYPE, 1, INPUT_ROLES, &["content", "*", "type"], ValueTest::OneOf(&["output_text", "text"]), json("\"input_text\"")),
    role_row(codes::PART_TYPE, 2, ASSISTANT, &["content", "*", "type"], ValueTest::OneOf(&["input_image", "input_file", "image_url"]), FieldFix::Never(OTHER_MEDIA)),
    role_row(codes::PART_TYPE, 2, INPUT_ROLES, &["content", "*", "type"], ValueTest::OneOf(&["image_url", "refusal"]), FieldFix::Never(OTHER_MEDIA)),
    row(codes::PART_TYPE, 3, TEXT_OUTPUTS, &["output", "*", "type"], ValueTest::OneOf(&["output_text", "text"]), json("\"input_text\"")),
    // RL406
    flagged_row(codes::MISSING_ANNOTATIONS, 0, MESSAGE, MemberMatch { path: &["content", "*", "annotations"], parts: &["output_text"], is: ValueTest::Missing }, ItemFlags::BARE_TEXT, json("[]")),
    // RL407, RL408
    row(codes::NULL_CONTENT, 0, MESSAGE, &["content"], ValueTest::Null, json("\"\"")),
    row(codes::NULL_CONTENT, 1, MESSAGE, &["content"], ValueTest::Missing, json("\"\"")),
    flagged_row(codes::EMPTY_CONTENT, 0, MESSAGE, member(&["content"], ValueTest::Empty), ItemFlags::EMPTY_CONTENT, FieldFix::Act(RepairAct::Drop)),
    // RL409
    row(codes::OUTPUT_NOT_TEXT, 0, TEXT_OUTPUTS, &["output"], ValueTest::Object, QUOTE),
    row(codes::OUTPUT_NOT_TEXT, 1, TEXT_OUTPUTS, &["output"], ValueTest::Null, json(STUB)),
    row(codes::OUTPUT_NOT_TEXT, 2, TEXT_OUTPUTS, &["output"], ValueTest::Missing, json(STUB)),
    row(codes::OUTPUT_NOT_TEXT, 3, TEXT_OUTPUTS, &["output"], ValueTest::Scalar, QUOTE),
    // RL410
    row(codes::ARGUMENTS_NOT_TEXT, 0, JSON_CALLS, &["arguments"], ValueTest::Object, QUOTE),
    row(codes::ARGUMENTS_NOT_TEXT, 1, CUSTOM_CALL, &["input"], ValueTest::NotText, QUOTE),
    // RL412
    flagged_row(codes::NAMESPACE_MISMATCH, 1, FUNCTION_CALL, member(&["namespace"], ValueTest::NotNull), ItemFlags::NAMESPACED, REMOVE),
    // RL413
    row(codes::WRONG_ROLE, 0, MESSAGE, &["role"], ValueTest::NoneOf(&["user", "assistant", "system", "developer"]), FieldFix::Never(CONVERT)),
    flagged_row(codes::WRONG_ROLE, 1, MESSAGE, member(&["role"], ValueTest::OneOf(&["system"])), ItemFlags::SYSTEM, FieldFix::Never(IN_INSTRUCTIONS)),
    row(codes::WRONG_ROLE, 2, ADDITIONAL_TOOLS, &["role"], ValueTest::NoneOf(&["developer"]), json("\"developer\"")),
    // RL414
    row(codes::MISSING_FIELD, 0, KEYED, &["call_id"], ValueTest::Missing, FieldFix::Act(RepairAct::Drop)),
    row(codes::MISSING_FIELD, 1, KEYED, &["call_id"], ValueTest::EmptyText, FieldFix::Any(KEYLESS)),
    row(codes::MISSING_FIELD, 1, LOCAL_SHELL, &["call_id"], ValueTest::EmptyText, FieldFix::Any(KEYLESS)),
    row(codes::MISSING_FIELD, 2, NAMED_CALLS, &["name"], ValueTest::EmptyText, FieldFix::Never(CANNOT_INVENT)),
    row(codes::MISSING_FIELD, 3, WEB_SEARCH, &["action", "type"], ValueTest::Missing, FieldFix::Never(CANNOT_INVENT)),
    flagged_row(codes::MISSING_FIELD, 4, REASONING, member(&["id"], ValueTest::Missing), ItemFlags::FRESH, FieldFix::Any(DETACH)),
    row(codes::MISSING_FIELD, 5, PROGRAM, &["fingerprint"], ValueTest::Missing, FieldFix::Never(CANNOT_INVENT)),
    row(codes::MISSING_FIELD, 6, WEB_SEARCH, &["action", "queries"], ValueTest::Missing, FieldFix::Never(CANNOT_INVENT)),
    row(codes::MISSING_FIELD, 7, LOCAL_SHELL_OUTPUT, &["call_id"], ValueTest::Missing, FieldFix::Never(CANNOT_INVENT)),
    row(codes::MISSING_FIELD, 8, WEB_SEARCH, &["id"], ValueTest::Missing, FieldFix::Act(RepairAct::Drop)),
    row(codes::MISSING_FIELD, 9, TOOL_SEARCH, &["arguments"], ValueTest::Missing, FieldFix::Never(CANNOT_INVENT)),
    // RL415
    row(codes::STRING_TOO_LONG, 0, LONG_OUTPUTS, &["output"], ValueTest::LongerThan(TEXT_LIMIT), TRUNCATE),
    row(codes::STRING_TOO_LONG, 0, TEXT_OUTPUTS, &["output", "*", "text"], ValueTest::LongerThan(TEXT_LIMIT), TRUNCATE),
    row(codes::STRING_TOO_LONG, 0, MESSAGE, &["content", "*", "text"], ValueTest::LongerThan(TEXT_LIMIT), TRUNCATE),
    row(codes::STRING_TOO_LONG, 1, FUNCTION_CALL, &["arguments"], ValueTest::LongerThan(TEXT_LIMIT), FieldFix::Never(CANNOT_TRUNCATE)),
    row(codes::STRING_TOO_LONG, 1, CUSTOM_CALL, &["input"], ValueTest::LongerThan(TEXT_LIMIT), FieldFix::Never(CANNOT_TRUNCATE)),
    row(codes::STRING_TOO_LONG, 2, COMPACTION, &["encrypted_content"], ValueTest::LongerThan(BLOB_LIMIT), FieldFix::Never(CANNOT_TRUNCATE)),
    // RL416
    row(codes::COMPACTION_WITHOUT_BLOB, 0, COMPACTION, &["encrypted_content"], ValueTest::Missing, FieldFix::Never(LOST_HISTORY)),
    row(codes::COMPACTION_WITHOUT_BLOB, 0, COMPACTION, &["encrypted_content"], ValueTest::Null, FieldFix::Never(LOST_HISTORY)),
    row(codes::COMPACTION_WITHOUT_BLOB, 0, COMPACTION, &["encrypted_content"], ValueTest::EmptyText, FieldFix::Never(LOST_HISTORY)),
    // RL419
    role_row(codes::MISPLACED_PHASE, 0, INPUT_ROLES, &["phase"], ValueTest::NotNull, REMOVE),
    role_row(codes::MISPLACED_PHASE, 1, ASSISTANT, &["phase"], ValueTest::NoneOf(&["commentary", "final_answer"]), REMOVE),
    // RL420
    row_unless(ItemFlags::ID_ONLY, codes::UNFINISHED_ITEM, 0, IMAGE, member(&["status"], ValueTest::NoneOf(&["completed"])), FieldFix::Any(INLINE)),
    row(codes::UNFINISHED_ITEM, 1, COMPUTER_OUTPUT, &["status"], ValueTest::OneOf(&["failed", "incomplete"]), FieldFix::Never(CANNOT_INVENT)),
    row(codes::UNFINISHED_ITEM, 2, CUSTOM_CALL, &["status"], ValueTest::OneOf(&["failed", "incomplete"]), FieldFix::Never(CANNOT_INVENT)),
];

/// The text of an output that was not recorded, the same as that of a stub.
const STUB: &str = "\"no result was recorded; execution status unknown\"";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::responses;
    use crate::rules;

    #[test]
    fn every_row_is_of_a_rule_with_that_variant() {
        assert_eq!(STUB, format!("\"{}\"", responses::STUB));
        for row in ROWS {
            let rule = rules::by_code(row.code).expect("a rule");
            let variant = rule.variants.get(usize::from(row.variant)).expect("a variant");
            assert_eq!(matches!(row.fix, FieldFix::Never(_)), variant.fix.is_empty(), "{row:?}");
        }
    }
}
