//! Names: numbers of the keys that are looked up in every object. The scanner writes them to the tape, so that a
//! lookup compares numbers instead of text.
//!
//! A key that is not in the table has no name, and is compared as text.

use super::key_words::KeyWords;

/// The number of a key in the table; 0 for a key that is not in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyName(u16);

macro_rules! names {
    ($($name:ident)*) => {
        /// A constant for each name, spelled as the key.
        #[allow(non_upper_case_globals)]
        pub mod name {
            use super::KeyName;

            #[allow(non_camel_case_types, clippy::enum_variant_names)]
            enum Number { none, $($name),* }

            const _: Number = Number::none;

            $(pub const $name: KeyName = KeyName(Number::$name as u16);)*
        }

        /// The keys, in the order of their numbers, which begin with 1.
        const KEYS: [&str; [$(stringify!($name)),*].len()] = [$(key_of(stringify!($name))),*];
    };
}

/// The key of an identifier: a raw identifier without `r#`.
const fn key_of(identifier: &'static str) -> &'static str {
    match identifier.as_bytes() {
        [b'r', b'#', ..] => identifier.split_at(2).1,
        _ => identifier,
    }
}

#[rustfmt::skip]
names! {
    acknowledged_safety_checks action actions active additionalModelRequestFields additionalProperties additional_kwargs
    allOf allowed_tools annotations anthropic_beta anthropic_version anyOf approval_request_id approve args arguments
    ask attributes audio audioMetadata audioTranscription audio_metadata audio_transcription background body bucketOwner
    budget_tokens button bytes cacheControl cachePoint cache_control callID call_id call_type caller caller_id
    candidates chat_messages checkpoint checkpoint_version choices chunkedPrompt citations citationsContent cited_text
    cli_version code codeExecutionResult code_execution_result command commands condenseId condenseParent config
    container_id content content_version contents context conversation conversations created createdAt created_at
    created_by current_node custom custom_id cwd data definitions description detail diff dimensions displayName
    display_name document documentMetadata document_index document_metadata document_title done effort enable_thinking
    enabled encoding_format encrypted_content encrypted_index encrypted_stdout endOffset end_block_index end_byte_offset
    end_char_index end_index end_offset end_ordinal_exclusive end_page_number env environment error error_code
    error_message eval event events executableCode executable_code execution exit_code file fileData fileUri file_data
    file_id file_type file_uri file_url filename fingerprint format fps frequency_penalty function functionCall
    functionResponse function_call function_response functions generationConfig generation_config git guardContent
    guardrailConfig has_more hidden history history_base history_mode id image image_url images include index
    inferenceConfig inference_geo info inlineData inline_data input inputSchema input_audio input_schema instruction
    instructions isSummary isTruncationMarker is_error is_file_update item items json json_schema keep_alive keys kind
    kwargs language last_updated lc leafUuid level lines location logit_bias logprob logprobs logs manifest_version
    mapping max_completion_tokens max_output_length max_output_tokens max_tokens max_tokens_to_sample mcp_servers
    mediaProcessing mediaResolution mediaType media_processing media_resolution media_type message messageID messageId
    message_count messages metadata method metrics mimeType mime_type modalities mode model modelId modelInfo modelInput
    modelVersion model_config_id model_provider n name namespace new_lines new_start next not numTokens num_lines
    num_tokens num_turns object observation_id old_lines old_start oneOf operation options ordinal originalInput
    original_input outcome output outputConfig output_config output_format outputs page_age parallel_tool_calls
    parameters parentId parentUuid parent_uuid parsed parsed_arguments part partMetadata part_metadata partialArgs
    partial_args parts path pattern payload pending_safety_checks phase plan platform prediction prefix prefixItems
    presence_penalty previous_response_id projectHash prompt prompt_cache_breakpoint properties provider_metadata
    provider_response_id proxy_server_request qualifiers quality queries query queued_messages raw_messages reason
    reasoning reasoningContent reasoningText reasoning_content reasoning_details reasoning_effort record_type
    redactedContent refusal replacement_history replaylint_ref request required resourceSpans resource_spans response
    response_format response_modalities result results retrieved_at return_code revised_prompt role
    runtime_state_version s3Location samples say scheduling schema schema_version scopeSpans scope_spans scroll_x
    scroll_y searchResult search_result_index seed server_label server_name service_tier session sessionID sessionId
    session_id session_start signature size snapshot source sourceContent sources spans speechMetadata speech_metadata
    spreadsheetMetadata spreadsheet_metadata startOffset start_block_index start_char_index start_index start_line
    start_offset start_page_number state state_changes stats status stderr stdout step step_index stop stopReason
    stop_reason stop_sequences store store_format stream stream_options strict subtype summary system systemInstruction
    systemPayload system_instruction system_prompt tab_id tabs temperature text thinking thought thoughtSignature
    thought_signature thread_id time timeout_ms timestamp title token tool toolCall toolCallId toolConfig
    toolInvocations toolName toolResponse toolResult toolSpec toolType toolUse toolUseId tool_call tool_call_id
    tool_calls tool_choice tool_id tool_name tool_references tool_response tool_results tool_type tool_use_id tools
    toolset_name top_k top_logprobs top_p total_lines traceId trace_id transformations truncation truncationId
    truncationParent ts ttl turn turn_index r#type updatedAt updated_at uri url usage user user_location uuid value
    values version video videoMetadata video_metadata voice weight willContinue will_continue working_dir
    working_directory x y
}

impl KeyName {
    /// The name of keys that are not in the table.
    pub const NONE: KeyName = KeyName(0);

    /// The name of a key, or [`KeyName::NONE`].
    pub const fn find(key: &[u8]) -> KeyName {
        let words = KeyWords::of(key);
        let name = KeyName::from_words(words, words.hash());
        if name.is_some() && is_same(KEYS[name.0 as usize - 1].as_bytes(), key) {
            return name;
        }
        KeyName::NONE
    }

    /// The name whose key has these words. It is unique for a short key without zeros.
    #[inline(always)]
    pub(super) const fn from_words(words: KeyWords, hash: u32) -> KeyName {
        let mut at = hash as usize >> (u32::BITS - SLOT_BITS);
        loop {
            let number = SLOTS[at];
            if number == 0 || KEY_WORDS[number as usize].equals(words) {
                return KeyName(number);
            }
            at = (at + 1) % SLOTS.len();
        }
    }

    pub const fn is_some(self) -> bool {
        self.0 != KeyName::NONE.0
    }

    /// The key; empty where there is no name.
    pub const fn key(self) -> &'static str {
        if self.is_some() { KEYS[self.0 as usize - 1] } else { "" }
    }
}

