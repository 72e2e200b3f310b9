//! Chain or rebuild: whether the next request may name the last response as `previous_response_id` and send only what
//! is new, or must send the whole history. Chaining is right only where the server holds exactly what the client has.

use crate::history::id;
use crate::history::time::short;
use crate::history::tree::{Forest, Marks, NO_NODE, Name, Part};
use crate::target::Target;

/// What the user says about chains.
#[derive(Clone, Debug, Default)]
pub struct ChainOptions {
    /// Ids older than this many seconds are not built on; `None`: any age.
    pub max_age: Option<i64>,
    /// Unix seconds.
    pub now: i64,
    pub store: Option<bool>,
    /// The model that the next request is for.
    pub model: Option<String>,
    pub target: Option<&'static Target>,
}

/// Why the next request must carry the whole history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Nothing was answered yet.
    FirstRequest,
    NoId,
    /// And no released version of its client writes one.
    NeverWritten,
    /// The client never builds on a response, so that nothing says whether the server has it.
    Unchained,
    /// The id has a form that only clients invent.
    SyntheticId,
    NotStored,
    TooOld {
        age: i64,
        limit: i64,
    },
    AgeUnknown,
    /// How many, and the node after it that answers them all.
    OpenCalls(usize, Option<u32>),
    /// The node that was edited.
    Edited(u32),
    Trimmed(u32),
    Failed,
    OtherModel(String),
    /// The client's settings have another name now.
    OtherConfig(String),
    /// The user said so.
    Never,
    /// The user wants only a part of the history.
    Cut,
}

impl Reason {
    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::FirstRequest => "first-request",
            Reason::NoId | Reason::NeverWritten => "no-response-id",
            Reason::Unchained => "never-chained",
            Reason::SyntheticId => "synthetic-id",
            Reason::NotStored => "not-stored",
            Reason::TooOld { .. } => "too-old",
            Reason::AgeUnknown => "age-unknown",
            Reason::OpenCalls(..) => "open-calls",
            Reason::Edited(_) => "edited",
            Reason::Trimmed(_) => "trimmed",
            Reason::Failed => "failed",
            Reason::OtherModel(_) => "other-model",
            Reason::OtherConfig(_) => "other-config",
            Reason::Never => "never",
            Reason::Cut => "cut",
        }
    }

    /// In words; `name` names nodes.
    pub fn words(&self, name: impl Fn(u32) -> String) -> String {
        match self {
            Reason::FirstRequest => "no response yet".to_owned(),
            Reason::NoId => "no response id is stored".to_owned(),
            Reason::NeverWritten => "no released Kode writes a response id".to_owned(),
            Reason::Unchained => "its client never builds on a response".to_owned(),
            Reason::SyntheticId => "the response id was made up by a client".to_owned(),
            Reason::NotStored => "the server stores nothing".to_owned(),
            Reason::TooOld { age, limit } => {
                format!("the response is too old ({} > {})", short(*age), short(*limit))
            }
            Reason::AgeUnknown => "the age of the response is not known".to_owned(),
            Reason::OpenCalls(n, answered) => {
                let calls = if *n == 1 { "1 unanswered call".to_owned() } else { format!("{n} unanswered calls") };
                answered.map_or(calls.clone(), |node| format!("{calls}, answered in {}", name(node)))
            }
            Reason::Edited(node) => format!("{} was edited", name(*node)),
            Reason::Trimmed(node) => format!("history trimmed at {}", name(*node)),
            Reason::Failed => "the response is not complete".to_owned(),
            Reason::OtherModel(model) => format!("made by {model}"),
            Reason::OtherConfig(config) => format!("made with the settings {config}"),
            Reason::Never => "--chain never was given".to_owned(),
            Reason::Cut => "only a part of the history was requested".to_owned(),
        }
    }
}

/// What is to be done at a node.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The node whose response would be built on.
    pub answer: Option<u32>,
    /// Its id; also of a response that is not stored here, and that the first request names.
    pub id: Option<Name>,
    /// Why not to chain; empty means chain.
    pub reasons: Vec<Reason>,
}

impl Advice {
    pub fn is_chain(&self) -> bool {
        self.reasons.is_empty()
    }

    pub fn word(&self) -> &'static str {
        if self.is_chain() { "chain" } else { "rebuild" }
    }
}

/// Judges nodes of one tree.
pub struct Judge<'f> {
    forest: &'f Forest,
    options: &'f ChainOptions,
    /// For each node the nearest node from it upwards that was edited, and that trimmed the history.
    edited: Vec<u32>,
    trimmed: Vec<u32>,
}

