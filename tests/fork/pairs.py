"""A node and a fork of it, which get the same requests and have to give the same answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from devchain.client.http import connect
from devchain.errors import RpcFailure
from devchain.evm.hardforks import rules_for
from devchain.node import Node
from devchain.types import Tag
from tests.accounts import ALICE_HEX, BOB_HEX, CAROL_HEX, DAVE_HEX, UNFUNDED_HEX
from tests.evm.compiler.engines import address
from tests.evm.compiler.transactions import CALLEES, CONTRACTS, Contract, Scenario

SCENARIOS = int(os.environ.get("FORK_SCENARIOS", "0"))
"""How many random scenarios are wanted of each kind; 0 is what every run has."""
CLOCK = 1_700_000_000
SENDERS = (ALICE_HEX, BOB_HEX, CAROL_HEX)
HASHES = {
    "hash", "blockHash", "parentHash", "stateRoot", "mixHash", "receiptsRoot", "transactionsRoot",
    "hashForMergedMining", "bitcoinMergedMiningHeader", "bitcoinMergedMiningCoinbaseTransaction",
    "bitcoinMergedMiningMerkleProof", "root", "parentBeaconBlockRoot",
}  # fmt: skip
"""Members that depend on state roots, and of a fork are its own."""

LAST = "the last snapshot"
"""Stands for the id of a snapshot in the parameters of a request."""

Call = tuple[str, list[Any]]
"""A method and its parameters."""

TRACERS: tuple[dict[str, Any], ...] = (
    {"enableReturnData": True},
    {"tracer": "callTracer", "tracerConfig": {"withLog": True}},
    {"tracer": "prestateTracer"},
    {"tracer": "prestateTracer", "tracerConfig": {"diffMode": True}},
)


def hexed(number: int) -> str:
    """The address of a contract of a scenario, as JSON."""
    return f"0x{address(number).hex()}"


def opcodes(hardfork: str) -> dict[int, object]:
    """The opcodes of a hardfork."""
    state = rules_for(hardfork).vm_class.get_state_class()
    found: dict[int, object] = state.computation_class.opcodes
    return found


def without_hashes(value: Any) -> Any:
    """A JSON value without members that depend on state roots."""
    if isinstance(value, dict):
        return {key: without_hashes(each) for key, each in value.items() if key not in HASHES}
    if isinstance(value, list):
        return [without_hashes(each) for each in value]
    return value


def answer(client: Any, method: str, *params: Any) -> Any:
    """The result of a call, or its error, without hashes."""
    try:
        return without_hashes(client.call(method, *params))
    except RpcFailure as failure:
        return failure.code, failure.message, failure.data


def differences(theirs: Any, ours: Any, path: str = "") -> Iterator[str]:
    """Where two JSON values differ, for the message of a failing test."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in {**theirs, **ours}:
            yield from differences(theirs.get(key), ours.get(key), f"{path}.{key}")
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, pair in enumerate(zip(theirs, ours, strict=True)):
            yield from differences(*pair, f"{path}[{index}]")
    elif theirs != ours:
        yield f"{path}: {theirs!r}, on the fork {ours!r}"[:300]


