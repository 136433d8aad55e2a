"""Counts the words, lines and characters of a text.

`run` calls the function with the arguments of the call, prints what it returns as one JSON object, and turns an
exception into an answer that says what went wrong. `_metier_skill.py` says what else there is: progress, log, fail,
resolve.
"""

from _metier_skill import progress, run


def count_words(text, longest=0):
    words = text.split()
    progress(1, 2, "words counted")
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
    run(count_words)
