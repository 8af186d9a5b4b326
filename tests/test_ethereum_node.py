"""A node under each of Ethereum's hardforks: mining, fees, estimates, typed transactions."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
import rlp
from eth_account import Account
from eth_hash.auto import keccak

from devchain.chain.block import Block, Receipt
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import IntrinsicGasTooLow, RpcFailure
from devchain.networks import ETHEREUM
from devchain.node import Node
from devchain.types import Address, MineRequest, Tag, TransactionRequest
from tests.accounts import (
    ALICE,
    ALICE_HEX,
    ALICE_KEY,
    BOB,
    BOB_HEX,
    BOB_KEY,
    CAROL,
    CAROL_KEY,
    FUNDS,
    UNFUNDED,
    UNFUNDED_HEX,
)
from tests.actions import deploy, fingerprint, receipt_of, run, send
from tests.bytecode import COUNTER, EMIT, FILL, LOOP, REVERT, STORE, error_payload, init_code, word
from tests.chain.test_block import bloom_of
from tests.chain.test_remasc import supply
from tests.conftest import GENESIS_TIME
from tests.merkle import root_of_list

CHAIN_ID = 31
GWEI = 10**9
INITIAL_BASE_FEE = GWEI
RBTC = 10**18

LONDON = ETHEREUM.index("london")
HAS_BASE_FEE = ETHEREUM[LONDON:]
REWARDS = (
    dict.fromkeys(ETHEREUM, 0)
    | dict.fromkeys(ETHEREUM[: ETHEREUM.index("byzantium")], 5 * RBTC)
    | {"byzantium": 3 * RBTC}
    | dict.fromkeys(ETHEREUM[ETHEREUM.index("constantinople") : ETHEREUM.index("paris")], 2 * RBTC)
)
"""Block rewards in wei (EIP-649, EIP-1234, EIP-3675)."""

FIELD_COUNTS = (
    dict.fromkeys(ETHEREUM, 15)
    | dict.fromkeys(HAS_BASE_FEE, 16)
    | {"shanghai": 17, "cancun": 20, "prague": 21, "osaka": 21}
)
TYPED_SINCE = {1: "berlin", 2: "london", 4: "prague"}


def a_node(hardfork: str = "prague", **given: Any) -> Node:
    """A node under a hardfork, with a fixed clock."""
    values = {"network": "test", "fixed_clock": GENESIS_TIME, **given}
    return Node(Config(hardfork=hardfork, **values))


@pytest.fixture(params=ETHEREUM)
def name(request: pytest.FixtureRequest) -> str:
    """Each of Ethereum's hardforks."""
    return str(request.param)


@pytest.fixture
def config() -> Config:
    """Configuration of `node`: the newest of Ethereum's hardforks."""
    return Config(hardfork="prague", network="test", fixed_clock=GENESIS_TIME)


@pytest.fixture
def every(name: str) -> Node:
    """A node under each hardfork."""
    return a_node(name)


def has(kind: int, hardfork: str) -> bool:
    """Whether a hardfork has a transaction type."""
    return ETHEREUM.index(hardfork) >= ETHEREUM.index(TYPED_SINCE[kind])


def sign(node: Node, key: bytes = ALICE_KEY, **given: Any) -> str:
    """A transaction to BOB signed by eth-account, legacy unless a type is given."""
    sender = Address(bytes.fromhex(Account.from_key(key).address[2:]))
    nonce = node.mempool.pending_nonce(sender)
    wanted = {"to": BOB, "value": 7, "gas": 100_000, "nonce": nonce, **given}
    kind = given.get("type")
    # EIP-155 came with Spurious Dragon.
    if kind or ETHEREUM.index(node.config.hardfork) >= ETHEREUM.index("spuriousdragon"):
        wanted.setdefault("chainId", CHAIN_ID)
    caps = {"maxFeePerGas": 3 * GWEI, "maxPriorityFeePerGas": GWEI}
    wanted = {**({"gasPrice": 2 * GWEI} if kind in {None, 1} else caps), **wanted}
    if kind == 4:
        wanted.setdefault("authorizationList", [authorize()])
    return str(Account.sign_transaction(wanted, key).raw_transaction.to_0x_hex())


def authorize(**given: Any) -> Any:
    """BOB's authorization for CAROL's code (EIP-7702)."""
    return Account.sign_authorization(
        {"chainId": CHAIN_ID, "address": CAROL, "nonce": 0, **given}, BOB_KEY
    )


def authorization_json(code: bytes) -> dict[str, Any]:
    """BOB's authorization for that code, as in JSON-RPC requests."""
    signed = authorize(address=code)
    return {
        "chainId": hex(signed.chain_id),
        "address": f"0x{bytes(signed.address).hex()}",
        "nonce": hex(signed.nonce),
        "yParity": hex(signed.y_parity),
        "r": hex(signed.r),
        "s": hex(signed.s),
    }


