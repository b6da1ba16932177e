"""LiteLLM's proxy: a callback puts the prompt of a directory into the requests of every client behind it.

`litellm_settings.callbacks: litellm_hook.preface` in the configuration. Anthropic's requests get blocks with cache marks.
"""

import os

from litellm.integrations.custom_logger import CustomLogger
from preface import Preface

DIRECTORY = os.environ["DIRECTORY"]


class PrefaceHook(CustomLogger):
    def __init__(self):
        super().__init__()
        self.engine = Preface()

    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        prompt = await self.engine.abuild(DIRECTORY, model=data["model"])
        if call_type == "anthropic_messages":
            data["system"] = prompt.request("anthropic")["system"]
        elif call_type in ("aresponses", "responses"):
            data["input"] = [{"role": "developer", "content": prompt.text}, *data["input"]]
        else:
            data["messages"] = [{"role": "system", "content": prompt.text}, *data["messages"]]
        return data


preface = PrefaceHook()
