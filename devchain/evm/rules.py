"""What sets Rootstock's blocks apart from Ethereum's: headers, empty blocks, transaction types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, cast

from eth_hash.auto import keccak

from devchain.errors import InvalidInput
from devchain.evm.rootstock.gas import INIT_CODE_LIMIT, Payload, intrinsic_gas
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.upgrades import Rule, rules_of
from devchain.networks import ROOTSTOCK
from devchain.types import ZERO_HASH, Address, BlockOverride, Hash32

EXTRA_DATA = b"devchain"
RANDAO = b"randao"
GENESIS_DIFFICULTY = 1
TYPES = {"berlin": {1}, "london": {2}, "prague": {4}}
"""Transaction types by the hardfork that brings them; blob transactions (3) are not offered."""

# EIP-3860 came with Shanghai.
INIT_CODE_LIMITED = frozenset({"shanghai", "cancun", "prague"})

# EIP-4788 came with Cancun.
HAS_BEACON_ROOT = frozenset({"cancun", "prague"})

# Proof of work ended with Paris, and the difficulty with it.
PROOF_OF_STAKE = frozenset({"paris", "shanghai", "cancun", "prague"})


@dataclass(frozen=True, slots=True)
class HeaderFields:
    """What the chain decides of a new block's header; None leaves it to the rules."""

    timestamp: int
    coinbase: Address
    gas_limit: int
    minimum_gas_price: int
    difficulty: int = GENESIS_DIFFICULTY
    fork_data: bytes = b""
    base_fee: int | None = None
    prev_randao: Hash32 | None = None


class Rules(Protocol):
    """One hardfork's rules, as much as the chain has to know of them."""

    @property
    def hardfork(self) -> str:
        """Its name."""

    @property
    def vm_class(self) -> Any:
        """Its py-evm VM class."""

    @property
    def is_rootstock(self) -> bool:
        """Whether it is one of Rootstock's upgrades."""

    @property
    def is_quiet(self) -> bool:
        """Whether a block without transactions leaves the state as it was."""

    @property
    def has_prev_randao(self) -> bool:
        """Whether PREVRANDAO reads a block's random value, its `mixHash` (EIP-4399)."""

    @property
    def transaction_types(self) -> frozenset[int]:
        """The types of transactions it takes."""

    @property
    def init_code_limit(self) -> int | None:
        """Bytes of init code a transaction may carry; None if there is no limit."""

    def first_header(self, fields: HeaderFields, state_root: Hash32) -> Any:
        """The header of a genesis block on that state."""

    def next_header(self, parent: Any, parent_hash: Hash32, fields: HeaderFields) -> Any:
        """The header of a block on that parent header, before any transaction.

        The hash is the parent's own, should its header here have an edited state root.
        """

    def lowest_gas_price(self, header: Any) -> int:
        """The least gas price, in wei, with which a transaction can get into that block."""

    def without_base_fee(self, header: Any) -> Any:
        """The header for calls that pay no gas: they must not owe a base fee."""

    def overridden(self, header: Any, override: BlockOverride) -> Any:
        """The header, changed as that says; raises `InvalidInput` for what it has no place for."""

    def call_gas(self, to: bytes, data: bytes) -> int | None:
        """What a call costs before any code runs; None where only a py-evm transaction tells."""

    def intrinsic_gas(self, transaction: Any) -> int:
        """The least gas limit with which a py-evm transaction can be valid."""

    def with_fees(self, header: Any, fees: int) -> Any:
        """The header with the sum of its transactions' fees, if it has a place for it."""


