//! Errors of agents that do not find a session, or not the model that it names. The sentences are those of the programs:
//! Codex 0.169, Claude Code 2.1.332, Gemini CLI 0.61, Qwen Code 0.15, pi 0.73, Kimi Code 2.1, opencode 1.18; of Copilot CLI
//! they are from its issues.

use super::topic::Topic;
use super::topic_errors::{TopicErrors, row};

/// The name of all topics about sessions that are not found.
const LOOKUP: &str = "session-lookup";

static CODEX: Topic = Topic {
    name: LOOKUP,
    description: "Codex does not find the session: it looks for `rollout-<time>-<id>.jsonl` below `$CODEX_HOME/sessions`",
    advice: "`codex resume --all` lists the sessions of all folders. `replaylint convert --to codex-session --install FILE` \
             puts a session of another agent there, and `replaylint fix --install FILE` a repaired copy of a rollout.",
    ..Topic::BASE
};
static CODEX_OR_QWEN: Topic = Topic {
    name: LOOKUP,
    description: "Codex and Qwen Code say this of a session that they do not find: Codex looks for \
                  `rollout-<time>-<id>.jsonl` below `$CODEX_HOME/sessions`, Qwen Code for sessions of the current folder",
    advice: "For Codex, `replaylint convert --to codex-session --install FILE` puts a session there; start Qwen Code in the \
             folder that the session was recorded in.",
    ..Topic::BASE
};
static QWEN: Topic = Topic {
    name: LOOKUP,
    description: "Qwen Code does not find the session: it looks for sessions of the current folder",
    advice: "Start it in the folder that the session was recorded in; `qwen --resume` lists the sessions of a folder.",
    ..Topic::BASE
};
static CLAUDE: Topic = Topic {
    name: LOOKUP,
    description: "Claude Code does not find the session: it looks for `~/.claude/projects/<folder>/<id>.jsonl` of the current \
                  folder",
    advice: "Start it in the folder that the session was recorded in, or write the session for another one: \
             `replaylint convert --to claude-code-session --cwd DIR --install FILE`.",
    ..Topic::BASE
};
static GEMINI: Topic = Topic {
    name: LOOKUP,
    description: "Gemini CLI does not find the session: it looks for sessions of the current folder that contain a message",
    advice: "Start it in the folder that the session was recorded in; `gemini --list-sessions` lists the sessions of a folder. \
             `replaylint convert --to gemini-session --cwd DIR --install FILE` writes a session for another folder.",
    ..Topic::BASE
};
static PI: Topic = Topic {
    name: LOOKUP,
    description: "pi does not find the session by its id",
    advice: "Pass the path of its file: `pi --session FILE`.",
    ..Topic::BASE
};
static PI_FOLDER: Topic = Topic {
    name: LOOKUP,
    description: "the folder that the session of pi was recorded in does not exist",
    advice: "Create the folder, or write the session for another one: `replaylint convert --to pi-session --cwd DIR --install FILE`.",
    ..Topic::BASE
};
static KIMI: Topic = Topic {
    name: LOOKUP,
    description: "Kimi Code has no session of this folder",
    advice: "Start it in the folder that the session was recorded in.",
    ..Topic::BASE
};
static COPILOT: Topic = Topic {
    name: LOOKUP,
    description: "Copilot CLI does not find the session, or cannot read its file",
    advice: "`replaylint check FILE` reports damage of `~/.copilot/session-state/<id>/events.jsonl`, and `replaylint fix -w FILE` \
             repairs it.",
    ..Topic::BASE
};
static MODEL: Topic = Topic {
    name: "session-model",
    description: "the session names a model that the agent does not have",
    advice: "In opencode, name one that `opencode models` lists: `opencode run -s ID -m PROVIDER/MODEL MESSAGE`. pi goes on with \
             its default model; `pi --session FILE --model PROVIDER/MODEL` selects another one.",
    ..Topic::BASE
};

/// Whole sentences; specific ones first.
pub static SESSION_ERRORS: &[TopicErrors] = &[
    row(
        &QWEN,
        &["No saved session found with ID {id}. Run `qwen", "No saved session found with title {title}"],
        &[],
    ),
    row(
        &CODEX,
        &[
            "No saved session found with ID {id}. Run `codex",
            "no rollout found for thread id",
            "no rollout found for conversation id",
        ],
        &[],
    ),
    row(&CODEX_OR_QWEN, &["No saved session found with ID"], &[]),
    row(&CLAUDE, &["No conversation found with session ID"], &[]),
    row(
        &GEMINI,
        &["Use --list-sessions to see available sessions", "No previous sessions found for this project"],
        &["Invalid session identifier"],
    ),
    row(&PI_FOLDER, &["Stored session working directory does not exist"], &[]),
    row(&PI, &[], &["No session found matching"]),
    row(&KIMI, &["No sessions to continue under"], &[]),
    row(&COPILOT, &["No session or task matched"], &[]),
    row(
        &MODEL,
        &[
            "ProviderModelNotFoundError",
            "Could not restore model {model} ({reason})",
            "Could not restore model {model}. Using",
        ],
        &[],
    ),
];

/// A sentence that does not say what is wrong, and what it may mean.
pub struct VagueError {
    pub sentence: &'static str,
    pub hint: &'static str,
}

/// An answer of the server whose reason is missing.
const NO_REASON: &str = "the server rejected the request, and its reason is not in this text. If the conversation is the cause, only \
                         a check of its file can tell: with the API that it was sent to (`--target`) and the model (`--model`), \
                         and as the request that was sent (`--as request`).";

/// A request that is too large.
const TOO_LARGE: &str = "a server or a proxy before it accepts no body of this size. Images and files make most of a large \
                         conversation; `check` finds those above the limits of the API, `fix --images report` lists all, \
                         `fix --images shrink` makes those above a limit smaller, and `fix --images keep-last=2` keeps the last two.";

/// Sentences that only resemble an error.
pub static VAGUE_ERRORS: &[VagueError] = &[
    VagueError {
        sentence: "Unexpected server error. Check server logs for details",
        hint: "opencode says this of any failure of its server. When it resumes a session, the cause may be that the session \
               names a model which opencode does not have: `opencode run -s ID -m PROVIDER/MODEL MESSAGE` names another one, \
               and `opencode models` lists them.",
    },
    VagueError { sentence: "400 status code (no body)", hint: NO_REASON },
    VagueError { sentence: "Bad Request", hint: NO_REASON },
    VagueError { sentence: "invalid chat setting (2013)", hint: NO_REASON },
    VagueError { sentence: "Request Entity Too Large", hint: TOO_LARGE },
    VagueError { sentence: "Payload Too Large", hint: TOO_LARGE },
];