class Requests:
    """Random requests to a chain with the random contracts of `evm.compiler.transactions`.

    Its hardfork decides which transactions there are.
    """

    def __init__(self, rng: Random, hardfork: str) -> None:
        self._rng = rng
        self._known = opcodes(hardfork)
        self._types = rules_for(hardfork).transaction_types
        self._has_prev_randao = rules_for(hardfork).has_prev_randao
        self.codes = Scenario(rng, hardfork, self._known).codes
        self.created: list[str] = []

    def installation(self) -> Iterator[Call]:
        """What puts the contracts on a chain."""
        for number, code in self.codes.items():
            yield "hardhat_setCode", [hexed(number), f"0x{code.hex()}"]
            yield "hardhat_setBalance", [hexed(number), hex(10**9)]
            for slot in (0, 1):
                yield "hardhat_setStorageAt", [hexed(number), hex(slot), hex(slot + 1)]
        yield "hardhat_mine", ["0x3"]

    def transaction(self) -> dict[str, Any]:
        """A transaction from one of three senders, to a contract or creating one."""
        rng = self._rng
        data = bytes(rng.choice((0, 1, 255)) for _ in range(rng.choice((0, 4, 36, 68))))
        request: dict[str, Any] = {
            "from": rng.choice(SENDERS),
            "gas": hex(rng.choice((120_000, rng.randint(60_000, 120_000)))),
            "value": hex(rng.choice((0, 0, 1))),
            "to": hexed(rng.choice(CALLEES)),
        }
        if self.created and rng.random() < 0.2:
            request["to"] = rng.choice(self.created)
        if rng.random() < 0.12:
            del request["to"]
            data = bytes(Contract(rng, self._known, 4).code)
        request["data"] = f"0x{data.hex()}"
        if 1 in self._types and rng.random() < 0.3:
            warm = rng.sample((*CONTRACTS, 0xE0), 2)
            request["accessList"] = [
                {"address": hexed(each), "storageKeys": [f"0x{1:064x}"]} for each in warm
            ]
        return request

    def change(self) -> list[Call]:
        """Requests that change the chain."""
        changes = [
            self.mining,
            self.edit,
            self.one_block,
            self.snapshot,
            self.impersonation,
            *[self.sending] * 5,
        ]
        made = self._rng.choice(changes)()
        return [each for change in made for each in self._with_prev_randao(change)]

    def sending(self) -> list[Call]:
        """A transaction."""
        return [("eth_sendTransaction", [self.transaction()])]

    def mining(self) -> list[Call]:
        """Empty blocks, or time."""
        blocks: Call = ("hardhat_mine", [hex(self._rng.randint(1, 3))])
        return [self._rng.choice((blocks, ("evm_increaseTime", [self._rng.randint(1, 100)])))]

    def edit(self) -> list[Call]:
        """An edit of an account."""
        rng = self._rng
        number = rng.choice(CONTRACTS)
        code = rng.choice(("0x", "0x60016000f3", f"0x{self.codes[number].hex()}"))
        edits: list[Call] = [
            ("hardhat_setStorageAt", [hexed(number), hex(rng.randint(0, 2)), "0x0"]),
            ("hardhat_setStorageAt", [DAVE_HEX, "0x1", f"0x{rng.randint(0, 1):064x}"]),
            ("hardhat_setBalance", [hexed(number), hex(rng.choice((0, 10**18)))]),
            ("hardhat_setBalance", [UNFUNDED_HEX, "0x0"]),
            ("hardhat_setCode", [hexed(number), code]),
            ("hardhat_setNonce", [DAVE_HEX, hex(rng.randint(1, 9))]),
        ]
        return [rng.choice(edits)]

    def one_block(self) -> list[Call]:
        """A block of three transactions."""
        automine: list[Call] = [("evm_setAutomine", [each]) for each in (False, True)]
        return [
            automine[0],
            *self.sending(),
            *self.sending(),
            *self.sending(),
            ("evm_mine", []),
            automine[1],
        ]

    def snapshot(self) -> list[Call]:
        """A snapshot, two transactions that are reverted, and another that is not."""
        inner = [*self.sending(), *self.sending()]
        return [("evm_snapshot", []), *inner, ("evm_revert", [LAST]), *self.sending()]

    def impersonation(self) -> list[Call]:
        """A transaction from a contract."""
        sender = hexed(self._rng.choice(CONTRACTS))
        sent = {"from": sender, "to": UNFUNDED_HEX, "value": "0x1", "gas": "0x5208"}
        return [
            ("hardhat_impersonateAccount", [sender]),
            ("hardhat_setBalance", [sender, hex(10**18)]),
            ("eth_sendTransaction", [sent]),
        ]

    def _with_prev_randao(self, change: Call) -> list[Call]:
        """The change, before it a number that is else made from the parent's hash."""
        if not self._has_prev_randao or change[0] not in {"eth_sendTransaction", "evm_mine"}:
            return [change]
        return [("hardhat_setPrevRandao", [hex(self._rng.getrandbits(64))]), change]

    def read(self, heights: range) -> Call:
        """A request that changes nothing, at a random block."""
        rng = self._rng
        at = rng.choice((hex(rng.choice(heights)), hex(rng.choice(heights)), "latest"))
        request = self.transaction()
        account = rng.choice(
            [*map(hexed, CALLEES), *SENDERS, UNFUNDED_HEX, *self.created, DAVE_HEX]
        )
        override: dict[str, Any] = {}
        if rng.random() < 0.3:
            balance = {"balance": hex(rng.choice((0, 10**20)))}
            slots = {rng.choice(("state", "stateDiff")): {f"0x{1:064x}": f"0x{7:064x}"}}
            override = {hexed(rng.choice(CONTRACTS)): {**balance, **slots}}
        blocks = [{"calls": [self._simulated(), self._simulated()]} for _ in range(2)]
        simulation = {"blockStateCalls": blocks, "returnFullTransactions": True}
        reads: list[Call] = [
            ("eth_call", [request, at, override]),
            ("eth_call", [request, at]),
            ("eth_estimateGas", [request, at]),
            ("debug_traceCall", [request, at, rng.choice(TRACERS)]),
            ("eth_simulateV1", [simulation, at]),
            ("eth_callMany", [[{"transactions": [request, request]}], at]),
            ("trace_callMany", [[[request, ["trace"]], [request, ["stateDiff"]]], at]),
            ("eth_createAccessList", [request, at]),
            ("eth_getStorageAt", [account, hex(rng.randint(0, 3)), at]),
            ("eth_getBalance", [account, at]),
            ("eth_getCode", [account, at]),
            ("eth_getTransactionCount", [account, at]),
        ]
        return rng.choice(reads)

    def _simulated(self) -> dict[str, Any]:
        """A call of a simulation, whose fees are not those of the chain."""
        request = self.transaction()
        return {key: value for key, value in request.items() if key != "accessList"}


