//! Applies the acts of an agent to a thread: what the agent makes of calls without results and of results without calls
//! before it sends the history.

use std::collections::{BTreeMap, VecDeque};

use foldhash::{HashMap, HashSet};

use crate::dialect::{Body, BodyShape, Dialect, ItemOrigin};
use crate::dialects::anthropic;
use crate::dialects::responses::{self, RESPONSES, STUB};
use crate::dialects::session::SESSION;
use crate::format::agent::{ResumeEffect, SessionDefect};
use crate::history::{Flags, Row};
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, fingerprint_of, name, scan};
use crate::message::{
    Losses, Message, Opaque, Part, PartKind, ResultPart, Role, SourceLocation, Text, Thread, ToolCall, ToolResult,
};

/// An act that was applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AppliedAct {
    pub defect: SessionDefect,
    pub effect: ResumeEffect,
    /// The calls or the results with the defect, by the places of their sources.
    pub at: Vec<SourceLocation>,
}

/// Applies acts to a thread: each to all calls or results with its defect. Returns those that changed something.
pub fn apply(thread: &mut Thread, acts: &[(SessionDefect, ResumeEffect)]) -> Vec<AppliedAct> {
    if acts.is_empty() {
        return Vec::new();
    }
    let pairs = CallPairs::of(&thread.messages);
    let mut changes = ThreadChanges::default();
    let mut applied = Vec::new();
    for &(defect, effect) in acts {
        let at = changes.plan(&thread.messages, &pairs, defect, effect);
        if !at.is_empty() {
            applied.push(AppliedAct { defect, effect, at });
        }
    }
    if !applied.is_empty() {
        changes.apply(&mut thread.messages);
    }
    applied
}

/// The position of a part: the index of its message, and its index there.
type PartPosition = (usize, usize);

/// The calls and results of a thread, paired by their ids.
#[derive(Default)]
struct CallPairs {
    /// Each call, with its result.
    calls: Vec<(PartPosition, Option<PartPosition>)>,
    orphans: Vec<PartPosition>,
    duplicates: Vec<PartPosition>,
}

impl CallPairs {
    fn of(messages: &[Message]) -> CallPairs {
        let mut pairs = CallPairs::default();
        // The calls of each id that wait for a result, and all of them.
        let mut waiting: HashMap<u64, VecDeque<usize>> = HashMap::default();
        let mut of_id: HashMap<u64, Vec<usize>> = HashMap::default();
        let mut spare: Vec<(u64, PartPosition)> = Vec::new();
        for (m, message) in messages.iter().enumerate() {
            for (p, part) in message.parts.iter().enumerate() {
                match link_of(part) {
                    Some(CallLink::Call(id)) => {
                        let queue = waiting.entry(id).or_default();
                        // A later message uses the id again: the earlier call stays open.
                        let is_stale = |ix: &usize| pairs.calls.get(*ix).is_some_and(|((at, _), _)| *at != m);
                        if queue.front().is_some_and(is_stale) {
                            queue.clear();
                        }
                        queue.push_back(pairs.calls.len());
                        of_id.entry(id).or_default().push(pairs.calls.len());
                        pairs.calls.push(((m, p), None));
                    }
                    Some(CallLink::Result(id)) => match waiting.get_mut(&id).and_then(VecDeque::pop_front) {
                        Some(ix) => pairs.answer(ix, (m, p)),
                        None => spare.push((id, (m, p))),
                    },
                    None => {}
                }
            }
        }
        for (id, at) in spare {
            let calls = of_id.get(&id).map_or(&[][..], Vec::as_slice);
            let open = calls.iter().find(|ix| pairs.calls.get(**ix).is_some_and(|(_, result)| result.is_none()));
            match (open, calls.is_empty()) {
                (Some(ix), _) => pairs.answer(*ix, at),
                (None, true) => pairs.orphans.push(at),
                (None, false) => pairs.duplicates.push(at),
            }
        }
        pairs
    }

    fn answer(&mut self, call: usize, result: PartPosition) {
        if let Some((_, known)) = self.calls.get_mut(call) {
            *known = Some(result);
        }
    }
}

/// The changes of a thread.
#[derive(Default)]
struct ThreadChanges {
    gone: HashSet<PartPosition>,
    /// Results to add after a message, by its index.
    added: BTreeMap<usize, Vec<Part>>,
}

