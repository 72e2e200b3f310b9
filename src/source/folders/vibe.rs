//! A session of Mistral Vibe 3: `CURRENT` names a generation, and the manifest of that the chunks with its messages.
//! Everything else in the folder is the state of the program.

use std::path::{Path, PathBuf};

use crate::json::{Tape, Val, scan};

use super::layout::{FolderLayout, FolderMember, read};
use crate::source::bytes::digest;
use crate::source::bytes::hints::{FileFaultKind, RowAccess};

pub(super) static SESSIONS: FolderLayout =
    FolderLayout { format: "vibe-session", of, files, rows: RowAccess::ReadOnly, faults, new_file: |_, _| None };

const POINTER: &str = "CURRENT";
const MANIFEST: &str = "manifest.json";
const CHUNKS: &str = "chunks";

fn of(path: &Path) -> Option<FolderMember<'_>> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent()?;
    let is_in = |folder: &Path, name: &str| folder.file_name().is_some_and(|own| own == name);
    let root = match name {
        POINTER | "meta.json" | "scheduled-loops.json" => folder,
        _ if is_in(folder, CHUNKS) || is_in(folder, "journal") => folder.parent()?,
        _ => folder.parent().filter(|above| is_in(above, "generations"))?.parent()?,
    };
    (root.join(POINTER).is_file() && root.join("generations").is_dir())
        .then_some(FolderMember { root, session: "" })
}

/// The pointer, the state and the checkpoint of the newest generation, and its chunks.
fn files(root: &Path, _: &str) -> Option<Vec<PathBuf>> {
    let pointer = root.join(POINTER);
    let generation = with_json(&pointer, |val| {
        val.get("store_format")?;
        // It is the name of a folder.
        text(val.get("generation")?).filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
    })?;
    let folder = root.join("generations").join(generation);
    let manifest = folder.join(MANIFEST);
    let chunks = with_json(&manifest, |val| {
        let list = val.at(&["checkpoint", "chunks"]).into_iter().flat_map(|list| list.elements());
        Some(list.filter_map(text).filter(|name| is_digest(name)).collect::<Vec<_>>())
    })?;
    let states = ["runtime-state.json", "checkpoint.json"].map(|name| folder.join(name));
    let chunks = chunks.into_iter().map(|name| root.join(CHUNKS).join(format!("{name}.json")));
    Some([pointer, manifest].into_iter().chain(states).chain(chunks).collect())
}

fn with_json<T>(path: &Path, see: impl FnOnce(Val<'_>) -> Option<T>) -> Option<T> {
    let (text, mut tape) = (read(path).ok()?, Tape::new());
    scan(&text, &mut tape).ok()?;
    see(tape.root(&text)?)
}

fn text(val: Val<'_>) -> Option<String> {
    String::from_utf8(val.text()?.into_owned()).ok()
}

fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn faults(_: Option<&Path>, path: &Path, content: Option<&[u8]>) -> Vec<(FileFaultKind, u64)> {
    let Some(content) = content else { return vec![(FileFaultKind::Missing, 0)] };
    if path.ends_with(MANIFEST) && has_journal(path).is_some() {
        return vec![(FileFaultKind::UnreadJournal, 0)];
    }
    let named = path.file_stem().and_then(|name| name.to_str()).filter(|name| is_digest(name));
    // The line end is not part of the content.
    let body = content.strip_suffix(b"\n").unwrap_or(content);
    let own = || digest::sha256(body);
    match named.is_none_or(|named| own() == named) {
        true => Vec::new(),
        false => vec![(FileFaultKind::WrongDigest, 0)],
    }
}

/// `None` if the journal that a manifest names is empty.
fn has_journal(manifest: &Path) -> Option<()> {
    let name = with_json(manifest, |val| text(val.at(&["recovery_journal_segment", "path"])?))?;
    let journal = manifest.ancestors().nth(3)?.join("journal").join(Path::new(&name).file_name()?);
    (std::fs::metadata(journal).ok()?.len() > 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_of_a_chunk_has_the_digest_that_it_is_named_by() {
        let name = "chunks/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.json";
        let found = |content: Option<&[u8]>| faults(None, Path::new(name), content);
        assert_eq!(found(Some(b"abc\n")), []);
        assert_eq!(found(Some(b"abd\n")), [(FileFaultKind::WrongDigest, 0)]);
        assert_eq!(found(None), [(FileFaultKind::Missing, 0)]);
    }
}
