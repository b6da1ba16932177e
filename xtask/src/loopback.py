"""The endpoint of `preface capture`, for scripts: it is started on loopback, and its requests are read from what it prints."""

import json
import os
import subprocess
import tempfile
import time
import urllib.request

# The answer to each request that has no other.
ANSWER = "OK"


class Endpoint:
    """An endpoint that runs until this process ends. `address` is its URL."""

    def __init__(self):
        self.printed = tempfile.TemporaryFile("w+b")
        self.child = subprocess.Popen([os.environ["PREFACE_ENDPOINT"]], stdin=subprocess.PIPE, stdout=self.printed, text=True)
        self.read = 0
        self.address = self.line()

    def line(self):
        """Waits for the next whole line that it prints."""
        while self.child.poll() is None:
            self.printed.seek(self.read)
            line = self.printed.readline()
            if line.endswith(b"\n"):
                self.read += len(line)
                return line.decode().strip()
            time.sleep(0.01)
        raise SystemExit("the endpoint has ended")

    def answer(self, text):
        """Sets the text of the next answer."""
        self.child.stdin.write(json.dumps(text) + "\n")
        self.child.stdin.flush()

    def requests(self):
        """Returns path and body of each POST since the last call."""
        with urllib.request.urlopen(f"{self.address}/models?marker"):
            pass
        found = []
        while (request := json.loads(self.line()))["path"] != "/models?marker":
            if request["method"] == "POST":
                found.append((request["path"].partition("?")[0], request["body"]))
        return found
