"""`devchain.evm.rules`"""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from eth.constants import BLANK_ROOT_HASH
from eth_hash.auto import keccak

from devchain.chain.transaction import legacy_class
from devchain.errors import RootstockOnly
from devchain.evm.hardforks import rules_for
from devchain.evm.headers import changed_header, empty_block
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.evm.rules import HeaderFields, Rules
from devchain.networks import ETHEREUM, GWEI, HARDFORKS, ROOTSTOCK
from devchain.types import Hash32
from tests.accounts import BOB, CAROL
from tests.conftest import GENESIS_TIME

FIELDS = HeaderFields(GENESIS_TIME, BOB, gas_limit=1_000_000, minimum_gas_price=7, difficulty=5)
LATER = HeaderFields(
    GENESIS_TIME + 9, CAROL, gas_limit=1_000_500, minimum_gas_price=8, difficulty=5
)
ROOT = Hash32(b"\x01" * 32)
LONDON, SHANGHAI = ETHEREUM.index("london"), ETHEREUM.index("shanghai")
PAPYRUS = ROOTSTOCK.index("papyrus")
INITIAL_BASE_FEE = 10**9


def first(name: str) -> Any:
    """The header of a genesis block under those rules."""
    return rules_for(name).genesis_header(FIELDS, ROOT)


def legacy(rules: Rules, *, data: bytes = b"", to: bytes = BOB) -> Any:
    """A legacy transaction under those rules."""
    return legacy_class(rules.vm_class)(0, 0, 0, to, 0, data, 27, 1, 1)


def fields_of(header: Any) -> int:
    """How many fields a header's RLP has."""
    return len(rlp.decode(rlp.encode(header)))


FIELD_COUNTS = (
    dict.fromkeys(ROOTSTOCK[:PAPYRUS], 16)
    | dict.fromkeys(ROOTSTOCK[PAPYRUS:], 17)
    | dict.fromkeys(ETHEREUM[:LONDON], 15)
    | dict.fromkeys(ETHEREUM[LONDON:SHANGHAI], 16)
    | {"shanghai": 17, "cancun": 20, "prague": 21, "osaka": 21}
)
"""Header fields by hardfork: EIPs 1559, 4895, 4844 with 4788, and 7685 add some."""

FIRST_FIELD_COUNTS = FIELD_COUNTS | dict.fromkeys(ROOTSTOCK, 16)
"""Fields of the genesis header, which has no UMM root."""


