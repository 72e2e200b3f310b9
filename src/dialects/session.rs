//! Content blocks of Anthropic messages, as Claude Code and similar agents store them. Calls and results become rows that
//! pair like any others; a thinking block is signed for another provider and has no equivalent on a Responses server, so
//! its row is of an unknown kind.

use super::anthropic::ANTHROPIC;
use crate::dialect::{Dialect, DialectInfo, EditRefusal, Item, ItemOrigin, TextChange};
use crate::history::kind::is_long_id;
use crate::history::{Flags, Kind, Row};
use crate::json::edit::RecordBase;
use crate::json::{Str, Val, fingerprint, name};
use crate::place::Edit;

pub struct SessionDialect;

pub static SESSION: SessionDialect = SessionDialect;

static INFO: DialectInfo = DialectInfo { name: "session", ..DialectInfo::BASE };

impl Dialect for SessionDialect {
    fn info(&self) -> &'static DialectInfo {
        &INFO
    }

    fn rows<'t>(&self, val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>)) {
        let mut row = Row::of_place(origin.base.of(val), origin.record);
        (row.turn, row.part, row.flags) = (origin.turn, origin.part, origin.flags);
        let name = val.get(name::r#type).and_then(|name| name.text()).unwrap_or_default();
        let (kind, key) = match name.as_ref() {
            b"text" | b"image" | b"document" => (Kind::Message, None),
            b"tool_use" => (Kind::FunctionCall, val.get(name::id)),
            b"tool_result" => (Kind::FunctionCallOutput, val.get(name::tool_use_id)),
            _ => (Kind::Unknown, None),
        };
        let key = key.and_then(|key| key.as_str()).filter(|key| !key.is_empty());
        (row.kind, row.item_kind) = (kind, kind);
        if let Some(key) = key {
            row.key = fingerprint(key);
            if is_long_id(key) {
                row.flags.set(Flags::LONG_KEY);
            }
        }
        out(Item { row, val, id: None, key });
    }

    fn key<'t>(&self, kind: Kind, block: Val<'t>) -> Option<Str<'t>> {
        block.get(if kind.is_output() { name::tool_use_id } else { name::id }).and_then(|id| id.as_str())
    }

    fn edit(
        &self,
        change: &TextChange,
        block: Val<'_>,
        base: RecordBase<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), EditRefusal> {
        ANTHROPIC.edit(change, block, base, out)
    }

    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, EditRefusal> {
        ANTHROPIC.stub(call)
    }
}
