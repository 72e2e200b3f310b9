"""AG2 with the log that its knowledge store keeps of a conversation."""

import asyncio
import json

from ag2 import Agent, KnowledgeConfig
from ag2.config import OpenAIResponsesConfig
from ag2.knowledge import EventLogWriter, MemoryKnowledgeStore
from ag2.tools import tool

FILE = "ag2.jsonl"
REPAIRED = True
# It stores no ids of messages and calls, so its reasoning has lost what it belongs to.
KNOWN = {"RL202"}
FOUND = {"RL101"}


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"The weather of {city}."


async def ask(url, path):
    store = MemoryKnowledgeStore()
    config = OpenAIResponsesConfig(model="gpt-5.4", api_key="none", base_url=url + "/v1", store=False)
    knowledge = KnowledgeConfig(store=store, expose_tool=False)
    agent = Agent("weather", prompt="Be brief.", config=config, tools=[weather], knowledge=knowledge)
    reply = await agent.ask("How is the weather?")
    await reply.ask("And tomorrow?")
    log = next(name for name in await store.list("/log/") if name.endswith(".jsonl"))
    path.write_text(await store.read("/log/" + log))


def write(url, path):
    asyncio.run(ask(url, path))


def damage(path):
    """The results of the first turn were never stored."""
    lines = path.read_text().splitlines()
    results = [n for n, line in enumerate(lines) if json.loads(line)["type"].endswith("ToolResultsEvent")]
    path.write_text("\n".join(line for n, line in enumerate(lines) if n != results[0]))


def resume(url, path):
    async def load():
        store = MemoryKnowledgeStore()
        await store.write("/log/again.jsonl", path.read_text())
        return await EventLogWriter(store).load("again")

    events = asyncio.run(load())
    unknown = [event for event in events if type(event).__name__ == "UnknownEvent"]
    assert not unknown, unknown
    return len(events)
