//! What the words of the contract mean as data: ids, paths, days, refusal codes, decisions, records.

pub mod adjudication;
pub mod change;
pub mod day;
pub mod decision;
pub mod heading;
pub mod ids;
pub mod image;
pub mod path;
pub mod push;
pub mod record;
pub mod refusal;
pub mod replay;
pub mod report;
pub mod reverification;
pub mod run;
pub mod serde_path;
pub mod serde_str;
pub mod shell;
pub mod trial;
