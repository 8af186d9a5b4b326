"""Dumps of forks: what was changed, and the fork block that they are loaded on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from devchain.client.http import connect
from devchain.errors import ConfigError, InvalidInput
from devchain.node import Node
from devchain.node.dump import unpack
from devchain.types import Address, Tag
from tests.accounts import ALICE, BOB, CAROL
from tests.actions import deploy, run, send
from tests.bytecode import DESTROY, STORE_AT, word
from tests.fork.upstreams import fork_of
from tests.scenarios import Step, persistent_fingerprint, run_scenario, scenarios

TIME = {"fixed_clock": 1_700_000_000}


@pytest.fixture
def upstream() -> Iterator[Node]:
    """A node to fork, at block 3, with a contract that stores."""
    with Node(**TIME) as node:
        store = deploy(node, STORE_AT)
        run(node, store, word(1) + word(9))
        send(node, CAROL, value=7)
        yield node


def test_what_was_changed(upstream: Node) -> None:
    """Another fork at that block gets blocks, state, edits and snapshots, and goes on from them."""
    store = upstream.chain.block(1).receipts[0].contract_address
    doomed = deploy(upstream, DESTROY)
    fork, _ = fork_of(upstream, **TIME)
    run(fork, store, word(1) + word(0))
    run(fork, doomed, word(0))
    snapshot = fork.snapshots.take()
    fork.set_balance(BOB, 11)
    fork.mine()
    fork.set_code(CAROL, b"\x00")
    dumped = fork.dump()
    assert len(unpack(dumped)["blocks"]) == 3

    other, _ = fork_of(upstream, balance=1, **TIME)
    other.mine(9)
    other.load(dumped)

    assert persistent_fingerprint(other) == persistent_fingerprint(fork)
    assert other.dump() == dumped
    state = other.chain.state_at(Tag.LATEST)
    assert (state.storage(store, 1), state.balance(BOB), state.code(CAROL)) == (0, 11, b"\x00")
    assert not state.exists(doomed)
    assert other.revert(snapshot)
    assert other.chain.state_at(Tag.LATEST).balance(ALICE) > 9_000 * 10**18


@settings(max_examples=10, phases=[Phase.generate])
@given(before=scenarios, middle=scenarios, after=scenarios)
def test_a_loaded_fork_is_as_the_dumped(
    before: list[Step], middle: list[Step], after: list[Step]
) -> None:
    """Drawn scenarios before the fork, the dump and after it."""
    with Node(**TIME) as node:
        run_scenario(node, before)
        fork, other = (fork_of(node, **TIME)[0] for _ in range(2))
        run_scenario(fork, middle)
        other.load(fork.dump())
        assert persistent_fingerprint(other) == persistent_fingerprint(fork)
        for each in (fork, other):
            run_scenario(each, after)
        assert persistent_fingerprint(other) == persistent_fingerprint(fork)


def test_at_start_and_exit(upstream: Node, tmp_path: Path) -> None:
    """`--dump-state` writes the file, `--load-state` reads it, also with a data dir."""
    file = str(tmp_path / "dump")
    with fork_of(upstream, dump_state=file, **TIME)[0] as fork:
        run(fork, BOB, value=3, sender=CAROL)
        head = fork.chain.head.hash
    kept = {"data_dir": str(tmp_path / "data"), "storage_caching": True, **TIME}
    with fork_of(upstream, load_state=file, **kept)[0] as fork:
        assert fork.chain.head.hash == head
    with Node(offline=True, **kept) as fork:
        assert fork.chain.head.hash == head
        assert fork.chain.state_at(Tag.LATEST).nonce(CAROL) == 1
    with pytest.raises(ConfigError, match="is not empty: leave --load-state out"):
        Node(offline=True, load_state=file, **kept)


def test_copies_and_snapshots_of_a_loaded_fork(upstream: Node) -> None:
    """They share the states that were loaded; each has its own changes."""
    fork, other = (fork_of(upstream, **TIME)[0] for _ in range(2))
    store = upstream.chain.block(1).receipts[0].contract_address
    run(fork, store, word(1) + word(5))
    other.load(fork.dump())
    snapshot = other.snapshots.take()
    copy = other.copy()
    run(other, store, word(1) + word(6))
    copy.load(copy.dump())
    run(copy, store, word(1) + word(7))
    for node, value in ((other, 6), (copy, 7), (fork, 5)):
        assert node.chain.state_at(Tag.LATEST).storage(store, 1) == value
    assert other.revert(snapshot)
    assert other.chain.state_at(Tag.LATEST).storage(store, 1) == 5
    other.close()
    copy.reset()
    assert copy.chain.state_at(Tag.LATEST).storage(store, 1) == 9


def test_over_json_rpc(upstream: Node) -> None:
    """`anvil_dumpState` and `anvil_loadState`."""
    fork, other = (fork_of(upstream, **TIME)[0] for _ in range(2))
    run(fork, BOB, value=3)
    client = connect(other)
    assert client.call("anvil_loadState", connect(fork).call("anvil_dumpState")) is True
    assert client.call("eth_blockNumber") == "0x4"


class TestRefused:
    def test_another_block(self, upstream: Node) -> None:
        """The sentence says which fork it needs; nothing has changed."""
        fork, _ = fork_of(upstream)
        other, _ = fork_of(upstream, fork_block_number=2, **TIME)
        before = persistent_fingerprint(other)
        with pytest.raises(
            InvalidInput,
            match=r"has fork {.*'number': 3, .*, this node {.*'number': 2, .* with --fork-url",
        ):
            other.load(fork.dump())
        assert persistent_fingerprint(other) == before

    def test_no_fork(self, upstream: Node, tmp_path: Path) -> None:
        """Dumps of forks and of chains of their own are apart."""
        fork, _ = fork_of(upstream)
        with pytest.raises(InvalidInput, match=r"has fork None, this node {'chain_id'"):
            fork.load(upstream.dump())
        with pytest.raises(InvalidInput, match=r"'number': 3, .* this node None: .*--fork-url"):
            upstream.load(fork.dump())
        file = tmp_path / "dump"
        file.write_bytes(fork.dump())
        with pytest.raises(ConfigError, match=r"load-state .*has fork {.*'number': 3"):
            Node(load_state=str(file))

    @pytest.mark.parametrize(
        "damage",
        [
            lambda dump: dump["nodes"].pop(),
            lambda dump: dump["blocks"].pop(0),
            lambda dump: dump["devchain"].update(fork={"number": []}),
            lambda dump: dump["devchain"].update(fork=[3]),
            lambda dump: dump.update(nodes=[each for each in dump["nodes"] if len(each) > 150]),
        ],
    )
    def test_damage(self, upstream: Node, damage: Any) -> None:
        """A damaged dump is refused, and nothing has changed."""
        fork, _ = fork_of(upstream)
        for value in range(3):
            run(fork, BOB, value=value)
        dump = unpack(fork.dump())
        damage(dump)
        other, _ = fork_of(upstream, balance=1, **TIME)  # so that it has nothing of the dump
        other.mine(2)
        before = persistent_fingerprint(other)
        with pytest.raises(InvalidInput):
            other.load(json.dumps(dump).encode())
        assert persistent_fingerprint(other) == before

    def test_genesis(self) -> None:
        """A genesis file has no place on a fork."""
        with pytest.raises(ConfigError, match=r"--init makes a genesis block, and a fork has"):
            Node(fork_url="http://upstream.example", init="genesis.json")


def test_accounts_of_anvil(upstream: Node) -> None:
    """They are written over the upstream's, which are asked for together."""
    accounts = {
        f"0x{number:040x}": {
            "nonce": 1,
            "balance": hex(number),
            "code": "0x00",
            "storage": {"0x1": "0x2"},
        }
        for number in range(0x10_000, 0x10_000 + 40)
    }
    fork, asked = fork_of(upstream)
    before = asked.round_trips
    connect(fork).call("anvil_loadState", f"0x{json.dumps({'accounts': accounts}).encode().hex()}")
    state = fork.chain.state_at(Tag.LATEST)
    address = Address(bytes.fromhex(f"{0x10_001:040x}"))
    assert (state.balance(address), state.storage(address, 1)) == (0x10_001, 2)
    assert asked.round_trips - before <= 4
