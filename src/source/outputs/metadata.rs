//! Copying metadata to the file that replaces another: permissions, owner, group and extended attributes,
//! including access control lists.

use std::fs::{File, Metadata};
use std::io;

/// Copies the metadata of an old file to a new one. Returns what could not be copied, in words.
#[cfg(unix)]
pub fn copy_attributes(old: &File, new: &File) -> io::Result<Vec<String>> {
    let meta = old.metadata()?;
    let mut lost = Vec::new();
    let group_kept = copy_owner(&meta, new, &mut lost)?;
    // Attributes before the permissions, which may forbid writing; access control lists after them, which they
    // refine.
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
        // The folder's default access control list, which the old file does not have.
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

/// Copies owner and group. Returns true if the group is the same.
#[cfg(unix)]
fn copy_owner(old: &Metadata, new: &File, lost: &mut Vec<String>) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let is = new.metadata()?;
    if (is.uid(), is.gid()) == (old.uid(), old.gid()) {
        return Ok(true);
    }
    // The group first: after a change of the owner it cannot be changed any more.
    let group = is.gid() == old.gid() || fchown(new, None, Some(old.gid())).is_ok();
    if is.uid() != old.uid() && fchown(new, Some(old.uid()), None).is_err() {
        lost.push(format!("owner (user {} instead of {})", is.uid(), old.uid()));
    }
    if !group {
        lost.push(format!("group ({} instead of {}; it gets the permissions of others)", is.gid(), old.gid()));
    }
    Ok(group)
}

/// The permissions to set. A different group may do no more than others; set-user-ID and set-group-ID bits are
/// dropped.
#[cfg(unix)]
fn permissions(old: &Metadata, group_kept: bool) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    let mode = old.permissions().mode() & 0o777;
    let mode = if group_kept { mode } else { mode & !0o070 | (mode & 0o070 & ((mode & 0o007) << 3)) };
    PermissionsExt::from_mode(mode)
}

/// Empty on a file system without attributes.
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
pub fn copy_attributes(old: &File, new: &File) -> io::Result<Vec<String>> {
    let meta: Metadata = old.metadata()?;
    let kept = new.set_permissions(meta.permissions()).is_ok();
    Ok(if kept { Vec::new() } else { vec!["permissions".to_owned()] })
}
