"""What sets Rootstock's blocks apart from Ethereum's: headers, empty blocks, transaction types."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, cast

import rlp
from eth_hash.auto import keccak

from devchain.errors import InvalidInput, RootstockOnly
from devchain.evm.rootstock.gas import INIT_CODE_LIMIT, Payload, intrinsic_gas
from devchain.evm.rootstock.header import FIELDS as ROOTSTOCK_FIELDS
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.upgrades import Rule, rules_of
from devchain.networks import ETHEREUM, GWEI, ROOTSTOCK
from devchain.types import ZERO_HASH, Address, BlockOverride, Hash32

EXTRA_DATA = b"devchain"
RANDAO = b"randao"
GENESIS_DIFFICULTY = 1
GAS_PRICE_CAP = 80
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

    @property
    def genesis_fields(self) -> frozenset[str]:
        """The header fields that a genesis file may set."""

    # Mining

    @property
    def has_merged_mining(self) -> bool:
        """Whether a block is sealed by a bitcoin block that commits to it."""

    @property
    def has_fork_data(self) -> bool:
        """Whether bitcoin miners commit to fork detection data (RSKIP110)."""

    @property
    def has_remasc(self) -> bool:
        """Whether fees go to the REMASC contract, which pays them out later, not to the miner."""

    @property
    def has_block_rewards(self) -> bool:
        """Whether the end of a block changes the state: rewards, withdrawals, system calls."""

    # Fees

    @property
    def has_minimum_gas_price(self) -> bool:
        """Whether miners vote on a minimum gas price, where Ethereum has a base fee."""

    @property
    def default_priority_fee(self) -> int:
        """Wei per gas that a transaction offers the miner above the lowest price by default."""

    @property
    def price_bump_percent(self) -> int:
        """How much more than a pending transaction its replacement has to pay."""

    @property
    def underpriced_prefix(self) -> str:
        """Beginning of the error message for a replacement that pays too little."""

    def lowest_gas_price(self, header: Any) -> int:
        """The lowest gas price, in wei, with which a transaction can be in that block."""

    def base_fee(self, header: Any) -> int:
        """The block's base fee, in wei; 0 where blocks have none."""

    def suggested_gas_price(self, lowest: int) -> int:
        """The gas price, in wei, for `eth_gasPrice` where blocks require that lowest price."""

    def suggested_priority_fee(self, lowest: int) -> int:
        """The tip, in wei, for `eth_maxPriorityFeePerGas` under that lowest price."""

    def gas_price_cap(self, lowest: int) -> int | None:
        """The highest gas price that the mempool accepts, in wei; None if there is no cap."""

    def without_base_fee(self, header: Any) -> Any:
        """The header for calls that pay no gas: they must not owe a base fee."""

    def without_lowest_gas_price(self, header: Any) -> Any:
        """The header of a block whose transactions may have a gas price of 0."""

    def overridden(self, header: Any, override: BlockOverride) -> Any:
        """The header, changed as that says; raises `InvalidInput` for what it has no place for."""

    def call_gas(self, to: bytes, data: bytes) -> int | None:
        """What a call costs before any code runs; None where only a py-evm transaction tells."""

    def intrinsic_gas(self, transaction: Any) -> int:
        """The least gas limit with which a py-evm transaction can be valid."""

    def with_fees(self, header: Any, fees: int) -> Any:
        """The header with the sum of its transactions' fees, if it has a field for it."""

    def require_rootstock(self, feature: str) -> None:
        """Raise `RootstockOnly` where that feature of Rootstock does not exist."""


