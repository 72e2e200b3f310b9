//! Corrected messages: a call without a result gets a placeholder, and results that the CLI recorded a second time, as a
//! message of the user's, go.

use crate::dialects::responses::STUB;
use crate::format::correcting::{Correction, Corrector, Problems, Written};
use crate::format::translate::Stored;
use crate::json::{Val, name, string};
use crate::place::Place;

use super::message::{has_result, tool_calls};
use super::state::State;

/// What is done about a call without a result.
pub const ANSWER: &str = "write the message again with a placeholder result";

/// What is done about results that are there twice.
pub const WITHOUT_RESULTS: &str = "write the message again without the results, which its calls already have";

/// The messages of a session, and what it says last of its time.
#[derive(Default)]
pub struct Corrections {
    messages: State<Message>,
    updated: Option<Vec<u8>>,
}

/// A message as it is stored.
struct Message {
    at: Place,
    record: u32,
    text: Vec<u8>,
    /// Its calls without a result.
    open: Vec<Open>,
    /// Results in a message of the user's that holds nothing else, and its content in the text.
    results: Vec<Place>,
    content: Option<(usize, usize)>,
}

/// A call without a result.
struct Open {
    at: Place,
    /// What is replaced in the text of the message.
    from: usize,
    to: usize,
    with: Vec<u8>,
}

impl Corrector for Corrections {
    fn take(&mut self, record: &Stored<'_>) {
        let updated = record.val.get("lastUpdated").or_else(|| record.val.at(&["$set", "lastUpdated"]));
        if let Some(updated) = updated.filter(Val::is_string) {
            self.updated = Some(updated.raw().to_vec());
        }
        self.messages.take(record.val, |val| Message::of(val, record));
    }

    fn finish(self: Box<Self>, problems: &Problems) -> (Vec<Correction>, Option<Vec<u8>>) {
        let corrections: Vec<Correction> =
            self.messages.finish().filter_map(|message| message.corrected(problems)).collect();
        let end = self.updated.filter(|_| !corrections.is_empty());
        (corrections, end.map(|at| [br#"{"$set":{"lastUpdated":"#, &*at, b"}}"].concat()))
    }
}

impl Message {
    fn of(val: Val<'_>, record: &Stored<'_>) -> Message {
        let offset = |at: u32| (at - val.start()) as usize;
        let is = |name: &str| val.get(name::r#type).is_some_and(|kind| kind.is(name));
        let content = val.get(name::content).filter(Val::is_array).filter(|_| is("user"));
        let is_result = |part: Val<'_>| part.get(name::functionResponse).is_some_and(|own| own.is_object());
        let results = content.filter(|list| list.count() > 0 && list.elements().all(is_result));
        let open = tool_calls(val).filter(|call| is("gemini") && !has_result(*call)).filter_map(|call| {
            let text = answer(call)?;
            let (from, to, with) = match call.get(name::result) {
                Some(result) => (offset(result.start()), offset(result.end()), text),
                None => {
                    let inside = offset(call.start()) + 1;
                    (inside, inside, [br#""result":"#, &*text, b","].concat())
                }
            };
            Some(Open { at: record.base.of(call), from, to, with })
        });
        Message {
            at: record.base.of(val),
            record: record.number,
            text: val.raw().to_vec(),
            open: open.collect(),
            results: results.iter().flat_map(|list| list.elements()).map(|part| record.base.of(part)).collect(),
            content: results.map(|list| (offset(list.start()), offset(list.end()))),
        }
    }

    fn corrected(mut self, problems: &Problems) -> Option<Correction> {
        let (mut solved, mut text) = (Vec::new(), self.text);
        let answers = self.content.is_none();
        let what = match self.content {
            Some((from, to)) => {
                let each: Vec<Vec<usize>> = self.results.iter().map(|at| problems.around(*at)).collect();
                if each.iter().any(Vec::is_empty) {
                    return None;
                }
                solved.extend(each.into_iter().flatten());
                text.splice(from..to, *br#""""#);
                WITHOUT_RESULTS
            }
            None => {
                // Later ones first: what comes before them stays where it is.
                self.open.reverse();
                for open in self.open {
                    let own = problems.around(open.at);
                    if !own.is_empty() {
                        solved.extend(own);
                        text.splice(open.from..open.to, open.with);
                    }
                }
                ANSWER
            }
        };
        if solved.is_empty() {
            return None;
        }
        solved.sort_unstable();
        solved.dedup();
        let written = Written::Again(text);
        let (at, record) = (self.at, self.record);
        Some(Correction { at, record, written, near: None, problems: solved, what, answers })
    }
}

/// A result that claims nothing.
fn answer(call: Val<'_>) -> Option<Vec<u8>> {
    let name = call.get(name::name).filter(Val::is_string)?;
    let id = call.get(name::id).filter(Val::is_string);
    let id = id.map(|id| [br#""id":"#, id.raw(), b","].concat()).unwrap_or_default();
    let said = string::quoted(STUB);
    let response = [br#"{"error":"#.as_slice(), &said, b"}"].concat();
    Some(
        [
            br#"[{"functionResponse":{"#.as_slice(),
            &id,
            br#""name":"#,
            name.raw(),
            br#","response":"#,
            &response,
            b"}}]",
        ]
        .concat(),
    )
}
