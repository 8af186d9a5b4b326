"""`devchain.chain.eth_call`: calls, and estimates that are exact."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from eth_abi.abi import decode

from devchain.chain.chain import MAX_CALL_GAS
from devchain.chain.eth_call import Call, call_block
from devchain.config import Config
from devchain.errors import (
    DevchainError,
    ExecutionFailed,
    ExecutionReverted,
    GasAllowanceExceeded,
    InvalidInput,
    TransactionRejected,
    TransferUnaffordable,
)
from devchain.evm.opcodes import observes_gas
from devchain.node import Node
from devchain.types import (
    Address,
    BlockOverride,
    Hash32,
    MineRequest,
    StateOverride,
    Tag,
    TransactionRequest,
)
from tests.accounts import ALICE, BOB, FUNDS, UNFUNDED
from tests.actions import deploy, receipt_of, run, send
from tests.bytecode import (
    BAD_JUMP,
    COUNTER,
    CREATOR,
    DESTROY,
    ECHO,
    EMIT,
    ENVIRONMENT,
    FILL,
    FORWARD,
    GROW_MEMORY,
    INVALID,
    LOOP,
    NOT_PAYABLE,
    RECURSE,
    REVERT,
    STORE,
    UNDERFLOW,
    address_word,
    assemble,
    error_payload,
    init_code,
    panic_payload,
    word,
)
from tests.conftest import GENESIS_TIME
from tests.evm.compiler.programs import random_program

LIMIT = 6_800_000


class TestCall:
    def test_returns_what_the_contract_returns(self, node: Node) -> None:
        """The result is the return data, of any length."""
        echo = deploy(node, ECHO)

        assert node.call(TransactionRequest(to=echo, data=b"any" * 1_000)) == b"any" * 1_000

    def test_creation(self, node: Node) -> None:
        """A call without a recipient runs init code and returns the code it leaves."""
        assert node.call(TransactionRequest(data=init_code(STORE))) == STORE

    def test_changes_nothing(self, node: Node) -> None:
        """A call does not change the state."""
        counter = deploy(node, COUNTER)
        request = TransactionRequest(sender=ALICE, to=counter, value=5)
        root = node.chain.head.state_root

        assert [node.call(request) for _ in range(3)] == [word(1)] * 3
        assert (node.chain.head.state_root, len(node.mempool)) == (root, 0)

    def test_runs_without_funds(self, node: Node) -> None:
        """Without a gas price balance and nonce are not checked."""
        counter = deploy(node, COUNTER)
        request = TransactionRequest(sender=UNFUNDED, to=counter, value=10**30, nonce=77)

        assert node.call(request) == word(1)

    def test_with_a_gas_price(self, node: Node) -> None:
        """With a gas price the sender has to be able to pay for the gas and the value."""
        poor = TransactionRequest(sender=UNFUNDED, to=BOB, gas_price=1)

        with pytest.raises(TransferUnaffordable, match="insufficient funds for gas"):
            node.call(poor)
        assert node.call(poor._replace(sender=ALICE)) == b""

    @pytest.mark.parametrize("value", [2**256 - 1, 2**256], ids=["most", "too-much"])
    def test_overflowing_value(self, node: Node, value: int) -> None:
        """A value that pushes the recipient past 256 bits fails the call, not the node."""
        with pytest.raises(ExecutionFailed, match="out of range"):
            node.call(TransactionRequest(sender=ALICE, to=BOB, value=value))


class TestSharedState:
    """Calls in the same block use one state, one after the other."""

    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT")  # py-evm's, from Cancun on
    @pytest.mark.parametrize("hardfork", ["orchid", "vetiver", "prague"])
    def test_random_programs(self, hardfork: str) -> None:
        """A call's result is that on a state of its own, whatever other calls did before."""
        addresses = [Address(bytes([1, number]) * 10) for number in range(40)]
        with Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME)) as node:
            known = node.chain.vm_class.get_state_class().computation_class.opcodes
            for seed, address in enumerate(addresses):
                node.set_code(address, random_program(Random(seed), known))  # noqa: S311  # not for secrets
                node.set_balance(address, 10**18)
            block = call_block(node.chain, node.chain.header_for_calls(node.chain.head))
            for address in addresses * 2:
                request = TransactionRequest(ALICE, address, data=bytes(36))
                shared = Call(node.chain, block, request, {})
                alone = Call(node.chain, block, request, {}, lambda _state: None)

                assert shared.run(300_000)[:4] == alone.run(300_000)[:4]

    def test_one_at_a_time(self, node: Node) -> None:
        """A state is used again after it was given back, until calls have taken much gas."""
        chain, header = node.chain, node.chain.head.header
        first, second = chain.state_for_call(header), chain.state_for_call(header)
        chain.give_back(first, 21_000)
        third = chain.state_for_call(header)
        chain.give_back(third, MAX_CALL_GAS)

        assert second is not first
        assert third is first
        assert chain.state_for_call(header) is not first

    def test_edits(self, node: Node) -> None:
        """A call sees what was edited, mined and reverted since the last one."""
        store = deploy(node, COUNTER)
        request = TransactionRequest(sender=ALICE, to=store)
        results = [node.call(request)]
        with node.snapshot():
            node.set_storage(store, 0, 5)
            results.append(node.call(request))
            node.send(request._replace(gas=100_000))
            results.append(node.call(request))
        results.append(node.call(request))

        assert results == [word(1), word(6), word(7), word(1)]


