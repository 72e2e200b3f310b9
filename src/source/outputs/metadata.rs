//! What a file has besides its bytes, given to the file that takes its place: permissions, owner, group and extended
//! attributes, of which access control lists are some.

use std::fs::{File, Metadata};
use std::io;

/// Gives a new file what an old one has. Returns what the system did not let it have, in words.
#[cfg(unix)]
pub fn attributes(old: &File, new: &File) -> io::Result<Vec<String>> {
    let meta = old.metadata()?;
    let mut lost = Vec::new();
    let group_kept = owner(&meta, new, &mut lost)?;
    // Before the permissions, which may forbid writing; lists after them, for they say the same in more detail.
    let (lists, plain): (Vec<_>, Vec<_>) = names(old).into_iter().partition(|name| is_list(name));
    let mut refused = Vec::new();
    for name in &plain {
        copy(old, new, name, &mut refused);
    }
    let wanted = permissions(&meta, group_kept);
    if new.metadata()?.permissions() != wanted && new.set_permissions(wanted).is_err() {
        lost.push("permissions".to_owned());
    }
    for name in names(new).iter().filter(|name| is_list(name) && !lists.contains(name)) {
        // The folder's default list, which the old file does not have.
        let _ = xattr::FileExt::remove_xattr(new, name);
    }
    for name in &lists {
        copy(old, new, name, &mut refused);
    }
    if !refused.is_empty() {
        lost.push(format!("extended attributes: {}", refused.join(", ")));
    }
    Ok(lost)
}

/// Returns whether the group is the same.
#[cfg(unix)]
fn owner(old: &Metadata, new: &File, lost: &mut Vec<String>) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let is = new.metadata()?;
    if (is.uid(), is.gid()) == (old.uid(), old.gid()) {
        return Ok(true);
    }
    // The group first: a file that was given away cannot be given to a group any more.
    let group = is.gid() == old.gid() || fchown(new, None, Some(old.gid())).is_ok();
    if is.uid() != old.uid() && fchown(new, Some(old.uid()), None).is_err() {
        lost.push(format!("owner (user {} instead of {})", is.uid(), old.uid()));
    }
    if !group {
        lost.push(format!("group ({} instead of {}; it gets the permissions of others)", is.gid(), old.gid()));
    }
    Ok(group)
}

/// A group that is another one may do no more than everybody. Nobody runs a file as somebody else who did not before.
#[cfg(unix)]
fn permissions(old: &Metadata, group_kept: bool) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    let mode = old.permissions().mode() & 0o777;
    let mode = if group_kept { mode } else { mode & !0o070 | (mode & 0o070 & ((mode & 0o007) << 3)) };
    PermissionsExt::from_mode(mode)
}

/// A file system without attributes has none to keep.
#[cfg(unix)]
fn names(file: &File) -> Vec<std::ffi::OsString> {
    xattr::FileExt::list_xattr(file).into_iter().flatten().collect()
}

#[cfg(unix)]
fn is_list(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"system.posix_acl")
}

#[cfg(unix)]
fn copy(old: &File, new: &File, name: &std::ffi::OsStr, refused: &mut Vec<String>) {
    use xattr::FileExt;
    let value = old.get_xattr(name);
    if let Ok(value) = &value
        && new.get_xattr(name).is_ok_and(|has| has == *value)
    {
        return;
    }
    let copied = value.and_then(|value| value.map_or(Ok(()), |value| new.set_xattr(name, &value)));
    if copied.is_err() {
        refused.push(name.to_string_lossy().into_owned());
    }
}

#[cfg(not(unix))]
pub fn attributes(old: &File, new: &File) -> io::Result<Vec<String>> {
    let meta: Metadata = old.metadata()?;
    let kept = new.set_permissions(meta.permissions()).is_ok();
    Ok(if kept { Vec::new() } else { vec!["permissions".to_owned()] })
}
