"""Pictures of the debugger in `docs`; `python -m tests.cli.tui.pictures` writes them anew."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from devchain import Config, Node
from devchain.cli.tui.debugger import DebuggerApp
from devchain.client.http import LocalClient
from devchain.client.rpc_trace import trace_transaction
from devchain.errors import VmError
from devchain.stepping.execution import Execution
from devchain.stepping.movements import Debugger
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


def texts(picture: str) -> list[str]:
    """What is written in a picture."""
    return TEXT.findall(picture)


if __name__ == "__main__":
    for name, (size, keys) in PICTURES.items():
        (DOCS / f"{name}.svg").write_text(draw(size, keys), encoding="utf-8")
