"""`devchain.chain.genesis`, and the chains that begin with one"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devchain.config import Config
from devchain.errors import ConfigError
from devchain.node import Node
from devchain.types import Tag
from tests.accounts import ALICE, ALICE_HEX, BOB, FUNDS, UNFUNDED
from tests.actions import run
from tests.bytecode import COUNTER
from tests.conftest import GENESIS_TIME

GENESIS: dict[str, Any] = {
    "config": {"chainId": 1234, "homesteadBlock": 0, "terminalTotalDifficulty": 0},
    "nonce": "0x42",
    "timestamp": "0x64",
    "extraData": "0xc0ffee",
    "gasLimit": "0x1c9c380",
    "difficulty": "0x400",
    "mixHash": "0x" + "0a" * 32,
    "coinbase": "0x" + "0c" * 20,
    "baseFeePerGas": "0x7",
    "alloc": {
        UNFUNDED.hex(): {
            "balance": "1000000000000000000",
            "nonce": "0x3",
            "code": f"0x{COUNTER.hex()}",
            "storage": {"0x" + "00" * 32: "0x" + "00" * 31 + "29"},
        },
        ALICE_HEX: {"balance": "0x5"},
    },
    "number": "0x0",
    "gasUsed": "0x0",
}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """The configuration of a node that starts from `GENESIS`."""
    return config_with_genesis(tmp_path, GENESIS)


def config_with_genesis(folder: Path, value: object, **options: Any) -> Config:
    """Write a genesis file; the configuration of a node that starts from it."""
    path = folder / "genesis.json"
    path.write_text(json.dumps(value))
    return Config(network="test", init=str(path), fixed_clock=GENESIS_TIME, **options)


class TestAlloc:
    def test_accounts(self, node: Node) -> None:
        """Accounts have the fields of the file; the node's other accounts are funded too."""
        state = node.chain.state_at(0)

        assert (state.balance(UNFUNDED), state.nonce(UNFUNDED)) == (10**18, 3)
        assert (state.balance(ALICE), state.balance(BOB)) == (5, FUNDS)
        run(node, UNFUNDED, sender=BOB)
        assert node.chain.state_at(Tag.LATEST).storage(UNFUNDED, 0) == 0x2A


class TestHeader:
    def test_rootstock(self, node: Node) -> None:
        """The genesis header has the file's fields, except the difficulty."""
        first = node.chain.block(0)

        assert (first.timestamp, first.gas_limit) == (100, 30_000_000)
        assert first.header.extra_data == bytes.fromhex("c0ffee")
        assert first.header.coinbase == b"\x0c" * 20
        assert first.header.difficulty == 1

    @pytest.mark.parametrize("hardfork", ["london", "prague"])
    def test_ethereum(self, config: Config, hardfork: str) -> None:
        """Under Ethereum's rules the file also sets difficulty, random value and base fee."""
        with Node(replace(config, hardfork=hardfork)) as node:
            header = node.chain.block(0).header
            assert (header.difficulty, header.base_fee_per_gas) == (0x400, 7)
            assert header.mix_hash == b"\x0a" * 32
            assert node.chain.block(0).total_difficulty == 0x400
            run(node, UNFUNDED, sender=BOB)
            assert node.chain.head.gas_limit == 30_000_000

    def test_chain_id(self, config: Config) -> None:
        """The chain id is taken from the file; another `--chain-id` is an error."""
        with Node(config) as node:
            assert node.config.effective_chain_id == 1234
        with pytest.raises(ConfigError, match=r"init has config.chainId 1234, but --chain-id is 7"):
            Node(replace(config, chain_id=7))

    def test_only_alloc(self, tmp_path: Path) -> None:
        """Every member except `alloc` is optional."""
        with Node(config_with_genesis(tmp_path, {"alloc": {}})) as node:
            assert node.config.effective_chain_id == 31
            assert node.chain.head.timestamp == GENESIS_TIME


class TestOnDisk:
    def test_again(self, config: Config, tmp_path: Path) -> None:
        """A chain on disk continues with the same file; a reset restores the file's accounts."""
        stored = replace(config, data_dir=str(tmp_path / "chain"))
        with Node(stored) as node:
            run(node, UNFUNDED, sender=BOB)
        with Node(stored) as again:
            assert again.chain.height == 1
            again.reset()
            assert again.chain.state_at(Tag.LATEST).storage(UNFUNDED, 0) == 0x29

    def test_another(self, config: Config, tmp_path: Path) -> None:
        """A chain on disk with another genesis block is refused."""
        stored = replace(config, data_dir=str(tmp_path / "chain"))
        Node(stored).close()
        config_with_genesis(tmp_path, {**GENESIS, "extraData": "0x"})
        with pytest.raises(ConfigError, match=r"has another genesis block than .*genesis.json"):
            Node(stored)


class TestRefusals:
    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ([], "the file: want a JSON object"),
            ({}, "alloc is missing"),
            ({"alloc": {"0x12": {}}}, "alloc.0x12: not an address"),
            ({"alloc": {"11" * 20: {"balance": -1}}}, "balance: want a number"),
            (
                {"alloc": {"11" * 20: {"balnce": "0x5"}}},
                r"alloc\.(11){20}: unknown member 'balnce': did you mean balance\?",
            ),
            (
                {"alloc": {"11" * 20: {"wei": "5"}}},
                "unknown member 'wei': known are balance, nonce, code, storage",
            ),
            ({"alloc": {}, "config": 7}, "config: want a JSON object"),
            ({"alloc": {}, "config": {"chainId": "x"}}, "config.chainId: want a number"),
            ({"alloc": {}, "config": {"chainId": 0}}, "chain-id 0 is out of range"),
            ({"alloc": {}, "timestamp": "now"}, "timestamp: want a number"),
            ({"alloc": {}, "gasLimit": "0x1"}, "gas-limit 1 is out of range"),
            ({"alloc": {}, "coinbase": "0x12"}, "coinbase: want 20 bytes, got 1"),
            ({"alloc": {}, "mixHash": "0x12"}, "mixHash: want 32 bytes, got 1"),
            ({"alloc": {}, "extraData": "text"}, "extraData: want 0x and"),
        ],
        ids=str,
    )
    def test_named(self, tmp_path: Path, value: object, message: str) -> None:
        """An invalid member is named in the error."""
        with pytest.raises(ConfigError, match=message):
            Node(config_with_genesis(tmp_path, value))

    def test_other_programs(self, tmp_path: Path) -> None:
        """What other programs write besides is ignored, and so are comments."""
        account = {"balance": "0x5", "secretKey": "0x1", "//": "the miner", "comment": ""}
        file = GENESIS | {"alloc": {ALICE_HEX: account}, "clique": {}, "excessBlobGas": "0x0"}
        with Node(config_with_genesis(tmp_path, file)) as node:
            assert node.balance(ALICE) == 5

    def test_no_file(self, config: Config, tmp_path: Path) -> None:
        """A file that is missing or not JSON is named in the error."""
        with pytest.raises(ConfigError, match="init nowhere cannot be read: No such file"):
            Node(replace(config, init="nowhere"))
        (tmp_path / "genesis.json").write_text("{")
        with pytest.raises(ConfigError, match=r"genesis.json: "):
            Node(config)
