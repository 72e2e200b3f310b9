//! The target and the options of a conversion.

use crate::dialect::{Dialect, OutputShape};
use crate::target::Target;

/// The treatment of reasoning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReasoningMode {
    /// Keep it where the target's model can use it.
    #[default]
    Auto,
    /// Turn readable reasoning into text of the model.
    Text,
    /// Remove it.
    Drop,
}

/// The target of a conversion.
pub struct ConvertPlan {
    pub dialect: &'static dyn Dialect,
    pub shape: OutputShape,
    pub reasoning: ReasoningMode,
    /// The model that the result names; `None`: that of the source.
    pub model: Option<String>,
    /// The target that the user named, if any.
    pub target: Option<&'static Target>,
}
