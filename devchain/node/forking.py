"""Resets of a node to another fork, which is opened while others are served, or to none."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from devchain.chain.slices import Slices, wait_for
from devchain.config import Config
from devchain.errors import ConfigError, ForkCacheMiss, InvalidInput
from devchain.upstream.http import in_background

if TYPE_CHECKING:
    from devchain.chain.fork import Fork
    from devchain.node.core import NodeCore


def fork_in_slices(
    node: NodeCore, url: str | None, block: int | None, headers: Sequence[str] = ()
) -> Slices[None]:
    """Let a node begin anew at a block of the chain of the node at that URL, or of its present one.

    Headers are sent to the URL that they were given for alone. Raises `InvalidInput`, or an
    `UpstreamFailed`; then nothing has changed.
    """
    from devchain.chain.fork import open_fork  # noqa: PLC0415  # it loads SQLite and JSON

    node.check_restart()
    try:
        config = _fork_config(node, url, block, headers)
        opening = in_background(lambda: open_fork(config))
        try:
            fork, config = yield from wait_for(opening)
        except GeneratorExit:  # the client has disconnected
            opening.add_done_callback(_close)
            raise
    except ConfigError as error:
        raise InvalidInput(f"forking: {error}") from error
    try:
        while True:
            try:
                with fork.deferring():
                    node.restart(config, fork)
            except ForkCacheMiss as missing:
                yield from fork.fetch_in_slices(missing)
            else:
                return
    except BaseException:
        fork.cache.close()
        raise


def _fork_config(
    node: NodeCore, url: str | None, block: int | None, headers: Sequence[str]
) -> Config:
    given, fork = node.beginning.given, node.fork
    urls: Sequence[str] = fork.urls if fork else ()
    if url is not None and url not in urls:
        urls = (url,)
    elif not headers:
        headers = node.config.fork_header
    if not urls and not given.offline:
        raise InvalidInput(
            "forking: the chain of this node is no fork: give the jsonRpcUrl of the node to fork"
        )
    return replace(
        given,
        fork_url=tuple(urls),
        fork_block_number=block,
        fork_transaction_hash=None,
        fork_header=tuple(headers),
        init=None,
        load_state=None,
    )


def change_url(node: NodeCore, url: str) -> None:
    """Let a fork ask the node at another URL from now on; without a fork nothing changes.

    The headers that were given are not sent to it. Raises `InvalidInput`.
    """
    fork = node.fork
    if fork is None or list(fork.urls) == [url]:
        return
    if node.config.offline:
        raise InvalidInput("the node runs with --offline: it asks no URL")
    try:
        config = replace(node.config, fork_url=(url,), fork_header=())
        fork.replace_upstream(config, url)
    except ConfigError as error:
        raise InvalidInput(str(error)) from error
    node.config = config


def leave_fork(node: NodeCore) -> None:
    """Let a node begin anew with a chain of its own; raises `InvalidInput`."""
    given = replace(
        node.beginning.given,
        fork_url=(),
        fork_block_number=None,
        fork_transaction_hash=None,
        offline=False,
        load_state=None,
    )
    try:
        node.restart(given, None)
    except ConfigError as error:
        raise InvalidInput(str(error)) from error


def return_to_beginning(node: NodeCore) -> None:
    if node.fork is node.beginning.fork:
        node.reset()
    else:
        node.restart(node.beginning.config, node.beginning.fork)


def _close(opening: Future[tuple[Fork, Config]]) -> None:
    if opening.exception() is None:
        opening.result()[0].cache.close()
