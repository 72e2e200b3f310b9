//! Logs of systems whose items are none of a provider's: their records become items of the Responses API, and those are
//! converted.

use std::io;

use crate::convert::{Plan, Taker};
use crate::dialect::{Body, Dialect, Replay, Shape};
use crate::dialects::chat::CHAT;
use crate::dialects::responses::RESPONSES;
use crate::format::Format;
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::lint::{Options, Texts};
use crate::neutral::{At, LossKind, Lost};
use crate::place::{DocId, Place};
use crate::replay::records::is_stream;
use crate::replay::{self, SESSION, stream};
use crate::source::{Container, ReadAt, lines};

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
        container: Container,
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
        let Some(mut replay) = kept.info.dialect.replay(stored) else { return Ok(None) };
        each_record(id, bytes, container, &mut |val, _| replay.tell(val))?;
        each_record(id, bytes, container, &mut |val, base| replay.take(val, base))?;
        Ok(Some(Items::of_replay(replay)))
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

    fn of_replay(replay: Box<dyn Replay>) -> Items {
        let replayed = replay.finish();
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
