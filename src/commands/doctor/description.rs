//! What `doctor` says about sessions. Messages contain keys, ids and places, no content.

use std::io::{self, Write};

use crate::carry::ResumeFolder;
use crate::format::agent::Resume;
use crate::history::time::format_iso;
use crate::report::change_counts::ChangeCounts;
use crate::report::command_line::CommandLine;
use crate::report::words::{count, group_digits, write_wrapped};
use crate::source::{Input, display_name, display_path};

use crate::commands::agent_folders::abbreviate_home;

use super::scan::Scan;
use super::session::{Fault, InstalledCopy, Session};
use super::treatment::{RepairResult, Treatment};

/// Maximum number of other broken sessions that are listed.
const MAX_OTHERS: usize = 5;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// How a session is resumed.
pub(super) enum ResumeHint {
    Command {
        line: String,
        /// It must be run in the working directory of the session, which is not known.
        needs_folder: bool,
    },
    /// From the agent's list.
    List,
    /// It is part of another session, or has no id.
    Unknown,
}

impl ResumeHint {
    pub fn of(session: &Session, copy: Option<&InstalledCopy>) -> ResumeHint {
        let Resume::Command { command, .. } = &session.agent.resume else { return ResumeHint::List };
        let id = copy.map(|copy| copy.id.as_str()).or(session.id.as_deref());
        if id.is_none() && command.needs_id() {
            return ResumeHint::Unknown;
        }
        let path = copy.map_or(&session.path, |copy| &copy.path);
        let file = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let needs_folder = matches!(command.folder, ResumeFolder::Session | ResumeFolder::Project(_));
        ResumeHint::Command {
            line: command.line(id.unwrap_or_default(), &file.to_string_lossy(), session.folder.as_deref()),
            needs_folder: needs_folder && session.folder.is_none(),
        }
    }
}

/// The session in words: its agent and its place.
fn name(session: &Session) -> String {
    let path = abbreviate_home(&session.path.to_string_lossy());
    let id = match (&session.input, &session.id) {
        (Input::History { .. }, Some(id)) => format!(" {}", display_name(id)),
        _ => String::new(),
    };
    format!("session{id} of {} in {}", session.agent.name, display_name(&path))
}

/// Two sentences: what is wrong with a session, and what its repair changes and loses.
pub(super) fn describe(session: &Session, treatment: &Treatment) -> String {
    let Some(fault) = &session.fault else { return String::new() };
    let effect = match (fault, treatment.turns_lost) {
        (Fault { is_damage: true, .. }, _) => "cannot be read completely".to_owned(),
        (_, Some(turns @ 1..)) => format!("would lose {} on resume", count(u64::from(turns), "turn")),
        (Fault { loses_turns: true, .. }, _) => "would lose a part of its conversation on resume".to_owned(),
        _ => "would be refused on resume".to_owned(),
    };
    let more = match fault.errors() {
        0 | 1 => String::new(),
        errors => format!(" (and {})", count(errors - 1, "more error")),
    };
    let (name, date) = (name(session), date(session.modified));
    format!(
        "The {name}, last changed on {date}, {effect}: {}{more}. {}",
        fault.message,
        describe_repair(treatment)
    )
}

/// What a repair changes and loses, and what remains.
fn describe_repair(treatment: &Treatment) -> String {
    let first = treatment.remaining.first();
    if treatment.counts.total() == 0 {
        let why = first.and_then(|error| match (error.no_fix_reason(), &error.fix) {
            (Some(why), _) => Some(why.into_owned()),
            (None, Some(fix)) => Some(format!("its fix is {}", fix.terms())),
            (None, None) => None,
        });
        return match why {
            Some(why) => format!("It cannot be repaired automatically: {why}."),
            None => "It cannot be repaired automatically.".to_owned(),
        };
    }
    let place = match treatment.is_copy {
        true => " in a copy with a new id, because other files refer to its lines,",
        false => "",
    };
    let losses = match treatment.counts.lost.is_empty() {
        true => "nothing is lost".to_owned(),
        false => format!("this loses {}", treatment.counts.lost.words()),
    };
    let remaining = match (treatment.remaining.len(), first) {
        (0, _) | (_, None) => String::new(),
        (n, Some(first)) => format!(" {} would remain: {}.", count(n as u64, "error"), first.message),
    };
    format!("Repairing it{place} {}; {losses}.{remaining}", acts(&treatment.counts))
}

/// The changes as verbs: "adds 1 placeholder and rewrites 2 items".
fn acts(counts: &ChangeCounts) -> String {
    let acts = [
        ("adds", counts.stubbed, "placeholder"),
        ("removes", counts.dropped, "item"),
        ("moves", counts.moved, "item"),
        ("rewrites", counts.rewritten, "item"),
    ];
    let acts: Vec<String> = acts
        .iter()
        .filter(|(_, n, _)| *n > 0)
        .map(|(verb, n, what)| format!("{verb} {}", count(*n, what)))
        .collect();
    match acts.split_last() {
        Some((last, rest @ [_, ..])) => format!("{} and {last}", rest.join(", ")),
        Some((only, [])) => only.clone(),
        None => String::new(),
    }
}

