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
use crate::history::History;
use crate::json::edit::Base;
use crate::json::{Tape, scan};
use crate::judge::Options;
use crate::neutral::{At, LossKind, Lost};
use crate::place::{DocId, Place};
use crate::read::Texts;
use crate::replay::{self, foreign, stream};
use crate::source::ReadAt;

use super::options::ConvertOptions;
use super::plan::Plan;
use super::taker::Taker;

/// The items of a history, each as its text, or the request that it makes, and what was left out.
pub(super) struct Items {
    dialect: &'static dyn Dialect,
    shape: Shape,
    texts: Vec<Vec<u8>>,
    /// Of what in the doc each was made, as far as that is one place.
    made_of: Vec<Place>,
    /// Of what each text was put together, piece by piece, where that is known.
    runs: Vec<Vec<(u32, u64)>>,
    /// What was left out or made up on the way.
    lost: Vec<Lost>,
}

impl Items {
    /// Items that a history becomes; `None` if it holds a provider's own.
    pub fn of(
        id: DocId,
        bytes: &dyn ReadAt,
        history: &History,
        info: &'static FormatInfo,
        how: &ConvertOptions<'_>,
    ) -> io::Result<Option<Items>> {
        let options = how.options;
        if let Some(requests) = formats::by_name(info.name).and_then(|format| format.requests()) {
            return Items::of_stream(id, bytes, requests, options).map(Some);
        }
        let stored = options.store.or(history.settings.store).unwrap_or(true);
        if replay::is_session(info) {
            // Items of the Responses API are written anew; every other API gets the messages as they were.
            return Ok(Some(match how.plan.to.name() == RESPONSES.name() {
                true => Items::of_session(bytes, history, info),
                false => Items::of_messages(bytes, history, info),
            }));
        }
        let Some(replay) = info.dialect.replay(stored) else { return Ok(None) };
        let source = foreign::Source { id, bytes, within: 0..=u64::MAX, limit: options.read.max_record };
        Ok(Some(Items::of_replay(foreign::replay(&source, replay)?)))
    }

    fn new(texts: Vec<Vec<u8>>, made_of: Vec<Place>, lost: Vec<Lost>) -> Items {
        Items { dialect: &RESPONSES, shape: Shape::Item, texts, made_of, runs: Vec::new(), lost }
    }

    /// An event stream: what its next request would send.
    fn of_stream(id: DocId, bytes: &dyn ReadAt, requests: &dyn Requests, options: &Options) -> io::Result<Items> {
        let asked = Asked { as_messages: true, ..Asked::default() };
        let sent = stream::rebuild(id, bytes, requests, &options.read, &asked)?;
        let texts = sent.map(|sent| vec![sent.body]).unwrap_or_default();
        Ok(Items {
            dialect: &CHAT,
            shape: Shape::Request,
            texts,
            made_of: Vec::new(),
            runs: Vec::new(),
            lost: Vec::new(),
        })
    }

    fn of_replay(replayed: Replayed) -> Items {
        let kind = |place: &Place| match replayed.unanswered.contains(place) {
            true => LossKind::WITHOUT_RESULT,
            false => LossKind::NOT_REPLAYED,
        };
        let lost = replayed.left_out.iter().map(|(place, _)| lost(kind(place), *place)).collect();
        Items::new(replayed.items, replayed.made_of, lost)
    }

    fn of_session(bytes: &dyn ReadAt, history: &History, info: &FormatInfo) -> Items {
        let texts = Texts::new(bytes, info.dialect);
        let lifted = replay::of_session(&history.rows, &mut |row, see| {
            texts.item(row, see);
        });
        let thinking = lifted.thinking.into_iter().map(|place| lost(LossKind::REASONING, place));
        let skipped = lifted.skipped.into_iter().map(|place| lost(LossKind::UNKNOWN, place));
        let lost = thinking.chain(skipped).collect();
        Items::new(lifted.items, lifted.made_of, lost)
    }

    fn of_messages(bytes: &dyn ReadAt, history: &History, info: &FormatInfo) -> Items {
        let text = Texts::new(bytes, info.dialect);
        let messages = replay::messages(&history.rows, &mut |row, see| {
            text.item(row, see);
        });
        let (mut texts, mut made_of, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        for message in messages {
            texts.push(message.text);
            made_of.push(message.begins);
            runs.push(message.runs);
        }
        Items { dialect: &ANTHROPIC, runs, ..Items::new(texts, made_of, Vec::new()) }
    }

    /// Hands the items to a conversion. Gives what was lost before it.
    pub fn give(self, taker: &mut Taker) -> Vec<Lost> {
        let mut tape = Tape::new();
        for (n, text) in self.texts.iter().enumerate() {
            if let Some(val) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
                // What was made of no one place has none: the history's own tells of it.
                let place = self.made_of.get(n).copied().unwrap_or_default();
                let base = match self.runs.get(n) {
                    Some(runs) => Base::of_runs(place.doc, runs),
                    None => Base::made_of(place),
                };
                taker.take(&Body { val, base, embedded: false, shape: self.shape });
            }
        }
        self.lost
    }

    /// What lifts them.
    pub fn lifting(&self) -> Taker {
        Taker::lifting(self.dialect)
    }

    /// What takes them.
    pub fn taker(&self, plan: &Plan) -> Taker {
        Taker::new(self.dialect, plan)
    }
}

fn lost(kind: LossKind, place: Place) -> Lost {
    Lost { kind, at: At { place, embedded: false }, arg: 0 }
}
