"""`devchain.evm.rootstock.precompiles.bridge.peg_outs`"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest
from eth_abi.abi import encode
from eth_hash.auto import keccak
from eth_keys import keys

from devchain.client import LocalClient, connect
from devchain.config import Config
from devchain.evm.rootstock.precompiles.bitcoin import base58check
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.evm.rules import MAX_RBTC
from devchain.node import Node
from tests.accounts import ALICE, ALICE_HEX, ALICE_KEY, UNFUNDED_HEX
from tests.bytecode import word
from tests.conftest import GENESIS_TIME
from tests.evm.rootstock.precompiles.bridge.calls import (
    VALID_ADDRESS,
    account,
    call,
    number,
    topic,
)
from tests.evm.rootstock.precompiles.calling import (
    BRIDGE,
    CALLER,
    Log,
    Machine,
    dynamic,
    selector,
    unpack,
)

MAIN, TEST, LOCAL = Machine(chain_id=30), Machine(chain_id=31), Machine()
BRIDGE_HEX = f"0x{ADDRESS.hex()}"
RELEASE = "releaseBtc()"
SATOSHI = 10**10

REJECTED = "release_request_rejected(address,uint256,int256)"
RECEIVED = "release_request_received(address,string,uint256)"
ADDRESS_DATA = dynamic(VALID_ADDRESS)
LOW_AMOUNT, CALLER_CONTRACT, FEE_ABOVE_VALUE = 1, 2, 3

KEY_HASH = hashlib.new(
    "ripemd160",
    hashlib.sha256(keys.PrivateKey(ALICE_KEY).public_key.to_compressed_bytes()).digest(),
).digest()
"""The hash in the Bitcoin address of ALICE's key."""


def rejection(sender: bytes, amount: int, reason: int) -> tuple[Log, ...]:
    """The log of a rejected request."""
    return (Log((topic(REJECTED), int.from_bytes(sender, "big")), word(amount) + word(reason)),)


class TestRejections:
    @pytest.mark.parametrize(
        ("chain_id", "minimum", "reason"),
        [(30, 2_104_200, FEE_ABOVE_VALUE), (31, 250_000, LOW_AMOUNT), (33, 250_000, LOW_AMOUNT)],
        ids=["main", "test", "local"],
    )
    @pytest.mark.parametrize("payload", [b"", selector(RELEASE)], ids=["plain", "method"])
    def test_small_value(self, chain_id: int, minimum: int, reason: int, payload: bytes) -> None:
        """A value below the network's minimum is sent back; on mainnet the fee is larger."""
        machine = Machine(chain_id=chain_id, local_call=False)
        before, value = machine.state.get_balance(CALLER), minimum * SATOSHI - 1
        outcome = machine.call(BRIDGE, payload, value=value)

        assert (outcome.error, outcome.output) == (None, b"")
        assert outcome.gas == 23_000 + 2 * len(payload)
        assert outcome.logs == rejection(CALLER, value, reason)
        assert machine.state.get_balance(CALLER) == before
        assert machine.state.get_balance(ADDRESS) == 0

    def test_contract(self) -> None:
        """A contract, which has no Bitcoin address, is rejected, and the Bridge keeps the RBTC."""
        machine = Machine(local_call=False)
        outcome = call(machine, RELEASE, value=10**18, depth=1)

        assert outcome.error is None
        assert outcome.logs == rejection(CALLER, 10**18, CALLER_CONTRACT)
        assert machine.state.get_balance(ADDRESS) == 10**18

    def test_before_lovell(self) -> None:
        """Before Lovell the log is in satoshis, and only whole satoshis are sent back."""
        machine = Machine("arrowhead", local_call=False)
        outcome = machine.call(BRIDGE, value=7 * SATOSHI + 5)

        assert outcome.logs == rejection(CALLER, 7, LOW_AMOUNT)
        assert machine.state.get_balance(ADDRESS) == 5

    def test_fee_before_hop(self) -> None:
        """On mainnet under Iris the estimated size of a peg-out is larger by the outputs."""
        size = 4 + 2 * (40 + 1 + 513 + 8 * 72) + 2 * 35
        minimum = 500 * size * 180 // 100
        machine = Machine("iris", chain_id=30)

        for satoshis, logs in [(minimum - 1, 1), (minimum, 0)]:
            assert len(machine.call(BRIDGE, value=satoshis * SATOSHI).logs) == logs

    def test_before_iris(self) -> None:
        """Before Iris a value up to the minimum is kept, without a log or a request."""
        machine = Machine("papyrus", local_call=False)
        outcome = machine.call(BRIDGE, value=500_000 * SATOSHI)

        assert (outcome.error, outcome.logs) == (None, ())
        assert machine.state.get_balance(ADDRESS) == 500_000 * SATOSHI

    def test_contract_before_iris(self) -> None:
        """Before Iris a contract's request fails."""
        outcome = call(Machine("papyrus"), RELEASE, value=1, depth=1)

        assert "a contract cannot request a peg-out" in str(outcome.error)


