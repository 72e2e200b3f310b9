//! Agents, and the repairs that they make to a stored session before they send it. A session is judged after these
//! repairs, since the agent would never send the file as it is.

use crate::history::Version;

/// An agent, and what it repairs by itself.
pub struct Agent {
    /// The name on the command line.
    pub id: &'static str,
    pub name: &'static str,
    pub session_folders: SessionFolders,
    /// The names of the formats that it stores.
    pub formats: &'static [&'static str],
    pub self_repairs: &'static [SelfRepair],
}

/// The folders in which an agent stores its sessions.
pub struct SessionFolders {
    /// The environment variable that lists several folders, separated by commas, if the agent has one.
    pub list: Option<&'static str>,
    /// The environment variable that names its folder.
    pub variable: &'static str,
    /// Its folder in the home directory of the user, if neither is set.
    pub folder: &'static str,
    /// The subfolders that contain sessions.
    pub sessions: &'static [&'static str],
    /// The file in its folder that lists projects, if each project has its own sessions.
    pub projects: Option<Projects>,
}

/// A JSON file that lists projects: `{list: [{folder: "…"}]}`.
pub struct Projects {
    pub file: &'static str,
    pub list: &'static str,
    pub folder: &'static str,
    /// The subfolder of a project that contains its sessions.
    pub sessions: &'static str,
}

impl SessionFolders {
    /// No folders.
    pub const NONE: SessionFolders =
        SessionFolders { list: None, variable: "", folder: "", sessions: &[], projects: None };
}

/// A defect that an agent repairs by itself.
pub struct SelfRepair {
    pub defect: SessionDefect,
    /// The first version that repairs it; `None` if every known version does.
    pub since: Option<Version>,
    /// What the agent does: for one defect (`it`), and for several (`them`).
    pub action: [&'static str; 2],
}

/// Defects of sessions that agents repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionDefect {
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
    /// Entries refer to each other as parents, in a cycle.
    Cycle,
}

impl SessionDefect {
    /// The words for `n` of these defects, without the number.
    pub fn label(self, n: u32) -> &'static str {
        let (one, many) = match self {
            SessionDefect::UnansweredCall => ("call without an output", "calls without an output"),
            SessionDefect::LateOutput => ("output in a later message", "outputs in later messages"),
            SessionDefect::OrphanOutput => ("output without a call", "outputs without a call"),
            SessionDefect::UnsignedCall => {
                ("call without a thought signature", "calls without a thought signature")
            }
            SessionDefect::LoneSurrogate => ("unpaired surrogate", "unpaired surrogates"),
            SessionDefect::Cycle => ("cycle of entries", "cycles of entries"),
        };
        if n == 1 { one } else { many }
    }
}
