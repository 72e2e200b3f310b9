//! The command line, its documents, config files.

pub mod baselines;
pub mod command_lines;
pub mod configs;
pub mod examples;
pub mod followed;
pub mod pages;
pub mod products;
pub mod readme;
pub mod recipes;
