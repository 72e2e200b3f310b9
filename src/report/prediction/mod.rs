//! What a check may promise: what the default repair would do, found out by planning it.

pub mod fix_outcome;
pub mod promise;
