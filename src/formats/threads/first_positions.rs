//! Where names first occur in a list that grows and is cut at its end, as the events of a session that a rewind cuts. A rewind
//! names an event; to look for that from the start would take time that grows with the square of many rewinds.

use foldhash::HashMap;

/// The first element with each name, by its position. Positions from before a cut are recognised by what is there now, so
/// that a cut costs nothing.
#[derive(Default)]
pub(in crate::formats) struct FirstPositions(HashMap<Box<str>, usize>);

impl FirstPositions {
    /// Those of the names of a list.
    pub fn of<'l>(names: impl Iterator<Item = Option<&'l str>>) -> FirstPositions {
        let mut first = HashMap::default();
        for (at, name) in names.enumerate().filter_map(|(at, name)| Some((at, name?))) {
            first.entry(name.into()).or_insert(at);
        }
        FirstPositions(first)
    }

    /// The position of the first element with a name. `name_at` is the name at a position of the list as it is now.
    pub fn find<'l>(&self, name: &str, name_at: impl Fn(usize) -> Option<&'l str>) -> Option<usize> {
        self.0.get(name).copied().filter(|at| name_at(*at) == Some(name))
    }

    /// Notes that an element with a name is about to be added at the end of the list.
    pub fn add<'l>(&mut self, name: Option<&str>, end: usize, name_at: impl Fn(usize) -> Option<&'l str>) {
        let Some(name) = name.filter(|name| self.find(name, name_at).is_none()) else { return };
        self.0.insert(name.into(), end);
    }
}
