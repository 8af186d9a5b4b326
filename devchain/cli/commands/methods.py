"""`devchain methods`: list the JSON-RPC methods of a node."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import output
from devchain.cli.config_options import ResolvedOptions, with_options
from devchain.cli.options import AsJson
from devchain.errors import NotFound
from devchain.text import misspelt

if TYPE_CHECKING:
    from devchain.rpc.method import Method

Prefix = Annotated[str, typer.Argument(help="Like evm or eth_get.", metavar="PREFIX")]


@partial(with_options, shown=("hosted", "methods", "no_methods", "like"))
def methods(resolved: ResolvedOptions, prefix: Prefix = "", as_json: AsJson = False) -> None:
    """List the JSON-RPC methods of a node with these options, by chapter.

    Examples:
      devchain methods evm_
      devchain methods --no-methods personal
    """
    from devchain.rpc.catalog import DEPRECATED, METHODS, UNSUPPORTED
    from devchain.rpc.enabled_methods import EnabledMethods

    enabled = EnabledMethods(resolved.configs()[0]).by_name.values()
    supported = [method for method in enabled if method.name.startswith(prefix)]
    unsupported = {
        name: reason
        for name, reason in {**UNSUPPORTED, **DEPRECATED}.items()
        if name.startswith(prefix) and prefix
    }
    if not supported and not unsupported:
        meant = misspelt(prefix, METHODS)
        hint = f"did you mean {meant}?" if meant else "`devchain methods` lists them all"
        raise NotFound(f"no method begins with {prefix!r}; {hint}")
    if as_json:
        output.write_json({method.name: _json(method) for method in supported})
        return
    for index, (chapter, group) in enumerate(groupby(supported, lambda method: method.chapter)):
        if index:
            output.write_blank_line()
        output.write_title(chapter)
        for method in group:
            output.write_line((method.name, output.NAME), (f"({method.signature})", output.FAINT))
            output.write_paragraph(method.summary)
    for name, reason in unsupported.items():
        output.write_line(name, (" not supported", output.BAD))
        output.write_paragraph(reason)


def _json(method: Method) -> dict[str, str]:
    return {"chapter": method.chapter, "parameters": method.signature, "summary": method.summary}
