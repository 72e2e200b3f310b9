//! The histories of a doc as they are, for commands that read their items again: where the items lie, and the request
//! around them.

use std::io;

use crate::dialect::{BLOCK, Body, Shape};
use crate::format::FormatInfo;
use crate::history::{Flags, Row, Settings};
use crate::json::edit::Base;
use crate::place::DocId;

use crate::read::{Share, Texts};

use super::{Case, Enabled, OnHistory, Options};

/// A history as the reader put it together.
pub struct Kept {
    pub info: &'static FormatInfo,
    pub rows: Vec<Row>,
    pub settings: Settings,
}

/// Keeps the histories, and judges nothing.
pub struct Keep;

impl OnHistory for Keep {
    type Made = Kept;

    fn judges(&self) -> bool {
        false
    }

    fn history(&self, case: &Case<'_>) -> Option<Kept> {
        let history = case.cx.history;
        Some(Kept { info: case.info, rows: history.rows.clone(), settings: history.settings.clone() })
    }

    fn renumber(_: &mut Kept, _: u32) {}

    fn renumber_records(made: &mut Kept, by: u32) {
        made.rows.iter_mut().for_each(|row| row.record += by);
        made.settings.lost.iter_mut().for_each(|finding| finding.row.record += by);
    }
}

/// The same options, for a reading that asks only whether the doc can be read, and its records fit together.
pub fn unjudged(options: &Options) -> Options {
    let of_docs = |code: u16| code < 100 || (600..700).contains(&code);
    Options { enabled: Enabled::new(|rule| of_docs(rule.code.0)), ..options.clone() }
}

/// Hands out the parts of a history: the request around it, and the items that lie outside of that. A large request comes
/// piece by piece, so that not all of it is in memory; the flag that `each` gets is set for elements of its list.
pub fn each_piece(
    texts: &Texts<'_>,
    rows: &[Row],
    settings: &Settings,
    doc: DocId,
    each: &mut dyn FnMut(&Body<'_>, bool),
) -> io::Result<()> {
    if let Some(around) = settings.around {
        let is_large = texts.pieces(around, texts.list_key(), &mut |val, base, share| {
            let is_element = share == Share::Element;
            let shape = if is_element { Shape::Item } else { Shape::Request };
            each(&Body { val, base, embedded: false, shape }, is_element);
        })?;
        if !is_large {
            texts.body(around, |val, base| {
                each(&Body { val, base, embedded: around.embedded, shape: Shape::Request }, false);
            });
        }
    }
    // A message brings its blocks.
    let apart = |row: &&Row| row.part != BLOCK && !settings.around.is_some_and(|around| around.holds(row.at));
    for row in rows.iter().filter(apart) {
        let (base, embedded) = (Base::new(doc, row.at.start), row.has(Flags::EMBEDDED));
        texts.item(row, |val| each(&Body { val, base, embedded, shape: Shape::Item }, false));
    }
    Ok(())
}