impl ThreadChanges {
    /// Plans an act. Returns the parts that it changes, by their sources.
    fn plan(
        &mut self,
        messages: &[Message],
        pairs: &CallPairs,
        defect: SessionDefect,
        effect: ResumeEffect,
    ) -> Vec<SourceLocation> {
        let part = |(m, p): PartPosition| messages.get(m).and_then(|message| message.parts.get(p));
        let open = || pairs.calls.iter().filter(|(_, result)| result.is_none()).map(|(call, _)| *call);
        let late = || {
            let of_pair = |(call, result): &(PartPosition, Option<PartPosition>)| Some((*call, (*result)?));
            pairs.calls.iter().filter_map(of_pair).filter(|(call, result)| is_late(messages, *call, *result))
        };
        let mut changed = Vec::new();
        match (defect, effect) {
            (SessionDefect::UnansweredCall, ResumeEffect::Answers(text)) => {
                // The text of some placeholders is not known.
                let text = if text.is_empty() { STUB } else { text };
                for call in open() {
                    let Some(answer) = part(call).and_then(|part| answer(part, text)) else { continue };
                    changed.push(answer.at);
                    self.added.entry(call.0).or_default().push(answer);
                }
            }
            (SessionDefect::LateOutput, ResumeEffect::Moves) => {
                for (call, result) in late() {
                    let Some(moved) = part(result).filter(|_| self.gone.insert(result)) else { continue };
                    changed.push(moved.at);
                    self.added.entry(call.0).or_default().push(moved.clone());
                }
            }
            (_, ResumeEffect::LeavesOut | ResumeEffect::SendsOnce) => {
                let positions: Vec<PartPosition> = match defect {
                    SessionDefect::UnansweredCall => open().collect(),
                    SessionDefect::OrphanOutput => pairs.orphans.clone(),
                    SessionDefect::DuplicateOutput => pairs.duplicates.clone(),
                    SessionDefect::LateOutput => late().map(|(_, result)| result).collect(),
                    _ => Vec::new(),
                };
                for at in positions {
                    changed.extend(part(at).filter(|_| self.gone.insert(at)).map(|part| part.at));
                }
            }
            _ => {}
        }
        changed
    }

    fn apply(mut self, messages: &mut Vec<Message>) {
        let mut kept: Vec<Message> = Vec::with_capacity(messages.len());
        // Results that follow the other results of their message.
        let mut pending: Vec<Part> = Vec::new();
        for (m, mut message) in std::mem::take(messages).into_iter().enumerate() {
            if message.role != Role::Tool {
                push_results(&mut kept, &mut pending);
            }
            let before = message.parts.len();
            let mut at = 0..;
            message.parts.retain(|_| at.next().is_some_and(|p| !self.gone.contains(&(m, p))));
            let is_changed = message.parts.len() < before;
            pending.extend(self.added.remove(&m).unwrap_or_default());
            // Reasoning that only led to a call goes with it.
            if !is_changed || !message.parts.iter().all(is_reasoning) {
                kept.push(message);
            }
        }
        push_results(&mut kept, &mut pending);
        *messages = kept;
    }
}

/// Adds results to the results at the end, or in a message of their own.
fn push_results(messages: &mut Vec<Message>, results: &mut Vec<Part>) {
    let Some(first) = results.first() else { return };
    if messages.last().is_none_or(|last| last.role != Role::Tool) {
        messages.push(Message::new(Role::Tool, first.at));
    }
    if let Some(last) = messages.last_mut() {
        last.parts.append(results);
    }
}

/// True if anything but the rest of its response and other results is between a call and its result, or the result comes
/// first.
fn is_late(messages: &[Message], (call, _): PartPosition, (result, _): PartPosition) -> bool {
    let Some(between) = messages.get(call + 1..=result) else { return result != call };
    let rest = between.iter().skip_while(|message| message.role == Role::Assistant);
    rest.into_iter().any(|message| message.role != Role::Tool)
}

/// A call or a result, and a fingerprint of the id that pairs them.
enum CallLink {
    Call(u64),
    Result(u64),
}

