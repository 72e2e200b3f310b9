//! From a reduced stream to its history, its nodes, and what is reported of events that do not fit.

use crate::format::requests::{Assemble, Own};
use crate::history::tree::{Entry, Marks, Name, Part};
use crate::history::{Finding, Row, codes};
use crate::source::ReadAt;

use super::event::{Event, EventKind};
use super::messages;
use super::reduce::{Misfit, Misplaced, State, Stream};

impl Assemble for Stream {
    fn event(&mut self, event: Box<dyn Own>) {
        if let Ok(event) = event.any().downcast::<Event>() {
            self.take(&event);
        }
    }

    fn rows(&mut self, rows: &[Row]) {
        self.take_rows(rows);
    }

    fn history(&self) -> Vec<Row> {
        let (system, rows) = self.of(self.context());
        system.into_iter().chain(rows).copied().collect()
    }

    fn unsent(&self) -> Vec<(Vec<Row>, &'static str)> {
        Stream::unsent(self)
    }

    /// The steps of the stream, named by their offsets.
    fn nodes(&self) -> Vec<(Entry, Vec<Row>)> {
        let mut before: Option<Name> = None;
        let mut nodes = Vec::new();
        for (stage, rows, state) in self.stages() {
            let name: Name = stage.offset.to_string().into();
            let part = match stage.step {
                EventKind::Message | EventKind::Rewrite => Part::Input,
                _ => Part::Answer,
            };
            let mut entry = Entry::new(&name, stage.at, stage.record, part);
            entry.parent = before.replace(name);
            entry.message = stage.request.map(|offset| format!("request {offset}").into());
            match (stage.step, state) {
                (EventKind::Rewrite, _) => entry.marks.set(Marks::RESTART.and(Marks::TRIMMED)),
                (_, Some(State::Open | State::Cancelled)) => entry.marks.set(Marks::FAILED),
                _ => {}
            }
            nodes.push((entry, rows.to_vec()));
        }
        nodes
    }

    fn finish(&mut self, bytes: &dyn ReadAt) -> Vec<Finding> {
        let problems = self.problems();
        problems.iter().map(|problem| finding(problem, self, bytes)).collect()
    }
}

/// What is reported of a misfit.
fn finding(problem: &Misplaced, stream: &Stream, bytes: &dyn ReadAt) -> Finding {
    let offset = u32::try_from(problem.offset).unwrap_or(u32::MAX);
    let (code, variant, arg, why) = match problem.misfit {
        Misfit::Abandoned => (codes::DANGLING_REQUEST, 0, offset, "what it would have given is not known"),
        Misfit::Running => (codes::DANGLING_REQUEST, 1, offset, "it may still run"),
        Misfit::Stale => (codes::STALE_OUTPUT, 0, offset, "the history does without it, as the agent did"),
        Misfit::Late => (codes::STALE_OUTPUT, 1, offset, "the history does without it, as the agent did"),
        Misfit::AfterCancel => {
            (codes::OUTPUT_AFTER_CANCEL, 0, offset, "the history does without it, as the agent did")
        }
        Misfit::AnsweredTwice => (codes::ANSWERED_TWICE, 0, offset, "which of the two was meant is not known"),
        Misfit::EndOfNothing => (codes::COMPLETED_WITHOUT_REQUEST, 0, offset, "the request is not in the file"),
        Misfit::OutputOfNothing => (codes::COMPLETED_WITHOUT_REQUEST, 1, offset, "the request is not in the file"),
        Misfit::Order => (codes::OFFSETS_NOT_INCREASING, 0, offset, "in which order the events came is not known"),
        Misfit::NoOffset => (codes::OFFSETS_NOT_INCREASING, 1, 0, "its place in the stream is not known"),
        Misfit::Body(context) => {
            let index = problem.partner.and_then(|body| messages::divergence(bytes, stream, context, body));
            (
                codes::EMBEDDED_BODY_DIFFERS,
                0,
                index.map_or(0, |found| found.index),
                "it is not known which of the two was sent",
            )
        }
        Misfit::Unknown(count) => (codes::UNKNOWN_EVENT, 0, count, "its meaning is not known"),
        Misfit::Invalid => (codes::INVALID_EVENT, 0, offset, "the intended content is not known"),
    };
    let row = Row::of_place(problem.at, problem.record);
    let partner = problem.partner.filter(|_| !matches!(problem.misfit, Misfit::Body(_)));
    Finding::new(code, row).variant(variant).arg(arg).with(partner).never(why)
}
