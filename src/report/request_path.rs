//! Paths in a request, as errors name them: `messages.1.content.0`, `input[7].id`, `/contents/1/parts/0`.

use crate::convert::dialect_by_name;
use crate::target::Target;
use crate::targets;

/// An item of a request, and the steps from it to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestPath {
    /// The key of the list.
    pub list: &'static str,
    /// The index in the list, from 0.
    pub index: u32,
    /// Keys and indices, as far as the text has them.
    pub steps: Vec<String>,
    /// Steps are separated by dots, and indices not in brackets.
    is_dotted: bool,
}

/// Lists that providers name items by.
const LISTS: [&str; 3] = ["input", "messages", "contents"];

/// Phrases that name the index of a message.
const PHRASES: [&str; 2] = ["message index ", "message at index "];

/// The most steps that are read.
const MAX_STEPS: usize = 16;

impl RequestPath {
    /// The first path of a text: `input[3]`, `messages.[3]`, `contents.3`, `/messages/3`.
    pub fn find(text: &str) -> Option<RequestPath> {
        let of_list = |list: &'static str| {
            text.match_indices(list).find_map(|(at, _)| {
                let rest = text.get(at + list.len()..)?;
                Some((at, RequestPath::parse(list, rest)?))
            })
        };
        let found = LISTS.iter().filter_map(|list| of_list(list)).min_by_key(|(at, _)| *at);
        found.map(|(_, path)| path).or_else(|| RequestPath::of_phrase(text))
    }

    /// Parses the text after the name of a list.
    fn parse(list: &'static str, mut rest: &str) -> Option<RequestPath> {
        let mut steps = Vec::new();
        while let Some((step, after)) = next_step(rest).filter(|_| steps.len() < MAX_STEPS) {
            steps.push(step);
            rest = after;
        }
        let (first, others) = steps.split_first()?;
        let index = first.text.parse().ok()?;
        let steps = others.iter().map(|step| step.text.to_owned()).collect();
        let path = RequestPath { list, index, steps, is_dotted: !first.is_bracketed };
        Some(path.counted_from_zero())
    }

    fn of_phrase(text: &str) -> Option<RequestPath> {
        let after = |phrase: &&str| Some(text.get(text.find(*phrase)? + phrase.len()..)?.to_owned());
        let rest = PHRASES.iter().find_map(after)?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).take(9).collect();
        Some(RequestPath { list: "messages", index: digits.parse().ok()?, steps: Vec::new(), is_dotted: false })
    }

    /// Bedrock names elements `2.member`, and counts them from 1.
    fn counted_from_zero(mut self) -> RequestPath {
        let is_member = |step: Option<&String>| step.is_some_and(|step| step == "member");
        if is_member(self.steps.first()) {
            self.index = self.index.saturating_sub(1);
        }
        for ix in 0..self.steps.len() {
            if is_member(self.steps.get(ix + 1))
                && let Some(step) = self.steps.get_mut(ix)
                && let Ok(number) = step.parse::<u32>()
            {
                *step = number.saturating_sub(1).to_string();
            }
        }
        self.steps.retain(|step| step != "member");
        self
    }

    /// The item, for messages: `messages[3]`.
    pub fn item(&self) -> String {
        format!("{}[{}]", self.list, self.index)
    }

    /// True if it leads into a list of the item.
    pub fn is_inside(&self) -> bool {
        self.steps.iter().any(|step| step.parse::<u32>().is_ok())
    }

    /// The target whose requests have such a path: this one, that of the message, or else the usual one of the list.
    pub fn target(&self, own: &'static Target, of_message: Option<&'static Target>) -> &'static Target {
        let fits = |target: &&'static Target| {
            dialect_by_name(target.dialect)
                .is_some_and(|dialect| dialect.info().capabilities.list_key == self.list)
        };
        let usual = match self.list {
            "input" => "openai",
            "contents" => "gemini",
            _ if self.is_dotted && self.is_inside() => "anthropic",
            _ => "chat",
        };
        [Some(own), of_message, targets::by_name(usual)].into_iter().flatten().find(fits).unwrap_or(own)
    }
}

struct PathStep<'t> {
    text: &'t str,
    is_bracketed: bool,
}

/// The first step of a text, and the rest.
fn next_step(text: &str) -> Option<(PathStep<'_>, &str)> {
    let inside = text.strip_prefix(['.', '/']).unwrap_or(text);
    let (inside, is_bracketed) = match inside.strip_prefix('[') {
        Some(inside) => (inside, true),
        None if inside.len() < text.len() => (inside, false),
        None => return None,
    };
    let len = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inside.len());
    let (step, rest) = inside.split_at_checked(len).filter(|(step, _)| !step.is_empty() && step.len() < 64)?;
    let rest = if is_bracketed { rest.strip_prefix(']')? } else { rest };
    Some((PathStep { text: step, is_bracketed }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_in_every_form() {
        for (text, item, steps) in [
            ("Invalid 'input[3].id': 'x'", "input[3]", "id"),
            ("[ObjectParam] [input[12].status] [unknown_parameter]", "input[12]", "status"),
            ("param: messages.[6].role", "messages[6]", "role"),
            ("messages.33: `tool_use` ids", "messages[33]", ""),
            ("messages.1.content.0: Invalid `signature`", "messages[1]", "content 0"),
            ("messages.1.content.1.tool_use.index: no", "messages[1]", "content 1 tool_use index"),
            ("* GenerateContentRequest.contents[2].parts[0]", "contents[2]", "parts 0"),
            ("at /contents/1/parts/0", "contents[1]", "parts 0"),
            (
                "Value at 'messages.12.member.content.2.member.toolUse.name'",
                "messages[11]",
                "content 1 toolUse name",
            ),
            ("is missing in assistant tool call message at index 2", "messages[2]", ""),
        ] {
            let path = RequestPath::find(text).expect(text);
            assert_eq!((path.item().as_str(), path.steps.join(" ").as_str()), (item, steps), "{text}");
        }
        for text in ["messages with role 'tool'", "input 3", "input[] and input3", "messages.*.content"] {
            assert_eq!(RequestPath::find(text), None, "{text}");
        }
    }
}