def encoded(receipt: Receipt) -> bytes:
    """Encoding of a receipt in the receipts trie (EIP-658, EIP-2718)."""
    status = receipt.root or (b"\x01" if receipt.succeeded else b"")
    logs = [[log.address, list(log.topics), log.data] for log in receipt.logs]
    bloom = bloom_of(receipt.logs).to_bytes(256, "big")
    kind = receipt.transaction.type
    prefix = bytes([kind]) if kind else b""
    return prefix + rlp.encode([status, receipt.cumulative_gas_used, bloom, logs])


def run_transactions(node: Node) -> None:
    """Transfers, a creation, calls that succeed, revert and run out of gas, and empty blocks."""
    client = LocalClient(node)
    client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "value": "0x5"})
    counter = deploy(node, COUNTER)
    node.miner.running = False
    client.call("eth_sendRawTransaction", sign(node, to=counter))
    for kind in TYPED_SINCE:
        if has(kind, node.config.hardfork):
            client.call("eth_sendRawTransaction", sign(node, type=kind, to=counter))
    send(node, counter, gas=21_500, sender=CAROL)
    node.mine(MineRequest())
    node.miner.running = True
    emitter = deploy(node, EMIT)
    run(node, emitter, word(1) + word(2) + b"data")
    node.mine(MineRequest(blocks=2))


class TestEveryHardfork:
    def test_transfer(self, every: Node) -> None:
        """A transfer signed by the node is mined."""
        client = LocalClient(every)
        request = {"from": ALICE_HEX, "to": UNFUNDED_HEX, "value": "0x5"}

        receipt = client.call(
            "eth_getTransactionReceipt", client.call("eth_sendTransaction", request)
        )

        assert receipt["gasUsed"] == hex(21_000)
        assert client.call("eth_getBalance", UNFUNDED_HEX, "latest") == "0x5"

    def test_contract(self, every: Node) -> None:
        """A contract is deployed with the estimated gas and called."""
        client = LocalClient(every)
        code = {"from": ALICE_HEX, "data": "0x" + init_code(COUNTER).hex()}
        gas = client.call("eth_estimateGas", code)
        created = client.call("eth_sendTransaction", {**code, "gas": gas})
        counter = client.call("eth_getTransactionReceipt", created)["contractAddress"]

        client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": counter})
        client.call("eth_sendRawTransaction", sign(every, to=bytes.fromhex(counter[2:])))

        assert client.call("eth_getCode", counter, "latest") == "0x" + COUNTER.hex()
        assert client.call("eth_getStorageAt", counter, "0x0", "latest") == "0x" + word(2).hex()
        assert client.call("eth_call", {"to": counter}, "latest") == "0x" + word(3).hex()

    def test_headers(self, every: Node, name: str) -> None:
        """Every block has its hardfork's header fields, and the hash of its header."""
        run_transactions(every)

        for parent, block in pairwise(every.chain.blocks_after(-1)):
            assert block.hash == keccak(block.raw_header)
            assert len(rlp.decode(block.raw_header)) == FIELD_COUNTS[name]
            assert block.header.parent_hash == parent.hash
            assert block.merged_mining is None

    def test_roots(self, every: Node) -> None:
        """Roots and gas used of headers match transactions and receipts."""
        run_transactions(every)

        for block in every.chain.blocks_after(-1):
            header = block.header
            assert header.transaction_root == root_of_list([tx.raw for tx in block.transactions])
            assert header.receipt_root == root_of_list([encoded(each) for each in block.receipts])
            assert header.gas_used == sum(each.gas_used for each in block.receipts)

    def test_supply(self, every: Node, name: str) -> None:
        """A block changes the supply by its reward and its burned base fees."""
        run_transactions(every)

        for parent, block in pairwise(every.chain.blocks_after(-1)):
            burnt = base_fee_of(block) * block.gas_used
            minted = REWARDS[name]
            assert supply(every, block.number) == supply(every, parent.number) + minted - burnt

    def test_coinbase(self, every: Node, name: str) -> None:
        """The coinbase gets the tips and the rewards of all blocks."""
        run_transactions(every)

        blocks = every.chain.blocks_after(0)
        tips = sum(
            each.gas_used * (each.gas_price - base_fee_of(block))
            for block in blocks
            for each in block.receipts
        )
        assert tips > 0
        balance = every.chain.state_at(Tag.LATEST).balance(every.miner.coinbase)
        assert balance == tips + len(blocks) * REWARDS[name]

    def test_snapshot(self, every: Node) -> None:
        """After a revert the node is as before, and the same blocks can be mined again."""
        run(every, BOB, value=1)
        snapshot, before = every.snapshots.take(), fingerprint(every)
        run_transactions(every)
        after = fingerprint(every)
        every.revert(snapshot)
        reverted = fingerprint(every)

        run_transactions(every)

        assert reverted == before
        assert fingerprint(every) == after

    def test_pending_block(self, every: Node, name: str) -> None:
        """The pending block has the pending transactions and is mined as shown."""
        client = LocalClient(every)
        every.miner.running = False
        sent = "0x" + send(every, BOB, value=1, gas=21_000).hex()

        shown = client.call("eth_getBlockByNumber", "pending", True)
        every.mine(MineRequest())
        mined = client.call("eth_getBlockByNumber", "latest", True)

        assert (shown["hash"], shown["transactions"][0]["hash"]) == (None, sent)
        same = ("number", "stateRoot", "receiptsRoot", "gasUsed", "timestamp", "difficulty", "size")
        assert {each: shown[each] for each in same} == {each: mined[each] for each in same}
        assert ("baseFeePerGas" in shown) == (name in HAS_BASE_FEE)


