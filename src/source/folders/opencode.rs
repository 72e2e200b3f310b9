//! The storage of opencode before its databases: `session/<project>/<session>.json`, `message/<session>/<message>.json`,
//! `part/<message>/<part>.json`.

use std::path::{Path, PathBuf};

use super::layout::{Kind, Member, is_like, listed};

pub(super) static SESSIONS: Kind = Kind { format: "opencode-session", of, files };

fn of(path: &Path) -> Option<Member<'_>> {
    let folder = path.parent()?;
    let kind = folder.parent()?;
    let name = |path: &'static str| kind.file_name().is_some_and(|name| name == path);
    let root = kind.parent()?;
    let session = match () {
        () if name("session") => path.file_stem()?.to_str()?,
        () if name("message") => folder.file_name()?.to_str()?,
        // A part names its message alone: it stays as it is, unless its session is there.
        () => return None,
    };
    (root.join("message").is_dir() && root.join("part").is_dir()).then_some(Member { root, session })
}

/// Its own file, then each message with its parts after it.
fn files(root: &Path, session: &str) -> Option<Vec<PathBuf>> {
    let messages = listed(&root.join("message").join(session));
    // Others may have folders of these names.
    if !is_like(&messages, &["id", "role"]) {
        return None;
    }
    let own = listed(&root.join("session")).into_iter().map(|project| project.join(format!("{session}.json")));
    let mut files: Vec<PathBuf> = own.filter(|path| path.is_file()).take(1).collect();
    for message in messages {
        let parts = message.file_stem().map(|id| listed(&root.join("part").join(id)));
        files.push(message);
        files.extend(parts.into_iter().flatten());
    }
    Some(files)
}
