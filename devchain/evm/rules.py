"""The rules of a hardfork for blocks and fees: what differs between Rootstock and Ethereum.

`Rules` is the interface, `RootstockRules` and `EthereumRules` implement it. Packages above `evm`
call it and never compare the name of a hardfork. What differs in the execution of bytecode is
in the VM class, `vm_class`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, cast

from eth._utils.calculations import fake_exponential
from eth.constants import BLANK_ROOT_HASH, EMPTY_SHA256
from eth.vm.forks.cancun import constants as cancun
from eth.vm.forks.cancun.headers import calc_excess_blob_gas_cancun
from eth.vm.forks.london.constants import (
    BASE_FEE_MAX_CHANGE_DENOMINATOR,
    ELASTICITY_MULTIPLIER,
    INITIAL_BASE_FEE,
)
from eth.vm.forks.prague import constants as prague
from eth.vm.forks.prague.headers import calc_excess_blob_gas_prague

from devchain.errors import InvalidInput, RootstockOnly
from devchain.evm.ethereum_header import copy_header
from devchain.evm.ethereum_header import encode_header as encode_ethereum_header
from devchain.evm.ethereum_header import field_reader as read_ethereum_fields
from devchain.evm.ethereum_header import hash_header as hash_ethereum_header
from devchain.evm.rootstock.gas import INIT_CODE_LIMIT, intrinsic_gas
from devchain.evm.rootstock.header import FIELDS as ROOTSTOCK_FIELDS
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.precompiles import native_contracts
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.evm.rootstock.upgrades import Rule, rules_of
from devchain.networks import ETHEREUM, GWEI, ROOTSTOCK
from devchain.state.keccak import keccak
from devchain.state.state_database import SlotWrites
from devchain.types import ZERO_HASH, Address, BlockOverride, Hash32

EXTRA_DATA = b"devchain"
MAX_EXTRA_DATA = 32
"""Bytes of extra data that a header can have."""
GENESIS_DIFFICULTY = 1
GAS_PRICE_CAP = 80
"""Times the minimum gas price (RSKIP252)."""
RANDAO_SEED = b"randao"
BEACON_ROOT_SEED = b"beacon root"
TRANSACTION_GAS_CAP = 2**24
"""The largest gas limit of a transaction since Osaka (EIP-7825)."""
BLOB_BASE_COST = 2**13
"""Execution gas per blob that its fee should cover since Osaka (EIP-7918)."""
MAX_BLOCK_SIZE = 8 * 2**20
"""Bytes of a block's RLP since Osaka (EIP-7934)."""
TRANSACTION_TYPES = {"frontier": 0, "berlin": 1, "london": 2, "prague": 4}
"""The transaction type that a hardfork brings; blob transactions (3) are not supported."""

SYSTEM_CONTRACTS = {
    "cancun": (Address(cancun.BEACON_ROOTS_ADDRESS), cancun.BEACON_ROOTS_CONTRACT_CODE),
    "prague": (Address(prague.HISTORY_STORAGE_ADDRESS), prague.HISTORY_STORAGE_CONTRACT_CODE),
}
"""Address and code of the contracts that blocks write to, by the hardfork that brings them."""


BEACON_ROOTS_RING = cancun.HISTORY_BUFFER_LENGTH
HISTORY_RING = prague.HISTORY_SERVE_WINDOW
"""Blocks of which those contracts keep the roots and hashes, in slots that are used in turn."""

REQUEST_CONTRACTS = (
    Address(prague.WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS),
    Address(prague.CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS),
)
"""The contracts of withdrawal requests (EIP-7002) and consolidation requests (EIP-7251)."""


class HeaderFields(NamedTuple):
    """The fields of a new header that the chain chooses; None leaves one to the rules."""

    timestamp: int
    coinbase: Address
    gas_limit: int
    minimum_gas_price: int
    difficulty: int = GENESIS_DIFFICULTY
    fork_data: bytes = b""
    base_fee: int | None = None
    prev_randao: Hash32 | None = None
    extra_data: bytes = EXTRA_DATA


