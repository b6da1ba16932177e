"""Writes counts.json: texts of our own, with the tokens that OpenAI's `tiktoken` counts.

    pip install tiktoken==0.14.0
    cargo fetch                      # of any crate that uses tiktoken-rs 0.12: its assets are the vocabulary files
    python make.py DIRECTORY         # the directory with o200k_base.tiktoken and cl100k_base.tiktoken

`tiktoken` looks for a vocabulary below TIKTOKEN_CACHE_DIR, under the SHA-1 of its address, and checks its SHA-256, so that
nothing is downloaded and a wrong file is refused. Names of special tokens are counted as text.
"""

import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/"

TEXTS = [
    "",
    " ",
    "a",
    "You help a programmer.",
    "You help a programmer.\n\nUse tabs. Never guess; say what you do not know.\n",
    "  two leading blanks and two trailing  ",
    "\n\n\n",
    "line\r\nline\r\n\r\n",
    "tab\tseparated\tvalues\n\t\tindented twice\n",
    "camelCaseIdentifier snake_case_identifier SCREAMING_CASE HTTPServer2",
    "fn main() {\n    println!(\"{}\", 1 << 20);\n}\n",
    "if (a!==b&&c>=d||!e) { return a?.b ?? [...c]; } // so\n",
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]}",
    "# Rules\n\n- One thing at a time.\n- **Never** delete what you did not make.\n\n| a | b |\n| --- | --- |\n",
    "it's we'll I'd they've you're I'm don't IT'S WE'LL",
    "1234567890 3.14159 1e-9 0xdeadbeef 2026-11-22T17:20:24Z",
    "Größenänderung, naïve café, Łódź, İstanbul, ſtraße",
    "e\u0301 and \u00e9, n\u0303 and \u00f1, a\u0300\u0301\u0302\u0303",
    "Вы помогаете программисту. Говорите прямо.",
    "プログラマーを手伝います。タブを使ってください。",
    "你帮助程序员。请使用制表符。",
    "프로그래머를 돕습니다.",
    "คุณช่วยโปรแกรมเมอร์",
    "أنت تساعد مبرمجا ١٢٣٤٥",
    "👩\u200d👩\u200d👧 🏳️\u200d🌈 👍🏽 🇩🇪 ✅",
    "<|endoftext|> and <|im_start|>system<|im_end|> are text here",
    "\u0000\u0001\u007f\ufeff\u200b\u202e\U000e0041",
    "a" * 1000,
    " " * 1000,
    "\n" * 300,
    "ab" * 500,
    "0" * 100,
    "The same sentence again and again. " * 200,
]


def main(directory: str) -> None:
    here = pathlib.Path(__file__).parent
    with tempfile.TemporaryDirectory() as cache:
        for name in ("o200k_base.tiktoken", "cl100k_base.tiktoken"):
            key = hashlib.sha1((ADDRESS + name).encode()).hexdigest()
            shutil.copyfile(pathlib.Path(directory) / name, pathlib.Path(cache) / key)
        os.environ["TIKTOKEN_CACHE_DIR"] = cache
        import tiktoken

        o200k = tiktoken.get_encoding("o200k_base")
        cl100k = tiktoken.get_encoding("cl100k_base")
        rows = [
            {
                "text": text,
                "o200k": len(o200k.encode(text, disallowed_special=())),
                "cl100k": len(cl100k.encode(text, disallowed_special=())),
            }
            for text in TEXTS
        ]
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=True) for row in rows)
    (here / "counts.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main(sys.argv[1])
