//! A template of the provider's sentence, turned round: it finds its sentence in a text and tells what stands where the
//! template has names. Loosely, as people paste: line breaks for spaces, other quotes or none around code, no full stop.

use std::sync::OnceLock;

use regex::Regex;

/// A piece of a template.
enum Part<'t> {
    Text(&'t str),
    Name(&'t str),
    /// Left out where something in it was not known.
    Maybe(Vec<Part<'t>>),
}

fn parse(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '⟨']) {
        let (open, close) = if rest[at..].starts_with('{') { ('{', '}') } else { ('⟨', '⟩') };
        let inner = &rest[at + open.len_utf8()..];
        let Some(end) = inner.find(close) else { break };
        parts.push(Part::Text(&rest[..at]));
        parts.push(match open {
            '{' => Part::Name(&inner[..end]),
            _ => Part::Maybe(parse(&inner[..end])),
        });
        rest = &inner[end + close.len_utf8()..];
    }
    parts.push(Part::Text(rest));
    parts
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
                return (weight(&parse(first)) >= ENOUGH).then_some(first);
            }
            _ => {}
        }
    }
    None
}

/// Letters of its own that a sentence needs, so that it is not found by chance.
const ENOUGH: usize = 16;
const LEAST: usize = 10;

/// How much of the template is its own text, so that the more telling of two wins.
fn weight(parts: &[Part<'_>]) -> usize {
    let own = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    parts.iter().map(|part| if let Part::Text(text) = part { own(text) } else { 0 }).sum()
}

fn longest_word(parts: &[Part<'_>]) -> String {
    let own = parts.iter().filter_map(|part| if let Part::Text(text) = part { Some(*text) } else { None });
    let words = own.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric()));
    words.max_by_key(|word| word.len()).unwrap_or_default().to_owned()
}

/// What finds a sentence.
pub struct Sentence {
    /// Compiled once a text is met that may hold the sentence.
    regex: OnceLock<Option<Regex>>,
    pattern: String,
    /// Names of the captures, in order.
    names: Vec<String>,
    /// The longest word of the template's own text: most texts lack it, and are passed over quickly.
    word: String,
    pub weight: usize,
}

/// A sentence that was found.
pub struct Hit {
    pub start: usize,
    pub end: usize,
    /// Name and what stands there, in the order of the template.
    pub captures: Vec<(String, String)>,
}

impl Sentence {
    /// `None` for a template with too little text of its own to be told from others.
    pub fn new(template: &str) -> Option<Sentence> {
        let template = template.trim().trim_end_matches('.');
        let parts = parse(template);
        let weight = weight(&parts);
        if weight < LEAST {
            return None;
        }
        let mut pattern = Pattern::default();
        if template.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            pattern.text.push_str(r"(?-u:\b)");
        }
        pattern.push(&parts, true);
        let word = longest_word(&parts);
        Some(Sentence { regex: OnceLock::new(), pattern: pattern.text, names: pattern.names, word, weight })
    }

    /// The first place where the sentence stands. Linear in the length of the text, whatever it is.
    pub fn find(&self, text: &str) -> Option<Hit> {
        if !text.contains(&self.word) {
            return None;
        }
        let regex = self.regex.get_or_init(|| Regex::new(&self.pattern).ok()).as_ref()?;
        let found = regex.captures(text)?;
        let whole = found.get(0)?;
        let capture = |(n, name): (usize, &String)| {
            let end = |c: char| matches!(c, '.' | ',' | ';' | ':' | ')' | ']' | '}' | '!' | '?');
            let text = found.get(n + 1)?.as_str().trim_end_matches(end);
            Some((name.clone(), text.to_owned()))
        };
        let captures = self.names.iter().enumerate().filter_map(capture).collect();
        Some(Hit { start: whole.start(), end: whole.end(), captures })
    }
}

/// A regular expression as it grows.
#[derive(Default)]
struct Pattern {
    text: String,
    names: Vec<String>,
    /// The character of the template's own text that stands in front.
    before: Option<char>,
}

/// What ends a word that is no quoted text.
const WORD: &str = "[^ \t\r\n'\"`<>]+";
/// The same in a list that ends a sentence.
const LISTED: &str = "[^ \t\r\n'\"`<>,]+";

impl Pattern {
    /// `last`: nothing of the template stands behind the parts.
    fn push(&mut self, parts: &[Part<'_>], last: bool) {
        for (n, part) in parts.iter().enumerate() {
            let at_end = last && parts[n + 1..].iter().all(|part| matches!(part, Part::Text("")));
            match part {
                Part::Text(text) => self.push_text(text),
                Part::Name(name) => {
                    self.text.push('(');
                    self.text.push_str(&self.class(name, at_end));
                    self.text.push(')');
                    self.names.push((*name).to_owned());
                    self.before = Some('x');
                }
                Part::Maybe(inner) => {
                    self.text.push_str("(?:");
                    self.push(inner, at_end);
                    self.text.push_str(")?");
                }
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                ' ' if self.before == Some(' ') => {}
                ' ' => self.text.push_str("[ \t\r\n]+"),
                '\'' | '"' => self.text.push_str("['\"]"),
                // Marks of code, which few keep when they copy.
                '`' => self.text.push_str("['\"`]?"),
                c => self.text.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
            }
            self.before = Some(c);
        }
    }

    /// What may stand for a name.
    fn class(&self, name: &str, at_end: bool) -> String {
        let is = |ends: &[&str]| ends.iter().any(|end| name == *end || name.ends_with(&format!("_{end}")));
        match self.before {
            _ if is(&["index", "length", "arg", "message", "block"]) => "[0-9]+".to_owned(),
            Some('\'' | '"') => "[^'\"\r\n]*".to_owned(),
            // The marks around it may be gone.
            Some('`') => WORD.to_owned(),
            Some('[') => "[^\\]\r\n]*".to_owned(),
            _ if is(&["noun"]) => "(?:[a-z]+[ \t\r\n]+){1,4}?(?:call|output)".to_owned(),
            _ if at_end => format!("{LISTED}(?:,[ \t]*[A-Za-z]+[_-]{LISTED})*"),
            None => WORD.to_owned(),
            _ if is(&["id", "ids", "path", "field", "type", "name", "role", "key", "prefix"]) => WORD.to_owned(),
            _ => "[^\r\n]+?".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captures(template: &str, text: &str) -> Option<Vec<String>> {
        let hit = Sentence::new(template).expect("a sentence").find(text)?;
        Some(hit.captures.into_iter().map(|(name, text)| format!("{name}={text}")).collect())
    }

    const ITEM: &str = "Item '{id}' of type '{type}' was provided without its 'reasoning' item⟨: '{partner_id}'⟩.";

    #[test]
    fn names_are_told_and_what_is_optional_may_be_missing() {
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
