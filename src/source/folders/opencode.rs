//! The storage of opencode before its databases: `session/<project>/<session>.json`, `message/<session>/<message>.json`,
//! `part/<message>/<part>.json`.

use std::path::{Path, PathBuf};

use super::layout::{FolderLayout, FolderMember, any_has_strings, is_json, list_json};
use crate::source::bytes::hints::RowAccess;

pub(super) static SESSIONS: FolderLayout = FolderLayout {
    format: "opencode-session",
    of,
    files,
    rows: RowAccess::Editable,
    faults: |_, _, _| Vec::new(),
    new_file: |_, _| None,
};

fn of(path: &Path) -> Option<FolderMember<'_>> {
    is_json(path)?;
    let folder = path.parent()?;
    let kind = folder.parent()?;
    let name = |path: &'static str| kind.file_name().is_some_and(|name| name == path);
    let root = kind.parent()?;
    let session = match () {
        () if name("session") => path.file_stem()?.to_str()?,
        () if name("message") => folder.file_name()?.to_str()?,
        // A part names only its message: it remains an input of its own unless its session is among the inputs.
        () => return None,
    };
    (root.join("message").is_dir() && root.join("part").is_dir()).then_some(FolderMember { root, session })
}

/// The file of the session, then each message followed by its parts.
fn files(root: &Path, session: &str) -> Option<Vec<PathBuf>> {
    let messages = list_json(&root.join("message").join(session));
    // Others may have folders of these names.
    if !any_has_strings(&messages, &["id", "role"]) {
        return None;
    }
    let own = list_json(&root.join("session")).into_iter().map(|project| project.join(format!("{session}.json")));
    let mut files: Vec<PathBuf> = own.filter(|path| path.is_file()).take(1).collect();
    for message in messages {
        let parts = message.file_stem().map(|id| list_json(&root.join("part").join(id)));
        files.push(message);
        files.extend(parts.into_iter().flatten());
    }
    Some(files)
}
