"""Examples of the method reference, from the golden exchanges in `tests/wire`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

WIRE = Path(__file__).parents[1] / "tests" / "wire"
REFERENCE = re.compile(r"\{\{(\d+)((?:\.\w+)*)\}\}")
HEX = re.compile("(0x)?[0-9a-fA-F]+\\Z")
NAMED_MEMBERS = {"parentHash", "logsBloom", "blockHash", "storageHash"}
"""Members that only objects have which the page lists."""
MAX_HEX = 20
MAX_TEXT = 40
MAX_ITEMS = 2
MAX_MEMBERS = 4
MAX_DEPTH = 2
MAX_LINE = 120
EMPTY_RESULTS: tuple[Any, ...] = (None, False, "0x", [], {})


@dataclass(frozen=True)
class Exchange:
    """A call with its response; `is_special` if the node does not have default options."""

    params: list[Any]
    answer: dict[str, Any]
    is_special: bool


def examples() -> dict[str, str]:
    """Markdown by method: a successful call from its golden files."""
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
    good = [each for each in exchanges if "result" in each.answer]
    return _call(min(good, key=_rank)) if good else ""


def _rank(exchange: Exchange) -> tuple[bool, bool, int]:
    """The order of preference: a result that is not empty, default options, a short result."""
    result = exchange.answer["result"]
    return result in EMPTY_RESULTS, exchange.is_special, len(str(result))


def _call(exchange: Exchange) -> str:
    """The example as a line; empty if it is long, or shows nothing that the signature does not."""
    result = exchange.answer["result"]
    is_plain = not any(isinstance(each, dict | list) for each in exchange.params)
    is_value = not result or not isinstance(result, dict | list)
    if _is_named(result) or (is_plain and is_value):
        return ""
    params = ", ".join(_json_text(each) for each in exchange.params)
    shown = _json_text(result)
    if max(len(params), len(shown)) > MAX_LINE:
        return ""
    return f"Example: `[{params}]` → `{shown}`\n"


def _is_named(result: object) -> bool:
    """Whether a result is an object that the page lists with its members, or a list of such."""
    first = result[0] if isinstance(result, list) and result else result
    return isinstance(first, dict) and bool(first.keys() & NAMED_MEMBERS)


def _json_text(value: object) -> str:
    return json.dumps(_short(value), ensure_ascii=False)


def _short(value: Any, depth: int = 0) -> Any:
    """A value with long texts, long lists and what is deeper than two levels shortened."""
    if isinstance(value, dict | list) and value and depth > MAX_DEPTH:
        return "…"
    if isinstance(value, dict):
        members = list(value.items())[:MAX_MEMBERS]
        kept = {_short(name): _short(each, depth + 1) for name, each in members}
        return kept if len(value) <= MAX_MEMBERS else {**kept, "…": "…"}
    if isinstance(value, list):
        kept_items = [_short(each, depth + 1) for each in value[:MAX_ITEMS]]
        return kept_items if len(value) <= MAX_ITEMS else [*kept_items, "…"]
    if isinstance(value, str) and HEX.match(value):
        return value if len(value) <= MAX_HEX else f"{value[:6]}…{value[-4:]}"
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return f"{value[:MAX_TEXT]}…"
    return value
