//! A history becomes a session that another agent resumes. The histories and the losses are those of every conversion; what
//! is written, and where it belongs, its writer knows.

use crate::carry::{CarryOver, Destination, SourceHistory};
use crate::dialect::Written;
use crate::format::FormatInfo;
use crate::formats;
use crate::history::settings::not_sent;
use crate::history::{History, Row, codes};
use crate::judge::{self, Findings, Options};
use crate::message::{LossKind, Losses, Lost, Name, OpaqueKind, PartKind, Role, Text, Thread};
use crate::place::Place;
use crate::read;
use crate::source::Container;
use crate::target::Severity;

use super::able::Able;
use super::fit;
use super::mend::MADE;
use super::record::{Converter, finding, is_recognised, is_unicode};
use super::request;
use super::taker::Taker;

/// Why messages of a subagent are not in the session.
const OF_SUBAGENT: &str = "it is of a subagent, whose session is its own";

impl Converter<'_> {
    /// Carries a history over.
    pub(super) fn carried(&mut self, history: &History, info: &'static FormatInfo, carry: &CarryOver) {
        let (start, how) = (self.start(history), self.how);
        let source = SourceHistory { bytes: self.bytes, at: start };
        if carry.belongs_to_another(&source) {
            let row = Row::of_place(start, history.rows.first().map_or(0, |row| row.record));
            let number = how.number(self.made.converted, self.made.met);
            self.raise(finding(LossKind::SUBAGENT, row), Some(number));
            let notes = history.settings.lost.iter().filter(|own| LossKind::of(own) == LossKind::NOT_SENT);
            notes.for_each(|own| self.raise(*own, Some(number)));
            let rest = not_sent(&history.rows, OF_SUBAGENT).into_iter().filter_map(|own| own.at).skip(1);
            for (at, record) in rest {
                self.raise(LossKind::NOT_SENT.found(at, record).never(OF_SUBAGENT), Some(number));
            }
            return;
        }
        let Ok(taker) = self.read(history, info, &Taker::lifting) else {
            return self.fail(finding(LossKind::NOT_CONVERTED, Row::of_place(start, 0)));
        };
        let (mut conversation, mut losses) = taker.lifted();
        let asked = how.plan.model.as_deref();
        if let Some(model) = asked.or(history.settings.model.as_deref())
            && (asked.is_some() || conversation.model.is_none())
        {
            conversation.model = Some(Text::new(model));
        }
        let items = conversation.messages.len() as u64;
        let left_out = carry.prepare(&mut conversation, &source, &mut losses);
        let keeps = carry.writer.keeps_thoughts;
        let able = Able { readable: keeps, wants_reasoning: keeps, ..Able::of(&how.plan, None) };
        let has_limit = conversation.settings.get(Name::MaxTokens).is_some();
        fit::fit(&mut conversation, carry.writer.capabilities, &how.plan, &able, &mut losses);
        if !has_limit {
            conversation.settings.take(Name::MaxTokens);
        }
        request::lose(&mut conversation.settings, &mut losses);
        if conversation.messages.is_empty() {
            return self.fail(finding(LossKind::NOT_CONVERTED, Row::of_place(start, 0)));
        }
        let mut result = Vec::new();
        let before = losses.clone();
        let mut destination = carry.write(&conversation, &source, &mut losses, &mut result);
        let mut error = unfit(&result, carry);
        if error == Some(codes::ITEM_WITHOUT_REASONING.0) {
            losses = before;
            drop_reasoned_tools(&mut conversation, &mut losses);
            result.clear();
            destination = carry.write(&conversation, &source, &mut losses, &mut result);
            error = unfit(&result, carry);
        }
        let written = if carry.writer.is_document { Written::Request } else { Written::Items };
        if !is_unicode(&result) {
            return self.fail(finding(LossKind::NOT_UNICODE, Row::of_place(start, 0)));
        }
        if !is_recognised(&result, written) {
            return self.fail(finding(LossKind::NOT_CONVERTED, Row::of_place(start, 0)));
        }
        if let Some(code) = error {
            let row = Row::of_place(start, 0);
            return self.fail(finding(LossKind::RESULT_REFUSED, row).arg(u32::from(code)));
        }
        self.report(losses.list, history, start);
        self.made.out = result.into();
        self.made.converted += 1;
        self.made.items += items;
        self.made.destination = Some(Destination { left_out, ..destination });
    }

    /// Reports what is lost, at the places of the source.
    fn report(&mut self, losses: Vec<Lost>, history: &History, start: Place) {
        let number = self.how.number(self.made.converted, self.made.met);
        self.made.met += 1;
        let record_of = super::record::records(history);
        let mut found: Vec<_> = losses
            .iter()
            .map(|lost| {
                let at = if lost.at.place.len == 0 { start } else { lost.at.place };
                let mut row = Row::of_place(at, record_of(at));
                if lost.at.embedded {
                    row.flags = crate::history::Flags::EMBEDDED;
                }
                finding(lost.kind, row).arg(lost.arg)
            })
            .collect();
        found.extend(&history.settings.lost);
        super::record::in_order(&mut found);
        found.into_iter().for_each(|finding| self.raise(finding, Some(number)));
    }
}

/// What a provider's tools did needs the reasoning before it, by an id that sessions do not keep.
fn drop_reasoned_tools(conversation: &mut Thread, losses: &mut Losses) {
    let mut has_reasoned = false;
    for message in &mut conversation.messages {
        has_reasoned &= message.role == Role::Assistant;
        message.parts.retain(|block| match &block.kind {
            PartKind::Reasoning(_) => {
                has_reasoned = true;
                true
            }
            PartKind::Opaque(foreign) if has_reasoned && foreign.kind == OpaqueKind::ServerTool => {
                losses.add(LossKind::SERVER_TOOL, block.at);
                false
            }
            _ => true,
        });
    }
}

/// The number of the rule that the result breaks, if it does: it must be read by its own format, without an error.
fn unfit(result: &Vec<u8>, carry: &CarryOver) -> Option<u16> {
    let format = formats::by_name(carry.writer.format)?;
    let read = read::Options { format: Some(format), ..read::Options::default() };
    let options = Options { read, ..Options::default() };
    let container = match carry.writer.is_document {
        true => Container::Document { start: 0 },
        false => Container::Lines { start: 0 },
    };
    let found = judge::judge_made(MADE, result, container, &options, 1, &Findings).ok()?;
    found.judged.iter().find(|judged| judged.severity == Severity::Error).map(|judged| judged.finding.code.0)
}
