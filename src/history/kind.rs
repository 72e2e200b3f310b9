//! The kinds of items, and the one table of pairs: which output answers which call, how a provider names them, and how
//! their ids begin.
//!
//! Sources: the input items of openai-openapi f85dbe2 and openai-python 3.52.0 (`ResponseSteerRequiredInput` lists the
//! answer types); id prefixes from the server's own errors, or recorded.

use crate::json::Str;

/// The kinds of items.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    Message,
    Reasoning,
    FunctionCall,
    FunctionCallOutput,
    CustomToolCall,
    CustomToolCallOutput,
    ComputerCall,
    ComputerCallOutput,
    LocalShellCall,
    LocalShellCallOutput,
    ShellCall,
    ShellCallOutput,
    ApplyPatchCall,
    ApplyPatchCallOutput,
    ToolSearchCall,
    ToolSearchOutput,
    Program,
    ProgramOutput,
    McpApprovalRequest,
    McpApprovalResponse,
    WebSearchCall,
    FileSearchCall,
    CodeInterpreterCall,
    ImageGenerationCall,
    McpListTools,
    McpCall,
    Compaction,
    CompactionTrigger,
    ItemReference,
    AdditionalTools,
    ConfigurationUpdate,
    /// Of a type that is not in the table: never changed.
    Unknown,
    // The kinds below are those of the dialects whose messages contain blocks; no Responses item is one.
    /// A message that contains blocks: the envelope only.
    BlockMessage,
    Text,
    /// An image, a sound, a document.
    Media,
    /// Reasoning, possibly signed or redacted.
    Thinking,
    /// A call that the client must answer.
    ToolUse,
    /// The answer to a client-side call.
    ToolResult,
    /// A call that the provider ran itself.
    ServerUse,
    ServerResult,
    /// A block of any other type: never changed.
    Block,
}

/// Who makes an item, and what must follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Text of the user, the model, the system or a developer, as its role says.
    Message,
    Reasoning,
    /// Made by the model, answered by an output.
    Call,
    /// Answers a call.
    Output,
    /// A call that the provider ran itself, with its own result.
    Hosted,
    Reference,
    /// Anything else; needs no answer and ends no group.
    Other,
}

/// Calls and outputs of one family answer each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Family {
    Function,
    Custom,
    Computer,
    LocalShell,
    Shell,
    ApplyPatch,
    ToolSearch,
    Program,
    Approval,
}

/// Maximum length of ids of items and calls, in characters (openai-openapi f85dbe2; the server's own errors).
pub const ID_LIMIT: usize = 64;

/// True if an id is longer than [`ID_LIMIT`].
pub fn is_long_id(id: Str<'_>) -> bool {
    id.raw.len() > ID_LIMIT && id.characters() > ID_LIMIT
}

/// A row of the table.
#[derive(Debug)]
pub struct KindInfo {
    pub kind: Kind,
    /// The item's `type`.
    pub name: &'static str,
    pub class: Class,
    pub family: Option<Family>,
    /// How the provider names the item when its partner is missing; `None` if that is not known.
    pub noun: Option<&'static str>,
    /// Prefix of its id; empty if it is not known.
    pub prefix: &'static str,
}

const fn row(
    kind: Kind,
    name: &'static str,
    class: Class,
    family: Option<Family>,
    noun: Option<&'static str>,
    prefix: &'static str,
) -> KindInfo {
    KindInfo { kind, name, class, family, noun, prefix }
}

use Class as C;
use Family as F;
use Kind as K;