/// Few names share a slot.
const SLOT_BITS: u32 = 11;

/// The words of each name, by its number.
static KEY_WORDS: [KeyWords; KEYS.len() + 1] = {
    let mut own = [KeyWords::of(b""); KEYS.len() + 1];
    let mut n = 0;
    while n < KEYS.len() {
        own[n + 1] = KeyWords::of(KEYS[n].as_bytes());
        n += 1;
    }
    own
};

/// The number of the name at each hash, or at the next free slot after it. No two names have the same words.
static SLOTS: [u16; 1 << SLOT_BITS] = {
    let mut slots = [0; 1 << SLOT_BITS];
    let mut n = 1;
    while n < KEY_WORDS.len() {
        let mut at = KEY_WORDS[n].hash() as usize >> (u32::BITS - SLOT_BITS);
        while slots[at] != 0 {
            assert!(!KEY_WORDS[slots[at] as usize].equals(KEY_WORDS[n]), "two names begin alike");
            at = (at + 1) % slots.len();
        }
        slots[at] = n as u16;
        n += 1;
    }
    slots
};

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut n = 0;
    while n < one.len() && n < other.len() && one[n] == other[n] {
        n += 1;
    }
    n == one.len() && n == other.len()
}

/// A set of names.
#[derive(Clone, Copy, Debug)]
pub struct NameSet([u64; NameSet::WORDS]);

impl NameSet {
    const WORDS: usize = 8;

    pub const EMPTY: NameSet = NameSet([0; NameSet::WORDS]);

    /// The names of these keys. A key that is not in the table is a compile error.
    pub const fn of(keys: &[&str]) -> NameSet {
        let (mut set, mut n) = (NameSet::EMPTY, 0);
        while n < keys.len() {
            let name = KeyName::find(keys[n].as_bytes());
            assert!(name.is_some(), "the table of names lacks a key");
            set = set.with(name);
            n += 1;
        }
        set
    }

    /// The set with one more name; [`KeyName::NONE`] adds nothing.
    pub const fn with(mut self, name: KeyName) -> NameSet {
        if name.0 != KeyName::NONE.0 {
            self.0[name.0 as usize / 64] |= 1 << (name.0 % 64);
        }
        self
    }

    /// True if the sets share a name.
    #[inline]
    pub fn intersects(&self, other: &NameSet) -> bool {
        self.0.iter().zip(&other.0).any(|(own, others)| own & others != 0)
    }

