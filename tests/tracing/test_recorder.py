"""`devchain.tracing.recorder`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.node import Node
from devchain.tracing.frames import ADDRESS_COLLISION, INSUFFICIENT_BALANCE, Frame
from devchain.types import Address, Hash32
from tests.accounts import BOB, BOB_HEX, UNFUNDED
from tests.actions import deploy, receipt_of, send
from tests.bytecode import assemble, error_payload
from tests.tracing.programs import LOG, Program, call, create, place, runtime, store
from tests.tracing.reading import frames, new_node, traced

pytestmark = pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # py-evm's advice

IDENTITY = Address(bytes(19) + b"\4")
SEVEN = "0x" + "07".zfill(64)


@pytest.fixture(params=["vetiver", "cancun"])
def node(request: pytest.FixtureRequest) -> Node:
    """A node under Rootstock's rules, and one under Ethereum's."""
    return new_node(request.param)


def called(node: Node, program: Program, **options: Any) -> Any:
    """The top frame of a transaction to a program."""
    tx_hash = send(node, place(node, program), b"\1\2\3\4", gas=1_000_000)
    return traced(node, tx_hash, "callTracer", **options)


def frame_of(node: Node, tx_hash: bytes) -> Frame:
    """The top frame of a transaction, as the explorer reads it."""
    found = node.explainer.transaction_frames(Hash32(tx_hash))
    assert found is not None
    return found


def only(frame: Any) -> Any:
    """The only call of a frame."""
    (inner,) = frame["calls"]
    return inner


class TestTop:
    def test_creation(self, node: Node) -> None:
        """A creation's input is its init code, its output the code, `to` the contract."""
        init = runtime(node, Program((), "return"))
        tx_hash = send(node, None, init)

        frame = traced(node, tx_hash, "callTracer")

        created = receipt_of(node, tx_hash).contract_address
        assert created is not None
        assert (frame["type"], frame["to"]) == ("CREATE", f"0x{created.hex()}")
        assert (frame["input"], frame["output"]) == (f"0x{init.hex()}", SEVEN)

    def test_revert(self, node: Node) -> None:
        """The frame of a revert has its payload as output, and the decoded reason."""
        payload = error_payload("no").ljust(128, b"\0")
        words = [payload[start : start + 32] for start in range(0, 128, 32)]
        text = " ".join(f"0x{each.hex()} {32 * at} MSTORE" for at, each in enumerate(words))
        tx_hash = send(node, deploy(node, assemble(f"{text} 100 0 REVERT")))

        frame = traced(node, tx_hash, "callTracer")

        assert (frame["error"], frame["revertReason"]) == ("execution reverted", "no")
        assert frame["output"] == f"0x{payload[:100].hex()}"

    def test_code_unaffordable(self, node: Node) -> None:
        """A creation without the gas to store its code has geth's error."""
        tx_hash = send(node, None, assemble("1000 0 RETURN"), gas=100_000)

        frame = traced(node, tx_hash, "callTracer")

        assert frame["error"] == "contract creation code storage out of gas"

    def test_code_too_large(self, node: Node) -> None:
        """A creation whose code is over the limit has geth's error."""
        tx_hash = send(node, None, assemble("24577 0 RETURN"), gas=5_500_000)

        frame = traced(node, tx_hash, "callTracer")

        assert frame["error"] == "max code size exceeded"