class TestGas:
    def test_cap(self) -> None:
        """More gas than the cap is capped, not refused."""
        node = Node(Config(network="test", fixed_clock=GENESIS_TIME, call_gas_cap=100_000))
        gas_left = deploy(node, assemble("GAS 0 MSTORE 32 0 RETURN"))

        for gas in (None, 100_000, 2**64, 2**256):
            left = int.from_bytes(node.call(TransactionRequest(to=gas_left, gas=gas)), "big")
            assert left == 100_000 - 21_000 - 2

    @pytest.mark.parametrize("gas", [0, 20_999])
    def test_below_intrinsic(self, node: Node, gas: int) -> None:
        """A gas limit below the intrinsic gas fails before any code runs."""
        with pytest.raises(ExecutionFailed, match=f"intrinsic gas too low: have {gas}"):
            node.call(TransactionRequest(to=BOB, gas=gas))

    def test_block_limit_is_the_default(self) -> None:
        """Without a cap a call gets the block gas limit."""
        node = Node(Config(network="test", fixed_clock=GENESIS_TIME, gas_limit=150_000))
        loop = run(node, None, init_code(LOOP), gas=150_000).contract_address

        with pytest.raises(ExecutionFailed, match="out of gas"):
            node.call(TransactionRequest(to=loop, gas=2**60, data=word(2**255)))


class TestFailures:
    @pytest.mark.parametrize(
        ("runtime", "data", "text"),
        [
            pytest.param(INVALID, b"", "invalid opcode", id="invalid"),
            pytest.param(BAD_JUMP, b"", "invalid jump destination", id="jump"),
            pytest.param(UNDERFLOW, b"", "stack underflow", id="underflow"),
            pytest.param(GROW_MEMORY, word(2**40), "out of gas", id="memory"),
            pytest.param(GROW_MEMORY, b"\xff" * 32, "out of gas", id="memory-most"),
        ],
    )
    def test_exceptional_halt(self, node: Node, runtime: bytes, data: bytes, text: str) -> None:
        """An exceptional halt raises an error with its reason and no payload."""
        contract = deploy(node, runtime)

        with pytest.raises(ExecutionFailed, match=f"^{text}$") as refusal:
            node.call(TransactionRequest(to=contract, data=data))
        assert refusal.value.payload == b""

    @pytest.mark.parametrize(
        ("payload", "text"),
        [
            (b"", "execution reverted"),
            (error_payload("no way"), "execution reverted: no way"),
            (panic_payload(0x12), "execution reverted: panic: division or modulo by zero (0x12)"),
            (b"\xaa\xbb\xcc\xdd\x00", "execution reverted: custom error 0xaabbccdd"),
        ],
        ids=["empty", "error", "panic", "custom"],
    )
    def test_revert(self, node: Node, payload: bytes, text: str) -> None:
        """A revert raises an error with its payload and the reason decoded from it."""
        contract = deploy(node, REVERT)

        with pytest.raises(ExecutionReverted) as refusal:
            node.call(TransactionRequest(to=contract, data=payload))
        assert (str(refusal.value), refusal.value.payload) == (text, payload)

    def test_huge_calldata(self, node: Node) -> None:
        """Calldata that costs more than the block gas limit is refused."""
        request = TransactionRequest(to=BOB, data=b"\x01" * 1_000_000)

        with pytest.raises(ExecutionFailed, match="intrinsic gas too low"):
            node.call(request)
        with pytest.raises(GasAllowanceExceeded, match=f"exceeds allowance \\({LIMIT}\\)"):
            node.estimate(request)


