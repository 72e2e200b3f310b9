//! A history is read, whatever its records are: items of its dialect, blocks of a session, or a log.

use std::io;

use crate::dialect::{Body, Dialect, LogOptions, Shape};
use crate::dialects::anthropic::ANTHROPIC;
use crate::dialects::chat::CHAT;
use crate::dialects::responses::RESPONSES;
use crate::format::FormatInfo;
use crate::format::requests::{Asked, Requests};
use crate::formats;
use crate::history::{History, Row};
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::judge;
use crate::place::Place;

use super::record::Converter;
use super::taker::Taker;
use super::{log, session, stream};

impl Converter<'_> {
    /// Hands a history to what `taker` makes for the dialect that it is read in.
    pub(super) fn read(
        &self,
        history: &History,
        info: &'static FormatInfo,
        taker: &dyn Fn(&'static dyn Dialect) -> Taker,
    ) -> io::Result<Taker> {
        if let Some(requests) = formats::by_name(info.name).and_then(|format| format.info().requests) {
            return self.read_stream(requests, taker(&CHAT));
        }
        if session::is_session(info) {
            return Ok(self.read_session(history, info, taker(&ANTHROPIC)));
        }
        if let Some(reader) = info.dialect.info().log {
            let mut taker = taker(&RESPONSES);
            let stored = self.how.options.store.or(history.settings.store).unwrap_or(true);
            let reader = reader(LogOptions { stored, only: None });
            let (id, bytes, limit) = (self.id, self.bytes, self.how.options.read.max_record);
            let log = log::read(&log::Records { id, bytes, within: 0..=u64::MAX, limit }, reader)?;
            taker.losses = log.losses;
            taker.messages(log.thread.messages);
            return Ok(taker);
        }
        let mut taker = taker(info.dialect);
        let mut take = |body: &Body<'_>, is_element| taker.take(body, is_element);
        judge::each_piece(&self.texts(info), &history.rows, &history.settings, self.id, &mut take)?;
        Ok(taker)
    }

    fn read_session(&self, history: &History, info: &'static FormatInfo, mut taker: Taker) -> Taker {
        let texts = self.texts(info);
        let mut see = |row: &Row, see: &mut dyn FnMut(Val<'_>)| {
            texts.item(row, see);
        };
        for turn in session::turns(&history.rows) {
            let messages = session::messages(turn, taker.copies(), &mut taker.losses, &mut see);
            taker.messages(messages);
        }
        taker
    }

    /// An event stream: what its next request would send.
    fn read_stream(&self, requests: &dyn Requests, mut taker: Taker) -> io::Result<Taker> {
        let asked = Asked { as_messages: true, ..Asked::default() };
        let sent = stream::rebuild(self.id, self.bytes, requests, &self.how.options.read, &asked)?;
        let mut tape = Tape::new();
        if let Ok(sent) = sent
            && let Some(val) = scan(&sent.body, &mut tape).ok().and_then(|()| tape.root(&sent.body))
        {
            // It was made of no one place.
            let base = Base::made_of(Place::default());
            taker.take(&Body { val, base, embedded: false, shape: Shape::Request }, false);
        }
        Ok(taker)
    }
}
