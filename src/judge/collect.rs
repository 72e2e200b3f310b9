//! Collects the histories of a doc without judging them, for commands that read their items again.

use std::io;

use crate::dialect::{BLOCK, Body, BodyShape};
use crate::format::FormatInfo;
use crate::history::{Flags, HistorySettings, Row};
use crate::json::edit::RecordBase;
use crate::place::DocId;

use crate::read::{BodyPiece, TextReader};

use super::{EnabledRules, HistoryVisitor, JudgedHistory, Options};

/// The rows and settings of a history, as the reader assembled it.
pub struct HistoryRows {
    pub info: &'static FormatInfo,
    pub rows: Vec<Row>,
    pub settings: HistorySettings,
}

/// A visitor that collects histories without judging them.
pub struct HistoryCollector;

impl HistoryVisitor for HistoryCollector {
    type Output = HistoryRows;

    fn needs_findings(&self) -> bool {
        false
    }

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<HistoryRows> {
        let history = case.cx.history;
        Some(HistoryRows { info: case.info, rows: history.rows.clone(), settings: history.settings.clone() })
    }

    fn renumber(_: &mut HistoryRows, _: u32) {}

    fn renumber_records(made: &mut HistoryRows, by: u32) {
        made.rows.iter_mut().for_each(|row| row.record += by);
        made.settings.conversion_losses.iter_mut().for_each(|finding| finding.row.record += by);
    }
}

/// The same options with only the rules about files and logs enabled.
pub fn structural_options(options: &Options) -> Options {
    let of_docs = |code: u16| code < 100 || (600..700).contains(&code);
    Options { enabled: EnabledRules::new(|rule| of_docs(rule.code.0)), ..options.clone() }
}

/// Visits the parts of a history: the request around it, and the items outside of that. A large request is visited
/// piece by piece, to save memory; the flag that `each` gets is set for elements of its list.
pub fn visit_parts(
    texts: &TextReader<'_>,
    rows: &[Row],
    settings: &HistorySettings,
    doc: DocId,
    each: &mut dyn FnMut(&Body<'_>, bool),
) -> io::Result<()> {
    if let Some(around) = settings.body {
        let is_large = texts.for_each_piece(around, texts.list_key(), &mut |val, base, share| {
            let is_element = share == BodyPiece::Element;
            let shape = if is_element { BodyShape::Item } else { BodyShape::Request };
            each(&Body { val, base, embedded: false, shape }, is_element);
        })?;
        if !is_large {
            texts.with_body(around, |val, base| {
                each(&Body { val, base, embedded: around.embedded, shape: BodyShape::Request }, false);
            });
        }
    }
    // A message includes its blocks.
    let apart = |row: &&Row| row.part != BLOCK && !settings.body.is_some_and(|around| around.contains(row.at));
    for row in rows.iter().filter(apart) {
        let (base, embedded) = (RecordBase::new(doc, row.at.start), row.has(Flags::EMBEDDED));
        texts.with_item(row, |val| each(&Body { val, base, embedded, shape: BodyShape::Item }, false));
    }
    Ok(())
}
