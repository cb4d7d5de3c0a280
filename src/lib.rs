//! The modules of git reins; ARCHITECTURE.md describes the layers.

pub mod cli;
pub mod commands;
pub mod decide;
pub mod editing;
pub mod evidence;
pub mod exit;
pub mod foreman;
pub mod git;
pub mod gitreins;
pub mod install;
pub mod judge;
pub mod ledger;
pub mod model;
pub mod policy;
pub mod presets;
pub mod report;
pub mod sandbox;
pub mod sys;