@dataclass(frozen=True)
class RootstockRules:
    """Rootstock's blocks: a minimum gas price, legacy transactions alone."""

    hardfork: str
    vm_class: Any
    is_rootstock = True
    is_quiet = True
    has_prev_randao = False
    transaction_types = frozenset({0})

    @property
    def init_code_limit(self) -> int | None:
        """Bytes of init code a transaction may carry (RSKIP438); None before Lovell."""
        return INIT_CODE_LIMIT if Rule.INIT_CODE_LIMIT in rules_of(self.hardfork) else None

    def first_header(self, fields: HeaderFields, state_root: Hash32) -> Any:
        """The header of a genesis block on that state."""
        return RootstockHeader(
            coinbase=fields.coinbase,
            state_root=state_root,
            gas_limit=fields.gas_limit,
            timestamp=fields.timestamp,
            extra_data=EXTRA_DATA,
            minimum_gas_price=fields.minimum_gas_price,
        )

    def next_header(self, parent: Any, parent_hash: Hash32, fields: HeaderFields) -> Any:
        """The header of a block on that parent header, before any transaction."""
        return RootstockHeader(
            parent_hash=parent_hash,
            coinbase=fields.coinbase,
            state_root=parent.state_root,
            difficulty=fields.difficulty,
            block_number=parent.block_number + 1,
            gas_limit=fields.gas_limit,
            timestamp=fields.timestamp,
            extra_data=EXTRA_DATA,
            minimum_gas_price=fields.minimum_gas_price,
            umm_root=b"" if self._has_umm_root else None,
            fork_data=fields.fork_data if self._has_fork_data else b"",
        )

    @cached_property
    def _has_umm_root(self) -> bool:
        """Whether headers have a field for umbrella merged mining (RSKIPUMM)."""
        return _is_since(self.hardfork, "papyrus")

    @cached_property
    def _has_fork_data(self) -> bool:
        """Whether bitcoin coinbases tell of the chain's recent past (RSKIP110)."""
        return _is_since(self.hardfork, "wasabi")

    def lowest_gas_price(self, header: Any) -> int:
        """The block's minimum gas price."""
        return cast(int, header.minimum_gas_price)

    def without_base_fee(self, header: Any) -> Any:
        """The header itself: nothing is burnt on Rootstock."""
        return header

    def overridden(self, header: Any, override: BlockOverride) -> Any:
        """The header, changed as that says; the base fee is the minimum gas price."""
        if override.random is not None:
            msg = "prevRandao: Rootstock's blocks have none; give a difficulty"
            raise InvalidInput(msg)
        return _changed(header, override, minimum_gas_price=override.base_fee)

    def call_gas(self, to: bytes, data: bytes) -> int | None:
        """What a call costs before any code runs: receiver and data say all there is to know."""
        return intrinsic_gas(Payload(to, data), self._in_force)

    @cached_property
    def _in_force(self) -> frozenset[Rule]:
        return rules_of(self.hardfork)

    def intrinsic_gas(self, transaction: Any) -> int:
        """What a transaction costs before any code runs."""
        return int(transaction.intrinsic_gas)

    def with_fees(self, header: Any, fees: int) -> Any:
        """The header with its `paid_fees`."""
        return header.copy(paid_fees=fees)


def _is_since(upgrade: str, first: str) -> bool:
    return ROOTSTOCK.index(upgrade) >= ROOTSTOCK.index(first)


