"""`devchain fork`: what the fork cache has of forked chains, shown or removed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import output
from devchain.cli.help import Command, new_app
from devchain.cli.options import HEX, MAX_BLOCK_NUMBER, parse_hash, quantity
from devchain.errors import ConfigError
from devchain.text import plural

if TYPE_CHECKING:
    from devchain.upstream.cache_file import CacheFile
    from devchain.upstream.queries import ForkBlock

app = new_app("""
    List, show and remove what is cached of the chains that were forked.

    Examples:
      devchain fork list
      devchain fork show tests/fork.sqlite
""")

Cache = Annotated[
    Path | None,
    typer.Option(
        "--fork-cache",
        help="The file of the fork cache; without it the one in your cache folder.",
        envvar="DEVCHAIN_FORK_CACHE",
        metavar="FILE",
    ),
]


def _parse_block(text: str) -> str:
    is_hash = HEX.fullmatch(text) and len(text) > MAX_BLOCK_NUMBER
    return parse_hash(text).lower() if is_hash else quantity(text, "a block number or hash")


Block = Annotated[
    str | None,
    typer.Option(
        "--block",
        help="Number or hash of one fork block, of several that are recorded.",
        parser=_parse_block,
        metavar="BLOCK",
    ),
]


@app.command("list", cls=Command)
def list_forks(fork_cache: Cache = None) -> None:
    """List the fork blocks of the cache, with the number of values cached of each.

    Example:
      devchain fork list --fork-cache fork.sqlite
    """
    with closing(_open(fork_cache)) as file:
        forks = file.forks()
        output.write_note(f"{plural(len(forks), 'fork')} in {file.path}")
        for fork, values in forks:
            output.write_line(f"{_name(fork)}: {plural(values, 'value')}")


@app.command(cls=Command)
def show(
    file: Annotated[
        Path | None,
        typer.Argument(help="The fork cache; without it that of --fork-cache.", metavar="FILE"),
    ] = None,
    fork_cache: Cache = None,
    block: Block = None,
) -> None:
    """Print the cached values of all forks or one, a line each, in an order that never changes.

    So git shows what has changed in a fork cache:
      git config diff.forkcache.textconv "devchain fork show"
      echo "*.sqlite diff=forkcache" >> .gitattributes

    Examples:
      devchain fork show tests/fork.sqlite
      devchain fork show --block 7,000,000
    """
    with closing(_open(file or fork_cache)) as cache:
        forks = (
            [stored.fork for stored in cache.forks()] if block is None else [_choose(cache, block)]
        )
        for fork in forks:
            output.write_line(_name(fork))
            for query, value in cache.values(fork):
                output.write_line(f"{query.method} {query.params} {value}")


@app.command(cls=Command)
def clean(fork_cache: Cache = None, block: Block = None) -> None:
    """Remove what is cached of all forks, or of the one at --block, to free the space.

    It is fetched again when it is needed. The cache of a fork in a data dir is in its own folder.

    Examples:
      devchain fork clean
      devchain fork clean --block 7,000,000
    """
    problems: list[str] = []
    with closing(_open(fork_cache, problems.append)) as cache:
        if not cache.is_writable:
            raise ConfigError(f"{cache.path} is read-only: delete the file itself")
        chosen = None if block is None else _choose(cache, block)
        recorded = cache.forks()
        if not recorded:
            output.write_note(
                f"{cache.path} has no values of any fork: there is nothing to remove."
            )
        for fork, values in recorded:
            if chosen not in {None, fork}:
                continue
            if not cache.clean(fork):
                raise ConfigError(problems[0])
            output.write_note(f"Removed {plural(values, 'value')} of {_name(fork)}.")


def _open(path: Path | None, warn: Callable[[str], object] = output.write_note) -> CacheFile:
    from devchain.upstream.cache_file import CacheFile, default_path

    path = path or default_path()
    if not path.exists():
        raise ConfigError(
            f"there is no fork cache {path}: `devchain start --fork-url URL` records one, "
            "--fork-cache names another"
        )
    return CacheFile(path, warn)


def _choose(cache: CacheFile, block: str) -> ForkBlock:
    forks = [stored.fork for stored in cache.forks()]
    chosen = [fork for fork in forks if block in {hex(fork.number), f"0x{fork.hash.hex()}"}]
    if len(chosen) == 1:
        return chosen[0]
    if not forks:
        raise ConfigError(f"{cache.path} has no values of any fork")
    shown = f"{int(block, 16):,}" if len(block) <= MAX_BLOCK_NUMBER else block
    raise ConfigError(
        f"{cache.path} has {plural(len(chosen), 'fork')} with the block {shown}: "
        f"choose with --block {'; '.join(map(_name, chosen or forks))}"
    )


def _name(fork: ForkBlock) -> str:
    return f"chain {fork.chain_id} at block {fork.number:,} 0x{fork.hash.hex()}"