def base_fee_of(block: Block) -> int:
    """The base fee of a block in wei, 0 before London."""
    return int(getattr(block.header, "base_fee_per_gas", 0))


REQUESTS: dict[str, tuple[bytes | None, bytes]] = {
    "transfer": (None, b""),
    "store": (STORE, word(1)),
    "fill": (FILL, word(5) + word(1)),
    "loop": (LOOP, word(100)),
    "data": (LOOP, word(0) + b"\x01" * 1_000),
    "loop-with-data": (LOOP, word(2_000) + b"\x01" * 1_000),
}
"""Runtime code (None for a transfer to BOB) and calldata."""


class TestEstimate:
    @pytest.mark.parametrize("what", REQUESTS)
    def test_is_exact(self, every: Node, what: str) -> None:
        """A transaction with the estimated gas succeeds, with one less it fails."""
        runtime, data = REQUESTS[what]
        to = deploy(every, runtime) if runtime else BOB
        request = TransactionRequest(ALICE, to, data=data)
        gas = every.estimate(request)
        snapshot = every.snapshots.take()

        enough = _sent(every, request._replace(gas=gas))
        every.revert(snapshot)

        assert enough is not None
        assert enough.succeeded
        assert _failed(_sent(every, request._replace(gas=gas - 1)))

    def test_creation(self, every: Node) -> None:
        """A creation with the estimated gas deploys its code, with one less it does not."""
        request = TransactionRequest(ALICE, data=init_code(COUNTER))
        gas = every.estimate(request)
        snapshot = every.snapshots.take()
        enough = _sent(every, request._replace(gas=gas))
        assert enough is not None
        kept = every.chain.state_at(Tag.LATEST).code(enough.contract_address or UNFUNDED)
        every.revert(snapshot)

        short = _sent(every, request._replace(gas=gas - 1))

        created = short.contract_address if short else None
        assert kept == COUNTER
        assert every.chain.state_at(Tag.LATEST).code(created or UNFUNDED) == b""

    @pytest.mark.parametrize("fork", ["berlin", "london", "prague"])
    def test_access_list(self, fork: str) -> None:
        """An estimate includes the cost and the savings of an access list."""
        node = a_node(fork)
        store = deploy(node, STORE)
        listed = TransactionRequest(
            ALICE, store, data=word(1), type=1, access_list=((store, (0, 1)), (BOB, ()))
        )
        gas = node.estimate(listed)
        snapshot = node.snapshots.take()

        enough = _sent(node, listed._replace(gas=gas))
        node.revert(snapshot)

        assert enough is not None
        assert (enough.succeeded, enough.gas_used) == (True, gas)
        assert _failed(_sent(node, listed._replace(gas=gas - 1)))

    def test_floor(self, node: Node) -> None:
        """Under Prague an estimate is at least the floor price of calldata (EIP-7623)."""
        loop = deploy(node, LOOP)
        data = word(0) + b"\x01" * 1_000

        gas = node.estimate(TransactionRequest(ALICE, loop, data=data))

        assert gas == 21_000 + 10 * (32 + 4_000)
        assert run(node, loop, data, gas=gas).gas_used == gas

    @pytest.mark.parametrize(
        "fees", [{"gas_price": GWEI}, {"max_fee_per_gas": GWEI}, {"max_fee_per_gas": 5 * GWEI}]
    )
    def test_with_fees(self, node: Node, fees: dict[str, int]) -> None:
        """A fee that covers the base fee does not change the estimate."""
        assert node.estimate(TransactionRequest(ALICE, BOB, **fees)) == 21_000

    def test_unaffordable(self, client: LocalClient) -> None:
        """A fee cap or gas price that the sender cannot pay is rejected."""
        for fee in ("gasPrice", "maxFeePerGas"):
            with pytest.raises(RpcFailure, match="insufficient funds for transfer") as refusal:
                client.call(
                    "eth_estimateGas", {"from": UNFUNDED_HEX, "to": BOB_HEX, fee: hex(GWEI)}
                )
            assert refusal.value.code == -32000


def _sent(node: Node, request: TransactionRequest) -> Receipt | None:
    """The receipt of a request, None if it was rejected for its gas limit."""
    try:
        return receipt_of(node, node.send(request))
    except IntrinsicGasTooLow:
        return None


def _failed(receipt: Receipt | None) -> bool:
    return receipt is None or not receipt.succeeded


