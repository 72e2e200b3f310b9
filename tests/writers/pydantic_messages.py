"""Pydantic AI, whose messages an application stores as JSON."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

FILE = "pydantic.json"
REPAIRED = True
FOUND = {"RL501"}


def agent(url):
    model = OpenAIChatModel("gpt-5.4", provider=OpenAIProvider(base_url=url + "/v1", api_key="none"))
    made = Agent(model, instructions="Be brief.")

    @made.tool_plain
    def weather(city: str) -> str:
        return f"The weather of {city}."

    return made


def write(url, path):
    result = agent(url).run_sync("How is the weather?")
    result = agent(url).run_sync("And tomorrow?", message_history=result.all_messages())
    path.write_bytes(result.all_messages_json())


def damage(path):
    """One of two parallel results of the first turn is gone."""
    messages = ModelMessagesTypeAdapter.validate_json(path.read_bytes())
    is_result = lambda part: part.part_kind == "tool-return"
    results = next(message for message in messages if any(map(is_result, message.parts)))
    results.parts = results.parts[:1]
    path.write_bytes(ModelMessagesTypeAdapter.dump_json(messages))


def resume(url, path):
    history = ModelMessagesTypeAdapter.validate_json(path.read_bytes())
    return len(agent(url).run_sync("And the day after?", message_history=history).all_messages())
