//! The plan of a history: what becomes of each item, before any byte is changed.

pub mod blocks;
pub mod by_flag;
pub mod feasibility;
pub mod history_plan;
pub mod memo;
pub mod mode;
pub mod modes;
pub mod pairs;
pub mod planner;
pub mod references;
pub mod rows;
pub mod selection;
pub mod tally;
pub mod thinking;
pub mod turns;
