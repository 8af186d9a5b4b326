"""Examples for the method reference, taken from the golden exchanges in `tests/wire`."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

WIRE = Path(__file__).parents[1] / "tests" / "wire"
PLACE = re.compile(r"\{\{(\d+)((?:\.\w+)*)\}\}")
LONGEST_TEXT = 66  # a hash with its 0x
LONGEST_MESSAGE = 160
MOST_ITEMS = 2
NOTHING: tuple[Any, ...] = (None, False, "0x", [], {})


@dataclass(frozen=True)
class Exchange:
    """A call of a golden file with its answer; `is_special` where the node has options."""

    params: list[Any]
    answer: dict[str, Any]
    is_special: bool


def examples() -> dict[str, str]:
    """Markdown for each method: a good call, and an error for each code that is known."""
    return {folder.name: _text(list(_exchanges(folder))) for folder in sorted(WIRE.iterdir())}


def _exchanges(folder: Path) -> Iterator[Exchange]:
    for path in sorted(folder.glob("*.io")):
        lines = path.read_text(encoding="utf-8").splitlines()
        answers: list[Any] = []
        for sent, got in pairwise(lines):
            if not sent.startswith(">> {"):
                continue
            answers.append(_json(got.removeprefix("<<").strip()))
            request = _json(_filled(sent.removeprefix(">> "), answers))
            if isinstance(request, dict) and request.get("method") == folder.name:
                special = any(line.startswith("// with") for line in lines)
                yield Exchange(request.get("params") or [], answers[-1] or {}, special)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # some goldens show what is not JSON
        return None


def _filled(request: str, answers: list[Any]) -> str:
    """The request with its places taken by what was answered before."""

    def found(place: re.Match[str]) -> str:
        value = answers[int(place[1]) - 1]["result"]
        for name in place[2].split(".")[1:]:
            value = value[int(name)] if isinstance(value, list) else value[name]
        return str(value)

    return PLACE.sub(found, request)


def _text(exchanges: list[Exchange]) -> str:
    errors: dict[int, str] = {}
    for each in exchanges:
        if "error" in each.answer:
            errors.setdefault(each.answer["error"]["code"], each.answer["error"]["message"])
    good = [each for each in exchanges if "result" in each.answer]
    lines = [f"- error {code}: `{_cut(text)}`" for code, text in sorted(errors.items())]
    return "\n".join([*lines, *(_call(min(good, key=_rank)) if good else [])]).rstrip()


def _rank(exchange: Exchange) -> tuple[bool, bool, int]:
    """What makes the better example: a plain node, an answer with something in it, short."""
    result = exchange.answer["result"]
    return result in NOTHING, exchange.is_special, len(str(result))


def _call(exchange: Exchange) -> list[str]:
    shown = [*_wrapped(exchange.params), *_wrapped(exchange.answer["result"])]
    return ["- example:", "", "  ```text", *shown, "  ```", ""]


def _wrapped(value: object) -> list[str]:
    text = json.dumps(_short(value), ensure_ascii=False)
    return textwrap.wrap(
        text, 100, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
    )


def _short(value: Any) -> Any:
    """A value without the middle of its long texts and the end of its long lists."""
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    if isinstance(value, list):
        kept = [_short(each) for each in value[:MOST_ITEMS]]
        return kept if len(value) <= MOST_ITEMS else [*kept, "…"]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:20]}…{value[-4:]}"
    return value


def _cut(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 1] + "…"
