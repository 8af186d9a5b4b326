"""The contracts of beacon roots (EIP-4788) and block hashes (EIP-2935) on an Ethereum chain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import VmError
from devchain.evm.rules import REQUEST_CONTRACTS
from devchain.networks import ETHEREUM
from devchain.node import Node
from devchain.tracing.replay import Replay
from devchain.types import Address, MineRequest, Tag, TransactionRequest
from tests.accounts import ALICE_HEX
from tests.actions import deploy, run, send
from tests.bytecode import assemble, word
from tests.conftest import GENESIS_TIME

BEACON_ROOTS = Address(bytes.fromhex("000F3df6D732807Ef1319fB7B8bB8522d0Beac02"))
HISTORY = Address(bytes.fromhex("0000F90827F1C53a10cb7A02335B175320002935"))
CODE_SIZES = {BEACON_ROOTS: 97, HISTORY: 83}
RING = 8_191

READ_PARENT = assemble(
    f"1 NUMBER SUB 0 MSTORE 32 32 32 0 {int.from_bytes(HISTORY)} GAS STATICCALL "
    "@found JUMPI 0 0 REVERT found: 32 MLOAD DUP1 0 SSTORE 32 32 RETURN"
)
"""slot[0] = the parent's hash by the history contract; reverts if it does not know it"""


def a_node(hardfork: str = "prague", **given: Any) -> Node:
    """A node under a hardfork, with a fixed clock."""
    return Node(Config(**{"hardfork": hardfork, "fixed_clock": GENESIS_TIME, **given}))


@pytest.fixture(params=["fast", "reference"])
def node(request: pytest.FixtureRequest) -> Node:
    """A Prague node with three blocks, on each engine."""
    built = a_node(engine=request.param)
    built.mine(MineRequest(3))
    return built


def ask(node: Node, contract: Address, number: int, block: Any = Tag.LATEST) -> bytes:
    """What a contract returns for a number."""
    return node.call(TransactionRequest(to=contract, data=word(number)), block)


class TestGenesis:
    @pytest.mark.parametrize(
        ("hardfork", "present"),
        [
            ("shanghai", set()),
            ("cancun", {BEACON_ROOTS}),
            ("prague", {BEACON_ROOTS, HISTORY}),
            ("vetiver", set()),
        ],
    )
    def test_accounts(self, hardfork: str, present: set[Address]) -> None:
        """A contract is there since its hardfork, as if deployed: with code and nonce 1."""
        state = a_node(hardfork).chain.state_at(0)

        sizes = {each: len(state.code(each)) for each in CODE_SIZES}
        nonces = {each: state.nonce(each) for each in CODE_SIZES}

        assert sizes == {each: CODE_SIZES[each] * (each in present) for each in CODE_SIZES}
        assert nonces == {each: int(each in present) for each in CODE_SIZES}

    def test_no_system_call(self) -> None:
        """The genesis block has no parent: nothing is stored yet, and its beacon root is zero."""
        fresh = a_node()

        assert fresh.chain.head.header.parent_beacon_block_root == bytes(32)
        assert fresh.chain.state_at(0).storage(HISTORY, RING - 1) == 0
        assert fresh.chain.state_at(0).storage(BEACON_ROOTS, GENESIS_TIME % RING) == 0

    def test_genesis_file(self, tmp_path: Path) -> None:
        """An account of a genesis file is used as it is; blocks then write to no such contract."""
        path = tmp_path / "genesis.json"
        alloc = {"0x" + HISTORY.hex(): {"balance": "0x5"}}
        path.write_text(json.dumps({"alloc": alloc}))
        fresh = a_node(init=str(path))

        fresh.mine(MineRequest(2))

        state = fresh.chain.state_at(Tag.LATEST)
        assert (state.balance(HISTORY), state.code(HISTORY)) == (5, b"")
        assert state.storage(HISTORY, 0) == 0
        assert ask(fresh, BEACON_ROOTS, fresh.chain.head.timestamp)


class TestHistory:
    def test_hashes(self, node: Node) -> None:
        """It returns the hashes of the blocks before the one that a call runs in."""
        known = [ask(node, HISTORY, number) for number in range(3)]

        assert known == [node.chain.block(number).hash for number in range(3)]

    @pytest.mark.parametrize("number", [3, 4, 2**255])
    def test_not_in_the_past(self, node: Node, number: int) -> None:
        """It reverts for the block itself and later ones."""
        with pytest.raises(VmError, match="reverted"):
            ask(node, HISTORY, number)

    def test_storage(self, node: Node) -> None:
        """The hash of block n is in slot n modulo 8191 (EIP-2935)."""
        state = node.chain.state_at(Tag.LATEST)

        slots = [state.storage(HISTORY, number % RING) for number in range(4)]

        hashes = [int.from_bytes(node.chain.block(number).hash) for number in range(3)]
        assert slots == [*hashes, 0]

    def test_each_block_of_many(self) -> None:
        """Blocks that are mined at once write their parents' hashes too."""
        fresh = a_node()

        fresh.mine(MineRequest(40))

        known = [ask(fresh, HISTORY, number) for number in range(40)]
        assert known == [fresh.chain.block(number).hash for number in range(40)]

    def test_writing(self, node: Node) -> None:
        """A transaction of anybody but the system address cannot write to it."""
        receipt = run(node, HISTORY, word(0) + word(1))

        assert not receipt.succeeded


