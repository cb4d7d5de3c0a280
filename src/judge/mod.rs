//! One trial, one file for each phase: what is judged, which trees, which processes, what they
//! left behind, and the record of it.

pub mod attempt;
mod budgets;
mod cache;
mod canaries;
pub mod command;
pub mod fault;
pub mod fresh;
pub mod harness;
mod image;
pub mod jail;
pub mod lay;
mod left;
pub mod lines;
mod opened;
pub mod pin;
pub mod properties;
pub mod record;
pub mod replay;
pub mod result;
pub mod run;
mod stage;
pub mod trial;
mod witness;
