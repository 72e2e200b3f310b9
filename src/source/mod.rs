//! Where bytes come from and go to: arguments become inputs, inputs become docs, docs become records, and a patched
//! doc replaces its file in one step.

pub mod bug;
pub mod bytes;
pub mod container;
pub mod damage;
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
mod printable;
pub mod segments;
pub mod split;
pub mod sqlite;

pub use bytes::cached_reader::Held;
pub use bytes::growable::Roomy;
pub use bytes::hints::{Known, Rows};
pub use bytes::read::{Memory, Patched, ReadAt, append};
pub use bytes::synthetic::Made;
pub use container::Container;
pub use doc::{Doc, Sequential};
pub use file_stamp::{Packing, Stamp};
pub use inputs::unpack::{MOST_UNPACKED, Opening, Unpacked};
pub use inputs::walk::Input;
pub use printable::{display_lines, display_name, display_path, is_hidden, shell_word};
pub use segments::Segment;

/// What went wrong with a file of this name, without the system's number after it.
pub fn words(name: &str, error: &std::io::Error) -> String {
    format!("{}: {}", display_name(name), reason(error))
}

/// What the system says about an error, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
