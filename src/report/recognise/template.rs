//! A template of the provider's sentence, used in reverse: it finds its sentence in a text and captures the values of the
//! template's names. It matches loosely, as people paste: line breaks for spaces, other quotes or none around code, no full stop.

use std::sync::OnceLock;

use regex::{Captures, Regex};

use super::boilerplate::cover_boilerplate;

/// A piece of a template.
enum TemplatePart<'t> {
    Text(&'t str),
    Name(&'t str),
    /// Left out if a name in it had no value.
    Maybe(Vec<TemplatePart<'t>>),
}

fn parse(template: &str) -> Vec<TemplatePart<'_>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '⟨']) {
        let (open, close) = if rest[at..].starts_with('{') { ('{', '}') } else { ('⟨', '⟩') };
        let inner = &rest[at + open.len_utf8()..];
        let Some(end) = inner.find(close) else { break };
        parts.push(TemplatePart::Text(&rest[..at]));
        parts.push(match open {
            '{' => TemplatePart::Name(&inner[..end]),
            _ => TemplatePart::Maybe(parse(&inner[..end])),
        });
        rest = &inner[end + close.len_utf8()..];
    }
    parts.push(TemplatePart::Text(rest));
    parts
}

/// The template's own text, between its names.
pub fn pieces(template: &str) -> Vec<&str> {
    fn push<'t>(parts: &[TemplatePart<'t>], out: &mut Vec<&'t str>) {
        for part in parts {
            match part {
                TemplatePart::Text(text) => out.push(text),
                TemplatePart::Name(_) => {}
                TemplatePart::Maybe(inner) => push(inner, out),
            }
        }
    }
    let mut out = Vec::new();
    push(&parse(template), &mut out);
    out
}

/// The part of a template up to the end of its first sentence, if that says enough by itself: what a log that cuts its
/// lines leaves.
pub fn beginning(template: &str) -> Option<&str> {
    let mut depth = 0i32;
    for (at, c) in template.char_indices() {
        match c {
            '{' | '⟨' => depth += 1,
            '}' | '⟩' => depth -= 1,
            '.' if depth == 0 && template[at + 1..].starts_with(' ') => {
                let first = &template[..at];
                return (weight(&parse(first)) >= MIN_LETTERS).then_some(first);
            }
            _ => {}
        }
    }
    None
}

/// Letters of its own that a sentence needs, so that it is not found by chance.
const MIN_LETTERS: usize = 16;
const MIN_LETTERS_ALONE: usize = 10;

/// How much of the template is its own text, so that the more specific of two wins.
fn weight(parts: &[TemplatePart<'_>]) -> usize {
    let own = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    parts.iter().map(|part| if let TemplatePart::Text(text) = part { own(text) } else { 0 }).sum()
}

fn longest_word(parts: &[TemplatePart<'_>]) -> String {
    let own = parts.iter().filter_map(|part| if let TemplatePart::Text(text) = part { Some(*text) } else { None });
    let words = own.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric()));
    words.max_by_key(|word| word.len()).unwrap_or_default().to_owned()
}

/// A text in which sentences are searched for.
pub struct PastedText {
    pub text: String,
    /// The text with its boilerplate covered, of the same length.
    pub bare: String,
    /// `bare` in lower case.
    lower: String,
}

impl PastedText {
    pub fn new(text: String) -> Self {
        let bare = cover_boilerplate(&text);
        let lower = bare.to_ascii_lowercase();
        PastedText { text, bare, lower }
    }
}

/// A matcher of a sentence.
pub struct Sentence {
    /// Compiled for the first text that may contain the sentence.
    regex: OnceLock<Option<Regex>>,
    pattern: String,
    /// Names of the captures, in order; a name that may be quoted or not has two.
    names: Vec<String>,
    /// The longest word of the template's own text, in lower case: most texts lack it, and are skipped quickly.
    word: String,
    pub weight: usize,
    /// The part of the weight that a text may lack.
    lead: usize,
    /// Its own text has a path, or is a code, which the URL of a page about it has: it is found there, too.
    is_anywhere: bool,
    /// It is so short that it must be a message by itself.
    alone: bool,
}

/// A sentence that was found.
pub struct SentenceMatch {
    pub start: usize,
    pub end: usize,
    /// How much of the template's own text was found.
    pub weight: usize,
    /// Name and what was found for it, in the order of the template.
    pub captures: Vec<(String, String)>,
}

