"""`devchain.server.events`"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from eth_abi.abi import encode
from eth_hash.auto import keccak

from devchain.client.views import Notation
from devchain.config import Config
from devchain.errors import ExecutionReverted
from devchain.evm.console_capture import CONSOLE
from devchain.node import Node
from devchain.rpc.dispatch import Call
from devchain.server.events import (
    ActivityReporter,
    BlockMined,
    Event,
    Observer,
    RequestServed,
    TransactionMined,
    TransactionQueued,
    refused_event,
)
from devchain.types import Address, TransactionRequest, checksum
from tests.actions import deploy, run
from tests.bytecode import EMIT, EMIT_MANY, assemble, word
from tests.contracts.till import TILL
from tests.contracts.vault import FILE, VAULT

BOB = Address(bytes(19) + b"\xb0")
NOTATION = Notation(31)
PLACES = (
    "contracts/Till.sol:27 in modifier Owned.onlyOwner",
    "contracts/Till.sol:67 in Till.setRate(to=3)",
)
KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
REVERTING = bytes.fromhex("60006000fd")
"""PUSH1 0 PUSH1 0 REVERT: init code that always reverts."""


@pytest.fixture
def node() -> Iterator[Node]:
    """A node whose blocks do not depend on the time of day."""
    with Node(Config(network="test", fixed_clock=1_700_000_000)) as made:
        yield made


@pytest.fixture
def cursor(node: Node) -> ActivityReporter:
    """A cursor at that node's genesis."""
    return ActivityReporter("test", node)


def send(node: Node, to: Address | None = BOB, data: bytes = b"") -> bytes:
    """A transaction from the first account; its hash."""
    sender = node.accounts.addresses()[0]
    request = TransactionRequest(sender=sender, to=to, value=0 if data else 7, data=data)
    return node.send(request)


def transactions(cursor: ActivityReporter) -> list[TransactionMined]:
    """The transactions among the new events."""
    return [each for each in cursor.new_events() if isinstance(each, TransactionMined)]


def printing(node: Node) -> Address:
    """A contract that prints one line, then calls the console with invalid data, then reverts."""
    call_data = keccak(b"log(string)")[:4] + encode(["string"], ["hi"])
    stores = " ".join(
        f"0x{call_data[place : place + 32].ljust(32, bytes(1)).hex()} {place} MSTORE"
        for place in range(0, len(call_data), 32)
    )
    call = f"0 0 {len(call_data)} 0 0x{CONSOLE.hex().lstrip('0')} 50000 STATICCALL POP"
    other = call.replace(f"{len(call_data)}", "5", 1)
    return deploy(node, assemble(f"{stores} {call} {other} 0 0 REVERT"))


