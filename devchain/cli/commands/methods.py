"""`devchain methods`: which JSON-RPC methods devchain answers."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import output
from devchain.cli.completion import complete_method
from devchain.cli.settings import with_options
from devchain.config import Config
from devchain.errors import NotFound

if TYPE_CHECKING:
    from devchain.rpc.method import Method

Prefix = Annotated[
    str,
    typer.Argument(
        help="How the name begins: evm, eth_get.",
        metavar="PREFIX",
        autocompletion=complete_method,
    ),
]
AsObject = Annotated[bool, typer.Option("--json", help="Print the list as JSON.")]


@with_options
def methods(configs: list[Config], prefix: Prefix = "", as_json: AsObject = False) -> None:
    """List the JSON-RPC methods a node with these options answers, by chapter.

    Examples:
      devchain methods
      devchain methods evm_
      devchain methods --no-methods personal
    """
    from devchain.rpc.catalog import DEPRECATED, UNSUPPORTED
    from devchain.rpc.enabled_methods import EnabledMethods

    enabled = EnabledMethods(configs[0]).methods()
    answered = [each for each in enabled if each.name.startswith(prefix)]
    refused = {
        name: why
        for name, why in {**UNSUPPORTED, **DEPRECATED}.items()
        if name.startswith(prefix) and prefix
    }
    if not answered and not refused:
        msg = f"no method begins with {prefix!r}; `devchain methods` lists all"
        raise NotFound(msg)
    if as_json:
        output.show_json({each.name: _json(each) for each in answered})
        return
    for place, (chapter, listed) in enumerate(groupby(answered, lambda each: each.chapter)):
        if place:
            output.blank()
        output.title(chapter)
        for each in listed:
            _show(each)
    for name, why in refused.items():
        output.write(name, (" not answered", output.BAD))
        output.paragraph(why)


def _show(method: Method) -> None:
    output.write((method.name, output.NAME), (f"({method.signature})", output.FAINT))
    output.paragraph(method.summary)


def _json(method: Method) -> dict[str, str]:
    return {
        "chapter": method.chapter,
        "parameters": method.signature,
        "summary": method.summary,
    }
