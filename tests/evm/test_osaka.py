"""Osaka: its opcode, its precompiled contracts and its limits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from Crypto.PublicKey.ECC import EccPoint

from devchain.chain.block_builder import HEADER_ROOM
from devchain.config import Config
from devchain.errors import GasLimitExceeded
from devchain.evm.hardforks import rules_for
from devchain.evm.precompiles import P256_GENERATOR, P256_ORDER
from devchain.evm.rules import MAX_BLOCK_SIZE
from devchain.node import Node
from devchain.types import Address, MineRequest, TransactionRequest
from tests.accounts import ALICE, BOB
from tests.actions import deploy, run, send
from tests.bytecode import assemble, word
from tests.conftest import GENESIS_TIME
from tests.evm.compiler.engines import Engine

MODEXP, P256VERIFY = (Address(number.to_bytes(20)) for number in (0x05, 0x100))
CLZ_CASES = [0, 1, 2, 2**255, 2**256 - 1, 2**128, 0xFF << 100]
CAP = 2**24


def a_node(hardfork: str = "osaka", **given: Any) -> Node:
    """A node under a hardfork, with a fixed clock."""
    return Node(Config(**{"hardfork": hardfork, "fixed_clock": GENESIS_TIME, **given}))


def call(node: Node, to: Address, data: bytes, gas: int | None = None) -> bytes:
    """What a call returns."""
    return node.call(TransactionRequest(sender=ALICE, to=to, data=data, gas=gas))


def gas_of(contract: Address, data: bytes) -> int:
    """The gas that a precompiled contract of Osaka charges for a call."""
    charged: list[int] = []
    computation = SimpleNamespace(
        msg=SimpleNamespace(data=data), consume_gas=lambda gas, reason: charged.append(gas)
    )
    computation_class = rules_for("osaka").vm_class.get_state_class().computation_class
    computation_class.get_precompiles()[contract](computation)
    (gas,) = charged
    return gas


class TestClz:
    @pytest.mark.parametrize("number", CLZ_CASES)
    def test_engines(self, number: int) -> None:
        """Interpreted and compiled, of data and of constants, it counts the leading zeros."""
        of_data = assemble("0 CALLDATALOAD CLZ 0 MSTORE 32 0 RETURN")
        of_constant = assemble(f"{number} CLZ 0 MSTORE 32 0 RETURN")
        wanted = word(256 - number.bit_length())

        for code in (of_data, of_constant):
            results = [
                Engine("osaka", code, engine, hot).call(word(number))
                for engine, hot in (("reference", 0), ("fast", 1), ("fast", 100))
            ]
            assert results[0]["output"] == wanted
            assert results == [results[0]] * 3

    def test_before(self) -> None:
        """In Prague it is no opcode."""
        code = assemble("0 CALLDATALOAD CLZ 0 MSTORE 32 0 RETURN")

        assert Engine("prague", code, "reference").call(word(1))["error"] is not None

    def test_gas(self) -> None:
        """It costs 5 gas, as MUL does."""
        node = a_node()
        codes = (assemble("7 CLZ POP STOP"), assemble("7 NOT POP STOP"))

        clz, other = (run(node, deploy(node, code)).gas_used for code in codes)

        assert clz - other == 5 - 3


class TestP256Verify:
    @pytest.fixture
    def signed(self) -> bytes:
        """Digest, r, s and public key of a signature."""
        generator = EccPoint(*P256_GENERATOR, "p256")
        secret, nonce, digest = 1_234, 5_678, 2**255 + 99
        r, key = int((generator * nonce).x) % P256_ORDER, generator * secret
        s = pow(nonce, -1, P256_ORDER) * (digest + r * secret) % P256_ORDER
        return b"".join(map(word, (digest, r, s, int(key.x), int(key.y))))

    def test_valid(self, signed: bytes) -> None:
        """A signature that holds is answered with 1 as a word."""
        assert call(a_node(), P256VERIFY, signed) == word(1)

    def test_invalid(self, signed: bytes) -> None:
        """Anything else is answered with nothing, as input that is too short or too long."""
        node = a_node()
        wrong = [signed[:-1], signed + b"\0", b"", bytes(160), word(1) + signed[32:]]

        assert [call(node, P256VERIFY, each) for each in wrong] == [b""] * 5

    def test_gas(self, signed: bytes) -> None:
        """It costs 6900 gas whatever the input, twice what RIP-7212 has."""
        assert gas_of(P256VERIFY, signed) == 6_900
        assert gas_of(P256VERIFY, b"\1") == 6_900

    def test_before(self, signed: bytes) -> None:
        """In Prague there is no such contract."""
        assert call(a_node("prague"), P256VERIFY, signed) == b""


class TestModexp:
    @pytest.mark.parametrize(
        ("base", "exponent", "modulus", "gas"),
        [
            pytest.param(b"\3", b"\5", b"\7", 500, id="least"),
            pytest.param(b"\xff" * 32, b"\xff" * 32, b"\xfd" * 32, 16 * 255, id="word"),
            pytest.param(b"\xff" * 33, b"\xff" * 32, b"\xfd" * 32, 2 * 25 * 255, id="words"),
            pytest.param(b"\3", b"\1" + bytes(39), b"\xfd" * 32, 16 * (16 * 8 + 248), id="long"),
            pytest.param(b"", b"", b"\7", 500, id="nothing to the power of nothing"),
        ],
    )
    def test_result_and_price(self, base: bytes, exponent: bytes, modulus: bytes, gas: int) -> None:
        """The power modulo the modulus, at the price of EIP-7883."""
        data = b"".join(word(len(each)) for each in (base, exponent, modulus))
        data += base + exponent + modulus
        wanted = pow(*(int.from_bytes(each) for each in (base, exponent, modulus)))

        assert int.from_bytes(call(a_node(), MODEXP, data)) == wanted
        assert gas_of(MODEXP, data) == gas

    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_too_long(self, place: int) -> None:
        """An input of more than 1024 bytes fails and takes all gas (EIP-7823)."""
        sizes = [1, 1, 1]
        sizes[place] = 1_025
        receipt = run(a_node(), MODEXP, b"".join(map(word, sizes)), gas=100_000)

        assert (receipt.succeeded, receipt.gas_used) == (False, 100_000)


class TestLimits:
    def test_transaction_gas(self) -> None:
        """A transaction may have 2^24 gas, whatever the block's limit (EIP-7825)."""
        node = a_node()

        with pytest.raises(GasLimitExceeded, match="transaction gas limit too high: cap 16777216"):
            send(node, BOB, gas=CAP + 1)

        assert run(node, BOB, gas=CAP).succeeded
        assert run(a_node("prague"), BOB, gas=CAP + 1).succeeded

    def test_estimate(self) -> None:
        """An estimate is at most as much."""
        node = a_node()
        burning = deploy(node, assemble("start: @start JUMP"))

        with pytest.raises(Exception, match=r"exceeds allowance \(16777216\)"):
            node.estimate(TransactionRequest(sender=ALICE, to=burning))

    def test_block_size(self) -> None:
        """A block takes no more transactions than 8 MiB hold (EIP-7934); the rest waits."""
        node = a_node(gas_limit=10**9, mining=False, account_slots=100)
        payload = bytes(130_000)
        for _ in range(70):
            send(node, BOB, payload, gas=2_000_000)

        node.mine(MineRequest(2))

        sizes = [node.chain.block(number).size for number in (1, 2)]
        counts = [len(node.chain.block(number).transactions) for number in (1, 2)]
        assert sum(counts) == 70
        assert MAX_BLOCK_SIZE - len(payload) - 2 * HEADER_ROOM < sizes[0] <= MAX_BLOCK_SIZE