class TestCalls:
    @pytest.mark.parametrize(
        ("kind", "sent"),
        [("CALL", "0x1"), ("CALLCODE", "0x1"), ("DELEGATECALL", "0x0"), ("STATICCALL", None)],
    )
    def test_kinds(self, node: Node, kind: str, sent: str | None) -> None:
        """A call's `from` is the calling contract, its `to` the account whose code runs."""
        callee = place(node, Program((), "return"))
        caller = place(node, Program((call(kind, callee, 1, 50_000),), "stop", value=1))
        tx_hash = send(node, caller, gas=1_000_000)

        inner = only(traced(node, tx_hash, "callTracer"))

        stipend = 2_300 if sent == "0x1" else 0
        assert inner == {
            "from": f"0x{caller.hex()}",
            "to": f"0x{callee.hex()}",
            "gas": hex(50_000 + stipend),
            "gasUsed": hex(18),
            "input": "0x00000000",
            "output": SEVEN,
            **({"value": sent} if sent else {}),
            "type": kind,
        }

    def test_precompiled(self, node: Node) -> None:
        """A precompiled contract has a frame too."""
        inner = only(called(node, Program((call("CALL", IDENTITY),), "stop")))

        assert (inner["to"], inner["gasUsed"], inner["output"]) == (
            f"0x{IDENTITY.hex()}",
            hex(18),
            "0x00000000",
        )

    def test_too_poor(self, node: Node) -> None:
        """A call whose value the caller cannot pay has a frame that used no gas."""
        inner = only(called(node, Program((call("CALL", BOB, 9, 50_000),), "stop", value=8)))

        assert (inner["error"], inner["gas"], inner["gasUsed"], inner["value"]) == (
            "insufficient balance for transfer",
            hex(52_300),
            "0x0",
            "0x9",
        )
        assert inner["input"] == "0x00000000"

    def test_static_with_value(self) -> None:
        """Before RSKIP103 STATICCALL had a value, which the caller may be unable to pay."""
        node = new_node("orchid")
        code = assemble(f"0 0 4 28 9 0x{BOB.hex()} 50000 STATICCALL STOP")

        inner = only(traced(node, send(node, deploy(node, code)), "callTracer"))

        assert (inner["type"], inner["value"], inner["input"]) == (
            "STATICCALL",
            "0x9",
            "0x00000000",
        )
        assert inner["error"] == "insufficient balance for transfer"

    def test_too_deep(self) -> None:
        """The call beyond the depth limit (400 since Papyrus, 1024 on Ethereum) is refused."""
        node = new_node("vetiver")
        again = assemble("0 0 0 0 0 ADDRESS GAS CALL STOP")

        tree = traced(node, send(node, deploy(node, again)), "callTracer")

        chain = frames(tree)
        assert len(chain) == 402
        assert [each.get("error") for each in chain] == [None] * 401 + ["max call depth exceeded"]

    def test_failed_below(self, node: Node) -> None:
        """The frame of a failed call has the error; it used all its gas unless it reverted."""
        actions = tuple(
            call("CALL", Program((), ending), 0, 5_000)
            for ending in ("jump", "underflow", "revert")
        )

        failures = [
            (each["error"], each["gasUsed"])
            for each in called(node, Program(actions, "stop"))["calls"]
        ]

        assert failures == [
            ("invalid jump destination", hex(5_000)),
            ("stack underflow", hex(5_000)),
            ("execution reverted", hex(18)),
        ]


def test_value_of_delegate_calls(node: Node) -> None:
    """A delegate call has its caller's value, as tracers show, and transfers nothing."""
    callee = Program((), "stop")
    creator = place(node, Program((call("DELEGATECALL", callee),), "stop"))
    sent = send(node, creator, value=7, gas=1_000_000)
    top = frame_of(node, sent)

    assert (top.transferred, top.calls[0].value, top.calls[0].transferred) == (7, 7, 0)
    assert node.call_tree(sent).count("{value: ") == 1


class TestCreations:
    @pytest.mark.parametrize("kind", ["CREATE", "CREATE2"])
    def test_kinds(self, node: Node, kind: str) -> None:
        """A creation's gas includes the price of its code (200 a byte)."""
        inner = only(called(node, Program((create(kind, Program((), "return")),), "stop")))

        assert (inner["type"], inner["output"]) == (kind, SEVEN)
        assert inner["gasUsed"] == hex(18 + 32 * 200)
        assert node.chain.state_at(node.chain.height).code(bytes.fromhex(inner["to"][2:])) == (
            bytes.fromhex(SEVEN[2:])
        )

    @pytest.mark.parametrize("kind", ["CREATE", "CREATE2"])
    def test_address_of_failed_creation(self, node: Node, kind: str) -> None:
        """A creation that could not start has the address that it would have had."""
        poor = create(kind, Program((), "return"), 1)
        creator = place(node, Program((poor,), "stop"))
        failed = frame_of(node, send(node, creator, gas=1_000_000)).calls[0]

        created = frame_of(node, send(node, creator, value=1, gas=1_000_000)).calls[0]

        assert (failed.failure, created.failure) == (INSUFFICIENT_BALANCE, None)
        assert failed.to == created.to

    def test_address_of_collision(self, node: Node) -> None:
        """That of a collision is where the contract is that was in the way."""
        twice = create("CREATE2", Program((), "return"))
        creator = place(node, Program((twice, twice), "stop"))

        first, second = frame_of(node, send(node, creator, gas=1_000_000)).calls

        assert second.failure is ADDRESS_COLLISION
        assert second.to == first.to

    def test_collision(self, node: Node) -> None:
        """A creation at an occupied address uses all its gas."""
        twice = create("CREATE2", Program((), "return"))

        first, second = called(node, Program((twice, twice), "stop"))["calls"]

        assert "error" not in first
        assert second["error"] == "contract address collision"
        assert second["gas"] == second["gasUsed"] != "0x0"


