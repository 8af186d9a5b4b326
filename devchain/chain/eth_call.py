"""Calls without a transaction: `eth_call` and `eth_estimateGas`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from eth.constants import GAS_CALLSTIPEND, MAX_PREV_HEADER_DEPTH
from eth.exceptions import VMError
from eth_utils.exceptions import ValidationError

from devchain.chain.chain import Chain
from devchain.chain.signing import check_fee_fields, unsigned_transaction
from devchain.chain.transaction import ACCESS_LIST, CREATION, DYNAMIC_FEE, LEGACY, SET_CODE
from devchain.errors import (
    EstimateFailed,
    ForkCacheMiss,
    GasAllowanceExceeded,
    InvalidInput,
    TransferUnaffordable,
)
from devchain.evm.failures import Failure, FailureKind
from devchain.evm.instruction_counts import counts_instructions, uncounted
from devchain.evm.needed_gas import needed_gas_class
from devchain.evm.opcodes import observes_gas
from devchain.evm.rootstock.computation import peak_class
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from devchain.state.state_database import RetainedState
from devchain.state.state_view import apply_overrides
from devchain.types import (
    ZERO_ADDRESS,
    ZERO_HASH,
    Address,
    BlockOverride,
    Hash32,
    StateOverrides,
    Tag,
    TransactionRequest,
    checksum,
    wrong_type,
)


class CallBlock(NamedTuple):
    """The block a call runs in; if it `is_new`, the header's state is still the parent's.

    `state` keeps the header's state where no block of the chain has it.
    """

    header: Any
    hashes: tuple[Hash32, ...] | None = None
    is_new: bool = False
    state: RetainedState | None = None

    def after(self, chain: Chain, state: Any) -> CallBlock:
        """The block for the next call, with the state that a call in this one has left."""
        state.persist()
        kept = chain.database.retain_state(Hash32(state.state_root))
        header = self.header.copy(state_root=kept.root)
        return self._replace(header=header, is_new=False, state=kept)


def call_block(
    chain: Chain, header: Any, override: BlockOverride | None = None, *, is_new: bool = False
) -> CallBlock:
    """The block with overrides; BLOCKHASH is zero for numbers from the header's own on."""
    if override is None:
        return CallBlock(header, is_new=is_new)
    if not isinstance(override, BlockOverride):
        raise wrong_type(override, BlockOverride)
    if override.blob_base_fee is not None:
        raise InvalidInput("blobBaseFee: calls have that of the block; leave it out")
    changed = chain.rules.override_header(header, override)
    if override.number is None and not override.hashes:
        return CallBlock(changed, is_new=is_new)
    newest = changed.block_number - 1
    numbers = range(newest, max(-1, newest - MAX_PREV_HEADER_DEPTH), -1)
    known = {number: chain.block(number).hash for number in numbers if number < header.block_number}
    known |= override.hashes
    return CallBlock(changed, tuple(known.get(number, ZERO_HASH) for number in numbers), is_new)


ANY_CHAIN = 1  # the chain id of transactions that are never signed


class UnsignedTransaction(NamedTuple):
    """A transaction of a call, with the attributes that py-evm's executors read.

    `gas_price` is the most it pays per gas; `least_gas` is what its gas limit has to be, which is
    more than `intrinsic_gas` where data has a floor price (EIP-7623).
    """

    sender: Address
    nonce: int
    gas_price: int
    max_priority_fee_per_gas: int
    gas: int
    to: bytes
    value: int
    data: bytes
    intrinsic_gas: int
    least_gas: int
    access_list: tuple[Any, ...] = ()
    authorization_list: tuple[Any, ...] = ()
    type_id: int | None = None
    # py-evm's early executors write the signature to their debug log.
    y_parity: int = 0
    r: int = 0
    s: int = 0

    @property
    def max_fee_per_gas(self) -> int:
        return self.gas_price


class CallResult(NamedTuple):
    """The result of a call; `failure` is None when it succeeded.

    `gas_used` is after refunds, `gas_needed` before them. `message` is py-evm's, None if none ran.
    """

    output: bytes
    gas_used: int
    gas_needed: int
    failure: Failure | None
    message: Any = None