class Rules(Protocol):
    """What the chain and the node need to know of a hardfork; prices are in wei per gas."""

    @property
    def hardfork(self) -> str:
        """Its name."""

    @property
    def vm_class(self) -> Any:
        """Its py-evm VM class."""

    @property
    def unlimited_contract_size(self) -> bool:
        """Whether code, init code and the transactions that carry it may have any size."""

    # Transactions

    @property
    def transaction_types(self) -> frozenset[int]:
        """The transaction types (EIP-2718) it accepts; 0 is a legacy transaction."""

    @property
    def accepts_high_s(self) -> bool:
        """Whether the s of a signature may be in the upper half of the curve order (EIP-2)."""

    @property
    def requires_sender_account(self) -> bool:
        """Whether the mempool refuses free transactions of accounts that do not exist."""

    @property
    def init_code_limit(self) -> int | None:
        """Bytes of init code a transaction may carry; None if there is no limit."""

    @property
    def transaction_gas_cap(self) -> int | None:
        """The largest gas limit of a transaction; None if only the block's limits it."""

    @property
    def sstore_needs_stipend(self) -> bool:
        """Whether SSTORE fails unless more than 2300 gas are left (EIP-2200)."""

    def intrinsic_gas(self, transaction: Any) -> int:
        """The lowest gas limit with which a py-evm transaction is valid."""

    def intrinsic_gas_of_call(self, to: bytes, data: bytes) -> int | None:
        """The same from receiver and data alone; None if it depends on other fields."""

    # Blocks

    @property
    def block_size_limit(self) -> int | None:
        """Bytes that a block's RLP may have; None if there is no limit."""

    @property
    def system_contracts(self) -> dict[Address, bytes]:
        """The contracts, code by address, that a chain under these rules begins with."""

    def begin_block(self, state: Any, header: Any) -> None:
        """Make the changes to py-evm's state that come before a block's first transaction."""

    def slot_writes(self, header: Any) -> tuple[SlotWrites, ...]:
        """The same changes as what they are: writes to slots."""

    @property
    def ending_contracts(self) -> tuple[Address, ...]:
        """The contracts that the end of a block calls if they are there, since the Merge."""

    # Headers

    @property
    def genesis_fields(self) -> frozenset[str]:
        """The header fields that a genesis file may set."""

    def excess_blob_gas(self, parent: Any) -> int:
        """The excess blob gas of a block after that parent header (EIP-4844); 0 without blobs."""

    @property
    def has_prev_randao(self) -> bool:
        """Whether PREVRANDAO returns a block's random value, its `mixHash` (EIP-4399)."""

    def genesis_header(self, fields: HeaderFields, state_root: Hash32) -> Any:
        """The header of a genesis block with that state."""

    def next_header(self, parent: Any, parent_hash: Hash32, fields: HeaderFields) -> Any:
        """The header of a block after that parent header, before any transaction.

        `parent_hash` is the parent block's own, also if `parent` has an edited state root.
        """

    def override_header(self, header: Any, override: BlockOverride) -> Any:
        """The header with those overrides; raises `InvalidInput` for a field that it lacks."""

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

    @property
    def block_reward(self) -> int:
        """What the miner of a block gets beside its fees, in wei."""

    @property
    def empty_block_keeps_state(self) -> bool:
        """Whether a block without transactions has the state of its parent."""

    @property
    def empty_block_runs_nothing(self) -> bool:
        """Whether it has that state but for `slot_writes`, without any of `ending_contracts`."""

    def block_ends_plainly(self, state: Any, loggers: Collection[bytes]) -> bool:
        """Whether the end of a block with logs of those contracts leaves state and header."""

    def fee_fields(self, fees: int) -> dict[str, Any]:
        """The header field for the sum of its transactions' fees, if there is one."""

    # Gas prices

    @property
    def has_minimum_gas_price(self) -> bool:
        """Whether there is a minimum gas price, which the miner chooses, instead of a base fee."""

    @property
    def default_priority_fee(self) -> int:
        """The price above the lowest one that a transaction offers by default."""

    @property
    def price_bump_percent(self) -> int:
        """How much more than a pending transaction its replacement has to pay."""

    @property
    def underpriced_prefix(self) -> str:
        """The start of the error message for a replacement that pays too little."""

    def lowest_gas_price(self, header: Any, wanted: int = 0) -> int:
        """The lowest gas price with which a transaction can be in that block.

        `wanted` is what the miner wants where the block itself has neither minimum nor base fee.
        """

    def next_lowest_gas_price(
        self, parent: Any, minimum: int, base_fee: int | None, wanted: int
    ) -> int:
        """The `lowest_gas_price` of the header after a parent, without making that header.

        `minimum` and `base_fee` are the fields for `next_header`.
        """

    def base_fee(self, header: Any) -> int:
        """The base fee of that block; 0 where blocks have none."""

    def suggested_gas_price(self, lowest: int, tip: int) -> int:
        """The gas price for `eth_gasPrice`, given the lowest one and the priority fee."""

    def suggested_priority_fee(self, lowest: int, tip: int) -> int:
        """The price for `eth_maxPriorityFeePerGas`, given the same."""

    def gas_price_cap(self, lowest: int) -> int | None:
        """The highest gas price that the mempool accepts; None if there is no cap."""

    def without_base_fee(self, header: Any) -> Any:
        """The header for calls that pay no gas and so must not owe a base fee."""

    def without_lowest_gas_price(self, header: Any) -> Any:
        """The header of a block whose transactions may have a gas price of 0."""

    # Features

    @property
    def unknown_block_has_no_logs(self) -> bool:
        """Whether logs of an unknown block hash are an empty list, as nodes of that chain answer.

        Otherwise they are an error.
        """

    @property
    def follows_geth(self) -> bool:
        """Whether nodes of that chain do as geth where it differs from the Rootstock node.

        It is no question of consensus: the form of results, texts and defaults of transactions.
        """

    def require_rootstock(self, feature: str) -> None:
        """Raise `RootstockOnly` where that feature of Rootstock does not exist."""

    def stores_bytes(self, address: Address) -> bool:
        """Whether the account keeps byte strings in its storage, as the Bridge does."""

    def precompiled_abis(self) -> dict[Address, tuple[str, Callable[[], list[Any]]]]:
        """Names of precompiled contracts that have an ABI, and functions that return it as JSON."""


