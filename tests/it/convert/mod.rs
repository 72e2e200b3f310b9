//! Conversions, and what they lose.

pub mod across;
pub mod carry;
pub mod cases;
pub mod conservation;
pub mod conserved;
pub mod keys;
