//! What each agent heals by itself: one row an agent, one line a thing and the first version that heals it.

use crate::format::agent::{Agent, Heals, Homes, Ill, Projects};
use crate::history::Version;

/// All agents.
pub static AGENTS: &[Agent] = &[
    // `normalize` of its context manager, before each request.
    Agent {
        id: "codex",
        name: "Codex",
        homes: Homes {
            variable: "CODEX_HOME",
            folder: ".codex",
            sessions: &["sessions", "archived_sessions"],
            ..Homes::NONE
        },
        formats: &["codex-rollout"],
        heals: &[
            Heals {
                what: Ill::UnansweredCall,
                since: None,
                how: ["answers it with `aborted`", "answers them with `aborted`"],
            },
            Heals { what: Ill::OrphanOutput, since: None, how: ["leaves it out", "leaves them out"] },
        ],
    },
    // Its change log.
    Agent {
        id: "claude-code",
        name: "Claude Code",
        homes: Homes {
            list: Some("CLAUDE_CONFIG_DIRS"),
            variable: "CLAUDE_CONFIG_DIR",
            folder: ".claude",
            sessions: &["projects"],
            ..Homes::NONE
        },
        formats: &["claude-code"],
        heals: &[
            Heals {
                what: Ill::UnansweredCall,
                since: Some(Version(2, 1, 80)),
                how: ["answers it with a placeholder", "answers them with a placeholder"],
            },
            Heals {
                what: Ill::OrphanOutput,
                since: Some(Version(2, 1, 69)),
                how: ["leaves it out", "leaves them out"],
            },
            Heals {
                what: Ill::LoneSurrogate,
                since: Some(Version(2, 1, 132)),
                how: ["replaces it", "replaces them"],
            },
            Heals { what: Ill::Cycle, since: Some(Version(2, 1, 30)), how: ["breaks it", "breaks them"] },
        ],
    },
    // `transformMessages` of its 0.x: at the next message of the user or the model.
    Agent {
        id: "pi",
        name: "pi",
        homes: Homes {
            variable: "PI_CODING_AGENT_DIR",
            folder: ".pi/agent",
            sessions: &["sessions"],
            ..Homes::NONE
        },
        formats: &["pi-session"],
        heals: &[Heals {
            what: Ill::UnansweredCall,
            since: None,
            how: ["answers it with `No result provided`", "answers them with `No result provided`"],
        }],
    },
    // `toModelMessages` of its 1.x.
    Agent {
        id: "opencode",
        name: "opencode",
        homes: Homes {
            variable: "XDG_DATA_HOME",
            folder: ".local/share",
            sessions: &["opencode/opencode.db", "opencode/storage"],
            ..Homes::NONE
        },
        formats: &["opencode-export", "opencode-session"],
        heals: &[Heals {
            what: Ill::UnansweredCall,
            since: None,
            how: [
                "answers it with an error that says that the tool was interrupted",
                "answers them with an error that says that the tool was interrupted",
            ],
        }],
    },
    // `toLLMMessages` of its 2.x sends calls as they are. Its sessions lie beside those of 1.x.
    Agent {
        id: "opencode",
        name: "opencode",
        homes: Homes { variable: "XDG_DATA_HOME", folder: ".local/share", sessions: &[], ..Homes::NONE },
        formats: &["opencode-v2"],
        heals: &[],
    },
    // Its source since 2026-04-17. It pairs by ids alone: a result in a later place is sent as it is. Each project has a
    // database of its own (`internal/projects`).
    Agent {
        id: "crush",
        name: "Crush",
        homes: Homes {
            variable: "CRUSH_GLOBAL_DATA",
            folder: ".local/share/crush",
            projects: Some(Projects {
                file: "projects.json",
                list: "projects",
                folder: "data_dir",
                sessions: "crush.db",
            }),
            ..Homes::NONE
        },
        formats: &["crush"],
        heals: &[
            Heals {
                what: Ill::UnansweredCall,
                since: None,
                how: [
                    "answers it with a text that says that the call was interrupted",
                    "answers them with a text that says that the call was interrupted",
                ],
            },
            Heals { what: Ill::OrphanOutput, since: None, how: ["leaves it out", "leaves them out"] },
        ],
    },
    // It repairs a conversation before each request.
    Agent {
        id: "goose",
        name: "goose",
        homes: Homes {
            variable: "XDG_DATA_HOME",
            folder: ".local/share",
            sessions: &["goose/sessions"],
            ..Homes::NONE
        },
        formats: &["goose-session"],
        heals: &[
            Heals { what: Ill::UnansweredCall, since: None, how: ["leaves it out", "leaves them out"] },
            Heals { what: Ill::OrphanOutput, since: None, how: ["leaves it out", "leaves them out"] },
        ],
    },
    // The source of its SDK: `sanitizeInitialMessagesForSessionStart`, and how it formats messages.
    Agent {
        id: "cline",
        name: "Cline",
        homes: Homes {
            variable: "CLINE_DATA_DIR",
            folder: ".cline/data",
            sessions: &["tasks", "sessions"],
            ..Homes::NONE
        },
        formats: &["cline-session"],
        heals: &[
            Heals {
                what: Ill::UnansweredCall,
                since: None,
                how: ["answers it with a placeholder", "answers them with a placeholder"],
            },
            Heals {
                what: Ill::LateOutput,
                since: None,
                how: ["moves it to its call", "moves them to their calls"],
            },
            Heals { what: Ill::LoneSurrogate, since: None, how: ["replaces it", "replaces them"] },
        ],
    },
    // Its source: `ensureActiveLoopHasThoughtSignatures`. The variable stands for the home. A call without a result is sent as it is.
    Agent {
        id: "gemini-cli",
        name: "Gemini CLI",
        homes: Homes { variable: "GEMINI_CLI_HOME", folder: "", sessions: &[".gemini/tmp"], ..Homes::NONE },
        formats: &["gemini-cli"],
        heals: &[Heals {
            what: Ill::UnsignedCall,
            since: None,
            how: ["sends the signature that skips the check", "sends the signature that skips the check"],
        }],
    },
    // A maintainer in github/copilot-cli#3183, 2026-07-31: "recent releases"; the newest one was 1.0.74 a few days before.
    Agent {
        id: "copilot",
        name: "Copilot CLI",
        homes: Homes { variable: "COPILOT_HOME", folder: ".copilot", sessions: &["session-state"], ..Homes::NONE },
        formats: &["copilot-cli"],
        heals: &[
            Heals {
                what: Ill::UnansweredCall,
                since: Some(Version(1, 0, 74)),
                how: ["answers it as interrupted", "answers them as interrupted"],
            },
            Heals {
                what: Ill::OrphanOutput,
                since: Some(Version(1, 0, 74)),
                how: ["leaves it out", "leaves them out"],
            },
        ],
    },
    // Its source: `cleanOrphanedToolCalls`, for providers of OpenAI's kind.
    Agent {
        id: "qwen-code",
        name: "Qwen Code",
        homes: Homes { variable: "QWEN_HOME", folder: ".qwen", sessions: &["projects"], ..Homes::NONE },
        formats: &["qwen-code"],
        heals: &[
            Heals { what: Ill::UnansweredCall, since: None, how: ["leaves it out", "leaves them out"] },
            Heals { what: Ill::OrphanOutput, since: None, how: ["leaves it out", "leaves them out"] },
        ],
    },
    // Of these only the places are known: what they put right by themselves is not verified, so nothing is left out.
    Agent {
        id: "droid",
        name: "Factory Droid",
        homes: Homes { folder: ".factory", sessions: &["sessions"], ..Homes::NONE },
        formats: &["droid-session"],
        heals: &[],
    },
    Agent {
        id: "kimi",
        name: "Kimi",
        homes: Homes { folder: ".kimi-code", sessions: &["sessions"], ..Homes::NONE },
        formats: &["kimi-session"],
        heals: &[],
    },
    Agent {
        id: "hermes",
        name: "Hermes",
        homes: Homes {
            variable: "HERMES_HOME",
            folder: ".hermes",
            sessions: &["state.db", "sessions"],
            ..Homes::NONE
        },
        formats: &["hermes-session"],
        heals: &[],
    },
    Agent {
        id: "amp",
        name: "Amp",
        homes: Homes { folder: ".local/share/amp", sessions: &["threads"], ..Homes::NONE },
        formats: &["amp-thread"],
        heals: &[],
    },
    Agent {
        id: "zed",
        name: "Zed",
        homes: Homes {
            variable: "XDG_DATA_HOME",
            folder: ".local/share",
            sessions: &["zed/threads/threads.db"],
            ..Homes::NONE
        },
        formats: &["zed-thread"],
        heals: &[],
    },
    Agent {
        id: "grok",
        name: "Grok CLI",
        homes: Homes { variable: "GROK_HOME", folder: ".grok", sessions: &["sessions"], ..Homes::NONE },
        formats: &["grok-cli"],
        heals: &[],
    },
    Agent {
        id: "antigravity",
        name: "Antigravity",
        homes: Homes {
            folder: ".gemini",
            sessions: &["antigravity-cli/brain", "antigravity-ide/brain", "antigravity/brain"],
            ..Homes::NONE
        },
        formats: &["antigravity"],
        heals: &[],
    },
    Agent {
        id: "openhands",
        name: "OpenHands",
        homes: Homes { folder: ".openhands", sessions: &["conversations"], ..Homes::NONE },
        formats: &["openhands"],
        heals: &[],
    },
    Agent {
        id: "cursor",
        name: "Cursor",
        homes: Homes { folder: ".cursor", sessions: &["projects", "chats"], ..Homes::NONE },
        formats: &["cursor-session"],
        heals: &[],
    },
];

