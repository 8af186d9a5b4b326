"""`devchain.node.node_persistence`: a node on its data dir"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.types import Hash32, MineRequest, Tag, TransactionRequest
from tests.accounts import ALICE, ALICE_HEX, BOB, CAROL
from tests.actions import deploy, kill, reopen, run
from tests.bytecode import EMIT, REVERT, error_payload, word
from tests.conftest import GENESIS_TIME
from tests.scenarios import Step, history, persistent_fingerprint, run_scenario, scenarios


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A node with a data dir."""
    return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path))


class TestReopening:
    @settings(max_examples=8)
    @given(scenarios, scenarios)
    def test_scenario(self, before: list[Step], after: list[Step]) -> None:
        """A node that is started again continues as one that kept running, with equal hashes."""
        plain = Config(network="test", fixed_clock=GENESIS_TIME)
        with TemporaryDirectory() as folder:
            stored, other = Node(replace(plain, data_dir=folder)), Node(plain)
            for node in (stored, other):
                run_scenario(node, before)
            with reopen(stored) as again:
                assert persistent_fingerprint(again) == persistent_fingerprint(other)
                assert history(again) == history(other)

                for node in (again, other):
                    run_scenario(node, after)
                with reopen(again) as last:
                    assert persistent_fingerprint(last) == persistent_fingerprint(other)

    @pytest.mark.parametrize(
        "options",
        [
            {"hardfork": "prague", "chain_id": 31337},
            {"hardfork": "frontier"},
            {"remasc": True},
        ],
        ids=str,
    )
    def test_rules(self, config: Config, options: dict[str, Any]) -> None:
        """Blocks are read as they were written, under any rules."""
        with Node(replace(config, **options)) as node:
            contract = deploy(node, EMIT)
            run(node, contract, word(1) * 3)
            run(node, deploy(node, REVERT), error_payload("no"))
            node.mine(MineRequest(blocks=3))
            expected, past = persistent_fingerprint(node), history(node)

            with reopen(node) as again:
                assert persistent_fingerprint(again) == expected
                assert history(again) == past


class TestPersist:
    def test_every_write(self, config: Config) -> None:
        """What a request changes is in the file before its response."""
        node = Node(config)
        serve = Dispatcher(node).serve_now
        bodies = [
            {"method": "evm_stopMining"},
            {"method": "evm_increaseTime", "params": [1000]},
            {"method": "eth_sendTransaction", "params": [{"from": _hex(ALICE), "to": _hex(BOB)}]},
            {"method": "hardhat_setBalance", "params": [_hex(CAROL), "0x7"]},
            {"method": "evm_snapshot"},
            {"method": "personal_newAccountWithSeed", "params": ["cow"]},
            {"method": "evm_mine"},
            {"method": "evm_revert", "params": ["0x1"]},
        ]
        for body in bodies:
            answer = serve(json.dumps({"jsonrpc": "2.0", "id": 1, **body}).encode())
            assert answer is not None
            assert b"error" not in answer
            expected = persistent_fingerprint(node)
            kill(node)
            node = Node(config)
            serve = Dispatcher(node).serve_now
            assert persistent_fingerprint(node) == expected, body
        node.close()


