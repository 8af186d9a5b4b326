"""A py-evm virtual machine with test accounts: Rootstock's of any upgrade, or Cancun's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from eth.db.atomic import AtomicDB
from eth.vm.chain_context import ChainContext
from eth.vm.forks.cancun import CancunVM
from eth.vm.forks.cancun.blocks import CancunBlockHeader
from eth_keys import keys

from devchain.evm.hardforks import rules_for
from devchain.evm.rootstock.gas import intrinsic_gas
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.vm import RootstockState
from devchain.state.state_database import open_database
from devchain.types import Address
from tests.accounts import ALICE, ALICE_KEY
from tests.bytecode import assemble

CONTRACT = Address(b"\xc0" * 20)
"""Address of the code under test."""

OTHER = Address(b"\x0a" * 20)
"""An account that exists, with a balance, and with code in some tests."""

ABSENT = Address(b"\xab" * 20)
"""An account that does not exist."""

MINER = Address(b"\x33" * 20)
GAS = 1_000_000


def returning(source: str) -> str:
    """Assembly that returns the word which `source` leaves on the stack."""
    return f"{source} 0 MSTORE 32 0 RETURN"


def storing(code: bytes) -> str:
    """Assembly that stores at most 32 bytes at the start of memory."""
    return f"0x{code.ljust(32, bytes(1)).hex()} 0 MSTORE" if code else ""


def number_of(address: Address) -> str:
    """An address as an operand."""
    return f"0x{address.hex()}"


@dataclass(frozen=True)
class Unsigned:
    """An unsigned transaction, as executed by `eth_call`."""

    to: bytes
    data: bytes = b""
    value: int = 0
    gas: int = GAS
    gas_price: int = 0
    sender: Address = ALICE
    intrinsic_gas: int = 0
    access_list: tuple[Any, ...] = ()
    type_id: int | None = None

    @property
    def max_fee_per_gas(self) -> int:
        """The gas price, under the name that Cancun's executor reads."""
        return self.gas_price

    max_priority_fee_per_gas = max_fee_per_gas


@dataclass(frozen=True)
class Run:
    """Result of a transaction: `code_gas` is the gas of the code, `gas_used` is after refunds."""

    computation: Any
    code_gas: int
    gas_used: int

    @property
    def succeeded(self) -> bool:
        """Whether the transaction succeeded."""
        return bool(self.computation.is_success)

    @property
    def word(self) -> int:
        """The output as a number."""
        return int.from_bytes(self.computation.output, "big")

    @property
    def created(self) -> Address:
        """The address of the contract that the transaction created."""
        return Address(self.computation.msg.storage_address)


class Machine:
    """A state under the rules of one fork, on which transactions are executed."""

    def __init__(
        self, fork: str = "vetiver", minimum_gas_price: int = 0, engine: str = "reference"
    ) -> None:
        header: Any
        database: Any = open_database(engine) if engine == "fast" else AtomicDB()
        if fork == "cancun":
            self.vm_class: Any = CancunVM
            header = CancunBlockHeader(
                difficulty=0, block_number=1, gas_limit=10**9, coinbase=MINER, base_fee_per_gas=0
            )
        else:
            self.vm_class = rules_for(fork, engine).vm_class
            header = RootstockHeader(
                block_number=1,
                gas_limit=10**9,
                coinbase=MINER,
                difficulty=7,
                minimum_gas_price=minimum_gas_price,
            )
        self.state: Any = self.vm_class.build_state(database, header, ChainContext(33))
        self.state.set_balance(ALICE, 10**18)
        self.state.set_balance(OTHER, 1)

    def install(
        self,
        source: str | bytes,
        address: Address = CONTRACT,
        balance: int = 0,
        **slots: int,
    ) -> None:
        """Set code, balance, and slots given as `slot_<number>`."""
        code = assemble(source) if isinstance(source, str) else source
        self.state.set_code(address, code)
        self.state.set_balance(address, balance)
        for name, value in slots.items():
            self.state.set_storage(address, int(name.removeprefix("slot_")), value)
        self.state.make_state_root()

    def run(
        self, to: bytes = CONTRACT, data: bytes = b"", *, value: int = 0, gas: int = GAS
    ) -> Run:
        """Execute an unsigned transaction, with refunds and fees."""
        tx: Any = Unsigned(to, data, value, gas)
        if isinstance(self.state, RootstockState):
            tx = replace(tx, intrinsic_gas=intrinsic_gas(tx.to, tx.data, self.state.rules))
        executor = self.state.get_transaction_executor()
        computation = executor.build_computation(executor.build_evm_message(tx), tx)
        executor.finalize_computation(tx, computation)
        return self._result(tx, computation)

    def execute(self, source: str, balance: int = 0, **slots: int) -> Run:
        """Install that code and call it."""
        self.install(source, balance=balance, **slots)
        return self.run()

    def mine(
        self,
        to: bytes = CONTRACT,
        data: bytes = b"",
        *,
        value: int = 0,
        gas: int = GAS,
        gas_price: int = 0,
    ) -> Run:
        """Execute a signed transaction as in a block."""
        unsigned = self.vm_class.create_unsigned_transaction(
            nonce=self.state.get_nonce(ALICE),
            gas_price=gas_price,
            gas=gas,
            to=to,
            value=value,
            data=data,
        )
        by_py_evm = unsigned.as_signed_transaction(keys.PrivateKey(ALICE_KEY), chain_id=33)
        signed = self.vm_class.get_transaction_builder().decode(by_py_evm.encode())
        return self._result(signed, self.state.apply_transaction(signed))

    def _result(self, tx: Any, computation: Any) -> Run:
        return Run(
            computation=computation,
            code_gas=computation.msg.gas - computation.get_gas_remaining(),
            gas_used=self.vm_class.finalize_gas_used(tx, computation),
        )
