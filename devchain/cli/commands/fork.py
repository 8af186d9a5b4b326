"""`devchain fork`: what is recorded of forked chains: as text for version control, or removed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
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
    from devchain.upstream.fact import ForkBlock
    from devchain.upstream.fact_file import FactFile

app = new_app("""
    List, export, import and remove what is recorded of the chains that were forked.

    Examples:
      devchain fork list
      devchain fork export tests/fork.txt
""")

STANDARD_STREAM = Path("-")

Cache = Annotated[
    Path | None,
    typer.Option(
        "--fork-cache",
        help="The file of recorded facts; without it the one in your cache folder.",
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
    """List the fork blocks of the cache, with the number of facts recorded of each.

    Example:
      devchain fork list --fork-cache fork.sqlite
    """
    with closing(_open(fork_cache)) as file:
        forks = file.forks()
        output.write_note(f"{plural(len(forks), 'fork')} in {file.path}")
        for fork, facts in forks:
            output.write_line(f"{_name(fork)}: {plural(facts, 'fact')}")


@app.command(cls=Command)
def export(
    file: Annotated[Path, typer.Argument(help="File to write; - prints it.", metavar="FILE")],
    fork_cache: Cache = None,
    block: Block = None,
) -> None:
    """Write the facts of a fork as text, one to a line, always the same for the same facts.

    Keep it in version control: --fork-cache reads it as it is.

    Examples:
      devchain fork export tests/fork.txt
      devchain fork export - --fork-cache fork.sqlite --block 7,000,000
    """
    from devchain.upstream.fact_text import text_lines

    with closing(_open(fork_cache)) as cache:
        fork = _choose(cache, block)
        facts = list(cache.facts(fork))
    lines = text_lines(fork, facts)
    if file == STANDARD_STREAM:
        sys.stdout.writelines(lines)
        return
    _write(file, lines)
    output.write_note(f"Wrote {plural(len(facts), 'fact')} of {_name(fork)} to {file}.")


@app.command("import", cls=Command)
def import_text(
    file: Annotated[
        Path, typer.Argument(help="File to read; - reads standard input.", metavar="FILE")
    ],
    fork_cache: Cache = None,
) -> None:
    """Add to the cache the facts in a text that `devchain fork export` wrote.

    Where both have the same fact, that of the text is kept.

    Example:
      devchain fork import tests/fork.txt
    """
    from devchain.upstream.fact_file import FactFile, default_path
    from devchain.upstream.fact_text import read_text

    try:
        if file == STANDARD_STREAM:
            fork, values = read_text(sys.stdin.buffer)
        else:
            with file.open("rb") as stream:
                fork, values = read_text(stream)
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}") from None
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None
    problems: list[str] = []
    with closing(FactFile(fork_cache or default_path(), problems.append)) as cache:
        cache.save(fork, values)
        if problems:
            raise ConfigError(problems[0])
        count = plural(len(values), "fact")
        output.write_note(f"Added {count} of {_name(fork)} to {cache.path}.")


@app.command(cls=Command)
def clean(fork_cache: Cache = None, block: Block = None) -> None:
    """Remove what is recorded of all forks, or of the one at --block, to free the space.

    It is fetched again when it is needed. The facts of a fork in a data dir are in its own folder.

    Examples:
      devchain fork clean
      devchain fork clean --block 7,000,000
    """
    problems: list[str] = []
    with closing(_open(fork_cache, problems.append)) as cache:
        if not cache.is_writable:
            raise ConfigError(f"{cache.path} is read-only, or a text: delete the file itself")
        chosen = None if block is None else _choose(cache, block)
        recorded = cache.forks()
        if not recorded:
            output.write_note(f"{cache.path} has no facts of any fork: there is nothing to remove.")
        for fork, facts in recorded:
            if chosen not in {None, fork}:
                continue
            if not cache.clean(fork):
                raise ConfigError(problems[0])
            output.write_note(f"Removed {plural(facts, 'fact')} of {_name(fork)}.")


def _open(path: Path | None, warn: Callable[[str], object] = output.write_note) -> FactFile:
    from devchain.upstream.fact_file import FactFile, default_path

    path = path or default_path()
    if not path.exists():
        raise ConfigError(
            f"there is no fork cache {path}: `devchain start --fork-url URL` records one, "
            "--fork-cache names another"
        )
    return FactFile(path, warn)


def _choose(cache: FactFile, block: str | None) -> ForkBlock:
    forks = [each.fork for each in cache.forks()]
    found = [each for each in forks if block in {None, hex(each.number), f"0x{each.hash.hex()}"}]
    if len(found) == 1:
        return found[0]
    if not forks:
        raise ConfigError(f"{cache.path} has no facts of any fork")
    problem = f"{cache.path} has {plural(len(found), 'fork')}"
    if block is not None:
        shown = f"{int(block, 16):,}" if len(block) <= MAX_BLOCK_NUMBER else block
        problem = f"{problem} with the block {shown}"
    raise ConfigError(f"{problem}: choose with --block {'; '.join(map(_name, found or forks))}")


def _name(fork: ForkBlock) -> str:
    return f"chain {fork.chain_id} at block {fork.number:,} 0x{fork.hash.hex()}"


def _write(path: Path, lines: Iterator[str]) -> None:
    draft = path.with_name(f"{path.name}.draft")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(lines)
        draft.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from None
