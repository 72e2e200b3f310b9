//! The page to look at: one file without a network, with the documents as data. What is drawn of them is made by [`draw`];
//! `page.js` shows as much of it as fits the window.

pub mod compared;
pub mod data;
pub mod draw;
pub mod frame;
mod item;
mod strand;

use std::io::{self, Write};

use serde_json::json;

use super::changes::ChangeNote;
use super::contract::Repaired;
use super::outputs::json::{put, put_losses, summary_value};
use super::sums::Counts;
use super::{Report, Seen, Summary};

use data::Doc;
use frame::Frame;

/// A page that is being written.
#[derive(Default)]
pub struct Html {
    frame: Frame,
    /// How many items `fix` changed.
    repaired: Option<Counts>,
}

impl Report for Html {
    fn doc(&mut self, doc: &Seen, out: &mut dyn Write) -> io::Result<()> {
        match &doc.page {
            Some(page) => self.frame.doc(page, out),
            None => self.frame.doc(&serde_json::to_string(&undrawn(doc))?, out),
        }
    }

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let mut rest = json!({ "summary": summary_value(summary) });
        if let Some(repaired) = self.repaired.take() {
            put(&mut rest, "fixed", json!(Repaired::from(&repaired)));
            if let Some(summary) = rest.get_mut("summary") {
                put_losses(summary, &repaired);
                put(summary, "loses", json!(repaired.lost.words()));
            }
        }
        self.frame.finish(&rest, out)
    }

    fn repairs(&mut self, _: &[ChangeNote], counts: &Counts) {
        self.repaired = Some(counts.clone());
    }
}

/// What was found in a document of which nothing else is known.
fn undrawn(seen: &Seen) -> Doc {
    Doc {
        path: seen.path.clone(),
        format: seen.format,
        targets: seen.targets.clone(),
        findings: seen.diagnostics.iter().map(|diagnostic| draw::finding(diagnostic, None, None)).collect(),
        ..Doc::default()
    }
}
