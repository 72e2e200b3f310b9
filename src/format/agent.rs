//! What an agent does to a session that it has stored before it sends it: a session is judged after that, for the agent
//! would never send what is in the file.

use crate::history::Version;

/// An agent, and what it puts right by itself.
pub struct Agent {
    /// As it is typed.
    pub id: &'static str,
    pub name: &'static str,
    pub homes: Homes,
    /// Names of the formats that it stores.
    pub formats: &'static [&'static str],
    pub heals: &'static [Heals],
}

/// Where an agent keeps its sessions.
pub struct Homes {
    /// The variable of the environment that names several folders, with commas between, if the agent has one.
    pub list: Option<&'static str>,
    /// The variable that names its folder.
    pub variable: &'static str,
    /// Its folder in the user's home, if neither is set.
    pub folder: &'static str,
    /// Below that, where sessions lie.
    pub sessions: &'static [&'static str],
    /// The file below that which lists the projects, if each has sessions of its own.
    pub projects: Option<Projects>,
}

/// A JSON file that lists projects: `{list: [{folder: "…"}]}`.
pub struct Projects {
    pub file: &'static str,
    pub list: &'static str,
    pub folder: &'static str,
    /// Where the sessions of a project lie in its folder.
    pub sessions: &'static str,
}

impl Homes {
    /// Nowhere.
    pub const NONE: Homes = Homes { list: None, variable: "", folder: "", sessions: &[], projects: None };
}

/// One thing that an agent puts right.
pub struct Heals {
    pub what: Ill,
    /// The first version that does; `None` if every version that is known does.
    pub since: Option<Version>,
    /// What the agent does about it: a verb and its object, which `it` and `them` stand for as one or several.
    pub how: [&'static str; 2],
}

/// What may be wrong in a session, as far as agents put it right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ill {
    /// A call that the client runs has no output.
    UnansweredCall,
    /// The output of a call comes too late.
    LateOutput,
    /// An output has no call.
    OrphanOutput,
    /// A call lacks the signature of its thought.
    UnsignedCall,
    /// Half of a pair of surrogates is in a text.
    LoneSurrogate,
    /// Entries name one another as parents.
    Cycle,
}

impl Ill {
    /// What it is called, one of it and several.
    pub fn words(self, n: u32) -> &'static str {
        let (one, many) = match self {
            Ill::UnansweredCall => ("call without an output", "calls without an output"),
            Ill::LateOutput => ("output in a later message", "outputs in later messages"),
            Ill::OrphanOutput => ("output without a call", "outputs without a call"),
            Ill::UnsignedCall => ("call without a thought signature", "calls without a thought signature"),
            Ill::LoneSurrogate => ("unpaired surrogate", "unpaired surrogates"),
            Ill::Cycle => ("cycle of entries", "cycles of entries"),
        };
        if n == 1 { one } else { many }
    }
}
