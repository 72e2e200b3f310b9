//! Logs of systems whose items are none of a provider's: their records become items of the Responses API, and those are
//! converted.

use std::io;

use crate::convert::{Plan, Taker};
use crate::dialect::{Body, Dialect, Replayed, Shape};
use crate::dialects::chat::CHAT;
use crate::dialects::responses::RESPONSES;
use crate::format::Format;
use crate::json::edit::Base;
use crate::json::{Tape, scan};
use crate::lint::{Options, Texts};
use crate::neutral::{At, LossKind, Lost};
use crate::place::{DocId, Place};
use crate::replay::records::is_stream;
use crate::replay::{self, SESSION, foreign, stream};
use crate::source::ReadAt;

use super::doc::Kept;

/// The items of a history, each as its text, or the request that it makes, and what was left out.
pub(super) struct Items {
    dialect: &'static dyn Dialect,
    shape: Shape,
    texts: Vec<Vec<u8>>,
    left_out: Vec<Lost>,
}

impl Items {
    /// Items that a history becomes; `None` if it holds a provider's own.
    pub fn of(
        id: DocId,
        bytes: &dyn ReadAt,
        kept: &Kept,
        format: Option<&'static dyn Format>,
        options: &Options,
    ) -> io::Result<Option<Items>> {
        if options.format.or(format).is_some_and(is_stream) {
            return Items::of_stream(id, bytes, options).map(Some);
        }
        let stored = options.store.or(kept.stored).unwrap_or(true);
        if kept.info.dialect.name() == SESSION {
            return Ok(Some(Items::of_session(bytes, kept)));
        }
        let Some(replay) = kept.info.dialect.replay(stored) else { return Ok(None) };
        let source = foreign::Source { id, bytes, within: 0..=u64::MAX, limit: options.max_record };
        Ok(Some(Items::of_replay(foreign::replay(&source, replay)?)))
    }

    fn new(texts: Vec<Vec<u8>>, left_out: Vec<Lost>) -> Items {
        Items { dialect: &RESPONSES, shape: Shape::Item, texts, left_out }
    }

    /// An event stream: what its next request would send.
    fn of_stream(id: DocId, bytes: &dyn ReadAt, options: &Options) -> io::Result<Items> {
        let sent = stream::rebuild(id, bytes, options, &stream::Asked::default())?;
        let texts = sent.map(|sent| vec![sent.body]).unwrap_or_default();
        Ok(Items { dialect: &CHAT, shape: Shape::Request, texts, left_out: Vec::new() })
    }

    fn of_replay(replayed: Replayed) -> Items {
        let lost = |(place, _)| lost(LossKind::UNKNOWN, place);
        Items::new(replayed.items, replayed.left_out.into_iter().map(lost).collect())
    }

    fn of_session(bytes: &dyn ReadAt, kept: &Kept) -> Items {
        let texts = Texts::new(bytes, kept.info.dialect);
        let lifted = replay::of_session(&kept.rows, &mut |row, see| {
            texts.item(row, see);
        });
        let here = kept.rows.first().map_or(Place::new(DocId(0), 0, 0), |row| row.at);
        let thinking = (0..lifted.thinking).map(|_| lost(LossKind::REASONING, here));
        let skipped = (0..lifted.skipped).map(|_| lost(LossKind::UNKNOWN, here));
        Items::new(lifted.items, thinking.chain(skipped).collect())
    }

    /// Hands the items to a conversion. They stand nowhere in the doc, so the history's place tells of their losses.
    pub fn give(self, taker: &mut Taker) -> Vec<Lost> {
        let mut tape = Tape::new();
        for text in &self.texts {
            if let Some(val) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
                let base = Base::new(DocId(u32::MAX), 0);
                taker.take(&Body { val, base, embedded: true, shape: self.shape });
            }
        }
        self.left_out
    }

    /// What takes them.
    pub fn taker(&self, plan: &Plan) -> Taker {
        Taker::new(self.dialect, plan)
    }
}

fn lost(kind: LossKind, place: Place) -> Lost {
    Lost { kind, at: At { place, embedded: false }, arg: 0 }
}