impl Sentence {
    /// `None` for a template with too little text of its own to be distinguished from others.
    pub fn new(template: &str) -> Option<Sentence> {
        let sentence = Sentence::with_lead(template, lead(template));
        // Punctuation distinguishes it from what people write.
        let plain = template.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ');
        (sentence.weight >= MIN_LETTERS_ALONE)
            .then(|| Sentence { alone: plain && sentence.weight < MIN_LETTERS, ..sentence })
    }

    /// Of any length, and word for word: short ones are found as whole words.
    pub fn short(template: &str) -> Sentence {
        Sentence::with_lead(template, 0)
    }

    fn with_lead(template: &str, lead: usize) -> Sentence {
        let template = template.trim().trim_end_matches('.');
        let (lead, rest) = template.split_at(lead);
        let parts = parse(rest);
        let weight = weight(&parse(template));
        let mut pattern = Pattern::new();
        let lead_weight = self::weight(&parse(lead));
        if !lead.is_empty() {
            pattern.text.push_str("(?:(");
            pattern.names.push(LEAD.to_owned());
            pattern.push(&parse(lead), false);
            pattern.text.push_str("))?");
        }
        if lead.is_empty() && template.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            pattern.text.push_str(r"(?-u:\b)");
        }
        pattern.push(&parts, true);
        if weight < MIN_LETTERS && template.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            pattern.text.push_str(r"(?-u:\b)");
        }
        let word = longest_word(&parts).to_ascii_lowercase();
        Sentence {
            regex: OnceLock::new(),
            pattern: pattern.text,
            names: pattern.names,
            word,
            weight,
            lead: lead_weight,
            is_anywhere: template.contains('/') || is_code(template),
            alone: false,
        }
    }

    /// The first place where the sentence occurs. Linear in the length of the text, whatever it is.
    pub fn find(&self, pasted: &PastedText) -> Option<SentenceMatch> {
        if !self.is_anywhere && !pasted.lower.contains(&self.word) {
            return None;
        }
        let regex = self.regex.get_or_init(|| Regex::new(&self.pattern).ok()).as_ref()?;
        let text = if self.is_anywhere { &pasted.text } else { &pasted.bare };
        let mut all = regex.captures_iter(text);
        let fits = |found: &Captures<'_>| {
            !self.alone || found.get(0).is_some_and(|whole| is_message(text, whole.start(), whole.end()))
        };
        let found = all.find(fits)?;
        let whole = found.get(0)?;
        let capture = |(n, name): (usize, &String)| {
            let end = |c: char| matches!(c, '.' | ',' | ';' | ':' | ')' | ']' | '}' | '!' | '?');
            let text = pasted.text.get(found.get(n + 1)?.range())?.trim_end_matches(end);
            Some((name.clone(), text.to_owned()))
        };
        let mut captures: Vec<(String, String)> = self.names.iter().enumerate().filter_map(capture).collect();
        let had = captures.len();
        captures.retain(|(name, _)| name != LEAD);
        let weight = self.weight - if captures.len() == had { self.lead } else { 0 };
        Some(SentenceMatch { start: whole.start(), end: whole.end(), weight, captures })
    }
}

