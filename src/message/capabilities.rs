//! The capabilities of dialects, as data. Conversion decides by these, never by a dialect's name.

use super::{LossKind, Media, MediaKind, MediaSource, ReasoningProvider, Role, SettingName, settings_map};

/// The most calls in a message of OpenAI's Chat Completions API, and of Copilot's.
/// https://github.com/github/copilot-cli/issues/669
pub const MAX_CHAT_CALLS: usize = 128;

/// The content and settings that a dialect can express.
pub struct Capabilities {
    /// Maps roles to numbers: adjacent messages with the same number are merged. `None`: messages are never merged.
    pub merged_roles: Option<fn(Role) -> u8>,
    /// The dialect's name: raw values of this dialect can be written.
    pub dialect: &'static str,
    /// The providers whose reasoning its models accept.
    pub reasoning_providers: &'static [ReasoningProvider],
    /// Parts can have Gemini's thought signatures.
    pub signatures: bool,
    pub call_ids: IdRule,
    /// Rules for models whose server has its own, by a part of the model's name.
    pub call_ids_by_model: &'static [(&'static str, IdRule)],
    /// Call ids must be unique in a conversation.
    pub unique_calls: bool,
    pub tool_names: IdRule,
    /// The most cache marks in a request.
    pub cache_marks: usize,
    /// A text may be empty or white space.
    pub blank_texts: bool,
    pub refusals: bool,
    /// Messages of the model say whether they comment or answer.
    pub phases: bool,
    pub custom_calls: bool,
    /// A result can be marked as an error.
    pub error_marks: bool,
    /// Messages name their participant.
    pub names: bool,
    /// System messages may come after the first messages of the conversation.
    pub late_instructions: bool,
    pub media: &'static [MediaSupport],
    /// The kinds of media that a tool's result may contain.
    pub result_media: &'static [MediaKind],
    /// Messages of the model may contain media.
    pub model_media: bool,
    /// A message with a document must contain a text, too.
    pub document_text: bool,
    /// A result must not be empty.
    pub result_text: bool,
    /// Arguments are a JSON object, not the text of one.
    pub object_inputs: bool,
    /// The most calls in a message.
    pub max_calls: usize,
    /// Nothing else may follow a call in its turn.
    pub calls_last: bool,
    /// A request with calls must define tools.
    pub requires_tools: bool,
    /// A conversation must not begin with a message of the model.
    pub user_first: bool,
    /// A request can forbid the use of tools.
    pub forbids_tools: bool,
    /// A request can list the tools that may be called.
    pub allowed_tools: bool,
    /// A request can ask for JSON without a schema.
    pub json_mode: bool,
    /// The schema of an answer can have a description.
    pub describes_schemas: bool,
    /// The schema of an answer can be strict.
    pub strict_schemas: bool,
    /// The number of log probabilities has no effect unless another setting turns them on.
    pub probability_switch: bool,
    /// Effort as a word can turn thinking off.
    pub effort_can_be_off: bool,
    /// Reasoning summaries are only on or off, without a length.
    pub summary_is_switch: bool,
    /// The limits that a web search can have; `None` if there is no web search.
    pub web_search: Option<SearchCapabilities>,
    /// Files have names.
    pub file_names: bool,
    /// Images can have a level of detail.
    pub detail: bool,
    /// Documents can have a context, and ask to be cited.
    pub document_metadata: bool,
    /// The most stop sequences.
    pub max_stop_sequences: usize,
    /// The highest temperature.
    pub max_temperature: u8,
    /// The lowest limit of output tokens.
    pub min_output_limit: u32,
    /// A request names its model; otherwise its URL does.
    pub names_model: bool,
    /// A request must limit its output tokens.
    pub requires_limit: bool,
    /// The key of a request's items or messages.
    pub list_key: &'static str,
    /// The members of a message in a request, where the API refuses those that a response adds; otherwise empty.
    pub message_members: &'static [&'static str],
}

/// A kind of media, and the sources from which it is accepted.
pub struct MediaSupport {
    pub kind: MediaKind,
    pub data: bool,
    pub url: bool,
    pub id: bool,
    pub plain: bool,
    /// The subtypes (after the slash) accepted as data; empty: all.
    pub subtypes: &'static [&'static str],
    /// The subtypes accepted by URL, as far as the URL shows them; empty: all.
    pub url_subtypes: &'static [&'static str],
}

impl MediaSupport {
    /// Accepted from no source.
    pub const fn none(kind: MediaKind) -> MediaSupport {
        MediaSupport { kind, data: false, url: false, id: false, plain: false, subtypes: &[], url_subtypes: &[] }
    }
}

/// The limits that a web search can have.
pub struct SearchCapabilities {
    pub allowed: bool,
    pub blocked: bool,
    pub location: bool,
    pub context: bool,
    pub max_uses: bool,
}

