//! Threads of Zed: exported documents, and those in `threads.db`, compressed or not. Newer ones have messages `User` and
//! `Agent`, older ones have roles with segments. Results are stored in the answer with their calls.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role};
use crate::json::{Val, name};
use crate::message::{Media, Part, ResultPart, Text};

use crate::formats::member::text_at;
use crate::formats::provider;
use crate::formats::threads::{DialectChoice, Dialects, STORE};
use crate::formats::threads::{SAMPLE, ThreadBuilder, parts};

mod edit;
pub mod resume;

pub struct ZedThread;

pub static FORMAT: ZedThread = ZedThread;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "zed-thread",
    title: "Zed thread (`threads.db`, export)",
    upstream: Some(Upstream {
        repository: "zed-industries/zed",
        file: Some("crates/agent/src/db.rs"),
        version: None,
    }),
    known_by: "`messages` that are `User`, `Agent` or `Resume`, or have `segments`; table `threads` with `data_type` and `data`",
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[UnsentPaths {
    paths: &[
        "title",
        "summary",
        "version",
        "messages=Resume",
        "**/is_input_complete",
        "**/raw_input",
        "**/Mention/uri/**",
        "**/tool_results/*/tool_name",
        "**/tool_results/*/tool_use_id",
        "**/tool_results/*/is_error",
    ],
    why: "the name of the thread, and copies of what calls and results contain",
}];

impl Format for ZedThread {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.anthropic
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let Some(messages) = probe.get(name::messages).filter(|list| list.is_array() && list.count() > 0) else {
            return 0;
        };
        let is_message = |message: Val<'_>| {
            let is_named = ["User", "Agent"].iter().any(|key| message.get(key).is_some_and(|own| own.is_object()));
            let is_older =
                message.get(name::role).is_some() && message.get("segments").is_some_and(|own| own.is_array());
            message.is("Resume") || is_named && message.count() == 1 || is_older
        };
        if messages.elements().take(SAMPLE).all(is_message) { 95 } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get(name::messages).is_some_and(|list| list.is_array())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read))
    }
}

fn read(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let val = record.val;
    let mut thread = ThreadBuilder::default();
    for message in val.get(name::messages).into_iter().flat_map(|list| list.elements()) {
        thread.begin();
        match (message.get("User"), message.get("Agent")) {
            (Some(user), _) => add_contents(user, Role::User, record, &mut thread),
            (_, Some(agent)) => {
                add_contents(agent, Role::Assistant, record, &mut thread);
                add_results(agent, record, &mut thread);
            }
            _ => add_older_message(message, record, &mut thread),
        }
    }
    let model = text_at(val, &["model", "model"]);
    let (dialect, target) = dialect(&text_at(val, &["model", "provider"]).unwrap_or_default(), model.as_deref());
    let settings =
        HistorySettings { model, target: Some(target), store: Some(false), ..HistorySettings::default() };
    out.push(thread.finish(DIALECTS.row(dialect), settings));
}

/// The dialect and the target of a provider. Zed's own service has several providers: the model decides.
fn dialect(provider: &str, model: Option<&str>) -> (DialectChoice, &'static str) {
    let is_claude = model.is_none_or(|model| model.starts_with("claude"));
    match provider {
        "" | "zed.dev" if is_claude => provider::dialect_of("anthropic"),
        other => provider::dialect_of(other),
    }
}

/// Adds the contents of a message: objects with one member, whose name is the kind of content.
fn add_contents(message: Val<'_>, role: Role, record: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    for content in message.get(name::content).into_iter().flat_map(|list| list.elements()) {
        let Some(member) = content.members().next() else { continue };
        let own = member.val;
        match member.key.decode().as_ref() {
            b"Text" => thread.text(role, Some(own), record),
            b"Mention" => thread.text(role, own.get(name::content), record),
            b"Thinking" => add_thought(own, record, thread),
            b"RedactedThinking" => {
                let data = Text::copied(own, record.base);
                thread.push(role, parts::redacted(data, record.base.of(own)), record);
            }
            b"ToolUse" => thread.call(role, own, record),
            b"Image" => match image(own, record) {
                Some(image) => thread.push(role, Part::new(image.into(), record.base.of(own).into()), record),
                None => {
                    thread.report_loss("an image".to_owned(), content, record, "its content is not stored here")
                }
            },
            other => {
                let name = format!("a content `{}`", String::from_utf8_lossy(other));
                thread.report_loss(name, content, record, "this kind of content is not supported");
            }
        }
    }
}

fn add_thought(own: Val<'_>, record: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    let at = record.base.of(own);
    let copied = |key: &str| own.get(key).and_then(|own| Text::copied(own, record.base));
    if let Some(text) = copied("text") {
        thread.push(Role::Assistant, parts::thinking(Some(text), copied("signature"), at), record);
    }
}

/// An image. Zed stores each as base64 of a PNG.
fn image(own: Val<'_>, record: &ParsedRecord<'_>) -> Option<Media> {
    let data = Text::copied(own.get(name::source)?, record.base)?;
    Some(parts::media_of_data(Text::synthetic("image/png", record.base.of(own)), data, None))
}

/// The output of a tool: a text or an image, or in newer versions a list of these.
fn output(content: Val<'_>, record: &ParsedRecord<'_>, thread: &ThreadBuilder) -> Vec<ResultPart> {
    let at = record.base.of(content);
    let part = |own: Val<'_>| {
        if let Some(text) = own.get("Text") {
            return thread.output(text, record);
        }
        match own.get("Image").and_then(|own| image(own, record)) {
            Some(image) => vec![ResultPart::media(image, record.base.of(own).into())],
            None => thread.output(own, record),
        }
    };
    match content.is_array() {
        true => parts::join_texts(content.elements().flat_map(part).collect(), at),
        false => part(content),
    }
}

/// Adds the results of an answer, which are stored by the ids of their calls.
fn add_results(agent: Val<'_>, record: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    for member in agent.get(name::tool_results).into_iter().flat_map(|results| results.members()) {
        let own = member.val;
        let id = String::from_utf8_lossy(&member.key.decode()).into_owned();
        let id = Some(id).filter(|id| !id.is_empty()).map(|id| Text::synthetic(&id, record.base.of(own)));
        let content = own.get(name::content).or_else(|| own.get(name::output)).unwrap_or(own);
        let output = output(content, record, thread);
        let failed = own.get(name::is_error).and_then(|own| own.as_bool()) == Some(true);
        thread.push_result_of(id, output, failed, own, record);
    }
}

/// Adds a message with segments, as versions before 0.3.0 have them.
fn add_older_message(message: Val<'_>, record: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    let is_user = message.get(name::role).is_some_and(|role| role.is("user"));
    let role = if is_user { Role::User } else { Role::Assistant };
    let list = |key: &str| message.get(key).into_iter().flat_map(|list| list.elements());
    for segment in list("segments") {
        match segment.get(name::r#type) {
            Some(kind) if kind.is("thinking") => add_thought(segment, record, thread),
            _ => thread.text(role, segment.get(name::text), record),
        }
    }
    list("tool_uses").for_each(|call| thread.call(Role::Assistant, call, record));
    list("tool_results").for_each(|result| thread.result(result, result.get(name::content), record));
}