/// True if a piece of a text is a message by itself: a line, or what a quote, a bracket, a status or `error:` begins, up to
/// the end of that.
fn is_message(text: &str, start: usize, end: usize) -> bool {
    let near =
        (0..=start).rev().take(CONTEXT_BYTES).filter(|at| text.is_char_boundary(*at)).last().unwrap_or(start);
    let before = text.get(near..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    let word = line.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let is_status = || word.len() == 3 && word.starts_with(['4', '5']) && word.bytes().all(|b| b.is_ascii_digit());
    let is_begun = match line.chars().next_back() {
        None => true,
        Some(':') => line.trim_end_matches(':').to_ascii_lowercase().ends_with("error"),
        Some(c) => matches!(c, '"' | '\'' | '`' | ']' | '=' | '×' | '✕' | '|' | '│') || is_status(),
    };
    let after = text.get(end..).unwrap_or_default();
    let after = after.strip_prefix('.').unwrap_or(after).trim_start_matches([' ', '\t']);
    is_begun && (after.is_empty() || after.starts_with(['\n', '"', '\'', '`', '}', ']', ')', '|', '│']))
}

/// The name of the capture of what a text may lack; no name of a template is empty.
const LEAD: &str = "";

/// Beginnings of sentences that gateways and clients leave out.
const LEADS: [&str; 6] = [
    "Invalid parameter: ",
    "Invalid request: ",
    "invalid params, ",
    "The model returned the following errors: ",
    "* GenerateContentRequest.",
    "Invalid ",
];

/// What validators say of any field: only the path before it says what it is about.
const OF_ANY_FIELD: [&str; 5] =
    ["Extra inputs", "Field required", "Input should", "String should", "required oneof field"];

/// The length of the part of a template that a text may lack: a common prefix, or the path of the message.
fn lead(template: &str) -> usize {
    let prefix = LEADS.iter().find(|prefix| template.starts_with(**prefix)).map(|prefix| prefix.len());
    let path = || {
        let list = ["messages", "input", "contents"].iter().find(|list| template.starts_with(**list))?;
        template[list.len()..].starts_with(['.', ':', '[']).then_some(())?;
        let end = template.find(": ")? + 2;
        OF_ANY_FIELD.iter().all(|any| !template[end..].starts_with(any)).then_some(end)
    };
    let length = prefix.or_else(path).unwrap_or(0);
    if weight(&parse(&template[length..])) >= MIN_LETTERS { length } else { 0 }
}

/// A regular expression as it grows.
struct Pattern {
    text: String,
    names: Vec<String>,
    /// The character of the template's own text before the next part.
    before: Option<char>,
}

/// True if a template is a code in capitals.
fn is_code(template: &str) -> bool {
    template.contains('_') && template.bytes().all(|b| b == b'_' || b.is_ascii_uppercase())
}

/// Bytes before a message that are examined to decide whether it begins there.
const CONTEXT_BYTES: usize = 32;

/// A word that is not quoted. An id may be masked.
const WORD: &str = "(?:<[^<> \t\r\n]{1,40}>|[^ \t\r\n'\"`<>]+)";
/// The same in a list that ends a sentence.
const LISTED: &str = "(?:<[^<> \t\r\n]{1,40}>|[^ \t\r\n'\"`<>,]+)";
/// A number, or what reports put in its place.
const NUMBER: &str = "(?:[0-9]+|\\*+|…|\\.\\.\\.|[A-Za-z]\\b|<[^<>\r\n]{0,40}>|\\{[A-Za-z_]*\\})";
const SPACE: &str = "[ \t\r\n]*";
const QUOTES: &str = "['\"`]*";

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"')
}

/// True if the name at this index has quotes around it.
fn is_quoted(parts: &[TemplatePart<'_>], n: usize) -> bool {
    let before = n.checked_sub(1).and_then(|n| parts.get(n));
    match (before, parts.get(n), parts.get(n + 1)) {
        (Some(TemplatePart::Text(before)), Some(TemplatePart::Name(name)), Some(TemplatePart::Text(after))) => {
            !is_number(name) && before.ends_with(is_quote) && after.starts_with(is_quote)
        }
        _ => false,
    }
}

fn ends_in(name: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('_')))
}

fn is_number(name: &str) -> bool {
    ends_in(name, &["index", "length", "arg", "message", "block"])
}

impl Pattern {
    fn new() -> Self {
        Pattern { text: "(?i)".to_owned(), names: Vec::new(), before: None }
    }

