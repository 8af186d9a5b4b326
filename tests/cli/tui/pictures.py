"""Pictures in `docs` of debugger and `watch`; `python -m tests.cli.tui.pictures` draws them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from devchain import Config, Node
from devchain.cli.tui.debugger import DebuggerApp
from devchain.cli.tui.watch import WatchApp
from devchain.cli.tui.watcher import Watcher
from devchain.client.http import LocalClient
from devchain.client.rpc_trace import trace_transaction
from devchain.errors import VmError
from devchain.source.follow import Execution
from devchain.source.steps import Debugger
from devchain.types import TransactionRequest
from tests.accounts import ALICE, BOB
from tests.conftest import GENESIS_TIME
from tests.contracts.till import FILE

DOCS = Path(__file__).parents[3] / "docs"
PICTURES = {
    "debugger": ((80, 24), ("x",)),
    "debugger-wide": ((150, 36), ("B", *"57", "enter", *"ssss")),
}
"""Name, size of the terminal, and keys that are pressed."""

FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")


@cache
def sale() -> Execution:
    """A sale that fails since it is too large: `sell(40)`."""
    node = Node(Config(artifacts=(str(FILE),)))
    till = node.deploy("Till")
    with suppress(VmError):
        till.sell(40)
    tx_hash = f"0x{node.chain.head.transactions[0].hash.hex()}"
    return Execution(trace_transaction(LocalClient(node), tx_hash), node.artifacts)


def draw(size: tuple[int, int], keys: Sequence[str]) -> str:
    """The screen after some keys, as SVG."""

    async def run() -> str:
        debugger = Debugger(sale())
        debugger.start()
        app = DebuggerApp(debugger)
        async with app.run_test(size=size) as pilot:
            await pilot.press(*keys)
            await pilot.pause()
            return app.export_screenshot(title="devchain debug")

    return FONT.sub("", asyncio.run(run()))


def draw_watch() -> str:
    """A chain with a deployment, sales, failures, empty blocks and a payment that waits."""
    node = Node(Config(network="test", artifacts=(str(FILE),), fixed_clock=GENESIS_TIME))
    client = LocalClient(node)
    watcher = Watcher(client)
    till = node.deploy("Till")
    till.sell(2)
    watcher.poll()
    client.call("hardhat_mine", "0x5")
    with suppress(VmError):
        till.sell(40)
    node.send(TransactionRequest(sender=ALICE, to=BOB, value=15 * 10**17, gas=21_000))
    with suppress(VmError):
        till.setRate(3, sender=BOB)
    client.call("evm_setAutomine", False)
    node.send(TransactionRequest(sender=BOB, to=ALICE, value=10**18, gas=21_000))
    watcher.poll()
    watcher.snapshot = replace(watcher.snapshot, time=node.timestamp + 3)

    async def run() -> str:
        app = WatchApp(watcher, "", "http://127.0.0.1:4444", 1.0, run=lambda _: None)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("down", "down")
            await pilot.pause()
            return app.export_screenshot(title="devchain watch")

    return FONT.sub("", asyncio.run(run()))


def texts(picture: str) -> list[str]:
    """What is written in a picture."""
    return TEXT.findall(picture)


if __name__ == "__main__":
    for name, (size, keys) in PICTURES.items():
        (DOCS / f"{name}.svg").write_text(draw(size, keys), encoding="utf-8")
    (DOCS / "watch.svg").write_text(draw_watch(), encoding="utf-8")
