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

/// The treatment of calls that the server ran, where the target has no such items.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ServerTools {
    /// Leave them out.
    #[default]
    Drop,
    /// Write what they were asked and returned as text of the model.
    Text,
}

/// The target of a conversion.
pub struct ConvertPlan {
    pub dialect: &'static dyn Dialect,
    pub shape: OutputShape,
    pub reasoning: ReasoningMode,
    pub server_tools: ServerTools,
    /// The model that the result names; `None`: that of the source.
    pub model: Option<String>,
    /// The target that the user named, if any.
    pub target: Option<&'static Target>,
}

impl ConvertPlan {
    /// A conversion without options.
    pub const fn to(dialect: &'static dyn Dialect, shape: OutputShape) -> ConvertPlan {
        ConvertPlan {
            dialect,
            shape,
            reasoning: ReasoningMode::Auto,
            server_tools: ServerTools::Drop,
            model: None,
            target: None,
        }
    }
}
