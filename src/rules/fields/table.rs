//! The table of field rules: members that the server writes and does not take back, members of other APIs, what is
//! missing, what has a wrong type, what is too long. A new row is a line here; a new code is a page of its own beside
//! this folder.

use std::borrow::Cow;

use crate::history::{Act, Code, DETACH, INLINE, ItemFlags, KEYLESS, Kind as K, KindSet, Role, codes};
use crate::json::spot::{Is, Spot, To};

use super::{Cure, Field};

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
/// Items that nothing but a `call_id` pairs.
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

const MODEL: &[Role] = &[Role::Assistant];
const OTHERS: &[Role] = &[Role::User, Role::System, Role::Developer];

/// No string of an item may have more characters (openai-openapi f85dbe2; and the server's own words).
const TEXT_LIMIT: u32 = 10_485_760;
/// What is left of a longer one: the note about the rest needs room.
const TEXT_KEPT: u32 = TEXT_LIMIT - 100;
/// The blob of a compaction (openai-openapi f85dbe2).
const BLOB_LIMIT: u32 = 20_971_520;

const GONE: Cure = Cure::Change(To::Gone);
const QUOTED: Cure = Cure::Change(To::Quoted);
const CUT: Cure = Cure::Change(To::Cut(TEXT_KEPT));

const fn json(text: &'static str) -> Cure {
    Cure::Change(To::Json(Cow::Borrowed(text)))
}

const fn row(code: Code, variant: u8, kinds: KindSet, path: &'static [&'static str], is: Is, cure: Cure) -> Field {
    let spot = Spot { path, parts: &[], is };
    let (unless, note) = (ItemFlags::NONE, ItemFlags::NONE);
    Field { kinds, roles: &[], spot, code, variant, cure, unless, note }
}

/// A row about messages of some roles.
const fn said(
    code: Code,
    variant: u8,
    roles: &'static [Role],
    path: &'static [&'static str],
    is: Is,
    cure: Cure,
) -> Field {
    let spot = Spot { path, parts: &[], is };
    let (unless, note) = (ItemFlags::NONE, ItemFlags::NONE);
    Field { kinds: MESSAGE, roles, spot, code, variant, cure, unless, note }
}

/// A row about items without a flag.
const fn unless(unless: ItemFlags, code: Code, variant: u8, kinds: KindSet, spot: Spot, cure: Cure) -> Field {
    Field { kinds, roles: &[], spot, code, variant, cure, unless, note: ItemFlags::NONE }
}

/// A row that only some targets mind.
const fn noted(code: Code, variant: u8, kinds: KindSet, spot: Spot, note: ItemFlags, cure: Cure) -> Field {
    Field { kinds, roles: &[], spot, code, variant, cure, unless: ItemFlags::NONE, note }
}

const fn at(path: &'static [&'static str], is: Is) -> Spot {
    Spot { path, parts: &[], is }
}

const OUTPUT_ELSEWHERE: &str = "its content has to be moved to where the API reads it";
const NO_TOOL_CALLS: &str = "the calls in it have to become items: use `replaylint convert --to API FILE`";
const NOT_MADE_UP: &str = "it cannot be made up";
const NOT_CUT: &str = "cutting it would change its meaning";
const OTHER_MEDIA: &str = "its content has to be sent in another way";
const LOST_HISTORY: &str = "the history it replaces would be lost";

