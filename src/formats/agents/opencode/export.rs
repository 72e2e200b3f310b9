//! Sessions of opencode as `opencode export` writes them: `{info, messages: [{info, parts}]}`. They are translated as
//! opencode sends them: to the provider that was used last, from the newest compaction on, without reverted messages.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::json::{Val, name};

use super::message::OpencodeMessage;
use super::session::StoredSession;
use super::{edit, required};
use crate::formats::member::text;
use crate::formats::threads::{Dialects, STORE};

pub struct OpencodeExport;

pub static FORMAT: OpencodeExport = OpencodeExport;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "opencode-export",
    title: "session that `opencode export` wrote",
    upstream: Some(Upstream {
        repository: "anomalyco/opencode",
        file: Some("packages/opencode/src/session/message-v2.ts"),
        version: Some("1.18.33"),
    }),
    known_by: "`info`, and `messages` that each have `info` and `parts`",
    unsent: super::UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EXPORT),
    ..STORE
});

/// Number of messages that detection reads.
const SAMPLE: usize = 20;

impl Format for OpencodeExport {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.anthropic
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let (Some(info), Some(messages)) = (probe.get(name::info), probe.get(name::messages)) else {
            return 0;
        };
        let is_message = |message: Val<'_>| {
            let role = message.at(&["info", "role"]);
            role.is_some_and(|role| role.is_string())
                && message.get(name::parts).is_some_and(|parts| parts.is_array())
        };
        let is_session = info.get(name::id).is_some()
            && ["directory", "projectID", "title"].iter().any(|key| info.get(key).is_some());
        match messages.count() {
            0 if messages.is_array() && is_session => 90,
            0 => 0,
            _ if messages.elements().take(SAMPLE).all(is_message) => 100,
            _ => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(|record, out| out.push(read_session(record))))
    }
}

/// Reads a record, which is one session.
fn read_session(record: &ParsedRecord<'_>) -> TranslatedThread {
    let info = record.val.get(name::info);
    let list = record.val.get(name::messages).into_iter().flat_map(|list| list.elements());
    let revert = info.and_then(|info| info.get("revert"));
    let named = |key: &str| revert.and_then(|revert| text(revert, key));
    let session = StoredSession {
        id: info.and_then(|info| text(info, "id")),
        version: info.and_then(|info| text(info, "version")),
        reverted: named("messageID").map(|message| (message, named("partID"))),
        messages: list.filter_map(|message| OpencodeMessage::of(message, record.base, record.number)).collect(),
    };
    let mut translated = session.translate(&DIALECTS, None);
    translated.findings.extend(required::findings(record));
    translated
}
