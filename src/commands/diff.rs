//! `diff`: compares the items and request settings of two conversations.

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use crate::diff::compare::{DiffCounts, DiffScope, DiffSide, DocDiff, compare};
use crate::options::UsageError;
use crate::place::DocId;
use crate::report::command_line::CommandLine;
use crate::report::diff_concise::{ConciseDiff, write_stat};
use crate::report::html::comparison;
use crate::report::words::{count, write_wrapped};
use crate::report::{self, ContentDisplay, diff_json, history_diff};
use crate::source::{Doc, Input, describe_error, display_name, display_path};

use super::run::labels::label_of;
use super::run::output_file::PageOutput;
use super::run::products;
use super::{Failure, Outcome, Run, print_note};

/// How much of each conversation is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiffDetail {
    /// Every change.
    Changes,
    /// One line.
    Stat,
}

pub fn diff(run: &Run, scope: DiffScope, detail: DiffDetail, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let [a, b] = run.paths.as_slice() else {
        return Err(UsageError::new("diff requires two files")
            .help("usage: `replaylint diff A B`; `-` reads standard input")
            .into());
    };
    let input = |path: &Path| Input::File { path: path.to_owned(), named: true };
    products::check_collisions(run, &mut vec![input(a), input(b)], Vec::new())?;
    let mut differences = Vec::new();
    let (mut unread, mut reordered) = (0, false);
    for pair in pair_docs(open(run, a, 0)?, open(run, b, 1)?) {
        let mut comparison = compare_pair(run, &pair, scope)?;
        unread += comparison.unread.iter().sum::<u32>();
        reordered |= comparison.reordered;
        differences.append(&mut comparison.differences);
    }
    let mut sum = DiffCounts::default();
    differences.iter().for_each(|difference| sum.add(difference.count()));
    if run.outputs.iter().any(|output| output.name == "json") {
        report::write_pretty(&json!(diff_json::diff(&differences, reordered, run.show_content)), out)?;
    } else if let Some(output) = run.outputs.iter().find(|output| output.name == "html") {
        let (before, after) = (display_path(a), display_path(b));
        let mut page = PageOutput::of(output, run.show_content)?;
        let write = |out: &mut dyn Write| {
            comparison::write((&before, &after), &differences, reordered, run.show_content, out)
        };
        page.write(out, write)?;
        page.save()?;
    } else {
        let content =
            if run.content() == ContentDisplay::Shown { ContentDisplay::Shown } else { ContentDisplay::Masked };
        let (before, after) = (display_path(a), display_path(b));
        let concise = ConciseDiff {
            before: &before,
            after: &after,
            masked: content != ContentDisplay::Shown,
            names_histories: differences.len() > 1,
        };
        let is_concise = run.outputs.iter().any(|output| output.name == "concise");
        for difference in &differences {
            if detail == DiffDetail::Stat {
                write_stat(difference, out)?;
            } else if is_concise {
                concise.write(difference, out)?;
            } else {
                if differences.len() > 1 && history_diff::has_news(difference) {
                    writeln!(out, "{}", history_diff::heading(difference))?;
                }
                history_diff::write(difference, &run.style, content, out)?;
            }
        }
        if !run.quiet && !is_concise {
            let all = count(differences.len() as u64, "conversation");
            let words = format!("{all}: {}.", history_diff::summary_words(&sum, reordered));
            write_wrapped(&words, run.style.width, "", "", out)?;
        }
    }
    // Records that cannot be read may differ.
    Ok(match (unread, (sum.has_differences() || reordered) && !run.exit_zero) {
        (1.., _) => Outcome::Failed,
        (0, true) => Outcome::Found,
        (0, false) => Outcome::Clean,
    })
}

/// The documents of a file: one, or one for each history of a database. `side` keeps the ids of both files apart.
fn open(run: &Run, path: &Path, side: u32) -> Result<Vec<Doc>, Failure> {
    let input = match path.as_os_str() == "-" {
        true => Input::Stdin,
        false => Input::File { path: path.to_owned(), named: true },
    };
    run.lints.load(path)?;
    let input = single_member(run, input)?;
    let inputs = run.group_inputs(vec![input]).into_iter().zip(0..);
    let opened = inputs.map(|(input, n)| run.open(DocId(2 * n + side), &input));
    let opened: io::Result<Vec<Doc>> = opened.collect();
    opened.map_err(|error| UsageError::new(describe_error(&path.to_string_lossy(), &error)).into())
}

