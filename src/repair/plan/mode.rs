//! The modes of a group.

/// What becomes of a group, from gentle to harsh.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::repair) enum Mode {
    Referenced,
    Detached,
    /// Detached, without what says nothing to the server without its id.
    Thinned,
    Flattened,
}
