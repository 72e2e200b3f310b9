"""LangChain: middleware that repairs the messages of an agent before each call of the model, of any provider."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel

import replaylint.langchain


def make_agent(model: BaseChatModel) -> Any:
    return create_agent(model, tools=[], middleware=[replaylint.langchain.Repair()])


if __name__ == "__main__":
    from langchain_openai import ChatOpenAI

    agent = make_agent(ChatOpenAI(model="gpt-5"))
    print(agent.invoke({"messages": ["What is the weather in Rome?"]})["messages"][-1].content)
