//! A history: the conversation that one request would replay, as rows, with calls paired and groups found once for all
//! rules.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::place::Place;

pub mod call_patterns;
pub mod codes;
pub mod continuations;
pub mod finding;
pub mod flags;
pub mod groups;
pub mod id;
pub mod kind;
pub mod messages;
pub mod ordinals;
mod pairing;
pub mod pairs;
pub mod ranked_order;
mod request_options;
pub mod row;
pub mod settings;
pub mod stored_items;
pub mod time;
pub mod tree;
pub mod turns;
mod version;
pub mod work_counter;

pub use call_patterns::{CallPatterns, CallReference};
pub use finding::{
    ANSWER, Code, DETACH, Finding, GroupMode, INLINE, KEYLESS, NO_FIELD, ORPHAN, REFER, RESTORE, Remedy,
    RepairAct, STRIP_ID, UNREADABLE,
};
pub use flags::{BlockFlags, Flags, ItemFlags};
pub use groups::{Group, ends_group};
pub use kind::{Class, Family, Kind, KindSet, Role};
pub use messages::{MessageSpan, MessageSpans, ModelStep};
pub use ordinals::Ordinals;
pub use pairing::Pairing;
pub use pairs::{NONE, Pair, PairState};
pub use request_options::{
    Placed, PlacedFault, RequestOptions, SchemaFault, SchemaUse, StrictTotals, ThinkingMode,
};
pub use row::{Flag, Row};
pub use settings::{
    HistorySettings, ReasoningEffort, RequestBody, RequestFlags, ResponseAnchor, UnsentItem, Usage,
};
pub use stored_items::StoredItems;
pub use version::Version;

/// One branch of a conversation, from root to leaf.
#[derive(Debug, Default)]
pub struct History {
    pub rows: Vec<Row>,
    /// Rows that continue others. Their indices follow those of `rows`.
    pub continuations: Vec<Row>,
    pub settings: HistorySettings,
    /// In the order of their first rows.
    pub pairs: Vec<Pair>,
    pub groups: Vec<Group>,
    pub call_patterns: CallPatterns,
    /// For histories whose messages contain blocks.
    pub messages: MessageSpans,
    /// Indices by place, for rows that are not in the order of the doc.
    indices: OnceLock<HashMap<Place, u32>>,
}

impl History {
    /// Pairs and groups the rows, once for all rules.
    pub fn new(mut rows: Vec<Row>, settings: HistorySettings, pairing: Pairing) -> Self {
        let continuations = continuations::extract_continuations(&mut rows);
        let messages = MessageSpans::of(&rows, pairing);
        let pairs = pairs::pair(&rows, &messages, pairing);
        let groups = groups::group(&rows);
        let mut call_patterns = CallPatterns::of(&rows, &pairs, &groups, settings.has_server_state());
        if let Some(tail) = messages.tail(&rows) {
            call_patterns.tail = tail;
        }
        History { rows, continuations, settings, pairs, groups, call_patterns, messages, indices: OnceLock::new() }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "rows are looked up by the numbers assigned here, continuations after the others"
    )]
    pub fn row(&self, ix: u32) -> &Row {
        work_counter::count();
        let ix = ix as usize;
        self.rows.get(ix).unwrap_or_else(|| &self.continuations[ix - self.rows.len()])
    }

    /// The rows in a range of indices; empty if it is out of bounds.
    pub fn rows_in(&self, range: std::ops::Range<usize>) -> &[Row] {
        self.rows.get(range).unwrap_or_default()
    }

    /// The index of one of the rows.
    pub fn index_of(&self, row: &Row) -> u32 {
        // Rows are in the order of the doc, except for a page that lists the newest first, and for trees, whose
        // branches may be stored in another order.
        let at = self.rows.partition_point(|other| other.at.start < row.at.start);
        if self.rows.get(at).is_some_and(|other| other.at == row.at) {
            return at as u32;
        }
        let all = || (0u32..).zip(&self.rows).map(|(ix, row)| (row.at, ix)).collect();
        let indices: &HashMap<Place, u32> = self.indices.get_or_init(all);
        indices.get(&row.at).copied().unwrap_or(at as u32)
    }

    /// The group of a row.
    pub fn group_of(&self, ix: u32) -> Option<&Group> {
        let at = self.groups.partition_point(|group| group.end <= ix);
        self.groups.get(at).filter(|group| group.start <= ix)
    }
}
