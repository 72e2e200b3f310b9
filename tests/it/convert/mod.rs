//! Conversions and their losses.

pub mod across;
pub mod carry;
pub mod cases;
pub mod conservation;
pub mod excuses;
pub mod keys;
