"""`devchain.state.state_view`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.errors import ExecutionFailed, InvalidInput, TransferUnaffordable
from devchain.node import Node
from devchain.types import Address, StateOverride, Tag, TransactionRequest
from tests.accounts import ALICE, BOB, FUNDS, UNFUNDED
from tests.actions import deploy, run
from tests.bytecode import CREATOR, FILL, LOAD, assemble, init_code, word
from tests.conftest import GENESIS_TIME

BALANCE_OF = assemble("0 CALLDATALOAD BALANCE 0 MSTORE 32 0 RETURN")
MAX_UINT256 = 2**256 - 1


@pytest.fixture
def filled(node: Node) -> Address:
    """A contract with 7 in slots 1, 2 and 3."""
    contract = deploy(node, FILL)
    run(node, contract, word(3) + word(7))
    return contract


def read_slot(node: Node, contract: Address, slot: int, override: StateOverride) -> int:
    """The slot that a contract returns with an override."""
    request = TransactionRequest(to=contract, data=word(slot))
    return int.from_bytes(node.call(request, overrides={contract: override}), "big")


class TestBalance:
    def test_is_seen_by_contracts(self, node: Node) -> None:
        """BALANCE returns the overridden balance."""
        request = TransactionRequest(to=BOB, data=word(int.from_bytes(UNFUNDED, "big")))
        overrides = {BOB: StateOverride(code=BALANCE_OF), UNFUNDED: StateOverride(balance=12)}

        assert node.call(request, overrides=overrides) == word(12)

    def test_pays_for_the_call(self, node: Node) -> None:
        """With an overridden balance a sender without funds can pay for the call."""
        request = TransactionRequest(sender=UNFUNDED, to=BOB, gas=21_000, gas_price=2, value=1)

        with pytest.raises(TransferUnaffordable):
            node.call(request)
        assert node.call(request, overrides={UNFUNDED: StateOverride(balance=42_001)}) == b""

    @pytest.mark.parametrize("address", [ALICE, BOB], ids=["sender", "recipient"])
    def test_overflow(self, node: Node, address: Address) -> None:
        """A call fails if a balance would exceed 256 bits."""
        request = TransactionRequest(sender=ALICE, to=BOB, value=1)
        overrides = {address: StateOverride(balance=MAX_UINT256 + (address == ALICE))}

        with pytest.raises(ExecutionFailed, match="out of range"):
            node.call(request, overrides=overrides)


class TestNonce:
    def test_names_the_next_contract(self, node: Node) -> None:
        """The address of a created contract follows from the overridden nonce."""
        request = TransactionRequest(to=BOB, data=init_code(LOAD))
        seen = {
            nonce: node.call(request, overrides={BOB: StateOverride(code=CREATOR, nonce=nonce)})
            for nonce in (1, 2)
        }

        assert seen[1] != seen[2]
        assert word(0) not in seen.values()


class TestCodeAndStorage:
    def test_code(self, node: Node, filled: Address) -> None:
        """Overridden code reads the existing storage."""
        assert read_slot(node, filled, 2, StateOverride(code=LOAD)) == 7

    @pytest.mark.parametrize(("slot", "value"), [(1, 7), (2, 9), (4, 5), (5, 0)])
    def test_state_diff(self, node: Node, filled: Address, slot: int, value: int) -> None:
        """`stateDiff` changes single slots, the others stay."""
        override = StateOverride(code=LOAD, state_diff={2: 9, 4: 5})

        assert read_slot(node, filled, slot, override) == value

    @pytest.mark.parametrize(("slot", "value"), [(1, 0), (2, 9), (4, 5)])
    def test_state(self, node: Node, filled: Address, slot: int, value: int) -> None:
        """`state` replaces all storage: a slot that is not listed is empty."""
        override = StateOverride(code=LOAD, state={2: 9, 4: 5})

        assert read_slot(node, filled, slot, override) == value

    def test_gas_counts_from_the_override(self, node: Node, filled: Address) -> None:
        """The overridden value is the original one for the gas of SSTORE."""
        set_to_seven = TransactionRequest(to=filled, data=word(1) + word(7))
        cleared = {filled: StateOverride(state={})}

        dearer = node.estimate(set_to_seven, overrides=cleared)

        assert dearer - node.estimate(set_to_seven) > 10_000

    def test_nothing_stays(self, node: Node, filled: Address) -> None:
        """An override does not change the chain."""
        root = node.chain.head.state_root
        override = StateOverride(1, 5, LOAD, {1: 1})
        node.call(TransactionRequest(to=filled), overrides={filled: override, ALICE: override})

        state = node.chain.state_at(Tag.LATEST)

        assert node.chain.head.state_root == root
        assert (state.balance(ALICE), state.code(ALICE)) == (FUNDS, b"")
        assert (state.code(filled), state.storage(filled, 1)) == (FILL, 7)


class TestRefusals:
    @pytest.mark.parametrize("number", range(1, 10))
    def test_precompiles(self, node: Node, number: int) -> None:
        """Precompiled contracts cannot be overridden."""
        precompile = Address(number.to_bytes(20, "big"))

        with pytest.raises(InvalidInput, match="precompiled contracts can not be overridden"):
            node.call(TransactionRequest(to=BOB), overrides={precompile: StateOverride(balance=1)})

    def test_turned_off(self) -> None:
        """With `--no-state-overrides` overrides are refused."""
        node = Node(Config(network="test", fixed_clock=GENESIS_TIME, state_overrides=False))

        with pytest.raises(InvalidInput, match="--no-state-overrides"):
            node.call(TransactionRequest(to=BOB), overrides={BOB: StateOverride(balance=1)})
        assert node.call(TransactionRequest(to=BOB), overrides={}) == b""
