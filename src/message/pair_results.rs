//! Pairs calls with results as most dialects require: each assistant message with calls is followed by one message with
//! exactly their results, in the order of the calls. A result belongs to the last call of its id before it; a call without
//! one gets a stub result that claims nothing; a result that answers no call is left out.

use foldhash::HashMap;

use super::{
    LossKind, Losses, Message, Part, PartKind, ResultPart, Role, SourceLocation, Text, Thread, ToolCall,
    ToolResult,
};

/// The text of a stub result. It claims neither success nor failure: nobody knows whether the call ran.
pub const STUB: &str = "no result was recorded; execution status unknown";

/// The calls and results of one id.
#[derive(Default)]
struct IdUses {
    calls: Vec<PartPosition>,
    results: Vec<usize>,
}

/// The position of a call or a result: number of the message, number among all parts.
#[derive(Clone, Copy)]
struct PartPosition {
    message: usize,
    block: usize,
}

struct UnplacedResult {
    spot: PartPosition,
    result: Option<(ToolResult, Part)>,
}

pub fn pair_results(conversation: &mut Thread, losses: &mut Losses) {
    if !conversation.messages.iter().any(|message| message.role == Role::Tool || message.calls().next().is_some())
    {
        return;
    }
    if is_paired(&conversation.messages) {
        return name_results(&mut conversation.messages);
    }
    let mut uses: HashMap<Vec<u8>, IdUses> = HashMap::default();
    let mut results: Vec<UnplacedResult> = Vec::new();
    let mut block = 0;
    // Number of the first part of each message.
    let mut starts = Vec::with_capacity(conversation.messages.len());
    for (n, message) in conversation.messages.iter_mut().enumerate() {
        starts.push(block);
        for call in message.parts.iter().enumerate() {
            if let PartKind::Call(found) = &call.1.kind {
                let spot = PartPosition { message: n, block: block + call.0 };
                uses.entry(found.id.plain().into_owned()).or_default().calls.push(spot);
            }
        }
        let count = message.parts.len();
        if message.role == Role::Tool {
            for (at, mut taken) in std::mem::take(&mut message.parts).into_iter().enumerate() {
                let what = std::mem::replace(&mut taken.kind, PartKind::Refusal(Text::default()));
                let PartKind::Result(result) = what else { continue };
                let id = result.id.plain().into_owned();
                uses.entry(id).or_default().results.push(results.len());
                let spot = PartPosition { message: n, block: block + at };
                results.push(UnplacedResult { spot, result: Some((result, taken)) });
            }
        }
        block += count;
    }
    let mut answers: HashMap<usize, usize> = HashMap::default();
    for used in uses.values() {
        // Calls of one id in one message are answered in order: the message, and its next call.
        let mut batch = (usize::MAX, 0);
        for &n in &used.results {
            let Some(found) = results.get(n) else { continue };
            let before = used.calls.partition_point(|call| call.block < found.spot.block);
            let call = match used.calls.iter().take(before).enumerate().next_back() {
                Some((last, &PartPosition { message, .. })) => {
                    if batch.0 != message {
                        batch = (message, used.calls.partition_point(|call| call.message < message));
                    }
                    let ix = batch.1.min(last);
                    batch.1 += 1;
                    used.calls.get(ix).copied()
                }
                // One call and one result in the wrong order are unambiguous.
                None if used.calls.len() == 1 && used.results.len() == 1 => used.calls.first().copied(),
                None => None,
            };
            if let Some(call) = call {
                answers.entry(call.block).or_insert(n);
            }
        }
    }
    rebuild_messages(conversation, &starts, &mut results, &answers, losses);
    let left = results.into_iter().filter_map(|found| found.result);
    left.for_each(|(_, block)| losses.add(LossKind::ORPHAN_RESULT, block.at));
}

/// True if each message with calls is followed by exactly their results, in order, as most are.
fn is_paired(messages: &[Message]) -> bool {
    let mut rest = messages.iter().peekable();
    while let Some(message) = rest.next() {
        if message.role == Role::Tool {
            return false;
        }
        if message.calls().next().is_none() {
            continue;
        }
        let calls = message.calls().map(|call| Some(&call.id));
        let results = rest.next_if(|next| next.role == Role::Tool);
        let answered = results.into_iter().flat_map(|results| &results.parts).map(|block| match &block.kind {
            PartKind::Result(result) => Some(&result.id),
            _ => None,
        });
        if !answered.eq(calls) {
            return false;
        }
    }
    true
}

/// Copies the name and kind of each call to its result. The messages are paired.
fn name_results(messages: &mut [Message]) {
    for n in 1..messages.len() {
        let (before, rest) = messages.split_at_mut(n);
        let (Some(asked), Some(answered)) = (before.last(), rest.first_mut()) else { continue };
        if answered.role != Role::Tool {
            continue;
        }
        for (block, call) in answered.parts.iter_mut().zip(asked.calls()) {
            if let PartKind::Result(result) = &mut block.kind {
                result.copy_from_call(call);
            }
        }
        answered.at = answered.parts.first().map_or(answered.at, |first| first.at);
    }
}