BLOB = 2**17
DEAR, CHEAP = 10**9, 7
"""Base fees above and below which a blob's proof costs more than the blob."""


class TestExcessBlobGas:
    @pytest.mark.parametrize(
        ("excess", "used", "base_fee", "expected"),
        [
            (0, 5 * BLOB, CHEAP, 0),
            (0, 6 * BLOB, CHEAP, 0),
            (0, 9 * BLOB, CHEAP, 3 * BLOB),
            (50 * BLOB, 0, DEAR, 50 * BLOB),
            (50 * BLOB, 9 * BLOB, DEAR, 53 * BLOB),
            (400 * BLOB, 3 * BLOB, DEAR, 401 * BLOB),
            (2_000 * BLOB, 3 * BLOB, DEAR, 1_997 * BLOB),
            (2_000 * BLOB, 0, 1, 1_994 * BLOB),
        ],
    )
    def test_reserve(self, excess: int, used: int, base_fee: int, expected: int) -> None:
        """While a blob costs less than its proof, the excess does not fall (EIP-7918).

        The numbers are those of Ethereum's executable specification.
        """
        parent = SimpleNamespace(
            excess_blob_gas=excess, blob_gas_used=used, base_fee_per_gas=base_fee
        )

        assert rules_for("osaka").excess_blob_gas(parent) == expected
        assert rules_for("prague").excess_blob_gas(parent) == max(0, excess + used - 6 * BLOB)
