"""LangChain: a middleware makes the system prompt before each call of the model."""

import os

from langchain.agents import create_agent
from langchain.agents.middleware import dynamic_prompt
from langchain_openai import ChatOpenAI
from preface import Preface

DIRECTORY, MODEL = os.environ["DIRECTORY"], "gpt-6.2"

engine = Preface()


@dynamic_prompt
def prompt(_request):
    return engine.build(DIRECTORY, model=MODEL).text


agent = create_agent(ChatOpenAI(model=MODEL, api_key="none", base_url=os.environ["ENDPOINT"]), middleware=[prompt])
answer = agent.invoke({"messages": [{"role": "user", "content": "Fix the tests."}]})
print(answer["messages"][-1].content)
