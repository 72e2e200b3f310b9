//! Logs of systems whose items are none of a provider's: their records become items of the Responses API, and those are
//! converted.

use std::io;

use crate::dialect::{Body, Dialect, Replayed, Shape};
use crate::dialects::anthropic::ANTHROPIC;
use crate::dialects::chat::CHAT;
use crate::dialects::responses::RESPONSES;
use crate::format::FormatInfo;
use crate::format::requests::{Asked, Requests};
use crate::formats;
use crate::history::{History, Row};
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::judge::Options;
use crate::message::{At, LossKind, Lost};
use crate::place::{DocId, Place};
use crate::read::Texts;
use crate::rebuild;
use crate::rebuild::{foreign, stream};
use crate::source::ReadAt;

use super::options::ConvertOptions;
use super::plan::Plan;
use super::taker::Taker;

/// The items of a history, or the request that it makes, and what was left out.
pub(super) struct Items<'h> {
    dialect: &'static dyn Dialect,
    shape: Shape,
    made: Made<'h>,
}

/// What items are made of.
enum Made<'h> {
    /// They are texts already, each made of one place in the doc as far as that is known. With what was left out or made
    /// up on the way.
    Texts { texts: Vec<Vec<u8>>, made_of: Vec<Place>, lost: Vec<Lost> },
    /// Blocks of a session stay in their messages.
    Messages(Texts<'h>, &'h [Row]),
}

impl<'h> Items<'h> {
    /// Items that a history becomes; `None` if it holds a provider's own.
    pub fn of(
        id: DocId,
        bytes: &'h dyn ReadAt,
        history: &'h History,
        info: &'static FormatInfo,
        how: &ConvertOptions<'_>,
    ) -> io::Result<Option<Items<'h>>> {
        let options = how.options;
        if let Some(requests) = formats::by_name(info.name).and_then(|format| format.info().requests) {
            return Items::of_stream(id, bytes, requests, options).map(Some);
        }
        let stored = options.store.or(history.settings.store).unwrap_or(true);
        if rebuild::is_session(info) {
            let made = Made::Messages(Texts::new(bytes, info.dialect), &history.rows);
            return Ok(Some(Items { dialect: &ANTHROPIC, shape: Shape::Item, made }));
        }
        let Some(replay) = info.dialect.info().replay.map(|replay| replay(stored)) else { return Ok(None) };
        let source = foreign::Source { id, bytes, within: 0..=u64::MAX, limit: options.read.max_record };
        Ok(Some(Items::of_replay(foreign::replay(&source, replay)?)))
    }

    /// An event stream: what its next request would send.
    fn of_stream(
        id: DocId,
        bytes: &dyn ReadAt,
        requests: &dyn Requests,
        options: &Options,
    ) -> io::Result<Items<'h>> {
        let asked = Asked { as_messages: true, ..Asked::default() };
        let sent = stream::rebuild(id, bytes, requests, &options.read, &asked)?;
        let texts = sent.map(|sent| vec![sent.body]).unwrap_or_default();
        let made = Made::Texts { texts, made_of: Vec::new(), lost: Vec::new() };
        Ok(Items { dialect: &CHAT, shape: Shape::Request, made })
    }

    fn of_replay(replayed: Replayed) -> Items<'h> {
        let kind = |place: &Place| match replayed.unanswered.contains(place) {
            true => LossKind::WITHOUT_RESULT,
            false => LossKind::NOT_REPLAYED,
        };
        let lost = replayed.left_out.iter().map(|(place, _)| lost(kind(place), *place)).collect();
        let made = Made::Texts { texts: replayed.items, made_of: replayed.made_of, lost };
        Items { dialect: &RESPONSES, shape: Shape::Item, made }
    }

    /// Hands the items to a conversion, one at a time. Gives what was lost before it.
    pub fn give(self, taker: &mut Taker) -> Vec<Lost> {
        let shape = self.shape;
        let mut tape = Tape::new();
        let mut give = |text: &[u8], base: Base<'_>| {
            if let Some(val) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
                taker.take(&Body { val, base, embedded: false, shape }, false);
            }
        };
        match self.made {
            Made::Texts { texts, made_of, lost } => {
                for (n, text) in texts.into_iter().enumerate() {
                    // What was made of no one place has none: the history's own tells of it.
                    give(&text, Base::made_of(made_of.get(n).copied().unwrap_or_default()));
                }
                lost
            }
            Made::Messages(texts, rows) => {
                let mut see = |row: &Row, see: &mut dyn FnMut(Val<'_>)| {
                    texts.item(row, see);
                };
                for message in rebuild::messages(rows, &mut see) {
                    give(&message.text, Base::of_runs(message.begins.doc, &message.runs));
                }
                Vec::new()
            }
        }
    }

    /// What lifts them.
    pub fn lifting(&self) -> Taker {
        Taker::lifting(self.dialect)
    }

    /// What takes them.
    pub fn taker(&self, plan: &Plan, spills: bool) -> Taker {
        Taker::new(self.dialect, plan, spills)
    }
}

fn lost(kind: LossKind, place: Place) -> Lost {
    Lost { kind, at: At { place, embedded: false }, arg: 0 }
}
