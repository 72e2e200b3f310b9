//! How lists of messages are repaired where they lie: a result is a `ToolMessage`.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, Results};
use crate::json::{Val, string};

use super::message::{Form, Message};

/// The editor of a store with these messages.
pub(super) const fn editor(messages: fn(Val<'_>) -> Option<Val<'_>>) -> Editor {
    Editor { messages, ..Editor::of(Results::Messages(result)) }
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let form = Message::of(open.message)?.form;
    let name = open.raw(&[&["name"], &["function", "name"]]);
    Some(missing(form, open.raw(&[&["call_id"], &["id"]]), name))
}

/// A `ToolMessage` that claims nothing, in the form of its neighbours.
pub(super) fn missing(form: Form, id: &[u8], name: &[u8]) -> Vec<u8> {
    let said = string::quoted(STUB);
    let fields = |more: &[u8]| {
        let said = [br#"{"content":"#, &said[..], more, br#","type":"tool","name":"#, name];
        let names = [br#","tool_call_id":"#, id, br#","status":"error"}"#];
        [said.concat(), names.concat()].concat()
    };
    let plain = || fields(br#","additional_kwargs":{},"response_metadata":{}"#);
    match form {
        Form::Flat => plain(),
        Form::Dict => [br#"{"type":"tool","data":"#, &plain()[..], b"}"].concat(),
        Form::Dump => {
            let class: &[u8] =
                br#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"#;
            [class, br#""kwargs":"#, &fields(b""), b"}"].concat()
        }
    }
}