class Call:
    """A call that can be run any number of times in one block, with different gas limits.

    Runs count in the coverage unless `is_counted` is set to False.
    """

    def __init__(
        self,
        chain: Chain,
        block: CallBlock,
        request: TransactionRequest,
        overrides: StateOverrides,
        on_open_state: Callable[[Any], None] | None = None,
    ) -> None:
        """`on_open_state` is given the state of each run before it starts: tracers attach to it."""
        self.chain, self.block, self.request, self.overrides = chain, block, request, overrides
        self._on_open_state = on_open_state
        self.sender: Address = request.sender or ZERO_ADDRESS
        self._rules = rules = chain.rules_of_call(block.header.block_number)
        types = rules.transaction_types
        # Fees, in wei per gas: the most that the caller offers, 0 if the request has none, and
        # the part of it for the miner. Rules without fee caps ignore a call's.
        self._has_fee_caps = DYNAMIC_FEE in types
        cap = request.max_fee_per_gas if self._has_fee_caps else None
        self._gas_price = request.gas_price or cap or 0
        tip = request.max_priority_fee_per_gas or 0
        self._max_priority_fee = tip if cap else self._gas_price
        if cap and tip and rules.has_minimum_gas_price:  # all of the price is the miner's
            self._gas_price = self._max_priority_fee = min(cap, tip)
        # The access list where the rules have type 1, and the first type with the request's fields
        self._access_list = request.access_list if ACCESS_LIST in types else ()
        self._type: int = ACCESS_LIST if self._access_list else LEGACY
        if request.authorizations and SET_CODE in types:
            self._type = SET_CODE
        # A base fee is owed only by callers that offer a gas price.
        header = block.header
        self._header = header if self._gas_price else chain.header_without_base_fee(header)
        self._known_gas: tuple[int, int] | None = None
        self.is_counted = True
        self._is_measured = False  # whether it finds the gas needed, for an estimate
        self.checks_funds = True  # whether an estimate is refused for lack of them

    # eth_call

    def execute(self, gas: int) -> bytes:
        """Run the call; its return data.

        Raises `ExecutionReverted` or `ExecutionFailed`, `EstimateFailed` for impossible fees and
        `TransferUnaffordable` if the sender cannot pay the gas.
        """
        self._check_fees()
        self.check_funds(gas)
        result = self.run(gas, pays=self._gas_price > 0)
        if result.failure:
            raise result.failure.to_error()
        return result.output

    def run(self, gas: int, *, pays: bool = True) -> CallResult:
        """Run the call with that gas limit on a fresh copy of the state.

        Unless it `pays` for it at the end, the gas used is before refunds. On a fork it is executed
        speculatively until all values are known.
        """
        fork = self.chain.fork
        if fork is None or self._on_open_state:  # a tracer must not see what is guessed
            return self._run(gas, pays=pays)
        is_counted, self.is_counted = self.is_counted, False  # a guess may run other lines
        try:
            result = fork.speculation.complete(
                lambda: self._run(gas, pays=pays), self.request.to, self.request.data
            )
        finally:
            self.is_counted = is_counted
        state_class = self.chain.vm_class.get_state_class()
        if is_counted and counts_instructions(state_class.computation_class):
            return self._run(gas, pays=pays)
        return result

    def _run(self, gas: int, *, pays: bool) -> CallResult:
        tx = self._transaction(gas)
        if gas < tx.least_gas:
            message = f"intrinsic gas too low: have {gas}, want {tx.least_gas}"
            return CallResult(b"", gas, tx.least_gas, Failure(FailureKind.OUT_OF_GAS, message))
        try:
            computation = self._compute(tx, pays=pays)
        except VMError as error:
            return CallResult(b"", gas, gas, Failure.of(error, b""))
        except ValidationError:
            # Overrides can make balances and nonces that overflow when they are used.
            message = "a balance or a nonce would be out of range"
            return CallResult(b"", gas, gas, Failure(FailureKind.OTHER, message))
        # Rootstock's transactions succeed if a precompiled contract refuses their input: the reason
        # is no part of the receipt, but what the caller of `eth_call` has to know.
        refusal = getattr(computation, "refusal", None)
        stopped = computation.error if computation.is_error else refusal
        failure = stopped and Failure.of_computation(computation, stopped, self._rules.hardfork)
        gas_needed = gas_used = tx.gas - computation.get_gas_remaining()
        if self._is_measured:
            gas_needed = max(gas_needed, tx.gas - computation.msg.gas + computation.needed_gas)
        if pays:
            gas_used = self._rules.vm_class.finalize_gas_used(tx, computation)
        return CallResult(
            output=computation.output,
            gas_used=gas_used,
            gas_needed=gas_needed,
            failure=failure,
            message=computation.msg,
        )

    def _compute(self, tx: UnsignedTransaction, *, pays: bool = True) -> Any:
        # It is applied without py-evm's check of nonce, balance and signature.
        state = self._open_state(tx)
        executor = state.get_transaction_executor()
        computation = executor.build_computation(executor.build_evm_message(tx), tx)
        if pays:
            executor.finalize_computation(tx, computation)
        if self._shares_state:
            self.chain.give_back(state, tx.gas - computation.get_gas_remaining())
        return computation

    @property
    def _shares_state(self) -> bool:
        # Whether it runs on the chain's state as it is, so that another call can use it too.
        block = self.block
        is_plain = not (self.overrides or self._on_open_state or block.is_new or block.hashes)
        return is_plain and self.is_counted and self.chain.fork is None

    def _open_state(self, tx: UnsignedTransaction) -> Any:
        if self._shares_state:
            state = self.chain.state_for_call(self._header)
            self._lend_funds(state, tx)
            return state
        state = self.chain.open_state(self._header, self.block.hashes)
        if self.block.is_new:
            self._rules.begin_block(state, self.block.header)
            state.lock_changes()
        if self.overrides:
            override_accounts(state, self.overrides)
        self._lend_funds(state, tx)
        if not self.is_counted:
            state.computation_class = uncounted(state.computation_class)
        if self._is_measured:
            state.computation_class = needed_gas_class(state.computation_class)
        if self._on_open_state:
            self._on_open_state(state)
        return state

    def _lend_funds(self, state: Any, tx: UnsignedTransaction) -> None:
        needed = tx.value
        if tx.gas_price:
            needed = 0 if self.checks_funds else needed + tx.gas * tx.gas_price
        if needed and state.get_balance(tx.sender) < needed:
            state.set_balance(tx.sender, needed)
            state.lock_changes()

    # eth_estimateGas

    def estimate_gas(self, ceiling: int) -> int:
        """The least gas limit with which the transaction succeeds.

        It is at most `ceiling`, and at most the request's gas. Raises what `execute` raises, and
        `GasAllowanceExceeded`.
        """
        self._check_fees()
        ceiling = self._affordable_gas(min(self.request.gas or ceiling, ceiling))
        self._is_measured = True
        first = self.run(ceiling)
        self._is_measured = False
        if first.failure and first.failure.kind is FailureKind.OUT_OF_GAS:
            raise GasAllowanceExceeded(
                f"gas required exceeds allowance ({ceiling})", allowance=ceiling
            )
        if first.failure:
            raise first.failure.to_error()
        needed = max(first.gas_needed, self._least_gas)
        if not self._observes_gas(first):
            return needed
        # Between a limit that fails and one that succeeds. What the first run needed is nearly
        # always the answer, so it and its neighbour are tried first, then limits farther away.
        least, most = low, high = self._least_gas - 1, ceiling
        guess, step = min(needed, ceiling - 1), 1
        while high - low > 1:
            if self._is_too_little(self.run(guess), first):
                low = guess
            else:
                high = guess
            if low == least:
                guess = max(high - step, low + 1)
            elif high == most:
                guess = min(low + step, high - 1)
            else:
                guess = (low + high) // 2
            step *= 8
        return high

    def _observes_gas(self, result: CallResult) -> bool:
        # Only of calls of one contract is known that it could not.
        message, vm_class = result.message, self._rules.vm_class
        if message is None or message.is_create or self._type == SET_CODE:
            return True
        precompiles = vm_class.get_state_class().computation_class.get_precompiles()
        return message.code_address in precompiles or observes_gas(message.code)

    def _is_too_little(self, result: CallResult, first: CallResult) -> bool:
        without_code = self.request.to is None and bool(first.output) and not result.output
        return result.failure is not None or without_code

    def _affordable_gas(self, ceiling: int) -> int:
        price, value = self._gas_price, self.request.value or 0
        if not self.checks_funds or not (price or value):
            return ceiling
        balance, cost = self._balance(), value + price * self._least_gas
        if balance < cost:
            raise TransferUnaffordable(
                f"insufficient funds for transfer: balance {balance} wei, cost {cost} wei; "
                f"{self._whose_funds}"
            )
        return min(ceiling, (balance - value) // price) if price else ceiling

    # Fees

    def _check_fees(self) -> None:
        if not self._has_fee_caps:
            return
        check_fee_fields(self.request)
        price, tip = self._gas_price, self._max_priority_fee
        base_fee = self._rules.lowest_gas_price(self.block.header)
        if price and price < base_fee:
            raise EstimateFailed(
                f"max fee per gas less than block base fee: {price} < {base_fee} wei"
            )
        if tip > price:
            raise EstimateFailed(f"max priority fee per gas higher than max fee per gas: {tip} wei")

    def check_funds(self, gas: int) -> None:
        price = self._gas_price
        if not price:
            return
        balance, cost = self._balance(), gas * price + (self.request.value or 0)
        if balance < cost:
            raise TransferUnaffordable(
                f"insufficient funds for gas * price + value: have {balance}, want {cost}; "
                f"{self._whose_funds}"
            )

    @property
    def _whose_funds(self) -> str:
        if self.request.sender is None:
            return "the sender is the zero address, since the request has no from"
        return f"the sender is {checksum(self.sender)}"

    def _balance(self) -> int:
        override = self.overrides.get(self.sender)
        if override is not None and override.balance is not None:
            return override.balance
        return int(self.chain.open_state(self.block.header).get_balance(self.sender))

    # The transaction

    def _transaction(self, gas: int) -> UnsignedTransaction:
        request = self.request
        intrinsic_gas, least_gas = self.gas_before_code()
        authorizations: tuple[Any, ...] = ()  # py-evm's, where the rules have type 4
        if self._type == SET_CODE:
            authorizations = tuple(self._unsigned.authorization_list)
        return UnsignedTransaction(
            sender=self.sender,
            nonce=0,
            gas_price=self._gas_price,
            max_priority_fee_per_gas=self._max_priority_fee,
            gas=gas,
            to=CREATION if request.to is None else request.to,
            value=request.value or 0,
            data=request.data,
            intrinsic_gas=intrinsic_gas,
            least_gas=least_gas,
            access_list=self._access_list,
            authorization_list=authorizations,
            type_id=SET_CODE if authorizations else None,
        )

    def gas_before_code(self) -> tuple[int, int]:
        if self._known_gas is None:
            request, rules = self.request, self._rules
            if self._type == LEGACY:
                self._known_gas = rules.legacy_gas(request.to or CREATION, request.data)
            else:
                self._known_gas = rules.typed_gas(self._unsigned)
        return self._known_gas

    @property
    def _least_gas(self) -> int:
        return self.gas_before_code()[1]

    @cached_property
    def _unsigned(self) -> Any:
        plain = self.request._replace(
            type=self._type,
            nonce=0,
            gas=0,
            gas_price=0,
            max_fee_per_gas=0,
            max_priority_fee_per_gas=0,
            value=self.request.value or 0,
        )
        return unsigned_transaction(plain, ANY_CHAIN, self._rules)


def override_accounts(state: Any, overrides: StateOverrides) -> None:
    precompiles = state.computation_class.get_precompiles()
    for address in overrides:
        if address in precompiles:
            raise InvalidInput(f"precompiled contracts can not be overridden: 0x{address.hex()}")
    apply_overrides(state, overrides)


def prefetch(chain: Chain, request: TransactionRequest, coinbase: Address) -> None:
    if chain.fork is None:
        return
    header = chain.header_for_calls(chain.head)
    sender, receiver = request.sender or ZERO_ADDRESS, request.to

    def read_accounts() -> None:
        accounts = chain.state_at(Tag.LATEST).accounts
        accounts.get_nonce(sender)
        accounts.get_balance(sender)
        accounts.get_balance(coinbase)
        if receiver is not None:
            accounts.get_code(receiver)
            if not request.data:  # no contract then, as a rule: more is read of an account
                accounts.get_nonce(receiver)
                accounts.get_balance(receiver)

    def read_all() -> None:
        read_accounts()
        call.run(gas)

    speculation = chain.fork.speculation
    try:
        with speculation.execution():
            read_accounts()
    except ForkCacheMiss:
        call = Call(chain, call_block(chain, header), request._replace(gas_price=None), {})
        call.is_counted = False
        gas = min(request.gas or header.gas_limit, header.gas_limit)
        speculation.complete(read_all, receiver, request.data)


# Calls as rskj runs them


class UncheckedCall(Call):
    """A call under Rootstock's rules whose sender need not have the value or the gas."""

    def check_funds(self, gas: int) -> None:
        """Do nothing."""

    def _lend_funds(self, state: Any, tx: UnsignedTransaction) -> None:
        funds = max(state.get_balance(tx.sender), tx.value)
        state.set_balance(tx.sender, funds + tx.gas * tx.gas_price)
        state.lock_changes()

    def estimate_gas(self, ceiling: int) -> int:
        """The gas of one run, with the request's gas or `ceiling` if that is lower, at its peak.

        It may be more than a transaction needs, or, with a call that got all remaining gas, less. A
        call with value adds its stipend once more. Raises `ExecutionReverted`.
        """
        gas = ceiling if self.request.gas is None else min(self.request.gas, ceiling)
        tx = self._transaction(gas)
        if gas < tx.least_gas or (self.request.to is None and not tx.data):
            return 0
        computation = self._compute(tx)
        stipend = GAS_CALLSTIPEND if computation.sends_value else 0
        return min(_needed(tx, computation) + stipend, ceiling)

    def _open_state(self, tx: UnsignedTransaction) -> Any:
        state = super()._open_state(tx)
        state.computation_class = peak_class(state.computation_class)
        return state


def _needed(tx: UnsignedTransaction, computation: Any) -> int:
    used = tx.gas - computation.get_gas_remaining()
    if computation.is_error:
        failure = Failure.of(computation.error, computation.output)
        if failure.kind is FailureKind.REVERT:
            raise failure.to_error()
        used = used if isinstance(computation.error, PrecompileFailed) else tx.gas
    elif not computation.forwards_all:
        used = max(used, tx.gas - computation.msg.gas + computation.peak)
    return int(used)