class TestEveryOpcode:
    @pytest.mark.parametrize("operand", [b"\x60\x00", b"\x60\x01", b"\x7f" + b"\xff" * 32])
    @pytest.mark.parametrize("row", range(16))
    def test_never_crashes(self, node: Node, row: int, operand: bytes) -> None:
        """Any opcode on small and huge operands returns or raises a `DevchainError`."""
        for opcode in range(16 * row, 16 * row + 16):
            code = operand * 12 + bytes([opcode])
            with suppress(DevchainError):
                node.call(TransactionRequest(to=BOB), overrides={BOB: StateOverride(code=code)})

    @pytest.mark.parametrize("number", range(1, 20))
    @pytest.mark.parametrize("byte", [b"\x00", b"\x01", b"\xff"], ids=["00", "01", "ff"])
    def test_precompiles(self, node: Node, number: int, byte: bytes) -> None:
        """Precompiled contracts return a result or raise a `DevchainError` for any input."""
        for size in (0, 32, 96, 128, 192, 213, 1_000):
            request = TransactionRequest(to=Address(number.to_bytes(20, "big")), data=byte * size)
            with suppress(DevchainError):
                node.call(request)


Prepared = tuple[Address | None, bytes, int]
"""Recipient, data and value of a transaction."""


def _forward_fill(node: Node) -> Prepared:
    inner = deploy(node, FILL)
    return deploy(node, FORWARD), address_word(inner) + word(15) + word(9), 0


def _forward_twice(node: Node) -> Prepared:
    inner, middle = deploy(node, FILL), deploy(node, FORWARD)
    return deploy(node, FORWARD), address_word(middle) + address_word(inner) + word(20) + word(9), 0


def _clear(node: Node) -> Prepared:
    contract = deploy(node, FILL)
    run(node, contract, word(20) + word(7))
    return contract, word(20) + word(0), 0


def _clear_below_a_call(node: Node) -> Prepared:
    contract, data, _ = _clear(node)
    assert contract is not None
    return deploy(node, FORWARD), address_word(contract) + data, 0


def _create_and_pay(node: Node) -> Prepared:
    return deploy(node, CREATOR), init_code(STORE), 12


TRANSACTIONS: dict[str, Callable[[Node], Prepared]] = {
    "transfer": lambda _: (UNFUNDED, b"", 5),
    "transfer-of-nothing": lambda _: (BOB, b"", 0),
    "transfer-with-data": lambda _: (BOB, b"\x00\x01" * 20, 1),
    "to-a-precompile": lambda _: (Address(bytes(19) + b"\x04"), b"\x01" * 64, 0),
    "store": lambda node: (deploy(node, STORE), word(1), 0),
    "store-nothing": lambda node: (deploy(node, STORE), word(0), 0),
    "log": lambda node: (deploy(node, EMIT), word(1) + word(2) + b"data", 0),
    "payable": lambda node: (deploy(node, COUNTER), b"", 7),
    "loop": lambda node: (deploy(node, LOOP), word(3_000), 0),
    "clear-slots": _clear,
    "clear-slots-below-a-call": _clear_below_a_call,
    "call-a-hungry-contract": _forward_fill,
    "call-two-deep": _forward_twice,
    "recursion": lambda node: (deploy(node, RECURSE), b"", 0),
    "create": lambda _: (None, init_code(STORE), 0),
    "create-empty": lambda _: (None, b"", 0),
    "create-stop": lambda _: (None, bytes(33), 0),
    "create-with-value": lambda _: (None, init_code(COUNTER), 9),
    "create-large": lambda _: (None, init_code(bytes(3_000)), 0),
    "create-by-a-contract": _create_and_pay,
    "destroy": lambda node: (deploy(node, DESTROY, value=3), address_word(UNFUNDED), 0),
    "memory": lambda node: (deploy(node, GROW_MEMORY), word(50_000), 0),
}


