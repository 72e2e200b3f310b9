//! What is asked of a request that is to be built, and what comes of it.

use crate::judge;
use crate::place::DocId;
use crate::repair::{FixOptions, Fixed};
use crate::target::Target;

use super::cut::{Budget, Cut};
use super::{Advice, ChainOptions};

/// When to build on the server's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Where it is safe.
    #[default]
    Auto,
    Always,
    Never,
}

/// What is asked for.
pub struct Rebuild<'r> {
    pub policy: Policy,
    pub chain: &'r ChainOptions,
    /// What the user says next.
    pub ask: Option<&'r str>,
    pub budget: Option<Budget>,
    pub fix: &'r FixOptions,
    /// The target to judge it for.
    pub target: Option<&'static Target>,
    pub lint: &'r judge::Options,
}

/// A request that was built, and how.
pub struct Rebuilt {
    pub verdict: Advice,
    /// It builds on this response.
    pub chained: Option<String>,
    pub kept: Option<Cut>,
    /// Items of the repaired input, and what they are called.
    pub items: usize,
    pub unit: &'static str,
    /// What the reader should know, in words.
    pub notes: Vec<String>,
    /// The body before its repair, and the repair.
    pub body: Vec<u8>,
    pub fixed: Fixed,
}

/// The id under which the body is judged.
pub const BODY: DocId = DocId(u32::MAX);
