//! Lines for training that name no API.

pub mod alpaca;
pub mod sharegpt;
