"""`devchain.chain.calls`: calls in blocks that look different."""

from __future__ import annotations

import pytest
from eth_abi.abi import decode

from devchain.config import Config
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.types import (
    Address,
    BlockOverride,
    Hash32,
    MineRequest,
    StateOverride,
    TransactionRequest,
)
from tests.accounts import BOB, NOBODY
from tests.bytecode import assemble, word
from tests.conftest import GENESIS_TIME

BLOCK = assemble(
    "NUMBER 0 MSTORE TIMESTAMP 32 MSTORE COINBASE 64 MSTORE GASLIMIT 96 MSTORE"
    " DIFFICULTY 128 MSTORE BASEFEE 160 MSTORE 192 0 RETURN"
)
HASH_OF = assemble("0 CALLDATALOAD BLOCKHASH 0 MSTORE 32 0 RETURN")
SOME_HASH = Hash32(b"\xab" * 32)
HIGH = 10**6


def node_of(hardfork: str) -> Node:
    """A node with some blocks under these rules."""
    node = Node(Config(hardfork=hardfork, network="test", fixed_clock=GENESIS_TIME))
    node.mine(MineRequest(blocks=3))
    return node


def seen(node: Node, override: BlockOverride, gas_price: int | None = None) -> tuple[int, ...]:
    """What a contract sees of the block: number, time, coinbase, limit, difficulty, base fee."""
    request = TransactionRequest(to=NOBODY, gas=100_000, gas_price=gas_price, sender=BOB)
    overrides = {NOBODY: StateOverride(code=BLOCK), BOB: StateOverride(balance=10**30)}
    answer = node.call(request, overrides=overrides, block_override=override)
    return tuple(decode(["uint256"] * 6, answer))


def hash_of(node: Node, number: int, override: BlockOverride) -> bytes:
    """What BLOCKHASH says."""
    request = TransactionRequest(to=NOBODY, data=word(number))
    return node.call(
        request, overrides={NOBODY: StateOverride(code=HASH_OF)}, block_override=override
    )


class TestCallBlock:
    @pytest.mark.parametrize("hardfork", ["vetiver", "london"])
    def test_all_of_it(self, hardfork: str) -> None:
        """A call sees what it is told to see, and the next one the chain again."""
        node = node_of(hardfork)
        plain = seen(node, BlockOverride(), gas_price=10**10)
        override = BlockOverride(
            number=77, timestamp=5, coinbase=BOB, gas_limit=99, difficulty=11, base_fee=13
        )

        changed = seen(node, override, gas_price=10**10)

        assert changed == (77, 5, int.from_bytes(BOB, "big"), 99, 11, 13)
        assert seen(node, BlockOverride(), gas_price=10**10) == plain
        assert plain[:2] == (3, node.chain.head.timestamp)

    def test_random(self) -> None:
        """Since Paris the difficulty's opcode gives PREVRANDAO."""
        override = BlockOverride(random=SOME_HASH)

        assert seen(node_of("prague"), override)[4] == int.from_bytes(SOME_HASH, "big")

    def test_base_fee_without_price(self) -> None:
        """Under Ethereum's rules a call that offers no gas price owes, and sees, no base fee."""
        node = node_of("prague")

        assert seen(node, BlockOverride(base_fee=7))[5] == 0
        assert seen(node, BlockOverride(base_fee=7), gas_price=9)[5] == 7

    @pytest.mark.parametrize(
        ("hardfork", "override", "member"),
        [
            ("vetiver", BlockOverride(random=SOME_HASH), "prevRandao"),
            ("london", BlockOverride(random=SOME_HASH), "prevRandao"),
            ("prague", BlockOverride(difficulty=1), "difficulty"),
            ("berlin", BlockOverride(base_fee=1), "baseFeePerGas"),
        ],
    )
    def test_no_place(self, hardfork: str, override: BlockOverride, member: str) -> None:
        """What the rules' blocks do not have is refused by name."""
        with pytest.raises(InvalidInput, match=member):
            seen(node_of(hardfork), override)

    def test_estimate(self, node: Node) -> None:
        """An estimate runs in the changed block too."""
        spend = assemble("NUMBER 5 LT @end JUMPI 1 0 SSTORE end: STOP")
        overrides = {NOBODY: StateOverride(code=spend)}
        request = TransactionRequest(to=NOBODY)

        cheap = node.estimate(request, overrides=overrides, block_override=BlockOverride(number=9))

        assert node.estimate(request, overrides=overrides) - cheap > 15_000


class TestHashes:
    def test_chain(self) -> None:
        """The chain's blocks keep their hashes; between them and the number there are none."""
        node = node_of("vetiver")
        override = BlockOverride(number=100)

        assert hash_of(node, 2, override) == node.chain.block(2).hash
        assert hash_of(node, 3, override) == bytes(32)
        assert hash_of(node, 99, override) == bytes(32)
        assert hash_of(node, 100, override) == bytes(32)

    def test_given(self) -> None:
        """Hashes can be given, and stand before the chain's."""
        node = node_of("prague")
        override = BlockOverride(hashes={1: SOME_HASH})

        assert hash_of(node, 1, override) == SOME_HASH
        assert hash_of(node, 2, override) == node.chain.block(2).hash

    def test_far_away(self) -> None:
        """Only the last 256 blocks have hashes, wherever the number is moved."""
        node = node_of("vetiver")
        given = {HIGH - 256: SOME_HASH, HIGH - 257: SOME_HASH}
        override = BlockOverride(number=HIGH, hashes=given)

        assert hash_of(node, HIGH - 256, override) == SOME_HASH
        assert hash_of(node, HIGH - 257, override) == bytes(32)
        assert hash_of(node, 2, override) == bytes(32)

    def test_at_the_beginning(self) -> None:
        """There is no block before the first."""
        assert hash_of(node_of("vetiver"), 0, BlockOverride(number=0)) == bytes(32)


def test_tracing(node: Node) -> None:
    """`debug_traceCall` takes them with its options."""
    from devchain.client.http import LocalClient

    address = "0x" + Address(NOBODY).hex()
    options = {
        "tracer": "callTracer",
        "stateOverrides": {address: {"code": "0x" + BLOCK.hex()}},
        "blockOverrides": {"number": "0x4d", "time": 5},
    }

    shown = LocalClient(node).call("debug_traceCall", {"to": address}, "latest", options)

    assert shown["output"].startswith("0x" + word(77).hex() + word(5).hex())