class TestDefaultGas:
    def test_estimate(self, node: Node, client: LocalClient) -> None:
        """A transaction that names no gas gets what it takes, also above 90000."""
        code = {"from": ALICE_HEX, "data": "0x" + init_code(b"\x00" * 2_000).hex()}
        gas = int(client.call("eth_estimateGas", code), 16)

        sent = client.call("eth_sendTransaction", code)

        assert gas > 400_000
        assert int(client.call("eth_getTransactionByHash", sent)["gas"], 16) == gas
        assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"

    def test_on_pending(self, node: Node, client: LocalClient) -> None:
        """It is estimated after the transactions that wait, and whatever the price."""
        counter = deploy(node, COUNTER)
        node.miner.running = False
        request = {"from": ALICE_HEX, "to": f"0x{counter.hex()}", "gasPrice": "0x1"}

        hashes = [client.call("eth_sendTransaction", {**request, "gasPrice": hex(2 * GWEI)})]
        hashes.append(client.call("eth_sendTransaction", request))

        gas = [int(client.call("eth_getTransactionByHash", each)["gas"], 16) for each in hashes]
        assert gas[1] < gas[0] < 90_000  # the slot is not zero any more
        assert [len(node.mempool.pending()), len(node.mempool.queued())] == [1, 1]

    def test_revert(self, node: Node, client: LocalClient) -> None:
        """A transaction that would revert is refused as by an estimate; nothing is mined."""
        contract = deploy(node, REVERT)
        height = node.chain.height

        with pytest.raises(RpcFailure, match="execution reverted") as refusal:
            client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": f"0x{contract.hex()}"})

        assert (refusal.value.code, node.chain.height) == (3, height)

    def test_unaffordable(self, client: LocalClient) -> None:
        """What the sender cannot pay is the mempool's to refuse."""
        request = {"from": ALICE_HEX, "to": BOB_HEX, "value": hex(FUNDS + 1)}

        with pytest.raises(RpcFailure, match=r"insufficient funds for gas .* tx cost") as refusal:
            client.call("eth_sendTransaction", request)

        assert refusal.value.code == -32010


class TestCall:
    def test_free(self, every: Node) -> None:
        """A call without gas price pays no base fee, even from an account without funds."""
        counter = deploy(every, COUNTER)

        found = every.call(TransactionRequest(UNFUNDED, counter, value=5))

        assert found == word(1)

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            pytest.param(
                {"gasPrice": "0x1"},
                "max fee per gas less than block base fee: 1 < [0-9]+ wei",
                id="gas-price",
            ),
            pytest.param(
                {"maxFeePerGas": "0x5"},
                "max fee per gas less than block base fee: 5 < [0-9]+ wei",
                id="cap",
            ),
            pytest.param(
                {"maxFeePerGas": hex(5 * GWEI), "maxPriorityFeePerGas": hex(6 * GWEI)},
                "max priority fee per gas higher than max fee per gas",
                id="tip-above-cap",
            ),
        ],
    )
    @pytest.mark.parametrize("method", ["eth_call", "eth_estimateGas"])
    def test_fee_too_low(
        self, client: LocalClient, method: str, given: dict[str, str], text: str
    ) -> None:
        """A fee cap below the base fee or the tip is rejected."""
        with pytest.raises(RpcFailure, match=text) as refusal:
            client.call(method, {"from": ALICE_HEX, "to": BOB_HEX, **given}, "latest")

        assert refusal.value.code == -32000

    @pytest.mark.parametrize("method", ["eth_call", "eth_estimateGas", "eth_sendTransaction"])
    def test_two_kinds_of_fee(self, client: LocalClient, method: str) -> None:
        """A gas price together with a fee cap is rejected."""
        mixed = {"gasPrice": hex(GWEI), "maxFeePerGas": hex(GWEI)}

        with pytest.raises(RpcFailure, match="give one kind of fee") as refusal:
            client.call(method, {"from": ALICE_HEX, "to": BOB_HEX, **mixed})

        assert refusal.value.code == -32602

    def test_caps_without_fee_caps(self) -> None:
        """Before London fee caps of a call are ignored."""
        for fork in ("berlin", "vetiver"):
            node = a_node(fork)
            caps = {"max_fee_per_gas": 1, "max_priority_fee_per_gas": 2}

            assert node.call(TransactionRequest(UNFUNDED, BOB, gas=21_000, **caps)) == b""

    def test_funds(self, client: LocalClient) -> None:
        """A call with a fee needs the funds for all of it."""
        with pytest.raises(RpcFailure, match="insufficient funds") as refusal:
            client.call(
                "eth_call", {"from": UNFUNDED_HEX, "to": BOB_HEX, "gasPrice": hex(GWEI)}, "latest"
            )

        assert refusal.value.code == -32000

    @pytest.mark.parametrize(
        ("fork", "given", "code"),
        [
            ("prague", {}, 3),
            ("frontier", {}, 3),
            ("vetiver", {}, -32015),
            ("prague", {"revert_code": -7}, -7),
        ],
    )
    def test_revert_code(self, fork: str, given: dict[str, int], code: int) -> None:
        """A revert has geth's error code under Ethereum's rules, rskj's on Rootstock."""
        node = a_node(fork, **given)
        contract = deploy(node, b"\xfe" if fork == "frontier" else REVERT)
        request = {"to": "0x" + contract.hex(), "data": "0x" + error_payload("no").hex()}

        with pytest.raises(RpcFailure) as refusal:
            LocalClient(node).call("eth_call", request, "latest")

        assert refusal.value.code == code


