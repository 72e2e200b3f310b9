//! What the user wants of a conversion.

use crate::dialect::{Dialect, Written};
use crate::target::Target;

/// What becomes of reasoning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Thoughts {
    /// Kept where it means something to the model that reads it.
    #[default]
    Auto,
    /// What can be read of it becomes text of the model.
    Text,
    /// All of it goes.
    Drop,
}

/// What to convert to.
pub struct Plan {
    pub to: &'static dyn Dialect,
    pub written: Written,
    pub thoughts: Thoughts,
    /// The model that the result names, instead of the one that the source does.
    pub model: Option<String>,
    /// The target that was asked for, if there is one.
    pub target: Option<&'static Target>,
}