class TestEstimate:
    @pytest.mark.parametrize("gas_price", [None, 0, 3])
    @pytest.mark.parametrize("name", TRANSACTIONS)
    def test_is_exact(self, node: Node, name: str, gas_price: int | None) -> None:
        """Sending with the estimate succeeds, sending with one less fails."""
        to, data, value = TRANSACTIONS[name](node)
        request = TransactionRequest(ALICE, to, gas_price=gas_price, value=value, data=data)
        estimate = node.estimate(request)
        snapshot = node.snapshots.take()

        enough = receipt_of(node, node.send(request._replace(gas=estimate)))
        node.revert(snapshot)

        assert enough.succeeded
        assert not _succeeds(node, request._replace(gas=estimate - 1))

    def test_in_the_pending_block(self, node: Node) -> None:
        """An estimate at `pending` runs after the pending transactions: the slot is set already."""
        store = deploy(node, STORE)
        request = TransactionRequest(ALICE, store, data=word(2))
        fresh = node.estimate(request)
        node.miner.running = False
        send(node, store, word(1))

        assert fresh - node.estimate(request, Tag.PENDING) > 10_000
        assert node.estimate(request, Tag.LATEST) == fresh

    def test_at_an_old_block(self, node: Node) -> None:
        """An estimate on an old block runs in the block that would have followed it."""
        number = assemble("NUMBER 0 MSTORE 32 0 REVERT")
        node.miner.mine()
        node.miner.mine()

        seen = []
        for block in (0, 1, Tag.LATEST, Tag.PENDING):
            with pytest.raises(ExecutionReverted) as refusal:
                node.estimate(
                    TransactionRequest(to=BOB), block, overrides={BOB: StateOverride(code=number)}
                )
            seen.append(refusal.value.payload)

        assert seen == [word(1), word(2), word(3), word(3)]

    @pytest.mark.parametrize(
        ("runtime", "data", "value", "refusal"),
        [
            pytest.param(REVERT, error_payload("no"), 0, ExecutionReverted, id="revert"),
            pytest.param(INVALID, b"", 0, ExecutionFailed, id="invalid"),
            pytest.param(NOT_PAYABLE, b"", 1, ExecutionReverted, id="not-payable"),
            pytest.param(LOOP, word(2**255), 0, GasAllowanceExceeded, id="endless"),
        ],
    )
    def test_never_succeeds(
        self, node: Node, runtime: bytes, data: bytes, value: int, refusal: type[DevchainError]
    ) -> None:
        """A call that fails with the block gas limit has no estimate."""
        contract = deploy(node, runtime)

        with pytest.raises(refusal):
            node.estimate(TransactionRequest(ALICE, contract, 300_000, None, value, data))

    def test_allowance(self, node: Node) -> None:
        """A gas limit in the request is the upper bound of the estimate."""
        store = deploy(node, STORE)
        request = TransactionRequest(ALICE, store, data=word(1))
        needed = node.estimate(request)

        assert node.estimate(request._replace(gas=needed)) == needed
        with pytest.raises(GasAllowanceExceeded, match=rf"exceeds allowance \({needed - 1}\)"):
            node.estimate(request._replace(gas=needed - 1))

    def test_gas_the_sender_can_pay(self, node: Node) -> None:
        """With a gas price the upper bound is what the sender can pay."""
        price = FUNDS // 30_000
        request = TransactionRequest(ALICE, BOB, gas_price=price)
        store = deploy(node, STORE)

        assert node.estimate(request) == 21_000
        with pytest.raises(GasAllowanceExceeded, match=r"\(30000\)"):
            node.estimate(request._replace(to=store, data=word(1)))

    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT")  # py-evm's, from Cancun on
    @pytest.mark.parametrize("hardfork", ["vetiver", "frontier", "istanbul", "prague"])
    def test_random_programs(self, hardfork: str) -> None:
        """Of any program the estimate is enough, and less is not, however it was found."""
        estimated = 0
        with Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME)) as node:
            vm_class = node.chain.rules.vm_class
            known = vm_class.get_state_class().computation_class.opcodes
            for seed in range(80):
                code = random_program(Random(seed), known)  # noqa: S311  # not for secrets
                overrides = {BOB: StateOverride(code=code, balance=10**18)}
                request = TransactionRequest(ALICE, BOB, 300_000, data=bytes(36))
                call = Call(
                    node.chain, call_block(node.chain, node.chain.head.header), request, overrides
                )
                try:
                    estimate = call.estimate_gas(300_000)
                except DevchainError:
                    continue
                assert call.run(estimate).failure is None
                assert call.run(estimate - 1).failure is not None
                estimated += not observes_gas(code)

        assert estimated > 5

    def test_one_run_where_gas_is_not_seen(self, node: Node) -> None:
        """A contract that sees no gas is run once, also if data behind its code looks like GAS."""
        store, caller = deploy(node, STORE + b"\x00\x5a"), deploy(node, assemble("GAS STOP"))

        for contract, runs in ((store, 1), (BOB, 1), (caller, 3)):
            opened: list[Any] = []
            request = TransactionRequest(ALICE, contract, data=word(1))
            block = call_block(node.chain, node.chain.head.header)
            Call(node.chain, block, request, {}, opened.append).estimate_gas(100_000)
            assert len(opened) == runs

    @pytest.mark.parametrize("hardfork", ["vetiver", "istanbul", "berlin", "prague"])
    @pytest.mark.parametrize("value", [0, 7])
    def test_few_runs_of_nested_calls(self, hardfork: str, value: int) -> None:
        """What calls keep back, and SSTORE's condition on gas left, are known from the first run.

        The innermost contract ends by unlocking its slot, which needs more gas than it uses.
        """
        with Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME)) as node:
            lock = deploy(node, assemble("1 5 SSTORE 0 5 SSTORE STOP"))
            for sent in (0, 0, value):
                call = f"0 0 0 0 {sent} 0x{lock.hex()} GAS CALL"
                code = f"{call} @ok JUMPI 0 0 REVERT ok: 1 1 SSTORE {call} @end JUMPI INVALID end:"
                lock = deploy(node, assemble(code))
            opened: list[Any] = []
            request = TransactionRequest(ALICE, lock, value=2 * value)
            block = call_block(node.chain, node.chain.head.header)
            estimate = Call(node.chain, block, request, {}, opened.append).estimate_gas(10_000_000)
            assert len(opened) == 3
            assert _succeeds(node, request._replace(gas=estimate))

    def test_gas_that_a_contract_wants(self, node: Node) -> None:
        """A limit far above the gas that the first run used is found as well."""
        greedy = deploy(node, assemble("999999 GAS LT @refuse JUMPI STOP refuse: 0 0 REVERT"))
        request = TransactionRequest(ALICE, greedy)
        estimate = node.estimate(request)
        assert 1_000_000 < estimate < 1_100_000
        assert _succeeds(node, request._replace(gas=estimate))
        assert not _succeeds(node, request._replace(gas=estimate - 1))


