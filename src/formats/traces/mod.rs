//! Records of requests by gateways, evaluations and tracers.

pub mod inspect_log;
pub mod langfuse;
pub mod litellm_log;
pub mod openinference;
pub mod otel_genai;
mod spans;
