"""Google's Agent Development Kit with its database of sessions."""

import asyncio
import os
import sqlite3
from contextlib import closing

from google.adk.agents import LlmAgent
from google.adk.runners import Runner
from google.adk.sessions import DatabaseSessionService
from google.genai import types

FILE = "adk.db"
# Events carry a lock of the service.
REPAIRED = False
FOUND = {"RL560"}
ASKED = {"user_id": "user", "session_id": "session-1"}


def weather(city: str) -> str:
    """The weather of a city."""
    return f"The weather of {city}."


async def ask(url, path, *questions):
    os.environ["GOOGLE_API_KEY"] = "none"
    os.environ["GOOGLE_GEMINI_BASE_URL"] = url
    agent = LlmAgent(name="weather", model="gemini-3-pro-preview", instruction="Be brief.", tools=[weather])
    service = DatabaseSessionService(f"sqlite+aiosqlite:///{path}")
    if await service.get_session(app_name="app", **ASKED) is None:
        await service.create_session(app_name="app", **ASKED)
    runner = Runner(app_name="app", agent=agent, session_service=service)
    for question in questions:
        said = types.Content(role="user", parts=[types.Part(text=question)])
        async for _ in runner.run_async(**ASKED, new_message=said):
            pass
    return len((await service.get_session(app_name="app", **ASKED)).events)


def write(url, path):
    asyncio.run(ask(url, path, "How is the weather?", "And tomorrow?"))


def damage(path):
    """The results of the first turn were never stored."""
    with closing(sqlite3.connect(path)) as db, db:
        rows = db.execute("SELECT id, event_data FROM events ORDER BY timestamp").fetchall()
        first = next(row[0] for row in rows if "function_response" in row[1])
        db.execute("DELETE FROM events WHERE id = ?", (first,))


def resume(url, path):
    return asyncio.run(ask(url, path))
