//! `rebuild` of requests that a log stores by reference: a request of an event stream, from the events up to its own; a
//! record of a slimmed log.

use std::io::Write;

use crate::convert::stream;
use crate::format::requests::{RebuildError, RebuildQuery, RebuiltRequest, RequestLog};
use crate::options::{self, UsageError};
use crate::rebuild::Conversation;
use crate::rebuild::conversation::ConversationDoc;
use crate::rebuild::slim::restore;
use crate::rebuild::slim::restore::RestoredDoc;
use crate::report::command_line::CommandLine;
use crate::report::mask;
use crate::report::words::{count, to_printable};
use crate::source::display_name;

use super::rebuild_options::{RebuildOptions, write_body};
use super::{Failure, Outcome, Run, print_error, print_note};

/// Rebuilds a request, if the only input is such a log; `None` otherwise.
pub(super) fn rebuild(
    run: &Run,
    conversations: &[Conversation],
    rebuild_options: &RebuildOptions,
    out: &mut dyn Write,
) -> Result<Option<Outcome>, Failure> {
    let parts: Vec<&ConversationDoc> = conversations.iter().flat_map(|conversation| &conversation.docs).collect();
    let misuse =
        |what: &str| UsageError::new(format!("--{what} cannot be combined with a request that was already sent"));
    let stream = parts.iter().find_map(|part| Some((*part, part.format?.info().requests?)));
    if let Some((part, requests)) = stream {
        if parts.len() > 1 {
            return Err(UsageError::new("rebuild accepts a single event stream").into());
        }
        if rebuild_options.budget.is_some() {
            return Err(misuse("last, --max-chars or --max-tokens").into());
        }
        return rebuild_from_stream(run, part, requests, rebuild_options, out).map(Some);
    }
    if rebuild_options.provider.is_some() {
        let usage_error = UsageError::new("--provider applies only to event streams");
        return Err(usage_error.help("event streams are those of iterate").into());
    }
    let [part] = parts.as_slice() else { return Ok(None) };
    match restore::has_references(&*part.doc.bytes)? {
        true if rebuild_options.ask.is_some() => {
            Err(misuse("ask").help(format!("run `{}` first", restore_command(part).flag("-w"))).into())
        }
        true => rebuild_from_log(run, part, rebuild_options, out).map(Some),
        false => Ok(None),
    }
}

/// The command that restores the references of a log.
fn restore_command(part: &ConversationDoc) -> CommandLine {
    CommandLine::new("slim").flag("--restore").on_input(&part.doc.label)
}

fn rebuild_from_stream(
    run: &Run,
    part: &ConversationDoc,
    requests: &dyn RequestLog,
    rebuild_options: &RebuildOptions,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let doc = &part.doc;
    let options = run.lints.options_for(&doc.label);
    let asked = RebuildQuery {
        at: rebuild_options.at.as_deref(),
        next_message: rebuild_options.ask.as_deref(),
        provider: rebuild_options.provider,
        as_messages: false,
        every_header: rebuild_options.every_header,
        protocol_prompt: rebuild_options.protocol_prompt.as_deref(),
    };
    let sent = stream::rebuild(doc.id, &*doc.bytes, requests, &options.read, &asked)?;
    let sent = match sent {
        Ok(sent) => sent,
        Err(RebuildError::Unknown(near)) => {
            let at = rebuild_options.at.as_deref().unwrap_or_default();
            let near = options::nearest(at, near.iter().map(String::as_str).collect(), 4);
            let near: Vec<String> = near.into_iter().map(mask::id).collect();
            return Err(options::unknown_with_nearest("event or request", &to_printable(at), &near).into());
        }
        Err(RebuildError::NotSent(why)) => {
            let at = to_printable(rebuild_options.at.as_deref().unwrap_or_default());
            print_error(&format!("{}: the request at {at} was never sent: {why}", display_name(&doc.label)));
            return Ok(Outcome::Failed);
        }
        Err(RebuildError::OtherPrompt(sha256)) => {
            let usage_error =
                UsageError::new("--protocol-prompt: this is not the text that the contract of the request has");
            return Err(usage_error.help(format!("its SHA-256 is {sha256}")).into());
        }
        Err(RebuildError::Order(record)) => {
            print_error(&format!(
                "{}: record {record}: the offset is not greater than the previous one (RL625), so the content \
                 of requests is uncertain",
                display_name(&doc.label)
            ));
            return Ok(Outcome::Failed);
        }
    };
    if !run.quiet {
        print_summary(&sent);
    }
    write_body(&sent.body, rebuild_options, out)?;
    Ok(Outcome::Clean)
}

fn print_summary(sent: &RebuiltRequest) {
    let messages = count(sent.messages as u64, "message");
    let RebuiltRequest { offset, provider, model, .. } = sent;
    let by = provider.map(|provider| format!(", for {provider}")).unwrap_or_default();
    let model = model.as_ref().map(|model| format!(", model {}", mask::model(model))).unwrap_or_default();
    match sent.is_request {
        true => print_note(&format!("request at offset {offset}: {messages}{by}{model}; it {}", sent.state)),
        false => print_note(&format!("a request at offset {offset} would send {messages}{by}{model}")),
    }
    if sent.lacks_prompt {
        print_note(
            "  the first message only names a text that is in the code of the agent: --protocol-prompt FILE takes it",
        );
    }
    for note in &sent.notes {
        print_note(&format!("  not exact: {note}"));
    }
    if let Some(index) = sent.differs {
        print_note(&format!("  the embedded body differs from message {index} onwards (RL626)"));
    }
}

/// Prints a record of a slimmed log with its references restored.
fn rebuild_from_log(
    run: &Run,
    part: &ConversationDoc,
    rebuild_options: &RebuildOptions,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let doc = &part.doc;
    let RestoredDoc { bytes, records, unresolved, .. } =
        restore::restore(doc.id, &*doc.bytes, &run.lints.options_for(&doc.label).read)?;
    let all = format!("records 1 to {}", records.len());
    let Some(at) = &rebuild_options.at else {
        let usage_error = UsageError::new("the log contains references; select a record");
        return Err(usage_error
            .help(format!("use --at N ({all}); `{}` restores all", restore_command(part)))
            .into());
    };
    let number: Option<usize> = at.parse().ok();
    let place = number.and_then(|number| records.get(number.checked_sub(1)?)).filter(|place| place.len > 0);
    let Some(place) = place else {
        return Err(UsageError::new(format!("unknown record '{}'", to_printable(at)))
            .help(format!("the log has {all}"))
            .into());
    };
    if let Some((record, why)) = unresolved.iter().find(|(record, _)| Some(*record as usize) <= number) {
        print_error(&format!("{}: record {record}: {why}", display_name(&doc.label)));
        return Ok(Outcome::Failed);
    }
    let mut text = Vec::new();
    bytes.read_into(place.start, place.len as usize, &mut text)?;
    text.push(b'\n');
    if !run.quiet {
        print_note(&format!("record {at}, restored"));
    }
    write_body(&text, rebuild_options, out)?;
    Ok(Outcome::Clean)
}
