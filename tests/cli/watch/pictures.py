"""Picture of `devchain watch` in `docs`; `python -m tests.cli.watch.pictures` writes it anew."""

from __future__ import annotations

import io
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from devchain import Config, Node
from devchain.cli.watch.screen import Screen
from devchain.cli.watch.watcher import Watcher
from devchain.client.http import LocalClient
from devchain.errors import VmError
from devchain.types import TransactionRequest
from tests.accounts import ALICE, BOB
from tests.contracts.till import FILE

PICTURE = Path(__file__).parents[3] / "docs" / "watch.svg"
FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
COLUMNS, ROWS = 80, 24
GENESIS_TIME = 1_700_000_000


def draw() -> str:
    """A screen with a deployment, sales, a failure, empty blocks and a payment that waits."""
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
    now = node.timestamp + 3
    screen = Screen("http://127.0.0.1:4444", replace(watcher.poll(), time=now))
    console = Console(file=io.StringIO(), record=True, width=COLUMNS, highlight=False)
    screen.lines(COLUMNS, ROWS, now)
    for _ in range(6):
        screen.press("down")
    for each in screen.lines(COLUMNS, ROWS, now):
        console.print(each)
    return FONT.sub("", console.export_svg(title="devchain watch", unique_id="watch"))


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
