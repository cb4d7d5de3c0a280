//! Facts in, verdict out: nothing in this room can fail, wait or look at the machine.

pub mod admit;
pub mod article;

pub mod facts;
pub mod fixture;
pub mod freeze;
pub mod ledgers;
pub mod next;
pub mod oracle;
pub mod order;
pub mod remedy;
pub mod score;
