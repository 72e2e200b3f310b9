"""Which reader reads which files."""

from readers import agents_sdk, chat, claude, codex, databases, documents, gemini, lines

FORMATS = {
    "ag2-events": documents.ag2,
    "antigravity-cli": lines.antigravity,
    "chatgpt-export": documents.chatgpt,
    "claude-ai-export": documents.claude_ai,
    "claude-code": claude.read,
    "cline": documents.cline,
    "codex-exec-json": codex.events,
    "codex-rollout": codex.read,
    "continue": documents.continue_session,
    "copilot-cli": lines.copilot,
    "crush": databases.crush,
    "cursor": lines.cursor,
    "factory-droid": lines.droid,
    "gemini-cli": gemini.cli,
    "gemini-cli-responses": gemini.recording,
    "google-adk": gemini.adk,
    "google-aistudio": gemini.ai_studio,
    "goose": lines.goose,
    "grok-cli": chat.grok_cli,
    "grok-export": documents.grok,
    "hermes": chat.hermes,
    "inspect-ai": chat.inspect,
    "kimi": lines.kimi,
    "kimi-cli": chat.kimi_cli,
    "kode": claude.read,
    "langchain-messages": documents.langchain_file,
    "langfuse": chat.langfuse,
    "langgraph-checkpoint": documents.langgraph_state,
    "litellm-logs": chat.litellm,
    "mistral-vibe": lines.vibe,
    "openai-agents-runstate": agents_sdk.run_state,
    "openai-agents-session": agents_sdk.dump,
    "openclaw": lines.pi,
    "opencode": databases.opencode,
    "openhands": documents.openhands,
    "pi-session": lines.pi,
    "pydantic-ai-messages": documents.pydantic,
    "qwen": gemini.qwen,
    "vercel-ai": documents.vercel,
}

DATABASES = {
    "goose": databases.goose,
    "langgraph-checkpoint": databases.langgraph,
    "openai-agents-session": agents_sdk.database,
}

# Files that hold no conversation, or none that replaylint reads: by a part of their name, and why.
UNREAD = {
    ".meta.session.json": "what a subagent is",
    "fixtures_session_session.session.json": "the process of a session of Cline",
    "agents_kimi_assistant_tools.state.session.json": "the state of a session of Kimi",
    "base_state.state.json": "the state of a conversation of OpenHands, without its events",
    "_sources.state.json": "where the fixtures come from",
    "fixtures_Cursor_test-store.session.db": "tables without conversations",
    "native-browser-capture": "what a browser extension wrote around an export",
    "claude-design-session": "an export of Claude Design",
    "gemini_schema_drift": "`history` and `meta`, as no release of Gemini CLI writes them",
    "hermes_atof": "a trace of NeMo Relay (ATOF)",
    "capability_hermes-session": "a trace of NeMo Relay (ATOF)",
    "antigravity-session": "a session as another tool fetched it from the language server, as Markdown",
    "thinking-code.message.json": "one message of pi by itself",
    "run_state_negative": "states that the SDK refuses",
    ".storage.json": "a record of opencode's storage by itself",
}

# Sessions of Claude Code on the web, as another tool keeps them.
ON_THE_WEB = "tests_sample_session.session.json"


def reader(entry):
    """The reader of a file; None for one that must not be read."""
    path = entry["path"]
    if any(part in path for part in UNREAD) or path.endswith(ON_THE_WEB):
        return None
    if "_atif_" in path:
        return documents.atif
    if path.endswith((".db", ".sqlite")):
        return DATABASES.get(entry["format"], FORMATS[entry["format"]])
    return FORMATS[entry["format"]]
