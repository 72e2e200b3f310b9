//! The HTML page: one file that needs no network, with the documents as data, which [`draw`] makes. `page.js` shows as
//! much of it as fits the window.

pub mod comparison;
pub mod data;
pub mod draw;
pub mod frame;
mod item;
mod layout;

use std::io::{self, Write};

use serde_json::json;

use super::change_counts::ChangeCounts;
use super::changes::ChangeNote;
use super::contract::Repaired;
use super::outputs::json::{put, put_losses, summary_value};
use super::{DocReport, Reporter, RunSummary};

use data::PageDoc;
use frame::PageFrame;

/// A page that is being written.
#[derive(Default)]
pub struct HtmlReporter {
    frame: PageFrame,
    /// The totals of `fix`; `None` for other commands.
    repaired: Option<ChangeCounts>,
}

impl Reporter for HtmlReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        match &doc.page {
            Some(page) => self.frame.doc(page, out),
            None => self.frame.doc(&serde_json::to_string(&findings_only(doc))?, out),
        }
    }

    fn finish(&mut self, summary: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
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

    fn add_repairs(&mut self, _: &[ChangeNote], counts: &ChangeCounts) {
        self.repaired = Some(counts.clone());
    }
}

/// The findings of a document without its items.
fn findings_only(seen: &DocReport) -> PageDoc {
    PageDoc {
        path: seen.path.clone(),
        format: seen.format,
        targets: seen.targets.clone(),
        findings: seen.diagnostics.iter().map(|diagnostic| draw::finding(diagnostic, None, None)).collect(),
        ..PageDoc::default()
    }
}
