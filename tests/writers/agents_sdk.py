"""The OpenAI Agents SDK with its SQLite session."""

import asyncio
import sqlite3
from contextlib import closing

from agents import Agent, OpenAIResponsesModel, Runner, SQLiteSession, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

FILE = "agents.db"
REPAIRED = True
FOUND = {"RL101"}

set_tracing_disabled(True)


@function_tool
def weather(city: str) -> str:
    return f"The weather of {city}."


async def ask(url, path, *questions):
    client = AsyncOpenAI(base_url=url + "/v1", api_key="none")
    model = OpenAIResponsesModel(model="gpt-5.4", openai_client=client)
    agent = Agent(name="weather", instructions="Be brief.", model=model, tools=[weather])
    session = SQLiteSession("session-1", str(path))
    for question in questions:
        await Runner.run(agent, question, session=session)
    items = await session.get_items()
    session.close()
    return items


def write(url, path):
    asyncio.run(ask(url, path, "How is the weather?", "And tomorrow?"))


def damage(path):
    """One of two parallel results was never stored."""
    with closing(sqlite3.connect(path)) as db, db:
        rows = db.execute("SELECT id, message_data FROM agent_messages ORDER BY id").fetchall()
        last = max(row[0] for row in rows if "function_call_output" in row[1])
        db.execute("DELETE FROM agent_messages WHERE id = ?", (last,))


def resume(url, path):
    return len(asyncio.run(ask(url, path, "And the day after?")))
