"""The OpenAI Agents SDK: what each run sends is repaired; the session keeps what happened."""

import asyncio

from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.memory import Session

import replaylint.agents


@function_tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"22 degrees in {city}"


async def ask(question: str, session: Session) -> str:
    agent = Agent(name="Assistant", model="gpt-5", tools=[weather])
    config = RunConfig(call_model_input_filter=replaylint.agents.model_input_filter())
    result = await Runner.run(agent, question, session=session, run_config=config)
    return str(result.final_output)


if __name__ == "__main__":
    print(asyncio.run(ask("What is the weather in Rome?", SQLiteSession("user-1", "sessions.db"))))