#[rustfmt::skip]
static KINDS: [KindInfo; 41] = [
    row(K::Message, "message", C::Message, None, None, "msg"),
    row(K::Reasoning, "reasoning", C::Reasoning, None, None, "rs"),
    row(K::FunctionCall, "function_call", C::Call, Some(F::Function), Some("function call"), "fc"),
    row(K::FunctionCallOutput, "function_call_output", C::Output, Some(F::Function), Some("function call output"), "fc"),
    row(K::CustomToolCall, "custom_tool_call", C::Call, Some(F::Custom), Some("custom tool call"), "ctc"),
    row(K::CustomToolCallOutput, "custom_tool_call_output", C::Output, Some(F::Custom), Some("custom tool call output"), "ctc"),
    row(K::ComputerCall, "computer_call", C::Call, Some(F::Computer), Some("computer call"), "cu"),
    row(K::ComputerCallOutput, "computer_call_output", C::Output, Some(F::Computer), Some("computer call"), "cu"),
    row(K::LocalShellCall, "local_shell_call", C::Call, Some(F::LocalShell), Some("local shell call"), "lsh"),
    row(K::LocalShellCallOutput, "local_shell_call_output", C::Output, Some(F::LocalShell), None, ""),
    row(K::ShellCall, "shell_call", C::Call, Some(F::Shell), Some("shell call"), "sh"),
    row(K::ShellCallOutput, "shell_call_output", C::Output, Some(F::Shell), None, "sh"),
    row(K::ApplyPatchCall, "apply_patch_call", C::Call, Some(F::ApplyPatch), Some("apply patch call"), "apc"),
    row(K::ApplyPatchCallOutput, "apply_patch_call_output", C::Output, Some(F::ApplyPatch), None, "apc"),
    row(K::ToolSearchCall, "tool_search_call", C::Call, Some(F::ToolSearch), Some("tool search call"), "ts"),
    row(K::ToolSearchOutput, "tool_search_output", C::Output, Some(F::ToolSearch), None, "ts"),
    row(K::Program, "program", C::Call, Some(F::Program), None, "cm"),
    row(K::ProgramOutput, "program_output", C::Output, Some(F::Program), None, "cm"),
    row(K::McpApprovalRequest, "mcp_approval_request", C::Call, Some(F::Approval), None, "mcpr"),
    row(K::McpApprovalResponse, "mcp_approval_response", C::Output, Some(F::Approval), None, ""),
    row(K::WebSearchCall, "web_search_call", C::Hosted, None, None, "ws"),
    row(K::FileSearchCall, "file_search_call", C::Hosted, None, None, "fs"),
    row(K::CodeInterpreterCall, "code_interpreter_call", C::Hosted, None, None, "ci"),
    row(K::ImageGenerationCall, "image_generation_call", C::Hosted, None, None, "ig"),
    row(K::McpListTools, "mcp_list_tools", C::Hosted, None, None, "mcpl"),
    row(K::McpCall, "mcp_call", C::Hosted, None, None, "mcp"),
    row(K::Compaction, "compaction", C::Other, None, None, "cmp"),
    row(K::CompactionTrigger, "compaction_trigger", C::Other, None, None, ""),
    row(K::ItemReference, "item_reference", C::Reference, None, None, ""),
    row(K::AdditionalTools, "additional_tools", C::Other, None, None, ""),
    row(K::ConfigurationUpdate, "configuration_update", C::Other, None, None, ""),
    row(K::Unknown, "", C::Other, None, None, ""),
    // Named as they are reported if the text itself has no `type`. They pair by their position in messages.
    row(K::BlockMessage, "message", C::Other, None, None, ""),
    row(K::Text, "text", C::Other, None, None, ""),
    row(K::Media, "media", C::Other, None, None, ""),
    row(K::Thinking, "thinking", C::Other, None, None, ""),
    row(K::ToolUse, "tool call", C::Other, None, None, ""),
    row(K::ToolResult, "tool result", C::Other, None, None, ""),
    row(K::ServerUse, "server tool call", C::Other, None, None, ""),
    row(K::ServerResult, "server tool result", C::Other, None, None, ""),
    row(K::Block, "block", C::Other, None, None, ""),
];

/// Kinds before this one are those of Responses items, which are recognised by their `type`.
const ITEMS: usize = Kind::Unknown as usize;

impl Kind {
    /// True for messages and blocks of the dialects whose messages contain blocks.
    pub fn is_block_kind(self) -> bool {
        self > Kind::Unknown
    }

