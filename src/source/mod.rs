//! Reading and writing of bytes: arguments become inputs, inputs become docs, docs become records, and a patched
//! doc replaces its file in one step.

pub mod bug;
pub mod bytes;
pub mod container;
pub mod damage;
mod display;
pub mod doc;
pub mod file_stamp;
pub mod folders;
pub mod framing;
pub mod identity;
pub mod inputs;
pub mod lineage;
pub mod lines;
pub mod outputs;
pub mod parallel;
pub mod recordings;
pub mod segments;
pub mod split;
pub mod sqlite;

pub use bytes::cached_reader::CachedReader;
pub use bytes::growable::GrowableBytes;
pub use bytes::hints::{ByteHints, FileFault, FileFaultKind, RowAccess};
pub use bytes::read::{BorrowedBytes, PatchedView, ReadAt, append_piece};
pub use bytes::synthetic::SyntheticText;
pub use container::Container;
pub use display::{display_lines, display_name, display_path, is_hidden, shell_word};
pub use doc::{Doc, SequentialReader};
pub use file_stamp::{FileStamp, Packing};
pub use inputs::unpack::{InputOptions, MAX_UNPACKED, OpenText, UnpackedSize};
pub use inputs::walk::Input;
pub use segments::Segment;

/// An error message about a file, without the system's error number.
pub fn describe_error(name: &str, error: &std::io::Error) -> String {
    format!("{}: {}", display_name(name), reason(error))
}

/// The system's error message, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