def is_since(hardfork: str, first: str) -> bool:
    """Whether a hardfork is that one or a later one of the same chain."""
    names = ETHEREUM if first in ETHEREUM else ROOTSTOCK
    return names.index(hardfork) >= names.index(first)


@dataclass(frozen=True)
class RootstockRules:
    """Rootstock's rules: merged mining, a minimum gas price, REMASC, legacy transactions only."""

    hardfork: str
    vm_class: Any
    unlimited_contract_size: bool = False
    transaction_types = frozenset({0})
    accepts_high_s = False
    requires_sender_account = True
    genesis_fields = frozenset({"extra_data"})
    has_prev_randao = False
    has_merged_mining = True
    has_remasc = True
    has_block_rewards = False
    block_reward = 0

    def block_ends_plainly(self, state: Any, loggers: Collection[bytes]) -> bool:  # noqa: ARG002  # as in Rules
        """True: there is nothing to pay but by REMASC."""
        return True

    empty_block_keeps_state = empty_block_runs_nothing = True
    ending_contracts = ()
    has_minimum_gas_price = True
    default_priority_fee = 0
    price_bump_percent = 40
    unknown_block_has_no_logs = True
    transaction_gas_cap = None
    block_size_limit = None
    sstore_needs_stipend = False
    underpriced_prefix = ""
    follows_geth = False

    @cached_property
    def _changes(self) -> frozenset[Rule]:
        return rules_of(self.hardfork)

    # Transactions

    @property
    def init_code_limit(self) -> int | None:
        """49152 bytes since Lovell (RSKIP438)."""
        is_limited = Rule.INIT_CODE_LIMIT in self._changes and not self.unlimited_contract_size
        return INIT_CODE_LIMIT if is_limited else None

    def intrinsic_gas(self, transaction: Any) -> int:
        """The gas charged before any code runs."""
        return int(transaction.intrinsic_gas)

    def intrinsic_gas_of_call(self, to: bytes, data: bytes) -> int | None:
        """The gas charged before any code runs: never None."""
        return intrinsic_gas(to, data, self._changes)

    # Blocks

    @property
    def system_contracts(self) -> dict[Address, bytes]:
        """None: Rootstock's contracts of the protocol are precompiled."""
        return {}

    def begin_block(self, state: Any, header: Any) -> None:
        """Do nothing: a block begins with the state of its parent."""

    def slot_writes(self, header: Any) -> tuple[SlotWrites, ...]:  # noqa: ARG002  # as in Rules
        """None."""
        return ()

    # Headers

    def genesis_header(self, fields: HeaderFields, state_root: Hash32) -> Any:
        """The header of a genesis block with that state."""
        return RootstockHeader(
            coinbase=fields.coinbase,
            state_root=state_root,
            gas_limit=fields.gas_limit,
            timestamp=fields.timestamp,
            extra_data=fields.extra_data,
            minimum_gas_price=fields.minimum_gas_price,
        )

    def next_header(self, parent: Any, parent_hash: Hash32, fields: HeaderFields) -> Any:
        """The header of a block after that parent header, before any transaction."""
        return RootstockHeader(
            parent_hash=parent_hash,
            coinbase=fields.coinbase,
            state_root=parent.state_root,
            difficulty=fields.difficulty,
            block_number=parent.block_number + 1,
            gas_limit=fields.gas_limit,
            timestamp=fields.timestamp,
            extra_data=fields.extra_data,
            minimum_gas_price=fields.minimum_gas_price,
            umm_root=b"" if self._has_umm_root else None,
            fork_data=fields.fork_data if self.has_fork_data else b"",
        )

    @cached_property
    def _has_umm_root(self) -> bool:
        return is_since(self.hardfork, "papyrus")

    @cached_property
    def has_fork_data(self) -> bool:
        return is_since(self.hardfork, "wasabi")

    def override_header(self, header: Any, override: BlockOverride) -> Any:
        """The header with those overrides; the base fee is the minimum gas price."""
        if override.random is not None:
            raise InvalidInput("prevRandao: Rootstock's blocks have none; give a difficulty")
        return _with_overrides(header, override, minimum_gas_price=override.base_fee)

    def excess_blob_gas(self, parent: Any) -> int:  # noqa: ARG002  # as in Rules
        """0: there are no blobs."""
        return 0

    def fee_fields(self, fees: int) -> dict[str, Any]:
        return {"paid_fees": fees}

    # Gas prices

    def lowest_gas_price(self, header: Any, wanted: int = 0) -> int:  # noqa: ARG002  # as in Rules
        """The block's minimum gas price."""
        return cast(int, header.minimum_gas_price)

    def next_lowest_gas_price(
        self,
        parent: Any,  # noqa: ARG002  # as in Rules
        minimum: int,
        base_fee: int | None,  # noqa: ARG002
        wanted: int,  # noqa: ARG002
    ) -> int:
        return minimum

    def base_fee(self, header: Any) -> int:  # noqa: ARG002  # as in Rules
        """0, though the opcode BASEFEE returns the minimum gas price (RSKIP412)."""
        return 0

    def suggested_gas_price(self, lowest: int, tip: int) -> int:  # noqa: ARG002  # as in Rules
        """The minimum gas price and a tenth, rounded up."""
        return -(-lowest * 11 // 10)

    def suggested_priority_fee(self, lowest: int, tip: int) -> int:
        """The whole gas price, since there is no base fee."""
        return self.suggested_gas_price(lowest, tip)

    def gas_price_cap(self, lowest: int) -> int | None:
        """80 times the minimum gas price (RSKIP252); none if that is 0."""
        return lowest * GAS_PRICE_CAP or None

    def without_base_fee(self, header: Any) -> Any:
        """The header itself: there is no base fee, and BASEFEE has to see the minimum gas price."""
        return header

    def without_lowest_gas_price(self, header: Any) -> Any:
        return header.copy(minimum_gas_price=0)

    # Features

    def require_rootstock(self, feature: str) -> None:
        """Do nothing: every such feature exists."""

    def stores_bytes(self, address: Address) -> bool:
        return address == BRIDGE

    def precompiled_abis(self) -> dict[Address, tuple[str, Callable[[], list[Any]]]]:
        """The Bridge's and those of four others, as far as the upgrade has them."""
        contracts = native_contracts(self.hardfork)
        return {at: (each.name, partial(each.abi, self.hardfork)) for at, each in contracts.items()}


@dataclass(frozen=True)
class EthereumRules:
    """Ethereum's rules: a base fee since London, transaction types since Berlin."""

    hardfork: str
    vm_class: Any
    unlimited_contract_size: bool = False
    requires_sender_account = False
    has_merged_mining = False
    has_fork_data = False
    has_remasc = False
    has_block_rewards = True
    default_priority_fee = GWEI
    price_bump_percent = 10
    unknown_block_has_no_logs = False
    underpriced_prefix = "replacement transaction underpriced: "  # geth's
    follows_geth = True

    @property
    def block_reward(self) -> int:
        """None since the Merge."""
        return int(self.vm_class.get_block_reward())

    # Transactions

    @cached_property
    def transaction_types(self) -> frozenset[int]:
        """The types of this hardfork and the ones before it."""
        return frozenset(
            number for first, number in TRANSACTION_TYPES.items() if is_since(self.hardfork, first)
        )

    @property
    def accepts_high_s(self) -> bool:
        """In Frontier alone (EIP-2)."""
        return not is_since(self.hardfork, "homestead")

    @property
    def init_code_limit(self) -> int | None:
        """49152 bytes since Shanghai (EIP-3860)."""
        is_limited = is_since(self.hardfork, "shanghai") and not self.unlimited_contract_size
        return INIT_CODE_LIMIT if is_limited else None

    @property
    def sstore_needs_stipend(self) -> bool:
        return is_since(self.hardfork, "istanbul")

    @property
    def transaction_gas_cap(self) -> int | None:
        """2^24 since Osaka (EIP-7825)."""
        return TRANSACTION_GAS_CAP if is_since(self.hardfork, "osaka") else None

    def intrinsic_gas(self, transaction: Any) -> int:
        """The gas charged before any code runs; since Prague the floor for data if that is higher.

        py-evm charges the words of init code (EIP-3860) when the code starts to run.
        """
        executor = self.vm_class.get_state_class().transaction_executor_class
        floor = executor.calc_data_floor_gas(transaction, 0, 0)
        return max(int(transaction.intrinsic_gas), int(floor))

    def intrinsic_gas_of_call(self, to: bytes, data: bytes) -> int | None:  # noqa: ARG002  # as in Rules
        """None: it depends on the type, on access lists and on the floor for data."""
        return None

    # Blocks

    @property
    def block_size_limit(self) -> int | None:
        """8 MiB since Osaka (EIP-7934)."""
        return MAX_BLOCK_SIZE if is_since(self.hardfork, "osaka") else None

    @cached_property
    def system_contracts(self) -> dict[Address, bytes]:
        """Contracts of beacon roots since Cancun (EIP-4788), block hashes since Prague (2935)."""
        return {
            address: code
            for first, (address, code) in SYSTEM_CONTRACTS.items()
            if is_since(self.hardfork, first)
        }

    def begin_block(self, state: Any, header: Any) -> None:
        """Write the parent's beacon block root and hash, as the system calls of py-evm do."""
        if self.system_contracts:
            vm = self.vm_class(header, None, None, None)
            vm._state = state  # noqa: SLF001  # otherwise the VM would open one itself
            begin_block(vm, header)

    def slot_writes(self, header: Any) -> tuple[SlotWrites, ...]:
        """The timestamp and the beacon block root (EIP-4788), the parent's hash (EIP-2935).

        A block at time 100,000 writes slot 100000 % 8191 = 1708 of the first contract, and slot
        1708 + 8191; block 9000 writes slot 8999 % 8191 = 808 of the second.
        """
        if not self._has_beacon_root:
            return ()
        time = header.timestamp
        root = int.from_bytes(header.parent_beacon_block_root)
        index = time % BEACON_ROOTS_RING
        slots = ((index, time), (index + BEACON_ROOTS_RING, root))
        roots = SlotWrites(*SYSTEM_CONTRACTS["cancun"], slots)
        if not self._has_requests:
            return (roots,)
        parent = int.from_bytes(header.parent_hash)
        parents = ((header.block_number - 1) % HISTORY_RING, parent)
        return roots, SlotWrites(*SYSTEM_CONTRACTS["prague"], (parents,))

    @cached_property
    def ending_contracts(self) -> tuple[Address, ...]:
        """The contracts of requests to validators since Prague."""
        return REQUEST_CONTRACTS if self._has_requests else ()

    # Headers

    @property
    def genesis_fields(self) -> frozenset[str]:
        """The header fields that a genesis file may set; the base fee since London."""
        fields = frozenset({"extra_data", "difficulty", "mix_hash"})
        return fields | {"base_fee_per_gas"} if is_since(self.hardfork, "london") else fields

    @cached_property
    def _is_proof_of_stake(self) -> bool:
        return is_since(self.hardfork, "paris")

    @cached_property
    def _has_beacon_root(self) -> bool:
        return is_since(self.hardfork, "cancun")

    @cached_property
    def _has_requests(self) -> bool:
        return is_since(self.hardfork, "prague")

    @property
    def has_prev_randao(self) -> bool:
        """Since Paris."""
        return self._is_proof_of_stake

    @cached_property
    def empty_block_keeps_state(self) -> bool:
        """In Paris and Shanghai: after block rewards, before system calls."""
        return self._is_proof_of_stake and not self._has_beacon_root

    @property
    def empty_block_runs_nothing(self) -> bool:
        """Since Paris."""
        return self._is_proof_of_stake

    def block_ends_plainly(self, state: Any, loggers: Collection[bytes]) -> bool:
        """Since Paris, unless there are requests to validators: the header has their hash.

        They come from logs of the deposit contract (EIP-6110), and of two contracts that a block
        calls if they are there.
        """
        if not self._is_proof_of_stake:
            return False
        return not self._has_requests or not (
            prague.DEPOSIT_CONTRACT_ADDRESS in loggers
            or any(map(state.get_code, self.ending_contracts))
        )

    def genesis_header(self, fields: HeaderFields, state_root: Hash32) -> Any:
        """The header of a genesis block with that state."""
        difficulty = 0 if self._is_proof_of_stake else GENESIS_DIFFICULTY
        return self._header(None, fields, difficulty=difficulty, state_root=state_root)

    def next_header(self, parent: Any, parent_hash: Hash32, fields: HeaderFields) -> Any:
        """The header of a block after that parent header, before any transaction."""
        changes: dict[str, Any] = {"parent_hash": parent_hash}
        if self.has_prev_randao:
            changes["mix_hash"] = fields.prev_randao or _derived(RANDAO_SEED, parent_hash)
        if self._has_beacon_root:
            changes["parent_beacon_block_root"] = _derived(BEACON_ROOT_SEED, parent_hash)
        if self._is_proof_of_stake:
            header, changes = parent, self._fields_after(parent, fields) | changes
        else:
            header = self._header(parent, fields)
        if fields.base_fee is not None and hasattr(header, "base_fee_per_gas"):
            changes["base_fee_per_gas"] = fields.base_fee
        return copy_header(header, changes)

    def _fields_after(self, parent: Any, fields: HeaderFields) -> dict[str, Any]:
        # What differs in the header after a parent, since Paris; py-evm makes many objects.
        changes = {
            "block_number": parent.block_number + 1,
            "coinbase": fields.coinbase,
            "gas_limit": fields.gas_limit,
            "timestamp": fields.timestamp,
            "extra_data": fields.extra_data,
            "gas_used": 0,
            "bloom": 0,
            "transaction_root": BLANK_ROOT_HASH,
            "receipt_root": BLANK_ROOT_HASH,
            "base_fee_per_gas": next_base_fee(parent),
        }
        if self._has_beacon_root:
            changes |= {"blob_gas_used": 0, "excess_blob_gas": self.excess_blob_gas(parent)}
        if self._has_requests:
            changes["requests_hash"] = EMPTY_SHA256
        return changes

    def excess_blob_gas(self, parent: Any) -> int:
        """The excess blob gas of a block after that parent header, since Cancun (EIP-4844)."""
        return int(self._next_excess_blob_gas(parent))

    @cached_property
    def _next_excess_blob_gas(self) -> Callable[[Any], int]:
        if is_since(self.hardfork, "osaka"):
            return _excess_blob_gas_with_reserve
        if is_since(self.hardfork, "prague"):
            return cast(Callable[[Any], int], calc_excess_blob_gas_prague)
        return cast(Callable[[Any], int], calc_excess_blob_gas_cancun)

    def _header(self, parent: Any, fields: HeaderFields, **others: Any) -> Any:
        if self._has_beacon_root:
            others["parent_beacon_block_root"] = ZERO_HASH  # of the genesis block
        return self.vm_class.create_header_from_parent(
            parent,
            coinbase=fields.coinbase,
            gas_limit=fields.gas_limit,
            timestamp=fields.timestamp,
            extra_data=fields.extra_data,
            **others,
        )

    def override_header(self, header: Any, override: BlockOverride) -> Any:
        """The header with those overrides."""
        if override.base_fee is not None and not hasattr(header, "base_fee_per_gas"):
            raise InvalidInput(f"baseFeePerGas: {self.hardfork} has no base fee; leave it out")
        if self._is_proof_of_stake and override.difficulty is not None:
            raise InvalidInput(f"difficulty: {self.hardfork} has none; give prevRandao")
        if not self._is_proof_of_stake and override.random is not None:
            raise InvalidInput(f"prevRandao: {self.hardfork} has none; give a difficulty")
        return _with_overrides(
            header, override, base_fee_per_gas=override.base_fee, mix_hash=override.random
        )

    def fee_fields(self, fees: int) -> dict[str, Any]:  # noqa: ARG002  # as in Rules
        """None."""
        return {}

    # Gas prices

    @cached_property
    def has_minimum_gas_price(self) -> bool:
        """Before London; the header has no field for it."""
        return not is_since(self.hardfork, "london")

    def lowest_gas_price(self, header: Any, wanted: int = 0) -> int:
        """The block's base fee; before London what the miner wants."""
        return wanted if self.has_minimum_gas_price else self.base_fee(header)

    def next_lowest_gas_price(
        self,
        parent: Any,
        minimum: int,  # noqa: ARG002  # as in Rules
        base_fee: int | None,
        wanted: int,
    ) -> int:
        """The base fee that was set or follows from the parent; before London what is wanted."""
        if self.has_minimum_gas_price:
            return wanted
        return next_base_fee(parent) if base_fee is None else base_fee

    def base_fee(self, header: Any) -> int:
        """The base fee of that block; 0 before London."""
        return int(getattr(header, "base_fee_per_gas", 0) or 0)

    def suggested_gas_price(self, lowest: int, tip: int) -> int:
        """The base fee and the priority fee."""
        return lowest + tip

    def suggested_priority_fee(self, lowest: int, tip: int) -> int:  # noqa: ARG002  # as in Rules
        return tip

    def gas_price_cap(self, lowest: int) -> int | None:  # noqa: ARG002  # as in Rules
        """None: there is no cap."""
        return None

    def without_base_fee(self, header: Any) -> Any:
        """The header with a base fee of 0, if it has the field."""
        has_base_fee = hasattr(header, "base_fee_per_gas")
        return changed_header(header, base_fee_per_gas=0) if has_base_fee else header

    def without_lowest_gas_price(self, header: Any) -> Any:
        """The header with a base fee of 0, if it has the field."""
        return self.without_base_fee(header)

    # Features

    def require_rootstock(self, feature: str) -> None:
        raise RootstockOnly(
            f"{feature} is Rootstock's and not available under --hardfork {self.hardfork}"
        )

    def stores_bytes(self, address: Address) -> bool:  # noqa: ARG002  # as in Rules
        """False: there is no such contract."""
        return False

    def precompiled_abis(self) -> dict[Address, tuple[str, Callable[[], list[Any]]]]:
        """None has an ABI."""
        return {}


def next_base_fee(parent: Any) -> int:
    """The base fee of a block after that parent header, in wei per gas (EIP-1559)."""
    base_fee: int | None = getattr(parent, "base_fee_per_gas", None)
    if base_fee is None:
        return INITIAL_BASE_FEE
    used, target = parent.gas_used, parent.gas_limit // ELASTICITY_MULTIPLIER
    if used == target:
        return base_fee
    change: int = base_fee * abs(used - target) // target // BASE_FEE_MAX_CHANGE_DENOMINATOR
    return base_fee + max(change, 1) if used > target else base_fee - change


def _excess_blob_gas_with_reserve(parent: Any) -> int:
    # While execution costs more than the blob's own fee, the excess falls by less than the target.
    excess, used = (getattr(parent, name, 0) for name in ("excess_blob_gas", "blob_gas_used"))
    target, most = prague.TARGET_BLOB_GAS_PER_BLOCK, prague.MAX_BLOB_GAS_PER_BLOCK
    if excess + used < target:
        return 0
    blob_fee = fake_exponential(
        cancun.MIN_BLOB_BASE_FEE, excess, prague.BLOB_BASE_FEE_UPDATE_FRACTION_PRAGUE
    )
    if BLOB_BASE_COST * parent.base_fee_per_gas > cancun.GAS_PER_BLOB * blob_fee:
        return int(excess + used * (most - target) // most)
    return int(excess + used - target)


def _with_overrides(header: Any, override: BlockOverride, **special: Any) -> Any:
    values = {
        "block_number": override.number,
        "timestamp": override.timestamp,
        "gas_limit": override.gas_limit,
        "coinbase": override.coinbase,
        "difficulty": override.difficulty,
        **special,
    }
    changes = {name: value for name, value in values.items() if value is not None}
    return changed_header(header, **changes) if changes else header


def changed_header(header: Any, **changes: Any) -> Any:
    """A copy of a header with other values in some fields.

    As py-evm's `header.copy`, which first copies each of the values deeply: they never change.
    """
    if isinstance(header, RootstockHeader):
        return header.copy(**changes)
    return copy_header(header, changes)


def _derived(seed: bytes, parent_hash: Hash32) -> Hash32:
    # A header field that a beacon chain would give: derived, so that two runs give one block.
    return Hash32(keccak(seed + parent_hash))


# Headers and blocks of either kind


def header_fields(header: Any) -> Collection[str]:
    """The names of the fields that a header's RLP has under its hardfork."""
    if isinstance(header, RootstockHeader):
        return ROOTSTOCK_FIELDS
    return cast(Collection[str], header._meta.field_names)  # noqa: SLF001  # rlp has no public way


def field_reader(header: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The names of a header's fields, and a function that reads their values of such headers."""
    if isinstance(header, RootstockHeader):
        names = tuple(ROOTSTOCK_FIELDS)
        return names, attrgetter(*names)
    return read_ethereum_fields(type(header))


def encode_header(header: Any) -> bytes:
    """RLP of a header; its keccak-256 is the block's hash."""
    if isinstance(header, RootstockHeader):
        return header.encode()
    return encode_ethereum_header(header)


def hash_header(header: Any) -> Hash32:
    """The hash of the block of a header."""
    if isinstance(header, RootstockHeader):
        return Hash32(header.hash)
    return Hash32(hash_ethereum_header(header))


class _BlockOfHeader(NamedTuple):
    """What py-evm reads of a block before its transactions."""

    header: Any
    number: int


def begin_block(vm: Any, header: Any) -> None:
    """Have py-evm make the changes that come before a block's first transaction."""
    vm.block_preprocessing(_BlockOfHeader(header, header.block_number))


def empty_block(vm_class: Any, header: Any) -> Any:
    """py-evm's block of that header without transactions, uncles and withdrawals."""
    block_class = vm_class.get_block_class()
    has_withdrawals = "withdrawals" in block_class._meta.field_names  # noqa: SLF001  # as above
    return block_class(header, (), (), ()) if has_withdrawals else block_class(header, (), ())
