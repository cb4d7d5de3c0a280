//! What the words of the contract mean as data: ids, paths, days, refusal codes, decisions.

pub mod day;
pub mod decision;
pub mod ids;
pub mod path;
pub mod refusal;
