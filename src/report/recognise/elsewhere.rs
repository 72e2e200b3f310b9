//! Errors that no rule can find in a stored history: the state of a server, keys that only it has, settings of the
//! request, quotas. They are recognised, too, so that nobody looks for the fault where it is not. A sentence that a rule
//! comes to own leaves this table; a test says so.

/// A sentence, and what to do about it.
#[derive(Debug)]
pub struct Elsewhere {
    /// The provider's sentence, as a template.
    pub says: &'static str,
    pub because: &'static str,
    pub remedy: &'static str,
}

const fn row(says: &'static str, because: &'static str, remedy: &'static str) -> Elsewhere {
    Elsewhere { says, because, remedy }
}

const FOREIGN_BLOB: &str = "the encrypted reasoning was made for another account, organisation, project, model or \
                            provider, was cut, or stands under an id that is not its own; only the server can tell";
const STRIP: &str = "`replaylint fix --reasoning strip -w FILE` removes all reasoning and the ids linked to it";
const FULL_HISTORY: &str =
    "leave `previous_response_id` out and send the whole history: `replaylint rebuild --chain never`";
const SIGNED: &str = "thinking is signed over everything before it, so that an edit of an earlier turn breaks it";
const WITHOUT_THINKING: &str =
    "send the turn as it was received, or take all `thinking` and `redacted_thinking` blocks out";
const FOREIGN_SIGNATURE: &str = "the thought's signature was made for another model, project or route, or was cut";
const WITHOUT_SIGNATURE: &str = "take the signature out where it is not required, else put \
                                 `skip_thought_signature_validator` in its place";
const MERGE: &str = "merge adjacent messages of one role; the current API accepts them as they are";
const SHORTER: &str =
    "drop or summarise the oldest turns, calls together with their outputs, then run `replaylint check`";
const NO_MODEL: &str = "the model does not exist, or the account has no access to it";
const OTHER_MODEL: &str = "use another model; `replaylint check --model NAME FILE` checks the history for it";
const NO_FETCH: &str = "the server could not fetch what an item names by its URL";
const EMBED: &str = "embed the content in the item, or drop the item";
const WAIT: &str = "wait and send the same request again";

/// The table.
#[rustfmt::skip]
pub static ELSEWHERE: &[Elsewhere] = &[
    // Blobs that the server cannot read (OpenAI, Azure, OpenCode, xAI).
    row("The encrypted content {blob} could not be verified.", FOREIGN_BLOB, STRIP),
    row("The encrypted content for item {id} could not be verified.", FOREIGN_BLOB, STRIP),
    row("reasoning encrypted_content was not issued to this caller", FOREIGN_BLOB, STRIP),
    row("Could not decrypt the provided", FOREIGN_BLOB, STRIP),
    row("Could not decode the compaction blob.",
        "the `encrypted_content` of a compaction was edited, or is of another account",
        "drop the compaction item; what it summed up is lost unless the turns before it are sent instead"),
    row("Encrypted content is not supported with this model.",
        "the request asks for `reasoning.encrypted_content` and the model does not reason",
        "take `reasoning.encrypted_content` out of `include`"),

    // State that the server does not have, or has locked.
    row("Previous response with id '{previous_id}' not found.",
        "the response has expired, was never stored, or is of another account",
        FULL_HISTORY),
    row("Previous response cannot be used for this organization due to Zero Data Retention.",
        "the organisation stores no responses", FULL_HISTORY),
    row("previous_response_id is not supported on this proxy",
        "the proxy keeps no responses", FULL_HISTORY),
    row("Another process is currently operating on this conversation.",
        "two requests ran on one conversation at a time", WAIT),
    row("Duplicate call_ids submitted: [{ids}]",
        "one submission answers a call twice",
        "answer each call once; in a stored history `replaylint check` finds that as RL105"),

    // Settings of the request, and the endpoint.
    row("The provided data does not match the expected schema",
        "an Azure Foundry project endpoint requires reasoning with its `id`, and `annotations` on every \
         output_text",
        "`replaylint check --target azure FILE` shows what else it would refuse; without reasoning and ids \
         (`fix --target azure --reasoning strip`) it takes the history"),
    row("Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions",
        "this model supports tools together with reasoning effort only in the Responses API",
        "use /v1/responses, or leave `reasoning_effort` out"),
    row("container_id is required when a turn mixes",
        "a turn mixes code execution on the server with tools of the client",
        "send the `container` id of the response with the next request"),

    // Signatures that only the server can check.
    row("`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.", SIGNED, WITHOUT_THINKING),
    row("Invalid `signature` in `thinking` block", SIGNED, WITHOUT_THINKING),
    row("Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
        SIGNED,
        "take all thinking blocks out (the named one alone is not enough), or ask for `drop_block` in \
         `thinking.block_binding.prefix_mismatch_behavior`"),
    row("Corrupted thought signature.", FOREIGN_SIGNATURE, WITHOUT_SIGNATURE),
    row("Thought signature is not valid", FOREIGN_SIGNATURE, WITHOUT_SIGNATURE),

    // What servers of some time or family ask for, and others do not.
    row("roles must alternate between \"user\" and \"assistant\"", "older and compatible servers do not merge turns", MERGE),
    row("first message must use the \"user\" role",
        "older and compatible servers want the user to begin", "begin the history with a user message"),
    row("A conversation must alternate between user and assistant roles.",
        "some models on Bedrock do not merge turns", MERGE),
    row("a ttl='{ttl}' cache_control block must not come after a ttl='{other}' cache_control block",
        "blocks that are cached longer must come first, in the order tools, system, messages",
        "give them one `ttl`, or take `cache_control` off the later ones"),
    row("image dimensions exceed max allowed size",
        "an image is too large; with more than 20 images in a request the limit is lower",
        "make the images smaller, or drop old ones"),
    row("{path}: Extra inputs are not permitted",
        "the block holds a key that the API does not know, often left over from streaming",
        "delete the key that the message names"),

    // No fault of the history at all.
    row("Rate limit reached for", "too many requests or tokens in a short time", WAIT),
    row("You exceeded your current quota", "the account has no credit left", "look at plan and billing"),
    row("This model's maximum context length is {limit} tokens", "the history is too long for the model", SHORTER),
    row("Your input exceeds the context window of this model.", "the history is too long for the model", SHORTER),
    row("prompt is too long: {tokens} tokens > {limit} maximum", "the history is too long for the model", SHORTER),
    row("The model `{model}` does not exist or you do not have access to it.", NO_MODEL, OTHER_MODEL),
    row("The requested model '{model}' does not exist.", NO_MODEL, OTHER_MODEL),
    row("The model `{model}` has been deprecated", "the model was taken out of service", OTHER_MODEL),
    row("{model} is not found for API version", NO_MODEL, OTHER_MODEL),
    row("The provided model identifier is invalid.", NO_MODEL, OTHER_MODEL),
    row("The API deployment for this resource does not exist.", "the deployment does not exist", OTHER_MODEL),
    row("Error while downloading {url}", NO_FETCH, EMBED),
    row("Cannot fetch content from the provided URL.", NO_FETCH, EMBED),
];
