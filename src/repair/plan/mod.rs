//! The plan of a history: the decision about each item for certain acts, before any byte is changed.

pub mod answered_calls;
pub mod blocks;
pub mod chosen_act;
pub mod feasibility;
pub mod flag_requests;
pub mod history_plan;
pub mod images;
pub mod item_decision;
pub mod memo;
pub mod modes;
pub mod outcome;
pub mod pairs;
pub mod planned_change;
pub mod reasons;
pub mod references;
pub mod selection;
pub mod short_key;
pub mod shorten;
pub mod stripped_reasoning;
pub mod tally;
pub mod thinking;
pub mod turns;