/// All rows.
#[rustfmt::skip]
pub static ROWS: &[Field] = &[
    // RL401: the server writes them, and does not take them back.
    row(codes::OUTPUT_ONLY_FIELD, 0, ANY, &["created_by"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, MESSAGE, &["parsed"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, MESSAGE, &["content", "*", "parsed"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, FUNCTION_CALL, &["parsed_arguments"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, WEB_SEARCH, &["action", "sources"], Is::NotNull, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, WEB_SEARCH, &["action", "query"], Is::Null, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["action"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["background"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["output_format"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["quality"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["revised_prompt"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 0, IMAGE, &["size"], Is::There, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 1, REASONING, &["status"], Is::NotNull, GONE),
    row(codes::OUTPUT_ONLY_FIELD, 2, REASONING, &["status"], Is::Null, GONE),
    // RL402: another API or a client wrote them.
    row(codes::FOREIGN_FIELD, 0, ANY, &["_"], Is::There, GONE),
    row(codes::FOREIGN_FIELD, 0, MESSAGE, &["name"], Is::There, GONE),
    row(codes::FOREIGN_FIELD, 0, ANY, &["cache_control"], Is::There, GONE),
    row(codes::FOREIGN_FIELD, 0, MESSAGE, &["content", "*", "cache_control"], Is::There, GONE),
    row(codes::FOREIGN_FIELD, 0, TEXT_OUTPUTS, &["output", "*", "cache_control"], Is::There, GONE),
    row(codes::FOREIGN_FIELD, 1, MESSAGE, &["reasoning_content"], Is::There, GONE),
    row(codes::FOREIGN_FIELD, 2, MESSAGE, &["tool_calls"], Is::There, Cure::Never(NO_TOOL_CALLS)),
    row(codes::FOREIGN_FIELD, 2, CALLS_AND_OUTPUTS, &["content"], Is::There, Cure::Never(OUTPUT_ELSEWHERE)),
    // RL403
    row(codes::MISSING_SUMMARY, 0, REASONING, &["summary"], Is::Missing, json("[]")),
    row(codes::MISSING_SUMMARY, 1, REASONING, &["summary"], Is::NotList, json("[]")),
    // RL404: DeepSeek wants what the others refuse.
    row(codes::REASONING_CONTENT, 0, REASONING, &["content"], Is::FilledList, GONE),
    noted(codes::REASONING_CONTENT, 1, REASONING, at(&["content"], Is::Missing), ItemFlags::WORDLESS, Cure::Never(NOT_MADE_UP)),
    noted(codes::REASONING_CONTENT, 1, REASONING, at(&["content"], Is::Empty), ItemFlags::WORDLESS, Cure::Never(NOT_MADE_UP)),
    // RL405
    said(codes::PART_TYPE, 0, MODEL, &["content", "*", "type"], Is::OneOf(&["input_text", "text"]), json("\"output_text\"")),
    said(codes::PART_TYPE, 1, OTHERS, &["content", "*", "type"], Is::OneOf(&["output_text", "text"]), json("\"input_text\"")),
    said(codes::PART_TYPE, 2, MODEL, &["content", "*", "type"], Is::OneOf(&["input_image", "input_file", "image_url"]), Cure::Never(OTHER_MEDIA)),
    said(codes::PART_TYPE, 2, OTHERS, &["content", "*", "type"], Is::OneOf(&["image_url", "refusal"]), Cure::Never(OTHER_MEDIA)),
    row(codes::PART_TYPE, 3, TEXT_OUTPUTS, &["output", "*", "type"], Is::OneOf(&["output_text", "text"]), json("\"input_text\"")),
    // RL406
    noted(codes::MISSING_ANNOTATIONS, 0, MESSAGE, Spot { path: &["content", "*", "annotations"], parts: &["output_text"], is: Is::Missing }, ItemFlags::BARE_TEXT, json("[]")),
    // RL407, RL408
    row(codes::NULL_CONTENT, 0, MESSAGE, &["content"], Is::Null, json("\"\"")),
    row(codes::NULL_CONTENT, 1, MESSAGE, &["content"], Is::Missing, json("\"\"")),
    noted(codes::EMPTY_CONTENT, 0, MESSAGE, at(&["content"], Is::Empty), ItemFlags::EMPTY_CONTENT, Cure::Act(Act::Drop)),
    // RL409
    row(codes::OUTPUT_NOT_TEXT, 0, TEXT_OUTPUTS, &["output"], Is::Object, QUOTED),
    row(codes::OUTPUT_NOT_TEXT, 1, TEXT_OUTPUTS, &["output"], Is::Null, json(STUB)),
    row(codes::OUTPUT_NOT_TEXT, 2, TEXT_OUTPUTS, &["output"], Is::Missing, json(STUB)),
    row(codes::OUTPUT_NOT_TEXT, 3, TEXT_OUTPUTS, &["output"], Is::Scalar, QUOTED),
    // RL410
    row(codes::ARGUMENTS_NOT_TEXT, 0, JSON_CALLS, &["arguments"], Is::Object, QUOTED),
    row(codes::ARGUMENTS_NOT_TEXT, 1, CUSTOM_CALL, &["input"], Is::NotText, QUOTED),
    // RL412
    noted(codes::NAMESPACE_MISMATCH, 1, FUNCTION_CALL, at(&["namespace"], Is::NotNull), ItemFlags::NAMESPACED, GONE),
    // RL413
    row(codes::WRONG_ROLE, 0, MESSAGE, &["role"], Is::NoneOf(&["user", "assistant", "system", "developer"]), Cure::Never("the \
                                                                                                            history \
                                                                                                            has \
                                                                                                            to \
                                                                                                            be \
                                                                                                            converted: \
                                                                                                            use \
                                                                                                            `replaylint \
                                                                                                            convert`")),
    noted(codes::WRONG_ROLE, 1, MESSAGE, at(&["role"], Is::OneOf(&["system"])), ItemFlags::SYSTEM, Cure::Never("its text belongs \
                                                                                              in \
                                                                                              `instructions`")),
    row(codes::WRONG_ROLE, 2, ADDITIONAL_TOOLS, &["role"], Is::NoneOf(&["developer"]), json("\"developer\"")),
    // RL414
    row(codes::MISSING_FIELD, 0, KEYED, &["call_id"], Is::Missing, Cure::Act(Act::Drop)),
    row(codes::MISSING_FIELD, 1, KEYED, &["call_id"], Is::EmptyText, Cure::Any(KEYLESS)),
    row(codes::MISSING_FIELD, 1, LOCAL_SHELL, &["call_id"], Is::EmptyText, Cure::Any(KEYLESS)),
    row(codes::MISSING_FIELD, 2, NAMED_CALLS, &["name"], Is::EmptyText, Cure::Never(NOT_MADE_UP)),
    row(codes::MISSING_FIELD, 3, WEB_SEARCH, &["action", "type"], Is::Missing, Cure::Never(NOT_MADE_UP)),
    noted(codes::MISSING_FIELD, 4, REASONING, at(&["id"], Is::Missing), ItemFlags::FRESH, Cure::Any(DETACH)),
    row(codes::MISSING_FIELD, 5, PROGRAM, &["fingerprint"], Is::Missing, Cure::Never(NOT_MADE_UP)),
    row(codes::MISSING_FIELD, 6, WEB_SEARCH, &["action", "queries"], Is::Missing, Cure::Never(NOT_MADE_UP)),
    row(codes::MISSING_FIELD, 7, LOCAL_SHELL_OUTPUT, &["call_id"], Is::Missing, Cure::Never(NOT_MADE_UP)),
    row(codes::MISSING_FIELD, 8, WEB_SEARCH, &["id"], Is::Missing, Cure::Act(Act::Drop)),
    row(codes::MISSING_FIELD, 9, TOOL_SEARCH, &["arguments"], Is::Missing, Cure::Never(NOT_MADE_UP)),
    // RL415
    row(codes::STRING_TOO_LONG, 0, LONG_OUTPUTS, &["output"], Is::Longer(TEXT_LIMIT), CUT),
    row(codes::STRING_TOO_LONG, 0, TEXT_OUTPUTS, &["output", "*", "text"], Is::Longer(TEXT_LIMIT), CUT),
    row(codes::STRING_TOO_LONG, 0, MESSAGE, &["content", "*", "text"], Is::Longer(TEXT_LIMIT), CUT),
    row(codes::STRING_TOO_LONG, 1, FUNCTION_CALL, &["arguments"], Is::Longer(TEXT_LIMIT), Cure::Never(NOT_CUT)),
    row(codes::STRING_TOO_LONG, 1, CUSTOM_CALL, &["input"], Is::Longer(TEXT_LIMIT), Cure::Never(NOT_CUT)),
    row(codes::STRING_TOO_LONG, 2, COMPACTION, &["encrypted_content"], Is::Longer(BLOB_LIMIT), Cure::Never(NOT_CUT)),
    // RL416
    row(codes::COMPACTION_WITHOUT_BLOB, 0, COMPACTION, &["encrypted_content"], Is::Missing, Cure::Never(LOST_HISTORY)),
    row(codes::COMPACTION_WITHOUT_BLOB, 0, COMPACTION, &["encrypted_content"], Is::Null, Cure::Never(LOST_HISTORY)),
    row(codes::COMPACTION_WITHOUT_BLOB, 0, COMPACTION, &["encrypted_content"], Is::EmptyText, Cure::Never(LOST_HISTORY)),
    // RL419
    said(codes::MISPLACED_PHASE, 0, OTHERS, &["phase"], Is::NotNull, GONE),
    said(codes::MISPLACED_PHASE, 1, MODEL, &["phase"], Is::NoneOf(&["commentary", "final_answer"]), GONE),
    // RL420
    unless(ItemFlags::ID_ONLY, codes::UNFINISHED_ITEM, 0, IMAGE, at(&["status"], Is::NoneOf(&["completed"])), Cure::Any(INLINE)),
    row(codes::UNFINISHED_ITEM, 1, COMPUTER_OUTPUT, &["status"], Is::OneOf(&["failed", "incomplete"]), Cure::Never(NOT_MADE_UP)),
    row(codes::UNFINISHED_ITEM, 2, CUSTOM_CALL, &["status"], Is::OneOf(&["failed", "incomplete"]), Cure::Never(NOT_MADE_UP)),
];

/// What an output says whose own was never written down: what a stub says.
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
            assert_eq!(matches!(row.cure, Cure::Never(_)), variant.fix.is_empty(), "{row:?}");
        }
    }
}
