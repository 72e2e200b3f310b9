//! The plan of a history: what becomes of each item when certain acts are made, before any byte is changed.

pub mod answered;
pub mod blocks;
pub mod by_flag;
pub mod chosen;
pub mod feasibility;
pub mod history_plan;
pub mod memo;
pub mod modes;
pub mod pairs;
pub mod predicted;
pub mod reasons;
pub mod references;
pub mod selection;
pub mod tally;
pub mod thinking;
pub mod turns;
