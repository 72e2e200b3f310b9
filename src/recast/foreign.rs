//! Logs of systems whose items are none of a provider's: their records become items of the Responses API, and those are
//! converted.

use std::io;

use crate::convert::{Plan, Taker};
use crate::dialect::Replay;
use crate::dialects::responses::RESPONSES;
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::lint::Texts;
use crate::neutral::{At, LossKind, Lost};
use crate::place::{DocId, Place};
use crate::replay::{self, SESSION};
use crate::source::{Container, ReadAt, lines};

use super::doc::Kept;

/// The items of a history, each as its text, and what was left out.
pub(super) struct Items {
    texts: Vec<Vec<u8>>,
    left_out: Vec<Lost>,
}

impl Items {
    /// Items that a history becomes; `None` if it holds a provider's own.
    pub fn of(
        id: DocId,
        bytes: &dyn ReadAt,
        container: Container,
        kept: &Kept,
        stored: bool,
    ) -> io::Result<Option<Items>> {
        if kept.info.dialect.name() == SESSION {
            return Ok(Some(Items::of_session(bytes, kept)));
        }
        let Some(mut replay) = kept.info.dialect.replay(stored) else { return Ok(None) };
        each_record(id, bytes, container, &mut |val, _| replay.tell(val))?;
        each_record(id, bytes, container, &mut |val, base| replay.take(val, base))?;
        Ok(Some(Items::of_replay(replay)))
    }

    fn of_replay(replay: Box<dyn Replay>) -> Items {
        let replayed = replay.finish();
        let lost = |(place, _)| lost(LossKind::UNKNOWN, place);
        Items { texts: replayed.items, left_out: replayed.left_out.into_iter().map(lost).collect() }
    }

    fn of_session(bytes: &dyn ReadAt, kept: &Kept) -> Items {
        let texts = Texts::new(bytes, kept.info.dialect);
        let lifted = replay::of_session(&kept.rows, &mut |row, see| {
            texts.item(row, see);
        });
        let here = kept.rows.first().map_or(Place::new(DocId(0), 0, 0), |row| row.at);
        let thinking = (0..lifted.thinking).map(|_| lost(LossKind::REASONING, here));
        let skipped = (0..lifted.skipped).map(|_| lost(LossKind::UNKNOWN, here));
        Items { left_out: thinking.chain(skipped).collect(), texts: lifted.items }
    }

    /// Hands the items to a conversion. They stand nowhere in the doc, so the history's place tells of their losses.
    pub fn give(self, taker: &mut Taker) -> Vec<Lost> {
        let mut tape = Tape::new();
        for text in &self.texts {
            if let Some(val) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
                taker.item(val, Base::new(DocId(u32::MAX), 0), true);
            }
        }
        self.left_out
    }

    /// What takes them.
    pub fn taker(plan: &Plan) -> Taker {
        Taker::new(&RESPONSES, plan)
    }
}

fn lost(kind: LossKind, place: Place) -> Lost {
    Lost { kind, at: At { place, embedded: false }, arg: 0 }
}

/// Calls `see` with each record: a line, or an element of a document that is a list.
fn each_record(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    see: &mut dyn FnMut(Val<'_>, Base<'_>),
) -> io::Result<()> {
    let (mut text, mut tape) = (Vec::new(), Tape::new());
    if let Container::Document { start } = container {
        bytes.read_into(start, (bytes.len() - start) as usize, &mut text)?;
        let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(()) };
        let base = Base::new(id, start);
        match root.is_array() {
            true => root.elements().for_each(|val| see(val, base)),
            false => see(root, base),
        }
        return Ok(());
    }
    let mut at = container.mark();
    while at < bytes.len() {
        let line = lines::around(bytes, id, container.mark(), at)?;
        bytes.read_into(line.start, line.len as usize, &mut text)?;
        if let Some(val) =
            scan(text.trim_ascii_end(), &mut tape).ok().and_then(|()| tape.root(text.trim_ascii_end()))
        {
            see(val, Base::new(id, line.start));
        }
        at = line.end().max(at + 1);
    }
    Ok(())
}
