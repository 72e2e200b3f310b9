//! A rule's page for the terminal: the subset of Markdown that pages use, wrapped, and colour_code if the style has
//! colours.

use super::{Style, words};

/// A block of a page.
#[derive(Debug, PartialEq, Eq)]
enum PageBlock {
    Heading(String),
    Paragraph(String),
    /// A provider's message.
    Quote(String),
    Item(String),
    Code(Vec<String>),
}

/// Renders a page. Text is indented below its headings.
pub fn render(markdown: &str, style: &Style) -> String {
    let mut out = String::new();
    let mut before_item = false;
    for block in blocks(markdown) {
        let is_item = matches!(block, PageBlock::Item(_));
        // A list stays together.
        let together = is_item && before_item;
        if !out.is_empty() && !together {
            out.push('\n');
        }
        before_item = is_item;
        match block {
            PageBlock::Heading(text) => out.push_str(&format!("{}\n", style_text(style, "1", &text))),
            PageBlock::Paragraph(text) => out.push_str(&wrap_text(&text, "  ", "  ", style)),
            PageBlock::Quote(text) => {
                let bar = if style.unicode { "  │ " } else { "  | " };
                out.push_str(&wrap_text(&text, bar, bar, style));
            }
            PageBlock::Item(text) => out.push_str(&wrap_text(&text, "  - ", "    ", style)),
            PageBlock::Code(lines) => {
                for line in lines {
                    out.push_str(&format!("    {}\n", style_text(style, "2", &line)));
                }
            }
        }
    }
    out
}

/// Wraps a text, with a prefix for its first line and one for the others.
pub fn wrap_text(text: &str, first: &str, other: &str, style: &Style) -> String {
    let mut out = String::new();
    for line in words::wrap(text, style.width, first, other) {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    colour_code(&out, style)
}

/// A text in a terminal style, given as an SGR code; unchanged without colours.
pub fn style_text(style: &Style, code: &str, text: &str) -> String {
    if style.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Colours what is between backticks; without colours the backticks stay.
fn colour_code(text: &str, style: &Style) -> String {
    let marks = text.matches('`').count();
    if !style.color || !marks.is_multiple_of(2) {
        return text.to_owned();
    }
    let mut out = String::new();
    for (n, part) in text.split('`').enumerate() {
        out.push_str(&if n % 2 == 1 { style_text(style, "36", part) } else { part.to_owned() });
    }
    out
}

fn blocks(markdown: &str) -> Vec<PageBlock> {
    let mut blocks: Vec<PageBlock> = Vec::new();
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
            blocks.push(PageBlock::Code(code.map(str::to_owned).collect()));
            open = false;
        } else if let Some((marks, heading)) = text.split_once(' ')
            && marks.bytes().all(|mark| mark == b'#')
        {
            // Without the space it is the number of an issue.
            blocks.push(PageBlock::Heading(heading.trim().to_owned()));
            open = false;
        } else if let Some(quote) = text.strip_prefix('>') {
            match blocks.last_mut() {
                Some(PageBlock::Quote(before)) if open => push_words(before, quote),
                _ => blocks.push(PageBlock::Quote(quote.trim().to_owned())),
            }
            open = true;
        } else if let Some(item) = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
            blocks.push(PageBlock::Item(item.trim().to_owned()));
            open = true;
        } else {
            match blocks.last_mut() {
                Some(PageBlock::Paragraph(before) | PageBlock::Item(before)) if open => push_words(before, text),
                _ => blocks.push(PageBlock::Paragraph(text.to_owned())),
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
    fn the_number_of_an_issue_is_no_heading() {
        assert_eq!(
            render(" Reported in\n #24309 and\n #1685. # 5\n", &Style::SMALL),
            "  Reported in #24309 and #1685. # 5\n"
        );
    }

    #[test]
    fn colours_only_where_wanted() {
        assert!(!render(PAGE, &Style::SMALL).contains('\u{1b}'));
        let page = render(PAGE, &Style { color: true, ..Style::SMALL });
        assert!(page.contains("\u{1b}[1mWhat it does\u{1b}[0m") && page.contains("\u{1b}[36ma\u{1b}[0m"));
    }
}
