//! Converts a history to a session that another agent can resume. Histories and losses are those of any conversion; the
//! agent's writer decides what is written, and where the file belongs.

use crate::carry::{CarryOver, Destination, SourceHistory};
use crate::dialect::OutputShape;
use crate::format::FormatInfo;
use crate::formats;
use crate::history::settings::unsent_items;
use crate::history::{History, Row, codes};
use crate::judge::{self, FindingsOnly, Options};
use crate::message::{ConversionLoss, LossKind, Losses, OpaqueKind, PartKind, Role, SettingName, Text, Thread};
use crate::place::Place;
use crate::read;
use crate::source::Container;
use crate::target::Severity;

use super::conversion_builder::ConversionBuilder;
use super::fit;
use super::history_converter::{Converter, loss_finding};
use super::model_support::ModelSupport;
use super::repair_copy::RESULT_DOC;
use super::request;
use super::verdict;

/// The reason why messages of a subagent are not in the session.
const SUBAGENT_REASON: &str = "it belongs to a subagent, which has a session of its own";

impl Converter<'_> {
    /// Writes a history as a session of the other agent.
    pub(super) fn carry_over(&mut self, history: &History, info: &'static FormatInfo, carry: &CarryOver) {
        let (start, options) = (self.start(history), self.options);
        let source = SourceHistory { bytes: self.bytes, at: start };
        if carry.is_of_subagent(&source) {
            let row = Row::of_place(start, history.rows.first().map_or(0, |row| row.record));
            let number = options.number(self.output.converted, self.output.total);
            self.report_finding(loss_finding(LossKind::SUBAGENT, row), Some(number));
            let notes =
                history.settings.conversion_losses.iter().filter(|own| LossKind::of(own) == LossKind::NOT_SENT);
            notes.for_each(|own| self.report_finding(*own, Some(number)));
            let rest = unsent_items(&history.rows, SUBAGENT_REASON).into_iter().filter_map(|own| own.at).skip(1);
            for (at, record) in rest {
                self.report_finding(
                    LossKind::NOT_SENT.to_finding(at, record).never(SUBAGENT_REASON),
                    Some(number),
                );
            }
            return;
        }
        let Ok(builder) = self.read(history, info, &ConversionBuilder::for_thread) else {
            return self.fail(loss_finding(LossKind::NOT_CONVERTED, Row::of_place(start, 0)));
        };
        let (mut conversation, mut losses) = builder.into_thread();
        let asked = options.plan.model.as_deref();
        if let Some(model) = asked.or(history.settings.model.as_deref())
            && (asked.is_some() || conversation.model.is_none())
        {
            conversation.model = Some(Text::new(model));
        }
        let items = conversation.messages.len() as u64;
        let preparation = carry.prepare(&mut conversation, &source, &mut losses);
        let keeps = carry.writer.keeps_reasoning;
        let support = ModelSupport {
            plain_reasoning: keeps,
            requires_reasoning: keeps,
            // A session is no request: what Claude rejects in one is the agent's to send or not.
            is_claude: false,
            // A session is no request to Gemini, which alone wants signatures.
            signed_calls: Some(false),
            ..ModelSupport::of(&options.plan, None)
        };
        let has_limit = conversation.settings.get(SettingName::MaxTokens).is_some();
        fit::fit(&mut conversation, carry.writer.capabilities, &options.plan, &support, &mut losses);
        if !has_limit {
            conversation.settings.remove(SettingName::MaxTokens);
        }
        request::drop_all_settings(&mut conversation.settings, &mut losses);
        if conversation.messages.is_empty() {
            return self.fail(loss_finding(LossKind::NOT_CONVERTED, Row::of_place(start, 0)));
        }
        let mut result = Vec::new();
        let before = losses.clone();
        let mut destination = carry.write(&conversation, &source, &mut losses, &mut result);
        let mut error = violated_rule(&result, carry);
        if error == Some(codes::ITEM_WITHOUT_REASONING.0) {
            losses = before;
            drop_reasoned_tools(&mut conversation, &mut losses);
            result.clear();
            destination = carry.write(&conversation, &source, &mut losses, &mut result);
            error = violated_rule(&result, carry);
        }
        let written = if carry.writer.is_document { OutputShape::Request } else { OutputShape::Items };
        if !verdict::is_unicode(&result) {
            return self.fail(loss_finding(LossKind::NOT_UNICODE, Row::of_place(start, 0)));
        }
        if !verdict::is_recognised(&result, written) {
            return self.fail(loss_finding(LossKind::NOT_CONVERTED, Row::of_place(start, 0)));
        }
        if let Some(code) = error {
            let row = Row::of_place(start, 0);
            return self.fail(loss_finding(LossKind::RESULT_REFUSED, row).arg(u32::from(code)));
        }
        self.report_losses(losses.list, history, start);
        self.output.out = result.into();
        self.output.converted += 1;
        self.output.items += items;
        self.output.destination = Some(Destination { preparation, ..destination });
    }

    /// Reports the losses, at the places of the source.
    fn report_losses(&mut self, losses: Vec<ConversionLoss>, history: &History, start: Place) {
        let number = self.options.number(self.output.converted, self.output.total);
        self.output.total += 1;
        let record_of = super::history_converter::record_index(history);
        let mut found: Vec<_> = losses.into_iter().map(|lost| self.loss(lost, start, &record_of)).collect();
        found.extend(&history.settings.conversion_losses);
        super::history_converter::sort_findings(&mut found);
        found.into_iter().for_each(|finding| self.report_finding(finding, Some(number)));
    }
}

/// Drops calls of provider tools after reasoning: they need its id, which sessions do not keep.
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

/// The number of the first rule that the result violates, read by its own format; `None` if there is no error.
fn violated_rule(result: &Vec<u8>, carry: &CarryOver) -> Option<u16> {
    let format = formats::by_name(carry.writer.format)?;
    let read = read::Options { format: Some(format), ..read::Options::default() };
    let options = Options { read, ..Options::default() };
    let container = match carry.writer.is_document {
        true => Container::Document { start: 0 },
        false => Container::Lines { start: 0 },
    };
    let found = judge::judge_in_container(RESULT_DOC, result, container, &options, 1, &FindingsOnly, None).ok()?;
    found.findings.iter().find(|judged| judged.severity == Severity::Error).map(|judged| judged.finding.code.0)
}
