"""Examples of the method reference, from the golden exchanges in `tests/wire`."""

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
REFERENCE = re.compile(r"\{\{(\d+)((?:\.\w+)*)\}\}")
MAX_TEXT = 66  # a hash with its 0x
MAX_MESSAGE = 160
MAX_ITEMS = 2
EMPTY_RESULTS: tuple[Any, ...] = (None, False, "0x", [], {})


@dataclass(frozen=True)
class Exchange:
    """A call with its response; `is_special` if the node does not have default options."""

    params: list[Any]
    answer: dict[str, Any]
    is_special: bool


def examples() -> dict[str, str]:
    """Markdown by method: an error for each code in its golden files, and a successful call."""
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
    except ValueError:  # some golden files have requests that are not JSON
        return None


def _filled(request: str, answers: list[Any]) -> str:
    """The request with its references replaced by values of previous results."""

    def resolve(match: re.Match[str]) -> str:
        value = answers[int(match[1]) - 1]["result"]
        for name in match[2].split(".")[1:]:
            value = value[int(name)] if isinstance(value, list) else value[name]
        return str(value)

    return REFERENCE.sub(resolve, request)


def _text(exchanges: list[Exchange]) -> str:
    errors: dict[int, str] = {}
    for each in exchanges:
        if "error" in each.answer:
            errors.setdefault(each.answer["error"]["code"], each.answer["error"]["message"])
    good = [each for each in exchanges if "result" in each.answer]
    lines = [f"- error {code}: `{_cut(text)}`" for code, text in sorted(errors.items())]
    return "\n".join([*lines, *(_call(min(good, key=_rank)) if good else [])]).rstrip()


def _rank(exchange: Exchange) -> tuple[bool, bool, int]:
    """The order of preference: a result that is not empty, default options, a short result."""
    result = exchange.answer["result"]
    return result in EMPTY_RESULTS, exchange.is_special, len(str(result))


def _call(exchange: Exchange) -> list[str]:
    shown = [*_wrapped(exchange.params), *_wrapped(exchange.answer["result"])]
    return ["- example:", "", "  ```text", *shown, "  ```", ""]


def _wrapped(value: object) -> list[str]:
    text = json.dumps(_short(value), ensure_ascii=False)
    return textwrap.wrap(
        text, 100, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
    )


def _short(value: Any) -> Any:
    """A value with long texts and long lists shortened."""
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    if isinstance(value, list):
        kept = [_short(each) for each in value[:MAX_ITEMS]]
        return kept if len(value) <= MAX_ITEMS else [*kept, "…"]
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return f"{value[:20]}…{value[-4:]}"
    return value


def _cut(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"
