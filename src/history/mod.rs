//! A history: what one request would replay, as rows, with its calls paired and its groups found once for all rules.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::place::Place;

pub mod codes;
pub mod continued;
pub mod finding;
pub mod flags;
pub mod groups;
pub mod id;
pub mod kind;
pub mod known;
pub mod looks;
pub mod messages;
pub mod numbered;
mod pairing;
pub mod pairs;
pub mod ranked;
pub mod row;
pub mod settings;
pub mod shapes;
pub mod time;
pub mod tree;
mod version;

pub use finding::{
    ANSWER, Act, Code, DETACH, Finding, INLINE, KEYLESS, Mode, NO_FIELD, ORPHAN, REFER, RESTORE, Remedy, UNNAME,
    UNREAD,
};
pub use flags::{BlockFlags, Flags, ItemFlags};
pub use groups::{Group, ends_group};
pub use kind::{Class, Family, Kind, KindSet, Role};
pub use known::Known;
pub use messages::{Message, Messages, Step};
pub use numbered::Numbered;
pub use pairing::Pairing;
pub use pairs::{NONE, Pair, PairState};
pub use row::{Flag, Row};
pub use settings::{Anchor, Around, Effort, Facts, Settings, Unsent, Usage};
pub use shapes::{Claim, Shapes};
pub use version::Version;

/// One branch of a conversation, from root to leaf.
#[derive(Debug, Default)]
pub struct History {
    pub rows: Vec<Row>,
    /// What continues other rows. Their indices follow those of `rows`.
    pub continued: Vec<Row>,
    pub settings: Settings,
    /// In the order of their first rows.
    pub pairs: Vec<Pair>,
    pub groups: Vec<Group>,
    pub shapes: Shapes,
    /// Of histories whose messages hold blocks.
    pub messages: Messages,
    /// By place, of rows that are not in the order of the doc.
    indices: OnceLock<HashMap<Place, u32>>,
}

impl History {
    /// Pairs and groups the rows, once for all rules.
    pub fn new(mut rows: Vec<Row>, settings: Settings, pairing: Pairing) -> Self {
        let continued = continued::take_continuing(&mut rows);
        let messages = Messages::of(&rows, pairing);
        let pairs = pairs::pair(&rows, &messages, pairing);
        let groups = groups::group(&rows);
        let mut shapes = Shapes::of(&rows, &pairs, &groups, settings.has_server_state());
        if let Some(tail) = messages.tail(&rows) {
            shapes.tail = tail;
        }
        History { rows, continued, settings, pairs, groups, shapes, messages, indices: OnceLock::new() }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "rows are asked for by the numbers that they were given here, the continued ones after the others"
    )]
    pub fn row(&self, ix: u32) -> &Row {
        let ix = ix as usize;
        self.rows.get(ix).unwrap_or_else(|| &self.continued[ix - self.rows.len()])
    }

    /// The rows in a range of indices; none if there are not so many.
    pub fn among(&self, range: std::ops::Range<usize>) -> &[Row] {
        self.rows.get(range).unwrap_or_default()
    }

    /// The index of one of the rows.
    pub fn index_of(&self, row: &Row) -> u32 {
        // Rows stand in the order of the doc, but for a page that lists the newest first,
        // and for trees, whose branches may be stored in another order.
        let at = self.rows.partition_point(|other| other.at.start < row.at.start);
        if self.rows.get(at).is_some_and(|other| other.at == row.at) {
            return at as u32;
        }
        let all = || (0u32..).zip(&self.rows).map(|(ix, row)| (row.at, ix)).collect();
        let indices: &HashMap<Place, u32> = self.indices.get_or_init(all);
        indices.get(&row.at).copied().unwrap_or(at as u32)
    }

    /// The group that a row lies in.
    pub fn group_of(&self, ix: u32) -> Option<&Group> {
        let at = self.groups.partition_point(|group| group.end <= ix);
        self.groups.get(at).filter(|group| group.start <= ix)
    }
}
