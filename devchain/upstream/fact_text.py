"""Facts as text for version control: one line each, sorted, the same bytes for the same facts.

{"devchain-fork":1,"chainId":31,"blockNumber":123,"blockHash":"0x5f…"}
["eth_getBalance",["0x77045e71a7a2c50903d88e564cd72fab11e82051","0x7b"],"0x64"]
["eth_getStorageAt",["0x77045e71a7a2c50903d88e564cd72fab11e82051","0x0","0x7b"],"0x0"]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import orjson

from devchain.errors import ConfigError, UpstreamFailed
from devchain.text import printable, shorten
from devchain.upstream.fact import Fact, ForkBlock, canonical, fact
from devchain.upstream.values import check

VERSION = 1
MARK = b'{"devchain-fork":'
"""What the text begins with."""
HEADER = re.compile(
    r'\{"devchain-fork":(\d{1,9}),"chainId":(0|[1-9]\d{0,18}),'
    r'"blockNumber":(0|[1-9]\d{0,18}),"blockHash":"0x([0-9a-f]{64})"\}',
    re.ASCII,
)
METHOD = re.compile(r"[a-z][a-z0-9]*_[A-Za-z0-9]+")
MAX_LINE = 64 * 1024 * 1024
"""Bytes of a fact: no answer of an upstream is longer."""
SHOWN = 60


def text_lines(fork: ForkBlock, facts: Iterable[tuple[Fact, str]]) -> Iterator[str]:
    """The lines of facts, which are sorted, and their values in canonical JSON."""
    yield (
        f'{{"devchain-fork":{VERSION},"chainId":{fork.chain_id},"blockNumber":{fork.number},'
        f'"blockHash":"0x{fork.hash.hex()}"}}\n'
    )
    for (method, params), value in facts:
        yield f'["{method}",{params},{value}]\n'


def read_text(stream: BinaryIO) -> tuple[ForkBlock, dict[Fact, Any]]:
    """The fork block and the values of its facts.

    Raises `ConfigError`, without the file's name, for what `text_lines` does not write; that lines
    may end as on Windows is the exception, since git writes them so there.
    """
    lines = _lines(stream)
    header = next(lines, (1, ""))[1]
    match = HEADER.fullmatch(header)
    if match is None or int(match[1]) != VERSION:
        found = f"it is in format {match[1]}" if match else "its first line is not a header of one"
        raise ConfigError(f"it is no text form of a fork cache in format {VERSION}: {found}")
    fork = ForkBlock(int(match[2]), int(match[3]), bytes.fromhex(match[4]))
    values: dict[Fact, Any] = {}
    last: Fact | None = None
    for number, line in lines:
        try:
            each, value = _parse(line)
            check(each, value)
        except (UpstreamFailed, ConfigError) as error:
            raise ConfigError(f"line {number}: {error}") from None
        if last is not None and each <= last:
            raise ConfigError(f"line {number}: it is not in order, or there twice")
        _check_block(number, fork, each, value)
        values[each] = value
        last = each
    return fork, values


def _lines(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    number = 0
    while line := stream.readline(MAX_LINE + 2):
        number += 1
        if not line.endswith(b"\n"):
            problem = "it is too long" if len(line) > MAX_LINE else "the file ends in the middle"
            raise ConfigError(f"line {number}: {problem}")
        try:
            yield number, line.removesuffix(b"\n").removesuffix(b"\r").decode()
        except UnicodeDecodeError:
            raise ConfigError(f"line {number}: it is not UTF-8") from None


def _parse(line: str) -> tuple[Fact, Any]:
    # The fact and the value of a line; it must be as `text_lines` writes it.
    try:
        found = orjson.loads(line)
        match found:
            case [str(method), list(params), value] if METHOD.fullmatch(method):
                made = fact(method, *params)
                if line == f'["{made.method}",{made.params},{canonical(value)}]':
                    return made, value
    except (orjson.JSONDecodeError, TypeError):
        pass
    shown = shorten(printable(line[: 2 * SHOWN]), SHOWN)
    raise ConfigError(f"{shown} is not a fact as `devchain fork export` writes it")


def _check_block(number: int, fork: ForkBlock, each: Fact, value: Any) -> None:
    block = each.block_number
    if block is None:
        return
    if block > fork.number:
        raise ConfigError(f"line {number}: block {block} is after the fork block {fork.number}")
    if each.method == "eth_getBlockByNumber" and block == fork.number:
        found = value["hash"] if isinstance(value, dict) else None
        if found != f"0x{fork.hash.hex()}":
            raise ConfigError(f"line {number}: the fork block has another hash than in line 1")
