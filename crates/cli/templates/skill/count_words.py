"""Counts the words, lines and characters of a text.

The arguments come as one JSON object on standard input, the answer goes as one JSON object to standard output. What is
printed to standard error goes to the log.
"""

import json
import sys


def count_words(text, longest=0):
    words = text.split()
    by_length = sorted(set(words), key=lambda word: (-len(word), word))
    return {
        "success": True,
        "message": "%d words" % len(words),
        "words": len(words),
        "lines": len(text.splitlines()),
        "characters": len(text),
        "longest": by_length[:longest],
    }


if __name__ == "__main__":
    print(json.dumps(count_words(**json.load(sys.stdin))))