/// The result of a repair.
pub(super) fn describe_result(result: &RepairResult, session: &Session) -> String {
    let undo = CommandLine::new("fix").flag("--undo").on_input(&abbreviate_home(&session.path.to_string_lossy()));
    let written = match (&result.copy, &result.backup) {
        (Some(copy), _) => format!(
            "Repaired in {}; the session itself was not changed.",
            display_name(&abbreviate_home(&copy.path.to_string_lossy()))
        ),
        (None, Some(backup)) => format!(
            "Repaired. Backup: {} (`{undo}` restores it).",
            display_name(&abbreviate_home(&display_path(backup)))
        ),
        (None, None) => "Repaired.".to_owned(),
    };
    match result.errors_left {
        0 => written,
        errors => {
            let check = CommandLine::new("check").on_input(&abbreviate_home(&session.path.to_string_lossy()));
            let remain = if errors == 1 { "remains" } else { "remain" };
            format!("{written} {} {remain}: `{check}` shows where.", count(errors, "error"))
        }
    }
}

/// Lists the broken sessions after the first.
pub(super) fn write_others(scan: &Scan, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some((_, others @ [_, ..])) = scan.broken.split_first() else { return Ok(()) };
    let (verb, n) = (if others.len() == 1 { "is" } else { "are" }, count(others.len() as u64, "other session"));
    let by_agent = scan.agents.iter().filter_map(|known| {
        let broken = others.iter().filter(|session| session.agent.id == known.agent.id).count();
        (broken > 0).then(|| format!("{} {}", known.agent.name, group_digits(broken as u64)))
    });
    writeln!(out)?;
    let heading = format!("{n} {verb} broken ({}):", by_agent.collect::<Vec<_>>().join(", "));
    write_wrapped(&heading, width, "", "", out)?;
    for session in others.iter().take(MAX_OTHERS) {
        let label = abbreviate_home(&session.label);
        writeln!(out, "  {}, {}: {}", session.agent.name, date(session.modified), display_name(&label))?;
    }
    if let Some(more @ 1..) = others.len().checked_sub(MAX_OTHERS) {
        writeln!(out, "  and {more} more")?;
    }
    let fix = CommandLine::new("fix").flag("-w").flag("--agents").on_nothing();
    write_wrapped(&format!("`replaylint doctor PATH` repairs one of them, `{fix}` all."), width, "", "", out)
}

/// Says that nothing is broken. `named`: the user named the session.
pub(super) fn write_healthy(scan: &Scan, named: bool, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let sessions: u64 = scan.agents.iter().map(|known| known.sessions).sum();
    let text = match &scan.healthy {
        Some(Session { copy: Some(copy), .. }) if named && sessions == 1 => {
            let path = abbreviate_home(&copy.path.to_string_lossy());
            format!("The session was repaired in a copy: {}.", display_name(&path))
        }
        Some(session) if named && sessions == 1 => {
            format!("The {} can be resumed: no errors found.", name(session))
        }
        _ => {
            let by_agent = scan.agents.iter();
            let by_agent: Vec<String> =
                by_agent.map(|known| format!("{} {}", known.agent.name, group_digits(known.sessions))).collect();
            let can = if sessions == 1 { "The only session" } else { "All sessions" };
            format!("{can} can be resumed: {} ({}).", count(sessions, "session"), by_agent.join(", "))
        }
    };
    write_wrapped(&text, width, "", "", out)?;
    if let (Some(session), true, 1) = (&scan.healthy, named, sessions)
        && let ResumeHint::Command { line, .. } = ResumeHint::of(session, session.copy.as_ref())
    {
        writeln!(out, "\n  {line}\n")?;
    }
    let explain = "If the agent reports an error, `replaylint explain --error 'MESSAGE' FILE` says what it means and where \
                   it comes from.";
    write_wrapped(explain, width, "", "", out)
}

/// The day of a time in UTC: "21 November 2026".
fn date(seconds: i64) -> String {
    let iso = format_iso(seconds);
    let mut parts = iso.split(['-', 'T']);
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let month = month.and_then(|month| MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?));
    match (year, month, day) {
        (Some(year), Some(month), Some(day)) => format!("{} {month} {year}", day.trim_start_matches('0')),
        _ => iso,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_verbs() {
        let counts = ChangeCounts { stubbed: 1, dropped: 2, rewritten: 1, ..ChangeCounts::default() };
        assert_eq!(acts(&counts), "adds 1 placeholder, removes 2 items and rewrites 1 item");
        assert_eq!(acts(&ChangeCounts { moved: 1, ..ChangeCounts::default() }), "moves 1 item");
    }

    #[test]
    fn a_time_is_a_day() {
        assert_eq!(date(1_780_308_000), "1 June 2026");
    }
}
