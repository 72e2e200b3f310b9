//! In-place repair of lists of messages: a result is a `ToolMessage`.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, ResultStorage};
use crate::json::{Val, string};

use super::message::{LangchainForm, LangchainMessage};

/// The editor of a store with these messages.
pub(super) const fn editor(messages: fn(Val<'_>) -> Option<Val<'_>>) -> Editor {
    Editor { messages, ..Editor::of(ResultStorage::Messages(result)) }
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let form = LangchainMessage::of(open.message)?.form;
    let name = open.raw_member(&[&["name"], &["function", "name"]]);
    Some(stub_message(form, open.raw_member(&[&["call_id"], &["id"]]), name))
}

/// A neutral `ToolMessage`, in the form of its neighbours.
pub(super) fn stub_message(form: LangchainForm, id: &[u8], name: &[u8]) -> Vec<u8> {
    let text = string::quoted(STUB);
    let fields = |more: &[u8]| {
        let start = [br#"{"content":"#, &text[..], more, br#","type":"tool","name":"#, name];
        let names = [br#","tool_call_id":"#, id, br#","status":"error"}"#];
        [start.concat(), names.concat()].concat()
    };
    let plain = || fields(br#","additional_kwargs":{},"response_metadata":{}"#);
    match form {
        LangchainForm::Fields => plain(),
        LangchainForm::Dict => [br#"{"type":"tool","data":"#, &plain()[..], b"}"].concat(),
        LangchainForm::Dump => {
            let class: &[u8] =
                br#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"#;
            [class, br#""kwargs":"#, &fields(b""), b"}"].concat()
        }
    }
}