class Pair:
    """A node and its fork; what they answer is compared."""

    def __init__(self, node: Node, fork: Any) -> None:
        """The node, and a client of the fork."""
        self.node = node
        self.theirs, self.ours = connect(node), fork

    def check(self, method: str, params: list[Any]) -> Any:
        """The answer that both give."""
        theirs, ours = answer(self.theirs, method, *params), answer(self.ours, method, *params)
        assert ours == theirs, (method, params, [*differences(theirs, ours)][:5])
        return theirs


def perform(ask: Callable[[str, list[Any]], Any], changes: Iterable[Call]) -> None:
    """Make requests in order, with the id of the snapshot taken last where it is asked for."""
    last = None
    for method, params in changes:
        answered = ask(method, [last] if params == [LAST] else params)
        if method == "evm_snapshot":
            last = answered


def prepare(node: Node, requests: Requests, changes: int) -> None:
    """Give a node contracts and so many changes, and its accounts what they have on a fork."""
    client = connect(node)

    def ask(method: str, params: list[Any]) -> Any:
        return answer(client, method, *params)

    perform(ask, requests.installation())
    for _ in range(changes):
        perform(ask, requests.change())
        _use_empty_accounts(node)
    for account, balance in node.accounts.balances().items():
        client.call("hardhat_setBalance", f"0x{account.hex()}", hex(balance))
    _use_empty_accounts(node)
    node.snapshots.clear()


def _use_empty_accounts(node: Node) -> None:
    state = node.chain.state_at(Tag.LATEST)
    for each in CALLEES:  # JSON-RPC does not tell an empty account from none
        account = address(each)
        is_used = state.balance(account) or state.nonce(account) or state.code(account)
        if state.exists(account) and not is_used:
            connect(node).call("hardhat_setBalance", hexed(each), "0x1")


def settle(node: Node, fork: Node) -> None:
    """Give the fork what is no part of a chain: time, mining mode, keys, ids and prices."""
    fork.clock.restore(node.clock.checkpoint())
    fork.miner.restore(node.miner.checkpoint())
    fork.accounts.restore(node.accounts.checkpoint())
    fork.chain.next_block_overrides = node.chain.next_block_overrides
    fork.snapshots.last_id = node.snapshots.last_id


def everything(client: Any, first: int) -> Iterator[Call]:  # a list
    """Requests for all that can be read of a chain; of states that of one block and the newest."""
    height = int(client.call("eth_blockNumber"), 16)
    blocks = [client.call("eth_getBlockByNumber", hex(each), True) for each in range(height + 1)]
    accounts = [*map(hexed, {*CALLEES, *CONTRACTS}), *SENDERS, DAVE_HEX, UNFUNDED_HEX]
    traced = 0
    for block in blocks:
        number = block["number"]
        yield "eth_getBlockByNumber", [number, True]
        yield "eth_getBlockByNumber", [number, False]
        yield "eth_getBlockReceipts", [number]
        yield "eth_getLogs", [{"fromBlock": number, "toBlock": number}]
        yield "eth_getBlockTransactionCountByNumber", [number]
        if len(block["transactions"]) > 1:
            yield "debug_traceBlockByNumber", [number, {"tracer": "callTracer"}]
            yield "trace_block", [number]
        for index, tx in enumerate(block["transactions"]):
            place = [number, hex(index)]
            yield "eth_getTransactionByBlockNumberAndIndex", place
            yield "eth_getRawTransactionByBlockNumberAndIndex", place
            for method in (
                "eth_getTransactionByHash",
                "eth_getTransactionReceipt",
                "trace_transaction",
            ):
                yield method, [tx["hash"]]
            traced += 1
            yield "debug_traceTransaction", [tx["hash"], TRACERS[traced % len(TRACERS)]]
            made = client.call("eth_getTransactionReceipt", tx["hash"])["contractAddress"]
            accounts += [made] if made else []
    yield "eth_getLogs", [{"fromBlock": "0x0", "toBlock": "latest"}]
    yield "eth_feeHistory", ["0x6", "latest", [10, 90]]
    for method in ("eth_gasPrice", "txpool_content", "eth_accounts", "eth_chainId"):
        yield method, []
    for tag in (hex(first), hex(height), "latest", "pending"):
        for account in accounts:
            yield "eth_getBalance", [account, tag]
            yield "eth_getTransactionCount", [account, tag]
            yield "eth_getCode", [account, tag]
            for slot in ("0x0", "0x1", "0x2"):
                yield "eth_getStorageAt", [account, slot, tag]
