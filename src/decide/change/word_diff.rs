//! Finds the words in which two texts differ. In time that a long text cannot make quadratic.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::model::change::{Piece, Side};

/// Between the common beginning and the common end of two texts, so many words on a side are
/// compared one by one; a longer middle is told as replaced.
const COMPARED: usize = 1000;

/// So many pairs of words are compared in all the texts of a comparison, half a second's work.
const PAIRS: usize = 50_000_000;

/// The words of many texts, compared as long as the work is bearable.
#[derive(Debug)]
pub(super) struct Words {
    /// How many pairs may still be compared.
    left: usize,
}

impl Default for Words {
    fn default() -> Self {
        Self { left: PAIRS }
    }
}

impl Words {
    /// Two texts as the pieces that they share and those that only one of them has; nothing when
    /// they are the same.
    ///
    /// The pieces of both sides and of the old one are the old text, those of both and of the new
    /// one are the new text. What is too much work is told as replaced.
    pub(super) fn compare(&mut self, before: &str, after: &str) -> Vec<Piece> {
        if before == after {
            Vec::new()
        } else {
            self.pieces(before, after)
        }
    }

    fn pieces(&mut self, before: &str, after: &str) -> Vec<Piece> {
        let (old, new) = (words(before), words(after));
        let shared = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
            pairs.take_while(|(a, b)| a == b).count()
        };
        let start = shared(&mut old.iter().zip(&new));
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let end = shared(&mut old_rest.iter().rev().zip(new_rest.iter().rev()));
        let (old_middle, new_middle) = (
            &old_rest[..old_rest.len() - end],
            &new_rest[..new_rest.len() - end],
        );
        let mut pieces = Vec::new();
        push(&mut pieces, Side::Both, &old[..start]);
        self.middle(&mut pieces, old_middle, new_middle);
        push(&mut pieces, Side::Both, &old_rest[old_rest.len() - end..]);
        pieces
    }

    fn middle(&mut self, pieces: &mut Vec<Piece>, old: &[&str], new: &[&str]) {
        let pairs = old.len().saturating_mul(new.len());
        if old.len() > COMPARED || new.len() > COMPARED || pairs > self.left {
            push(pieces, Side::Before, old);
            return push(pieces, Side::After, new);
        }
        self.left -= pairs;
        for op in capture_diff_slices(Algorithm::Myers, old, new) {
            match op {
                DiffOp::Equal { old_index, len, .. } => {
                    push(pieces, Side::Both, &old[old_index..][..len])
                }
                DiffOp::Delete {
                    old_index, old_len, ..
                } => {
                    push(pieces, Side::Before, &old[old_index..][..old_len]);
                }
                DiffOp::Insert {
                    new_index, new_len, ..
                } => {
                    push(pieces, Side::After, &new[new_index..][..new_len]);
                }
                DiffOp::Replace {
                    old_index,
                    old_len,
                    new_index,
                    new_len,
                } => {
                    push(pieces, Side::Before, &old[old_index..][..old_len]);
                    push(pieces, Side::After, &new[new_index..][..new_len]);
                }
            }
        }
    }
}

fn push(pieces: &mut Vec<Piece>, side: Side, words: &[&str]) {
    if words.is_empty() {
        return;
    }
    match pieces.last_mut().filter(|last| last.side == side) {
        Some(last) => last.text.extend(words.iter().copied()),
        None => pieces.push(Piece {
            side,
            text: words.concat(),
        }),
    }
}

/// What a character is part of.
#[derive(PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Mark,
}

/// A text taken apart into words, spaces, and marks one by one.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => Class::Word,
        c if c.is_whitespace() => Class::Space,
        _ => Class::Mark,
    };
    let (mut words, mut start, mut last) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        let now = class(c);
        if at > 0 && (now == Class::Mark || last != Some(class(c))) {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(now);
    }
    if !text.is_empty() {
        words.push(&text[start..]);
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compare(before: &str, after: &str) -> Vec<Piece> {
        Words::default().compare(before, after)
    }

    fn told(before: &str, after: &str) -> String {
        let piece = |piece: &Piece| match piece.side {
            Side::Both => piece.text.clone(),
            Side::Before => format!("[-{}-]", piece.text),
            Side::After => format!("{{+{}+}}", piece.text),
        };
        compare(before, after).iter().map(piece).collect()
    }

    #[test]
    fn words_are_compared_and_not_letters() {
        assert_eq!(
            told("balance >= 0", "balance >= -1"),
            "balance >= [-0-]{+-1+}"
        );
        assert_eq!(
            told("the sum is kept", "the total is kept"),
            "the [-sum-]{+total+} is kept"
        );
        assert_eq!(told("", "new"), "{+new+}");
        assert_eq!(told("same", "same"), "");
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_two_texts(before in "[a-c äß.,\n]{0,40}", after in "[a-c äß.,\n]{0,40}") {
            let pieces = compare(&before, &after);
            let side = |wanted: Side| -> String {
                let on = pieces.iter().filter(|piece| [Side::Both, wanted].contains(&piece.side));
                on.map(|piece| piece.text.as_str()).collect()
            };
            if before != after {
                prop_assert_eq!(side(Side::Before), before);
                prop_assert_eq!(side(Side::After), after);
            }
        }
    }

    #[test]
    fn many_texts_are_told_as_replaced_once_it_is_too_much_work() {
        let (before, after) = (", . ".repeat(250), ". ; ".repeat(250));
        let mut words = Words::default();
        let told: Vec<_> = (0..100)
            .map(|_| words.compare(&before, &after).len())
            .collect();
        assert_eq!((told[0], told[99]), (751, 3));
        assert_eq!(words.compare("balance >= 0", "balance >= -1").len(), 3);
    }

    #[test]
    fn long_texts_without_anything_in_common_are_told_as_replaced() {
        let (before, after) = ("a.".repeat(50_000), "b,".repeat(50_000));
        assert_eq!(compare(&before, &after).len(), 2);
        let (before, after) = (format!("{before}x y"), format!("{before}x z"));
        assert_eq!(compare(&before, &after).len(), 3);
    }
}