/// The pattern of ids or names.
#[derive(Clone, Copy, Debug)]
pub struct IdRule {
    pub chars: Chars,
    pub max: usize,
    /// The length is exactly `max`.
    pub exact: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chars {
    Any,
    /// Letters, digits, `_` and `-`.
    Word,
    Alphanumeric,
}

impl Capabilities {
    /// The capabilities of a dialect without an API.
    pub const NOTHING: Capabilities = Capabilities {
        merged_roles: None,
        dialect: "",
        reasoning_providers: &[],
        signatures: false,
        call_ids: IdRule::new(Chars::Any, usize::MAX),
        call_ids_by_model: &[],
        unique_calls: false,
        tool_names: IdRule::new(Chars::Any, usize::MAX),
        cache_marks: 0,
        blank_texts: true,
        refusals: false,
        phases: false,
        custom_calls: false,
        error_marks: false,
        names: false,
        late_instructions: true,
        media: &[],
        result_media: &[],
        model_media: false,
        document_text: false,
        result_text: false,
        object_inputs: false,
        max_calls: usize::MAX,
        calls_last: false,
        requires_tools: false,
        user_first: false,
        forbids_tools: true,
        allowed_tools: false,
        json_mode: false,
        describes_schemas: true,
        probability_switch: true,
        effort_can_be_off: true,
        summary_is_switch: false,
        strict_schemas: true,
        web_search: None,
        file_names: true,
        detail: false,
        document_metadata: false,
        max_stop_sequences: usize::MAX,
        max_temperature: 2,
        min_output_limit: 0,
        names_model: true,
        requires_limit: false,
        list_key: "",
        message_members: &[],
    };

    /// The loss if media is left out; `None` if it is accepted as it is.
    pub fn media_loss(&self, media: &Media) -> Option<LossKind> {
        let Some(way) = self.media.iter().find(|way| way.kind == media.kind) else { return Some(LossKind::MEDIA) };
        let (taken, loss) = match &media.source {
            MediaSource::Data(_) => (way.data, LossKind::MEDIA),
            MediaSource::Url(_) => (way.url, LossKind::MEDIA_URL),
            MediaSource::Id(_, dialect) => (way.id && self.reads_files_of(dialect), LossKind::FILE_ID),
            MediaSource::Plain(_) => (way.plain, LossKind::MEDIA_AS_TEXT),
        };
        if !taken {
            return Some(loss);
        }
        let types = match media.source {
            MediaSource::Data(_) => way.subtypes,
            MediaSource::Url(_) => way.url_subtypes,
            MediaSource::Id(..) | MediaSource::Plain(_) => &[],
        };
        let fits = types.is_empty() || media.likely_subtype().is_none_or(|own| types.contains(&own.as_str()));
        (!fits).then_some(LossKind::MEDIA)
    }

    /// Both APIs of OpenAI read the same files.
    fn reads_files_of(&self, dialect: &str) -> bool {
        let openai = |name: &str| name == "chat" || name == "responses";
        dialect == self.dialect || openai(dialect) && openai(self.dialect)
    }

    /// The pattern of call ids for a model.
    pub fn call_ids_for(&self, model: Option<&str>) -> IdRule {
        let own = self.call_ids_by_model.iter().find(|(part, _)| model.is_some_and(|name| name.contains(part)));
        own.map_or(self.call_ids, |(_, rule)| *rule)
    }

    pub fn has(&self, name: SettingName) -> bool {
        settings_map::has_setting(self.dialect, name)
    }
}

impl Chars {
    fn has(self, byte: u8) -> bool {
        match self {
            Chars::Any => true,
            Chars::Word => byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-',
            Chars::Alphanumeric => byte.is_ascii_alphanumeric(),
        }
    }
}

impl IdRule {
    pub const fn new(chars: Chars, max: usize) -> Self {
        IdRule { chars, max, exact: false }
    }

    /// Nine letters and digits: Mistral's.
    pub const MISTRAL: IdRule = IdRule { chars: Chars::Alphanumeric, max: 9, exact: true };

    pub fn fits(&self, id: &[u8]) -> bool {
        let length = if self.exact { id.len() == self.max } else { (1..=self.max).contains(&id.len()) };
        length && id.iter().all(|byte| self.chars.has(*byte))
    }

    /// An id that fits, derived only from the old one and the number of earlier attempts.
    pub fn fit_id(&self, id: &[u8], again: u32) -> String {
        let mut hash = crate::json::string::fingerprint_of(&[id, &again.to_le_bytes()].concat());
        let mut digits = String::new();
        for _ in 0..if self.exact { self.max } else { 8 } {
            digits.extend(char::from_digit((hash % 36) as u32, 36));
            hash /= 36;
        }
        if self.exact {
            return digits;
        }
        let word = |byte: &u8| if Chars::Word.has(*byte) { char::from(*byte) } else { '_' };
        let whole: String = id.iter().map(word).collect();
        // An id with only forbidden characters replaced keeps its length; any other gets a suffix.
        if again == 0 && !whole.is_empty() && whole.len() <= self.max {
            return whole;
        }
        let keep = whole.len().min(self.max.saturating_sub(digits.len() + 1));
        format!("{}_{digits}", &whole[..keep])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_fitted_the_same_on_every_run() {
        let word = IdRule::new(Chars::Word, 12);
        assert!(word.fits(b"toolu_01") && !word.fits(b"f.x:0") && !word.fits(b"") && !word.fits(b"0123456789abc"));
        assert_eq!(word.fit_id(b"f.x:0", 0), "f_x_0");
        let long = word.fit_id(b"0123456789abcdef", 0);
        assert!(word.fits(long.as_bytes()) && long.starts_with("012_"), "{long}");
        assert_eq!(long, word.fit_id(b"0123456789abcdef", 0));
        assert_ne!(long, word.fit_id(b"0123456789abcdef", 1));
        assert!(IdRule::MISTRAL.fits(IdRule::MISTRAL.fit_id(b"call_1", 0).as_bytes()));
    }
}
