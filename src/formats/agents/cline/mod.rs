//! Sessions of Cline and of its forks Roo Code and Kilo Code.

pub mod resume;
pub mod roo_task;
pub mod session;
mod task;