@dataclass(frozen=True)
class RootstockRules:
    """Rootstock's blocks: a minimum gas price, legacy transactions alone."""

    hardfork: str
    vm_class: Any
    is_quiet = True
    has_prev_randao = False
    transaction_types = frozenset({0})
    genesis_fields = frozenset({"extra_data"})
    has_merged_mining = True
    has_remasc = True
    has_block_rewards = False
    has_minimum_gas_price = True
    default_priority_fee = 0
    price_bump_percent = 40
    underpriced_prefix = ""

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
            fork_data=fields.fork_data if self.has_fork_data else b"",
        )

    @cached_property
    def _has_umm_root(self) -> bool:
        """Whether headers have a field for umbrella merged mining (RSKIPUMM)."""
        return is_since(self.hardfork, "papyrus")

    @cached_property
    def has_fork_data(self) -> bool:
        """Whether bitcoin miners commit to fork detection data (RSKIP110), since Wasabi."""
        return is_since(self.hardfork, "wasabi")

    def lowest_gas_price(self, header: Any) -> int:
        """The block's minimum gas price."""
        return cast(int, header.minimum_gas_price)

    def base_fee(self, header: Any) -> int:  # noqa: ARG002  # the Rules protocol's
        """0, though BASEFEE returns the minimum gas price (RSKIP412)."""
        return 0

    def suggested_gas_price(self, lowest: int) -> int:
        """The minimum gas price and a tenth, rounded up."""
        return -(-lowest * 11 // 10)

    def suggested_priority_fee(self, lowest: int) -> int:
        """The whole gas price, since there is no base fee."""
        return self.suggested_gas_price(lowest)

    def gas_price_cap(self, lowest: int) -> int | None:
        """80 times the minimum gas price (RSKIP252); none where that is 0."""
        return lowest * GAS_PRICE_CAP or None

    def without_base_fee(self, header: Any) -> Any:
        """The header itself: nothing is burnt on Rootstock."""
        return header

    def without_lowest_gas_price(self, header: Any) -> Any:
        """The header with a minimum gas price of 0."""
        return header.copy(minimum_gas_price=0)

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

    def require_rootstock(self, feature: str) -> None:
        """Nothing to refuse."""


def is_since(hardfork: str, first: str) -> bool:
    """Whether a hardfork is that one or a later one of the same chain."""
    names = ETHEREUM if first in ETHEREUM else ROOTSTOCK
    return names.index(hardfork) >= names.index(first)


@dataclass(frozen=True)
class EthereumRules:
    """Ethereum's blocks: a base fee since London, typed transactions since Berlin."""

    hardfork: str
    vm_class: Any
    transaction_types: frozenset[int]
    has_merged_mining = False
    has_fork_data = False
    has_remasc = False
    has_block_rewards = True
    has_minimum_gas_price = False
    default_priority_fee = GWEI
    price_bump_percent = 10
    underpriced_prefix = "replacement transaction underpriced: "  # geth's

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

    @property
    def genesis_fields(self) -> frozenset[str]:
        """The header fields that a genesis file may set; the base fee since London."""
        fields = frozenset({"extra_data", "difficulty", "mix_hash"})
        return fields | {"base_fee_per_gas"} if is_since(self.hardfork, "london") else fields

    def lowest_gas_price(self, header: Any) -> int:
        """The block's base fee."""
        return self.base_fee(header)

    def base_fee(self, header: Any) -> int:
        """The block's base fee, in wei; 0 before London."""
        return int(getattr(header, "base_fee_per_gas", 0) or 0)

    def suggested_gas_price(self, lowest: int) -> int:
        """The base fee and one gwei for the miner."""
        return lowest + GWEI

    def suggested_priority_fee(self, lowest: int) -> int:  # noqa: ARG002  # the Rules protocol's
        """One gwei."""
        return GWEI

    def gas_price_cap(self, lowest: int) -> int | None:  # noqa: ARG002  # the Rules protocol's
        """None."""
        return None

    def without_base_fee(self, header: Any) -> Any:
        """The header with a base fee of 0, where it has one."""
        if not hasattr(header, "base_fee_per_gas"):
            return header
        return header.copy(base_fee_per_gas=0)

    def without_lowest_gas_price(self, header: Any) -> Any:
        """The header with a base fee of 0, where it has one."""
        return self.without_base_fee(header)

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

    def require_rootstock(self, feature: str) -> None:
        """Raise `RootstockOnly`."""
        raise RootstockOnly(
            f"{feature} is Rootstock's and not available under --hardfork {self.hardfork}"
        )


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


def header_fields(header: Any) -> Collection[str]:
    """The names of the fields that a header's RLP has under its hardfork."""
    if isinstance(header, RootstockHeader):
        return ROOTSTOCK_FIELDS
    return cast(Collection[str], header._meta.field_names)  # noqa: SLF001  # rlp has no public way


def encode_header(header: Any) -> bytes:
    """RLP of a header; its keccak-256 is the block's hash."""
    if isinstance(header, RootstockHeader):
        return header.encode()
    return bytes(rlp.encode(header))


def empty_block(vm_class: Any, header: Any) -> Any:
    """py-evm's block of that header with nothing in it."""
    block_class = vm_class.get_block_class()
    has_withdrawals = "withdrawals" in block_class._meta.field_names  # noqa: SLF001  # rlp has no public way
    return block_class(header, (), (), ()) if has_withdrawals else block_class(header, (), ())
