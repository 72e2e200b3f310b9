//! The command line, its documentation, config files.

pub mod baselines;
pub mod command_lines;
pub mod configs;
pub mod doctor;
pub mod evidence;
pub mod examples;
pub mod first_steps;
pub mod follow;
#[cfg(feature = "lsp")]
pub mod lsp;
pub mod pages;
pub mod products;
pub mod readme;
pub mod recipes;
pub mod rule_pages;
pub mod serve;
