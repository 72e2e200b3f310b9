"""LiteLLM: each request is repaired right before LiteLLM sends it."""

from typing import Any

import litellm

import replaylint.litellm

litellm.callbacks = [replaylint.litellm.Repair()]


def ask(messages: list[Any], **options: Any) -> str:
    answer: Any = litellm.completion(messages=messages, **options)
    return str(answer.choices[0].message.content)


if __name__ == "__main__":
    print(ask([{"role": "user", "content": "What is the weather in Rome?"}], model="openai/gpt-5"))
