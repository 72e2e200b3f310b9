//! Stores whose messages another file references by position. A repair that adds or removes messages would invalidate
//! these references, so it is not applied in place.

use std::io;

use crate::format::Format;
use crate::json::{Tape, scan};
use crate::source::{Doc, PatchedView, ReadAt, display_name};

/// Why the repair of a document is not applied in place; `None` if it is.
pub(super) fn refusal(
    doc: &Doc,
    view: &PatchedView<'_>,
    format: &'static dyn Format,
) -> io::Result<Option<String>> {
    let Some(((file, member), path)) = format.info().positions.zip(doc.path.as_deref()) else { return Ok(None) };
    let beside = std::fs::read(path.with_file_name(file)).unwrap_or_default();
    if memchr::memmem::find(&beside, member.as_bytes()).is_none()
        || messages(&*doc.bytes, format)? == messages(view, format)?
    {
        return Ok(None);
    }
    Ok(Some(format!(
        "{}: not changed in place, because the repair adds or removes messages, and {file} in the same folder refers to them by \
         position ({member}); use -o to write a copy",
        display_name(&doc.label)
    )))
}

/// The number of messages in a text.
fn messages(bytes: &dyn ReadAt, format: &'static dyn Format) -> io::Result<u32> {
    let (mut text, mut tape) = (Vec::new(), Tape::new());
    let len = usize::try_from(bytes.len()).map_err(io::Error::other)?;
    bytes.read_into(0, len, &mut text)?;
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    let lists = format.info().parts.iter().filter_map(|part| root?.at(part.path));
    Ok(lists.filter(|list| list.is_array()).map(|list| list.count()).next().unwrap_or(0))
}
