"""tf.contrib.learn.preprocessing: texts to arrays of word ids."""

from __future__ import annotations

import pickle
import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

import numpy

__all__ = ["CategoricalVocabulary", "VocabularyProcessor", "ByteProcessor", "tokenizer"]
# Runs of capitals, words in camel case taken apart, and words with apostrophes and hyphens: 1.15's text.TOKENIZER_RE.
TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[List[str]]:
    """The words of each text."""
    for value in iterator:
        yield TOKENIZER_RE.findall(value)


class CategoricalVocabulary:
    """Categories and their ids; 0 is the unknown one."""

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._mapping: Dict[Any, int] = {unknown_token: 0}
        self._reverse_mapping: List[Any] = [unknown_token]
        self._freq: Dict[Any, int] = {}
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Whether new categories are unknown from now on."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The id of a category: a new one unless frozen, when it is 0."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Count a category."""
        if self.get(category) > 0:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keep the categories counted more often than min_frequency (and less than max_frequency), the commonest first."""
        ordered = sorted(sorted(self._freq.items(), key=lambda item: str(item[0])), key=lambda item: item[1], reverse=True)
        kept = [(name, count) for name, count in ordered if count > min_frequency and (max_frequency <= 0 or count < max_frequency)]
        self._mapping = {self._unknown_token: 0}
        self._reverse_mapping = [self._unknown_token]
        for name, _ in kept:
            self._mapping[name] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(name)
        self._freq = dict(kept)

    def reverse(self, class_id: int) -> Any:
        """The category of an id."""
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Documents to arrays of word ids, all of one length."""

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: Optional[CategoricalVocabulary] = None,
        tokenizer_fn: Optional[Callable[..., Any]] = None,
    ) -> None:
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learn the words of documents; returns itself."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[Any]:
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[Any]:
        """An array of ids for each document: cut or filled with 0."""
        for tokens in self._tokenizer(raw_documents):
            ids: Any = numpy.zeros(self.max_document_length, numpy.int64)
            for at, token in enumerate(tokens[: self.max_document_length]):
                ids[at] = self.vocabulary_.get(token)
            yield ids

    def reverse(self, documents: Iterable[Any]) -> Iterator[str]:
        """Ids back to words."""
        for item in documents:
            yield " ".join(str(self.vocabulary_.reverse(word)) for word in item)

    def save(self, filename: str) -> None:
        """Pickle it."""
        import tensorflow.compat.v1 as tf

        with tf.gfile.Open(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """What `save` has written."""
        import tensorflow.compat.v1 as tf

        with tf.gfile.Open(filename, "rb") as file:
            return pickle.loads(file.read())  # type: ignore[no-any-return]


class ByteProcessor:
    """Documents to arrays of their bytes, all of one length."""

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> ByteProcessor:
        return self

    def fit_transform(self, x: Any) -> Iterator[Any]:
        return self.transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[Any]:
        for document in x:
            data = document.encode("utf-8") if isinstance(document, str) else document
            filled = data[: self.max_document_length].ljust(self.max_document_length, b"\0")
            yield numpy.frombuffer(filled, dtype=numpy.uint8)

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        for data in x:
            yield bytes(bytearray(int(value) for value in data if value)).decode("utf-8", "replace")