fn rebuild_messages(
    conversation: &mut Thread,
    starts: &[usize],
    results: &mut [UnplacedResult],
    answers: &HashMap<usize, usize>,
    losses: &mut Losses,
) {
    let old = std::mem::take(&mut conversation.messages);
    // For each message, the next one that is not a tool's.
    let mut next = old.len();
    let mut next_other: Vec<usize> = Vec::with_capacity(old.len());
    for (n, message) in old.iter().enumerate().rev() {
        next_other.push(next);
        if message.role != Role::Tool {
            next = n;
        }
    }
    let next_others = next_other.into_iter().rev();
    for (((n, message), start), next_other) in old.into_iter().enumerate().zip(starts).zip(next_others) {
        if message.role == Role::Tool {
            continue;
        }
        let mut answered = Message::new(Role::Tool, message.at);
        for (at, own) in message.parts.iter().enumerate() {
            let PartKind::Call(call) = &own.kind else { continue };
            let found = answers.get(&(start + at)).and_then(|ix| {
                let found = results.get_mut(*ix)?;
                found.result.take().map(|result| (found.spot, result))
            });
            answered.parts.push(match found {
                Some((spot, (mut result, taken))) => {
                    if spot.message < n || spot.message > next_other {
                        losses.add(LossKind::RESULT_MOVED, taken.at);
                    }
                    result.copy_from_call(call);
                    Part { kind: PartKind::Result(result), ..taken }
                }
                None => {
                    losses.add(LossKind::STUB_RESULT, own.at);
                    stub(call, own.at)
                }
            });
        }
        conversation.messages.push(message);
        if let Some(first) = answered.parts.first() {
            answered.at = first.at;
            conversation.messages.push(answered);
        }
    }
}

impl ToolResult {
    /// Takes over the kind of its call, and its name if it has none.
    fn copy_from_call(&mut self, call: &ToolCall) {
        if self.name.as_ref().is_none_or(Text::is_empty) {
            self.name = Some(call.name.clone());
        }
        self.kind = call.kind;
    }
}

fn stub(call: &ToolCall, at: SourceLocation) -> Part {
    let result = ToolResult {
        id: call.id.clone(),
        name: Some(call.name.clone()),
        parts: vec![ResultPart::Text(Text::new(STUB))],
        is_error: false,
        kind: call.kind,
    };
    Part::new(PartKind::Result(result), at)
}

#[cfg(test)]
mod tests {
    use super::super::test_parts::{call, message, result};
    use super::*;

    /// Renders messages as words: `A a b` calls, `T a=1` results, `U`.
    fn render(conversation: &Thread) -> String {
        let part = |block: &Part| match &block.kind {
            PartKind::Call(call) => format!(" {}", String::from_utf8_lossy(&call.id.raw())),
            PartKind::Result(result) => {
                let says = match result.parts.first() {
                    Some(ResultPart::Text(text)) if text.plain().as_ref() == STUB.as_bytes() => "?".to_owned(),
                    Some(ResultPart::Text(text)) => String::from_utf8_lossy(&text.raw()).into_owned(),
                    _ => String::new(),
                };
                format!(" {}={says}", String::from_utf8_lossy(&result.id.raw()))
            }
            _ => String::new(),
        };
        let words = conversation.messages.iter().map(|message| {
            let role = match message.role {
                Role::Assistant => "A",
                Role::Tool => "T",
                _ => "U",
            };
            format!("{role}{}", message.parts.iter().map(part).collect::<String>())
        });
        words.collect::<Vec<_>>().join(", ")
    }

    fn paired(messages: Vec<Message>) -> (String, Vec<LossKind>) {
        let mut conversation = Thread { messages, ..Thread::default() };
        let mut losses = Losses::default();
        pair_results(&mut conversation, &mut losses);
        (render(&conversation), losses.list.iter().map(|lost| lost.kind).collect())
    }

    #[test]
    fn results_follow_their_batch_in_its_order() {
        use Role::{Assistant, Tool, User};
        let (rendered, losses) = paired(vec![
            message(Assistant, vec![call("a"), call("b")]),
            message(Tool, vec![result("b", "2")]),
            message(User, vec![]),
            message(Tool, vec![result("a", "1"), result("z", "9")]),
        ]);
        assert_eq!(rendered, "A a b, T a=1 b=2, U");
        assert_eq!(losses, [LossKind::RESULT_MOVED, LossKind::ORPHAN_RESULT]);
    }

    #[test]
    fn a_reused_id_is_answered_each_time_and_an_open_call_gets_a_stub() {
        use Role::{Assistant, Tool};
        let (rendered, losses) = paired(vec![
            message(Assistant, vec![call("a")]),
            message(Tool, vec![result("a", "1")]),
            message(Assistant, vec![call("a")]),
            message(Tool, vec![result("a", "2")]),
            message(Assistant, vec![call("a")]),
        ]);
        assert_eq!(rendered, "A a, T a=1, A a, T a=2, A a, T a=?");
        assert_eq!(losses, [LossKind::STUB_RESULT]);
    }

    #[test]
    fn calls_of_one_message_with_one_id_are_answered_in_their_order() {
        use Role::{Assistant, Tool};
        let (rendered, losses) = paired(vec![
            message(Assistant, vec![call("a"), call("a"), call("a")]),
            message(Tool, vec![result("a", "1"), result("a", "2")]),
        ]);
        assert_eq!(rendered, "A a a a, T a=1 a=2 a=?");
        assert_eq!(losses, [LossKind::STUB_RESULT]);
    }

    #[test]
    fn one_result_before_its_only_call_is_its_answer() {
        use Role::{Assistant, Tool, User};
        let early = || message(Tool, vec![result("a", "1")]);
        assert_eq!(paired(vec![early(), message(Assistant, vec![call("a")])]).0, "A a, T a=1");
        let twice = vec![early(), message(Tool, vec![result("a", "2")]), message(User, vec![])];
        assert_eq!(paired(twice).1, [LossKind::ORPHAN_RESULT, LossKind::ORPHAN_RESULT]);
    }
}