class TestHeaders:
    @pytest.mark.parametrize("name", HARDFORKS)
    def test_first(self, name: str) -> None:
        """A genesis header has the state root given and the fields of its hardfork."""
        header = first(name)

        assert fields_of(header) == FIRST_FIELD_COUNTS[name]
        assert (header.block_number, header.state_root) == (0, ROOT)
        assert (header.coinbase, header.gas_limit, header.timestamp) == (
            BOB,
            1_000_000,
            GENESIS_TIME,
        )
        assert header.hash == keccak(rlp.encode(header))

    @pytest.mark.parametrize("name", HARDFORKS)
    def test_next(self, name: str) -> None:
        """The next header has its parent's hash and state root."""
        parent = first(name)

        header = rules_for(name).next_header(parent, parent.hash, LATER)

        assert fields_of(header) == FIELD_COUNTS[name]
        assert (header.parent_hash, header.block_number) == (parent.hash, 1)
        assert (header.state_root, header.gas_used) == (ROOT, 0)
        assert (header.coinbase, header.gas_limit, header.timestamp) == (
            CAROL,
            1_000_500,
            GENESIS_TIME + 9,
        )
        assert header.transaction_root == header.receipt_root == BLANK_ROOT_HASH

    @pytest.mark.parametrize(
        ("name", "difficulties"),
        [("vetiver", (1, 5)), ("london", (1, 131_072)), ("paris", (0, 0)), ("prague", (0, 0))],
    )
    def test_difficulty(self, name: str, difficulties: tuple[int, int]) -> None:
        """Rootstock's difficulty is given, Ethereum's is py-evm's until Paris, then 0."""
        parent = first(name)
        header = rules_for(name).next_header(parent, parent.hash, LATER)

        assert (parent.difficulty, header.difficulty) == difficulties

    @pytest.mark.parametrize(("name", "commits"), [("twotothree", True), ("orchid", False)])
    def test_fork_data(self, name: str, commits: bool) -> None:
        """Bitcoin miners commit to fork detection data since Wasabi."""
        assert rules_for(name).has_fork_data is commits

    @pytest.mark.parametrize("name", HARDFORKS)
    def test_empty_block(self, name: str) -> None:
        """An empty block can be encoded and decoded."""
        vm_class = rules_for(name).vm_class
        block = empty_block(vm_class, first(name))

        again = rlp.decode(rlp.encode(block), vm_class.get_block_class())

        assert (again.header, again.transactions, again.uncles) == (block.header, (), ())

    @pytest.mark.parametrize("name", ETHEREUM[ETHEREUM.index("paris") :])
    @pytest.mark.parametrize(
        "filled",
        [
            {},
            {"gas_used": 900_000, "bloom": 5, "transaction_root": ROOT, "receipt_root": ROOT},
            {"gas_used": 100, "base_fee_per_gas": 7, "coinbase": CAROL, "extra_data": b"before"},
            {"nonce": b"mined in", "uncles_hash": ROOT, "difficulty": 10**15},  # before a fork
        ],
    )
    def test_as_py_evm(self, name: str, filled: dict[str, Any]) -> None:
        """Since Paris headers are made in one step; each field is as py-evm makes it."""
        rules = rules_for(name)
        parent = rules.genesis_header(FIELDS, ROOT).copy(**filled)
        if "excess_blob_gas" in parent._meta.field_names:
            parent = parent.copy(excess_blob_gas=9 * 2**17, blob_gas_used=3 * 2**17)

        if "withdrawals_root" in parent._meta.field_names:
            parent = parent.copy(withdrawals_root=ROOT)

        made = rules.next_header(parent, ROOT, LATER)

        given = {"mix_hash": made.mix_hash}
        if "parent_beacon_block_root" in made._meta.field_names:
            given["parent_beacon_block_root"] = made.parent_beacon_block_root
        expected = rules.vm_class.create_header_from_parent(
            parent,
            coinbase=LATER.coinbase,
            gas_limit=LATER.gas_limit,
            timestamp=LATER.timestamp,
            extra_data=LATER.extra_data,
            **given,
        ).copy(parent_hash=ROOT)
        if name == "osaka":  # which py-evm has not: test_osaka has the values
            expected = expected.copy(excess_blob_gas=made.excess_blob_gas)
        assert type(made) is type(expected)
        assert made.as_dict() == expected.as_dict()

    @pytest.mark.parametrize("name", HARDFORKS)
    def test_changed(self, name: str) -> None:
        """A changed header is the one that py-evm's own copy is, which is slower."""
        header = first(name)

        changed = changed_header(header, gas_limit=7, timestamp=9)

        expected = header.copy(gas_limit=7, timestamp=9)
        assert (type(changed), changed.hash) == (type(expected), expected.hash)
        assert (changed.gas_limit, changed.timestamp) == (7, 9)
        assert changed.hash != header.hash


class TestFees:
    @pytest.mark.parametrize("name", HARDFORKS)
    def test_prices_of_a_block(self, name: str) -> None:
        """Rootstock's minimum gas price, Ethereum's base fee, nothing before London.

        Rootstock has no base fee, though BASEFEE returns the minimum gas price, and a header field
        for the fees paid. Calls owe no base fee, simulated blocks have no lowest price.
        """
        rules, header = rules_for(name), first(name)
        is_rootstock = name in ROOTSTOCK
        base_fee = 0 if is_rootstock or name in ETHEREUM[:LONDON] else INITIAL_BASE_FEE
        free = rules.without_base_fee(header)

        assert rules.lowest_gas_price(header) == (7 if is_rootstock else base_fee)
        assert rules.base_fee(header) == base_fee
        assert rules.fee_fields(99) == ({"paid_fees": 99} if is_rootstock else {})
        assert rules.lowest_gas_price(free) == (7 if is_rootstock else 0)
        assert free.state_root == header.state_root
        assert rules.lowest_gas_price(rules.without_lowest_gas_price(header)) == 0

    @pytest.mark.parametrize(
        ("name", "price", "tip", "cap"),
        [("vetiver", 57, 57, 4_080), ("prague", GWEI + 51, GWEI, None)],
    )
    def test_suggestions(self, name: str, price: int, tip: int, cap: int | None) -> None:
        """The price is 10 % over the minimum, or a gwei over the base fee; Rootstock has a cap."""
        found = rules_for(name)

        assert found.suggested_gas_price(51, GWEI) == price
        assert found.suggested_priority_fee(51, GWEI) == tip
        assert found.gas_price_cap(51) == cap
        assert found.gas_price_cap(0) is None