def _succeeds(node: Node, request: TransactionRequest) -> bool:
    try:
        return receipt_of(node, node.send(request)).succeeded
    except TransactionRejected:
        return False


class TestEnvironment:
    """What a contract sees of the chain: in a transaction, in a call, in the pending block."""

    FIELDS = 10

    @pytest.fixture
    def config(self) -> Config:
        """A node with a minimum gas price that is not 0."""
        return Config(network="test", fixed_clock=GENESIS_TIME, min_gas_price=7)

    def expected(self, node: Node, number: int, gas_price: int, sender: Address) -> list[int]:
        """The environment of a transaction in that block."""
        header = node.chain.block(number).header
        return [
            number,
            header.timestamp,
            int.from_bytes(header.coinbase, "big"),
            gas_price,
            31,
            7,
            LIMIT,
            int.from_bytes(sender, "big"),
            int.from_bytes(sender, "big"),
            int.from_bytes(node.chain.block(number - 1).hash, "big"),
        ]

    def split(self, returned: bytes) -> list[int]:
        """The words a call returned."""
        return [int.from_bytes(returned[at : at + 32], "big") for at in range(0, len(returned), 32)]

    def test_in_a_transaction(self, node: Node) -> None:
        """A mined transaction sees its own block."""
        contract = deploy_paid(node, ENVIRONMENT)
        run(node, contract, word(1), gas_price=9)

        state = node.chain.state_at(Tag.LATEST)
        seen = [state.storage(contract, slot) for slot in range(self.FIELDS)]

        assert seen == self.expected(node, node.chain.height, 9, ALICE)

    def test_in_a_call(self, node: Node) -> None:
        """A call sees the block it names, not the one after it."""
        contract = deploy_paid(node, ENVIRONMENT)
        for _ in range(3):
            node.miner.mine()

        for number in range(1, 5):
            request = TransactionRequest(BOB, contract, data=word(1))
            seen = self.split(node.call(request, number))
            assert seen == self.expected(node, number, 0, BOB)

    def test_in_the_pending_block(self, node: Node) -> None:
        """A call at `pending` sees the block that would be mined now."""
        contract = deploy_paid(node, ENVIRONMENT)
        node.clock.advance(100)

        request = TransactionRequest(ALICE, contract, gas_price=8, data=word(1))
        seen = self.split(node.call(request, Tag.PENDING))
        run(node, contract, word(1), gas_price=8)

        assert seen == self.expected(node, node.chain.height, 8, ALICE)
        assert seen[1] == node.chain.block(node.chain.height - 1).timestamp + 100

    def test_without_a_sender(self, node: Node) -> None:
        """A call without `from` comes from the zero address."""
        contract = deploy_paid(node, ENVIRONMENT)

        seen = self.split(node.call(TransactionRequest(to=contract, data=word(1))))

        assert (seen[7], seen[8]) == (0, 0)


