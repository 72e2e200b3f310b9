//! Errors that concern a history and that no rule can find in the file: the state of a server, keys that only it has,
//! what the template of a model accepts. A sentence that a rule has must not be in this table; a test checks that. What is
//! not about the history at all is in the table of [topics](super::topic_errors).

use crate::history::{Code, codes};

/// A sentence, and what to do about it.
#[derive(Debug)]
pub struct OtherError {
    /// The provider's sentence, as a template.
    pub sentence: &'static str,
    pub cause: &'static str,
    pub remedy: &'static str,
    /// The command that does what the remedy says, as a template.
    pub command: Option<&'static str>,
    /// Rules that are off because most servers accept what they find, and that may find the cause: code and variant.
    pub suspects: &'static [(Code, u8)],
}

const fn row(says: &'static str, because: &'static str, remedy: &'static str) -> OtherError {
    OtherError { sentence: says, cause: because, remedy, command: None, suspects: &[] }
}

/// The same, with a command.
const fn with_command(
    says: &'static str,
    because: &'static str,
    remedy: &'static str,
    command: &'static str,
) -> OtherError {
    OtherError { command: Some(command), ..row(says, because, remedy) }
}

/// About reasoning that the server cannot read, or that was changed.
const fn sealed(says: &'static str, because: &'static str, remedy: &'static str) -> OtherError {
    with_command(says, because, remedy, STRIP_COMMAND)
}

const FOREIGN_BLOB: &str = "the encrypted reasoning was made for another account, organisation, project, model or \
                            provider, was cut, or is stored under another item's id; only the server can tell";
const STRIP_COMMAND: &str = "replaylint fix --reasoning strip -w FILE";
const STRIP: &str = "remove all reasoning and the ids linked to it";
const FULL_HISTORY: &str = "leave `previous_response_id` out and send the whole history";
const REBUILD_COMMAND: &str = "replaylint rebuild --chain never FILE";
const SIGNED: &str = "thinking is signed; of Claude Fable 5.1, Mythos 5.1, the 5.5 models and later ones over everything before it, so \
                      that an edit of an earlier turn breaks it";
const WITHOUT_THINKING: &str =
    "send the turn as it was received, or remove all `thinking` and `redacted_thinking` blocks";
const FOREIGN_SIGNATURE: &str = "the thought's signature was made for another model, project or route, or was cut";
const WITHOUT_SIGNATURE: &str = "replace the signatures of calls with `skip_thought_signature_validator`, and remove \
                                 the thoughts with theirs";
const RENUMBERED: &str = "a line of the rollout was removed, copied or written twice";
const COPY: &str = "write a copy that Codex can resume";
const COPY_COMMAND: &str = "replaylint fix --install FILE";
const NO_PROVIDER: &str = "the session names a provider that Codex's configuration does not define any more";
const SET_PROVIDER: &str = "define it again, or name another one in the session";
const SET_PROVIDER_COMMAND: &str = "replaylint fix --set-provider NAME -w FILE";
const HASHED: &str = "a file of a Mistral Vibe session was edited: other files contain its SHA-256";
const RESTORE: &str = "restore the file from a backup; an edited one is not repaired";
const MERGE: &str = "merge adjacent messages of one role; the current API accepts them as they are";
const WAIT: &str = "wait and send the same request again";

const EXTRA: &str = "the block holds a key that the API does not know, often a remnant of streaming";
const DELETE: &str = "delete the key that the message names";
const TEMPLATE: &str = "the model's chat template accepts only some orders of messages";
const NO_SYSTEM: &str = "move the instructions into the first user message";
const ILLEGAL: &str = "the server rejects the list of messages and does not say why";
const ASK_LAST: &str = "end the request with a user or tool message, keep at least one user message, give every tool message \
                        its call, and leave out empty messages; `replaylint check FILE` names what it finds";

