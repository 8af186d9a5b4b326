"""Naming one of the nodes that run in the background."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.errors import DevchainError, NotFound

if TYPE_CHECKING:
    from devchain.cli.records import Record


def _complete_name(incomplete: str) -> list[str]:
    from devchain.cli.records import running, state_directory

    with suppress(DevchainError):
        names = [each.name for each in running(state_directory())]
        return [each for each in names if each.startswith(incomplete)]
    return []


NameOrPort = Annotated[
    str | None,
    typer.Argument(
        help="Name or port of the node, as devchain ps lists them.",
        metavar="NAME|PORT",
        autocompletion=_complete_name,
    ),
]


class NodeNotFound(NotFound):
    """No node of that name or port runs in the background."""


def chosen(records: Sequence[Record], wanted: str | None) -> Record:
    """The node named, or the only one there is; raises `NodeNotFound`."""
    found = [each for each in records if wanted is None or wanted in {each.name, str(each.port)}]
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.name for each in records)
    if not records:
        msg = "no node runs in the background"
    elif wanted is None:
        msg = f"several nodes run: name one of {names}"
    else:
        msg = f"no node {wanted!r} runs in the background; there are {names}"
    raise NodeNotFound(msg)
