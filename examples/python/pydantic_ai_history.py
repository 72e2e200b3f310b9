"""Pydantic AI: the history is repaired before each request of a run."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model

import replaylint.pydantic_ai


def make_agent(model: Model | str) -> Agent[None, str]:
    return Agent(model, capabilities=[replaylint.pydantic_ai.repaired_history()])


def ask(model: Model | str, question: str, history: list[ModelMessage]) -> str:
    return make_agent(model).run_sync(question, message_history=history).output


if __name__ == "__main__":
    print(ask("openai:gpt-5", "What is the weather in Rome?", []))