    /// `last`: nothing of the template follows the parts.
    fn push(&mut self, parts: &[TemplatePart<'_>], last: bool) {
        for (n, part) in parts.iter().enumerate() {
            let at_end = last && parts.iter().skip(n + 1).all(|part| matches!(part, TemplatePart::Text("")));
            match part {
                TemplatePart::Text(text) => {
                    let text = if is_quoted(parts, n + 1) { &text[..text.len() - 1] } else { *text };
                    let text = if n > 0 && is_quoted(parts, n - 1) { &text[1..] } else { text };
                    let number = matches!(parts.get(n + 1), Some(TemplatePart::Name(name)) if is_number(name));
                    match text.strip_suffix('.').filter(|_| number) {
                        // messages.3 is also written messages[3] and messages.[3].
                        Some(text) => {
                            self.push_text(text);
                            self.text.push_str("\\.?\\[?");
                            self.before = Some('.');
                        }
                        None => self.push_text(text),
                    }
                }
                TemplatePart::Name(name) if is_quoted(parts, n) => {
                    self.text.push_str("(?:['\"`]+([^'\"`\r\n]*)['\"`]+|([^ \t\r\n'\"`,]+))");
                    self.names.extend([(*name).to_owned(), (*name).to_owned()]);
                    self.before = Some('x');
                }
                TemplatePart::Name(name) => {
                    let class = self.class(name, at_end);
                    let bare = class == NUMBER || self.before == Some('[');
                    let (open, close) = if bare { ("", "\\]?") } else { (QUOTES, QUOTES) };
                    self.text.push_str(&format!("{open}({class}){close}"));
                    self.names.push((*name).to_owned());
                    self.before = Some('x');
                }
                TemplatePart::Maybe(inner) => {
                    self.text.push_str("(?:");
                    self.push(inner, at_end);
                    self.text.push_str(")?");
                }
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        // Gateways mask the list as well as the index.
        let rest = match text.strip_prefix("messages").filter(|_| self.before.is_none()) {
            Some(rest) => {
                self.text.push_str("(?:messages|\\*{2,})");
                self.before = Some('s');
                rest
            }
            None => text,
        };
        for c in rest.chars() {
            match c {
                ' ' | '\'' | '"' | '`' if self.before == Some(c) => {}
                // A terminal breaks lines also inside of words, and what joins them again leaves no space.
                ' ' => self.text.push_str(SPACE),
                '\'' | '"' | '`' => self.text.push_str(QUOTES),
                '[' => self.text.push_str(&format!("\\[{SPACE}")),
                c => self.text.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
            }
            self.before = Some(c);
        }
    }

    /// The pattern of a name's value.
    fn class(&self, name: &str, at_end: bool) -> String {
        match self.before {
            _ if is_number(name) => NUMBER.to_owned(),
            // Sentences between two that matter.
            _ if name == "rest" => "(?s:.{0,600}?)".to_owned(),
            Some('\'' | '"') => "[^'\"\r\n]*".to_owned(),
            // The marks around it may be gone.
            Some('`') => WORD.to_owned(),
            Some('[') => "[^\\]\r\n]*".to_owned(),
            _ if ends_in(name, &["noun"]) => format!("(?:[a-z]+{SPACE}){{1,4}}?(?:call|output)"),
            _ if at_end => format!("{LISTED}(?:,[ \t]*[A-Za-z]+[_-]{LISTED})*"),
            None => WORD.to_owned(),
            _ if ends_in(name, &["id", "ids", "path", "field", "type", "name", "role", "key", "prefix"]) => {
                WORD.to_owned()
            }
            _ => "[^\r\n]+?".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captures(template: &str, text: &str) -> Option<Vec<String>> {
        let hit = Sentence::new(template).expect("a sentence").find(&PastedText::new(text.to_owned()))?;
        Some(hit.captures.into_iter().map(|(name, text)| format!("{name}={text}")).collect())
    }

    const ITEM: &str = "Item '{id}' of type '{type}' was provided without its 'reasoning' item⟨: '{partner_id}'⟩.";

    #[test]
    fn names_are_captured_and_what_is_optional_may_be_missing() {
        let full = "400 Item 'fc_1' of type 'function_call' was provided without its 'reasoning' item: 'rs_1'.\"}";
        assert_eq!(captures(ITEM, full).expect("found"), ["id=fc_1", "type=function_call", "partner_id=rs_1"]);
        let short = "Item 'fc_1' of type 'function_call' was provided without its 'reasoning' item";
        assert_eq!(captures(ITEM, short).expect("found"), ["id=fc_1", "type=function_call"]);
        assert_eq!(captures(ITEM, "Item 'fc_1' of type 'message' was provided"), None);
    }

    #[test]
    fn words_end_where_they_should() {
        let template = "No tool output found for {noun} {call_id}.";
        let found = |text: &str| captures(template, text).expect("found");
        assert_eq!(
            found("No tool output found for custom tool call call_1.\"}"),
            ["noun=custom tool call", "call_id=call_1"]
        );
        assert_eq!(found("(No tool output found for shell call functions.x:0)")[1], "call_id=functions.x:0");
        assert_eq!(found("No tool output found\n  for function call call_1, retrying")[1], "call_id=call_1");
        let template = "The following requests do not have an approval: {id}";
        let text = "The following requests do not have an approval: mcpr_1, mcpr_2.";
        assert_eq!(captures(template, text).expect("found"), ["id=mcpr_1, mcpr_2"]);
    }

    #[test]
    fn quotes_of_code_may_be_lost() {
        let template = "messages.{index}: `tool_use` ids were found without `tool_result` blocks: {call_id}.";
        let text = "messages.3: tool_use ids were found without tool_result blocks: toolu_1.";
        assert_eq!(captures(template, text).expect("found"), ["index=3", "call_id=toolu_1"]);
    }

    #[test]
    fn what_says_nothing_finds_nothing() {
        assert!(Sentence::new("{message}").is_none() && Sentence::new("Invalid {x}.").is_none());
        assert_eq!(
            beginning("Item with id '{id}' is not found. Try again."),
            Some("Item with id '{id}' is not found")
        );
        assert_eq!(beginning("No {x}. Items are not persisted."), None);
        assert_eq!(beginning("'{x. y}' of one sentence."), None);
    }
}
