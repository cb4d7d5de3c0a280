//! What the words of the contract mean as data: ids, paths, days, refusal codes, decisions.

pub mod day;
pub mod decision;
pub mod heading;
pub mod ids;
pub mod image;
pub mod path;
pub mod refusal;
pub mod shell;
