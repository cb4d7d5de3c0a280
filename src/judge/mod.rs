//! One trial, one file for each phase: what is judged, which trees, which processes, what they
//! left behind, and the record of it.

mod budgets;
mod cache;
mod canaries;
pub mod command;
pub mod fault;
pub mod harness;
mod image;
pub mod isolation;
mod opened;
pub mod pin;
pub mod properties;
pub mod record;
pub mod replay;
pub mod result;
mod result_file;
pub mod run;
pub mod runner;
pub mod tree_plan;
pub mod trial;
pub mod try_property;
mod unrun;
mod witness;
pub mod workdir;
mod workspace;
