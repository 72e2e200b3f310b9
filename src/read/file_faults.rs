//! Faults of the files that a session consists of, as findings at the lines that they are read as.

use std::io;

use crate::history::{Finding, Row, codes};
use crate::place::{DocId, Place};
use crate::source::{FileFault, FileFaultKind, ReadAt, lines};

/// The faults of a doc's files, each with the line of its file.
pub(super) fn place_faults(id: DocId, bytes: &dyn ReadAt) -> io::Result<Vec<(Place, FileFault)>> {
    let faults = bytes.file_faults();
    let Some(last) = faults.iter().map(|fault| fault.file).max() else { return Ok(Vec::new()) };
    let mut places = Vec::with_capacity(last + 1);
    let mut at = 0;
    while places.len() <= last {
        let line = lines::line_at(bytes, id, 0, at)?;
        places.push(line);
        at = line.end();
    }
    Ok(faults.iter().filter_map(|fault| Some((*places.get(fault.file)?, *fault))).collect())
}

/// True if a finding about the bytes of a file is explained by a fault of that file.
pub(super) fn explain(faults: &[(Place, FileFault)], finding: &Finding) -> bool {
    let is_about_bytes = matches!(finding.code, codes::INVALID_JSON | codes::TRUNCATED_LAST_LINE);
    is_about_bytes
        && faults.iter().any(|(line, fault)| {
            fault.kind == FileFaultKind::NotJson
                && line.start <= finding.row.at.start
                && finding.row.at.start < line.end()
        })
}

/// A fault as a finding.
pub(super) fn finding(line: Place, fault: &FileFault) -> Finding {
    let why = match fault.kind {
        FileFaultKind::RepeatedNumber => {
            "move the file that does not belong to the conversation out of the folder"
        }
        FileFaultKind::Empty | FileFaultKind::NotJson => {
            "restore the file from a backup; if it is the last one, move it out of the folder"
        }
        FileFaultKind::UnreadJournal => "resume the session once: Vibe then writes a new generation",
        FileFaultKind::MissingNumber | FileFaultKind::WrongDigest | FileFaultKind::Missing => {
            "restore the file from a backup"
        }
    };
    let row = Row::of_place(line, 0);
    Finding::new(codes::SESSION_FILE, row).variant(fault.kind as u8).arg(fault.number).never(why)
}