fn link_of(part: &Part) -> Option<CallLink> {
    match &part.kind {
        PartKind::Call(call) => Some(CallLink::Call(fingerprint_of(&call.id.plain()))),
        PartKind::Result(result) => Some(CallLink::Result(fingerprint_of(&result.id.plain()))),
        PartKind::Opaque(opaque) => {
            let row = with_value(opaque, |val, dialect| {
                let base = RecordBase::new(part.at.place.doc, 0);
                let origin = ItemOrigin { base, record: 0, turn: 0, part: 0, flags: Flags::NONE };
                let mut first: Option<Row> = None;
                dialect.rows(val, origin, &mut |item| {
                    first.get_or_insert(item.row);
                });
                first
            });
            match row.flatten()? {
                row if row.calls_client() => Some(CallLink::Call(row.key)),
                row if row.answers_call() => Some(CallLink::Result(row.key)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Calls `see` with the value of an item or a block, and the dialect that makes its row.
fn with_value<T>(opaque: &Opaque, see: impl FnOnce(Val<'_>, &'static dyn Dialect) -> T) -> Option<T> {
    let dialect: &'static dyn Dialect = match opaque.dialect {
        responses::NAME => &RESPONSES,
        anthropic::NAME => &SESSION,
        _ => return None,
    };
    let (raw, mut tape) = (opaque.raw.bytes(), Tape::new());
    scan(&raw, &mut tape).ok()?;
    tape.root(&raw).map(|val| see(val, dialect))
}

/// The result that answers a call with a text.
fn answer(part: &Part, text: &str) -> Option<Part> {
    let call = match &part.kind {
        PartKind::Call(call) => call.clone(),
        PartKind::Opaque(opaque) => read_call(opaque)?,
        _ => return None,
    };
    let result = ToolResult {
        id: call.id,
        name: Some(call.name),
        parts: vec![ResultPart::Text(Text::new(text))],
        is_error: true,
        kind: call.kind,
    };
    Some(Part::new(PartKind::Result(result), part.at))
}

/// The call in an item or a block.
fn read_call(opaque: &Opaque) -> Option<ToolCall> {
    let kind = with_value(opaque, |val, _| {
        let base = RecordBase::synthetic_from(crate::place::Place::default());
        let body = Body { val, base, embedded: false, shape: BodyShape::Item };
        let mut losses = Losses::default();
        if opaque.dialect == anthropic::NAME {
            return Some(anthropic::read_block(&body, val, &mut losses).kind);
        }
        let mut thread = Thread::default();
        RESPONSES.read(body, &mut thread, &mut losses);
        Some(thread.messages.pop()?.parts.pop()?.kind)
    });
    match kind.flatten()? {
        PartKind::Call(call) => Some(call),
        _ => None,
    }
}

fn is_reasoning(part: &Part) -> bool {
    match &part.kind {
        PartKind::Reasoning(_) => true,
        PartKind::Opaque(opaque) => {
            let is_one = |val: Val<'_>, _| {
                let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
                matches!(kind.as_ref(), b"thinking" | b"redacted_thinking" | b"reasoning")
            };
            with_value(opaque, is_one).unwrap_or(false)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::message::test_parts::{call, message, result};
    use crate::message::{RawJson, Reasoning, ReasoningProvider};
    use crate::place::Place;

    use super::*;

    const OPEN: SessionDefect = SessionDefect::UnansweredCall;

    fn text(text: &str) -> Part {
        Part::text(Text::new(text), SourceLocation::default())
    }

    fn thought() -> Part {
        let texts = vec![Text::new("t")];
        let provider = ReasoningProvider::Anthropic;
        let thought = Reasoning { provider, texts, encrypted_content: None, redacted: None };
        Part::new(PartKind::Reasoning(thought), SourceLocation::default())
    }

    fn item(json: &str) -> Part {
        Part::verbatim("responses", RawJson::new(json.as_bytes()), Place::default())
    }

    /// Renders messages as words: `A x a` a text and a call, `T a=1` results.
    fn render(thread: &Thread) -> String {
        let part = |part: &Part| match &part.kind {
            PartKind::Text { text, .. } => text.to_plain_string(),
            PartKind::Reasoning(_) => "(t)".to_owned(),
            PartKind::Call(call) => format!("{}()", call.id.to_plain_string()),
            PartKind::Result(result) => match result.parts.first() {
                Some(ResultPart::Text(text)) => {
                    format!("{}={}", result.id.to_plain_string(), text.to_plain_string())
                }
                _ => String::new(),
            },
            PartKind::Opaque(opaque) => String::from_utf8_lossy(&opaque.raw.bytes()).into_owned(),
            _ => String::new(),
        };
        let words = thread.messages.iter().map(|message| {
            let parts: Vec<String> = message.parts.iter().map(part).collect();
            format!("{} {}", &format!("{:?}", message.role)[..1], parts.join(" "))
        });
        words.collect::<Vec<_>>().join(", ")
    }

    fn applied(messages: Vec<Message>, acts: &[(SessionDefect, ResumeEffect)]) -> (String, Vec<usize>) {
        let mut thread = Thread::of(messages);
        let done = apply(&mut thread, acts);
        (render(&thread), done.iter().map(|done| done.at.len()).collect())
    }

    #[test]
    fn open_calls_are_answered_after_the_results_of_their_message() {
        use Role::{Assistant, Tool, User};
        let (rendered, counts) = applied(
            vec![
                message(Assistant, vec![call("a"), call("b")]),
                message(Tool, vec![result("b", "1")]),
                message(User, vec![text("u")]),
                message(Assistant, vec![call("c")]),
            ],
            &[(OPEN, ResumeEffect::Answers("aborted"))],
        );
        assert_eq!(rendered, "A a() b(), T b=1 a=aborted, U u, A c(), T c=aborted");
        assert_eq!(counts, [2]);
    }

    #[test]
    fn a_call_that_is_left_out_takes_its_reasoning_along() {
        use Role::{Assistant, User};
        let (rendered, counts) = applied(
            vec![
                message(User, vec![text("u")]),
                message(Assistant, vec![thought(), call("a")]),
                message(User, vec![text("v")]),
                message(Assistant, vec![text("x"), call("b")]),
            ],
            &[(OPEN, ResumeEffect::LeavesOut)],
        );
        assert_eq!(rendered, "U u, U v, A x");
        assert_eq!(counts, [2]);
    }

    #[test]
    fn orphans_and_second_results_are_left_out_and_late_ones_are_moved() {
        use Role::{Assistant, Tool, User};
        let messages = || {
            vec![
                message(Assistant, vec![call("a"), call("b")]),
                message(Tool, vec![result("a", "1"), result("z", "9")]),
                message(User, vec![text("u")]),
                message(Tool, vec![result("b", "2")]),
                message(Tool, vec![result("a", "3")]),
            ]
        };
        let all = [
            (SessionDefect::OrphanOutput, ResumeEffect::LeavesOut),
            (SessionDefect::DuplicateOutput, ResumeEffect::SendsOnce),
            (SessionDefect::LateOutput, ResumeEffect::Moves),
        ];
        let (rendered, counts) = applied(messages(), &all);
        assert_eq!(rendered, "A a() b(), T a=1 b=2, U u");
        assert_eq!(counts, [1, 1, 1]);
        assert_eq!(applied(messages(), &[]).1, [0; 0]);
        assert_eq!(applied(messages(), &[(OPEN, ResumeEffect::LeavesOut)]).1, [0; 0]);
    }

    #[test]
    fn an_id_that_is_used_again_pairs_each_time() {
        use Role::{Assistant, Tool};
        let (rendered, _) = applied(
            vec![
                message(Assistant, vec![call("a")]),
                message(Assistant, vec![call("a")]),
                message(Tool, vec![result("a", "1")]),
                message(Assistant, vec![call("a")]),
                message(Tool, vec![result("a", "2")]),
            ],
            &[(OPEN, ResumeEffect::Answers("?"))],
        );
        assert_eq!(rendered, "A a(), T a=?, A a(), T a=1, A a(), T a=2");
    }

    #[test]
    fn items_that_are_copied_are_paired_too() {
        use Role::{Assistant, Tool};
        let open = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#;
        let orphan = r#"{"type":"function_call_output","call_id":"d","output":"x"}"#;
        let (rendered, counts) = applied(
            vec![message(Assistant, vec![item(open)]), message(Tool, vec![item(orphan)])],
            &[(OPEN, ResumeEffect::Answers("aborted")), (SessionDefect::OrphanOutput, ResumeEffect::LeavesOut)],
        );
        assert_eq!(rendered, format!("A {open}, T c=aborted"));
        assert_eq!(counts, [1, 1]);
    }
}