/// A line of the table, by its number.
#[derive(Clone, Copy)]
pub struct Healed {
    pub agent: &'static Agent,
    pub heals: &'static Heals,
    number: u8,
}

/// What the agent that stores a format heals in this version; in the newest, if it is not known.
pub fn healed(format: &str, version: Option<Version>) -> Vec<Healed> {
    let is_new = |heals: &Heals| heals.since.is_none_or(|since| version.is_none_or(|version| version >= since));
    lines().filter(|line| line.agent.formats.contains(&format) && is_new(line.heals)).collect()
}

fn lines() -> impl Iterator<Item = Healed> {
    let lines = AGENTS.iter().flat_map(|agent| agent.heals.iter().map(move |heals| (agent, heals)));
    lines.zip(0..).map(|((agent, heals), number)| Healed { agent, heals, number })
}

impl Healed {
    /// What a finding about `count` things that this line heals carries.
    pub fn arg(&self, count: u32) -> u32 {
        u32::from(self.number) << 24 | count.min((1 << 24) - 1)
    }
}

/// The number of the line, and of the things, that such a finding carries.
pub fn parts(arg: u32) -> (u8, u32) {
    ((arg >> 24) as u8, arg & ((1 << 24) - 1))
}

/// What is said of a number of things that a line heals.
pub fn words((line, count): (u8, u32)) -> Option<String> {
    let Healed { agent, heals, .. } = lines().nth(usize::from(line))?;
    let [of_one, of_many] = heals.how;
    let how = if count == 1 { of_one } else { of_many };
    let since = heals.since.map_or(String::new(), |since| format!(" since {since}"));
    Some(format!("{count} {}: {} {how}{since}", heals.what.words(count), agent.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_says_what_the_agent_does() {
        let all: Vec<String> = lines().filter_map(|line| words((line.number, 3))).collect();
        assert_eq!(all.len(), lines().count());
        assert_eq!(all[0], "3 calls without an output: Codex answers them with `aborted`");
        let one = lines().find(|line| line.agent.name == "Claude Code").and_then(|line| words(parts(line.arg(1))));
        let one = one.expect("a line");
        assert_eq!(one, "1 call without an output: Claude Code answers it with a placeholder since 2.1.80");
    }

    #[test]
    fn an_older_version_heals_less() {
        let heals = |version| healed("claude-code", version).len();
        assert_eq!(heals(None), heals(Some(Version(2, 1, 132))));
        assert!(heals(Some(Version(2, 1, 70))) < heals(None));
        assert!(healed("chat-request", None).is_empty());
    }
}