def deploy_paid(node: Node, runtime: bytes) -> Address:
    """Deploy on a node with a minimum gas price."""
    created = run(node, None, init_code(runtime), gas_price=7).contract_address
    assert created is not None, "not a creation"
    return created


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
    request = TransactionRequest(to=UNFUNDED, gas=100_000, gas_price=gas_price, sender=BOB)
    overrides = {UNFUNDED: StateOverride(code=BLOCK), BOB: StateOverride(balance=10**30)}
    answer = node.call(request, overrides=overrides, block_override=override)
    return tuple(decode(["uint256"] * 6, answer))


def hash_of(node: Node, number: int, override: BlockOverride) -> bytes:
    """What BLOCKHASH returns for a number."""
    request = TransactionRequest(to=UNFUNDED, data=word(number))
    return node.call(
        request, overrides={UNFUNDED: StateOverride(code=HASH_OF)}, block_override=override
    )


class TestCallBlock:
    @pytest.mark.parametrize("hardfork", ["vetiver", "london"])
    def test_all_of_it(self, hardfork: str) -> None:
        """A call sees the overridden header fields; the next call sees the chain's."""
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
        """Since Paris the opcode DIFFICULTY returns PREVRANDAO, which can be overridden."""
        override = BlockOverride(random=SOME_HASH)

        assert seen(node_of("prague"), override)[4] == int.from_bytes(SOME_HASH, "big")

    def test_base_fee_without_price(self) -> None:
        """Under Ethereum's rules a call without a gas price runs with a base fee of 0."""
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
        """A field that blocks do not have under the hardfork is refused by name."""
        with pytest.raises(InvalidInput, match=member):
            seen(node_of(hardfork), override)

    def test_estimate(self, node: Node) -> None:
        """An estimate runs in the overridden block too."""
        spend = assemble("NUMBER 5 LT @end JUMPI 1 0 SSTORE end: STOP")
        overrides = {UNFUNDED: StateOverride(code=spend)}
        request = TransactionRequest(to=UNFUNDED)

        cheap = node.estimate(request, overrides=overrides, block_override=BlockOverride(number=9))

        assert node.estimate(request, overrides=overrides) - cheap > 15_000


class TestHashes:
    def test_chain(self) -> None:
        """BLOCKHASH returns hashes of the chain's blocks, and zero from the overridden block on."""
        node = node_of("vetiver")
        override = BlockOverride(number=100)

        assert hash_of(node, 2, override) == node.chain.block(2).hash
        assert hash_of(node, 3, override) == bytes(32)
        assert hash_of(node, 99, override) == bytes(32)
        assert hash_of(node, 100, override) == bytes(32)

    def test_overridden(self) -> None:
        """Overridden hashes replace the chain's."""
        node = node_of("prague")
        override = BlockOverride(hashes={1: SOME_HASH})

        assert hash_of(node, 1, override) == SOME_HASH
        assert hash_of(node, 2, override) == node.chain.block(2).hash

    def test_far_away(self) -> None:
        """Only the last 256 blocks before the overridden number have hashes."""
        node = node_of("vetiver")
        given = {HIGH - 256: SOME_HASH, HIGH - 257: SOME_HASH}
        override = BlockOverride(number=HIGH, hashes=given)

        assert hash_of(node, HIGH - 256, override) == SOME_HASH
        assert hash_of(node, HIGH - 257, override) == bytes(32)
        assert hash_of(node, 2, override) == bytes(32)


def test_tracing(node: Node) -> None:
    """`debug_traceCall` takes state and block overrides in its options."""
    from devchain.client.http import LocalClient

    address = "0x" + Address(UNFUNDED).hex()
    options = {
        "tracer": "callTracer",
        "stateOverrides": {address: {"code": "0x" + BLOCK.hex()}},
        "blockOverrides": {"number": "0x4d", "time": 5},
    }

    shown = LocalClient(node).call("debug_traceCall", {"to": address}, "latest", options)

    assert shown["output"].startswith("0x" + word(77).hex() + word(5).hex())
