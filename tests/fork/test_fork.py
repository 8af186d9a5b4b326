"""A fork of a node: what it reads, how often it asks, and what stays on its side."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from devchain.client.http import LocalClient, connect
from devchain.errors import (
    ConfigError,
    NotInForkCache,
    RpcFailure,
    UpstreamUnreachable,
    VmError,
)
from devchain.node import Node
from devchain.types import Address, Tag, TransactionRequest
from devchain.upstream.fork_cache_file import CacheFile
from devchain.upstream.queries import upstream_query
from tests.accounts import ALICE, ALICE_HEX, BOB, CAROL
from tests.actions import deploy, run, send
from tests.bytecode import COUNTER, DESTROY, REVERT, STORE_AT, assemble, word
from tests.chain.upstream import NodeUpstream
from tests.fork.upstreams import fork_of

TOKEN = assemble(
    # balanceOf(holder): word 0; move(from, to, amount): words 0, 1, 2
    "CALLDATASIZE 32 EQ @balance JUMPI"
    " 0 CALLDATALOAD SLOAD 64 CALLDATALOAD SWAP1 SUB 0 CALLDATALOAD SSTORE"
    " 32 CALLDATALOAD SLOAD 64 CALLDATALOAD ADD 32 CALLDATALOAD SSTORE STOP"
    " balance: 0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN"
)


@pytest.fixture
def upstream() -> Iterator[Node]:
    """A node to fork."""
    with Node(fixed_clock=1_700_000_000) as node:
        yield node


def token_on(node: Node) -> Address:
    """A token on that node, of which holder 99 has 100."""
    token = deploy(node, TOKEN)
    run(node, token, word(99) + word(1) + word((1 << 256) - 100))  # slot 99 is 100 then
    return token


def balance_of(node: Node, token: Address, holder: int) -> int:
    """What a holder has of a token."""
    return int.from_bytes(node.call(TransactionRequest(to=token, data=word(holder))), "big")


def test_accounts_contracts_and_slots_are_those_of_the_upstream(upstream: Node) -> None:
    """The fork begins with the chain and the state of the upstream."""
    token = token_on(upstream)
    send(upstream, CAROL, value=7)
    fork, _ = fork_of(upstream)
    assert fork.chain.height == upstream.chain.height
    assert fork.chain.head.hash == upstream.chain.head.hash
    assert fork.chain.state_at(Tag.LATEST).code(token) == TOKEN
    assert balance_of(fork, token, 99) == 100


def test_a_call_and_a_transfer_take_eight_requests_in_three_round_trips(upstream: Node) -> None:
    """Speculative execution finds what is needed; what is known is not asked again."""
    token = token_on(upstream)
    fork, asked = fork_of(upstream)
    assert (asked.requests, asked.round_trips) == (4, 2)
    assert balance_of(fork, token, 99) == 100
    assert run(fork, token, word(99) + word(5) + word(40)).succeeded
    assert asked.requests - 4 <= 8
    assert asked.round_trips - 2 <= 3
    before = asked.requests
    assert (balance_of(fork, token, 99), balance_of(fork, token, 5)) == (60, 40)
    assert asked.requests == before


def test_what_is_changed_here_stays_here(upstream: Node) -> None:
    """A reset returns to the fork block."""
    token = token_on(upstream)
    fork, _ = fork_of(upstream)
    run(fork, token, word(99) + word(5) + word(100))
    assert balance_of(fork, token, 99) == 0
    assert balance_of(upstream, token, 99) == 100
    fork.reset()
    assert fork.chain.height == upstream.chain.height
    assert balance_of(fork, token, 99) == 100


def test_a_cleared_slot_and_a_destroyed_contract_do_not_come_back(upstream: Node) -> None:
    """Zero and nothing are kept as such."""
    store, doomed = deploy(upstream, STORE_AT), deploy(upstream, DESTROY)
    run(upstream, store, word(1) + word(9))
    fork, _ = fork_of(upstream)
    run(fork, store, word(1) + word(0))
    run(fork, doomed, word(0))
    for _ in range(2):
        state = fork.chain.state_at(Tag.LATEST)
        assert state.storage(store, 1) == 0
        assert state.code(doomed) == b""
        assert not state.exists(doomed)
        fork.mine()


def test_equal_states_have_equal_roots(upstream: Node) -> None:
    """A slot that has its old value again is as if it had never been changed."""
    store = deploy(upstream, STORE_AT)
    run(upstream, store, word(1) + word(9))
    fork, _ = fork_of(upstream)
    fork.mine()
    before = fork.chain.head.state_root
    run(fork, store, word(1) + word(0), sender=BOB)
    changed = fork.chain.head.state_root
    assert changed != before
    run(fork, store, word(1) + word(9), sender=BOB)
    again, _ = fork_of(upstream)
    again.mine()
    for _ in range(2):
        run(again, CAROL, sender=BOB)
    assert fork.chain.state_at(Tag.LATEST).storage(store, 1) == 9
    assert fork.chain.head.state_root == again.chain.head.state_root


def test_blocks_continue_those_of_the_upstream(upstream: Node) -> None:
    """Numbers, parents and BLOCKHASH cross the fork."""
    upstream.mine(5)
    fork, _ = fork_of(upstream)
    fork.mine(2)
    assert [fork.chain.block(number).hash for number in range(6)] == [
        upstream.chain.block(number).hash for number in range(6)
    ]
    assert fork.chain.block(6).parent_hash == upstream.chain.head.hash
    recent = deploy(fork, assemble("0 CALLDATALOAD NUMBER SUB BLOCKHASH 0 MSTORE 32 0 RETURN"))
    answer = fork.call(TransactionRequest(to=recent, data=word(4)))
    assert answer == fork.chain.block(fork.chain.height - 4).hash


def test_copies_and_snapshots_share_what_was_read(upstream: Node) -> None:
    """Each has its own changes."""
    counter = deploy(upstream, COUNTER)
    run(upstream, counter)
    fork, asked = fork_of(upstream)
    snapshot = fork.snapshots.take()
    run(fork, counter)
    copy = fork.copy()
    before = asked.requests
    run(copy, counter)
    assert copy.chain.state_at(Tag.LATEST).storage(counter, 0) == 3
    assert fork.chain.state_at(Tag.LATEST).storage(counter, 0) == 2
    assert fork.revert(snapshot)
    assert fork.chain.state_at(Tag.LATEST).storage(counter, 0) == 1
    assert asked.requests == before


def test_proofs_are_those_of_the_upstream(upstream: Node) -> None:
    """At blocks up to the fork, of accounts that are as they were there."""
    counter = deploy(upstream, COUNTER)
    run(upstream, counter)
    ours, theirs = LocalClient(fork_of(upstream)[0]), LocalClient(upstream)
    head = theirs.call("eth_blockNumber")
    for block in ("latest", head, hex(int(head, 16) - 1)):
        wanted = [f"0x{counter.hex()}", ["0x0", "0x1"], block]
        assert ours.call("eth_getProof", *wanted) == theirs.call("eth_getProof", *wanted)


def test_other_proofs_are_refused(upstream: Node) -> None:
    """Of an account that was funded or changed, of a later block, of too many slots."""
    counter = deploy(upstream, COUNTER)
    fork, _ = fork_of(upstream)
    client, address = LocalClient(fork), f"0x{counter.hex()}"
    for refused, slots in ((ALICE_HEX, []), (address, ["0x0"] * 1_025)):
        with pytest.raises(RpcFailure, match=r"proofs only of earlier blocks|at most 1024 slots"):
            client.call("eth_getProof", refused, slots)
    before = client.call("eth_blockNumber")
    run(fork, counter)
    with pytest.raises(RpcFailure, match="proofs only of earlier blocks"):
        client.call("eth_getProof", address, [])
    assert client.call("eth_getProof", address, [], before)["address"] == address


def test_storage_values_come_together(upstream: Node) -> None:
    """Slots of several accounts take one round trip."""
    counters = [deploy(upstream, COUNTER) for _ in range(3)]
    for counter in counters:
        run(upstream, counter)
    fork, asked = fork_of(upstream)
    before = asked.round_trips
    wanted = {f"0x{counter.hex()}": ["0x0", "0x1"] for counter in counters}

    found = LocalClient(fork).call("eth_getStorageValues", wanted)

    assert found == {address: [f"0x{value:064x}" for value in (1, 0)] for address in wanted}
    assert asked.round_trips <= before + 2


def test_the_last_node_closes_the_upstream(upstream: Node) -> None:
    """A copy goes on reading when the original is closed."""
    send(upstream, Address(b"w" * 20), value=7)
    fork, asked = fork_of(upstream)
    copy = fork.copy()
    fork.close()
    assert not asked.is_closed
    assert copy.chain.state_at(Tag.LATEST).balance(Address(b"w" * 20)) == 7
    copy.close()
    assert asked.is_closed


def test_accounts_are_funded_whatever_they_have_upstream(upstream: Node) -> None:
    """Nonces are those of the upstream."""
    send(upstream, CAROL, value=10**18)
    fork, asked = fork_of(upstream, balance=5)
    assert fork.chain.state_at(Tag.LATEST).balance(ALICE) == 5 * 10**18
    assert fork.chain.state_at(Tag.LATEST).nonce(ALICE) == 1
    assert asked.requests == 5


@pytest.mark.parametrize(
    ("version", "number"),
    [
        (None, 20),
        ("anvil/v1.7.1", 20),
        ("HardhatNetwork/2.29.1/@nomicfoundation/edr/0.12", 20),
        ("Geth/v1.16.2/linux-amd64/devchain", 20),
        ("RskJ/9.0.1/Linux/Java17/VETIVER", 8),
        ("refused", 8),
        (7, 8),
    ],
    ids=str,
)
def test_where_a_fork_begins(version: object, number: int) -> None:
    """12 blocks before the newest one, which may be reorganised unless it is a development node."""
    with Node(network="test", fixed_clock=1_700_000_000) as node:
        node.mine(20)
        asked = NodeUpstream(node, {"web3_clientVersion"} if version == "refused" else ())
        if version not in (None, "refused"):
            asked.answers["web3_clientVersion"] = version
        fork, _ = fork_of(node, asked)
        assert fork.chain.height == number


def test_an_upstream_that_is_down(upstream: Node, tmp_path: Path) -> None:
    """The error says how to use what is recorded of the chain without it."""
    cache = tmp_path / "forks.sqlite"
    nowhere = {"fork_url": ("http://127.0.0.1:9",), "fork_cache": str(cache), "retries": 0}
    for number in (0, 1):
        fork_of(upstream, fork_cache=str(cache), fork_block_number=number)[0].close()
        upstream.mine()
    hint = f"without the node, start with --offline --fork-cache {cache} --fork-block-number"

    with pytest.raises(
        UpstreamUnreachable,
        match=f"block 0 of chain 33 and block 1 of chain 33: {hint} 1, in",
    ):
        Node(**nowhere)
    with pytest.raises(UpstreamUnreachable, match=f"has block 0 of chain 33: {hint} 0, in"):
        Node(**nowhere, fork_block_number=0)
    with pytest.raises(UpstreamUnreachable, match=r"\): check the URL$"):
        Node(**nowhere, fork_block_number=7)
    with closing(CacheFile(cache)) as file:
        second = file.forks()[1].fork
        file.save(
            second._replace(hash=bytes(32)), {upstream_query("eth_getBalance", "0x", "0x1"): "0x7"}
        )
    with pytest.raises(UpstreamUnreachable, match=f"has block 0 of chain 33: {hint} 0, in"):
        Node(**nowhere)


def test_another_block_offline(upstream: Node, tmp_path: Path) -> None:
    """Offline, a block that is not recorded is an error that names those that are."""
    cache = tmp_path / "forks.sqlite"
    fork_of(upstream, fork_cache=str(cache), fork_block_number=0)[0].close()

    with pytest.raises(
        ConfigError, match="has no fork at block 5, only at block 0 of chain 33: name that block"
    ):
        Node(offline=True, fork_cache=str(cache), fork_block_number=5)


class TestRules:
    def test_of_a_devchain_with_the_test_network_s_id(self) -> None:
        """A block of a low number has the newest rules there, as the node says, and so here."""
        with Node(network="test", fixed_clock=1_700_000_000) as node:
            pushes_zero = deploy(node, bytes.fromhex("5f5f5260205ff3"))
            fork, _ = fork_of(node, fork_block_number=1)
            assert fork.config.hardfork == node.config.hardfork
            assert fork.call(TransactionRequest(to=pushes_zero)) == bytes(32)
            creation = node.chain.block(1).transactions[0].hash
            top = fork.explainer.transaction_frames(creation)
            assert top
            assert top.error is None

    def test_of_the_test_network(self) -> None:
        """They are those of the block's height."""
        with Node(network="test", client_version="RskJ/9.0.1") as node:
            fork, _ = fork_of(node)
            assert fork.config.hardfork == "wasabi"

    @pytest.mark.parametrize(("chosen", "warnings"), [({}, 1), ({"hardfork": "prague"}, 0)])
    def test_of_another_chain(
        self, chosen: dict[str, str], warnings: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        """A fork of a chain that is not Rootstock's warns of its rules, unless these are chosen."""
        with Node(chain_id=31337) as node:
            fork_of(node, **chosen)

        texts = [each for each in caplog.messages if "the fork has the rules of" in each]
        assert len(texts) == warnings

    def test_that_are_wanted(self) -> None:
        """Others than the newest are in force on any chain."""
        with Node(network="test") as node:
            fork, _ = fork_of(node, hardfork="iris")
            assert fork.config.hardfork == "iris"


def test_a_name_is_no_reason_to_ask(
    upstream: Node, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Offline a failure is explained though the code of an address in it is not recorded."""
    reverting = deploy(upstream, REVERT)
    cache = tmp_path / "forks.sqlite"
    options = {"storage_caching": True, "fork_cache": str(cache)}
    with fork_of(upstream, **options)[0] as recording, pytest.raises(VmError):
        recording.call(TransactionRequest(to=reverting))
    with Node(offline=True, fork_cache=str(cache)) as offline:
        for _ in range(2):
            assert offline.explainer.names().code_at(Address(b"z" * 20)) == b""
        (record,) = caplog.records
        assert record.getMessage().startswith("contracts are shown without their names: the code")
        with pytest.raises(NotInForkCache):
            offline.chain.state_at(Tag.LATEST).code(Address(b"z" * 20))


def test_slots_of_an_account_without_code(upstream: Node) -> None:
    """Init code may write to storage and leave no code; it is asked for, since it is not zero."""
    created = run(upstream, None, assemble("7 1 SSTORE 0 0 RETURN")).contract_address
    assert created
    upstream.set_storage(BOB, 3, 9)
    fork, _ = fork_of(upstream)
    state = fork.chain.state_at(Tag.LATEST)
    assert state.code(created) == state.code(BOB) == b""
    assert (state.storage(created, 1), state.storage(BOB, 3)) == (7, 9)


def test_slots_of_what_is_created_here_are_not_asked_for(upstream: Node) -> None:
    """A new contract has no storage upstream."""
    fork, asked = fork_of(upstream)
    made = deploy(fork, STORE_AT)
    run(fork, made, word(5) + word(6))
    assert fork.chain.state_at(Tag.LATEST).storage(made, 5) == 6
    assert "eth_getStorageAt" not in asked.methods()


def test_the_reference_engine_mines_on_a_fork(upstream: Node) -> None:
    """Its blocks are the fast engine's."""
    counter = deploy(upstream, COUNTER)
    forks = [
        fork_of(upstream, engine=engine, fixed_clock=1_700_000_100)[0]
        for engine in ("fast", "reference")
    ]
    for fork in forks:
        assert run(fork, counter).succeeded
        fork.mine()
    assert forks[0].chain.head.hash == forks[1].chain.head.hash


def test_hashes_of_blocks_that_have_to_be_fetched(upstream: Node) -> None:
    """BLOCKHASH returns them, not zero, after a request was begun anew."""
    upstream.mine(9)
    recent = deploy(upstream, assemble("0 CALLDATALOAD BLOCKHASH 0 MSTORE 32 0 RETURN"))
    fork, _ = fork_of(upstream)
    client = connect(fork)
    for number in (9, 3, 0):
        call = {"to": f"0x{recent.hex()}", "data": f"0x{word(number).hex()}"}
        found = client.call("eth_call", call, "latest")
        assert found == f"0x{upstream.chain.block(number).hash.hex()}"
