"""Examples of the page on failures: what devchain shows of some that it has just executed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from devchain import Config, Node, connect
from devchain.cli.main import main
from devchain.cli.node_log import Terminal, TextLog
from devchain.cli.options import connecting
from devchain.contracts.contract import Contract
from devchain.errors import VmError
from devchain.rpc.dispatch import Call
from devchain.server.events import ActivityReporter

ARTIFACTS = Path(__file__).parents[1] / "tests" / "testing" / "contracts" / "till-plain.json"
CLOCK = 1_700_000_000
PIPE = Terminal(colors=False, can_rewrite=False)


class Shown:
    """A node with a till, whose owner is the first account, and the shop of another till."""

    def __init__(self, node: Node) -> None:
        """Deploy the contracts."""
        self.node = node
        self.other = f"0x{node.accounts.addresses()[1].hex()}"
        self.till: Contract = node.deploy("Till")
        self.shop: Contract = node.deploy("Shop")
        self.shop.open()

    def failure(self) -> VmError:
        """The error of `setRate` by another than the owner."""
        try:
            self.till.setRate(3, sender=self.other)
        except VmError as error:
            return error
        raise AssertionError

    def trace(self) -> str:
        """The trace of an error, as pytest shows it."""
        return str(self.failure().source_trace.text)

    def caught(self) -> str:
        """The call tree of a transaction in which a failure was caught."""
        return self.node.call_tree(self.shop.tried(40).hash)

    def inspected(self) -> str:
        """What `devchain inspect tx` shows, from the reason on, without what is not about it."""
        tx_hash = self.failure().transaction_hash or b""
        lines = self._command("inspect", "tx", f"0x{tx_hash.hex()}")
        calls = lines.index("Calls")
        return "\n".join([*lines[:3], "...", *lines[calls:]])

    def called(self) -> str:
        """What `devchain call` says."""
        address = f"0x{self.till.address.hex()}"
        command = ("call", address, "setRate(uint256)", "3", "--from", self.other)
        return "\n".join(self._command(*command))

    def _command(self, *arguments: str) -> list[str]:
        written = io.StringIO()
        with (
            connecting(lambda _: connect(self.node)),
            redirect_stdout(written),
            redirect_stderr(written),
        ):
            main(arguments)
        return written.getvalue().splitlines()

    def logged(self) -> str:
        """The lines of the node's log about the failure."""
        stream = io.StringIO()
        log = TextLog(stream, PIPE)
        reporter = ActivityReporter("test", self.node, log)
        self.failure()
        reporter.report_call(Call("eth_sendTransaction", [], None, "", 0.0037))
        return stream.getvalue().rstrip()

    def explained(self) -> str:
        """The `sourceTrace` of an explanation."""
        tx_hash = self.failure().transaction_hash or b""
        client = connect(self.node)
        explained = client.call("devchain_explainTransaction", f"0x{tx_hash.hex()}")
        trace = explained["sourceTrace"]
        return json.dumps({**trace, "text": ["..."]}, indent=1, ensure_ascii=False)


EXAMPLES: dict[str, tuple[str, Callable[[Shown], str]]] = {
    "trace": ("text", Shown.trace),
    "caught": ("text", Shown.caught),
    "inspect": ("text", Shown.inspected),
    "call": ("text", Shown.called),
    "log": ("text", Shown.logged),
    "json": ("json", Shown.explained),
}


def blocks() -> Iterator[tuple[str, str]]:
    """The examples as blocks of Markdown, by name; each on a chain of its own."""
    for name, (language, show) in EXAMPLES.items():
        config = Config(network="test", fixed_clock=CLOCK, artifacts=(str(ARTIFACTS),))
        with Node(config) as node:
            yield name, f"```{language}\n{show(Shown(node))}\n```"
