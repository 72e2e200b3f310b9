//! Writing files: in one step, with a backup, or to a pipe.

pub mod backup;
pub mod commit;
pub mod journal;
pub mod metadata;
pub mod new_file;
pub mod pipe;
pub mod restore;
pub mod temp;
pub mod users;
