"""A LangGraph agent with the checkpointer for SQLite."""

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, RemoveMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver

FILE = "langgraph.sqlite"
# Checkpoints are only read: `fix` says what to give to `update_state`.
REPAIRED = False
FOUND = {"RL501"}
THREAD = {"configurable": {"thread_id": "1"}}


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"The weather of {city}."


def agent(url, saver):
    model = ChatOpenAI(model="gpt-5.4", base_url=url + "/v1", api_key="none")
    return create_agent(model, [weather], checkpointer=saver)


def write(url, path):
    with SqliteSaver.from_conn_string(str(path)) as saver:
        for question in ("How is the weather?", "And tomorrow?"):
            agent(url, saver).invoke({"messages": [("user", question)]}, THREAD)


def damage(path):
    """An interrupt between a call and its result, and a question after it."""
    with SqliteSaver.from_conn_string(str(path)) as saver:
        graph = agent("http://127.0.0.1:1", saver)
        messages = graph.get_state(THREAD).values["messages"]
        gone = [RemoveMessage(id=message.id) for message in messages[-2:]]
        graph.update_state(THREAD, {"messages": [*gone, HumanMessage("Are you there?")]})


def update(path, report):
    """Gives the graph what `fix` says."""
    with SqliteSaver.from_conn_string(str(path)) as saver:
        graph = agent("http://127.0.0.1:1", saver)
        graph.update_state(THREAD, report["inputs"][0]["update"]["with"])


def resume(url, path):
    with SqliteSaver.from_conn_string(str(path)) as saver:
        return len(agent(url, saver).get_state(THREAD).values["messages"])