    /// All kinds, in the order of the table.
    pub fn all() -> impl Iterator<Item = Kind> {
        KINDS.iter().map(|info| info.kind)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the table has a row for each kind, in their order, which a test checks"
    )]
    pub fn info(self) -> &'static KindInfo {
        super::work_counter::count();
        &KINDS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.info().name
    }

    pub fn class(self) -> Class {
        self.info().class
    }

    pub fn family(self) -> Option<Family> {
        self.info().family
    }

    pub fn is_call(self) -> bool {
        self.class() == Class::Call
    }

    pub fn is_output(self) -> bool {
        self.class() == Class::Output
    }

    /// The kind of a `type`. Codex writes `compaction_summary` for a compaction.
    pub fn of_type(name: &[u8]) -> Kind {
        match name {
            b"message" => Kind::Message,
            b"reasoning" => Kind::Reasoning,
            b"function_call" => Kind::FunctionCall,
            b"function_call_output" => Kind::FunctionCallOutput,
            b"compaction_summary" => Kind::Compaction,
            b"" => Kind::Unknown,
            _ => {
                let mut items = KINDS[..ITEMS].iter();
                items.find(|info| info.name.as_bytes() == name).map_or(Kind::Unknown, |info| info.kind)
            }
        }
    }

    /// The kind of an id's prefix: used only where the API itself allows a bare `{"id": …}`.
    pub fn of_id(id: &[u8]) -> Kind {
        let end = id.iter().position(|b| *b == b'_');
        let Some(prefix) = end.and_then(|end| id.get(..end)) else { return Kind::Unknown };
        // The output of a search that the server ran has its own prefix.
        if prefix == b"tso" {
            return Kind::ToolSearchOutput;
        }
        // Outputs share a prefix with their call; a reference names the call.
        KINDS
            .iter()
            .find(|info| {
                !info.prefix.is_empty()
                    && (info.prefix.as_bytes() == prefix
                        || info.class == Class::Call
                            && info.family == Some(Family::ToolSearch)
                            && prefix == b"tsc")
            })
            .map_or(Kind::Unknown, |info| info.kind)
    }

    /// True if an output of mere text can answer this call. An approval is the user's decision; a screenshot, or the
    /// status of a patch, cannot be invented.
    pub fn is_answered_by_text(self) -> bool {
        let needs_more =
            matches!(self, Kind::ComputerCall | Kind::ApplyPatchCall | Kind::Program | Kind::McpApprovalRequest);
        !needs_more && (self.is_call() || self == Kind::ToolUse)
    }

    /// The output that answers this call.
    pub fn answer(self) -> Option<Kind> {
        let family = self.family().filter(|_| self.is_call())?;
        let output = |other: &&KindInfo| other.family == Some(family) && other.class == Class::Output;
        KINDS.iter().find(output).map(|other| other.kind)
    }
}

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindSet(u64);

impl KindSet {
    pub const ALL: KindSet = KindSet(u64::MAX);

    /// All but items of unknown types.
    pub const KNOWN: KindSet = KindSet(!(1 << Kind::Unknown as u32));

    #[expect(
        clippy::indexing_slicing,
        reason = "a constant function has no iterators; the loop ends at the length"
    )]
    pub const fn of(kinds: &[Kind]) -> Self {
        let mut bits = 0;
        let mut n = 0;
        while n < kinds.len() {
            bits |= 1 << kinds[n] as u64;
            n += 1;
        }
        KindSet(bits)
    }

    pub const fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u64 & 1 == 1
    }
}

/// The role of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Role {
    #[default]
    None,
    User,
    Assistant,
    System,
    Developer,
    /// A message that is a tool's result.
    Tool,
    Other,
}

impl Role {
    pub fn of(name: &[u8]) -> Role {
        match name {
            b"user" => Role::User,
            b"assistant" => Role::Assistant,
            b"system" => Role::System,
            b"developer" => Role::Developer,
            _ => Role::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_kinds() {
        for (n, kind) in Kind::all().enumerate() {
            assert_eq!(kind as usize, n);
            if n < ITEMS {
                assert_eq!(Kind::of_type(kind.name().as_bytes()), kind);
            }
        }
        assert!(KINDS.len() <= 64, "a KindSet has room for 64 kinds");
    }

    #[test]
    fn every_call_has_an_answer_and_every_output_answers_one_call() {
        for kind in Kind::all() {
            assert_eq!(kind.answer().is_some(), kind.is_call());
            let questions = Kind::all().filter(|call| call.answer() == Some(kind)).count();
            assert_eq!(questions, usize::from(kind.is_output()));
        }
    }

    #[test]
    fn ids_of_references_name_kinds() {
        for (id, kind) in [
            ("rs_1", Kind::Reasoning),
            ("ws_1", Kind::WebSearchCall),
            ("fc_1", Kind::FunctionCall),
            ("tsc_1", Kind::ToolSearchCall),
            ("tso_1", Kind::ToolSearchOutput),
            ("mcpr_1", Kind::McpApprovalRequest),
            ("resp_1", Kind::Unknown),
            ("rs", Kind::Unknown),
        ] {
            assert_eq!(Kind::of_id(id.as_bytes()), kind, "{id}");
        }
    }
}