impl<'f> Judge<'f> {
    #[expect(clippy::indexing_slicing, reason = "the lists have an entry for each node, and parents are nodes")]
    pub fn new(forest: &'f Forest, options: &'f ChainOptions) -> Self {
        let count = forest.nodes.len();
        let (mut edited, mut trimmed) = (vec![NO_NODE; count], vec![NO_NODE; count]);
        for ix in forest.parents_first() {
            let node = forest.node(ix);
            for (marks, list) in [(Marks::EDITED, &mut edited), (Marks::TRIMMED, &mut trimmed)] {
                list[ix as usize] = match (node.has(marks), node.parent) {
                    (true, _) => ix,
                    (false, NO_NODE) => NO_NODE,
                    (false, parent) => list[parent as usize],
                };
            }
        }
        Judge { forest, options, edited, trimmed }
    }

    /// Whether the request that comes next at a node may build on the response above it.
    pub fn verdict(&self, at: u32) -> Advice {
        let Some(answer) = self.forest.answer_above(at) else { return self.first(at) };
        let open_calls = self.forest.open_calls(at).len();
        let entry = &self.forest.node(answer).entry;
        let age = entry.time.map(|time| self.options.now - time);
        let mut reasons = Vec::new();
        // Where the server stores nothing, an id would be of no use.
        let stores = self.stores(answer) != Some(false);
        if !stores {
            reasons.push(Reason::NotStored);
        }
        match entry.response.as_deref() {
            None if !stores => {}
            None if entry.marks.has(Marks::NO_IDS) => reasons.push(Reason::NeverWritten),
            None if entry.marks.has(Marks::UNCHAINED) => reasons.push(Reason::Unchained),
            None => reasons.push(Reason::NoId),
            Some(id) if id::is_synthetic(id.as_bytes()) => reasons.push(Reason::SyntheticId),
            Some(_) => {}
        }
        if entry.marks.has(Marks::FAILED) || entry.marks.has(Marks::UNFINISHED) {
            reasons.push(Reason::Failed);
        }
        if open_calls > 0 {
            reasons.push(Reason::OpenCalls(open_calls, self.answered_behind(at)));
        }
        // What comes after the response is new, and may be edited as one likes.
        #[expect(clippy::indexing_slicing, reason = "the lists have an entry for each node")]
        let above = [(self.edited[answer as usize], true), (self.trimmed[answer as usize], false)];
        for (node, edited) in above.into_iter().filter(|(node, _)| *node != NO_NODE) {
            reasons.push(if edited { Reason::Edited(node) } else { Reason::Trimmed(node) });
        }
        if let (Some(wanted), Some(model)) = (&self.options.model, &entry.model)
            && !wanted.starts_with(&**model)
            && !model.starts_with(&**wanted)
        {
            reasons.push(Reason::OtherModel(model.to_string()));
        }
        let asked = self.forest.upward(at).take_while(|node| *node != answer);
        let asked = asked.filter_map(|node| self.forest.node(node).entry.config.as_ref()).next();
        if let (Some(asked), Some(config)) = (asked, &entry.config)
            && asked != config
        {
            reasons.push(Reason::OtherConfig(config.to_string()));
        }
        match (self.options.max_age, age) {
            (Some(limit), Some(age)) if stores && age > limit => reasons.push(Reason::TooOld { age, limit }),
            (Some(_), None) if stores && entry.response.is_some() => reasons.push(Reason::AgeUnknown),
            _ => {}
        }
        Advice { answer: Some(answer), id: entry.response.clone(), reasons }
    }

    /// Nothing that is stored here was answered; but the request may itself build on a response of which only the id
    /// is known. Then nothing else can be sent, unless the id is known to be too old.
    fn first(&self, at: u32) -> Advice {
        let node = self.forest.node(at);
        let id = node.missing.clone().filter(|_| node.has(Marks::CHAINED));
        let made = id.as_deref().map_or(0, |id| id::anatomy(id.as_bytes()).time);
        let age = (made > 0).then(|| self.options.now - i64::from(made));
        let reasons = match (&id, self.options.max_age, age) {
            (None, ..) => vec![Reason::FirstRequest],
            (_, Some(limit), Some(age)) if age > limit => vec![Reason::TooOld { age, limit }],
            _ => Vec::new(),
        };
        Advice { answer: None, id, reasons }
    }

    /// The node after this one that answers all its open calls: there a request may go on.
    fn answered_behind(&self, at: u32) -> Option<u32> {
        let children = &self.forest.node(at).children;
        children.iter().copied().find(|child| {
            self.forest.node(*child).entry.part == Part::Input && self.forest.open_calls(*child).is_empty()
        })
    }

    /// Whether the server stores the response: as the user says, the file, or the target that the user names.
    pub fn stores(&self, answer: u32) -> Option<bool> {
        let target = self.options.target.map(|target| target.store);
        self.options.store.or(self.forest.node(answer).entry.store).or(target)
    }
}