    pub fn has_all(&self, other: &NameSet) -> bool {
        self.0.iter().zip(&other.0).all(|(own, others)| own & others == *others)
    }

    #[inline(always)]
    pub const fn has(&self, name: KeyName) -> bool {
        self.0[name.0 as usize / 64 % NameSet::WORDS] >> (name.0 % 64) & 1 == 1
    }
}

/// Numbers of names fit into a set.
const _: () = assert!(KEYS.len() < 64 * NameSet::WORDS);

/// A map from names to values, without hashing or searching.
#[derive(Debug)]
pub struct ByName<T> {
    /// The length is a power of two such that all names differ in their lowest bits.
    slots: Box<[Option<(KeyName, T)>]>,
}

impl<T> Default for ByName<T> {
    fn default() -> Self {
        ByName { slots: Box::default() }
    }
}

impl<T> ByName<T> {
    /// Of two values with one name the first one is kept.
    pub fn new(values: Vec<(KeyName, T)>) -> Self {
        let slot = |name: KeyName, size: usize| usize::from(name.0) & (size - 1);
        let differ = |size: &usize| {
            let mut taken = vec![None; *size];
            values.iter().all(|(name, _)| {
                let before = taken.get_mut(slot(*name, *size)).and_then(|place| place.replace(*name));
                before.is_none_or(|before| before == *name)
            })
        };
        if values.is_empty() {
            return ByName::default();
        }
        let size = (0..).map(|n| 1 << n).find(differ).unwrap_or(1);
        let mut slots: Box<[Option<(KeyName, T)>]> = std::iter::repeat_with(|| None).take(size).collect();
        for (name, value) in values {
            if let Some(place) = slots.get_mut(slot(name, size)) {
                place.get_or_insert((name, value));
            }
        }
        ByName { slots }
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten().map(|(_, value)| value)
    }

    #[inline(always)]
    pub fn get(&self, name: KeyName) -> Option<&T> {
        let at = usize::from(name.0) & self.slots.len().wrapping_sub(1);
        self.slots.get(at)?.as_ref().filter(|(own, _)| *own == name).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Tape, scan};

    #[test]
    fn each_name_is_found_wherever_its_key_stands() {
        for (n, key) in KEYS.iter().enumerate() {
            let name = KeyName(n as u16 + 1);
            assert_eq!((KeyName::find(key.as_bytes()), name.key()), (name, *key));
            // Rules know keys that begin with an underscore by that alone.
            assert!(!key.starts_with('_'), "{key}");
            let escaped = format!("\\u{:04x}{}", key.as_bytes()[0], &key[1..]);
            let (cut, long) = (&key[..key.len() - 1], format!("{key}s_that_no_table_has"));
            let text = format!(r#"{{"{key}":1,"{escaped}":2,"{cut}":3,"{long}":4,"{key}":5}}"#);
            let mut tape = Tape::new();
            scan(text.as_bytes(), &mut tape).expect("JSON");
            let names: Vec<KeyName> =
                tape.root(text.as_bytes()).expect("a value").named_members().map(|(name, _)| name).collect();
            let of_cut = KEYS.iter().position(|key| *key == cut).map_or(KeyName::NONE, |n| KeyName(n as u16 + 1));
            assert_eq!(names, [name, name, of_cut, KeyName::NONE, name], "{text}");
        }
        assert!(KEYS.is_sorted_by(|a, b| a < b));
        assert_eq!(KeyName::find(b""), KeyName::NONE);
        assert_eq!(KeyName::find(b"encrypted_conten"), KeyName::NONE);
        assert_eq!(KeyName::find(b"a key of more than sixteen bytes"), KeyName::NONE);
    }

    #[test]
    fn values_are_found_by_name() {
        let all: Vec<(KeyName, &str)> = KEYS.iter().map(|key| (KeyName::find(key.as_bytes()), *key)).collect();
        for some in [&all[..], &all[..1], &all[3..9], &[]] {
            let by_name = ByName::new(some.to_vec());
            for (name, key) in &all {
                let expected = some.iter().any(|(own, _)| own == name).then_some(*key);
                assert_eq!(by_name.get(*name).copied(), expected);
            }
            assert_eq!(by_name.get(KeyName::NONE), None);
        }
        let set = NameSet::EMPTY.with(name::r#type).with(KeyName::NONE);
        assert!(set.has(name::r#type) && !set.has(name::role) && !set.has(KeyName::NONE));
    }
}
