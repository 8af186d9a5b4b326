"""py-evm's computation, transaction executor, gas meter, stack and message for the fast engine.

They do what py-evm's own do, without validation of values that are valid by construction and
without texts for debug logs. `FastComputation.run_code` runs compiled programs. What is created
for each message: a `FastMessage`, a `FastComputation`, a `FastStack`, a `FastGasMeter`.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from types import SimpleNamespace
from typing import Any, ClassVar, cast

from eth.abc import MessageAPI, SignedTransactionAPI
from eth.constants import CREATE_CONTRACT_ADDRESS, SECPK1_N, STACK_DEPTH_LIMIT
from eth.exceptions import (
    InsufficientFunds,
    StackDepthLimit,
    VMError,
)
from eth.vm.computation import BaseComputation
from eth.vm.forks.cancun.constants import BLOB_TX_TYPE
from eth.vm.forks.cancun.state import CancunState, CancunTransactionExecutor
from eth.vm.forks.frontier.constants import MAX_REFUND_QUOTIENT, REFUND_SELFDESTRUCT
from eth.vm.forks.prague.constants import SET_CODE_TRANSACTION_TYPE
from eth.vm.forks.shanghai.computation import ShanghaiComputation
from eth.vm.forks.spurious_dragon._utils import collect_touched_accounts
from eth_utils.exceptions import ValidationError
from eth_utils.logging import get_extended_debug_logger

from devchain.evm import deadline, memory_limit
from devchain.evm.bounded import KEPT_LOG
from devchain.evm.compiler.calls import plain_calls
from devchain.evm.compiler.frame import (
    FastCodeStream,
    FastGasMeter,
    FastMemory,
    FastMessage,
    FastStack,
)
from devchain.evm.compiler.program import HOT, ProgramCache
from devchain.evm.console_capture import CONSOLE, record_console_call
from devchain.evm.rootstock.computation import CODE_HEADER, RootstockComputation
from devchain.evm.rootstock.vm import RootstockTransactionExecutor, SetCodeExecutor
from devchain.state.account_database import AccountDatabase, TransientStorage

# Computation


class _StackMethod:
    """A method of the computation's stack, which the computation keeps once it was used.

    In py-evm a cached property, which first asks whether its function is a coroutine: at the first
    use in a message that takes longer than most opcodes.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, computation: Any, _class: Any) -> Any:
        method = getattr(computation._stack, self._name)  # noqa: SLF001  # py-evm's
        setattr(computation, f"stack_{self._name}", method)
        return method