@dataclass(frozen=True)
class EthereumRules:
    """Ethereum's blocks: a base fee since London, typed transactions since Berlin."""

    hardfork: str
    vm_class: Any
    transaction_types: frozenset[int]
    is_rootstock = False

    @property
    def is_quiet(self) -> bool:
        """Whether there are no rewards any more, and no system calls yet."""
        return self.hardfork in PROOF_OF_STAKE - HAS_BEACON_ROOT

    @property
    def init_code_limit(self) -> int | None:
        """Bytes of init code a transaction may carry (EIP-3860); None before Shanghai."""
        return INIT_CODE_LIMIT if self.hardfork in INIT_CODE_LIMITED else None

    def first_header(self, fields: HeaderFields, state_root: Hash32) -> Any:
        """The header of a genesis block on that state."""
        difficulty = 0 if self.hardfork in PROOF_OF_STAKE else GENESIS_DIFFICULTY
        return self._header(None, fields, difficulty=difficulty, state_root=state_root)

    def next_header(self, parent: Any, parent_hash: Hash32, fields: HeaderFields) -> Any:
        """The header of a block on that parent header, before any transaction."""
        given: dict[str, Any] = {"parent_hash": parent_hash}
        if self.has_prev_randao:
            given["mix_hash"] = fields.prev_randao or _drawn(parent_hash)
        header = self._header(parent, fields)
        if fields.base_fee is not None and hasattr(header, "base_fee_per_gas"):
            given["base_fee_per_gas"] = fields.base_fee
        return header.copy(**given)

    @property
    def has_prev_randao(self) -> bool:
        """Whether PREVRANDAO reads a block's random value, its `mixHash` (EIP-4399)."""
        return self.hardfork in PROOF_OF_STAKE

    def _header(self, parent: Any, fields: HeaderFields, **given: Any) -> Any:
        if self.hardfork in HAS_BEACON_ROOT:
            given["parent_beacon_block_root"] = ZERO_HASH  # there is no beacon chain
        return self.vm_class.create_header_from_parent(
            parent,
            coinbase=fields.coinbase,
            gas_limit=fields.gas_limit,
            timestamp=fields.timestamp,
            extra_data=EXTRA_DATA,
            **given,
        )

    def lowest_gas_price(self, header: Any) -> int:
        """The block's base fee; 0 before London."""
        return int(getattr(header, "base_fee_per_gas", 0) or 0)

    def without_base_fee(self, header: Any) -> Any:
        """The header with a base fee of 0, where it has one."""
        if not hasattr(header, "base_fee_per_gas"):
            return header
        return header.copy(base_fee_per_gas=0)

    def overridden(self, header: Any, override: BlockOverride) -> Any:
        """The header, changed as that says."""
        if override.base_fee is not None and not hasattr(header, "base_fee_per_gas"):
            msg = f"baseFeePerGas: {self.hardfork} has no base fee; leave it out"
            raise InvalidInput(msg)
        is_stake = self.hardfork in PROOF_OF_STAKE
        if is_stake and override.difficulty is not None:
            msg = f"difficulty: {self.hardfork} has none; give prevRandao"
            raise InvalidInput(msg)
        if not is_stake and override.random is not None:
            msg = f"prevRandao: {self.hardfork} has none; give a difficulty"
            raise InvalidInput(msg)
        return _changed(
            header, override, base_fee_per_gas=override.base_fee, mix_hash=override.random
        )

    def call_gas(self, to: bytes, data: bytes) -> int | None:  # noqa: ARG002  # the Rules protocol's
        """Nothing: types, access lists and the floor for data count too."""
        return None

    def intrinsic_gas(self, transaction: Any) -> int:
        """What a transaction costs before any code runs, with Prague's floor for its data.

        py-evm charges the words of init code (EIP-3860) when the code starts to run.
        """
        executor = self.vm_class.get_state_class().transaction_executor_class
        floor = executor.calc_data_floor_gas(transaction, 0, 0)
        return max(int(transaction.intrinsic_gas), int(floor))

    def with_fees(self, header: Any, fees: int) -> Any:  # noqa: ARG002  # Ethereum's have no place
        """The header itself."""
        return header


def _changed(header: Any, override: BlockOverride, **special: Any) -> Any:
    """The header with the fields that every block has, and those special ones, where given."""
    wanted = {
        "block_number": override.number,
        "timestamp": override.timestamp,
        "gas_limit": override.gas_limit,
        "coinbase": override.coinbase,
        "difficulty": override.difficulty,
        **special,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    return header.copy(**given) if given else header


def _drawn(parent_hash: Hash32) -> Hash32:
    """A block's random value where nobody ordered one: the same on every run."""
    return Hash32(keccak(RANDAO + parent_hash))


def empty_block(vm_class: Any, header: Any) -> Any:
    """py-evm's block of that header with nothing in it."""
    block_class = vm_class.get_block_class()
    has_withdrawals = "withdrawals" in block_class._meta.field_names  # noqa: SLF001  # rlp's own way
    return block_class(header, (), (), ()) if has_withdrawals else block_class(header, (), ())
