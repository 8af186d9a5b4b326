"""A page: a template, its title and values, and the JSON-RPC calls that have the same content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

RawCall = tuple[str, list[Any]]
"""A JSON-RPC method and its parameters, as JSON values."""


@dataclass(frozen=True, slots=True)
class Page:
    """What one address shows: `raw` are the calls whose answers its JSON form has.

    `location` is another address to go to instead.
    """

    template: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    raw: Sequence[RawCall] = ()
    status: int = 200
    section: str = ""
    location: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """The part of an address after the question mark."""

    values: Mapping[str, str]

    def text(self, name: str, limit: int = 200) -> str:
        """A value, shortened; empty without it."""
        return self.values.get(name, "").strip()[:limit]

    def number(self, name: str) -> int | None:
        """A value as a number; None without it, or if it is none."""
        text = self.text(name, 20)
        return int(text) if text.isascii() and text.isdigit() else None
