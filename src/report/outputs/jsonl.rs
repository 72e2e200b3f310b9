//! JSON Lines: for each doc, as soon as it is done, what it was read as and its diagnostics, the same objects as in the
//! JSON report; the summary is last.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::json::{change_value, counts_value, input_value, put, put_losses, summary_value, write_compact};
use crate::report::changes::ChangeNote;
use crate::report::contract;
use crate::report::contract::VERSION;
use crate::report::sums::Counts;
use crate::report::{Report, Seen, Summary};

#[derive(Default)]
pub(in crate::report) struct JsonLines {
    /// What `fix` did: the changes, and how many.
    repairs: Option<(Vec<Value>, Counts)>,
}

impl Report for JsonLines {
    fn doc(&mut self, doc: &Seen, out: &mut dyn Write) -> io::Result<()> {
        line(&json!({ "input": input_value(doc) }), out)?;
        doc.diagnostics.iter().try_for_each(|diagnostic| line(&contract::Diagnostic::from(diagnostic), out))
    }

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let mut last = json!({ "version": VERSION, "summary": summary_value(summary) });
        if let Some((changes, counts)) = self.repairs.take() {
            changes.iter().try_for_each(|change| line(&json!({ "change": change }), out))?;
            if let Some(summary) = last.get_mut("summary") {
                put_losses(summary, &counts);
            }
            put(&mut last, "fixed", counts_value(&counts));
        }
        line(&last, out)
    }

    fn repairs(&mut self, changes: &[ChangeNote], counts: &Counts) {
        self.repairs = Some((changes.iter().map(change_value).collect(), counts.clone()));
    }
}

fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_compact(value, out)?;
    out.write_all(b"\n")
}
