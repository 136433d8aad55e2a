"""Makes crates/search/data/words.bin: a vector for each English stem, fitted so that the sum of the vectors of a text's
words comes close to what a sentence model says of the text. Reads a model and two word lists; no skill, no query.

usage: words.py INPUTS OUTPUT     (INPUTS as README.md beside this file lays them out)
"""

import collections
import gzip
import pathlib
import random
import re
import struct
import sys

import numpy as np
import scipy.sparse
import snowballstemmer

import wordnet
from bert import Bert

TEXTS = 60_000
FITTED, KEPT = 256, 128
RIDGE, STEPS = 8.0, 40
WORD = re.compile(r"^[a-z][a-z0-9]+$")

STOP = set(
    """a about above after again against all am an and any are as at be because been before being below between both but
    by can could did do does doing down during each few for from further had has have having he her here hers him his how
    i if in into is it its itself just me more most my no nor not now of off on once only or other our out over own same
    she should so some such than that the their them then there these they this those through to too under until up use
    used user using very was we were what when where which while who whom why will with would you your skill agent claude
    request requests ask asks s t ll re ve don let want need help please make get""".split()
)

stemmer = snowballstemmer.stemmer("english")


def words_of(inputs, vocabulary):
    """Word to its rank: the model's own words by the place in its vocabulary, which is by frequency; then others."""
    words = {word: rank for word, rank in vocabulary.items() if WORD.match(word)}
    terms = inputs / "software-terms" / "dict"
    for file in sorted([*terms.glob("*.txt"), *terms.glob("*.gz")]):
        text = (gzip.open(file, "rt") if file.suffix == ".gz" else file.open()).read()
        for line in text.splitlines():
            for word in re.findall(r"[A-Za-z][A-Za-z0-9]+", line.split("#")[0]):
                if WORD.match(word.lower()):
                    words.setdefault(word.lower(), 50_000)
    for lemma, _, count, _ in wordnet.senses(inputs / "wordnet"):
        if WORD.match(lemma) and count > 0:
            words.setdefault(lemma, 40_000)
    return words


def main(inputs, output):
    model = Bert(inputs / "minilm")
    ranks = words_of(inputs, model.tokenizer.get_vocab())
    words = sorted(ranks)
    vectors = model.encode(words)
    vectors -= vectors.mean(0)

    # One vector a stem: the mean of its words, the usual ones counting more.
    by_stem = collections.defaultdict(list)
    for place, word in enumerate(words):
        by_stem[stemmer.stemWord(word)].append(place)
    stems = sorted(by_stem)
    start = np.zeros((len(stems), vectors.shape[1]), np.float32)
    for row, stem in enumerate(stems):
        weights = np.array([1 / (ranks[words[place]] + 500) for place in by_stem[stem]], np.float32)
        start[row] = weights @ vectors[by_stem[stem]] / weights.sum()

    texts = wordnet.texts(inputs / "wordnet")
    random.Random(1).shuffle(texts)
    texts = texts[:TEXTS]
    wanted = model.encode(texts)
    wanted -= wanted.mean(0)

    both = np.concatenate([start, wanted])
    values, axes = np.linalg.eigh(both.T @ both / len(both))
    axes = axes[:, ::-1][:, :FITTED]
    start, wanted = start @ axes, wanted @ axes

    known = {stem: place for place, stem in enumerate(stems)}
    rows, columns, shares = [], [], []
    for row, text in enumerate(texts):
        found = [word for word in re.findall(r"[a-z][a-z0-9]+", text.lower()) if word not in STOP]
        counts = collections.Counter(stem for stem in map(stemmer.stemWord, found) if stem in known)
        for stem, count in counts.items():
            rows.append(row)
            columns.append(known[stem])
            shares.append(count / sum(counts.values()))
    bags = scipy.sparse.csr_matrix((shares, (rows, columns)), shape=(len(texts), len(stems)), dtype=np.float32)

    # Ridge regression towards the vectors of the words by themselves, by conjugate gradients.
    def product(table):
        return bags.T @ (bags @ table) + RIDGE * table

    table = start.copy()
    rest = bags.T @ wanted + RIDGE * start - product(table)
    direction = rest.copy()
    size = (rest * rest).sum(0)
    for _ in range(STEPS):
        moved = product(direction)
        step = size / np.maximum((direction * moved).sum(0), 1e-12)
        table += step * direction
        rest -= step * moved
        left = (rest * rest).sum(0)
        direction = rest + left / np.maximum(size, 1e-12) * direction
        size = left
    write(output, stems, table[:, :KEPT].astype(np.float32))


def write(output, stems, table):
    order = sorted(range(len(stems)), key=lambda place: stems[place].encode())
    stems, table = [stems[place] for place in order], table[order]
    scales = np.abs(table).max(1) / 127
    scales[scales == 0] = 1
    codes = np.clip(np.round(table / scales[:, None]), -127, 127).astype(np.int8)
    text = "".join(stems).encode()
    ends = np.cumsum([len(stem.encode()) for stem in stems]).astype("<u4")
    head = b"MTWORDS1" + struct.pack("<III", table.shape[1], len(stems), len(text))
    output.write_bytes(head + ends.tobytes() + scales.astype("<f4").tobytes() + text + codes.tobytes())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
