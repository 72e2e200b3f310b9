//! Where bytes come from and go to: arguments become inputs, inputs become docs, docs become records, and a patched
//! doc replaces its file in one step.

pub mod archive;
mod backup;
pub mod bug;
pub mod commit;
pub mod damage;
pub mod doc;
pub mod filter;
pub mod folders;
pub mod framing;
pub mod globs;
mod held;
pub mod identity;
mod ignored;
mod keep;
pub mod known;
mod known_bytes;
pub mod lineage;
pub mod lines;
pub mod made;
pub mod overflow;
pub mod parallel;
pub mod piped;
mod prefix;
mod printable;
pub mod product;
pub mod read;
mod roomy;
pub mod segments;
mod special;
pub mod split;
pub mod spool;
pub mod sqlite;
pub mod stamp;
mod temp;
mod unpack;
mod users;
pub mod walk;
pub mod zstandard;

pub use doc::{Doc, Sequential};
pub use framing::Container;
pub use held::Held;
pub use made::Made;
pub use printable::{display_lines, display_name, display_path, is_hidden, shell_word};
pub use read::{Memory, Patched, ReadAt, append};
pub use roomy::Roomy;
pub use segments::Segment;
pub use stamp::{Packing, Stamp};
pub use unpack::{MOST_UNPACKED, Opening, Unpacked};
pub use walk::Input;

/// What went wrong with a file of this name, without the system's number after it.
pub fn words(name: &str, error: &std::io::Error) -> String {
    format!("{}: {}", display_name(name), reason(error))
}

/// What the system says about an error, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
