"""Running a call without a transaction: `eth_call`, and the search for the right gas limit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from eth.constants import MAX_PREV_HEADER_DEPTH
from eth.exceptions import VMError
from eth_utils.exceptions import ValidationError

from devchain.chain.chain import Chain
from devchain.chain.signing import check_fee_fields, unsigned_transaction
from devchain.chain.transaction import ACCESS_LIST, CREATION, DYNAMIC_FEE, LEGACY, SET_CODE
from devchain.errors import (
    EstimateFailed,
    GasAllowanceExceeded,
    InvalidInput,
    TransferUnaffordable,
)
from devchain.evm.failures import Failure, FailureKind
from devchain.evm.rules import Rules
from devchain.state.overrides import apply_overrides
from devchain.types import (
    ZERO_ADDRESS,
    ZERO_HASH,
    Address,
    BlockOverride,
    Hash32,
    StateOverrides,
    TransactionRequest,
)


@dataclass(frozen=True, slots=True)
class CallBlock:
    """Its header, and what BLOCKHASH sees before it, newest first, if not the chain's own."""

    header: Any
    hashes: tuple[Hash32, ...] | None = None


def call_block(chain: Chain, header: Any, override: BlockOverride | None = None) -> CallBlock:
    """The block of that header with the overrides; its state stays that of the header.

    Numbers up to the header's have the hashes of the chain, later ones none.
    """
    if override is None:
        return CallBlock(header)
    changed = chain.rules.override_header(header, override)
    if override.number is None and not override.hashes:
        return CallBlock(changed)
    newest = changed.block_number - 1
    numbers = range(newest, max(-1, newest - MAX_PREV_HEADER_DEPTH), -1)
    known = {number: chain.block(number).hash for number in numbers if number < header.block_number}
    known |= override.hashes
    return CallBlock(changed, tuple(known.get(number, ZERO_HASH) for number in numbers))


ANY_CHAIN = 1
"""The chain id of what is never signed."""


class Simulated(NamedTuple):
    """A transaction nobody has signed, with the attributes py-evm's executors read.

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
        """The gas price, for executors that know fee caps."""
        return self.gas_price


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a simulated transaction did; `failure` is None when it succeeded.

    `gas_used` is after refunds, `gas_needed` before them.
    """

    output: bytes
    gas_used: int
    gas_needed: int
    failure: Failure | None

    @property
    def is_out_of_gas(self) -> bool:
        """Whether a larger gas limit may help."""
        return self.failure is not None and self.failure.kind is FailureKind.OUT_OF_GAS


