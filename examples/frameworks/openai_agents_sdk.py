"""OpenAI Agents SDK: `instructions` may be a function of the context and the agent. They become `instructions` of the request."""

import os

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI
from preface import Preface

DIRECTORY, MODEL = os.environ["DIRECTORY"], "gpt-6.2"

engine = Preface()
set_tracing_disabled(True)
client = AsyncOpenAI(api_key="none", base_url=os.environ["ENDPOINT"])


async def instructions(_context, _agent):
    return (await engine.abuild(DIRECTORY, model=MODEL)).text


agent = Agent(name="coder", instructions=instructions, model=OpenAIResponsesModel(MODEL, client))
print(Runner.run_sync(agent, "Fix the tests.").final_output)
