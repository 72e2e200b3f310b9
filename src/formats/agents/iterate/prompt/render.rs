//! The messages of a request, from the context at its time.

use std::fmt::Write;

use serde_json::Value;

use crate::history::Role;

use super::contract::{Contract, Headers, protocol_prompt};
use super::fold::Fold;
use super::item::{Entry, Item, ItemBody};

/// The messages of a request, and what is not exactly as it was sent.
pub struct Prompt {
    /// The role and the text of each message.
    pub messages: Vec<(Role, String)>,
    pub notes: Vec<&'static str>,
}

/// The name of the text that stands first in a prompt, in the code of the agent.
const PROTOCOL_PROMPT: &str = "AGENT_CONTEXT_PROTOCOL_PROMPT";

const FILES: &str = "the addresses of attached files are signed anew for each request";
const IMAGES: &str = "an image is read when the request is sent; one that is gone then is named in a line instead";
const CAPABILITIES: &str = "version 5 of this agent adds its capability tree, which is not in the stream";
const EXTRAS: &str = "what the agent adds for a model, such as an effort or a tier, is not in the stream";

/// The messages of the request at an offset, or of one that would be sent now.
pub(super) fn prompt(fold: &Fold<'_>, at: Option<u64>, headers: Headers, protocol: Option<&str>) -> Prompt {
    let contract = fold.contract;
    let mut messages: Vec<(Role, String)> = Vec::new();
    let mut notes = vec![EXTRAS];
    if let Some(known) = protocol_prompt(contract, headers) {
        let abridged = || {
            format!(
                "{PROTOCOL_PROMPT} — {} characters, SHA-256 {}; not in the stream",
                known.characters, known.sha256
            )
        };
        messages.push((Role::System, protocol.map_or_else(abridged, str::to_owned)));
    }
    let has_files = |item: &Item| matches!(&item.body, ItemBody::Entry(entry) if !entry.files.is_empty());
    if fold.items.iter().chain(fold.system.iter()).any(has_files) {
        notes.push(if contract == Contract::Plain { IMAGES } else { FILES });
    }
    match contract {
        Contract::Flat => {}
        Contract::Plain => {
            notes.push(CAPABILITIES);
            let before = |item: &&Item| at.is_none_or(|at| item.offset < at);
            messages.extend(fold.items.iter().filter(before).filter_map(|item| plain_message(item, contract)));
        }
        Contract::Lanes | Contract::Dated => {
            let all = fold.system.iter().chain(fold.items.iter());
            messages.extend(all.filter_map(|item| message(item, contract, Headers::Every)));
        }
        Contract::Sections | Contract::Actors => sections(fold, headers, &mut messages),
    }
    Prompt { messages, notes }
}

/// The time of a request as the last message of contracts without stamps.
pub(super) fn date(created_at: &str) -> (Role, String) {
    (Role::Developer, format!("Current date and time (UTC): {created_at}"))
}

/// The standing document of the sections at the beginning, and then each item.
fn sections(fold: &Fold<'_>, headers: Headers, messages: &mut Vec<(Role, String)>) {
    let stands = |item: &&Item| matches!(&item.body, ItemBody::Entry(entry) if entry.is_section && entry.supersedes.is_none());
    let standing: Vec<String> = fold.items.iter().take_while(stands).filter_map(section).collect();
    messages.push((Role::System, standing.join("\n\n")));
    for item in fold.items.iter().skip(standing.len()) {
        messages.extend(match &item.body {
            ItemBody::Stamp(time) => Some((Role::Developer, format!("Requested at: {time}"))),
            ItemBody::Entry(entry) if entry.is_section => {
                section(item).map(|text| (entry.sent_role(fold.contract), text))
            }
            ItemBody::Entry(_) => message(item, fold.contract, headers),
        });
    }
}

/// A section with its key, and the offset of the one that it supersedes.
fn section(item: &Item) -> Option<String> {
    let ItemBody::Entry(entry) = &item.body else { return None };
    let key = quoted(entry.key.as_deref()?);
    let supersedes = entry.supersedes.map(|offset| format!(" supersedes=\"@{offset}\"")).unwrap_or_default();
    Some(format!("<section key={key}{supersedes}>\n{}\n</section>", entry.content))
}

fn message(item: &Item, contract: Contract, headers: Headers) -> Option<(Role, String)> {
    let ItemBody::Entry(entry) = &item.body else { return None };
    let mut text = String::new();
    if headers == Headers::Every || is_introduced(entry, contract) {
        write_header(item.offset, entry, contract, &mut text);
    }
    if entry.actor_type() == "agent" {
        let path = entry.actor.get("path").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(
            text,
            "To reply to {path} (which cannot see this conversation): await itx.agents.get({}).message(text)",
            quoted(path)
        );
    }
    text.push_str(&entry.content);
    text.extend(entry.files.iter().map(|file| format!("\n{}", file_line(file))));
    Some((entry.sent_role(contract), text))
}

