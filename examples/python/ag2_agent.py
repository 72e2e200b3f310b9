"""AG2: the messages of each request are repaired right before they are sent."""

import asyncio

from ag2 import Agent
from ag2.config import OpenAIResponsesConfig
from ag2.config.config import ModelConfig

import replaylint.ag2


def make_agent(config: ModelConfig) -> Agent:
    return Agent("assistant", config=replaylint.ag2.guarded(config))


if __name__ == "__main__":
    reply = asyncio.run(make_agent(OpenAIResponsesConfig(model="gpt-5")).ask("What is the weather in Rome?"))
    print(reply.body)
