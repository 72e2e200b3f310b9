//! Checks the model that the result names: the target cannot use another provider's, and may require one.

use crate::dialect::OutputShape;
use crate::message::{LossKind, Losses, SourceLocation, Thread};
use crate::targets::models;

use super::plan::ConvertPlan;

pub fn fit(conversation: &Thread, plan: &ConvertPlan, losses: &mut Losses) {
    if plan.shape == OutputShape::Items || !plan.dialect.info().capabilities.names_model {
        return;
    }
    match &conversation.model {
        None => losses.add(LossKind::NO_MODEL, SourceLocation::default()),
        Some(model) => {
            let name = String::from_utf8_lossy(&model.plain()).into_owned();
            let is_other_provider =
                models::vendor(&name).is_some_and(|maker| !models::serves(plan.dialect.info().name, maker));
            // A model given on the command line has no place in the file.
            if is_other_provider
                && plan.model.is_none()
                && let Some(at) = conversation.model_at
            {
                losses.add(LossKind::MODEL, at);
            }
        }
    }
}
