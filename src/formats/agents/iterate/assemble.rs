//! Assembly of a reduced stream: its history, its tree entries, and the findings about its events.

use crate::format::requests::{CustomAssembler, CustomEvent};
use crate::history::tree::{EntryMarks, EntryRole, NodeName, TreeEntry};
use crate::history::{Finding, Row, codes};
use crate::source::ReadAt;

use super::event::{EventKind, IterateEvent};
use super::messages;
use super::reduce::{RequestState, Stream, StreamProblem, StreamProblemKind};

impl CustomAssembler for Stream {
    fn event(&mut self, event: Box<dyn CustomEvent>) {
        if let Ok(event) = event.any().downcast::<IterateEvent>() {
            self.apply(&event);
        }
    }

    fn rows(&mut self, rows: &[Row]) {
        self.add_rows(rows);
    }

    fn history(&self) -> Vec<Row> {
        let (system, rows) = self.rows_of(self.context());
        system.into_iter().chain(rows).copied().collect()
    }

    fn unsent(&self) -> Vec<(Vec<Row>, &'static str)> {
        Stream::unsent(self)
    }

    /// The steps of the stream as entries named by their offsets.
    fn nodes(&self) -> Vec<(TreeEntry, Vec<Row>)> {
        let mut parent: Option<NodeName> = None;
        let mut nodes = Vec::new();
        for (step, rows, state) in self.steps() {
            let name: NodeName = step.offset.to_string().into();
            let part = match step.kind {
                EventKind::Message | EventKind::Rewrite => EntryRole::Input,
                _ => EntryRole::Answer,
            };
            let mut entry = TreeEntry::new(name.clone(), step.at, step.record, part);
            entry.parent = parent.replace(name);
            entry.message = step.request.map(|offset| format!("request {offset}").into());
            match (step.kind, state) {
                (EventKind::Rewrite, _) => entry.marks.set(EntryMarks::RESTART.and(EntryMarks::TRIMMED)),
                (_, Some(RequestState::Open | RequestState::Cancelled)) => entry.marks.set(EntryMarks::FAILED),
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

/// The finding about a problem.
fn finding(problem: &StreamProblem, stream: &Stream, bytes: &dyn ReadAt) -> Finding {
    let offset = u32::try_from(problem.offset).unwrap_or(u32::MAX);
    let (code, variant, arg, why) = match problem.kind {
        StreamProblemKind::Abandoned => (codes::DANGLING_REQUEST, 0, offset, "its output is not known"),
        StreamProblemKind::Running => (codes::DANGLING_REQUEST, 1, offset, "it may still run"),
        StreamProblemKind::Stale => {
            (codes::STALE_OUTPUT, 0, offset, "the history leaves it out, as the agent did")
        }
        StreamProblemKind::Late => (codes::STALE_OUTPUT, 1, offset, "the history leaves it out, as the agent did"),
        StreamProblemKind::AfterCancel => {
            (codes::OUTPUT_AFTER_CANCEL, 0, offset, "the history leaves it out, as the agent did")
        }
        StreamProblemKind::AnsweredTwice => {
            (codes::ANSWERED_TWICE, 0, offset, "which of the two was meant is not known")
        }
        StreamProblemKind::EndWithoutRequest => {
            (codes::COMPLETED_WITHOUT_REQUEST, 0, offset, "the request is not in the file")
        }
        StreamProblemKind::OutputWithoutRequest => {
            (codes::COMPLETED_WITHOUT_REQUEST, 1, offset, "the request is not in the file")
        }
        StreamProblemKind::Order => {
            (codes::OFFSETS_NOT_INCREASING, 0, offset, "the order of the events is not known")
        }
        StreamProblemKind::NoOffset => {
            (codes::OFFSETS_NOT_INCREASING, 1, 0, "its place in the stream is not known")
        }
        StreamProblemKind::Body(context) => {
            let index = problem.partner.and_then(|body| messages::divergence(bytes, stream, context, body));
            (
                codes::EMBEDDED_BODY_DIFFERS,
                0,
                index.map_or(0, |found| found.index),
                "it is not known which of the two was sent",
            )
        }
        StreamProblemKind::Unknown(count) => (codes::UNKNOWN_EVENT, 0, count, "its meaning is not known"),
        StreamProblemKind::Unread => (codes::INVALID_EVENT, 1, offset, "the intended content is not known"),
        StreamProblemKind::EndedTwice => {
            (codes::ANSWERED_TWICE, 1, offset, "which of the two was meant is not known")
        }
        StreamProblemKind::Blocking(count) => (codes::DANGLING_REQUEST, 2, count, "its output is not known"),
        StreamProblemKind::Invalid => (codes::INVALID_EVENT, 0, offset, "the intended content is not known"),
    };
    let row = Row::of_place(problem.at, problem.record);
    let partner = problem.partner.filter(|_| !matches!(problem.kind, StreamProblemKind::Body(_)));
    Finding::new(code, row).variant(variant).arg(arg).with_partner(partner).never(why)
}
