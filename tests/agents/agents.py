"""The agents, one class each."""

from pathlib import Path

import programs
from agent import Agent, write


class Codex(Agent):
    id, tool, title = "codex", "codex", "Codex"
    package, version = "@openai/codex", "0.169.0"
    sessions = ".codex/sessions/*/*/*/rollout-*.jsonl"
    types = ("response_item",)
    flags = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")

    def variables(self, place):
        return {"CODEX_HOME": str(place.home / ".codex"), "WIRE_KEY": "key"}

    def configure(self, place):
        write(place.home / ".codex" / "config.toml", f'''model = "gpt-5.1-codex"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "{place.url}/v1"
wire_api = "responses"
env_key = "WIRE_KEY"
request_max_retries = 0
stream_max_retries = 0
''')

    def new(self, prompt):
        return ["codex", "exec", *self.flags, prompt]

    def resume(self, prompt, key):
        return ["codex", "exec", "resume", *self.flags, key, prompt]

    def key(self, session):
        return session.stem[-36:]


class ClaudeCode(Agent):
    id, tool, title = "claude-code", "claude-code", "Claude Code"
    package, version = "@anthropic-ai/claude-code", "2.1.197"
    sessions = ".claude/projects/*/*.jsonl"
    links = ("parentUuid", "uuid")
    types = ("user", "assistant")
    flags = ("--dangerously-skip-permissions", "--model", "claude-sonnet-4-5")

    def variables(self, place):
        return {
            "ANTHROPIC_BASE_URL": place.url,
            "ANTHROPIC_API_KEY": "key",
            "IS_SANDBOX": "1",
            "MAX_THINKING_TOKENS": "2048",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def new(self, prompt):
        return ["claude", *self.flags, "-p", prompt]

    def resume(self, prompt, key):
        return ["claude", *self.flags, "--resume", key, "-p", prompt]


class ClaudeCode285(ClaudeCode):
    id, title, version = "claude-code-2.1.85", "Claude Code 2.1.85", "2.1.85"


class ClaudeCode330(ClaudeCode):
    id, title, version = "claude-code-2.1.330", "Claude Code 2.1.330", "2.1.330"


class Copilot(Agent):
    id, tool, title = "copilot", "copilot", "Copilot CLI"
    package, version = "@github/copilot", "1.0.102"
    sessions = ".copilot/session-state/*/events.jsonl"
    types = ("user.message", "assistant.message", "tool.execution_complete")

    def variables(self, place):
        return {
            "COPILOT_HOME": str(place.home / ".copilot"),
            "COPILOT_PROVIDER_BASE_URL": f"{place.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "key",
            "COPILOT_MODEL": "wire",
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
        }

    def new(self, prompt):
        return ["copilot", "--allow-all-tools", "--disable-client-telemetry", "-p", prompt]

    def resume(self, prompt, key):
        return ["copilot", "--allow-all-tools", "--disable-client-telemetry", f"--resume={key}", "-p", prompt]

    def key(self, session):
        return session.parent.name


class Gemini(Agent):
    id, tool, title = "gemini", "gemini-cli", "Gemini CLI"
    package, version = "@google/gemini-cli", "0.61.0"
    # 0.61 stores each result twice, so that every resume of a session with a call is refused: its turns are texts.
    calls_tools = False
    sessions = ".gemini/tmp/*/chats/session-*.json*"
    types = ("user", "gemini")
    flags = ("--yolo", "--skip-trust", "-m", "gemini-2.5-pro")

    def variables(self, place):
        return {
            "GOOGLE_GEMINI_BASE_URL": place.url,
            "GEMINI_API_KEY": "key",
            "GEMINI_CLI_NO_RELAUNCH": "1",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def configure(self, place):
        settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
        settings |= {"general": {"enableAutoUpdate": False}, "telemetry": {"enabled": False}}
        write(place.home / ".gemini" / "settings.json", settings)

    def new(self, prompt):
        return ["gemini", *self.flags, "-p", prompt]

    def resume(self, prompt, key):
        return ["gemini", *self.flags, "-r", key, "-p", prompt]

    def key(self, session):
        return "latest"


class Qwen(Agent):
    id, tool, title = "qwen-0.15", "qwen-code", "Qwen Code 0.15"
    package, version = "@qwen-code/qwen-code", "0.15.10"
    sessions = ".qwen/projects/*/chats/*.jsonl"
    links = ("parentUuid", "uuid")
    types = ("user", "assistant", "tool_result")
    flags = ("--yolo", "--auth-type", "openai", "-m", "wire")

    def variables(self, place):
        return {"OPENAI_BASE_URL": f"{place.url}/v1", "OPENAI_API_KEY": "key", "OPENAI_MODEL": "wire"}

    def configure(self, place):
        settings = {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
        write(place.home / ".qwen" / "settings.json", settings)

    def new(self, prompt):
        return ["qwen", *self.flags, "-p", prompt]

    def resume(self, prompt, key):
        return ["qwen", *self.flags, "--resume", key, "-p", prompt]


class Qwen24(Qwen):
    id, title, version, needs_node_22 = "qwen", "Qwen Code 0.24", "0.24.4", True


class Pi(Agent):
    id, tool, title = "pi", "pi", "pi"
    # The package has moved: versions from 0.74 are published here.
    package, version = "@earendil-works/pi-coding-agent", "0.74.2"
    sessions = ".pi/agent/sessions/*/*.jsonl"
    links = ("parentId", "id")
    types = ("message",)
    api, model = "openai-completions", "wire"

    def variables(self, place):
        return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}

    def configure(self, place):
        base = place.url if self.api == "anthropic-messages" else f"{place.url}/v1"
        model = {"id": self.model, "reasoning": self.api == "anthropic-messages"}
        provider = {"baseUrl": base, "api": self.api, "apiKey": "key", "models": [model]}
        write(place.home / ".pi" / "agent" / "models.json", {"providers": {"wire": provider}})

    def new(self, prompt):
        return ["pi", "--provider", "wire", "--model", self.model, "-p", prompt]

    def resume(self, prompt, key):
        return ["pi", "--provider", "wire", "--model", self.model, "--session", key, "-p", prompt]

    def key(self, session):
        return str(session)


class PiMessages(Pi):
    id, title, api = "pi-messages", "pi (Messages)", "anthropic-messages"

    def new(self, prompt):
        return [*super().new(prompt)[:-2], "--thinking", "low", "-p", prompt]

    def resume(self, prompt, key):
        return [*super().resume(prompt, key)[:-2], "--thinking", "low", "-p", prompt]


class KimiCode(Agent):
    id, tool, title = "kimi-code", "kimi", "Kimi Code"
    package, version, needs_node_22 = "@moonshot-ai/kimi-code", "2.1.0", True
    sessions = ".kimi-code/sessions/*/*/agents/main/wire.jsonl"
    types = ("context.append_message", "context.append_loop_event")

    def configure(self, place):
        write(place.home / ".kimi-code" / "config.toml", f'''default_model = "wire"
telemetry = false
[providers.wire]
type = "openai"
base_url = "{place.url}/v1"
api_key = "key"
[models.wire]
provider = "wire"
model = "wire"
max_context_size = 200000
''')

    def new(self, prompt):
        return ["kimi", "-p", prompt]

    def resume(self, prompt, key):
        return ["kimi", "-S", key, "-p", prompt]

    def key(self, session):
        return session.parents[2].name


class KimiCli(Agent):
    id, tool, title = "kimi-cli", "kimi-cli", "Kimi CLI"
    package, version, pythons = "kimi-cli", "1.49.0", ("3.13", "3.12", "3.14")
    sessions = ".kimi/sessions/*/*/context.jsonl"

    def configure(self, place):
        write(place.home / ".kimi" / "config.toml", f'''default_model = "wire"
[providers.wire]
type = "openai_legacy"
base_url = "{place.url}/v1"
api_key = "key"
[models.wire]
provider = "wire"
model = "wire"
max_context_size = 200000
''')

    def new(self, prompt):
        return ["kimi", "--print", "-p", prompt]

    def resume(self, prompt, key):
        return ["kimi", "--print", "-r", key, "-p", prompt]

    def key(self, session):
        return session.parent.name


class OpenCode(Agent):
    id, tool, title = "opencode", "opencode", "opencode"
    package, version = "opencode-ai", "1.18.33"
    sessions = ".local/share/opencode/opencode.db"
    # What is named at a resume; without it the model of the session is used.
    model = ""

    def variables(self, place):
        return {
            "XDG_DATA_HOME": str(place.home / ".local/share"),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }

    def configure(self, place):
        options = {"baseURL": f"{place.url}/v1", "apiKey": "key"}
        models = {"wire": {"name": "wire", "tool_call": True, "limit": {"context": 200000, "output": 8000}}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "wire", "options": options, "models": models}
        config = {"provider": {"wire": provider}, "model": "wire/wire", "small_model": "wire/wire", "autoupdate": False, "permission": "allow"}
        write(place.home / ".config" / "opencode" / "opencode.json", config)

    def new(self, prompt):
        return ["opencode", "run", "-m", "wire/wire", prompt]

    def resume(self, prompt, key):
        return ["opencode", "run", *(["-m", self.model] if self.model else []), *(["-s", key] if key else ["-c"]), prompt]

    def key(self, session):
        return ""


class Hermes(Agent):
    id, tool, title = "hermes", "hermes", "Hermes"
    package, version, pythons = "hermes-agent", "0.19.0", ("3.11", "3.12", "3.13")
    sessions = ".hermes/state.db"

    def variables(self, place):
        return {"HERMES_HOME": str(place.home / ".hermes"), "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": f"{place.url}/v1"}

    def configure(self, place):
        write(place.home / ".hermes" / "config.yaml", f'''model:
  default: wire
  provider: custom
  base_url: {place.url}/v1
  api_key: key
  context_length: 200000
''')

    def new(self, prompt):
        return ["hermes", "chat", "-Q", "--yolo", "-q", prompt]

    def resume(self, prompt, key):
        return ["hermes", "chat", "-Q", "--yolo", "--continue", "-q", prompt]


class Continue(Agent):
    id, tool, title = "continue", "continue", "Continue CLI"
    package, version = "@continuedev/cli", "1.5.47"
    sessions = ".continue/sessions/*-*.json"

    def variables(self, place):
        return {"CONTINUE_CLI_DISABLE_TELEMETRY": "1", "CONTINUE_GLOBAL_DIR": str(place.home / ".continue")}

    def configure(self, place):
        write(place.home / ".continue" / "config.yaml", f'''name: wire
version: 1.0.0
schema: v1
models:
  - name: wire
    provider: openai
    model: gpt-4.1
    apiBase: {place.url}/v1
    apiKey: key
    useResponsesApi: false
    roles: [chat]
''')

    def new(self, prompt):
        return ["cn", "--config", str(Path("..") / ".continue" / "config.yaml"), "--auto", "-p", prompt]

    def resume(self, prompt, key):
        return [*self.new(prompt)[:-2], "--resume", "-p", prompt]

    def key(self, session):
        # Always the last session.
        return ""


class OpenHands(Agent):
    id, tool, title = "openhands", "openhands", "OpenHands CLI"
    package, version, pythons = "openhands", "1.16.0", ("3.12",)
    sessions = ".openhands/conversations/*/base_state.json"

    def variables(self, place):
        return {"LLM_API_KEY": "key", "LLM_BASE_URL": f"{place.url}/v1", "LLM_MODEL": "openai/wire", "OPENHANDS_SUPPRESS_BANNER": "1"}

    def new(self, prompt):
        return ["openhands", "--headless", "--override-with-envs", "-t", prompt]

    def resume(self, prompt, key):
        return ["openhands", "--headless", "--override-with-envs", "--resume", key, "-t", prompt]

    def key(self, session):
        return session.parent.name

    def checked(self, session):
        return session.parent


class Cline(Agent):
    id, tool, title = "cline", "cline", "Cline"
    package, version, needs_node_22 = "cline", "3.0.65", True
    sessions = ".cline/data/sessions/*/*.messages.json"
    flags = ("-P", "openai-compatible", "-m", "wire")

    def configure(self, place):
        # Its settings are written by itself.
        line = ["cline", "auth", "-p", "openai-compatible", "-k", "key", "-m", "wire", "-b", f"{place.url}/v1"]
        programs.run(line, place.work, self.environment(place), 60)

    def new(self, prompt):
        return ["cline", *self.flags, prompt]

    def resume(self, prompt, key):
        return ["cline", *self.flags, "--id", key, prompt]

    def key(self, session):
        return session.parent.name


class Vibe(Agent):
    id, tool, title = "vibe", "vibe", "Mistral Vibe"
    package, version, pythons = "mistral-vibe", "3.0.2", ("3.13", "3.12")
    sessions = ".vibe/logs/session/unified/*/CURRENT"

    def variables(self, place):
        return {"WIRE_KEY": "key", "MISTRAL_API_KEY": "key", "VIBE_HOME": str(place.home / ".vibe")}

    def configure(self, place):
        write(place.home / ".vibe" / "config.toml", f'''active_model = "wire"
enable_telemetry = false
enable_update_checks = false
[[providers]]
name = "wire"
api_base = "{place.url}/v1"
api_key_env_var = "WIRE_KEY"
api_style = "openai"
backend = "generic"
[[models]]
name = "wire"
provider = "wire"
alias = "wire"
''')

    def new(self, prompt):
        return ["vibe", "--trust", "--auto-approve", "-p", prompt]

    def resume(self, prompt, key):
        return ["vibe", "--trust", "--auto-approve", "--resume", key, "-p", prompt]

    def key(self, session):
        return session.parent.name

    def checked(self, session):
        return session.parent


AGENTS = (
    Codex, ClaudeCode, ClaudeCode285, ClaudeCode330, Pi, PiMessages, Qwen24, Qwen, Gemini, Copilot, KimiCode, KimiCli,
    OpenCode, Hermes, Continue, OpenHands, Cline, Vibe,
)
