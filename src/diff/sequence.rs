//! Where two sequences differ, with limited work.

use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, capture_diff_slices};

/// Elements of both sequences up to which the longest common sequence is searched, between the beginning and the end that
/// are equal. Its work grows faster than the sequences.
pub const MAX_SEARCHED: usize = 20_000;

/// Ranges of both sequences that replace each other; what is between them is equal. Longer sequences are replaced from their
/// first difference to their last one.
pub fn replaced<T: Hash + Eq + Ord>(old: &[T], new: &[T]) -> Vec<(Range<usize>, Range<usize>)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (rest_old, rest_new) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |rest: &[T]| rest.len() - tail;
    let (len_old, len_new) = (middle(rest_old), middle(rest_new));
    if len_old + len_new > MAX_SEARCHED {
        return vec![(head..head + len_old, head..head + len_new)];
    }
    let middles = (rest_old.get(..len_old).unwrap_or_default(), rest_new.get(..len_new).unwrap_or_default());
    let ops = capture_diff_slices(Algorithm::Myers, middles.0, middles.1);
    let shifted = |range: Range<usize>| range.start + head..range.end + head;
    let differ = ops.into_iter().filter(|op| !matches!(op, similar::DiffOp::Equal { .. }));
    differ.map(|op| (shifted(op.old_range()), shifted(op.new_range()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found_up_to_a_limit() {
        assert_eq!(replaced(b"abcd", b"axcd"), [(1..2, 1..2)]);
        assert_eq!(replaced(b"abcd", b"abcd"), []);
        assert_eq!(replaced(b"", b"a"), [(0..0, 0..1)]);
        assert_eq!(replaced(b"abcbd", b"axcyd"), [(1..2, 1..2), (3..4, 3..4)]);
        let many: Vec<usize> = (0..MAX_SEARCHED).collect();
        let mut other = many.clone();
        (other[10], other[MAX_SEARCHED - 10]) = (0, 0);
        let to = MAX_SEARCHED - 9;
        assert_eq!(replaced(&many, &other), [(10..to, 10..to)]);
    }
}
