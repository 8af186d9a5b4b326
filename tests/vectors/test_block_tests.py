"""`tests.vectors.block_tests`: fixtures of blockchain tests."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from eth.vm.forks.prague.constants import DEPOSIT_CONTRACT_ADDRESS, DEPOSIT_EVENT_SIGNATURE_HASH
from eth.vm.forks.shanghai.withdrawals import Withdrawal
from eth_hash.auto import keccak
from rlp import encode

from devchain.chain.block import Block
from devchain.chain.receipts import list_root
from devchain.errors import ExecutionTimedOut, InvalidInput
from devchain.evm.deadline import within
from devchain.evm.rules import REQUEST_CONTRACTS, changed_header, encode_header
from devchain.node import Node
from devchain.state.rlp import decode_string, split_list, wrap
from devchain.types import Address
from tests.actions import run as transact
from tests.bytecode import EMIT, assemble, word
from tests.conftest import GENESIS_TIME
from tests.vectors.block_fixtures import (
    NETWORKS,
    NO_ITEMS,
    STOP,
    WITH_REQUESTS,
    encoded,
    fixture,
    mined_node,
    opened_node,
)
from tests.vectors.block_tests import DEPOSIT_SIZE, DEPOSIT_WORDS, HEADER_FIELDS, BlockTestCase
from tests.vectors.runner import read_cases
from tests.vectors.state_tests import CaseResult

RECEIVER = Address(b"\x77" * 20)


def run(tmp_path: Path, value: dict[str, Any], engine: str = "fast") -> CaseResult:
    """The result of the only case of a fixture."""
    path = tmp_path / "test.json"
    path.write_text(json.dumps({"one": value}))
    (case,) = read_cases(path)
    assert isinstance(case, BlockTestCase)
    return case.run(engine)


def header_members(block: Block) -> dict[str, str]:
    """The header as fixtures write it."""
    values = [decode_string(each) for each in split_list(encode_header(block.header))]
    return {
        name: f"0x{value.hex()}" if kind is bytes else hex(int.from_bytes(value))
        for (name, kind), value in zip(HEADER_FIELDS.items(), values, strict=False)
    }


def invalid(block: Block, **changes: Any) -> dict[str, Any]:
    """A block whose header has other values, which are expected to be refused."""
    return {"rlp": f"0x{encoded(block, **changes).hex()}", "expectException": "BlockException.X"}


@pytest.fixture(scope="module")
def cancun() -> Node:
    """A node with blocks of Cancun."""
    return mined_node("cancun")


class TestRun:
    @pytest.mark.parametrize("engine", ["fast", "reference"])
    @pytest.mark.parametrize("hardfork", NETWORKS)
    def test_mined_blocks(self, tmp_path: Path, hardfork: str, engine: str) -> None:
        """Blocks that a node has mined are valid, and give its state."""
        node = mined_node(hardfork)

        result = run(tmp_path, fixture(node), engine)

        assert result.error is None
        assert result.state_root == node.chain.head.state_root

    @pytest.mark.parametrize(
        ("name", "change", "expected"),
        [
            ("state_root", bytes(32), "state_root mismatch"),
            ("receipt_root", bytes(32), "receipt_root mismatch"),
            ("transaction_root", bytes(32), "transaction_root mismatch"),
            ("bloom", 1, "bloom mismatch"),
            ("gas_used", 21_000, "gas_used mismatch"),
            ("gas_used", 2**40, "is above the limit"),
            ("gas_limit", 5_000, "[Gg]as limit"),
            ("timestamp", 1, "timestamp must be strictly later"),
            ("block_number", 9, "numbered consecutively"),
            ("base_fee_per_gas", 7, "base fee"),
            ("extra_data", bytes(33), "extra_data"),
            ("difficulty", 1, "Difficulty must be 0"),
            ("uncles_hash", bytes(32), "Uncles hash"),
            ("withdrawals_root", bytes(32), "the root of withdrawals is not"),
            ("blob_gas_used", 2**17, "the blob gas used is not that of 0 blobs"),
            ("excess_blob_gas", 2**17, "the excess blob gas is 131072, want 0"),
            ("parent_hash", bytes(32), "its parent is unknown"),
        ],
    )
    def test_invalid_header(
        self, tmp_path: Path, cancun: Node, name: str, change: Any, expected: str
    ) -> None:
        """A header with a wrong field is refused, and the chain goes on from the block before."""
        value, block = fixture(cancun), cancun.chain.block(1)
        wrong = invalid(block, **{name: change})
        as_valid = value | {"blocks": [wrong | {"expectException": None, "blockHeader": {}}]}

        value["blocks"].insert(0, wrong)

        error = run(tmp_path, as_valid).error or ""
        assert error.startswith("block 1 is rejected: ")
        assert expected.replace("[Gg]", "") in error.replace("Gas limit", "as limit").replace(
            "gas limit", "as limit"
        )
        assert run(tmp_path, value).error is None

    @pytest.mark.parametrize("hardfork", ["frontier", "byzantium"])
    def test_difficulty(self, tmp_path: Path, hardfork: str) -> None:
        """Before the Merge the difficulty follows from the parent's."""
        node = mined_node(hardfork)
        value = fixture(node)
        wrong = node.chain.block(1).header.difficulty + 1
        value["blocks"] = [invalid(node.chain.block(1), difficulty=wrong), *value["blocks"]]

        assert run(tmp_path, value).error is None

    @pytest.mark.parametrize("rlp", ["0x", "0xc0", "0x80", "0xc3c0c0c0", "0xff", "0xf90001"])
    def test_malformed(self, tmp_path: Path, cancun: Node, rlp: str) -> None:
        """What is no block is refused."""
        value = fixture(cancun)
        value["blocks"].insert(0, {"rlp": rlp})

        assert run(tmp_path, value).error is None

    def test_changed_bytes(self, tmp_path: Path, cancun: Node) -> None:
        """Whatever byte of its transactions is another one, a block is refused.

        One in the header is refused too, or is in a field that its miner may choose.
        """
        value, block = fixture(cancun), cancun.chain.block(1)
        whole, header = encoded(block), 3 + len(encode_header(block.header))
        rng = Random(7)  # noqa: S311  # the same bytes in each run
        for place in (*rng.sample(range(header, len(whole)), 80), *rng.sample(range(header), 40)):
            changed = bytearray(whole)
            changed[place] ^= rng.randint(1, 255)
            value["blocks"] = [{"rlp": f"0x{changed.hex()}"}]
            error = run(tmp_path, value).error or ""

            is_refused = error.startswith("last block hash mismatch")
            assert is_refused or (place < header and error.startswith("block 1 is accepted"))

    def test_not_canonical(self, tmp_path: Path, cancun: Node) -> None:
        """Numbers with zeros before them are refused."""
        value, block = fixture(cancun), cancun.chain.block(1)
        raw = encode_header(block.header)
        number = encode([1])[1:]
        assert raw.count(number + b"\x84") == 1  # the number, before a gas limit of four bytes
        padded = raw[3:].replace(number + b"\x84", b"\x82\0\1\x84")
        body = encoded(block)[3 + len(raw) :]
        value["blocks"].insert(0, {"rlp": f"0x{wrap(wrap(padded) + body).hex()}"})

        assert run(tmp_path, value).error is None

    def test_invalid_transaction(self, tmp_path: Path, cancun: Node) -> None:
        """A transaction with a wrong nonce makes its block invalid."""
        value = fixture(cancun)
        first, second = cancun.chain.block(1), cancun.chain.block(2)
        header = changed_header(
            first.header, transaction_root=list_root([second.transactions[0].raw])
        )
        body = wrap(second.transactions[0].in_block) + 2 * NO_ITEMS
        value["blocks"] = [
            {"rlp": f"0x{wrap(encode_header(header) + body).hex()}", "blockHeader": {}}
        ]

        assert "nonce" in (run(tmp_path, value).error or "").lower()

    @pytest.mark.parametrize("hardfork", ["byzantium", "london", "shanghai", "prague"])
    def test_genesis_header(self, tmp_path: Path, hardfork: str) -> None:
        """The genesis block may be given by its header's members alone."""
        node = mined_node(hardfork)
        value = fixture(node) | {"genesisBlockHeader": header_members(node.chain.block(0))}
        del value["genesisRLP"]

        assert run(tmp_path, value).error is None

    def test_accepted(self, tmp_path: Path, cancun: Node) -> None:
        """A valid block that should have been refused fails the test."""
        value = fixture(cancun)
        value["blocks"][0]["expectException"] = "BlockException.X"

        assert run(tmp_path, value).error == "block 1 is accepted, want 'BlockException.X'"

    def test_last_block(self, tmp_path: Path, cancun: Node) -> None:
        """Another last block than the fixture's is shown with both hashes."""
        value = fixture(cancun) | {"lastblockhash": f"0x{bytes(32).hex()}"}

        assert "last block hash mismatch: got " in (run(tmp_path, value).error or "")

    def test_post_state(self, tmp_path: Path, cancun: Node) -> None:
        """The accounts after the last block are compared if the fixture has them."""
        value = fixture(cancun)
        value["postState"] = value["pre"]
        unchanged = value | {"blocks": [], "lastblockhash": f"0x{cancun.chain.block(0).hash.hex()}"}

        assert "post state mismatch: got " in (run(tmp_path, value).error or "")
        assert run(tmp_path, unchanged).error is None

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_withdrawals(self, tmp_path: Path, engine: str) -> None:
        """Withdrawals are credited in gwei, and their root is checked (EIP-4895)."""
        node = mined_node("shanghai")
        value, first = fixture(node), node.chain.block(0)
        withdrawals = [Withdrawal(0, 1, RECEIVER, 5), Withdrawal(1, 1, RECEIVER, 7)]
        items = [encode(each) for each in withdrawals]
        node.set_balance(RECEIVER, 12 * 10**9)
        header = changed_header(
            node.chain.block(1).header,
            state_root=_root_with(value, {RECEIVER: 12 * 10**9}),
            transaction_root=first.header.transaction_root,
            receipt_root=first.header.receipt_root,
            gas_used=0,
            bloom=0,
            withdrawals_root=list_root(items),
        )
        block = wrap(encode_header(header) + 2 * NO_ITEMS + wrap(b"".join(items)))
        value["blocks"] = [{"rlp": f"0x{block.hex()}", "blockHeader": {}}]
        value["lastblockhash"] = f"0x{keccak(encode_header(header)).hex()}"

        assert run(tmp_path, value, engine).error is None


