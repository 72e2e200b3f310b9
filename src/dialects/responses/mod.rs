//! Items of the OpenAI Responses API, in `input` and `output`.

mod fields;
pub mod images;
mod read;
mod write;

use crate::dialect::{Body, Dialect, DialectInfo, EditRefusal, Item, ItemOrigin, ItemWriter, TextChange};
use crate::history::{Family, ItemFlags, Kind, Role, Row};
use crate::json::edit::{RecordBase, add_member, remove_members};
use crate::json::{Str, Val, fingerprint, name, string};
use crate::message::write::JsonWriter;
use crate::message::{Losses, Message, Thread};
use crate::place::Edit;

pub use fields::NAME;
pub use write::CAPABILITIES;

use super::common::result_as_parts;
use fields::{APPROVAL_SALT, ResponsesFields};

pub struct Responses {
    /// A local shell call is answered by the output of a function call.
    shell_as_function: bool,
}

pub static RESPONSES: Responses = Responses { shell_as_function: false };

/// Items as Codex stores them: outputs of its local shell are those of a function.
pub static CODEX: Responses = Responses { shell_as_function: true };

/// The text of a stub output. It claims neither success nor failure: nobody knows whether the call ran.
pub const STUB: &str = "no result was recorded; execution status unknown";

static INFO: DialectInfo = DialectInfo { name: NAME, capabilities: &write::CAPABILITIES, ..DialectInfo::BASE };

