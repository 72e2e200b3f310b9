//! What a dialect can say: capabilities, as data. Conversion asks these, and never for a dialect's name.

use super::{LossKind, Maker, Media, MediaKind, Name, Role, Source, settings_map};

/// What a dialect takes of a conversation.
pub struct Capabilities {
    /// Messages of roles with the same number are one, where they follow each other; `None` where each stays by itself.
    pub merged_roles: Option<fn(Role) -> u8>,
    /// The dialect's name: what is kept raw for it may be written.
    pub dialect: &'static str,
    /// Whose reasoning means something to its models.
    pub makers: &'static [Maker],
    /// Gemini's signatures on parts.
    pub signatures: bool,
    pub call_ids: IdRule,
    /// Where a model's server has a rule of its own, by what its name holds.
    pub call_ids_by_model: &'static [(&'static str, IdRule)],
    /// Call ids must not be used twice.
    pub unique_calls: bool,
    pub tool_names: IdRule,
    /// How many cache marks a request may hold.
    pub cache_marks: usize,
    /// A text may be empty or hold nothing but white space.
    pub blank_texts: bool,
    pub refusals: bool,
    pub custom_calls: bool,
    /// A result can be marked as an error.
    pub error_marks: bool,
    /// Messages name their participant.
    pub names: bool,
    /// System messages may come after the first messages of the conversation.
    pub late_instructions: bool,
    pub media: &'static [MediaSupport],
    /// Of these, what a tool's result may hold.
    pub result_media: &'static [MediaKind],
    /// The model's own messages may hold media.
    pub model_media: bool,
    /// A message with a document must hold a text, too.
    pub document_text: bool,
    /// A result must hold something.
    pub result_text: bool,
    /// Arguments are an object, not the text of one.
    pub object_inputs: bool,
    /// Nothing else may follow a call in its turn.
    pub calls_last: bool,
    /// Calls need the definitions of their tools.
    pub wants_tools: bool,
    /// A conversation must not begin with the model.
    pub user_first: bool,
    /// A request can forbid the model its tools.
    pub forbids_tools: bool,
    /// A request can name the tools that may be called.
    pub allowed_tools: bool,
    /// An answer can be asked for as JSON without a schema.
    pub json_mode: bool,
    /// The schema of an answer says what it is for.
    pub describes_schemas: bool,
    /// The schema of an answer says whether it is held to strictly.
    pub strict_schemas: bool,
    /// How many probabilities are shown says nothing without a switch.
    pub probability_switch: bool,
    /// Models whose effort is set by a word take one that switches thinking off.
    pub thinks_off: bool,
    /// Summaries of thoughts come or do not: how long they are is not asked.
    pub plain_summaries: bool,
    /// What a search of the web can be limited by; `None` if there is none.
    pub web_search: Option<SearchCapabilities>,
    /// Files have names.
    pub file_names: bool,
    /// Images say how closely to look.
    pub detail: bool,
    /// Documents say what the model is to know of them, and that they are to be cited.
    pub document_facts: bool,
    /// How many stop sequences are taken.
    pub stops: usize,
    /// The highest temperature.
    pub hottest: u8,
    /// The least limit of an answer.
    pub least_limit: u32,
    /// A request names its model; elsewhere its address does.
    pub names_model: bool,
    /// A request must limit its answer.
    pub wants_limit: bool,
    /// The key of a request that holds its items or messages.
    pub list_key: &'static str,
    /// The members of a message in a request, where those that a response adds are refused; else empty.
    pub message_members: &'static [&'static str],
}

/// A kind of media, and the ways in which it may come.
pub struct MediaSupport {
    pub kind: MediaKind,
    pub data: bool,
    pub url: bool,
    pub id: bool,
    pub plain: bool,
    /// The types taken as data, by what comes after the slash; empty: all.
    pub subtypes: &'static [&'static str],
    /// The types taken by URL, as far as it tells; empty: all.
    pub url_subtypes: &'static [&'static str],
}

impl MediaSupport {
    /// Taken by none of the ways.
    pub const fn none(kind: MediaKind) -> MediaSupport {
        MediaSupport { kind, data: false, url: false, id: false, plain: false, subtypes: &[], url_subtypes: &[] }
    }
}

