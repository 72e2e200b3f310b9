//! `diff`: what became of the items of one history in another.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use crate::diff::align::align;
use crate::diff::entries::{self, Entry, Told, Words};
use crate::history::Flags;
use crate::options::Misuse;
use crate::place::DocId;
use crate::report::histories::{self, Difference, Fates};
use crate::report::place::pointers;
use crate::report::words::count;
use crate::report::{self, Content};
use crate::source::{Doc, Input, framing, words};

use super::{Failure, Outcome, Run, talk};

pub fn diff(run: &Run, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let [a, b] = run.paths.as_slice() else {
        return Err(Misuse::new("diff takes two files")
            .help("`replaylint diff A B`; `-` is standard input")
            .into());
    };
    let (before, after) = (open(run, a, 0)?, open(run, b, 1)?);
    let mut unread = 0;
    let (mut old, mut new) =
        (told(run, &before, Words::Own, &mut unread)?, told(run, &after, Words::Own, &mut unread)?);
    let dialect = |told: &[Told]| told.first().map(|told| told.dialect);
    if dialect(&old) != dialect(&new) {
        // Of two dialects nothing is equal byte by byte: what they say is compared.
        let mut again = 0;
        (old, new) =
            (told(run, &before, Words::Shared, &mut again)?, told(run, &after, Words::Shared, &mut again)?);
    }
    let mut sum = Fates::default();
    let mut differences = Vec::new();
    let (mut old, mut new) = (old.into_iter(), new.into_iter());
    loop {
        let (before, after) = (old.next(), new.next());
        if before.is_none() && after.is_none() {
            break;
        }
        let (before, after) = unequal_members(before, after);
        let fates = align(&before, &after);
        let difference = Difference { before, after, fates };
        sum.add(difference.count());
        differences.push(difference);
    }
    if run.outputs.iter().any(|output| output.name == "json") {
        let histories: Vec<_> = differences.iter().map(histories::value).collect();
        let value = json!({ "version": 1, "summary": sum.value(), "histories": histories });
        report::write_pretty(&value, out)?;
    } else {
        let content = if run.content() == Content::Shown { Content::Shown } else { Content::Masked };
        for (n, difference) in differences.iter().enumerate() {
            if differences.len() > 1 && difference.count().differ() {
                writeln!(out, "history {}", n + 1)?;
            }
            histories::write(difference, &run.style, content, out)?;
        }
        if !run.quiet {
            writeln!(out, "{}: {}.", count(differences.len() as u64, "history"), sum.words())?;
        }
    }
    // What could not be read may differ.
    Ok(match (unread, sum.differ() && !run.exit_zero) {
        (1.., _) => Outcome::Failed,
        (0, true) => Outcome::Found,
        (0, false) => Outcome::Clean,
    })
}

/// The items of both sides, after those members of the requests around them that are not the same on both.
fn unequal_members(before: Option<Told>, after: Option<Told>) -> (Vec<Entry>, Vec<Entry>) {
    let parts = |told: Option<Told>| told.map(|told| (told.members, told.entries)).unwrap_or_default();
    let ((old, before), (new, after)) = (parts(before), parts(after));
    let differs = |others: &[Entry]| {
        let others: HashSet<(u64, u64)> = others.iter().map(|other| (other.key, other.hash)).collect();
        move |member: &&Entry| !others.contains(&(member.key, member.hash))
    };
    let (gone, come) = (differs(&new), differs(&old));
    let before = old.iter().filter(gone).cloned().chain(before).collect();
    let after = new.iter().filter(come).cloned().chain(after).collect();
    (before, after)
}

fn open(run: &Run, path: &Path, number: u32) -> Result<Doc, Failure> {
    let input = match path.as_os_str() == "-" {
        true => Input::Stdin,
        false => Input::File { path: path.to_owned(), named: true },
    };
    let opened = Doc::open(DocId(number), &input, run.stdin_name.as_deref());
    opened.map_err(|error| Misuse::new(words(&path.display(), &error)).into())
}

/// Says of each entry where in its record it lies.
fn locate(doc: &Doc, told: &mut [Told]) -> io::Result<()> {
    let entries = || told.iter().flat_map(|told| told.members.iter().chain(&told.entries));
    let wanted: Vec<_> = entries().map(|entry| (entry.at, Flags::default())).collect();
    let pointers = pointers(doc.id, &*doc.bytes, framing::sniff(&*doc.bytes)?, &wanted)?;
    for entry in told.iter_mut().flat_map(|told| told.members.iter_mut().chain(&mut told.entries)) {
        entry.pointer = pointers.get(&entry.at).map(|found| found.outer.clone()).unwrap_or_default();
    }
    Ok(())
}

fn told(run: &Run, doc: &Doc, how: Words, all_unread: &mut u32) -> Result<Vec<Told>, Failure> {
    let failed = |error: io::Error| Misuse::new(words(&doc.label, &error));
    let options = run.lints.of(&doc.label);
    let (mut told, unread) = entries::read(doc.id, &*doc.bytes, options, how).map_err(failed)?;
    locate(doc, &mut told).map_err(failed)?;
    *all_unread += unread;
    if told.is_empty() {
        let help = "run `replaylint check` to see why; --format and --pointer say what the file is";
        return Err(Misuse::new(format!("{}: no conversation was found", doc.label)).help(help).into());
    }
    if unread > 0 && how == Words::Own {
        talk(&format!(
            "{}: {} could not be read: what they hold may differ",
            doc.label,
            count(u64::from(unread), "record")
        ));
    }
    Ok(told)
}