@pytest.fixture(params=["fast", "reference"])
def engine(request: pytest.FixtureRequest) -> str:
    """Both engines."""
    return str(request.param)


@pytest.fixture
def node(engine: str) -> Iterator[Node]:
    """A local chain whose only account is ALICE's."""
    with Node(Config(engine=engine, fixed_clock=GENESIS_TIME, accounts=1)) as node:
        yield node


@pytest.fixture
def client(node: Node) -> LocalClient:
    """A client of the node."""
    return connect(node)


def ask(client: LocalClient, signature: str) -> bytes:
    """The output of an `eth_call` of a method."""
    data = f"0x{selector(signature).hex()}"
    answer = client.call("eth_call", {"to": BRIDGE_HEX, "data": data}, "latest")
    return bytes.fromhex(answer[2:])


def send(
    client: LocalClient, value: int, sender: str = ALICE_HEX, **fields: str
) -> dict[str, object]:
    """The receipt of a plain transfer to the Bridge."""
    tx = {"from": sender, "to": BRIDGE_HEX, "value": hex(value), "gas": hex(100_000)} | fields
    receipt: dict[str, object] = client.call(
        "eth_getTransactionReceipt", client.call("eth_sendTransaction", tx)
    )
    return receipt


class TestRequests:
    def test_queued(self, client: LocalClient) -> None:
        """A large enough transfer is queued for the Bitcoin address of the sender's key."""
        value = 250_000 * SATOSHI + 3
        receipt = send(client, value)

        to = base58check(b"\x6f" + KEY_HASH)
        assert (receipt["status"], receipt["gasUsed"]) == ("0x1", hex(44_000))
        assert receipt["logs"] == [
            {
                **receipt["logs"][0],  # type: ignore[index]
                "address": BRIDGE_HEX,
                "topics": [f"0x{topic(RECEIVED):064x}", f"0x{ALICE.hex():0>64}"],
                "data": f"0x{encode(['string', 'uint256'], [to, value]).hex()}",
            }
        ]
        assert client.call("eth_getBalance", BRIDGE_HEX, "latest") == hex(MAX_RBTC + value)
        assert ask(client, "getQueuedPegoutsCount()") == word(1)

    def test_queue(self, client: LocalClient) -> None:
        """Each request is stored, and counts in the estimated fee and the debugging state."""
        hashes = [send(client, each * 10**18)["transactionHash"] for each in (1, 2)]

        requests = "".join(
            f"94{KEY_HASH.hex()}{amount}a0{str(each)[2:]}"
            for amount, each in zip(("8405f5e100", "840bebc200"), hashes, strict=True)
        )
        size = len(requests) // 2
        stored = f"f8{size:02x}{requests}"
        slot = "0x" + b"releaseRequestQueueWithTxHash".hex()
        assert client.call("rsk_getStorageBytesAt", BRIDGE_HEX, slot) == f"0x{stored}"
        assert stored in unpack(ask(client, "getStateForDebugging()")).hex()
        assert ask(client, "getQueuedPegoutsCount()") == word(2)
        assert ask(client, "getEstimatedFeesForNextPegOutEvent()") == word(65_400 + 2 * 3_200)

    def test_typed(self, engine: str) -> None:
        """A transaction with a type shows the sender's key, too."""
        config = Config(engine=engine, hardfork="next", fixed_clock=GENESIS_TIME, accounts=1)
        with Node(config) as node:
            client = connect(node)
            receipt = send(client, 10**18, maxFeePerGas=hex(10**9), maxPriorityFeePerGas="0x0")
            state = ask(client, "getStateForDebugging()")

        assert (receipt["status"], receipt["type"]) == ("0x1", "0x2")
        assert KEY_HASH in state

    def test_snapshot(self, client: LocalClient) -> None:
        """A revert takes requests back."""
        snapshot = client.call("evm_snapshot")
        send(client, 10**18)
        client.call("evm_revert", snapshot)

        assert ask(client, "getQueuedPegoutsCount()") == word(0)
        assert client.call("eth_getBalance", BRIDGE_HEX, "latest") == hex(MAX_RBTC)
        slot = "0x" + b"releaseRequestQueueWithTxHash".hex()
        assert client.call("rsk_getStorageBytesAt", BRIDGE_HEX, slot) == "0x0"

    def test_call(self, client: LocalClient) -> None:
        """An `eth_call`, which has no signature, succeeds; an estimate is what it costs."""
        tx = {"from": ALICE_HEX, "to": BRIDGE_HEX, "value": hex(10**18)}

        assert client.call("eth_call", tx, "latest") == "0x"
        assert client.call("eth_estimateGas", tx) == hex(44_000)

    def test_impersonated(self, client: LocalClient) -> None:
        """The key of an impersonated account is not known: its transaction fails."""
        client.call("hardhat_impersonateAccount", UNFUNDED_HEX)
        client.call("hardhat_setBalance", UNFUNDED_HEX, hex(10**19))
        receipt = send(client, 10**18, UNFUNDED_HEX)

        assert receipt["status"] == "0x0"
        assert ask(client, "getQueuedPegoutsCount()") == word(0)
        assert client.call("eth_getBalance", BRIDGE_HEX, "latest") == hex(MAX_RBTC)

    def test_voted_fee(self, node: Node, client: LocalClient) -> None:
        """The minimum follows the fee that is voted for."""
        voter = account("auth-fee-per-kb")
        client.call("hardhat_impersonateAccount", f"0x{voter.hex()}")
        vote = selector("voteFeePerKbChange(int256)") + word(1_000_000)
        data = {"from": f"0x{voter.hex()}", "to": BRIDGE_HEX, "data": f"0x{vote.hex()}"}
        client.call("eth_sendTransaction", {**data, "gas": hex(100_000), "gasPrice": "0x0"})

        least = 654_000 * 120 // 100
        logs = [
            node.chain.receipt(bytes.fromhex(str(receipt["transactionHash"])[2:]))[1].logs[0]  # type: ignore[index,arg-type]
            for receipt in (send(client, each * SATOSHI) for each in (least - 1, least))
        ]
        assert [log.topics[0] for log in logs] == [
            topic(event).to_bytes(32) for event in (REJECTED, RECEIVED)
        ]
        assert logs[0].data[32:] == word(FEE_ABOVE_VALUE)


