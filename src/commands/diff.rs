//! `diff`: what became of the items of one history in another, and of the settings around them.

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use crate::diff::compare::{Fates, Scope, Side, compare};
use crate::options::Misuse;
use crate::place::DocId;
use crate::report::histories;
use crate::report::words::{count, wrapped};
use crate::report::{self, Content};
use crate::source::{Doc, Input, words};

use super::check::label_of;
use super::{Failure, Outcome, Run, talk};

pub fn diff(run: &Run, scope: Scope, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let [a, b] = run.paths.as_slice() else {
        return Err(Misuse::new("diff takes two files")
            .help("`replaylint diff A B`; `-` is standard input")
            .into());
    };
    let (before, after) = (open(run, a, 0)?, open(run, b, 1)?);
    let sides =
        [&before, &after].map(|doc| Side { id: doc.id, bytes: &*doc.bytes, options: run.lints.of(&doc.label) });
    let failed = |doc: &Doc, error: io::Error| Misuse::new(words(&doc.label, &error));
    let mut compared = compare(sides[0], sides[1], scope).map_err(|error| failed(&before, error))?;
    for (doc, (histories, unread)) in
        [&before, &after].into_iter().zip(compared.histories.into_iter().zip(compared.unread))
    {
        say_unread(doc, histories, unread)?;
    }
    let (old, new) = ((before.id, &*before.bytes), (after.id, &*after.bytes));
    histories::locate(&mut compared.differences, old, new).map_err(|error| failed(&before, error))?;
    let (differences, reordered) = (compared.differences, compared.reordered);
    let mut sum = Fates::default();
    differences.iter().for_each(|difference| sum.add(difference.count()));
    if run.outputs.iter().any(|output| output.name == "json") {
        report::write_pretty(&json!(histories::diff(&differences, reordered)), out)?;
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
            wrapped(&words, run.style.width, "").iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
    }
    // What could not be read may differ.
    Ok(match (compared.unread.iter().sum::<u32>(), (sum.differ() || reordered) && !run.exit_zero) {
        (1.., _) => Outcome::Failed,
        (0, true) => Outcome::Found,
        (0, false) => Outcome::Clean,
    })
}

fn open(run: &Run, path: &Path, number: u32) -> Result<Doc, Failure> {
    let input = match path.as_os_str() == "-" {
        true => Input::Stdin,
        false => Input::File { path: path.to_owned(), named: true },
    };
    let input = only_member(run, input)?;
    let input = run.gathered(vec![input.clone()]).pop().unwrap_or(input);
    let opened = Doc::open(DocId(number), &input, run.stdin_name.as_deref());
    opened.map_err(|error| Misuse::new(words(&path.display(), &error)).into())
}

/// The only conversation file of an archive, if the input is one.
fn only_member(run: &Run, input: Input) -> Result<Input, Failure> {
    let Some(members) = run.filter.members(&input) else { return Ok(input) };
    let mut members = members.map_err(|error| Misuse::new(error.to_string()))?;
    match (members.pop(), members.len()) {
        (Some(only), 0) => Ok(only),
        (_, more) => {
            let path = label_of(&input);
            let count = more + 1;
            let what = if more == 0 { "no file to compare".to_owned() } else { format!("{count} files") };
            Err(Misuse::new(format!("{path}: the archive contains {what}; extract the one to compare")).into())
        }
    }
}

/// Says what of a doc was not compared.
fn say_unread(doc: &Doc, histories: usize, unread: u32) -> Result<(), Misuse> {
    if histories == 0 {
        let help = "run `replaylint check` to see why; --format and --pointer say what the file is";
        return Err(Misuse::new(format!("{}: no conversation was found", doc.label)).help(help));
    }
    if unread > 0 {
        talk(&format!(
            "{}: {} could not be read: what they hold may differ",
            doc.label,
            count(u64::from(unread), "record")
        ));
    }
    Ok(())
}