@pytest.mark.parametrize("name", HARDFORKS)
def test_require_rootstock(name: str) -> None:
    """Rootstock's features exist under its upgrades; the error names feature and hardfork."""
    if name in ROOTSTOCK:
        rules_for(name).require_rootstock("mnr_getWork")
        return
    with pytest.raises(RootstockOnly, match=f"mnr_getWork is Rootstock's .*{name}"):
        rules_for(name).require_rootstock("mnr_getWork")


class TestIntrinsicGas:
    @pytest.mark.parametrize("name", HARDFORKS)
    def test_transfer(self, name: str) -> None:
        """A transfer costs 21000 gas, whatever the rules."""
        found = rules_for(name)

        assert found.intrinsic_gas(legacy(found)) == 21_000

    @pytest.mark.parametrize(
        ("name", "gas"),
        [
            ("frontier", 21_000 + 100 * 68 + 10 * 4),
            ("istanbul", 21_000 + 100 * 16 + 10 * 4),
            ("cancun", 21_000 + 100 * 16 + 10 * 4),
            ("prague", 21_000 + 100 * 40 + 10 * 10),
            ("iris", 21_000 + 100 * 68 + 10 * 4),
            ("vetiver", 21_000 + 100 * 16 + 10 * 4),
        ],
    )
    def test_data(self, name: str, gas: int) -> None:
        """Data costs by the byte; under Prague there is a floor (EIP-7623)."""
        found = rules_for(name)

        assert found.intrinsic_gas(legacy(found, data=b"\x01" * 100 + bytes(10))) == gas

    @pytest.mark.parametrize(
        ("name", "gas"),
        [("frontier", 21_000), ("homestead", 53_000), ("prague", 53_000), ("vetiver", 53_000)],
    )
    def test_creation(self, name: str, gas: int) -> None:
        """A contract creation costs 32000 gas more since Homestead."""
        found = rules_for(name)

        assert found.intrinsic_gas(legacy(found, to=b"")) == gas


class TestInitCodeLimit:
    @pytest.mark.parametrize("name", HARDFORKS)
    def test_since(self, name: str) -> None:
        """Init code is limited since Shanghai (EIP-3860) and since Lovell (RSKIP438)."""
        limited = {*ETHEREUM[SHANGHAI:], *ROOTSTOCK[ROOTSTOCK.index("lovell") :]}

        assert rules_for(name).init_code_limit == (49_152 if name in limited else None)


class TestPrecompiledContracts:
    """Questions about Rootstock's precompiled contracts."""

    @pytest.mark.parametrize(
        ("name", "names"),
        [
            ("orchid", ["Bridge", "REMASC"]),
            ("wasabi", ["Bridge", "REMASC", "HDWalletUtils", "BlockHeader"]),
            ("prague", []),
        ],
    )
    def test_abis(self, name: str, names: list[str]) -> None:
        """Rootstock's have ABIs, Ethereum's have none."""
        assert [each for each, _ in rules_for(name).precompiled_abis().values()] == names

    @pytest.mark.parametrize(("name", "stores"), [("orchid", True), ("prague", False)])
    def test_stores_bytes(self, name: str, stores: bool) -> None:
        """Only Rootstock's Bridge keeps byte strings in its storage."""
        assert rules_for(name).stores_bytes(BRIDGE) is stores
        assert not rules_for(name).stores_bytes(BOB)
