"""Runs the examples of frameworks against an endpoint on loopback, and checks where the prompt arrives.

The arguments are the directory of the examples, one with packages of npm, and the names of the examples to run. The request of each is compared with the recorded one in
`requests/`, in which the text of the prompt is `{{prompt}}`; `PREFACE_PRINT=1` writes them.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from loopback import ANSWER, Endpoint
from preface import Preface


def placed(value, texts):
    """Writes each text of the prompt as its name."""
    if isinstance(value, dict):
        return {key: placed(one, texts) for key, one in value.items()}
    if isinstance(value, list):
        return [placed(one, texts) for one in value]
    return texts.get(value, value) if isinstance(value, str) else value


def litellm(examples, environment, address):
    """Starts the proxy with the callback and sends one request of each kind to it."""
    key = "sk-test"
    with tempfile.TemporaryDirectory() as home:
        config = {
            "model_list": [
                {"model_name": "claude-opus-5-5",
                 "litellm_params": {"model": "anthropic/claude-opus-5-5", "api_base": address, "api_key": "none"}},
                {"model_name": "gpt-6.2",
                 "litellm_params": {"model": "openai/gpt-6.2", "api_base": f"{address}/v1", "api_key": "none"}},
            ],
            "litellm_settings": {"callbacks": "litellm_hook.preface"},
        }
        # The proxy looks for the callback beside its configuration. JSON is YAML.
        Path(home, "config.yaml").write_text(json.dumps(config), encoding="utf-8")
        Path(home, "litellm_hook.py").write_text((examples / "litellm_hook.py").read_text(encoding="utf-8"), encoding="utf-8")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        settings = {"LITELLM_MASTER_KEY": key, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        command = [str(Path(sys.executable).with_name("litellm")), "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
        with open(Path(home, "log"), "wb") as log:
            proxy = subprocess.Popen(command, cwd=home, env={**environment, **settings}, stdout=log, stderr=log)
        try:
            place = f"http://127.0.0.1:{port}"
            message = {"role": "user", "content": "Fix the tests."}
            post(f"{place}/v1/messages", key, {"model": "claude-opus-5-5", "max_tokens": 64, "messages": [message]}, patience=300)
            post(f"{place}/v1/chat/completions", key, {"model": "gpt-6.2", "messages": [message]})
        except OSError as error:
            raise SystemExit(f"litellm: {error}\n{Path(home, 'log').read_text(encoding='utf-8')[-4000:]}") from error
        finally:
            proxy.terminate()
            proxy.wait()


def post(url, key, body, patience=0):
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    end = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read()
        except urllib.error.URLError as error:
            if isinstance(error, urllib.error.HTTPError) or time.monotonic() > end:
                raise
            time.sleep(0.5)


def run(name, examples, modules, project, home, endpoint):
    # What the user of this machine has set would be in the prompt.
    own = {key: value for key, value in os.environ.items() if key != "SHELL" and not key.startswith(("XDG_", "PREFACE_"))}
    environment = {**own, "DIRECTORY": str(project), "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1",
                   "AI_SDK_LOG_WARNINGS": "false", "MASTRA_TELEMETRY_DISABLED": "1"}
    address = endpoint.address
    file = next(examples.glob(f"{name}.*"))
    if name == "litellm_hook":
        litellm(examples, environment, address)
    else:
        base = address if file.suffix == ".py" and "pydantic" in name else f"{address}/v1"
        if file.suffix == ".mjs":
            # Node finds packages beside the file.
            file = modules / shutil.copyfile(file, modules / file.name).name
        command = [sys.executable if file.suffix == ".py" else "node", str(file)]
        ran = subprocess.run(command, env={**environment, "ENDPOINT": base}, capture_output=True, text=True, check=False)
        if ran.returncode != 0 or ran.stdout.strip() != ANSWER:
            raise SystemExit(f"{name}: {ran.stdout}{ran.stderr}")
    found = []
    for _, body in endpoint.requests():
        prompt = Preface(home).build(project, model=body["model"])
        texts = {block.text: f"{{{{{block.stability} block of the prompt}}}}" for block in prompt.blocks}
        found.append(placed(body, {**texts, prompt.text: "{{prompt}}"}))
    return found


def main():
    examples, modules, names = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    endpoint = Endpoint()
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        project, home = Path(place, "project"), Path(place, "home")
        project.mkdir()
        home.mkdir()
        for name in names:
            found = run(name, examples, modules, project, home, endpoint)
            text = json.dumps(found[0] if len(found) == 1 else found, indent=2, ensure_ascii=False) + "\n"
            file = examples / "requests" / f"{name}.json"
            if os.environ.get("PREFACE_PRINT"):
                file.parent.mkdir(exist_ok=True)
                file.write_text(text, encoding="utf-8")
            same = file.exists() and file.read_text(encoding="utf-8") == text and "prompt}}" in text
            print(f"{name}: {'the prompt arrived as recorded' if same else 'another request arrived'}", flush=True)
            if not same:
                print(text)
                failed += 1
    print(f"{len(names) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