class TestNewEvents:
    def test_a_transfer(self, node: Node, cursor: ActivityReporter) -> None:
        """A block gives an event, then each of its transactions."""
        sent = send(node)

        block, tx = cursor.new_events()

        assert isinstance(block, BlockMined)
        assert block.block.event() == {
            "event": "block",
            "number": 1,
            "hash": f"0x{node.chain.head.hash.hex()}",
            "timestamp": 1_700_000_001,
            "transactions": 1,
            "gasUsed": 21_000,
            "gasLimit": 6_800_000,
        }
        assert isinstance(tx, TransactionMined)
        view = tx.transaction
        assert (view.hash, view.to, view.created) == (
            f"0x{sent.hex()}",
            NOTATION.account(BOB),
            None,
        )
        assert (view.value, view.gas_used, view.status, view.reason) == (7, 21_000, "ok", None)
        assert list(cursor.new_events()) == []

    def test_names(self, node: Node) -> None:
        """With artifacts a transaction says what it called, and its failure by name."""
        node.artifacts.add(VAULT)
        cursor = ActivityReporter("test", node)
        other = node.accounts.addresses()[1]
        vault = node.deploy("Vault", 100)
        with suppress(ExecutionReverted):
            vault.withdraw(sender=other)

        mined = [each for each in cursor.new_events() if isinstance(each, TransactionMined)]

        assert [each.transaction.called for each in mined] == [
            "new Vault(secondsLocked=100)",
            "Vault.withdraw()",
        ]
        reason = f"custom error NotOwner(caller={checksum(other)})"
        assert mined[1].transaction.reason == reason

    def test_compiled_since(self, tmp_path: Path) -> None:
        """A contract that was compiled after the node started is named when it is created."""
        with Node(Config(artifacts=(str(tmp_path),), fixed_clock=1_700_000_000)) as node:
            cursor = ActivityReporter("test", node)
            (tmp_path / "Vault.json").write_bytes(FILE.read_bytes())
            send(node, None, VAULT.creation.template + word(100))

            assert [each.transaction.called for each in transactions(cursor)] == [
                "new Vault(secondsLocked=100)"
            ]

    def test_missing_opcodes(self) -> None:
        """A new contract with opcodes that the hardfork lacks has a hint."""
        with Node(Config(hardfork="iris", fixed_clock=1_700_000_000)) as node:
            cursor = ActivityReporter("test", node)
            deploy(node, assemble("PUSH0 STOP"))
            deploy(node, assemble("STOP"))

            hints = [each.hint for each in transactions(cursor)]

            assert hints == [
                "PUSH0 is not available before arrowhead; compile with evmVersion paris",
                "",
            ]

    def test_place(self, node: Node, cursor: ActivityReporter) -> None:
        """A failed transaction of a contract with known source says where, the innermost first."""
        till = node.deploy(TILL)
        with suppress(ExecutionReverted):
            till.setRate(3, sender=node.funded_accounts[1])

        *_, failed = transactions(cursor)

        assert failed.places == PLACES
        assert failed.hint == ""

    def test_places_take_little_time(
        self, node: Node, cursor: ActivityReporter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Beyond the time for it no place is looked for."""
        monkeypatch.setattr("devchain.server.events.LOCATING_SECONDS", 0)
        till = node.deploy(TILL)
        with suppress(ExecutionReverted):
            till.setRate(3, sender=node.funded_accounts[1])
        looked_for: list[object] = []
        monkeypatch.setattr(node.explainer, "transaction_source", looked_for.append)

        *_, failed = transactions(cursor)

        assert (failed.transaction.failed, failed.places, looked_for) == (True, (), [])

    def test_a_defect_in_looking_for_places(
        self, node: Node, cursor: ActivityReporter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A failure is logged without its place if looking for that fails."""
        monkeypatch.setattr(node.explainer, "transaction_source", lambda _: {}["x"])
        send(node, to=None, data=REVERTING)

        *_, failed = transactions(cursor)

        assert (failed.transaction.reason, failed.places) == ("no reason given", ())

    def test_emitted(self, node: Node) -> None:
        """With artifacts a transaction has its events, those of unknown contracts as hex."""
        cursor = ActivityReporter("test", node)
        emitter = deploy(node, EMIT)
        run(node, emitter, word(1) + word(2))
        assert [each.emitted for each in transactions(cursor)] == [(), ()]

        vault = node.deploy(VAULT, 100)
        vault.deposit(value=5)
        run(node, emitter, word(1) + word(2))

        sender = node.accounts.addresses()[0]
        assert [each.emitted for each in transactions(cursor)] == [
            (),
            (f"Vault.Deposited(from={checksum(sender)}, amount=5)",),
            (f"{checksum(emitter)}.log(0x{word(1).hex()}, 0x{word(2).hex()}, 0x)",),
        ]

    def test_many_events(self, node: Node) -> None:
        """Of many events the first are written, and how many more there are."""
        node.artifacts.add(VAULT)
        emitter = deploy(node, EMIT_MANY)
        cursor = ActivityReporter("test", node)
        run(node, emitter, word(23))

        [mined] = transactions(cursor)

        assert len(mined.emitted) == 21
        assert mined.emitted[-1] == "... 3 more"

    def test_console(self) -> None:
        """What a contract prints is in the event, also when it then fails."""
        with Node(Config(network="test", engine="fast")) as node:
            cursor = ActivityReporter("test", node)
            run(node, printing(node))

            *_, tx = cursor.new_events()

        assert isinstance(tx, TransactionMined)
        assert tx.printed == ("hi",)
        assert tx.transaction.failed

    def test_console_of_a_call(self) -> None:
        """What a call prints is in the event of its request, and of no other."""
        events: list[Event] = []
        with Node(Config(network="test", engine="fast")) as node:
            speaker = printing(node)
            reporter = ActivityReporter("test", node, events.append)
            with suppress(ExecutionReverted):
                node.call(TransactionRequest(to=speaker))
            for method in ("eth_call", "eth_chainId"):
                reporter.report_call(Call(method, [], None, "", 0.001))

        requests = [each for each in events if isinstance(each, RequestServed)]
        assert [each.printed for each in requests] == [("hi",), ()]

    def test_very_many_blocks(self, node: Node, cursor: ActivityReporter) -> None:
        """Of very many blocks mined at once every one has its events, transactions included."""
        sent = send(node)
        for _ in range(1_005):
            node.miner.mine()

        _, tx, *others = cursor.new_events()

        assert isinstance(tx, TransactionMined)
        assert tx.transaction.hash == f"0x{sent.hex()}"
        assert len(others) == 1_005

    def test_revert(self, node: Node, cursor: ActivityReporter) -> None:
        """After a revert the cursor moves to the head without events and continues from there."""
        snapshot = node.snapshots.take()
        node.miner.mine()
        list(cursor.new_events())
        node.revert(snapshot)

        assert list(cursor.new_events()) == []

        node.miner.mine()
        assert [type(event) for event in cursor.new_events()] == [BlockMined]

    def test_revert_and_as_many_blocks(self, node: Node, cursor: ActivityReporter) -> None:
        """Blocks that replaced others between two reads give no events."""
        snapshot = node.snapshots.take()
        node.miner.mine()
        list(cursor.new_events())
        node.revert(snapshot)
        send(node)
        node.miner.mine()

        assert list(cursor.new_events()) == []


class TestActivityReporter:
    @pytest.mark.parametrize("method", ["eth_sendTransaction", "eth_sendRawTransaction"])
    def test_queued(self, node: Node, method: str) -> None:
        """What was sent and waits for other nonces is reported; what fills the gap is mined."""
        events: list[Event] = []
        reporter = ActivityReporter("test", node, events.append)
        sender = node.accounts.addresses()[0]

        sent = node.send(TransactionRequest(sender=sender, to=BOB, nonce=1))
        reporter.report_call(Call(method, [], None, "", 0.001))
        reporter.report_call(Call("eth_chainId", [], None, "", 0.001))
        send(node)
        reporter.report_call(Call(method, [], None, "", 0.001))

        queued = [each for each in events if isinstance(each, TransactionQueued)]
        assert queued == [TransactionQueued("test", sent, sender, 1, 0)]
        assert len([each for each in events if isinstance(each, TransactionMined)]) == 2

    def test_reverted(self, node: Node) -> None:
        """A call that took blocks off the chain is marked, and only that one."""
        events: list[Event] = []
        reporter = ActivityReporter("test", node, events.append)
        call = Call("evm_revert", [], None, "", 0.001)
        snapshot = node.snapshots.take()
        node.miner.mine()
        reporter.report_call(call)
        node.revert(snapshot)
        reporter.report_call(call)
        reporter.report_call(call)

        served = [each for each in events if isinstance(each, RequestServed)]
        assert [each.reverts for each in served] == [False, True, False]

    def test_place(self, node: Node) -> None:
        """A call that fails has its place; what was mined and failed has it in its own event."""
        events: list[Event] = []
        till = node.deploy(TILL)
        reporter = ActivityReporter("test", node, events.append)
        failed = Call("eth_call", [], -32015, "execution reverted: not the owner", 0.001)

        with suppress(ExecutionReverted):
            till.setRate.call(3, sender=node.funded_accounts[1])
        reporter.report_call(failed)
        reporter.report_call(failed)
        with suppress(ExecutionReverted):
            till.setRate(3, sender=node.funded_accounts[1])
        reporter.report_call(failed)

        assert [getattr(each, "places", None) for each in events] == [PLACES, (), (), None, PLACES]

    def test_nothing_is_looked_for(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without artifacts, or an observer, or with logging off, nothing is executed again."""
        executed: list[object] = []
        monkeypatch.setattr(node.explainer, "transaction_frames", executed.append)
        monkeypatch.setattr(node.explainer, "call_frames", lambda *_: executed.append(_))
        failing = TransactionRequest(to=None, data=REVERTING, gas=100_000)
        failed = Call("eth_call", [], -32015, "execution reverted", 0.001)

        def fail(observe: Observer | None) -> None:
            reporter = ActivityReporter("test", node, observe)
            with suppress(ExecutionReverted):
                node.call(failing)
            send(node, to=None, data=REVERTING)
            reporter.report_call(failed)

        fail(lambda _: None)
        node.artifacts.add(TILL)
        fail(None)
        node.logging_enabled = False
        fail(lambda _: None)

        assert executed == []

    def test_logging_off(self, node: Node) -> None:
        """While logging is off nothing is reported, and not afterwards either."""
        events: list[Event] = []
        reporter = ActivityReporter("test", node, events.append)
        node.logging_enabled = False
        send(node)
        reporter.report_call(Call("eth_sendTransaction", [], None, "", 0.001))
        node.logging_enabled = True
        reporter.report_blocks()

        assert events == []

    def test_without_observer(self, node: Node) -> None:
        """Without an observer the reports do nothing."""
        reporter = ActivityReporter("test", node, None)

        reporter.report_call(Call("eth_chainId", [], None, "", 0.001))
        reporter.report_blocks()

    def test_secrets(self, node: Node) -> None:
        """The message about a wrong key or passphrase is not logged."""
        events: list[Event] = []
        message = "argument key: 0xsecret is not hex"

        ActivityReporter("test", node, events.append).report_call(
            Call("personal_importRawKey", ["0xsecret", "pass"], -32602, message, 0.001)
        )

        assert "secret" not in repr(events)

    @pytest.mark.parametrize("digits", [KEY, KEY[:58], f"{KEY}..."], ids=["whole", "cut", "shown"])
    def test_pasted_keys(self, node: Node, digits: str) -> None:
        """A private key in the wrong place, as parameter or method, is not logged."""
        events: list[Event] = []
        call = Call(f"0x{digits}", [], -32602, f"want DATA, got {digits!r}", 0.001)

        ActivityReporter("test", node, events.append).report_call(call)

        assert digits[:20] not in repr(events)
        assert repr(events).count("<hex, not logged>") == 2

    def test_pasted_into_a_header(self) -> None:
        """A private key in a refused HTTP header is not logged."""
        assert KEY not in refused_event(403, f"host '{KEY}' is not allowed").message
