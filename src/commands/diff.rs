//! `diff`: what became of the items of one history in another.

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use crate::diff::align::align;
use crate::diff::entries::{self, Told, Words};
use crate::options::Misuse;
use crate::place::DocId;
use crate::report::histories::{self, Difference, Fates};
use crate::report::words::count;
use crate::report::{self, Content};
use crate::source::{Doc, Input, words};

use super::{Failure, Outcome, Run, talk};

pub fn diff(run: &Run, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let [a, b] = run.paths.as_slice() else {
        return Err(Misuse::new("diff takes two files")
            .help("`replaylint diff A B`; `-` is standard input")
            .into());
    };
    let (before, after) = (open(run, a, 0)?, open(run, b, 1)?);
    let (mut old, mut new) = (told(run, &before, Words::Own)?, told(run, &after, Words::Own)?);
    let dialect = |told: &[Told]| told.first().map(|told| told.dialect);
    if dialect(&old) != dialect(&new) {
        // Of two dialects nothing is equal byte by byte: what they say is compared.
        (old, new) = (told(run, &before, Words::Shared)?, told(run, &after, Words::Shared)?);
    }
    let mut sum = Fates::default();
    let mut differences = Vec::new();
    let (mut old, mut new) = (old.into_iter(), new.into_iter());
    loop {
        let (before, after) = (old.next(), new.next());
        if before.is_none() && after.is_none() {
            break;
        }
        let entries = |told: Option<Told>| told.map(|told| told.entries).unwrap_or_default();
        let (before, after) = (entries(before), entries(after));
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
    Ok(if sum.differ() && !run.exit_zero { Outcome::Found } else { Outcome::Clean })
}

fn open(run: &Run, path: &Path, number: u32) -> Result<Doc, Failure> {
    let input = match path.as_os_str() == "-" {
        true => Input::Stdin,
        false => Input::File { path: path.to_owned(), named: true },
    };
    let opened = Doc::open(DocId(number), &input, run.stdin_name.as_deref());
    opened.map_err(|error| Misuse::new(words(&path.display(), &error)).into())
}

fn told(run: &Run, doc: &Doc, how: Words) -> Result<Vec<Told>, Failure> {
    let failed = |error: io::Error| Misuse::new(words(&doc.label, &error));
    let (told, unread) = entries::read(doc.id, &*doc.bytes, run.lints.of(&doc.label), how).map_err(failed)?;
    if told.is_empty() {
        let help = "run `replaylint check` to see why; --format and --pointer say what the file is";
        return Err(Misuse::new(format!("{}: no conversation was found", doc.label)).help(help).into());
    }
    if unread > 0 && how == Words::Own {
        talk(&format!("{}: {} could not be read and were skipped", doc.label, count(u64::from(unread), "record")));
    }
    Ok(told)
}
