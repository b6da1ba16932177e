"""pydantic-ai: a function as `instructions` gives each run a new prompt, and the message history does not keep it."""

import os

from preface import Preface
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

DIRECTORY, MODEL = os.environ["DIRECTORY"], "claude-opus-5-5"

engine = Preface()
provider = AnthropicProvider(api_key="none", base_url=os.environ["ENDPOINT"])
agent = Agent(
    AnthropicModel(MODEL, provider=provider),
    instructions=lambda: engine.build(DIRECTORY, model=MODEL).text,
)
print(agent.run_sync("Fix the tests.").output)
