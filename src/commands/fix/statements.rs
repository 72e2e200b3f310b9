//! `fix --output-format sql`: the repair of an export as statements for the database that it is from. Every statement finds
//! its row only with the content that was exported, and one that finds none ends the transaction: either the whole repair
//! is applied, or nothing.

use std::io::{self, Write};

use foldhash::HashMap;

use crate::format::{ExportedTable, FormatInfo};
use crate::json::Val;
use crate::options::UsageError;
use crate::place::{DocId, Pieces};
use crate::read::records;
use crate::repair::Action;
use crate::report::command_line::CommandLine;
use crate::source::{PatchedView, ReadAt, display_name};

use super::super::Failure;
use super::plan::RepairOutcome;

/// The rows of an export: the JSON of each key, and that of the content.
type Rows = Vec<(Vec<u8>, Vec<u8>)>;

/// Writes the statements that repair the rows of a document.
pub(super) fn write(done: &RepairOutcome, out: &mut dyn Write) -> Result<(), Failure> {
    let doc = &done.doc;
    let info = done.fixed.before.format.map(|format| format.info());
    let Some((info, table)) = info.and_then(|info| Some((info, info.table?))) else {
        let what = display_name(&doc.label);
        return Err(
            UsageError::new(format!("{what}: SQL is printed only for rows of a table, such as coder's")).into()
        );
    };
    let edits = done.fixed.patch.edits(doc.id);
    if edits.is_empty() {
        return Ok(());
    }
    let view = PatchedView::new(&*doc.bytes, Pieces::new(edits, doc.id, doc.bytes.len()));
    let (before, unnamed) = rows(&*doc.bytes, doc.id, info, table)?;
    let (after, unnamed_after) = rows(&view, doc.id, info, table)?;
    if unnamed_after > unnamed {
        let what = format!(
            "{}: the repair adds a row, and the table is ordered by {}",
            display_name(&doc.label),
            table.key
        );
        let drop = CommandLine::new("fix").with("--orphans", "drop").with("--output-format", "sql");
        let is_stubbed = done.fixed.changes.iter().any(|change| change.action == Action::Stub);
        let instead = format!("; `{}` removes calls without a result instead", drop.on_input(&doc.label));
        return Err(UsageError::new(if is_stubbed { what + &instead } else { what }).into());
    }
    let after: HashMap<Vec<u8>, Vec<u8>> = after.into_iter().collect();
    let tag = tag_for(&view, &*doc.bytes)?;
    writeln!(out, "BEGIN;\nDO ${tag}$ BEGIN")?;
    for (key, old) in &before {
        let new = after.get(key);
        if new == Some(old) {
            continue;
        }
        let ExportedTable { name, key: id, column } = table;
        match new {
            Some(new) => {
                write!(out, "  UPDATE {name} SET {column} = ")?;
                write_json(new, out)?;
                write!(out, "\n    WHERE {id} = ")?;
            }
            None => write!(out, "  DELETE FROM {name}\n    WHERE {id} = ")?,
        }
        write_key(key, out)?;
        write!(out, " AND {column} = ")?;
        write_json(old, out)?;
        out.write_all(b";\n  IF NOT FOUND THEN RAISE EXCEPTION 'a row has changed since it was exported: %', ")?;
        write_key(key, out)?;
        out.write_all(b"; END IF;\n")?;
    }
    writeln!(out, "END ${tag}$;\nCOMMIT;")?;
    Ok(())
}

/// The rows that have a key, and the number of those that have none.
fn rows(bytes: &dyn ReadAt, id: DocId, info: &FormatInfo, table: &ExportedTable) -> io::Result<(Rows, usize)> {
    let (mut rows, mut unnamed) = (Rows::new(), 0);
    let path = info.parts.first().map_or(&[][..], |part| part.path);
    records::each_value(id, bytes, u64::MAX, &mut |val, _| {
        let list = val.at(path).filter(Val::is_array);
        for row in list.map_or(vec![val], |list| list.elements().collect()) {
            match (row.get(table.key).filter(|key| !key.is_null()), row.get(table.column)) {
                (Some(key), Some(content)) => {
                    rows.push((key.raw().to_vec(), content.raw().to_vec()));
                }
                _ => unnamed += 1,
            }
        }
        true
    })?;
    Ok((rows, unnamed))
}

/// A tag for a quoted block that no row contains.
fn tag_for(view: &dyn ReadAt, before: &dyn ReadAt) -> io::Result<String> {
    let texts = [text_of(view)?, text_of(before)?];
    let is_free = |tag: &String| {
        let quoted = format!("${tag}$").into_bytes();
        texts.iter().all(|text| !text.windows(quoted.len()).any(|own| own == quoted))
    };
    let mut tags = (0..).map(|n| if n == 0 { "repair".to_owned() } else { format!("repair{n}") });
    Ok(tags.find(is_free).unwrap_or_default())
}

fn text_of(bytes: &dyn ReadAt) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    bytes.read_into(0, bytes.len() as usize, &mut text)?;
    Ok(text)
}

/// A number as it is, any other key as a text.
fn write_key(key: &[u8], out: &mut dyn Write) -> io::Result<()> {
    match key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\"")) {
        Some(text) => write_quoted(text, out),
        None => out.write_all(key),
    }
}

fn write_json(json: &[u8], out: &mut dyn Write) -> io::Result<()> {
    write_quoted(json, out)?;
    out.write_all(b"::jsonb")
}

/// A string constant: a quote is doubled, and a backslash means itself.
fn write_quoted(text: &[u8], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"'")?;
    for (n, piece) in text.split(|b| *b == b'\'').enumerate() {
        if n > 0 {
            out.write_all(b"''")?;
        }
        out.write_all(piece)?;
    }
    out.write_all(b"'")
}