def expected_base_fee(parent: Block) -> int:
    """The base fee of EIP-1559, computed from the parent."""
    fee, target = base_fee_of(parent), parent.gas_limit // 2
    if parent.gas_used > target:
        return fee + max(1, fee * (parent.gas_used - target) // target // 8)
    return fee - fee * (target - parent.gas_used) // target // 8


class TestBaseFee:
    @pytest.mark.parametrize("fork", HAS_BASE_FEE)
    def test_every_block(self, fork: str) -> None:
        """The base fee rises after a full block and falls after others."""
        node = a_node(fork, gas_limit=100_000, mining=False)
        for count in (0, 1, 2, 3, 4, 4, 4, 2, 0):
            for _ in range(count):
                send(node, BOB, value=1, gas=21_000)
            node.mine(MineRequest())

        blocks = node.chain.blocks_after(-1)
        fees = [base_fee_of(block) for block in blocks]

        assert fees[0] == INITIAL_BASE_FEE
        assert fees[1:] == [expected_base_fee(parent) for parent in blocks[:-1]]
        assert [len(block.transactions) for block in blocks[1:]] == [0, 1, 2, 3, 4, 4, 4, 2, 0]
        assert fees[5] < fees[6] < fees[7] < fees[8] > fees[9]

    def test_on_the_wire(self, node: Node, client: LocalClient) -> None:
        """Blocks have the base fee; the suggested gas price is the next base fee plus 1 gwei."""
        node.mine(MineRequest())
        blocks = [client.call("eth_getBlockByNumber", each, False) for each in ("0x0", "0x1")]
        pending = client.call("eth_getBlockByNumber", "pending", False)

        assert [each["baseFeePerGas"] for each in blocks] == [hex(GWEI), hex(875_000_000)]
        assert pending["baseFeePerGas"] == hex(765_625_000)
        assert client.call("eth_gasPrice") == hex(765_625_000 + GWEI)

    def test_price_paid(self, node: Node) -> None:
        """A transaction pays the base fee and its tip, at most its cap."""
        caps = {"max_fee_per_gas": 9 * GWEI, "max_priority_fee_per_gas": 3}
        generous = run(node, BOB, gas=21_000, **caps)
        first = base_fee_of(node.chain.head)
        lowest = node.chain.lowest_gas_price()
        caps = {"max_fee_per_gas": lowest + 5, "max_priority_fee_per_gas": 7}

        capped = run(node, BOB, gas=21_000, **caps)

        assert (generous.gas_price, capped.gas_price) == (first + 3, lowest + 5)

    def test_before_london(self) -> None:
        """Before London a gas price of 0 is accepted."""
        node = a_node("berlin")

        assert run(node, BOB, gas=21_000, gas_price=0).succeeded
        assert node.chain.lowest_gas_price() == 0


class TestTyped:
    @pytest.mark.parametrize("kind", [1, 2, 4])
    def test_accepted_where_supported(self, every: Node, name: str, kind: int) -> None:
        """A typed transaction is mined if the hardfork has its type, else rejected."""
        client = LocalClient(every)
        raw = sign(every, type=kind, to=UNFUNDED)
        if has(kind, name):
            sent = client.call("eth_sendRawTransaction", raw)
            assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"
            assert client.call("eth_getBalance", UNFUNDED_HEX, "latest") == "0x7"
            return
        with pytest.raises(RpcFailure, match=f"transaction type {kind} .* not supported") as no:
            client.call("eth_sendRawTransaction", raw)
        assert no.value.code == -32010

    def test_blobs(self, every: Node) -> None:
        """Blob transactions are rejected under all hardforks."""
        raw = "0x03" + sign(every, type=2)[4:]

        with pytest.raises(RpcFailure, match=r"type 3 \(EIP-4844 blob\)") as refusal:
            LocalClient(every).call("eth_sendRawTransaction", raw)

        assert refusal.value.code == -32010

    @pytest.mark.parametrize("fork", ["cancun", "vetiver"])
    def test_request_of_an_unsupported_type(self, fork: str) -> None:
        """A request for a type that the hardfork does not have is rejected."""
        client = LocalClient(a_node(fork))

        for kind in ("0x3", "0x4", "0x5"):
            with pytest.raises(RpcFailure) as refusal:
                client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "type": kind})
            assert refusal.value.code == -32010

    def test_delegation_by_the_node(self, node: Node, client: LocalClient) -> None:
        """The estimate of a type 4 transaction includes its authorizations."""
        counter = deploy(node, COUNTER)
        wanted = {
            "from": ALICE_HEX,
            "to": BOB_HEX,
            "authorizationList": [authorization_json(counter)],
        }
        needed = int(client.call("eth_estimateGas", wanted), 16)
        before = client.call("evm_snapshot")
        stored = []
        for gas in (needed - 1, needed):
            sent = client.call("eth_sendTransaction", {**wanted, "gas": hex(gas)})
            assert client.call("eth_getTransactionReceipt", sent)["type"] == "0x4"
            stored.append(int(client.call("eth_getStorageAt", BOB_HEX, "0x0"), 16))
            client.call("evm_revert", before)

        assert stored == [0, 1]
        assert client.call("eth_getCode", BOB_HEX) == "0x"

    def test_delegation_in_a_call(self, node: Node, client: LocalClient) -> None:
        """A call executes code set by its authorizations."""
        counter = deploy(node, COUNTER)

        called = {"to": BOB_HEX, "authorizationList": [authorization_json(counter)]}

        assert client.call("eth_call", called, "latest") == "0x" + word(1).hex()

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            pytest.param({"to": None}, "creates no contract: give to", id="creation"),
            pytest.param({"authorizationList": [], "type": "0x4"}, "needs an auth", id="empty"),
            pytest.param({"authorizationList": {}}, "want an array", id="object"),
            pytest.param({"authorizationList": [{}]}, "chainId: want a QUANTITY", id="members"),
            pytest.param({"authorizationList": [{"yParity": 5}]}, "want 0 or 1, got 5", id="sign"),
        ],
    )
    def test_delegation_refused(
        self, node: Node, client: LocalClient, given: dict[str, Any], text: str
    ) -> None:
        """A type 4 transaction without recipient or with incomplete authorizations is rejected."""
        before = fingerprint(node)
        wanted = {
            "from": ALICE_HEX,
            "to": BOB_HEX,
            "authorizationList": [authorization_json(CAROL)],
            **given,
        }
        if given.get("authorizationList") == [{"yParity": 5}]:
            wanted["authorizationList"] = [{**authorization_json(CAROL), "yParity": 5}]

        with pytest.raises(RpcFailure, match=text) as refusal:
            client.call("eth_sendTransaction", wanted)

        assert refusal.value.code == -32602
        assert fingerprint(node) == before

    def test_delegation(self, node: Node, client: LocalClient) -> None:
        """After a type 4 transaction the account executes the authorized code (EIP-7702)."""
        counter = deploy(node, COUNTER)
        raw = sign(node, type=4, to=BOB, authorizationList=[authorize(address=counter)])

        client.call("eth_sendRawTransaction", raw)

        assert client.call("eth_getCode", BOB_HEX, "latest") == "0xef0100" + counter.hex()
        assert client.call("eth_getStorageAt", BOB_HEX, "0x0", "latest") == "0x" + word(1).hex()
        assert client.call("eth_getTransactionCount", BOB_HEX, "latest") == "0x1"
        assert client.call("eth_call", {"to": BOB_HEX}, "latest") == "0x" + word(2).hex()

    @pytest.mark.parametrize(
        "odd",
        [
            pytest.param({"nonce": 1}, id="nonce"),
            pytest.param({"chainId": 30}, id="chain"),
            pytest.param({"nonce": 2**64 - 1}, id="last-nonce"),
        ],
    )
    def test_authorization_of_no_effect(
        self, node: Node, client: LocalClient, odd: dict[str, int]
    ) -> None:
        """An invalid authorization is skipped; its transaction is mined."""
        raw = sign(node, type=4, to=UNFUNDED, authorizationList=[authorize(**odd)])

        sent = client.call("eth_sendRawTransaction", raw)

        assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"
        assert client.call("eth_getCode", BOB_HEX, "latest") == "0x"

    def test_listed_slot(self, node: Node) -> None:
        """A slot in the access list is warm: 2,100 gas less, for 2,400 and 1,900 of the list."""
        store = deploy(node, STORE)
        run(node, store, word(1))
        plain = run(node, store, word(2))

        listed = run(node, store, word(3), type=1, access_list=((store, (0,)),))

        assert listed.gas_used == plain.gas_used + 2_400 + 1_900 - 2_100


