"""A published MCP client uses `preface mcp serve`, in both ways in which a connection begins.

    python story.py PREFACE ROOT
"""

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters

preface, root = sys.argv[1:]
PRESETS = ["additions", "claude-code", "default", "pi", "stud", "template"]
TOOLS = ["build", "explain", "lint"]


def report(what: str) -> None:
    print(f"Python: {what}", flush=True)


def built(preset: str, directory: Path, text: str) -> str:
    """What `preface build` prints, on the day that the text names."""
    day = re.search(r"20\d\d-\d\d-\d\d", text)
    now = ["--now", f"{day[0]}T12:00:00Z", "--tz", "UTC"] if day else []
    command = [preface, "build", "--quiet", "--preset", preset, *now]
    return subprocess.run(command, cwd=directory, capture_output=True, check=True).stdout.decode()


async def story(mode: str) -> None:
    server = StdioServerParameters(command=preface, args=["mcp", "serve"], cwd=root, env={"TZ": "UTC"})
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        version = client.session.protocol_version
        assert version == ("2026-07-28" if mode == "auto" else "2025-11-25"), version
        assert client.server_info.name == "preface", client.server_info
        assert "explain" in client.instructions, client.instructions

        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == PRESETS, prompts
        for name in ["claude-code", "default", "template"]:
            for at, arguments in [("", {}), ("api", {"directory": "api"})]:
                got = await client.get_prompt(name, arguments)
                [message] = got.messages
                assert message.role == "user", message
                text = message.content.text
                assert text == built(name, Path(root, at), text), name
        report(f"{version}: listed {len(prompts)} prompts, and got what `preface build` prints")

        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS, tools
        assert all(tool.annotations.read_only_hint for tool in tools)
        for name in TOOLS:
            # The client holds the answer against the tool's output schema.
            result = await client.call_tool(name, {"directory": root, "preset": "default", "tools": ["read"]})
            assert not result.is_error, result
            answer = result.structured_content
            match name:
                case "build":
                    assert result.content[0].text == answer["text"]
                    assert "Use tabs." not in answer["text"], "nobody trusted it"
                    held = [note["code"] for note in answer["diagnostics"]]
                    assert "trust/untrusted" in held, held
                case "explain":
                    assert json.loads(result.content[0].text) == answer
                    assert answer["parts"][0]["section"] == "identity", answer
                case "lint":
                    assert answer["texts"] > 0, answer
                    assert all(finding["severity"] != "error" for finding in answer["diagnostics"]), answer
        refused = await client.call_tool("build", {"directory": "/"})
        assert refused.is_error and "help: " in refused.content[0].text, refused
        try:
            await client.get_prompt("defalt")
        except MCPError as error:
            assert error.code == -32602 and "did you mean `default`?" in error.message, error
        else:
            raise AssertionError("a prompt that nobody offers was got")
        report(f"{version}: called {', '.join(TOOLS)}, and was refused what lies outside")


for mode in ["legacy", "auto"]:
    asyncio.run(story(mode))
