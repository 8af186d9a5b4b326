"""`devchain fork`: what the fork cache has of forked chains, shown or removed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import output
from devchain.cli.help import Command, new_app
from devchain.errors import ConfigError
from devchain.text import plural

if TYPE_CHECKING:
    from devchain.upstream.fork_cache_file import CacheFile
    from devchain.upstream.queries import ForkBlock

app = new_app("""
    List, show and remove what is cached of the chains that were forked.

    Examples:
      devchain fork list
      devchain fork show tests/fork.sqlite
""")

Cache = Annotated[
    Path | None,
    typer.Argument(
        help="Fork cache. Default: yours.", envvar="DEVCHAIN_FORK_CACHE", metavar="FILE"
    ),
]


@app.command("list", cls=Command)
def list_forks(file: Cache = None) -> None:
    """List the fork blocks of the cache, with the number of values cached of each.

    Example:
      devchain fork list fork.sqlite
    """
    with closing(_open(file)) as cache:
        forks = cache.forks()
        output.write_note(f"{plural(len(forks), 'fork')} in {cache.path}")
        for fork, values in forks:
            output.write_line(f"{_name(fork)}: {plural(values, 'value')}")


@app.command(cls=Command)
def show(file: Cache = None) -> None:
    """Print the cached values of all forks, a line each, in an order that never changes.

    So git shows what has changed in a fork cache:
      git config diff.forkcache.textconv "devchain fork show"
      echo "*.sqlite diff=forkcache" >> .gitattributes

    Example:
      devchain fork show tests/fork.sqlite
    """
    with closing(_open(file)) as cache:
        for fork, _ in cache.forks():
            output.write_line(_name(fork))
            for query, value in cache.values(fork):
                output.write_line(f"{query.method} {query.params} {value}")


@app.command(cls=Command)
def clean(file: Cache = None) -> None:
    """Remove what is cached of all forks, to free the space.

    It is fetched again when it is needed. The cache of a fork in a data dir is in its own folder.

    Example:
      devchain fork clean
    """
    problems: list[str] = []
    with closing(_open(file, problems.append)) as cache:
        if not cache.is_writable:
            raise ConfigError(f"{cache.path} is read-only: delete the file itself")
        recorded = cache.forks()
        if not recorded:
            output.write_note(
                f"{cache.path} has no values of any fork: there is nothing to remove."
            )
        for fork, values in recorded:
            if not cache.clean(fork):
                raise ConfigError(problems[0])
            output.write_note(f"Removed {plural(values, 'value')} of {_name(fork)}.")


def _open(path: Path | None, warn: Callable[[str], object] = output.write_note) -> CacheFile:
    from devchain.upstream.fork_cache_file import CacheFile, default_path

    path = path or default_path()
    if not path.exists():
        raise ConfigError(
            f"there is no fork cache {path}: `devchain start --fork-url URL` records one, "
            "FILE names another"
        )
    return CacheFile(path, warn)


def _name(fork: ForkBlock) -> str:
    return f"chain {fork.chain_id} at block {fork.number:,} 0x{fork.hash.hex()}"
