//! Pure functions from facts to verdicts: nothing here fails, waits or reads.

pub mod adjudicate;
pub mod admit;
pub mod article;
pub mod budget;
pub mod canary;
pub mod change;
#[cfg(test)]
pub(crate) mod computed;
pub mod diff;
pub mod enforced;
pub mod evaluation;
pub mod facts;
pub mod fixture;
pub mod fold;
pub mod freeze;
pub mod grade;
pub mod ledgers;
mod line;
pub mod next;
pub mod oracle;
pub mod order;
pub mod outcome;
pub mod output;
pub mod recorded;
pub mod remedy;
pub mod replay;
pub mod result;
pub mod score;
pub mod secret;
pub mod standings;
pub mod tool_config;
pub mod trial;
pub mod trial_key;