impl Dialect for Responses {
    fn info(&self) -> &'static DialectInfo {
        &INFO
    }

    fn rows<'t>(&self, val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>)) {
        let mut row = Row::of_place(origin.base.of(val), origin.record);
        (row.turn, row.part, row.flags) = (origin.turn, origin.part, origin.flags);
        if !val.is_object() {
            // Not an item: its row has only a place.
            out(Item { row, val, id: None, key: None });
            return;
        }
        let fields = ResponsesFields::of(val);
        let kind = fields.kind();
        let key = fields.key(kind);
        row.kind = kind;
        row.item_kind = kind;
        row.role = fields.role.map_or(Role::None, |role| Role::of(&role.decode()));
        fields.set_flags(&mut row, key);
        // The id of a local shell's output is that of its call.
        let own_id = fields.id.filter(|id| !id.is_empty() && kind != Kind::LocalShellCallOutput);
        if let Some(id) = own_id {
            row.set_id(id);
            if kind == Kind::ItemReference {
                row.item_kind = Kind::of_id(&id.decode());
            }
        }
        if fields.id.is_some_and(|id| id.is_empty()) {
            row.set(ItemFlags::EMPTY_ID);
        }
        if let Some(key) = key {
            if kind.family() != Some(Family::Approval) {
                row.set_key(key);
            } else {
                row.key = (fingerprint(key) ^ APPROVAL_SALT).max(1);
            }
        }
        out(Item { row, val, id: fields.id, key });
    }

    fn edit(
        &self,
        change: &TextChange,
        item: Val<'_>,
        base: RecordBase<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), EditRefusal> {
        match change {
            TextChange::StripId => remove_members(item, &["id"], base, out)?,
            TextChange::ReplaceWithReference => {
                let id = item
                    .get(name::id)
                    .filter(Val::is_string)
                    .ok_or(EditRefusal("the item has no id to refer to"))?;
                let text = [br#"{"type":"item_reference","id":"#, id.raw(), b"}"].concat();
                out.push(Edit::replace(base.of(item), text));
            }
            TextChange::Retype(kind) => {
                let text = string::quoted(kind.name());
                match item.get(name::r#type) {
                    Some(old) => out.push(Edit::replace(base.of(old), text)),
                    None => add_member(item, [b"\"type\":", &*text].concat(), base, out)?,
                }
            }
            TextChange::Rename(key) => {
                let field = match ResponsesFields::of(item).kind() {
                    Kind::McpApprovalRequest => "id",
                    Kind::McpApprovalResponse => "approval_request_id",
                    _ => "call_id",
                };
                let old = item.get(field).ok_or(EditRefusal("the item has no such field"))?;
                out.push(Edit::replace(base.of(old), string::quoted(key)));
            }
            TextChange::AsText => {
                let said = result_as_parts(item.get(name::output), "input_text", "text").join(&b","[..]);
                let text = [br#"{"type":"message","role":"user","content":["#, &*said, b"]}"].concat();
                out.push(Edit::replace(base.of(item), text));
            }
            TextChange::OmitImages(omitted) => super::omitted_images::omit(item, omitted, base, out)?,
            TextChange::ShrinkImages(images) => super::shrunk_images::shrink(item, images, base, out)?,
            TextChange::ShortenResult => super::shortened_text::shorten(item, base, out)?,
            TextChange::AppendNote(note) => super::shortened_text::append_note(item, note, base, out)?,
            TextChange::EditMembers(spot, to) => spot.edit(item, to, base, out)?,
            TextChange::Acknowledge(checks) => match item.get(name::acknowledged_safety_checks) {
                Some(old) => out.push(Edit::replace(base.of(old), checks.clone())),
                None => {
                    add_member(item, [b"\"acknowledged_safety_checks\":", &**checks].concat(), base, out)?;
                }
            },
            TextChange::EditValue(mend) => mend.edit(item, base, out)?,
            TextChange::StripCalls => return Err(EditRefusal("items of this dialect have no such field")),
        }
        Ok(())
    }

    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, EditRefusal> {
        let fields = ResponsesFields::of(call);
        let own = fields.kind();
        let kind = match own {
            Kind::LocalShellCall if self.shell_as_function => Kind::FunctionCall,
            kind => kind,
        };
        let answer = kind.answer().ok_or(EditRefusal("the item is not a call"))?;
        let key = match (fields.key(own), kind) {
            (Some(key), _) => Some(key),
            (None, Kind::ToolSearchCall) => None,
            (None, _) => return Err(EditRefusal("the call has no call_id")),
        };
        let text = |s: Str<'_>| string::quoted(&String::from_utf8_lossy(&s.decode()));
        let mut out = format!("{{\"type\":\"{}\"", answer.name()).into_bytes();
        let mut member = |name: &str, value: &[u8]| {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            out.extend_from_slice(value);
        };
        if let (Some(key), false) = (key, kind == Kind::McpApprovalRequest) {
            member("call_id", &text(key));
        }
        match kind {
            Kind::FunctionCall | Kind::CustomToolCall => member("output", &string::quoted(STUB)),
            Kind::LocalShellCall => {
                // The schema requires the id, the server the call_id.
                if let Some(id) = fields.id.or(key) {
                    member("id", &text(id));
                }
                member("output", &string::quoted(STUB));
            }
            // An empty list claims nothing; an entry would have to state an outcome.
            Kind::ShellCall => member("output", b"[]"),
            Kind::ToolSearchCall => {
                member("status", b"\"completed\"");
                member("execution", b"\"client\"");
                member("tools", b"[]");
            }
            Kind::McpApprovalRequest => {
                if let Some(id) = key {
                    member("approval_request_id", &text(id));
                }
                member("approve", b"false");
            }
            Kind::ComputerCall => return Err(EditRefusal("its output has to contain a screenshot")),
            Kind::ApplyPatchCall => {
                return Err(EditRefusal("its output has to say whether the patch was applied"));
            }
            _ => return Err(EditRefusal("its output cannot be made up")),
        }
        out.push(b'}');
        Ok(out)
    }

    fn read(&self, body: Body<'_>, out: &mut Thread, losses: &mut Losses) {
        read::read(&body, out, losses);
    }

    fn write(&self, thread: &Thread, w: &mut JsonWriter<'_>) {
        write::write(thread, w);
    }

    fn write_items(&self, _: &Thread, message: &Message, each: &mut dyn FnMut(ItemWriter<'_>)) {
        write::write_items(message, each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Tape, scan};
    use crate::place::DocId;

    fn row(text: &str) -> Row {
        let mut tape = Tape::new();
        scan(text.as_bytes(), &mut tape).expect("JSON");
        let val = tape.root(text.as_bytes()).expect("a value");
        let base = RecordBase::new(DocId(0), 0);
        let origin = ItemOrigin { base, record: 0, turn: 0, part: 0, flags: crate::history::Flags::NONE };
        let mut found = None;
        RESPONSES.rows(val, origin, &mut |item| found = Some(item.row));
        found.expect("a row")
    }

    fn stub(text: &str) -> Result<String, EditRefusal> {
        let mut tape = Tape::new();
        scan(text.as_bytes(), &mut tape).expect("JSON");
        let val = tape.root(text.as_bytes()).expect("a value");
        RESPONSES.stub(val).map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
    }

    #[test]
    fn kinds_come_from_types_and_only_bare_items_are_guessed() {
        for (text, kind, of) in [
            (r#"{"type":"function_call","call_id":"c"}"#, Kind::FunctionCall, Kind::FunctionCall),
            (r#"{"role":"user","content":"x"}"#, Kind::Message, Kind::Message),
            (r#"{"type":null,"id":"rs_1"}"#, Kind::ItemReference, Kind::Reasoning),
            (r#"{"id":"ws_1"}"#, Kind::ItemReference, Kind::WebSearchCall),
            (r#"{"type":"item_reference","id":"x"}"#, Kind::ItemReference, Kind::Unknown),
            (r#"{"call_id":"c","output":"x"}"#, Kind::FunctionCallOutput, Kind::FunctionCallOutput),
            (r#"{"call_id":"c","name":"f"}"#, Kind::FunctionCall, Kind::FunctionCall),
            (r#"{"type":"brand_new","id":"rs_1"}"#, Kind::Unknown, Kind::Unknown),
            (r#"{"t\u0079pe":"reasoning"}"#, Kind::Reasoning, Kind::Reasoning),
            (r#"{"call_id":"c"}"#, Kind::Unknown, Kind::Unknown),
            ("12", Kind::Unknown, Kind::Unknown),
        ] {
            let row = row(text);
            assert_eq!((row.kind, row.item_kind), (kind, of), "{text}");
        }
    }

    #[test]
    fn keys_of_both_sides_agree() {
        let pairs = [
            (r#"{"type":"function_call","call_id":"c"}"#, r#"{"type":"function_call_output","call_id":"c"}"#),
            (
                r#"{"type":"local_shell_call","id":"i","call_id":"c"}"#,
                r#"{"type":"local_shell_call_output","id":"c"}"#,
            ),
            (
                r#"{"type":"mcp_approval_request","id":"m"}"#,
                r#"{"type":"mcp_approval_response","approval_request_id":"m"}"#,
            ),
        ];
        for (call, output) in pairs {
            assert_eq!(row(call).key, row(output).key, "{call}");
            assert_ne!(row(call).key, 0);
        }
        let function = row(r#"{"type":"function_call","call_id":"m"}"#);
        assert_ne!(row(pairs[2].0).key, function.key);
    }

    #[test]
    fn stubs_claim_nothing_or_are_not_made() {
        assert_eq!(
            stub(r#"{"type":"custom_tool_call","call_id":"c\"1"}"#).as_deref(),
            Ok(
                r#"{"type":"custom_tool_call_output","call_id":"c\"1","output":"no result was recorded; execution status unknown"}"#
            )
        );
        assert_eq!(
            stub(r#"{"type":"mcp_approval_request","id":"mcpr_1"}"#).as_deref(),
            Ok(r#"{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":false}"#)
        );
        assert!(stub(r#"{"type":"computer_call","call_id":"c"}"#).is_err());
    }
}