@pytest.mark.parametrize(
    ("hardfork", "event", "destination", "amount"),
    [
        ("orchid", "", b"", 0),
        ("papyrus", "", b"", 0),
        ("iris", "release_request_received(address,bytes,uint256)", KEY_HASH, 10**8),
        ("fingerroot", RECEIVED, base58check(b"\x6f" + KEY_HASH), 10**8),
        ("lovell", RECEIVED, base58check(b"\x6f" + KEY_HASH), 10**18),
    ],
)
def test_upgrades(
    engine: str, hardfork: str, event: str, destination: bytes | str, amount: int
) -> None:
    """Requests are logged since Iris, and stored with the transaction's hash since Papyrus."""
    config = Config(hardfork=hardfork, engine=engine, fixed_clock=GENESIS_TIME, accounts=1)
    with Node(config) as node:
        client = connect(node)
        receipt = send(client, 10**18)
        logs: list[dict[str, list[str]]] = receipt["logs"]  # type: ignore[assignment]
        stored = client.call(
            "rsk_getStorageBytesAt", BRIDGE_HEX, "0x" + b"releaseRequestQueue".hex()
        )

    assert receipt["status"] == "0x1"
    kind = "string" if isinstance(destination, str) else "bytes"
    data = encode([kind, "uint256"], [destination, amount]).hex()
    wanted = [(f"0x{topic(event):064x}", f"0x{data}")] if event else []
    assert [(log["topics"][0], log["data"]) for log in logs] == wanted
    assert (stored == f"0xda94{KEY_HASH.hex()}8405f5e100") == (hardfork == "orchid")