/// The table.
#[rustfmt::skip]
pub static OTHER_ERRORS: &[OtherError] = &[
    // Blobs that the server cannot read (OpenAI, Azure, OpenCode, xAI).
    sealed("The encrypted content {blob} could not be verified.", FOREIGN_BLOB, STRIP),
    sealed("invalid_encrypted_content", FOREIGN_BLOB, STRIP),
    sealed("The encrypted content for item {id} could not be verified.", FOREIGN_BLOB, STRIP),
    sealed("reasoning encrypted_content was not issued to this caller", FOREIGN_BLOB, STRIP),
    sealed("Could not decrypt the provided", FOREIGN_BLOB, STRIP),
    row("Could not decode the compaction blob.",
        "the `encrypted_content` of a compaction was edited, or is of another account",
        "remove the compaction item; what it summarised is lost unless the turns before it are sent instead"),
    row("Encrypted content is not supported with this model.",
        "the request asks for `reasoning.encrypted_content` and the model does not reason",
        "remove `reasoning.encrypted_content` from `include`"),

    sealed("input item ID does not belong to this connection", FOREIGN_BLOB, STRIP),

    // State that the server does not have, or has locked.
    with_command("Previous response with id '{previous_id}' not found.",
        "the response has expired, was never stored, or is of another account",
        FULL_HISTORY, REBUILD_COMMAND),
    with_command("Previous response cannot be used for this organization due to Zero Data Retention.",
        "the organisation stores no responses", FULL_HISTORY, REBUILD_COMMAND),
    with_command("previous_response_id is not supported on this proxy",
        "the proxy keeps no responses", FULL_HISTORY, REBUILD_COMMAND),
    row("Another process is currently operating on this conversation.",
        "two requests used the conversation at the same time", WAIT),
    row("Duplicate call_ids submitted: [{ids}]",
        "one submission answers a call twice",
        "answer each call once; in a stored history `replaylint check FILE` finds that as RL105"),

    // Settings of the request, and the endpoint.
    with_command("The provided data does not match the expected schema",
        "an Azure Foundry project endpoint requires reasoning with its `id`, and `annotations` on every \
         output_text",
        "remove reasoning and ids: the endpoint accepts the history without them; `replaylint check --target azure FILE` \
         shows what else it would refuse",
        "replaylint fix --target azure --reasoning strip -w FILE"),
    row("Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions",
        "this model supports tools together with reasoning effort only in the Responses API",
        "use /v1/responses, or leave `reasoning_effort` out"),
    row("container_id is required when a turn mixes",
        "a turn mixes code execution on the server with tools of the client",
        "send the `container` id of the response with the next request"),

    row("Assistant message must have either content or tool_calls, but not both.",
        "the tokenizer of an older model of Mistral (v1 to v3) takes no text beside calls",
        "serve the model with a newer tokenizer, or remove the text beside the calls"),

    row("Backend request failed with status {status}",
        "the gateway does not forward the provider's error",
        "look up the provider's error in the gateway's log; `replaylint check FILE` checks the history without it"),

    // What Codex says itself of a rollout that it does not open.
    OtherError {
        sentence: "paginated rollout expected ordinal {ordinal}",
        cause: RENUMBERED,
        remedy: COPY,
        command: Some(COPY_COMMAND),
        suspects: &[
            (codes::BROKEN_ORDINALS, 0), (codes::BROKEN_ORDINALS, 1), (codes::BROKEN_ORDINALS, 2),
            (codes::BROKEN_ORDINALS, 3),
        ],
    },
    OtherError {
        sentence: "final paginated rollout record {record} is missing an ordinal",
        cause: RENUMBERED,
        remedy: COPY,
        command: Some(COPY_COMMAND),
        suspects: &[(codes::BROKEN_ORDINALS, 3)],
    },
    OtherError {
        sentence: "does not start with session metadata",
        cause: "the first line of the rollout was lost",
        remedy: COPY,
        command: Some(COPY_COMMAND),
        suspects: &[(codes::MISSING_SESSION_META, 0)],
    },
    with_command("Cannot change this thread's model provider from `{recorded}` to `{provider}` on resume",
        "Codex resumes a session only with the provider that it was recorded with, and its configuration selects another one",
        "use the recorded one with `codex -c model_provider=RECORDED resume ID`, or record the configured one in the session",
        SET_PROVIDER_COMMAND),
    with_command("Model provider `{name}` not found", NO_PROVIDER, SET_PROVIDER, SET_PROVIDER_COMMAND),
    with_command("This chat uses model provider {name}, which is no longer configured", NO_PROVIDER, SET_PROVIDER,
        SET_PROVIDER_COMMAND),
    with_command("This chat uses model provider {name}, but your organization requires {provider}",
        "the session names another provider than the one that the organization allows",
        "record the required provider in the session", SET_PROVIDER_COMMAND),
    OtherError {
        sentence: "failed to parse thread ID from rollout",
        cause: "the first line of the rollout is not a `session_meta` with all that Codex requires, among it `id` and `cwd`",
        remedy: "`replaylint check FILE` says what is wrong with the header; \
                 `replaylint convert --to codex-session --install FILE` writes the session with a new one",
        command: None,
        suspects: &[(codes::MISSING_SESSION_META, 0)],
    },

    // What other agents say of a session that they do not open.
    OtherError {
        sentence: "Session file is corrupted (line {line}",
        cause: "Copilot CLI cannot parse a line of `events.jsonl`, often after a crash; versions before 1.0.102 repair none",
        remedy: "repair what can be read",
        command: Some("replaylint fix -w FILE"),
        suspects: &[
            (codes::INVALID_JSON, 0), (codes::SHARED_LINE, 0), (codes::RECORD_AFTER_TRUNCATED_ONE, 0),
            (codes::RAW_CONTROL_CHARACTER, 0), (codes::NUL_BYTES, 0), (codes::RAW_LINE_SEPARATOR, 0),
        ],
    },
    row("stored chunk digest mismatch", HASHED, RESTORE),
    row("recovery journal record digest mismatch", HASHED, RESTORE),
    row("stored record digest mismatch", HASHED, RESTORE),
    row("Session messages contain invalid JSON (may have been corrupted)",
        "a line of the session's `messages.jsonl` was cut or edited", "restore the file, or remove the line that the details name"),
    row("Session messages file is empty (may have been corrupted by interruption)",
        "Mistral Vibe was interrupted before it had stored a message", RESTORE),

    // Signatures that only the server can check.
    OtherError {
        sentence: "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
        cause: SIGNED,
        remedy: WITHOUT_THINKING,
        command: Some(STRIP_COMMAND),
        suspects: &[
            (codes::ANTHROPIC_UNSIGNED_THINKING, 4), (codes::SPLIT_THINKING, 0), (codes::SPLIT_THINKING, 1),
            (codes::CUT_SIGNATURE, 0),
        ],
    },
    OtherError {
        sentence: "Invalid `signature` in `thinking` block",
        cause: SIGNED,
        remedy: WITHOUT_THINKING,
        command: Some(STRIP_COMMAND),
        suspects: &[(codes::CUT_SIGNATURE, 0), (codes::SPLIT_THINKING, 0), (codes::SPLIT_THINKING, 1)],
    },
    sealed("Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
        SIGNED,
        "remove all thinking blocks (the named one alone is not enough), or ask for `drop_block` in \
         `thinking.block_binding.prefix_mismatch_behavior`"),
    sealed("Invalid `signature` in `thinking` block. The block is bound to a different conversation.{rest}The `thinking` block \
         that preceded this one when it was created is missing from this request.",
        "an earlier `thinking` block was removed, and each later one is signed over it",
        "restore the earlier blocks, or remove all thinking blocks"),
    sealed("Invalid `signature` in `thinking` block. The block is bound to a different conversation.{rest}The `system` prompt \
         differs from the one this block was created with.",
        "the `system` prompt was changed after the thinking was created, and thinking is signed over it",
        "send the same `system` prompt as before, or remove all thinking blocks"),
    sealed("Corrupted thought signature.", FOREIGN_SIGNATURE, WITHOUT_SIGNATURE),
    sealed("Invalid thought signature", FOREIGN_SIGNATURE, WITHOUT_SIGNATURE),
    sealed("Thought signature is not valid", FOREIGN_SIGNATURE, WITHOUT_SIGNATURE),

    // What servers of some time or family ask for, and others do not.
    row("roles must alternate between \"user\" and \"assistant\"", "older and compatible servers do not merge turns", MERGE),
    row("first message must use the \"user\" role",
        "older and compatible servers require a user message first", "begin the history with a user message"),
    row("A conversation must alternate between user and assistant roles.",
        "some models on Bedrock do not merge turns", MERGE),
    row("a ttl='{ttl}' cache_control block must not come after a ttl='{other}' cache_control block",
        "blocks that are cached longer must come first, in the order tools, system, messages",
        "give them one `ttl`, or remove `cache_control` from the later ones"),
    row("messages.{path}: Extra inputs are not permitted", EXTRA, DELETE),
    row("system.{path}: Extra inputs are not permitted", EXTRA, DELETE),

    // What templates of open models and their servers accept.
    row("System role not supported", TEMPLATE, NO_SYSTEM),
    row("Only user and assistant roles are supported", TEMPLATE, NO_SYSTEM),
    row("You have passed a message containing <|channel|> tags in the content field",
        "the model's own channel tags were stored as text of an assistant message",
        "remove the tags: analysis belongs in the message's `thinking` or `reasoning_content`, the rest in `content`"),
    row("messages 参数非法", ILLEGAL, ASK_LAST),
];
