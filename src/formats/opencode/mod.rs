//! What opencode stores, in the forms that it is stored in: messages with their parts.

pub(super) mod message;
pub(super) mod repair;
pub(super) mod rows;
pub(super) mod session;