class TestSelfDestructs:
    def test_value(self, node: Node) -> None:
        """A self-destruct is a frame of its own that transfers the balance."""
        contract = place(node, Program((), "destroy", value=5))

        inner = only(traced(node, send(node, contract), "callTracer"))

        assert inner == {
            "from": f"0x{contract.hex()}",
            "to": BOB_HEX,
            "gas": "0x0",
            "gasUsed": "0x0",
            "input": "0x",
            "value": "0x5",
            "type": "SELFDESTRUCT",
        }

    def test_refused(self, node: Node) -> None:
        """A self-destruct in a static call has no frame."""
        inner = only(called(node, Program((call("STATICCALL", Program((), "destroy")),), "stop")))

        assert inner["error"] == "write protection"
        assert "calls" not in inner


class TestLogs:
    def test_positions(self, node: Node) -> None:
        """A log has its index in the block, and the number of its frame's calls before it."""
        inner = Program((LOG,), "stop")
        frame = called(node, Program((LOG, call("CALL", inner), LOG), "stop"), with_log=True)

        places = [(log["index"], log["position"]) for log in frame["logs"]]
        assert places == [("0x0", "0x0"), ("0x2", "0x1")]
        assert [log["index"] for log in only(frame)["logs"]] == ["0x1"]

    def test_top_alone(self, node: Node) -> None:
        """With `onlyTopCall` only the top frame's logs are returned."""
        program = Program((call("CALL", Program((LOG,), "stop")), LOG), "stop")
        frame = called(node, program, with_log=True, only_top_call=True)

        assert "calls" not in frame
        assert [(log["index"], log["position"]) for log in frame["logs"]] == [("0x1", "0x0")]


class TestRefunds:
    def test_counted(self, node: Node) -> None:
        """Refunds of a call count for its caller unless it failed."""
        clears = (store(0, 1), store(0, 0))
        good, bad = Program(clears, "stop"), Program(clears, "revert")
        program = Program((call("CALL", bad), store(1, 1), call("CALL", good), LOG), "stop")
        tx_hash = send(node, place(node, program), gas=1_000_000)

        steps = traced(node, tx_hash)["structLogs"]

        earned = 15_000 if node.config.hardfork == "vetiver" else 19_900
        by_name = {(step["op"], step["depth"]): step.get("refund", 0) for step in steps}
        first = [step for step in steps if step["op"] == "REVERT"]
        assert [step["refund"] for step in first] == [earned]
        assert by_name["LOG1", 1] == earned
        assert [step.get("refund") for step in steps if step["op"] == "SSTORE"][2] is None

    def test_of_a_creation(self) -> None:
        """Refunds of init code are lost on Rootstock."""
        node = new_node("vetiver")
        init = Program((store(0, 1), store(0, 0)), "stop")
        tx_hash = send(node, place(node, Program((create("CREATE", init), LOG), "stop")))

        steps = traced(node, tx_hash)["structLogs"]

        assert [step for step in steps if step["depth"] == 1 and "refund" in step] == []


class TestAccountWithoutCode:
    def test_frame(self, node: Node) -> None:
        """A call of an account without code has a frame, but no steps."""
        tx_hash = send(node, place(node, Program((call("CALL", UNFUNDED),), "stop")))

        assert only(traced(node, tx_hash, "callTracer"))["gasUsed"] == "0x0"
        assert {step["depth"] for step in traced(node, tx_hash)["structLogs"]} == {1}
