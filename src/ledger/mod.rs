//! Reads, checks and prints the three ledgers and defines their rows.

pub mod article;
pub mod conflict;
pub mod fault;
pub mod field;
pub mod file;
pub mod fixture;
pub mod freeze;
pub mod lines;
pub mod merge;
pub mod object;
pub mod oracle;
pub mod results;
pub mod rows;
pub mod scan;