/// Pairs the documents to compare: the only one of each side, or those of the same session.
fn pair_docs(before: Vec<Doc>, after: Vec<Doc>) -> Vec<[Option<Doc>; 2]> {
    if before.len() == 1 && after.len() == 1 {
        return vec![[before.into_iter().next(), after.into_iter().next()]];
    }
    let mut after: Vec<Option<Doc>> = after.into_iter().map(Some).collect();
    let mut pairs = Vec::new();
    for old in before {
        let same = |new: &Option<Doc>| new.as_ref().is_some_and(|new| session_name(new) == session_name(&old));
        let new = after.iter_mut().find(|new| same(new)).and_then(Option::take);
        pairs.push([Some(old), new]);
    }
    pairs.extend(after.into_iter().flatten().map(|new| [None, Some(new)]));
    pairs
}

/// The name of a history of a database; `None` for other documents.
fn session_name(doc: &Doc) -> Option<String> {
    doc.cells.as_ref().map(|cells| cells.key.to_string())
}

/// Compares two documents, of which one may be missing.
fn compare_pair(run: &Run, pair: &[Option<Doc>; 2], scope: DiffScope) -> Result<DocDiff, Failure> {
    let nothing = Doc::of_bytes(DocId(u32::MAX), "", Vec::new());
    let docs = pair.each_ref().map(|doc| doc.as_ref().unwrap_or(&nothing));
    let sides =
        docs.map(|doc| DiffSide { id: doc.id, bytes: &*doc.bytes, options: run.lints.options_for(&doc.label) });
    let failed = |error: io::Error| UsageError::new(describe_error(&docs[0].label, &error));
    let mut comparison = compare(sides[0], sides[1], scope).map_err(failed)?;
    for (unread, _) in comparison.unread.iter_mut().zip(pair).filter(|(_, doc)| doc.is_none()) {
        *unread = 0;
    }
    for (doc, (histories, unread)) in pair.iter().zip(comparison.histories.into_iter().zip(comparison.unread)) {
        if let Some(doc) = doc {
            report_unread(doc, histories, unread)?;
        }
    }
    let (old, new) = ((docs[0].id, &*docs[0].bytes), (docs[1].id, &*docs[1].bytes));
    history_diff::locate(&mut comparison.differences, old, new).map_err(failed)?;
    for difference in &mut comparison.differences {
        let sides = [&mut difference.histories.0, &mut difference.histories.1];
        for (found, doc) in sides.into_iter().zip(docs) {
            if let (Some(found), Some(name)) = (found, session_name(doc)) {
                found.label = Some(name.into());
            }
        }
    }
    Ok(comparison)
}

/// The only conversation file of an archive; the input itself if it is not an archive.
fn single_member(run: &Run, input: Input) -> Result<Input, Failure> {
    let Some(mut members) = run.members(&input)? else { return Ok(input) };
    match (members.pop(), members.len()) {
        (Some(only), 0) => Ok(only),
        (_, more) => {
            let path = label_of(&input);
            let path = display_name(&path);
            let count = more + 1;
            let what = if more == 0 { "no file to compare".to_owned() } else { format!("{count} files") };
            Err(UsageError::new(format!("{path}: the archive contains {what}; extract the file to compare"))
                .into())
        }
    }
}

/// Reports records of a document that were not compared.
fn report_unread(doc: &Doc, histories: usize, unread: u32) -> Result<(), UsageError> {
    if histories == 0 {
        let check = CommandLine::new("check").on_input(&doc.label);
        let help = format!("run `{check}` for the reason, or specify --format or --pointer");
        return Err(UsageError::new(format!("{}: no conversation found", display_name(&doc.label))).help(help));
    }
    if unread > 0 {
        print_note(&format!(
            "{}: {} could not be read and may differ",
            display_name(&doc.label),
            count(u64::from(unread), "record")
        ));
    }
    Ok(())
}
