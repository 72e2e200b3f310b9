//! `rebuild` of what a log stores by reference: a request of an event stream, by the events up to its own; a record
//! that `slim` made shorter.

use std::io::Write;

use crate::convert::stream;
use crate::format::requests::{Asked, Refused, Requests, Sent};
use crate::options::{self, Misuse};
use crate::rebuild::Conversation;
use crate::rebuild::conversation::Part;
use crate::rebuild::slim::restore;
use crate::rebuild::slim::restore::Restored;
use crate::report::command_line::CommandLine;
use crate::report::mask;
use crate::report::words::{count, printable};
use crate::source::display_name;

use super::rebuild_options::{Wanted, print};
use super::{Failure, Outcome, Run, complain, talk};

/// Rebuilds a request, if the one input is such a log.
pub(super) fn rebuild(
    run: &Run,
    conversations: &[Conversation],
    wanted: &Wanted,
    out: &mut dyn Write,
) -> Result<Option<Outcome>, Failure> {
    let parts: Vec<&Part> = conversations.iter().flat_map(|conversation| &conversation.parts).collect();
    let unfit = |what: &str| {
        Misuse::new(format!(
            "--{what} cannot be combined with a request that was already \
                                                  sent"
        ))
    };
    let stream = parts.iter().find_map(|part| Some((*part, part.format?.info().requests?)));
    if let Some((part, requests)) = stream {
        if parts.len() > 1 {
            return Err(Misuse::new("rebuild accepts one event stream at a time").into());
        }
        if wanted.budget.is_some() {
            return Err(unfit("last, --max-chars or --max-tokens").into());
        }
        return of_stream(run, part, requests, wanted, out).map(Some);
    }
    if wanted.provider.is_some() {
        let misuse = Misuse::new("only requests of event streams have a provider");
        return Err(misuse.help("--provider is for iterate streams").into());
    }
    let [part] = parts.as_slice() else { return Ok(None) };
    match restore::has_references(&*part.doc.bytes)? {
        true if wanted.ask.is_some() => {
            Err(unfit("ask").help(format!("run `{}` first", restore_line(part).flag("-w"))).into())
        }
        true => of_log(run, part, wanted, out).map(Some),
        false => Ok(None),
    }
}

/// The command that puts the references of a log back.
fn restore_line(part: &Part) -> CommandLine {
    CommandLine::new("slim").flag("--restore").on(&part.doc.label)
}

fn of_stream(
    run: &Run,
    part: &Part,
    requests: &dyn Requests,
    wanted: &Wanted,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let doc = &part.doc;
    let options = run.lints.of(&doc.label);
    let asked = Asked {
        at: wanted.at.as_deref(),
        ask: wanted.ask.as_deref(),
        provider: wanted.provider,
        as_messages: false,
    };
    let sent = stream::rebuild(doc.id, &*doc.bytes, requests, &options.read, &asked)?;
    let sent = match sent {
        Ok(sent) => sent,
        Err(Refused::Unknown(near)) => {
            let at = wanted.at.as_deref().unwrap_or_default();
            let near = options::nearest(at, near.iter().map(String::as_str).collect(), 4);
            let near: Vec<String> = near.into_iter().map(mask::id).collect();
            return Err(options::unknown_of("event or request", &printable(at), &near).into());
        }
        Err(Refused::Unstored(record)) => {
            complain(&format!(
                "{}: record {record}: requests of this contract get their prompt from code, and it is not in the \
                 stream, so what was sent cannot be rebuilt",
                display_name(&doc.label)
            ));
            return Ok(Outcome::Failed);
        }
        Err(Refused::Order(record)) => {
            complain(&format!(
                "{}: record {record}: the offset is not greater than the previous one (RL625), so the content \
                 of requests is uncertain",
                display_name(&doc.label)
            ));
            return Ok(Outcome::Failed);
        }
    };
    if !run.quiet {
        tell(&sent);
    }
    print(&sent.body, wanted, out)?;
    Ok(Outcome::Clean)
}

fn tell(sent: &Sent) {
    let messages = count(sent.messages as u64, "message");
    let Sent { offset, provider, model, .. } = sent;
    let by = provider.map(|provider| format!(", for {provider}")).unwrap_or_default();
    let model = model.as_ref().map(|model| format!(", model {}", mask::model(model))).unwrap_or_default();
    match sent.is_request {
        true => talk(&format!("request at offset {offset}: {messages}{by}{model}; it {}", sent.state)),
        false => talk(&format!("what a request at offset {offset} would send: {messages}{by}{model}")),
    }
    if let Some(index) = sent.differs {
        talk(&format!("  the embedded body differs from message {index} on (RL626)"));
    }
}

/// A record of a log, as it was before it was slimmed.
fn of_log(run: &Run, part: &Part, wanted: &Wanted, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let doc = &part.doc;
    let Restored { bytes, records, broken, .. } =
        restore::restore(doc.id, &*doc.bytes, &run.lints.of(&doc.label).read)?;
    let all = format!("records 1 to {}", records.len());
    let Some(at) = &wanted.at else {
        let misuse = Misuse::new("the log contains references; name a record");
        return Err(misuse
            .help(format!("use --at N, one of {all}; `{}` restores all", restore_line(part)))
            .into());
    };
    let number: Option<usize> = at.parse().ok();
    let place = number.and_then(|number| records.get(number.checked_sub(1)?)).filter(|place| place.len > 0);
    let Some(place) = place else {
        return Err(Misuse::new(format!("unknown record '{}'", printable(at)))
            .help(format!("there are {all}"))
            .into());
    };
    if let Some((record, why)) = broken.iter().find(|(record, _)| Some(*record as usize) <= number) {
        complain(&format!("{}: record {record}: {why}", display_name(&doc.label)));
        return Ok(Outcome::Failed);
    }
    let mut text = Vec::new();
    bytes.read_into(place.start, place.len as usize, &mut text)?;
    text.push(b'\n');
    if !run.quiet {
        talk(&format!("record {at}, restored"));
    }
    print(&text, wanted, out)?;
    Ok(Outcome::Clean)
}
