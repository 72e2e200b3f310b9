//! Files that are written: in one step, with a backup, or to a pipe.

pub mod backup;
pub mod commit;
pub mod journal;
pub mod metadata;
pub mod pipe;
pub mod product;
pub mod restore;
pub mod temp;
pub mod users;
