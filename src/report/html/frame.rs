//! The frame of a page: what comes before, between and after the documents. Nothing of it is loaded from a network, and no
//! other script than its own is run, which the policy in its head enforces: it names the script and the style by their hashes.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::report::outputs::json::printable_json;

static PAGE: &str = include_str!("page/page.html");
static STYLE: &str = include_str!("page/page.css");
static SCRIPTS: [&str; 5] = [
    include_str!("page/list.js"),
    include_str!("page/model.js"),
    include_str!("page/row.js"),
    include_str!("page/arcs.js"),
    include_str!("page/page.js"),
];

/// A page that is being written.
#[derive(Default)]
pub struct PageFrame {
    docs: u64,
}

impl PageFrame {
    /// Adds a document: JSON.
    pub fn doc(&mut self, json: &str, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        if self.docs > 0 {
            out.write_all(b",\n")?;
        }
        self.docs += 1;
        out.write_all(escape_for_script(json).as_bytes())
    }

    /// Ends the page; `rest` is an object with the data about all documents.
    pub fn finish(&mut self, rest: &Value, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        let rest = escape_for_script(&rest.to_string());
        let (_, after) = parts();
        write!(out, "],\n{}", rest.strip_prefix('{').unwrap_or(&rest))?;
        out.write_all(after.replace("/*SCRIPT*/", &SCRIPTS.concat()).as_bytes())
    }

    fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.docs > 0 {
            return Ok(());
        }
        let (before, _) = parts();
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
        let before = before.replace("/*SCRIPT-HASH*/", &hash(&SCRIPTS.concat()));
        let before = before.replace("/*STYLE-HASH*/", &hash(STYLE)).replace("/*STYLE*/", STYLE);
        out.write_all(before.as_bytes())?;
        write!(out, "{{\"version\":\"{}\",\"docs\":[", env!("CARGO_PKG_VERSION"))
    }
}

/// The page before its data, and after it.
fn parts() -> (&'static str, &'static str) {
    PAGE.split_once("/*DATA*/").unwrap_or((PAGE, ""))
}

/// JSON as it may be in a script element: nothing in it ends the element, or a line of a script. These characters are only
/// found in strings of JSON.
fn escape_for_script(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            c => out.push(c),
        }
    }
    printable_json(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_document_cannot_leave_its_element() {
        let text = "</script><!--<script>\u{2028}\u{2029}&";
        let json = serde_json::to_string(text).expect("a string");
        let embedded = escape_for_script(&json);
        assert!(!embedded.contains('<') && !embedded.contains('\u{2028}'));
        assert_eq!(serde_json::from_str::<String>(&embedded).expect("JSON"), text);
    }

    #[test]
    fn a_page_without_documents_is_whole() {
        let mut out = Vec::new();
        PageFrame::default().finish(&serde_json::json!({"summary": {}}), &mut out).expect("memory writes");
        let page = String::from_utf8(out).expect("UTF-8");
        assert!(page.contains("\"docs\":[],\n\"summary\":{}}</script>") && page.ends_with("</html>\n"), "{page}");
        assert!(
            ["/*DATA*/", "/*STYLE*/", "/*SCRIPT*/", "-HASH*/", "unsafe"].iter().all(|mark| !page.contains(mark))
        );
    }
}
