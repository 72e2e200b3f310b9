//! Sessions of Cline, and of Roo Code and Kilo Code, which came from it.

pub mod roo_task;
pub mod session;
mod task;
