//! Self-repairs of agents: one row per agent, with one line per defect and the first version that repairs it.

use crate::format::agent::SessionDefect::{
    Cycle, LateOutput, LoneSurrogate, OrphanOutput, UnansweredCall, UnsignedCall,
};
use crate::format::agent::{Agent, Projects, SelfRepair, SessionDefect, SessionFolders};
use crate::history::Version;

const LEAVES_OUT: [&str; 2] = ["leaves it out", "leaves them out"];
const ANSWERS_WITH_PLACEHOLDER: [&str; 2] = ["answers it with a placeholder", "answers them with a placeholder"];
const REPLACES: [&str; 2] = ["replaces it", "replaces them"];

const fn row(defect: SessionDefect, since: Option<Version>, action: [&'static str; 2]) -> SelfRepair {
    SelfRepair { defect, since, action }
}

/// All agents.
pub static AGENTS: &[Agent] = &[
    // Source: `normalize` of its context manager, which runs before each request.
    Agent {
        id: "codex",
        name: "Codex",
        session_folders: SessionFolders {
            variable: "CODEX_HOME",
            folder: ".codex",
            sessions: &["sessions", "archived_sessions"],
            ..SessionFolders::NONE
        },
        formats: &["codex-rollout"],
        self_repairs: &[
            row(UnansweredCall, None, ["answers it with `aborted`", "answers them with `aborted`"]),
            row(OrphanOutput, None, LEAVES_OUT),
        ],
    },
    // Source: its change log.
    Agent {
        id: "claude-code",
        name: "Claude Code",
        session_folders: SessionFolders {
            list: Some("CLAUDE_CONFIG_DIRS"),
            variable: "CLAUDE_CONFIG_DIR",
            folder: ".claude",
            sessions: &["projects"],
            ..SessionFolders::NONE
        },
        formats: &["claude-code"],
        self_repairs: &[
            row(UnansweredCall, Some(Version(2, 1, 80)), ANSWERS_WITH_PLACEHOLDER),
            row(OrphanOutput, Some(Version(2, 1, 69)), LEAVES_OUT),
            row(LoneSurrogate, Some(Version(2, 1, 132)), REPLACES),
            row(Cycle, Some(Version(2, 1, 30)), ["breaks it", "breaks them"]),
        ],
    },
    // Source: `transformMessages` of 0.x, at the next message of the user or the model.
    Agent {
        id: "pi",
        name: "pi",
        session_folders: SessionFolders {
            variable: "PI_CODING_AGENT_DIR",
            folder: ".pi/agent",
            sessions: &["sessions"],
            ..SessionFolders::NONE
        },
        formats: &["pi-session"],
        self_repairs: &[row(
            UnansweredCall,
            None,
            ["answers it with `No result provided`", "answers them with `No result provided`"],
        )],
    },
    // Source: `toModelMessages` of 1.x.
    Agent {
        id: "opencode",
        name: "opencode",
        session_folders: SessionFolders {
            variable: "XDG_DATA_HOME",
            folder: ".local/share",
            sessions: &["opencode/opencode.db", "opencode/storage"],
            ..SessionFolders::NONE
        },
        formats: &["opencode-export", "opencode-session"],
        self_repairs: &[row(
            UnansweredCall,
            None,
            [
                "answers it with an error that says that the tool was interrupted",
                "answers them with an error that says that the tool was interrupted",
            ],
        )],
    },
    // `toLLMMessages` of 2.x sends calls unchanged. Its sessions are in the same folder as those of 1.x.
    Agent {
        id: "opencode",
        name: "opencode",
        session_folders: SessionFolders {
            variable: "XDG_DATA_HOME",
            folder: ".local/share",
            sessions: &[],
            ..SessionFolders::NONE
        },
        formats: &["opencode-v2"],
        self_repairs: &[],
    },
    // Its source since 2026-04-17. It pairs by ids alone: a result in a later place is sent unchanged. Each project has its
    // own database (`internal/projects`).
    Agent {
        id: "crush",
        name: "Crush",
        session_folders: SessionFolders {
            variable: "CRUSH_GLOBAL_DATA",
            folder: ".local/share/crush",
            projects: Some(Projects {
                file: "projects.json",
                list: "projects",
                folder: "data_dir",
                sessions: "crush.db",
            }),
            ..SessionFolders::NONE
        },
        formats: &["crush"],
        self_repairs: &[
            row(
                UnansweredCall,
                None,
                [
                    "answers it with a text that says that the call was interrupted",
                    "answers them with a text that says that the call was interrupted",
                ],
            ),
            row(OrphanOutput, None, LEAVES_OUT),
        ],
    },
    // It repairs a conversation before each request.
    Agent {
        id: "goose",
        name: "goose",
        session_folders: SessionFolders {
            variable: "XDG_DATA_HOME",
            folder: ".local/share",
            sessions: &["goose/sessions"],
            ..SessionFolders::NONE
        },
        formats: &["goose-session"],
        self_repairs: &[row(UnansweredCall, None, LEAVES_OUT), row(OrphanOutput, None, LEAVES_OUT)],
    },
    // Source: `sanitizeInitialMessagesForSessionStart` of its SDK, and the code that formats messages.
    Agent {
        id: "cline",
        name: "Cline",
        session_folders: SessionFolders {
            variable: "CLINE_DATA_DIR",
            folder: ".cline/data",
            sessions: &["tasks", "sessions"],
            ..SessionFolders::NONE
        },
        formats: &["cline-session"],
        self_repairs: &[
            row(UnansweredCall, None, ANSWERS_WITH_PLACEHOLDER),
            row(LateOutput, None, ["moves it to its call", "moves them to their calls"]),
            row(LoneSurrogate, None, REPLACES),
        ],
    },
    // Source: `ensureActiveLoopHasThoughtSignatures`. The variable replaces the user's home folder. A call without a result is
    // sent unchanged.
    Agent {
        id: "gemini-cli",
        name: "Gemini CLI",
        session_folders: SessionFolders {
            variable: "GEMINI_CLI_HOME",
            folder: "",
            sessions: &[".gemini/tmp"],
            ..SessionFolders::NONE
        },
        formats: &["gemini-cli"],
        self_repairs: &[row(
            UnsignedCall,
            None,
            ["sends the signature that skips the check", "sends the signature that skips the check"],
        )],
    },
    // Source: a maintainer in github/copilot-cli#3183, 2026-07-31: "recent releases"; the newest one was 1.0.74 a few days before.
    Agent {
        id: "copilot",
        name: "Copilot CLI",
        session_folders: SessionFolders {
            variable: "COPILOT_HOME",
            folder: ".copilot",
            sessions: &["session-state"],
            ..SessionFolders::NONE
        },
        formats: &["copilot-cli"],
        self_repairs: &[
            row(
                UnansweredCall,
                Some(Version(1, 0, 74)),
                ["answers it as interrupted", "answers them as interrupted"],
            ),
            row(OrphanOutput, Some(Version(1, 0, 74)), LEAVES_OUT),
        ],
    },
    // Source: `cleanOrphanedToolCalls`, for OpenAI-compatible providers.
    Agent {
        id: "qwen-code",
        name: "Qwen Code",
        session_folders: SessionFolders {
            variable: "QWEN_HOME",
            folder: ".qwen",
            sessions: &["projects"],
            ..SessionFolders::NONE
        },
        formats: &["qwen-code"],
        self_repairs: &[row(UnansweredCall, None, LEAVES_OUT), row(OrphanOutput, None, LEAVES_OUT)],
    },
    // For the following agents only the folders are known. Their self-repairs are not verified, so none reduces findings to
    // notes.
    Agent {
        id: "droid",
        name: "Factory Droid",
        session_folders: SessionFolders { folder: ".factory", sessions: &["sessions"], ..SessionFolders::NONE },
        formats: &["droid-session"],
        self_repairs: &[],
    },
    Agent {
        id: "kimi",
        name: "Kimi",
        session_folders: SessionFolders { folder: ".kimi-code", sessions: &["sessions"], ..SessionFolders::NONE },
        formats: &["kimi-session"],
        self_repairs: &[],
    },
    Agent {
        id: "hermes",
        name: "Hermes",
        session_folders: SessionFolders {
            variable: "HERMES_HOME",
            folder: ".hermes",
            sessions: &["state.db", "sessions"],
            ..SessionFolders::NONE
        },
        formats: &["hermes-session"],
        self_repairs: &[],
    },
    Agent {
        id: "amp",
        name: "Amp",
        session_folders: SessionFolders {
            folder: ".local/share/amp",
            sessions: &["threads"],
            ..SessionFolders::NONE
        },
        formats: &["amp-thread"],
        self_repairs: &[],
    },
    Agent {
        id: "zed",
        name: "Zed",
        session_folders: SessionFolders {
            variable: "XDG_DATA_HOME",
            folder: ".local/share",
            sessions: &["zed/threads/threads.db"],
            ..SessionFolders::NONE
        },
        formats: &["zed-thread"],
        self_repairs: &[],
    },
    Agent {
        id: "grok",
        name: "Grok CLI",
        session_folders: SessionFolders {
            variable: "GROK_HOME",
            folder: ".grok",
            sessions: &["sessions"],
            ..SessionFolders::NONE
        },
        formats: &["grok-cli"],
        self_repairs: &[],
    },
    Agent {
        id: "antigravity",
        name: "Antigravity",
        session_folders: SessionFolders {
            folder: ".gemini",
            sessions: &["antigravity-cli/brain", "antigravity-ide/brain", "antigravity/brain"],
            ..SessionFolders::NONE
        },
        formats: &["antigravity"],
        self_repairs: &[],
    },
    Agent {
        id: "openhands",
        name: "OpenHands",
        session_folders: SessionFolders {
            folder: ".openhands",
            sessions: &["conversations"],
            ..SessionFolders::NONE
        },
        formats: &["openhands"],
        self_repairs: &[],
    },
    Agent {
        id: "cursor",
        name: "Cursor",
        session_folders: SessionFolders {
            folder: ".cursor",
            sessions: &["projects", "chats"],
            ..SessionFolders::NONE
        },
        formats: &["cursor-session"],
        self_repairs: &[],
    },
];

/// A self-repair of an agent, with its number in the table.
#[derive(Clone, Copy)]
pub struct AgentRepair {
    pub agent: &'static Agent,
    pub repair: &'static SelfRepair,
    number: u8,
}

/// The self-repairs of the agent that stores a format, in this version; in the newest one if it is `None`.
pub fn self_repairs_of(format: &str, version: Option<Version>) -> Vec<AgentRepair> {
    let is_included =
        |repair: &SelfRepair| repair.since.is_none_or(|since| version.is_none_or(|version| version >= since));
    all_repairs().filter(|line| line.agent.formats.contains(&format) && is_included(line.repair)).collect()
}

fn all_repairs() -> impl Iterator<Item = AgentRepair> {
    let lines = AGENTS.iter().flat_map(|agent| agent.self_repairs.iter().map(move |repair| (agent, repair)));
    lines.zip(0..).map(|((agent, repair), number)| AgentRepair { agent, repair, number })
}

impl AgentRepair {
    /// The argument of a finding about `count` defects with this self-repair.
    pub fn finding_arg(&self, count: u32) -> u32 {
        u32::from(self.number) << 24 | count.min((1 << 24) - 1)
    }
}

/// The number of the self-repair, and of the defects, in the argument of a finding.
pub fn decode_arg(arg: u32) -> (u8, u32) {
    ((arg >> 24) as u8, arg & ((1 << 24) - 1))
}

/// Text about a self-repair and its number of defects; `None` if there is no such line.
pub fn describe((line, count): (u8, u32)) -> Option<String> {
    let AgentRepair { agent, repair, .. } = all_repairs().nth(usize::from(line))?;
    let [of_one, of_many] = repair.action;
    let action = if count == 1 { of_one } else { of_many };
    let since = repair.since.map_or(String::new(), |since| format!(" since {since}"));
    Some(format!("{count} {}: {} {action}{since}", repair.defect.label(count), agent.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_name_agent_action_and_version() {
        let all: Vec<String> = all_repairs().filter_map(|line| describe((line.number, 3))).collect();
        assert_eq!(all.len(), all_repairs().count());
        assert_eq!(all[0], "3 calls without an output: Codex answers them with `aborted`");
        let one = all_repairs()
            .find(|line| line.agent.name == "Claude Code")
            .and_then(|line| describe(decode_arg(line.finding_arg(1))));
        let one = one.expect("a line");
        assert_eq!(one, "1 call without an output: Claude Code answers it with a placeholder since 2.1.80");
    }

    #[test]
    fn older_versions_have_fewer_self_repairs() {
        let count = |version| self_repairs_of("claude-code", version).len();
        assert_eq!(count(None), count(Some(Version(2, 1, 132))));
        assert!(count(Some(Version(2, 1, 70))) < count(None));
        assert!(self_repairs_of("chat-request", None).is_empty());
    }
}