class TestMempool:
    @pytest.fixture
    def config(self) -> Config:
        """A node that mines only on request."""
        return Config(hardfork="prague", network="test", fixed_clock=GENESIS_TIME, mining=False)

    @pytest.mark.parametrize(
        ("fees", "text"),
        [
            pytest.param(
                {"maxFeePerGas": GWEI, "maxPriorityFeePerGas": GWEI + 1},
                "max priority fee per gas higher than max fee per gas: 1000000001 > 1000000000 wei",
                id="tip-above-cap",
            ),
            pytest.param(
                {"maxFeePerGas": FUNDS // 100_000 + 1, "maxPriorityFeePerGas": 1},
                "insufficient funds for gas",
                id="cap-above-funds",
            ),
            pytest.param(
                {"value": FUNDS},
                re.escape(
                    "insufficient funds for gas * price + value: "
                    f"balance {FUNDS}, tx cost {FUNDS + 300_000 * GWEI}, overshot {300_000 * GWEI}"
                ),
                id="value-and-gas",
            ),
            pytest.param({"gas": 20_999}, "basic cost is above the gas limit", id="gas-too-low"),
            pytest.param(
                {"gas": 6_800_001}, "higher than the block's gas limit", id="gas-too-high"
            ),
            pytest.param({"chainId": 1}, "signed for chain id 1, this chain is 31", id="chain"),
            pytest.param({"nonce": 16}, "nonce too high", id="nonce"),
        ],
    )
    def test_refused(self, node: Node, fees: dict[str, int], text: str) -> None:
        """A dynamic fee transaction is checked by its fee cap."""
        before = fingerprint(node)

        with pytest.raises(RpcFailure, match=text) as refusal:
            LocalClient(node).call("eth_sendRawTransaction", sign(node, type=2, **fees))

        assert refusal.value.code == -32010
        assert fingerprint(node) == before

    def test_unknown_sender(self, node: Node) -> None:
        """A sender who has nothing is refused in geth's words, which clients look for."""
        key = b"\x07" * 32

        with pytest.raises(
            RpcFailure, match=r"insufficient funds for gas \* price \+ value: balance 0"
        ):
            LocalClient(node).call("eth_sendRawTransaction", sign(node, key, type=2))

    def test_cost_of_all(self, node: Node) -> None:
        """What a sender's other transactions may cost counts too."""
        client = LocalClient(node)
        client.call("eth_sendRawTransaction", sign(node, type=2, value=FUNDS // 2))

        with pytest.raises(RpcFailure, match=r"insufficient funds for gas .* queued cost"):
            client.call("eth_sendRawTransaction", sign(node, type=2, value=FUNDS // 2))

    @pytest.mark.parametrize(
        ("fees", "name"),
        [
            ({"type": 2, "maxFeePerGas": 10**8, "maxPriorityFeePerGas": 1}, "maxFeePerGas"),
            ({"type": 1, "gasPrice": 10**8}, "gasPrice"),
            ({"gasPrice": 10**8}, "gasPrice"),
        ],
    )
    def test_below_base_fee(self, fees: dict[str, int], name: str) -> None:
        """With automatic mining it is refused, otherwise queued until the base fee allows it."""
        node = a_node()
        client, cheap = LocalClient(node), sign(node, CAROL_KEY, **fees)
        text = f"transaction {name} .100000000. is too low .* baseFeePerGas of 875000000"

        with pytest.raises(RpcFailure, match=f"max fee per gas less than block base fee: {text}"):
            client.call("eth_sendRawTransaction", cheap)

        node.miner.running = False
        sent = client.call("eth_sendRawTransaction", cheap)
        node.mine(MineRequest())
        assert [tx.sender for tx in node.mempool.queued()] == [CAROL]
        assert client.call("eth_getTransactionReceipt", sent) is None
        client.call("hardhat_setNextBlockBaseFeePerGas", hex(10**8))
        node.mine(MineRequest())
        assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"

    def test_block_gas_limit(self, node: Node, client: LocalClient) -> None:
        """A lower block gas limit drops what no longer fits, as in Hardhat."""
        large = client.call("eth_sendRawTransaction", sign(node, type=2, gas=100_000))
        after = client.call("eth_sendRawTransaction", sign(node, type=2, gas=50_000))
        client.call("evm_setBlockGasLimit", hex(60_000))

        kept = ["0x" + tx.hash.hex() for tx in node.mempool.transactions()]
        assert (large in kept, after in kept) == (False, True)
        assert [tx.nonce for tx in node.mempool.queued()] == [1]
        assert client.call("eth_getTransactionByHash", large) is None

    @pytest.mark.parametrize(
        ("fees", "text"),
        [
            pytest.param(
                (2_199, 200), "replacement transaction underpriced: gas price not enough", id="cap"
            ),
            pytest.param(
                (2_200, 109),
                "replacement transaction underpriced: priority fee not enough",
                id="tip",
            ),
            pytest.param((2_200, 110), None, id="enough"),
        ],
    )
    def test_replacement(
        self, node: Node, client: LocalClient, fees: tuple[int, int], text: str | None
    ) -> None:
        """A replacement needs a fee cap and a tip 10 % higher, as in geth."""
        first = sign(node, type=2, maxFeePerGas=2_000 * 10**6, maxPriorityFeePerGas=100 * 10**6)
        cap, tip = (each * 10**6 for each in fees)
        second = sign(node, type=2, nonce=0, maxFeePerGas=cap, maxPriorityFeePerGas=tip)
        sent = client.call("eth_sendRawTransaction", first)

        if text is None:
            sent = client.call("eth_sendRawTransaction", second)
        else:
            with pytest.raises(RpcFailure, match=text):
                client.call("eth_sendRawTransaction", second)

        assert ["0x" + tx.hash.hex() for tx in node.mempool.pending()] == [sent]

    def test_across_types(self, node: Node, client: LocalClient) -> None:
        """A legacy transaction replaces a dynamic fee one by its gas price, and is replaced."""
        client.call("eth_sendRawTransaction", sign(node, type=2))
        client.call("eth_sendRawTransaction", sign(node, nonce=0, gasPrice=4 * GWEI))

        last = client.call(
            "eth_sendRawTransaction",
            sign(node, type=2, nonce=0, maxFeePerGas=9 * GWEI, maxPriorityFeePerGas=5 * GWEI),
        )

        assert ["0x" + tx.hash.hex() for tx in node.mempool.pending()] == [last]

    def test_waits_for_a_lower_base_fee(self) -> None:
        """A transaction below the base fee is mined once the base fee has fallen."""
        node = a_node(gas_limit=100_000, mining=False)
        cheap = send(
            node,
            BOB,
            gas=21_000,
            sender=CAROL,
            max_fee_per_gas=900 * 10**6,
            max_priority_fee_per_gas=0,
        )
        waiting = []
        for _ in range(3):
            for _ in range(4):
                send(node, BOB, gas=21_000, gas_price=5 * GWEI)
            node.mine(MineRequest())
            waiting.append((len(node.mempool.pending()), len(node.mempool.queued())))
        node.mine(MineRequest(blocks=3))

        mined = node.chain.receipt(cheap)
        assert waiting[-1] == (0, 1)
        assert mined is not None
        assert base_fee_of(mined[0]) <= 900 * 10**6
        assert len(node.mempool) == 0

    def test_next_nonce_behind_it(self) -> None:
        """Later nonces wait too; the pending nonce counts them."""
        node = a_node(gas_limit=100_000, mining=False)
        for _ in range(4):
            send(node, BOB, gas=21_000, gas_price=5 * GWEI)
        cheap = {"max_fee_per_gas": 900 * 10**6, "max_priority_fee_per_gas": 0, "gas": 21_000}
        send(node, BOB, sender=CAROL, **cheap)
        send(node, BOB, sender=CAROL, gas=21_000, gas_price=5 * GWEI)
        for _ in range(3):
            node.mine(MineRequest())
            for _ in range(4):
                send(node, BOB, gas=21_000, gas_price=9 * GWEI)

        own = [tx.nonce for tx in node.mempool.queued() if tx.sender == CAROL]

        assert own == [0, 1]
        assert node.mempool.pending_nonce(CAROL) == 2

    @pytest.mark.parametrize(("fork", "limited"), [("paris", False), ("shanghai", True)])
    def test_init_code(self, fork: str, *, limited: bool) -> None:
        """Init code is limited since Shanghai (EIP-3860)."""
        client = LocalClient(a_node(fork))
        request = {"from": ALICE_HEX, "data": "0x" + "00" * 49_153, "gas": hex(3_000_000)}
        if not limited:
            sent = client.call("eth_sendTransaction", request)
            assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"
            return
        with pytest.raises(RpcFailure, match="init code size is invalid") as refusal:
            client.call("eth_sendTransaction", request)
        assert refusal.value.code == -32010


class TestDefaultType:
    def test_dynamic_fee(self, client: LocalClient) -> None:
        """The node signs dynamic fee transactions by default, legacy ones for a gas price."""
        request = {"from": ALICE_HEX, "to": BOB_HEX}
        hashes = [
            client.call("eth_sendTransaction", {**request, **price})
            for price in ({}, {"gasPrice": client.call("eth_gasPrice")})
        ]

        sent, legacy = (client.call("eth_getTransactionByHash", each) for each in hashes)

        assert (sent["type"], legacy["type"]) == ("0x2", "0x0")
        assert sent["maxPriorityFeePerGas"] == hex(GWEI)
        base_fee = client.call("eth_getBlockByNumber", sent["blockNumber"], False)["baseFeePerGas"]
        assert int(sent["gasPrice"], 16) == int(base_fee, 16) + GWEI


class TestOrder:
    def test_by_tip(self) -> None:
        """Transactions are ordered by tip, not by fee cap."""
        node = Node(Config(hardfork="prague", mining=False, fixed_clock=1_000))
        alice, bob = node.accounts.addresses()[:2]
        fees = {
            alice: {"max_fee_per_gas": 1_000 * 10**9, "max_priority_fee_per_gas": 0},
            bob: {"max_fee_per_gas": 20 * 10**9, "max_priority_fee_per_gas": 9 * 10**9},
        }
        for sender, caps in fees.items():
            node.send(TransactionRequest(sender=sender, to=alice, type=2, gas=21_000, **caps))

        node.mine(MineRequest())

        assert [tx.sender for tx in node.chain.head.transactions] == [bob, alice]
