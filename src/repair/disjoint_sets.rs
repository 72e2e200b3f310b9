//! Disjoint sets of numbers, for grouping items that are linked pairwise.

/// Disjoint sets of the numbers below a count.
pub struct DisjointSets(Vec<usize>);

#[expect(
    clippy::indexing_slicing,
    reason = "each number names another of them, or itself, and only they are asked for"
)]
impl DisjointSets {
    /// Puts each number into a set of its own.
    pub fn new(count: usize) -> Self {
        DisjointSets((0..count).collect())
    }

    /// The smallest number of the set that contains a number.
    pub fn find(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    /// Merges the sets of two numbers.
    pub fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other);
    }
}
