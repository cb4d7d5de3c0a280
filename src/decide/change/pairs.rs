//! Pairs the rows of two sorted lists.

use std::cmp::Ordering;

/// What two sides hold under one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pair<'a, T> {
    /// Only the old side has it.
    Before(&'a T),
    /// Only the new side has it.
    After(&'a T),
    /// Both have it.
    Both(&'a T, &'a T),
}

/// Rows by key, in its order: both lists are sorted by it. Rows that share a key meet in their order.
pub(super) fn pair<'a, T, K: Ord>(
    before: &'a [T],
    after: &'a [T],
    key: impl Fn(&'a T) -> K,
) -> Vec<(K, Pair<'a, T>)> {
    let mut pairs = Vec::with_capacity(before.len().max(after.len()));
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return pairs,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => key(one).cmp(&key(other)),
        };
        let next = match order {
            Ordering::Less => old.next().map(|row| (key(row), Pair::Before(row))),
            Ordering::Greater => new.next().map(|row| (key(row), Pair::After(row))),
            Ordering::Equal => old
                .next()
                .zip(new.next())
                .map(|(a, b)| (key(a), Pair::Both(a, b))),
        };
        pairs.extend(next);
    }
}
