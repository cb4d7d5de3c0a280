//! Writes decisions for people and programs.

pub mod adjudications;
pub mod changes;
pub mod comment;
pub mod github;
pub mod gitlab;
pub mod json;
pub mod junit;
pub mod log;
pub mod markdown;
pub mod phrases;
pub mod push;
pub mod replays;
pub mod review;
pub mod sarif;
pub mod summary;
pub mod text;
pub mod trials;