def _root_with(value: dict[str, Any], balances: dict[Address, int]) -> bytes:
    """The state root of a fixture's accounts and others with those balances."""
    from devchain.chain.genesis import read_accounts, write_accounts
    from devchain.state.state_database import open_database

    accounts = value["pre"] | {
        f"0x{address.hex()}": {"balance": hex(balance)} for address, balance in balances.items()
    }
    return write_accounts(open_database("reference"), read_accounts(accounts, "pre")).root


class TestRequests:
    """Requests to validators, since Prague: those that cannot be read make a block invalid."""

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    @pytest.mark.parametrize("hardfork", WITH_REQUESTS)
    @pytest.mark.parametrize("contract", REQUEST_CONTRACTS)
    @pytest.mark.parametrize(
        ("code", "error"),
        [
            ("7 0 MSTORE 32 0 RETURN", None),
            ("0 0 REVERT", "fails"),
            ("INVALID", "fails"),
            ("start: @start JUMP", "fails"),
            ("", "is missing"),
        ],
        ids=["output", "revert", "invalid", "out-of-gas", "missing"],
    )
    def test_contract(
        self,
        tmp_path: Path,
        hardfork: str,
        engine: str,
        contract: Address,
        code: str,
        error: str | None,
    ) -> None:
        """A contract of requests has to be there, and to end without error (EIP-7002, EIP-7251)."""
        codes = dict.fromkeys(REQUEST_CONTRACTS, STOP)
        if code:
            codes[contract] = assemble(code)
        else:
            del codes[contract]
        node = opened_node(hardfork, codes)
        node.mine()

        result = run(tmp_path, fixture(node), engine)

        if error is None:
            assert result.error is None
        else:
            start = "block 1 is rejected: the "
            assert (result.error or "").startswith(start)
            assert (result.error or "").endswith(f"system contract 0x{contract.hex()} {error}")

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    @pytest.mark.parametrize("at", [None, *DEPOSIT_WORDS, DEPOSIT_SIZE])
    def test_deposit(self, tmp_path: Path, engine: str, at: int | None) -> None:
        """The event of a deposit has one layout (EIP-6110): no other offset, size or length."""
        deposits = Address(DEPOSIT_CONTRACT_ADDRESS)
        codes = {**dict.fromkeys(REQUEST_CONTRACTS, STOP), deposits: EMIT}
        node = opened_node("prague", codes)
        data = bytearray(DEPOSIT_SIZE if at != DEPOSIT_SIZE else DEPOSIT_SIZE + 32)
        for place, value in DEPOSIT_WORDS.items():
            data[place : place + 32] = word(value + (place == at))
        for topic in (word(0), DEPOSIT_EVENT_SIGNATURE_HASH):  # the first one is no deposit
            transact(node, deposits, topic + word(1) + bytes(data))

        result = run(tmp_path, fixture(node, [deposits]), engine)

        wrong = "block 2 is rejected: the layout of a deposit's event is invalid"
        assert result.error == (None if at is None else wrong)