@dataclass(frozen=True)
class Simulation:
    """One request, ready to be run any number of times in one block."""

    chain: Chain
    block: CallBlock
    request: TransactionRequest
    overrides: StateOverrides

    @property
    def header(self) -> Any:
        """The header of the block it runs in."""
        return self.block.header

    def call(self, gas: int) -> bytes:
        """What the call returns; raises `ExecutionReverted` or `ExecutionFailed`."""
        self._check_fee()
        self._check_funds(gas)
        outcome = self.run(gas)
        if outcome.failure:
            raise outcome.failure.to_error()
        return outcome.output

    def estimate(self, ceiling: int) -> int:
        """The least gas limit up to `ceiling` with which the transaction succeeds.

        Raises what `call` raises, `TransferUnaffordable` or `GasAllowanceExceeded`.
        """
        self._check_fee()
        ceiling = self._affordable(ceiling)
        first = self.run(ceiling)
        if first.is_out_of_gas:
            raise GasAllowanceExceeded(f"gas required exceeds allowance ({ceiling})")
        if first.failure:
            raise first.failure.to_error()
        return self._search(first, ceiling)

    def _search(self, first: Outcome, ceiling: int) -> int:
        """Bisect between a limit that fails and one that succeeds.

        What the first run needed is nearly always the answer, so it and its neighbour go first.
        """
        low, high = self._least_gas() - 1, ceiling
        needed = max(first.gas_needed, low + 1)
        guesses = [needed, needed - 1]
        while high - low > 1:
            guess = guesses.pop(0) if guesses else (low + high) // 2
            if not low < guess < high:
                continue
            if self._falls_short(self.run(guess), first):
                low = guess
            else:
                high = guess
        return high

    def _falls_short(self, outcome: Outcome, first: Outcome) -> bool:
        """Whether it failed, or left no code: Frontier succeeds without the gas to keep it."""
        without_code = self.request.to is None and bool(first.output) and not outcome.output
        return outcome.failure is not None or without_code

    def run(self, gas: int) -> Outcome:
        """Execute with that gas limit on a fresh copy of the state."""
        tx = self._transaction(gas)
        if gas < tx.least_gas:
            msg = f"intrinsic gas too low: have {gas}, want {tx.least_gas}"
            return Outcome(b"", gas, tx.least_gas, Failure(FailureKind.OUT_OF_GAS, msg))
        try:
            return self._execute(tx)
        except VMError as error:
            return Outcome(b"", gas, gas, Failure.of(error, b""))
        except ValidationError:
            # Overrides can make balances and nonces that overflow when they are used.
            msg = "a balance or a nonce would be out of range"
            return Outcome(b"", gas, gas, Failure(FailureKind.OTHER, msg))

    def _execute(self, tx: Simulated) -> Outcome:
        state = self._open_state()
        executor = state.get_transaction_executor()
        computation = executor.build_computation(executor.build_evm_message(tx), tx)
        executor.finalize_computation(tx, computation)
        return Outcome(
            output=computation.output,
            gas_used=self.chain.vm_class.finalize_gas_used(tx, computation),
            gas_needed=tx.gas - computation.get_gas_remaining(),
            failure=Failure.of(computation.error, computation.output)
            if computation.is_error
            else None,
        )

    def _open_state(self) -> Any:
        state = self.chain.open_state(self._free_header, self.block.hashes)
        if self.overrides:
            self._refuse_precompiles(state)
            apply_overrides(state, self.overrides)
        if not self._price:
            self._lend(state)
        return state

    @cached_property
    def _free_header(self) -> Any:
        """The header under which the request is run: without a gas price it owes no base fee."""
        return self.header if self._price else self._rules.without_base_fee(self.header)

    @property
    def _price(self) -> int:
        """The most the caller offers per gas, in wei; 0 if they do not say."""
        return self.request.gas_price or (self._has_caps and self.request.max_fee_per_gas) or 0

    @property
    def _tip(self) -> int:
        """What of it goes to the miner at most."""
        capped = self._has_caps and self.request.max_fee_per_gas
        return (self.request.max_priority_fee_per_gas or 0) if capped else self._price

    @property
    def _has_caps(self) -> bool:
        """Whether the rules know fee caps; others take no notice of them in a call."""
        return DYNAMIC_FEE in self._rules.transaction_types

    @property
    def _rules(self) -> Rules:
        return self.chain.rules

    def _refuse_precompiles(self, state: Any) -> None:
        precompiles = state.computation_class.get_precompiles()
        for address in self.overrides:
            if address in precompiles:
                raise InvalidInput(
                    f"precompiled contracts can not be overridden: 0x{address.hex()}"
                )

    def _lend(self, state: Any) -> None:
        """Let a sender without funds send the value: a call is not checked for them."""
        value = self.request.value or 0
        if state.get_balance(self._sender) < value:
            state.set_balance(self._sender, value)
            state.lock_changes()

    @property
    def _sender(self) -> Address:
        return self.request.sender or ZERO_ADDRESS

    def _balance(self) -> int:
        override = self.overrides.get(self._sender)
        if override is not None and override.balance is not None:
            return override.balance
        return int(self.chain.open_state(self.header).get_balance(self._sender))

    def _check_fee(self) -> None:
        """What is offered per gas has to be what a transaction could offer."""
        if not self._has_caps:
            return
        check_fee_fields(self.request)
        base_fee = self._rules.lowest_gas_price(self.header)
        if self._price and self._price < base_fee:
            raise EstimateFailed(
                f"max fee per gas less than block base fee: {self._price} < {base_fee} wei"
            )
        if self._tip > self._price:
            raise EstimateFailed(
                f"max priority fee per gas higher than max fee per gas: {self._tip} wei"
            )

    def _check_funds(self, gas: int) -> None:
        """With a gas price, a call has to be paid for as a transaction has."""
        price = self._price
        cost = gas * price + (self.request.value or 0)
        if price and self._balance() < cost:
            raise TransferUnaffordable(
                f"insufficient funds for gas * price + value: have {self._balance()}, want {cost}"
            )

    def _affordable(self, ceiling: int) -> int:
        """The gas limit the sender can pay, at most `ceiling`."""
        price, value = self._price, self.request.value or 0
        if not price and not value:
            return ceiling
        left = self._balance() - value
        if left < 0 or (price and left < price * self._least_gas()):
            raise TransferUnaffordable("insufficient funds for transfer")
        return min(ceiling, left // price) if price else ceiling

    def _least_gas(self) -> int:
        return self._gas_before_code[1]

    def _transaction(self, gas: int) -> Simulated:
        request = self.request
        intrinsic_gas, least_gas = self._gas_before_code
        return Simulated(
            sender=self._sender,
            nonce=0,
            gas_price=self._price,
            max_priority_fee_per_gas=self._tip,
            gas=gas,
            to=CREATION if request.to is None else request.to,
            value=request.value or 0,
            data=request.data,
            intrinsic_gas=intrinsic_gas,
            least_gas=least_gas,
            access_list=self._access_list,
            authorization_list=self._authorization_list,
            type_id=SET_CODE if self._authorization_list else None,
        )

    @cached_property
    def _gas_before_code(self) -> tuple[int, int]:
        """What it costs before any code runs, and the least gas limit it has to have."""
        request = self.request
        known = self._rules.intrinsic_gas_of_call(request.to or CREATION, request.data)
        if known is not None:
            return known, known
        return int(self._unsigned.intrinsic_gas), self._rules.intrinsic_gas(self._unsigned)

    @cached_property
    def _unsigned(self) -> Any:
        """The transaction it would be, without gas and fees."""
        plain = replace(
            self.request,
            type=self._type,
            nonce=0,
            gas=0,
            gas_price=0,
            max_fee_per_gas=0,
            max_priority_fee_per_gas=0,
            value=self.request.value or 0,
        )
        return unsigned_transaction(plain, ANY_CHAIN, self._rules)

    @property
    def _type(self) -> int:
        """The first type that has what it brings along."""
        if self.request.authorizations and SET_CODE in self._rules.transaction_types:
            return SET_CODE
        return ACCESS_LIST if self._access_list else LEGACY

    @cached_property
    def _authorization_list(self) -> tuple[Any, ...]:
        """The accounts that take on code, as py-evm has them, where the rules know of it."""
        return tuple(self._unsigned.authorization_list) if self._type == SET_CODE else ()

    @property
    def _access_list(self) -> tuple[Any, ...]:
        """The slots it names beforehand, where the rules have access lists."""
        return self.request.access_list if ACCESS_LIST in self._rules.transaction_types else ()
