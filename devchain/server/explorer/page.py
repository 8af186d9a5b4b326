"""A page: a template, its title and values, and the JSON-RPC calls that have the same content."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape

from devchain.chain.slices import QUICK, Slices
from devchain.client.views import LogView, TransactionView, short
from devchain.errors import InvalidInput
from devchain.text import age, moment, percent, plural, printable, shorten

MAX_BRIEF = 400  # characters of a name, call or reason in a list: contracts make them
PARTS = 256  # of a page that are written in a slice
MAX_TEXT = 8_000  # characters of a text on a page of its own; the JSON beside it has all of it
MAX_NUMBER = 2**53
LINKED = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*"?)|(?<!\w)(?P<address>0x[0-9a-fA-F]{40})(?!\w)'
    r"|(?<!\w)(?P<hash>0x[0-9a-f]{64})(?!\w)"
    r"|(?<![\w.])\d{5,78}(?![\w.])",
    re.ASCII,
)
"""Texts in quotes, which stay as they are, addresses, hashes, and large numbers."""

RawCall = tuple[str, list[Any]]  # A JSON-RPC method and its parameters, as JSON values


@dataclass(frozen=True, slots=True)
class Page:
    """What a URL shows, or another `location`; `raw` are the calls of its JSON form.

    `section` is its entry in the navigation, by default the one with the template's name.
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
    """The part of a URL after the question mark."""

    values: Mapping[str, str]

    def text(self, name: str, limit: int = 200) -> str:
        return self.values.get(name, "").strip()[:limit]

    @property
    def is_json(self) -> bool:
        return self.text("format") == "json"

    def number(self, name: str) -> int | None:
        """A value as a number; None without it, or if it is none; `InvalidInput` of 2^53 on."""
        text = self.text(name)
        number = int(text) if text.isascii() and text.isdigit() else None
        if number is not None and number >= MAX_NUMBER:
            raise InvalidInput(f"{name} must be a number below 2^53")
        return number


def render(page: Page, shared: Mapping[str, Any]) -> Slices[str]:
    """The page as HTML, in slices; `shared` are the values that every template may show.

    Texts may be those of contracts and clients: what is invisible in them is escaped and their
    length bounded here, and Jinja escapes what HTML would read.
    """
    template = _environment().get_template(page.template)
    section = page.section or page.template.removesuffix(".html")
    own = {"title": page.title, "section": section, "has_json": bool(page.raw), "once": _once()}
    written = []
    for number, part in enumerate(template.generate({**shared, **own, **page.values})):
        if number % PARTS == 0:
            yield QUICK
        written.append(part)
    return "".join(written)


def _once() -> Callable[..., str]:
    # Many rows of a page show the same accounts, times and states. In a template
    # `once(macro, value)` is `macro(value)`, rendered once for each value of the page.
    written: dict[tuple[str, tuple[object, ...]], str] = {}

    def once(macro: Macro, *values: object) -> str:
        key = macro.name, values
        if (text := written.get(key)) is None:
            text = written[key] = macro(*values).strip()
        return text

    return once


@cache
def _environment() -> Environment:
    environment = Environment(
        auto_reload=False,
        autoescape=True,
        finalize=_bounded,
        loader=PackageLoader("devchain.server.explorer"),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "number": "{:,}".format,
        "linked": _linked,
        "brief": lambda text: shorten(text, MAX_BRIEF),
        "short": short,
        "date": moment,
        "iso": lambda timestamp: moment(timestamp).replace(" UTC", "Z").replace(" ", "T"),
        "age": age,
    }
    environment.globals |= {"plural": plural, "percent": percent, "folded": _folded}
    return environment


@pass_context
def _linked(context: Context, text: str, limit: int = MAX_TEXT) -> Markup:
    # A text of names, with its addresses as links and the digits of large numbers in groups.
    base, written, start = escape(context["base"]), list[str](), 0
    hashes: Mapping[str, str] = context.get("hashes", {})
    text = printable(shorten(text, limit))
    for found in LINKED.finditer(text):
        written.append(escape(text[start : found.start()]))
        path = hashes.get(found[0]) or (found["address"] and f"/address/{found[0]}")
        if path:
            written.append(f'<a href="{base}{path}">{found[0]}</a>')
        elif found["text"] or found["hash"]:
            written.append(escape(found[0]))
        else:
            digits = found[0]
            head = len(digits) % 3 or 3
            groups = [digits[:head], *(digits[at : at + 3] for at in range(head, len(digits), 3))]
            written.append(f'<span class="digits">{"<i></i>".join(groups)}</span>')
        start = found.end()
    return Markup("".join([*written, escape(text[start:])]))  # noqa: S704  # it is escaped


def _folded(rows: Sequence[Any], *, unfolds: bool) -> list[tuple[Any, list[Any]]]:
    # Transactions, events or calls, each with those that are equal and stand behind it.
    def key(row: Any) -> object:  # noqa: ANN401  # of a type
        if unfolds:
            return id(row)
        if isinstance(row, TransactionView):
            parties = row.sender.address, row.recipient and row.recipient.address
            return row.title, row.status, row.reason, row.value, parties
        if isinstance(row, LogView):
            return row.contract.address, row.topics, row.data
        return getattr(row, "key", row)

    groups = [list(group) for _, group in groupby(rows, key)]
    return [(group[0], group) for group in groups]


def _bounded(value: object) -> object:
    # Called for every value of a page. Markup is the explorer's own.
    if type(value) is not str or (
        len(value) <= MAX_TEXT and value.isascii() and value.isprintable()
    ):
        return value
    return printable(shorten(value, MAX_TEXT))


@lru_cache(maxsize=64)
def asset(name: str) -> tuple[bytes, str] | None:
    """A static file with the start of its hash; None if there is none of that name."""
    folder = files(__package__).joinpath("static")
    if name not in {file.name for file in folder.iterdir()}:
        return None
    content = folder.joinpath(name).read_bytes()
    return content, sha256(content).hexdigest()[:12]


def asset_path(name: str) -> str:
    """The path of a static file below the explorer's; another content has another path."""
    file = asset(name)
    assert file  # noqa: S101  # templates name files that exist
    return f"/static/{name}?v={file[1]}"
