"""The sentence model that the word vectors are fitted to, in NumPy."""

import json
import struct

import numpy as np
from tokenizers import Tokenizer


class Bert:
    """An uncased BERT sentence model with mean pooling, from the folder it is published in."""

    def __init__(self, folder):
        data = (folder / "model.safetensors").read_bytes()
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + length])
        self.weights = {}
        for name, place in header.items():
            if name == "__metadata__" or place["dtype"] != "F32":
                continue
            start, end = place["data_offsets"]
            numbers = np.frombuffer(data[8 + length + start : 8 + length + end], dtype=np.float32)
            self.weights[name.removeprefix("bert.")] = numbers.reshape(place["shape"])
        self.config = json.loads((folder / "config.json").read_text())
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(256)

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        variance = (x * x).mean(-1, keepdims=True)
        return x / np.sqrt(variance + 1e-12) * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def linear(self, x, name):
        flat = x.reshape(-1, x.shape[-1]) @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]
        return flat.reshape(*x.shape[:-1], -1)

    def batch(self, ids):
        count, length = ids.shape
        heads, size = self.config["num_attention_heads"], self.config["hidden_size"]
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for number in range(self.config["num_hidden_layers"]):
            layer = f"encoder.layer.{number}."
            q, k, v = (
                self.linear(x, layer + "attention.self." + name)
                .reshape(count, length, heads, size // heads)
                .transpose(0, 2, 1, 3)
                for name in ("query", "key", "value")
            )
            share = np.einsum("bhid,bhjd->bhij", q, k) / np.float32(np.sqrt(size // heads))
            share = np.exp(share - share.max(-1, keepdims=True))
            share /= share.sum(-1, keepdims=True)
            y = np.einsum("bhij,bhjd->bihd", share, v).reshape(count, length, size)
            x = self.norm(x + self.linear(y, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            z = self.linear(x, layer + "intermediate.dense")
            z = (0.5 * z * (1 + np.tanh(0.7978845608 * (z + 0.044715 * z * z * z)))).astype(np.float32)
            x = self.norm(x + self.linear(z, layer + "output.dense"), layer + "output.LayerNorm")
        x = x.mean(1)
        return x / np.linalg.norm(x, axis=1, keepdims=True)

    def encode(self, texts):
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        vectors = np.zeros((len(texts), self.config["hidden_size"]), np.float32)
        by_length = {}
        for place, text in enumerate(ids):
            by_length.setdefault(len(text), []).append(place)
        for length, places in sorted(by_length.items()):
            step = max(1, min(256, 8192 // length))
            for start in range(0, len(places), step):
                chunk = places[start : start + step]
                vectors[chunk] = self.batch(np.array([ids[place] for place in chunk]))
        return vectors
