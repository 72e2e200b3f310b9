//! Paginated rollouts: every line has an `ordinal`, other rollouts and Codex's index refer to byte offsets of the file, and a
//! fork begins with a `history_base` instead of a copy of the preceding lines.

use crate::format::{CopiedLine, NumberedLines, Record};
use crate::formats::agents::codex::write::RESUME;
use crate::history::ordinals::{LogOrigin, OrdinalHeader};
use crate::json::edit::{RecordBase, remove_members};
use crate::json::string::quoted;
use crate::json::value_edit::put_member;
use crate::json::{Val, name};
use crate::place::{Edit, Place};
use crate::source::lineage::{self, Ancestor, Lineage};

/// Edits of lines in rollouts.
pub struct RolloutLines;

pub static ROLLOUT: RolloutLines = RolloutLines;

/// Members of a line without content: the event that mirrors reasoning, without a text.
const EMPTY_EVENT: [(&str, &[u8]); 2] =
    [("type", b"\"event_msg\""), ("payload", b"{\"type\":\"agent_reasoning\",\"text\":\"\"}")];

const HEADER: &str = "session_meta";

/// The header of a log, by its `session_meta` line. `first` says that this is the first line of the log.
pub fn header(line: Val<'_>, meta: Val<'_>, record: &Record<'_>, first: bool) -> OrdinalHeader {
    let is_numbered = meta.get(name::history_mode).is_some_and(|mode| mode.is("paginated"));
    let base = meta.get(name::history_base).filter(Val::is_object);
    let origin = base.and_then(|base| {
        let end = base.get(name::end_ordinal_exclusive)?.as_u64()?;
        Some(LogOrigin { name: record.base.of(base.get(name::thread_id)?), end })
    });
    // A later page of a thread whose earlier pages are missing.
    let continues = || {
        let end = ROLLOUT.number(line).filter(|number| first && is_numbered && *number > 0)?;
        Some(LogOrigin { name: record.base.of(meta.get(name::id)?), end })
    };
    OrdinalHeader { at: record.base.of(line), is_numbered, origin: origin.or_else(continues) }
}

fn meta(line: Val<'_>) -> Option<Val<'_>> {
    line.get(name::r#type).filter(|kind| kind.is(HEADER)).and_then(|_| line.get(name::payload))
}

fn text(val: Option<Val<'_>>) -> Option<String> {
    Some(String::from_utf8_lossy(&val?.text()?).into_owned())
}

impl NumberedLines for RolloutLines {
    fn lineage(&self, first: Val<'_>) -> Option<Lineage> {
        let meta = meta(first)?;
        let base = meta.get(name::history_base).and_then(|base| {
            Some(Ancestor {
                id: text(base.get(name::thread_id))?,
                bytes: base.get(name::end_byte_offset)?.as_u64()?,
                end: base.get(name::end_ordinal_exclusive)?.as_u64()?,
            })
        });
        let numbered = meta.get(name::history_mode).is_some_and(|mode| mode.is("paginated"));
        Some(Lineage { id: text(meta.get(name::id))?, numbered, first: self.number(first), base })
    }

    fn number(&self, line: Val<'_>) -> Option<u64> {
        line.get(name::ordinal)?.as_u64()
    }

    fn neutralise(&self, line: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> bool {
        let members = EMPTY_EVENT.map(|(key, json)| line.get(key).map(|val| Edit::replace(base.of(val), json)));
        let known = members.iter().all(Option::is_some);
        out.extend(members.into_iter().flatten().filter(|_| known));
        known
    }

    fn set_provider(&self, line: Val<'_>, name: &str, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Option<Place> {
        let meta = meta(line)?;
        if !meta.get(name::model_provider).is_some_and(|old| old.is(name)) {
            put_member(meta, "model_provider", &quoted(name), base, out).ok()?;
        }
        Some(base.of(line))
    }

    fn copy_line(&self, line: Val<'_>, id: &str, base: RecordBase<'_>, out: &mut Vec<Edit>) -> CopiedLine {
        // Lines are objects, so the edit cannot fail.
        if line.get(name::ordinal).is_some() {
            let _ = remove_members(line, &["ordinal"], base, out);
        }
        let Some(meta) = meta(line) else { return CopiedLine::Line };
        for key in ["id", "session_id"] {
            out.extend(meta.get(key).map(|old| Edit::replace(base.of(old), quoted(id))));
        }
        out.extend(meta.get(name::history_mode).map(|old| Edit::replace(base.of(old), quoted("legacy"))));
        let base_keys = ["history_base", "subagent_history_start_ordinal"];
        let present: Vec<&str> = base_keys.into_iter().filter(|key| meta.get(key).is_some()).collect();
        if !present.is_empty() {
            let _ = remove_members(meta, &present, base, out);
        }
        CopiedLine::Header
    }

    fn file_name(&self, old: &str, first: Val<'_>, id: &str) -> String {
        let from_name = old.strip_prefix("rollout-").and_then(lineage::parse_time).map(str::to_owned);
        let from_header = || {
            let stamp = text(first.get(name::timestamp))?.replace(':', "-");
            lineage::parse_time(&stamp).map(str::to_owned)
        };
        let time = from_name.or_else(from_header);
        format!("rollout-{}-{id}.jsonl", time.as_deref().unwrap_or("1970-01-01T00-00-00"))
    }

    fn folder(&self, file_name: &str) -> String {
        let date = file_name.strip_prefix("rollout-").and_then(|name| name.get(..10)).unwrap_or_default();
        date.replace('-', "/")
    }

    fn resume_command(&self, id: &str) -> String {
        RESUME.line(id, "", None)
    }
}
