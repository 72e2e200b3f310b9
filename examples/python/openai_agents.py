"""The OpenAI Agents SDK: the history of a session is repaired before each run.

A run that ends between a call and its output, by an exception or a restart, leaves a session that the API rejects from
then on. The callback repairs what is sent; the session keeps what happened.
"""

import asyncio
import logging

from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
import replaylint


@function_tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"22 degrees in {city}"


def repaired(history, new_input):
    """The stored items and the new ones, as the API takes them."""
    items, report = replaylint.fix([*history, *new_input], dialect="responses", usage="request")
    for change in report.changes:
        logging.info("repaired the history: %s at %s: %s", change.rule, change.pointer, change.what)
    return items


async def ask(question, session):
    agent = Agent(name="Assistant", model="gpt-5", tools=[weather])
    config = RunConfig(session_input_callback=repaired)
    result = await Runner.run(agent, question, session=session, run_config=config)
    return result.final_output


if __name__ == "__main__":
    print(asyncio.run(ask("What is the weather in Rome?", SQLiteSession("user-1", "sessions.db"))))