class TestMining:
    def test_defaults(self, config: Config) -> None:
        """A start without options goes on as the one before, whose options were others."""
        with Node(replace(config, mining=False)):
            pass
        with Node(config) as again:
            assert not again.miner.running
            again.miner.set_interval(2.0)
        with Node(replace(config, coinbase=ALICE_HEX)) as again:
            assert (again.miner.running, again.miner.block_time) == (True, 2.0)
            assert again.miner.coinbase == ALICE

    @pytest.mark.parametrize(
        ("options", "mode"),
        [
            ({"mining": True}, (True, True, None)),
            ({"mining": False}, (False, True, None)),
            ({"block_time": 3.0}, (True, False, 3.0)),
        ],
    )
    def test_options(self, config: Config, options: dict[str, Any], mode: tuple[Any, ...]) -> None:
        """Options at a start override what callers have set before, and the options then."""
        with Node(replace(config, **options)) as node:
            node.miner.set_interval(7.0)
            node.miner.running = not mode[0]
            dumped = node.dump()

        for each in (config, replace(config, data_dir=None)):
            with Node(replace(each, **options)) as again:
                if not each.data_dir:
                    again.load(dumped)
                found = again.miner.checkpoint()
                assert (found.running, found.automine, found.block_time) == mode

    @pytest.mark.parametrize(("options", "mined"), [({"mining": True}, 1), ({}, 0)])
    def test_what_waits(self, config: Config, options: dict[str, Any], mined: int) -> None:
        """Waiting transactions are mined by a start with `--mining`; otherwise they wait on."""
        with Node(replace(config, mining=False)) as node:
            node.send(TransactionRequest(ALICE, BOB))
        for _ in range(2):  # it has been persisted
            with Node(replace(config, **options)) as again:
                assert (again.block_number, len(again.mempool.pending())) == (mined, 1 - mined)


KILLED = """
import sys
from devchain.config import Config
from devchain.node import Node
from devchain.types import TransactionRequest

node = Node(Config(network="test", data_dir=sys.argv[1]))
request = TransactionRequest(*node.accounts.addresses()[:2], value=1)
while True:
    print(node.send(request).hex(), flush=True)
"""


class TestKilled:
    def test_answered_blocks(self, config: Config, tmp_path: Path) -> None:
        """A node that was killed starts again with every transaction that it has confirmed."""
        sent_hashes: list[str] = []
        for count in (1, 30):
            with subprocess.Popen(
                [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
            ) as process:
                assert process.stdout
                sent_hashes += islice(process.stdout, count)
                process.kill()
                sent_hashes += process.stdout.read().split("\n")[:-1]

        with Node(replace(config, fixed_clock=None)) as node:
            hashes = [Hash32(bytes.fromhex(line)) for line in sent_hashes]
            assert [each for each in hashes if node.chain.receipt(each) is None] == []
            sent = node.nonce(ALICE, Tag.LATEST)
            assert len(hashes) <= sent <= len(hashes) + 2

    def test_mocks(self, config: Config) -> None:
        """A block is on disk with the mocks that it was mined with: its replay has them."""
        for act in (
            lambda node: node.mock_call(BOB, returns=word(1)),
            lambda node: node.mock_call(BOB, returns=word(2)),
            lambda node: node.clear_mocks(),
        ):
            node = Node(config)
            act(node)
            node.miner.mine()  # and nothing after it is persisted
            expected = node.chain.mocks, node.chain.mock_changes
            kill(node)
            with Node(config) as node:
                assert (node.chain.mocks, node.chain.mock_changes) == expected

        assert [number for number, _ in expected[1]] == [1, 2, 3]

    def test_mocks_of_removed_blocks(self, config: Config) -> None:
        """The mocks of a block that is gone are not those of the next block of its number."""
        node = Node(config)
        node.mock_call(BOB, returns=word(1))
        node.mine(2)
        node.persist()
        node.chain.truncate(0)  # and nothing after it is persisted
        kill(node)

        with Node(config) as node:
            assert node.chain.mock_changes == ()
            node.clear_mocks()
            node.mine()
            assert node.chain.mock_changes == ()

    def test_mocks_put_back(self, config: Config) -> None:
        """Blocks that replace others for a while have their own mocks on disk, too."""
        node = Node(config)
        node.mock_call(BOB, returns=word(1))
        node.mine()
        node.clear_mocks()
        node.mine()
        expected = node.chain.mock_changes
        removed = node.chain.truncate(0)
        node.miner.mine()
        node.chain.put_back_blocks(removed)  # and nothing after it is persisted
        kill(node)

        with Node(config) as node:
            assert node.chain.mock_changes == expected


def _hex(value: bytes) -> str:
    return f"0x{value.hex()}"
