//! Counts, for tests, how often order and standings are computed on a thread.

use std::cell::Cell;

thread_local! {
    static ORDER: Cell<usize> = const { Cell::new(0) };
    static STANDINGS: Cell<usize> = const { Cell::new(0) };
}

/// Notes one computation of the order.
pub(super) fn note_order() {
    ORDER.set(ORDER.get() + 1);
}

/// Notes one computation of the standings.
pub(super) fn note_standings() {
    STANDINGS.set(STANDINGS.get() + 1);
}

/// The computations of order and standings since the last call.
pub(crate) fn take() -> (usize, usize) {
    (ORDER.take(), STANDINGS.take())
}
