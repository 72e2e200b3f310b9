"""AG2: the messages of each request are repaired right before they are sent.

AG2 makes its client anew for each turn; this configuration puts a guard on it.
"""

import asyncio

from ag2 import Agent
from ag2.config import OpenAIConfig
import replaylint


class GuardedConfig(OpenAIConfig):
    def create(self):
        client = super().create()
        replaylint.Guard(client._client)
        return client


def make_agent(**options):
    return Agent("assistant", config=GuardedConfig(model="gpt-5", **options))


if __name__ == "__main__":
    reply = asyncio.run(make_agent().ask("What is the weather in Rome?"))
    print(reply.body)