class FastComputation(BaseComputation):
    """The base class that `fast_computation` puts before py-evm's computation classes.

    `reference` is the base class of that subclass, which interprets opcode by opcode.
    """

    reference: ClassVar[Any]
    plain: ClassVar[Any]  # the class of computations that nothing observes; subclasses differ
    programs: ClassVar[ProgramCache]
    refund_strategy: ClassVar[Any]
    warms_coinbase: ClassVar[bool]  # whether the miner's account is warm at first (EIP-3651)
    skips_code_header: ClassVar[bool]  # whether code may start with Rootstock's header
    contracts_created: list[Any]
    children: list[Any]
    _error: Any
    stack_push_int: Any = _StackMethod("push_int")
    stack_push_bytes: Any = _StackMethod("push_bytes")
    stack_pop1_int: Any = _StackMethod("pop1_int")
    stack_pop1_bytes: Any = _StackMethod("pop1_bytes")
    stack_pop1_any: Any = _StackMethod("pop1_any")
    stack_pop_ints: Any = _StackMethod("pop_ints")
    stack_pop_bytes: Any = _StackMethod("pop_bytes")
    stack_pop_any: Any = _StackMethod("pop_any")

    def __init__(self, state: Any, message: Any, transaction_context: Any) -> None:
        code = message.code
        self.state, self.msg, self.transaction_context = state, message, transaction_context
        self.code = FastCodeStream(code)
        meter = self._gas_meter = FastGasMeter(message.gas, self.refund_strategy)
        self.children, self._log_entries = [], []
        self.accounts_to_delete, self.beneficiaries = [], []
        self._stack, self._memory = FastStack(), FastMemory()
        self.data_floor_cost = 0
        self.consume_gas = meter.consume_gas  # type: ignore[method-assign]  # saves a method call per charge
        if self.skips_code_header:
            if code[:1] == CODE_HEADER:
                cast(RootstockComputation, self).skip_code_header(code)
        elif self.warms_coinbase and not message.depth:
            state.mark_address_warm(state.coinbase)

    @property
    def output(self) -> bytes:
        return b"" if self.should_erase_return_data else self._output

    @output.setter
    def output(self, value: bytes) -> None:
        self._output = value

    @property
    def should_erase_return_data(self) -> bool:
        error = self._error
        return error is not None and bool(error.erases_return_data)

    def prepare_child_message(
        self, gas: int, to: Any, value: int, data: Any, code: bytes, **kwargs: Any
    ) -> MessageAPI:
        """The message of a call or a creation, which its opcode has checked."""
        kwargs.setdefault("sender", self.msg.storage_address)
        depth = self.msg.depth + 1
        return FastMessage(gas=gas, to=to, value=value, data=data, code=code, depth=depth, **kwargs)

    @classmethod
    def apply_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        """Transfer the value and run the message within its bounds; undo it if it fails.

        As `BoundedComputation` and py-evm's class behind it do.
        """
        deadline.check()
        depth = message.depth
        if depth == 0:
            memory_limit.start(state.execution_context.memory_limit)
        snapshot = state.snapshot()
        if depth > STACK_DEPTH_LIMIT:
            raise StackDepthLimit("Stack depth limit reached")
        if message.value and message.should_transfer_value:
            balance = state.get_balance(message.sender)
            if balance < message.value:
                raise InsufficientFunds(f"Insufficient funds: {balance} < {message.value}")
            state.delta_balance(message.sender, -message.value)
            state.delta_balance(message.storage_address, message.value)
        state.touch_account(message.storage_address)
        computation = cls.apply_computation(state, message, transaction_context, parent_computation)
        error = computation._error  # noqa: SLF001  # of this class
        if error is not None:
            # Its frames have the computation, and so the state, which is freed at once without them
            error.__traceback__ = None
            state.revert(snapshot)
        else:
            state.commit(snapshot)
        if depth:
            computation.release()
        return computation

    @classmethod
    def apply_computation(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        computation = cls(state, message, transaction_context)
        try:
            # Since Cancun only a contract of the same transaction can be destroyed (EIP-6780).
            if computation.is_origin_computation:
                computation.contracts_created = []
                if message.is_create:
                    computation.consume_initcode_gas_cost(computation)
            if parent_computation is not None:
                computation.contracts_created = parent_computation.contracts_created
            if message.is_create:
                computation.contracts_created.append(message.storage_address)
            precompile = cls._precompiles.get(message.code_address)
            if precompile is None:
                computation.run_code()
            elif not message.is_delegation:
                precompile(computation)
        except VMError as error:
            computation.__exit__(VMError, error, None)  # py-evm's: note it, burn the gas
        return computation

    def run_code(self) -> None:
        code: Any = self.code
        raw = code._raw_code_bytes  # noqa: SLF001  # CodeStream has no public name for it
        if raw:
            stack: Any = self._stack
            program = self.programs.program(raw)
            program.run(self, stack.values, self._gas_meter, code.program_counter)
        elif self.msg.code_address == CONSOLE:
            record_console_call(bytes(self.msg.data))

    # Results of a message and of those that it has sent, of which most have sent none

    def get_gas_refund(self) -> int:
        if self.children:
            return super().get_gas_refund()
        refunded: int = self._gas_meter.gas_refunded
        return self.msg.refund + (refunded if self._error is None else 0)

    def get_raw_log_entries(self) -> Any:
        if self.children:
            return super().get_raw_log_entries()
        return tuple(self._log_entries) if self._error is None else ()

    def get_accounts_for_deletion(self) -> list[Any]:
        if self.children:
            return super().get_accounts_for_deletion()
        return list(self.accounts_to_delete) if self._error is None else []

    def add_log_entry(self, account: Any, topics: Any, data: bytes) -> None:
        memory_limit.keep(KEPT_LOG + len(data))
        counter = self.transaction_context.get_next_log_counter()
        self._log_entries.append((counter, account, topics, data))


def fast_computation(reference: Any, hot: int = HOT) -> Any:
    """A subclass of a computation class that executes code, compiled at the `hot`th run."""
    # py-evm's classes choose by the hardfork whether refunds may be negative meanwhile.
    meter = reference._configure_gas_meter(SimpleNamespace(msg=SimpleNamespace(gas=0)))  # noqa: SLF001
    members = {
        "refund_strategy": staticmethod(meter.refund_strategy),
        "warms_coinbase": issubclass(reference, ShanghaiComputation),
        "skips_code_header": issubclass(reference, RootstockComputation),
        "reference": reference,
        "programs": ProgramCache(plain_calls(reference.opcodes), reference.opcode_rules, hot),
        "__module__": __name__,
    }
    kind: Any = type(reference.__name__, (FastComputation, reference), members)
    kind.plain = kind
    return kind


# Transactions

HALF_ORDER = SECPK1_N // 2  # the largest s of a signature (EIP-2)
DELEGATION_BYTES = 23  # the length of the code of an account that executes another's (EIP-7702)


class FastTransactionExecutor(RootstockTransactionExecutor):
    """Rootstock's transaction executor, without the texts of py-evm's debug log."""

    def validate_transaction(self, transaction: SignedTransactionAPI) -> None:
        """Check gas, balance and nonce; its fields were checked when it was decoded or signed."""
        gas, state = transaction.gas, self.vm_state
        if gas < transaction.intrinsic_gas:
            raise ValidationError("Insufficient gas")
        account = state._account_db.account(transaction.sender)  # noqa: SLF001  # py-evm has no public name
        is_valid = (
            account is not None
            and account.nonce == transaction.nonce
            and account.balance >= gas * transaction.gas_price + transaction.value
        )
        if not is_valid:  # `build_evm_message` checks the init code
            state.validate_transaction(transaction)

    def build_evm_message(self, transaction: SignedTransactionAPI) -> MessageAPI:
        state, to = self.vm_state, transaction.to
        accounts = state._account_db  # noqa: SLF001  # py-evm has no public name for it
        is_creation = to == CREATE_CONTRACT_ADDRESS
        if is_creation:
            state.check_init_code(transaction)
        nonce = accounts.charge(transaction.sender, transaction.gas * transaction.gas_price)
        return FastMessage.of(transaction, nonce, b"" if is_creation else accounts.get_code(to))

    def finalize_computation(self, transaction: SignedTransactionAPI, computation: Any) -> Any:
        if computation.refusal is not None:
            return super().finalize_computation(transaction, computation)
        state, price = self.vm_state, transaction.gas_price
        deleted = computation.get_accounts_for_deletion()
        if deleted:
            computation.refund_gas(REFUND_SELFDESTRUCT * len(deleted))
        left = computation.get_gas_remaining()
        used = transaction.gas - left
        used -= max(0, min(computation.get_gas_refund(), used // MAX_REFUND_QUOTIENT))
        used -= self.refund
        computation.data_floor_gas = -self.refund
        if price:
            state.delta_balance(transaction.sender, (transaction.gas - used) * price)
            state.delta_balance(state.coinbase, used * price)
        for address in deleted:
            state.delete_account(address)
        return computation


class FastEthereumExecutor(CancunTransactionExecutor):
    """The base class that `fast_state` puts before py-evm's executors since Cancun.

    It does what they do without texts for debug logs, and reads and writes each account once where
    they do several times. What is rare is left to them: blobs, creations, invalid transactions.
    """

    vm_state: Any

    def validate_transaction(self, transaction: SignedTransactionAPI) -> None:
        """Check gas, balance, nonce and fee; its fields were checked when it was decoded."""
        gas, cap, state = transaction.gas, transaction.max_fee_per_gas, self.vm_state
        account = state._account_db.account(transaction.sender)  # noqa: SLF001  # py-evm has no public name
        is_valid = (
            account is not None
            and account.nonce == transaction.nonce
            and account.balance >= gas * cap + transaction.value
            and cap >= state.execution_context.base_fee_per_gas
            and gas >= transaction.intrinsic_gas
            and 0 < transaction.s <= HALF_ORDER
            and transaction.type_id != BLOB_TX_TYPE
        )
        if not is_valid:
            super().validate_transaction(transaction)

    def build_evm_message(self, transaction: SignedTransactionAPI) -> MessageAPI:
        kind = transaction.type_id
        if kind == BLOB_TX_TYPE:
            return super().build_evm_message(transaction)
        state, to = self.vm_state, transaction.to
        accounts = state._account_db  # noqa: SLF001  # py-evm has no public name for it
        price = state.get_gas_price(transaction)
        nonce = accounts.charge(transaction.sender, transaction.gas * price)
        refund = self.calc_message_refund(transaction) if kind == SET_CODE_TRANSACTION_TYPE else 0
        code, delegate = b"", None
        if to != CREATE_CONTRACT_ADDRESS:
            code = accounts.get_code(to)
            if len(code) == DELEGATION_BYTES:
                code, delegate = self.get_code_at_address(to)
        is_delegation = delegate is not None
        return FastMessage.of(transaction, nonce, code, refund, is_delegation=is_delegation)

    def build_computation(self, message: MessageAPI, transaction: SignedTransactionAPI) -> Any:
        if message.is_create:
            return super().build_computation(message, transaction)
        state = self.vm_state
        state.mark_address_warm(transaction.sender)
        state.mark_address_warm(message.storage_address)
        for address, slots in transaction.access_list:
            state.mark_address_warm(address)
            for slot in slots:
                state.mark_storage_warm(address, slot)
        context = state.get_transaction_context(transaction)
        return state.computation_class.apply_message(state, message, context)

    def finalize_computation(self, transaction: SignedTransactionAPI, computation: Any) -> Any:
        state, price = self.vm_state, computation.transaction_context.gas_price
        accounts: Any = state._account_db  # noqa: SLF001  # py-evm has no public name for it
        left = computation.get_gas_remaining()
        used = transaction.gas - left
        refund = self.calculate_gas_refund(computation, used)
        floor = self.calc_data_floor_gas(transaction, used, refund)
        computation.data_floor_gas = floor
        returned = (refund + left - floor) * price
        if returned:
            state.delta_balance(computation.msg.sender, returned)
        coinbase, tip = state.coinbase, price - state.execution_context.base_fee_per_gas
        state.delta_balance(coinbase, (used - refund + floor) * tip)
        for address in computation.get_accounts_for_deletion():
            state.delete_account(address)
        for address in _touched(computation, coinbase):
            if accounts.account_is_empty(address) and accounts.account_exists(address):
                state.delete_account(address)
        return computation


def _touched(computation: Any, coinbase: Any) -> Collection[Any]:
    if computation.children or computation.beneficiaries or computation.is_error:
        return cast(Collection[Any], collect_touched_accounts(computation))
    to = computation.msg.to
    return (coinbase,) if to in (CREATE_CONTRACT_ADDRESS, coinbase) else (coinbase, to)


@cache
def _fast_executor(reference: Any) -> Any:
    # Hardforks before Cancun keep py-evm's.
    if reference is RootstockTransactionExecutor:
        return FastTransactionExecutor
    if issubclass(reference, SetCodeExecutor):
        return type(reference.__name__, (SetCodeExecutor, FastTransactionExecutor), {})
    if issubclass(reference, CancunTransactionExecutor):
        return type(reference.__name__, (FastEthereumExecutor, reference), {})
    return reference


class FastState(CancunState):
    """The base class that `fast_state` puts before states with transient storage, since Cancun.

    Transient storage is made when it is first used: what was recorded in its journal before that
    does not matter, since all of its changes are later.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        accounts: Any = self._account_db
        # Methods of py-evm that only call these.
        self.get_storage = accounts.get_storage  # type: ignore[method-assign]
        self.set_storage = accounts.set_storage  # type: ignore[method-assign]

    def set_system_contracts(self) -> None:
        """Do nothing: py-evm sets the code of a contract whose code is that already."""

    def snapshot(self) -> Any:
        """A checkpoint for `revert`; no root, since none is computed while a message runs."""
        checkpoint = self._account_db.record()
        if self._transient_storage is not None:
            self._transient_storage.record(checkpoint)
        return checkpoint

    def revert(self, snapshot: Any) -> None:
        self._account_db.discard(snapshot)
        if self._transient_storage is not None:
            self._transient_storage.discard(snapshot)

    def commit(self, snapshot: Any) -> None:
        """Keep what has changed since a snapshot: `FastDatabase` needs to do nothing for it."""

    def rewind(self) -> bool:
        """Undo all changes since the state was opened; see `AccountDatabase.rewind`."""
        self.clear_transient_storage()
        accounts: Any = self._account_db
        return bool(accounts.rewind())

    def clear_transient_storage(self) -> None:
        if self._transient_storage is not None:
            self._transient_storage.clear()


def fast_state(reference: Any) -> Any:
    """A subclass of a state class that executes with the fast engine, on `AccountDatabase`."""
    has_transient_storage = issubclass(reference, CancunState)
    members = {
        # py-evm's property gets a new logger at each access.
        "logger": get_extended_debug_logger(f"eth.vm.state.{reference.__name__}"),
        "account_db_class": AccountDatabase,
        "transaction_executor_class": _fast_executor(reference.transaction_executor_class),
        "computation_class": fast_computation(reference.computation_class),
        **({"_transient_storage_class": TransientStorage} if has_transient_storage else {}),
    }
    bases = (FastState, reference) if has_transient_storage else (reference,)
    return type(reference.__name__, bases, members)