class TestTransition:
    def test_rules_change(self, tmp_path: Path) -> None:
        """From the block of the transition on, the later hardfork's rules are in force."""
        node = mined_node("london")
        as_berlin = fixture(node) | {"network": "BerlinToLondonAt0"}
        too_late = fixture(node) | {"network": "BerlinToLondonAt2"}

        assert run(tmp_path, as_berlin).error is None
        with pytest.raises(InvalidInput):  # a genesis block of London under Berlin's rules
            run(tmp_path, too_late)

    def test_time(self, tmp_path: Path) -> None:
        """A timestamp may stand in place of the number, in thousands too."""
        value = fixture(mined_node("cancun"))
        value["network"] = f"ShanghaiToCancunAtTime{GENESIS_TIME // 1_000}k"

        assert run(tmp_path, value).error is None


class TestUnsupported:
    @pytest.mark.parametrize(
        "network", ["Verkle", "HomesteadToDaoAt5", "ArrowGlacierToParisAtDiffC0000"]
    )
    def test_network(self, tmp_path: Path, cancun: Node, network: str) -> None:
        """Hardforks that are not known are named."""
        result = run(tmp_path, fixture(cancun) | {"network": network})

        assert not result.is_supported
        assert (result.error or "").startswith(f"unsupported fork '{network}'")

    def test_beside_the_head(self, tmp_path: Path, cancun: Node) -> None:
        """A block whose parent is not the head would be a fork of the chain."""
        value = fixture(cancun)
        value["blocks"].append(value["blocks"][1])

        result = run(tmp_path, value)
        assert (result.is_supported, result.error) == (
            False, "a block beside the head: forks of the chain are not supported",
        )  # fmt: skip

    def test_uncles(self, tmp_path: Path) -> None:
        """Blocks with uncles are not supported before the Merge, and are invalid after it."""
        node = mined_node("byzantium")
        value, block = fixture(node), node.chain.block(1)
        uncles = wrap(encode_header(block.header))
        header = changed_header(block.header, uncles_hash=keccak(uncles))
        transactions = wrap(b"".join(tx.in_block for tx in block.transactions))
        whole = wrap(encode_header(header) + transactions + uncles)
        value["blocks"].insert(0, {"rlp": f"0x{whole.hex()}", "expectException": "any"})

        assert run(tmp_path, value).error == "blocks with uncles are not supported"

    def test_engine_payloads(self, tmp_path: Path, cancun: Node) -> None:
        """Blocks that are payloads of the Engine API."""
        value = fixture(cancun)
        del value["blocks"]

        result = run(tmp_path, value | {"engineNewPayloads": [{"params": []}]})
        assert (result.is_supported, result.error) == (
            False, "tests of the Engine API are not supported",
        )  # fmt: skip

    def test_deadline(self, tmp_path: Path, cancun: Node) -> None:
        """A deadline that passes makes no block invalid."""
        value, block = fixture(cancun), cancun.chain.block(1)
        value["blocks"] = [{"rlp": f"0x{encoded(block).hex()}"}]
        times = count()

        with within(1, lambda: float(next(times))), pytest.raises(ExecutionTimedOut):
            run(tmp_path, value)

    def test_memory(self, tmp_path: Path, cancun: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """An execution that takes too much memory makes no block invalid."""
        monkeypatch.setattr("tests.vectors.state_tests.MEMORY_LIMIT", 0)

        result = run(tmp_path, fixture(cancun))
        assert not result.is_supported
        assert "bytes of memory is not supported" in (result.error or "")


class TestFixtures:
    @pytest.mark.parametrize(
        "change",
        [
            {"pre": {}},
            {"pre": 1},
            {"genesisRLP": "0x"},
            {"genesisRLP": 5},
            {"lastblockhash": None},
            {"blocks": [{"rlp": 1}]},
            {"blocks": [{}]},
            {"config": {"chainid": "x"}},
        ],
    )
    def test_wrong_members(self, tmp_path: Path, cancun: Node, change: dict[str, Any]) -> None:
        """Members of another form are an error that names the test."""
        with pytest.raises(InvalidInput, match=r"test\.json: one: "):
            run(tmp_path, fixture(cancun) | change)
