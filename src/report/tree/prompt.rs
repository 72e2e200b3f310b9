//! The first words of a turn: of what the user wrote, without the texts that clients insert around it.

use crate::convert::session;
use crate::history::Row;
use crate::history::turns::{TurnPart, has_user_text, messages};
use crate::rebuild::{Conversation, Turn};

use super::super::item_text;
use super::super::mask;
use super::super::words::to_printable;

/// Tags that clients put around what the user wrote: Cline, Cursor, Antigravity.
const USER_TAGS: [&str; 3] = ["task", "user_query", "USER_REQUEST"];

/// The first line of the message of the user that a turn begins with, or its size; `None` if it has no text.
pub(super) fn first_words(conversation: &Conversation, turn: &Turn, shows_content: bool) -> Option<String> {
    let texts: Vec<String> = turn.prompts.iter().flat_map(|node| texts_of(conversation, *node)).collect();
    // Clients insert most texts before what the user wrote, and mark those after it with tags.
    let last = || texts.last().map(|text| inner_of_first(text));
    let words = texts.iter().rev().find_map(|text| own_words(text)).or_else(last)?.trim();
    if !shows_content {
        return Some(mask::size(words));
    }
    let line = words.lines().find(|line| !line.trim().is_empty())?;
    Some(to_printable(line.trim()))
}

/// The texts of the messages of the user in a node.
fn texts_of(conversation: &Conversation, node: u32) -> Vec<String> {
    let rows = conversation.forest.rows_of(node);
    let is_model = |message: &&[Row]| matches!(TurnPart::of(message), Some(TurnPart::Call | TurnPart::Answer));
    let begun = messages(rows).skip_while(|message| !has_user_text(message));
    let prompts = begun.take_while(|message| !is_model(message)).filter(|message| has_user_text(message));
    let text = |row: &Row| conversation.item(row, item_text::text).filter(|text| !text.trim().is_empty());
    let texts: Vec<String> = prompts.filter_map(|message| text(message.first()?)).collect();
    // In sessions and logs a node is a message, and items are its parts.
    let doc = conversation.forest.node(node).entry.at.doc;
    let is_message =
        conversation.info(doc).is_some_and(|info| session::is_session(info) || info.dialect.info().log.is_some());
    if is_message && !texts.is_empty() { vec![texts.join("\n")] } else { texts }
}

/// A text without the elements at its beginning, or the content of one that contains what the user wrote; `None` if
/// nothing is left.
fn own_words(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    while let Some(element) = Element::at_start(rest) {
        if USER_TAGS.contains(&element.name) {
            return Some(element.inner);
        }
        rest = element.after.trim_start();
    }
    (!rest.is_empty()).then_some(rest)
}

/// The content of the element that a text begins with, or the text.
fn inner_of_first(text: &str) -> &str {
    Element::at_start(text.trim_start()).map_or(text, |element| element.inner)
}

/// An element of markup: `<name …>inner</name>after`.
struct Element<'t> {
    name: &'t str,
    inner: &'t str,
    after: &'t str,
}

impl<'t> Element<'t> {
    fn at_start(text: &'t str) -> Option<Element<'t>> {
        let (tag, rest) = text.strip_prefix('<')?.split_once('>')?;
        let name = tag.split_ascii_whitespace().next()?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let is_element = name.chars().all(is_name) && !tag.contains(['<', '\n']);
        let (inner, after) = rest.split_once(&format!("</{name}>")).filter(|_| is_element)?;
        Some(Element { name, inner, after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_texts_are_skipped() {
        let cases = [
            ("Hello", Some("Hello")),
            ("<current_datetime>now</current_datetime>\n\nList the files.", Some("List the files.")),
            ("<a>1</a><b-c kind=\"x\">2</b-c> Go on", Some("Go on")),
            ("<task>\nlist files\n</task>\n<environment_details>x</environment_details>", Some("\nlist files\n")),
            ("<info>x</info>\n<user_query>list</user_query>", Some("list")),
            ("<system-reminder>\nx\n</system-reminder>\n", None),
            ("<html> is a tag", Some("<html> is a tag")),
            ("a < b", Some("a < b")),
            ("<", Some("<")),
        ];
        for (text, expected) in cases {
            assert_eq!(own_words(text), expected, "{text}");
        }
        assert_eq!(inner_of_first("<note>\nOnly this.\n</note>"), "\nOnly this.\n");
    }
}
