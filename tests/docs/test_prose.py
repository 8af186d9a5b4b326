"""The prose of README, CHANGELOG, ARCHITECTURE, SECURITY and `docs/` is short and plain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import ROOT

TEXTS = [
    *(ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "ARCHITECTURE", "SECURITY")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
MAX_SENTENCE = 35
MAX_AVERAGE = 14
ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, list items and table cells; a piece of code counts as one word."""
    text = re.sub(r"```.*?```|<!--.*?-->", "\n\n", text, flags=re.DOTALL)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    paragraph: list[str] = []
    for line in [*re.sub(r"`[^`]*`", "code", text).splitlines(), ""]:
        stripped = line.strip()
        if not stripped or stripped[0] in "#|" or ITEM.match(stripped):
            yield " ".join(paragraph)
            paragraph = []
        if stripped.startswith("|"):
            yield from stripped.strip("|").split("|")
        elif not stripped.startswith("#"):
            paragraph.append(ITEM.sub("", stripped, count=1))


def _sentences(text: str) -> Iterator[list[str]]:
    for paragraph in _paragraphs(text):
        for sentence in re.split(r"(?<=[.!?])\s", paragraph):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if words:
                yield words


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.stem)
def test_sentences(text: Path) -> None:
    """Sentences are short: at most 35 words, 14 on average."""
    sentences = list(_sentences(text.read_text(encoding="utf-8")))
    long = [" ".join(words) for words in sentences if len(words) > MAX_SENTENCE]

    assert long == []
    assert sum(map(len, sentences)) / len(sentences) < MAX_AVERAGE


def test_changelog() -> None:
    """The part of the next release is short enough to be read."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert len(text.split()) < 900
