//! A rule's page for the terminal: the little markdown that pages are written in, wrapped, and coloured where that is
//! wanted.

use super::{Style, words};

/// A block of a page.
#[derive(Debug, PartialEq, Eq)]
enum Block {
    Heading(String),
    Paragraph(String),
    /// What a provider says.
    Quote(String),
    Item(String),
    Code(Vec<String>),
}

/// Renders a page. Text is indented below its headings.
pub fn render(markdown: &str, style: &Style) -> String {
    let mut out = String::new();
    let mut before_item = false;
    for block in blocks(markdown) {
        let is_item = matches!(block, Block::Item(_));
        // A list stays together.
        let together = is_item && before_item;
        if !out.is_empty() && !together {
            out.push('\n');
        }
        before_item = is_item;
        match block {
            Block::Heading(text) => out.push_str(&format!("{}\n", paint(style, "1", &text))),
            Block::Paragraph(text) => out.push_str(&wrapped(&text, "  ", "  ", style)),
            Block::Quote(text) => {
                let bar = if style.unicode { "  │ " } else { "  | " };
                out.push_str(&wrapped(&text, bar, bar, style));
            }
            Block::Item(text) => out.push_str(&wrapped(&text, "  - ", "    ", style)),
            Block::Code(lines) => {
                for line in lines {
                    out.push_str(&format!("    {}\n", paint(style, "2", &line)));
                }
            }
        }
    }
    out
}

/// Wraps a text, with what is in front of its first and of its other lines.
pub fn wrapped(text: &str, first: &str, other: &str, style: &Style) -> String {
    let mut out = String::new();
    for line in words::wrapped(text, style.width, first, other) {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    coloured(&out, style)
}

/// Bold, dim and the like, where colours are wanted.
pub fn paint(style: &Style, code: &str, text: &str) -> String {
    if style.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// What is between backticks in colour; without colours the backticks say enough.
fn coloured(text: &str, style: &Style) -> String {
    let marks = text.matches('`').count();
    if !style.color || !marks.is_multiple_of(2) {
        return text.to_owned();
    }
    let mut out = String::new();
    for (n, part) in text.split('`').enumerate() {
        out.push_str(&if n % 2 == 1 { paint(style, "36", part) } else { part.to_owned() });
    }
    out
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = markdown.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut open = false;
    while let Some(line) = lines.next() {
        let text = line.trim();
        if text.is_empty() {
            open = false;
            continue;
        }
        if text.starts_with("```") {
            let code = lines.by_ref().take_while(|line| !line.trim().starts_with("```"));
            blocks.push(Block::Code(code.map(str::to_owned).collect()));
            open = false;
        } else if let Some(heading) = text.strip_prefix('#') {
            blocks.push(Block::Heading(heading.trim_start_matches('#').trim().to_owned()));
            open = false;
        } else if let Some(quote) = text.strip_prefix('>') {
            match blocks.last_mut() {
                Some(Block::Quote(before)) if open => push_words(before, quote),
                _ => blocks.push(Block::Quote(quote.trim().to_owned())),
            }
            open = true;
        } else if let Some(item) = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
            blocks.push(Block::Item(item.trim().to_owned()));
            open = true;
        } else {
            match blocks.last_mut() {
                Some(Block::Paragraph(before) | Block::Item(before)) if open => push_words(before, text),
                _ => blocks.push(Block::Paragraph(text.to_owned())),
            }
            open = true;
        }
    }
    blocks
}

fn push_words(before: &mut String, text: &str) {
    before.push(' ');
    before.push_str(text.trim());
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = " ## What it does\n\n Finds `a` thing\n that is long enough to be wrapped.\n\n > Said\n > so.\n\n \
                        ```json\n {\"a\":\n   1}\n ```\n\n - one\n - two\n   more\n";

    #[test]
    fn a_page_is_laid_out() {
        let expected = "What it does\n\n  Finds `a` thing that is long enough to\n  be wrapped.\n\n  │ Said so.\n\n    \
                        {\"a\":\n      1}\n\n  - one\n  - two more\n";
        assert_eq!(render(PAGE, &Style::SMALL), expected);
    }

    #[test]
    fn colours_only_where_wanted() {
        assert!(!render(PAGE, &Style::SMALL).contains('\u{1b}'));
        let page = render(PAGE, &Style { color: true, ..Style::SMALL });
        assert!(page.contains("\u{1b}[1mWhat it does\u{1b}[0m") && page.contains("\u{1b}[36ma\u{1b}[0m"));
    }
}