def test_engines_agree() -> None:
    """Both engines come to the same block after requests, votes and edits of the whitelist."""
    heads = []
    for engine in ("fast", "reference"):
        config = Config(engine=engine, fixed_clock=GENESIS_TIME, accounts=1)
        with Node(config) as node:
            client = connect(node)
            for value in (1, 10**18, 10**18, 250_000 * SATOSHI, 3 * 10**18):
                send(client, value)
            for seed, method, data in (
                ("auth-fee-per-kb", "voteFeePerKbChange(int256)", word(200_000)),
                ("auth-lock-whitelist", "addUnlimitedLockWhitelistAddress(string)", ADDRESS_DATA),
                ("auth-lock-whitelist", "removeLockWhitelistAddress(string)", ADDRESS_DATA),
            ):
                voter = f"0x{account(seed).hex()}"
                client.call("personal_importRawKey", keccak(seed.encode()).hex(), "")
                client.call("personal_unlockAccount", voter, "")
                client.call("hardhat_setBalance", voter, "0x1")
                payload = f"0x{(selector(method) + data).hex()}"
                client.call(
                    "eth_sendTransaction",
                    {"from": voter, "to": BRIDGE_HEX, "data": payload, "gasPrice": "0x0"},
                )
            size = ask(client, "getQueuedPegoutsCount()"), ask(client, "getFeePerKb()")
            heads.append((client.call("eth_getBlockByNumber", "latest", False), size))

    assert heads[0] == heads[1]
    assert heads[0][1] == (word(4), word(200_000))


class TestReading:
    @pytest.mark.parametrize(
        ("machine", "fee", "cap", "next_fee"),
        [
            (MAIN, 500_000, 300 * 10**8, 1_169_000),
            (TEST, 100_000, 200 * 10**8, 86_600),
            (LOCAL, 100_000, 1000 * 10**8, 65_400),
        ],
        ids=["main", "test", "local"],
    )
    def test_of_networks(self, machine: Machine, fee: int, cap: int, next_fee: int) -> None:
        """Fees and limits are in satoshis."""
        assert number(call(machine, "getFeePerKb()")) == fee
        assert number(call(machine, "getLockingCap()")) == cap
        assert number(call(machine, "getEstimatedFeesForNextPegOutEvent()")) == next_fee

    @pytest.mark.parametrize(
        ("signature", "encoded"),
        [
            ("getStateForBtcReleaseClient()", "c1c0"),
            ("getStateForSvpClient()", "c1c0"),
            ("getStateForDebugging()", "cb8081c081c081c081c08180"),
        ],
    )
    def test_states(self, signature: str, encoded: str) -> None:
        """There are no transactions to sign, confirm or release."""
        assert unpack(call(LOCAL, signature).output).hex() == encoded

    def test_fee_for_amount(self) -> None:
        """The fee of an amount cannot be simulated without bitcoins."""
        outcome = call(LOCAL, "getEstimatedFeesForPegOutAmount(uint256)", word(10**18))

        assert "cannot be simulated: the federation has fewer bitcoins" in str(outcome.error)
