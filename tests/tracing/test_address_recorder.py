"""`devchain.tracing.address_recorder`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.tracing.address_recorder import AddressRecorder, InternalAddresses
from devchain.types import Address, Transfer
from tests.accounts import ALICE, BOB, CAROL
from tests.actions import AMPLE_GAS, deploy, run, send
from tests.bytecode import (
    CREATOR,
    DESTROY,
    ECHO,
    FORWARD,
    LOOP,
    REVERT,
    address_word,
    assemble,
    init_code,
    word,
)
from tests.conftest import GENESIS_TIME

DELEGATE = assemble("0 0 0 0 0 CALLDATALOAD GAS DELEGATECALL STOP")
"""runs the code of the address in the first word"""
PAY = assemble("0 0 0 0 2 0 CALLDATALOAD GAS CALL STOP")
"""sends 2 wei to the address in the first word"""
PAY_AND_FAIL = assemble("0 0 0 0 2 0 CALLDATALOAD GAS CALL 0 0 REVERT")
CREATE_AND_FAIL = assemble("0 0 0 CREATE 0 0 REVERT")


def recorded(node: Node) -> list[InternalAddresses]:
    """The internal addresses of the newest block."""
    return AddressRecorder().record_block(node.chain, node.chain.head)


@pytest.fixture(params=["fast", "reference"])
def config(request: pytest.FixtureRequest) -> Config:
    """Both engines."""
    return Config(network="test", fixed_clock=GENESIS_TIME, engine=request.param)


class TestRecordBlock:
    def test_transfer(self, node: Node) -> None:
        """A transaction that runs no code has no internal messages."""
        run(node, BOB, value=1)

        assert recorded(node) == [InternalAddresses()]

    def test_creation(self, node: Node) -> None:
        """A contract that a contract creates is touched and created."""
        creator = deploy(node, CREATOR)
        run(node, creator, init_code(ECHO))

        (found,) = recorded(node)

        assert len(found.created) == 1
        ((created, maker),) = found.created
        assert found.touched == {created}
        assert maker == creator
        assert node.chain.state_at(node.chain.height).code(created) == ECHO

    def test_creation_that_is_undone(self, node: Node) -> None:
        """A contract is not created if the message that created it fails."""
        fails, forward = deploy(node, CREATE_AND_FAIL), deploy(node, FORWARD)
        run(node, forward, address_word(fails))

        (found,) = recorded(node)

        assert not found.created
        assert len(found.touched) == 2

    def test_failed_creation(self, node: Node) -> None:
        """Nor if its init code fails."""
        creator = deploy(node, CREATOR)
        run(node, creator, assemble("0 0 REVERT"))

        (found,) = recorded(node)

        assert (len(found.created), len(found.touched)) == (0, 1)

    def test_reverted(self, node: Node) -> None:
        """What messages that were reverted touched counts."""
        reverts, forward = deploy(node, REVERT), deploy(node, FORWARD)
        receipt = run(node, forward, address_word(reverts))

        assert not receipt.succeeded
        assert recorded(node)[0].touched == {reverts}

    def test_selfdestruct(self, node: Node) -> None:
        """The beneficiary of a self-destruct is touched."""
        destroy = deploy(node, DESTROY)
        run(node, destroy, address_word(CAROL))

        assert recorded(node)[0].touched == {CAROL}

    def test_transfers(self, node: Node) -> None:
        """Value that messages sent is noted, that of a reverted message is not."""
        destroy = deploy(node, DESTROY, value=7)
        pay, fails = deploy(node, PAY, value=9), deploy(node, PAY_AND_FAIL, value=9)
        run(node, destroy, address_word(CAROL))
        destroyed = recorded(node)[0].transfers
        run(node, pay, address_word(CAROL), value=1)
        paid = recorded(node)[0].transfers
        run(node, fails, address_word(CAROL))

        assert destroyed == [Transfer(None, destroy, CAROL, 7)]
        assert paid == [Transfer(None, pay, CAROL, 2)]
        assert recorded(node)[0].transfers == []

    def test_several_transactions(self, node: Node) -> None:
        """Each transaction of a block has its own."""
        echo, forward = deploy(node, ECHO), deploy(node, FORWARD)
        node.miner.set_automine(on=False)
        send(node, forward, address_word(echo), nonce=2)
        send(node, BOB, value=1, nonce=3)
        send(node, forward, address_word(CAROL), nonce=4)
        node.mine()

        assert [each.touched for each in recorded(node)] == [{echo}, set(), {CAROL}]

    def test_compiled_code(self, node: Node) -> None:
        """Code that has been compiled is recorded, and its compiled form used again."""
        loop, forward = deploy(node, LOOP), deploy(node, FORWARD)
        recorder = AddressRecorder()
        for _ in range(3):
            run(node, forward, address_word(loop) + word(100))
            found = recorder.record_block(node.chain, node.chain.head)

            assert found[0].touched == {loop}

    def test_replay_is_the_same(self, node: Node) -> None:
        """The block and its state are not changed by recording it."""
        destroy = deploy(node, DESTROY, value=7)
        run(node, destroy, address_word(CAROL), gas=AMPLE_GAS)
        before = node.chain.head.hash, node.chain.state_at(node.chain.height).balance(CAROL)

        recorded(node)

        after = node.chain.head.hash, node.chain.state_at(node.chain.height).balance(CAROL)
        assert after == before
        assert node.chain.state_at(node.chain.height).balance(Address(ALICE)) > 0
