//! Cycles of parents.

use super::NO_NODE;

/// Cuts each cycle: its first stored entry becomes a root. Returns each of these, and its former parent.
#[expect(clippy::indexing_slicing, reason = "parents are numbers of the same list, or none")]
pub(super) fn cut(parents: &mut [u32]) -> Vec<(u32, u32)> {
    const NEW: u32 = u32::MAX;
    let mut seen = vec![NEW; parents.len()];
    let mut cut = Vec::new();
    for start in 0..parents.len() as u32 {
        let mut at = start;
        while at != NO_NODE && seen[at as usize] == NEW {
            seen[at as usize] = start;
            at = parents[at as usize];
        }
        if at == NO_NODE || seen[at as usize] != start {
            continue;
        }
        let (mut first, mut next) = (at, parents[at as usize]);
        while next != at {
            first = first.min(next);
            next = parents[next as usize];
        }
        cut.push((first, parents[first as usize]));
        parents[first as usize] = NO_NODE;
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cycle_is_cut_once() {
        let mut parents = [NO_NODE, 0, 4, 2, 3, 3, 6];
        assert_eq!(cut(&mut parents), [(2, 4), (6, 6)]);
        assert_eq!(parents, [NO_NODE, 0, NO_NODE, 2, 3, 3, NO_NODE]);
        assert_eq!(cut(&mut parents), []);
    }
}
