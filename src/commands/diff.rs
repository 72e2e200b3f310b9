//! `diff`: what became of the items of one history in another, and of the settings around them.

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use crate::diff::compare::{Compared, Fates, Scope, Side, compare};
use crate::options::Misuse;
use crate::place::DocId;
use crate::report::command_line::CommandLine;
use crate::report::histories;
use crate::report::html::compared;
use crate::report::words::{count, wrapped};
use crate::report::{self, Content};
use crate::source::{Doc, Input, display_name, display_path, words};

use super::run::labels::label_of;
use super::run::output_file::Page;
use super::run::products;
use super::{Failure, Outcome, Run, talk};

pub fn diff(run: &Run, scope: Scope, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let [a, b] = run.paths.as_slice() else {
        return Err(Misuse::new("diff takes two files")
            .help("`replaylint diff A B`; `-` is standard input")
            .into());
    };
    let input = |path: &Path| Input::File { path: path.to_owned(), named: true };
    products::guard(run, &mut vec![input(a), input(b)], Vec::new())?;
    let mut differences = Vec::new();
    let (mut unread, mut reordered) = (0, false);
    for pair in pairs(open(run, a, 0)?, open(run, b, 1)?) {
        let mut compared = compare_pair(run, &pair, scope)?;
        unread += compared.unread.iter().sum::<u32>();
        reordered |= compared.reordered;
        differences.append(&mut compared.differences);
    }
    let mut sum = Fates::default();
    differences.iter().for_each(|difference| sum.add(difference.count()));
    if run.outputs.iter().any(|output| output.name == "json") {
        report::write_pretty(&json!(histories::diff(&differences, reordered)), out)?;
    } else if let Some(output) = run.outputs.iter().find(|output| output.name == "html") {
        let (before, after) = (display_path(a), display_path(b));
        let mut page = Page::of(output, run.show_content)?;
        let write = |out: &mut dyn Write| {
            compared::write((&before, &after), &differences, reordered, run.show_content, out)
        };
        page.write(out, write)?;
        page.save()?;
    } else {
        let content = if run.content() == Content::Shown { Content::Shown } else { Content::Masked };
        for difference in &differences {
            if differences.len() > 1 && difference.count().differ() {
                writeln!(out, "{}", histories::heading(difference))?;
            }
            histories::write(difference, &run.style, content, out)?;
        }
        if !run.quiet {
            let all = count(differences.len() as u64, "history");
            let words = format!("{all}: {}.", histories::words(&sum, reordered));
            wrapped(&words, run.style.width, "", "").iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
    }
    // What could not be read may differ.
    Ok(match (unread, (sum.differ() || reordered) && !run.exit_zero) {
        (1.., _) => Outcome::Failed,
        (0, true) => Outcome::Found,
        (0, false) => Outcome::Clean,
    })
}

/// The docs of a file: one, or one a history of a database. Those of the two sides have other numbers.
fn open(run: &Run, path: &Path, side: u32) -> Result<Vec<Doc>, Failure> {
    let input = match path.as_os_str() == "-" {
        true => Input::Stdin,
        false => Input::File { path: path.to_owned(), named: true },
    };
    run.lints.load(path)?;
    let input = only_member(run, input)?;
    let inputs = run.gathered(vec![input]).into_iter().zip(0..);
    let opened = inputs.map(|(input, n)| run.open(DocId(2 * n + side), &input));
    let opened: io::Result<Vec<Doc>> = opened.collect();
    opened.map_err(|error| Misuse::new(words(&path.to_string_lossy(), &error)).into())
}

/// Which docs are compared: the only ones of the two sides, or those of the same session.
fn pairs(before: Vec<Doc>, after: Vec<Doc>) -> Vec<[Option<Doc>; 2]> {
    if before.len() == 1 && after.len() == 1 {
        return vec![[before.into_iter().next(), after.into_iter().next()]];
    }
    let mut after: Vec<Option<Doc>> = after.into_iter().map(Some).collect();
    let mut pairs = Vec::new();
    for old in before {
        let same = |new: &Option<Doc>| new.as_ref().is_some_and(|new| session(new) == session(&old));
        let new = after.iter_mut().find(|new| same(new)).and_then(Option::take);
        pairs.push([Some(old), new]);
    }
    pairs.extend(after.into_iter().flatten().map(|new| [None, Some(new)]));
    pairs
}

/// What tells a history of a database from the others.
fn session(doc: &Doc) -> Option<String> {
    doc.cells.as_ref().map(|cells| cells.key.to_string())
}

/// Compares two docs, of which one may be missing.
fn compare_pair(run: &Run, pair: &[Option<Doc>; 2], scope: Scope) -> Result<Compared, Failure> {
    let nothing = Doc::of_bytes(DocId(u32::MAX), "", Vec::new());
    let docs = pair.each_ref().map(|doc| doc.as_ref().unwrap_or(&nothing));
    let sides = docs.map(|doc| Side { id: doc.id, bytes: &*doc.bytes, options: run.lints.of(&doc.label) });
    let failed = |error: io::Error| Misuse::new(words(&docs[0].label, &error));
    let mut compared = compare(sides[0], sides[1], scope).map_err(failed)?;
    for (unread, _) in compared.unread.iter_mut().zip(pair).filter(|(_, doc)| doc.is_none()) {
        *unread = 0;
    }
    for (doc, (histories, unread)) in pair.iter().zip(compared.histories.into_iter().zip(compared.unread)) {
        if let Some(doc) = doc {
            say_unread(doc, histories, unread)?;
        }
    }
    let (old, new) = ((docs[0].id, &*docs[0].bytes), (docs[1].id, &*docs[1].bytes));
    histories::locate(&mut compared.differences, old, new).map_err(failed)?;
    for difference in &mut compared.differences {
        let sides = [&mut difference.histories.0, &mut difference.histories.1];
        for (found, doc) in sides.into_iter().zip(docs) {
            if let (Some(found), Some(name)) = (found, session(doc)) {
                found.label = Some(name.into());
            }
        }
    }
    Ok(compared)
}

/// The only conversation file of an archive, if the input is one.
fn only_member(run: &Run, input: Input) -> Result<Input, Failure> {
    let Some(mut members) = run.members(&input)? else { return Ok(input) };
    match (members.pop(), members.len()) {
        (Some(only), 0) => Ok(only),
        (_, more) => {
            let path = label_of(&input);
            let path = display_name(&path);
            let count = more + 1;
            let what = if more == 0 { "no file to compare".to_owned() } else { format!("{count} files") };
            Err(Misuse::new(format!("{path}: the archive contains {what}; extract the one to compare")).into())
        }
    }
}

/// Says what of a doc was not compared.
fn say_unread(doc: &Doc, histories: usize, unread: u32) -> Result<(), Misuse> {
    if histories == 0 {
        let check = CommandLine::new("check").on(&doc.label);
        let help = format!("`{check}` says why; --format and --pointer say what the file is");
        return Err(Misuse::new(format!("{}: no conversation was found", display_name(&doc.label))).help(help));
    }
    if unread > 0 {
        talk(&format!(
            "{}: {} could not be read: what they hold may differ",
            display_name(&doc.label),
            count(u64::from(unread), "record")
        ));
    }
    Ok(())
}
