"""LangChain: middleware that repairs the messages of an agent before each call of the model.

It works for every provider: the messages are repaired as LangChain stores them.
"""

import logging

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import messages_from_dict, messages_to_dict
import replaylint


class Repair(AgentMiddleware):
    def __init__(self, **options):
        super().__init__()
        self.options = options

    def wrap_model_call(self, request, handler):
        return handler(self.repaired(request))

    async def awrap_model_call(self, request, handler):
        return await handler(self.repaired(request))

    def repaired(self, request):
        stored = messages_to_dict(request.messages)
        fixed, report = replaylint.fix(stored, format="langchain-messages", usage="request", **self.options)
        for change in report.changes:
            logging.info("repaired the messages: %s at %s: %s", change.rule, change.pointer, change.what)
        return request.override(messages=messages_from_dict(fixed)) if report.changed else request


def make_agent(model, tools=()):
    return create_agent(model, tools=list(tools), middleware=[Repair()])


if __name__ == "__main__":
    from langchain_openai import ChatOpenAI

    agent = make_agent(ChatOpenAI(model="gpt-5"))
    print(agent.invoke({"messages": ["What is the weather in Rome?"]})["messages"][-1].content)
