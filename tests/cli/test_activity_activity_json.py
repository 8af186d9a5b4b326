"""`devchain.cli.activity`"""

from __future__ import annotations

import io
import json
from dataclasses import replace

from devchain.cli.activity import JsonLog
from devchain.server.events import BlockMined, RequestRefused, RequestServed, TransactionMined
from devchain.types import Address, Hash32

ALICE = Address(bytes.fromhex("f39fd6e51aad88f6f4ce6ab8827279cfffb92266"))
BOB = Address(bytes.fromhex("70997970c51812dc3a010c7d01b50e0d17dc79c8"))

POLL = RequestServed("test", "eth_blockNumber", 0.000_12)
FAILED = RequestServed("test", "eth_call", 0.0032, -32015, "execution reverted: nope")
EMPTY = BlockMined("test", 4, Hash32(b"\x04" * 32), 1_700_000_000, 0, 0, 6_800_000)
TRANSFER = TransactionMined(
    network="test",
    hash=Hash32(b"\x8d" * 32),
    block_number=5,
    sender=ALICE,
    to=BOB,
    created=None,
    value=15 * 10**17,
    gas=90_000,
    gas_used=21_000,
    succeeded=True,
    failure=None,
)
CREATION = replace(TRANSFER, to=None, created=BOB, value=0)
FAILURE = replace(TRANSFER, value=0, succeeded=False, failure="execution reverted: nope")


def told(*events: object) -> list[dict[str, object]]:
    """What the log says, decoded."""
    stream = io.StringIO()
    log = JsonLog(stream, lambda: 1_700_000_000)
    for event in events:
        log(event)  # type: ignore[arg-type]  # any event will do
    log.close()
    return [json.loads(line) for line in stream.getvalue().splitlines()]


class TestJsonLog:
    def test_never_folds(self) -> None:
        """Every request is an object of its own."""
        line = {
            "time": "2023-11-14T22:13:20Z",
            "event": "request",
            "network": "test",
            "method": "eth_blockNumber",
            "ms": 0.12,
        }
        assert told(POLL, POLL) == [line, line]

    def test_via(self) -> None:
        """What did not come by HTTP says how it came."""
        assert [entry.get("via") for entry in told(POLL, replace(POLL, via="ipc"))] == [None, "ipc"]

    def test_console(self) -> None:
        """A call has what was printed, if anything was."""
        printing = replace(POLL, printed=("peeked",))

        assert [entry.get("console") for entry in told(POLL, printing)] == [None, ["peeked"]]

    def test_failure(self) -> None:
        """A failed call has the error."""
        [entry] = told(FAILED)

        assert entry["error"] == {"code": -32015, "message": "execution reverted: nope"}

    def test_refused(self) -> None:
        """A refusal has the status."""
        [entry] = told(RequestRefused(403, "no"))

        assert (entry["event"], entry["status"], entry["message"]) == ("refused", 403, "no")

    def test_mined(self) -> None:
        """Blocks and transactions have hashes and addresses as the node's answers do."""
        block, tx, creation = told(EMPTY, FAILURE, CREATION)

        assert (block["event"], block["number"], block["hash"]) == ("block", 4, "0x" + "04" * 32)
        assert (tx["event"], tx["from"], tx["to"]) == (
            "transaction",
            "0x" + ALICE.hex(),
            "0x" + BOB.hex(),
        )
        assert (tx["succeeded"], tx["failure"]) == (False, "execution reverted: nope")
        assert (creation["to"], creation["contractAddress"]) == (None, "0x" + BOB.hex())

    def test_hostile_text(self) -> None:
        """Whatever a client sends stays within its line."""
        [entry] = told(replace(POLL, method="a\n\x1b\ud800" + "y" * 500))

        assert str(entry["method"]).startswith("a\n\x1b\ud800")
        assert len(str(entry["method"])) == 60
