//! The model that the result names: another provider's is of no use to the target, and it may want one.

use crate::dialect::Written;
use crate::message::{At, LossKind, Losses, Thread};
use crate::targets::models;

use super::plan::Plan;

pub fn fit(conversation: &Thread, plan: &Plan, losses: &mut Losses) {
    if plan.written == Written::Items || !plan.to.info().capabilities.names_model {
        return;
    }
    match &conversation.model {
        None => losses.add(LossKind::NO_MODEL, At::default()),
        Some(model) => {
            let name = String::from_utf8_lossy(&model.plain()).into_owned();
            let elsewhere = models::maker(&name).is_some_and(|maker| !models::serves(plan.to.info().name, maker));
            // What was asked for is nobody's mistake but the user's, and has no place in the file.
            if elsewhere
                && plan.model.is_none()
                && let Some(at) = conversation.model_at
            {
                losses.add(LossKind::MODEL, at);
            }
        }
    }
}