/// What a search of the web can be limited by.
pub struct SearchCapabilities {
    pub allowed: bool,
    pub blocked: bool,
    pub location: bool,
    pub context: bool,
    pub max_uses: bool,
}

/// What an id or a name may look like.
#[derive(Clone, Copy, Debug)]
pub struct IdRule {
    pub chars: Chars,
    pub max: usize,
    /// Exactly `max` long.
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
    /// A dialect that is no API's.
    pub const NOTHING: Capabilities = Capabilities {
        merged_roles: None,
        dialect: "",
        makers: &[],
        signatures: false,
        call_ids: IdRule::new(Chars::Any, usize::MAX),
        call_ids_by_model: &[],
        unique_calls: false,
        tool_names: IdRule::new(Chars::Any, usize::MAX),
        cache_marks: 0,
        blank_texts: true,
        refusals: false,
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
        calls_last: false,
        wants_tools: false,
        user_first: false,
        forbids_tools: true,
        allowed_tools: false,
        json_mode: false,
        describes_schemas: true,
        probability_switch: true,
        thinks_off: true,
        plain_summaries: false,
        strict_schemas: true,
        web_search: None,
        file_names: true,
        detail: false,
        document_facts: false,
        stops: usize::MAX,
        hottest: 2,
        least_limit: 0,
        names_model: true,
        wants_limit: false,
        list_key: "",
        message_members: &[],
    };

    /// What is lost of media: `None` if it is taken as it is.
    pub fn refuses(&self, media: &Media) -> Option<LossKind> {
        let Some(way) = self.media.iter().find(|way| way.kind == media.kind) else { return Some(LossKind::MEDIA) };
        let (taken, loss) = match &media.source {
            Source::Data(_) => (way.data, LossKind::MEDIA),
            Source::Url(_) => (way.url, LossKind::MEDIA_URL),
            Source::Id(_, dialect) => (way.id && self.reads_files_of(dialect), LossKind::FILE_ID),
            Source::Plain(_) => (way.plain, LossKind::MEDIA_AS_TEXT),
        };
        if !taken {
            return Some(loss);
        }
        let types = match media.source {
            Source::Data(_) => way.subtypes,
            Source::Url(_) => way.url_subtypes,
            Source::Id(..) | Source::Plain(_) => &[],
        };
        let fits = types.is_empty() || media.likely_subtype().is_none_or(|own| types.contains(&own.as_str()));
        (!fits).then_some(LossKind::MEDIA)
    }

    /// Both APIs of OpenAI read the same files.
    fn reads_files_of(&self, dialect: &str) -> bool {
        let openai = |name: &str| name == "chat" || name == "responses";
        dialect == self.dialect || openai(dialect) && openai(self.dialect)
    }

    /// What call ids must look like for a model.
    pub fn call_ids_for(&self, model: Option<&str>) -> IdRule {
        let own = self.call_ids_by_model.iter().find(|(part, _)| model.is_some_and(|name| name.contains(part)));
        own.map_or(self.call_ids, |(_, rule)| *rule)
    }

    pub fn has(&self, name: Name) -> bool {
        settings_map::has(self.dialect, name)
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

    /// An id that fits, told from the old one alone and from how often it had to be made.
    pub fn fitting(&self, id: &[u8], again: u32) -> String {
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
        // What only holds odd characters keeps its length; anything else gets a mark of its own.
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
    fn ids_are_made_to_fit_and_stay_the_same() {
        let word = IdRule::new(Chars::Word, 12);
        assert!(word.fits(b"toolu_01") && !word.fits(b"f.x:0") && !word.fits(b"") && !word.fits(b"0123456789abc"));
        assert_eq!(word.fitting(b"f.x:0", 0), "f_x_0");
        let long = word.fitting(b"0123456789abcdef", 0);
        assert!(word.fits(long.as_bytes()) && long.starts_with("012_"), "{long}");
        assert_eq!(long, word.fitting(b"0123456789abcdef", 0));
        assert_ne!(long, word.fitting(b"0123456789abcdef", 1));
        assert!(IdRule::MISTRAL.fits(IdRule::MISTRAL.fitting(b"call_1", 0).as_bytes()));
    }
}
