"""Makes crates/search/data/synonyms.txt: English stems with up to six words of like meaning, the surest first.

usage: synonyms.py INPUTS OUTPUT     (INPUTS as README.md beside this file lays them out)
"""

import collections
import json
import pathlib
import re
import sys

import snowballstemmer

import wordnet

WORD = re.compile("^[a-z]{3,}$")
stemmer = snowballstemmer.stemmer("english")


def main(inputs, output):
    vocabulary = json.loads((inputs / "minilm" / "tokenizer.json").read_text())["model"]["vocab"]
    lemmas = {key: [lemma.lower() for lemma in found] for key, found, _ in wordnet.synsets(inputs / "wordnet")}
    senses = collections.defaultdict(list)
    for lemma, number, count, key in wordnet.senses(inputs / "wordnet"):
        if WORD.match(lemma):
            senses[lemma].append((count, number, key))

    def share(word, key):
        """How often the word is used in this sense."""
        whole = sum(count for count, _, _ in senses[word]) + len(senses[word])
        return next(((count + 1) / whole for count, _, other in senses[word] if other == key), 0)

    alike = collections.defaultdict(dict)
    for word, found in senses.items():
        # The model's vocabulary stands for the words that people use.
        if word not in vocabulary:
            continue
        for _, number, key in found:
            mine = share(word, key)
            if number > 3 and mine < 0.1:
                continue
            for other in lemmas[key]:
                same = stemmer.stemWord(other) == stemmer.stemWord(word)
                if same or not WORD.match(other) or other not in vocabulary:
                    continue
                known = alike[stemmer.stemWord(word)]
                known[other] = max(known.get(other, 0), mine * share(other, key))
    with output.open("w") as file:
        for stem in sorted(alike):
            best, seen = [], set()
            for other, sure in sorted(alike[stem].items(), key=lambda pair: (-pair[1], pair[0])):
                if sure >= 0.02 and stemmer.stemWord(other) not in seen:
                    seen.add(stemmer.stemWord(other))
                    best.append(other)
            if best:
                file.write(stem + "\t" + " ".join(best[:6]) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