fn plain_message(item: &Item, contract: Contract) -> Option<(Role, String)> {
    let ItemBody::Entry(entry) = &item.body else { return None };
    let is_image = |file: &&Value| {
        file.get("contentType").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("image/"))
    };
    let lines = entry.files.iter().filter(|file| !is_image(file)).map(plain_file_line);
    let texts: Vec<String> =
        [entry.content.clone()].into_iter().chain(lines).filter(|text| !text.is_empty()).collect();
    Some((entry.sent_role(contract), texts.join("\n")))
}

/// True if a message has a header although people and the model have none.
fn is_introduced(entry: &Entry, contract: Contract) -> bool {
    let by_others = match contract {
        Contract::Actors => {
            matches!(entry.sent_role(contract), Role::System | Role::Developer)
                || entry.is_compaction
                || !matches!(entry.actor_type(), "" | "user" | "model")
        }
        _ => entry.has_role("system") || entry.has_role("developer"),
    };
    by_others || !entry.refs.is_empty()
}

fn write_header(offset: u64, entry: &Entry, contract: Contract, out: &mut String) {
    let _ = write!(out, "@{offset}");
    if let Some(key) = &entry.key {
        let _ = write!(out, " key={}", quoted(key));
    }
    if let (Contract::Lanes, Some(updated)) = (contract, entry.supersedes) {
        let _ = write!(out, " updates=@{updated}");
    }
    if let Some(actor) = actor(entry, contract) {
        let _ = write!(out, " actor={actor}");
    }
    if !entry.refs.is_empty() {
        let refs: Vec<String> = entry.refs.iter().map(|own| quoted(&reference(own))).collect();
        let _ = write!(out, " refs=[{}]", refs.join(","));
    }
    out.push('\n');
}

/// Who wrote a message; `None` if a header does not say it.
fn actor(entry: &Entry, contract: Contract) -> Option<String> {
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| entry.actor.get(*key).filter(|val| !val.is_null()));
        found.map(|val| val.as_str().map_or_else(|| val.to_string(), str::to_owned))
    };
    let named = |keys: &[&str]| quoted(&text(keys).unwrap_or_else(|| "unknown".to_owned()));
    let name = match entry.actor_type() {
        "" => return None,
        "platform" | "model" if contract == Contract::Actors => return None,
        "user" => return Some(format!("user:{}", text(&["origin"])?)),
        "agent" => named(&["path"]),
        "script" => named(&["executionId"]),
        "worker" | "integration" => named(&["name"]),
        "slack" => named(&["userId", "botName"]),
        "telegram" => named(&["userId", "username"]),
        "email" => named(&["address", "name"]),
        "github" => named(&["login", "senderType"]),
        _ => return Some(entry.actor_type().to_owned()),
    };
    Some(format!("{}:{name}", entry.actor_type()))
}

fn reference(own: &Value) -> String {
    let text = |key: &str| match own.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    match own.get("type").and_then(Value::as_str).unwrap_or_default() {
        "event" => format!("{}@{}", text("streamPath"), text("offset")),
        "git-commit" => format!("{}@{}", text("repoPath"), text("oid")),
        "repo-file" => format!("{}/{}@latest", text("repoPath"), text("path")),
        "user" => format!("user:{}", text("id")),
        kind => format!("{kind}:{}", text("path")),
    }
}

/// A member of a file as text.
fn file_text<'f>(file: &'f Value, key: &str) -> &'f str {
    file.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The name, type and size of a file.
fn file_title(file: &Value) -> String {
    let size = file.get("size").and_then(Value::as_u64).unwrap_or_default();
    format!("Attached file: {} ({}, {size} bytes)", file_text(file, "filename"), file_text(file, "contentType"))
}

fn file_line(file: &Value) -> String {
    let (title, path, url) = (file_title(file), quoted(file_text(file, "path")), file_text(file, "url"));
    format!(
        "[{title} — bytes: await itx.files.get({path}).bytes(); convert: itx.ai.toMarkdown; public url: {url}]"
    )
}

/// The same, as the agent that was written anew names it.
fn plain_file_line(file: &Value) -> String {
    let path = quoted(file_text(file, "path"));
    format!("[{} — read it with `await itx.files.get({path}).bytes()`]", file_title(file))
}

/// A text as JavaScript's `JSON.stringify` writes it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
