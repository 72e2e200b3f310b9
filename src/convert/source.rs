//! Reads a history, whatever its records are: items of its dialect, blocks of a session, or a log.

use std::io;

use crate::dialect::{Body, BodyShape, Dialect, LogOptions, OutputShape};
use crate::dialects::anthropic::ANTHROPIC;
use crate::dialects::chat::CHAT;
use crate::dialects::responses::RESPONSES;
use crate::format::FormatInfo;
use crate::format::requests::{RebuildQuery, RequestLog};
use crate::formats;
use crate::history::{History, Row};
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, scan};
use crate::judge;
use crate::message::{LossKind, Losses, SourceLocation, Thread};
use crate::place::{DocId, Place};
use crate::source::ReadAt;

use super::conversion_builder::ConversionBuilder;
use super::history_converter::Converter;
use super::options::ConvertOptions;
use super::plan::ConvertPlan;
use super::{log, session, stream};

/// Reads a history as a thread, and what is lost by that.
pub fn read_thread(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &judge::Options,
    history: &History,
    info: &'static FormatInfo,
) -> io::Result<(Thread, Losses)> {
    let plan = ConvertPlan::to(&CHAT, OutputShape::Request);
    let options = ConvertOptions::new(options, plan);
    let builder = Converter::new(id, bytes, &options).read(history, info, &ConversionBuilder::for_thread)?;
    Ok(builder.into_thread())
}

impl Converter<'_> {
    /// Reads a history into the builder that `builder` makes for its dialect.
    pub(super) fn read(
        &self,
        history: &History,
        info: &'static FormatInfo,
        builder: &dyn Fn(&'static dyn Dialect) -> ConversionBuilder,
    ) -> io::Result<ConversionBuilder> {
        if let Some(requests) = formats::by_name(info.name).and_then(|format| format.info().requests) {
            return self.read_stream(requests, builder(&CHAT));
        }
        if session::is_session(info) {
            return Ok(self.read_session(history, info, builder(&ANTHROPIC)));
        }
        if let Some(reader) = info.dialect.info().log {
            let mut builder = builder(&RESPONSES);
            let stored = self.options.judge.store.or(history.settings.store).unwrap_or(true);
            let reader = reader(LogOptions { stored, keeps_item_ids: true, only: None });
            let (id, bytes, limit) = (self.id, self.bytes, self.options.judge.read.max_record);
            let log = log::read(&log::LogRecords { id, bytes, within: 0..=u64::MAX, limit }, reader)?;
            builder.losses = log.losses;
            builder.push_messages(log.thread.messages);
            return Ok(builder);
        }
        let mut builder = builder(info.dialect);
        let mut take = |body: &Body<'_>, is_element| builder.push(body, is_element);
        judge::visit_parts(&self.texts(info), &history.rows, &history.settings, self.id, &mut take)?;
        Ok(builder)
    }

    fn read_session(
        &self,
        history: &History,
        info: &'static FormatInfo,
        mut builder: ConversionBuilder,
    ) -> ConversionBuilder {
        let texts = self.texts(info);
        let mut see = |row: &Row, see: &mut dyn FnMut(Val<'_>)| {
            texts.with_item(row, see);
        };
        for turn in session::turns(&history.rows) {
            let messages = session::messages(turn, builder.is_verbatim(), &mut builder.losses, &mut see);
            builder.push_messages(messages);
        }
        builder
    }

    /// Reads the next request of an event stream.
    fn read_stream(
        &self,
        requests: &dyn RequestLog,
        mut builder: ConversionBuilder,
    ) -> io::Result<ConversionBuilder> {
        let asked = RebuildQuery { as_messages: true, ..RebuildQuery::default() };
        let sent = stream::rebuild(self.id, self.bytes, requests, &self.options.judge.read, &asked)?;
        let mut tape = Tape::new();
        if let Ok(sent) = sent
            && let Some(val) = scan(&sent.body, &mut tape).ok().and_then(|()| tape.root(&sent.body))
        {
            // It was not made of any one place.
            let base = RecordBase::synthetic_from(Place::default());
            if sent.lacks_prompt {
                builder.losses.add(LossKind::NOT_REPLAYED, SourceLocation::default());
            }
            builder.push(&Body { val, base, embedded: false, shape: BodyShape::Request }, false);
        }
        Ok(builder)
    }
}