class TestBeaconRoots:
    def test_roots(self, node: Node) -> None:
        """It returns the beacon root in the header of the block with that timestamp."""
        for number in range(1, 4):
            header = node.chain.block(number).header
            assert ask(node, BEACON_ROOTS, header.timestamp) == header.parent_beacon_block_root

    def test_differ(self, node: Node) -> None:
        """Each block has another root, the same in every run."""
        again = a_node()
        again.mine(MineRequest(3))
        roots = [node.chain.block(n).header.parent_beacon_block_root for n in range(1, 4)]

        assert len({*roots, bytes(32)}) == 4
        assert [again.chain.block(n).header.parent_beacon_block_root for n in range(1, 4)] == roots

    def test_storage(self, node: Node) -> None:
        """The timestamp and the root are 8191 slots apart (EIP-4788)."""
        header, state = node.chain.head.header, node.chain.state_at(Tag.LATEST)
        slot = header.timestamp % RING

        stored = [state.storage(BEACON_ROOTS, each) for each in (slot, slot + RING)]

        assert stored == [header.timestamp, int.from_bytes(header.parent_beacon_block_root)]

    def test_unknown_time(self, node: Node) -> None:
        """It reverts for a time at which there is no block."""
        with pytest.raises(VmError, match="reverted"):
            ask(node, BEACON_ROOTS, node.chain.head.timestamp + 1)


class TestEverywhere:
    def test_transaction(self, node: Node) -> None:
        """A transaction, the replay of its block and a trace of it see the parent's hash."""
        reader = deploy(node, READ_PARENT)
        parent = node.chain.head.hash

        receipt = run(node, reader)

        replay = Replay(node.chain, node.chain.head)
        replay.run(receipt.transaction)
        trace = LocalClient(node).call(
            "debug_traceTransaction", "0x" + receipt.transaction.hash.hex(), {}
        )
        replayed = replay.builder.build_block(node.chain.block(5 - 1), sealed=True)
        assert node.chain.state_at(Tag.LATEST).storage(reader, 0) == int.from_bytes(parent)
        assert replayed.hash == node.chain.head.hash
        assert trace["returnValue"] == "0x" + parent.hex()

    @pytest.mark.parametrize("block", ["latest", "pending"])
    def test_estimate(self, node: Node, block: str) -> None:
        """An estimate runs in the next block, whose system calls it sees; the gas suffices."""
        reader = deploy(node, READ_PARENT)
        request = {"from": ALICE_HEX, "to": "0x" + reader.hex()}

        gas = int(LocalClient(node).call("eth_estimateGas", request, block), 16)

        assert run(node, reader, gas=gas).succeeded

    def test_pending(self, node: Node) -> None:
        """In the pending block the hash of the latest is known."""
        assert ask(node, HISTORY, 3, Tag.PENDING) == node.chain.head.hash

    def test_simulated(self, node: Node) -> None:
        """Simulated blocks make the system calls of blocks that they follow."""
        calls = [{"to": "0x" + HISTORY.hex(), "input": "0x" + word(n).hex()} for n in (3, 4)]
        blocks = [{"calls": []}, {"calls": calls}]

        first, second = LocalClient(node).call("eth_simulateV1", {"blockStateCalls": blocks})

        returned = [each["returnData"] for each in second["calls"]]
        assert returned == ["0x" + node.chain.head.hash.hex(), first["hash"]]

    def test_after_revert(self, node: Node) -> None:
        """A reverted chain that grows again has the hashes of its new blocks."""
        taken = node.snapshots.take()
        send(node, BEACON_ROOTS, word(node.chain.head.timestamp))
        node.revert(taken)

        node.mine(MineRequest(2))

        assert ask(node, HISTORY, 4) == node.chain.block(4).hash

    def test_copy_and_dump(self) -> None:
        """Copies and loaded dumps go on with the same contracts."""
        first = a_node()
        first.mine(MineRequest(2))
        copied, loaded = first.copy(), a_node()
        loaded.load(first.dump())

        for each in (first, copied, loaded):
            each.mine(MineRequest(1))

        assert first.chain.head.hash == copied.chain.head.hash == loaded.chain.head.hash
        assert ask(loaded, HISTORY, 2) == first.chain.block(2).hash

    @pytest.mark.parametrize("hardfork", ETHEREUM[-2:])
    def test_engines(self, hardfork: str) -> None:
        """Both engines make the same blocks."""
        nodes = [a_node(hardfork, engine=each) for each in ("fast", "reference")]

        for each in nodes:
            deploy(each, READ_PARENT)
            each.mine(MineRequest(3))

        assert nodes[0].chain.head.hash == nodes[1].chain.head.hash


class TestRequests:
    @pytest.mark.parametrize("address", REQUEST_CONTRACTS)
    @pytest.mark.parametrize("hardfork", ["cancun", "prague", "osaka"])
    def test_engines(self, hardfork: str, address: Address) -> None:
        """A contract of requests is called at the end of empty blocks too, on both engines."""
        code = assemble("NUMBER NUMBER SSTORE 7 0 MSTORE 32 0 RETURN")
        heads = []
        for engine in ("fast", "reference"):
            node = a_node(hardfork, engine=engine)
            node.mine(MineRequest(2))
            node.set_code(address, code)
            node.mine(MineRequest(2))
            heads.append(node.chain.head.hash)
            called = hardfork != "cancun"
            assert node.at().storage(address, 4) == (4 if called else 0)

        assert heads[0] == heads[1]
