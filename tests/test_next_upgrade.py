"""Rules of the next upgrade that its RSKIPs give cases for, by their numbers there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from eth_account import Account

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.node import Node
from devchain.state.keccak import keccak
from devchain.types import Address, Tag
from tests.accounts import ALICE, ALICE_HEX, ALICE_KEY, BOB, BOB_HEX, BOB_KEY, CAROL
from tests.actions import deploy, run
from tests.bytecode import assemble, word
from tests.conftest import GENESIS_TIME
from tests.evm.rootstock.machine import storing

CHAIN_ID = 31
BRIDGE_HEX = "0x" + BRIDGE.hex()
UNKNOWN = bytes.fromhex("deadbeef")
DESTROYED = assemble("42 0 SSTORE 0 CALLDATALOAD SELFDESTRUCT")
CREATOR = assemble("0 0 0 CREATE POP 0 CALLDATALOAD SELFDESTRUCT")


def config_of(engine: str, hardfork: str = "next", **given: Any) -> Config:
    return Config(
        hardfork=hardfork,
        network="test",
        engine=engine,
        min_gas_price=1,
        fixed_clock=GENESIS_TIME,
        **given,
    )


@pytest.fixture(params=["fast", "reference"])
def node(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node under the next upgrade, with each engine."""
    with Node(config_of(request.param)) as node:
        yield node


def authorize(target: bytes, nonce: int = 0, key: bytes = BOB_KEY) -> Any:
    return Account.sign_authorization({"chainId": CHAIN_ID, "nonce": nonce, "address": target}, key)


def set_code(node: Node, authorizations: list[Any], to: bytes = CAROL, **given: Any) -> Any:
    """The receipt of a transaction of type 4 by ALICE."""
    wanted = {
        "type": 4,
        "chainId": CHAIN_ID,
        "nonce": node.mempool.pending_nonce(ALICE),
        "to": to,
        "value": 0,
        "gas": 300_000,
        "maxFeePerGas": 1,
        "maxPriorityFeePerGas": 1,
        "authorizationList": authorizations,
        **given,
    }
    raw = Account.sign_transaction(wanted, ALICE_KEY).raw_transaction
    client = LocalClient(node)
    return client.call(
        "eth_getTransactionReceipt", client.call("eth_sendRawTransaction", raw.to_0x_hex())
    )


class TestDirectPrecompileFailure:
    """RSKIP692."""

    def test_fails(self, node: Node) -> None:
        """Cases 1 and 11: a call of no method of the Bridge uses its gas limit, and fails."""
        before = node.balance(ALICE)
        receipt = run(node, BRIDGE, UNKNOWN, gas=200_000)

        assert (receipt.succeeded, receipt.gas_used, receipt.logs) == (False, 200_000, ())
        assert before - node.balance(ALICE) == 200_000
        request = {"from": ALICE_HEX, "to": BRIDGE_HEX, "data": "0x" + UNKNOWN.hex()}
        for method in ("eth_call", "eth_estimateGas"):
            with pytest.raises(RpcFailure):
                LocalClient(node).call(method, request)

    def test_fills_the_block(self) -> None:
        """Case 2: its gas limit counts in the block."""
        for hardfork, mined in (("vetiver", 2), ("next", 1)):
            with Node(config_of("fast", hardfork, gas_limit=250_000, mining=False)) as node:
                client = LocalClient(node)
                sent = {"from": ALICE_HEX, "gasPrice": "0x1"}
                bridge = {"to": BRIDGE_HEX, "data": "0x" + UNKNOWN.hex(), "gas": hex(200_000)}
                client.call("eth_sendTransaction", {**sent, **bridge})
                client.call("eth_sendTransaction", {**sent, "to": BOB_HEX, "gas": hex(100_000)})
                client.call("evm_mine")
                assert len(node.chain.head.transactions) == mined

    @pytest.mark.parametrize(("gas", "used"), [(100_000, 90_500), (60_000, 50_500)])
    def test_refund(self, node: Node, gas: int, used: int) -> None:
        """Cases 9 and 10: what is refunded for authorizations stays, also with too little gas."""
        set_code(node, [authorize(CAROL)])
        receipt = set_code(node, [authorize(CAROL, 1)], BRIDGE, data=UNKNOWN, gas=gas)

        assert (receipt["status"], int(receipt["gasUsed"], 16)) == ("0x0", used)

    def test_value(self, node: Node) -> None:
        """What was sent stays with the sender."""
        before = node.balance(BRIDGE)
        receipt = run(node, BRIDGE, UNKNOWN, value=1)

        assert (receipt.succeeded, receipt.bloom, node.balance(BRIDGE)) == (False, 0, before)


class TestDestroyedKeepNonce:
    """RSKIP701. Payees are CAROL."""

    def delegated(self, node: Node, target: bytes) -> None:
        node.set_balance(BOB, 1_000)
        set_code(node, [authorize(target)])

    @pytest.mark.parametrize("is_nested", [False, True])
    def test_delegating_account(self, node: Node, is_nested: bool) -> None:
        """Cases 1, 2 and 4: it loses its balance alone, and its authorization is used up."""
        code = deploy(node, DESTROYED)
        if is_nested:
            forward = f"32 0 0 CALLDATACOPY 0 0 32 0 0x{code.hex()} GAS DELEGATECALL"
            code = deploy(node, assemble(forward))
        self.delegated(node, code)
        before = node.balance(CAROL)
        run(node, BOB, word(int.from_bytes(CAROL)))
        set_code(node, [authorize(deploy(node, CREATOR))])
        state = node.chain.state_at(Tag.LATEST)

        assert (state.nonce(BOB), state.code(BOB)) == (1, b"\xef\1\0" + code)
        assert (state.storage(BOB, 0), state.balance(BOB)) == (42, 0)
        assert node.balance(CAROL) == before + 1_000

    def test_own_beneficiary(self, node: Node) -> None:
        """Case 3: its balance stays."""
        self.delegated(node, deploy(node, DESTROYED))
        run(node, BOB, word(int.from_bytes(BOB)))

        assert node.balance(BOB) == 1_000

    def test_in_one_transaction(self, node: Node) -> None:
        """Case 5: a delegation of the same transaction counts."""
        target = deploy(node, DESTROYED)
        set_code(node, [authorize(target)], BOB, data=word(int.from_bytes(CAROL)))
        state = node.chain.state_at(Tag.LATEST)

        assert (state.nonce(BOB), state.storage(BOB, 0)) == (1, 42)
        assert state.code(BOB) == b"\xef\1\0" + target

    def test_gas(self, node: Node) -> None:
        """Case 6: a delegating account is not deleted, so nothing is refunded."""
        contract = deploy(node, DESTROYED)
        self.delegated(node, contract)
        payee = word(int.from_bytes(CAROL))
        used = [run(node, each, payee).gas_used for each in (BOB, contract)]

        assert used[0] - used[1] == min(24_000, used[0] // 2)

    def factory(self, node: Node) -> tuple[Address, Address]:
        """A contract that deploys DESTROYED with CREATE2, and the address of that."""
        size = len(DESTROYED)
        init = assemble(f"{storing(DESTROYED)} {size} 0 RETURN")
        words = [init[start : start + 32].ljust(32, b"\0") for start in range(0, len(init), 32)]
        stored = " ".join(f"0x{each.hex()} {32 * n} MSTORE" for n, each in enumerate(words))
        made = deploy(node, assemble(f"{stored} 0 {len(init)} 0 0 CREATE2 0 MSTORE 32 0 RETURN"))
        return made, Address(keccak(b"\xff" + made + bytes(32) + keccak(init))[12:])

    def test_contract(self, node: Node) -> None:
        """Cases 7 and 8: an older contract keeps its nonce, so that nothing replaces it."""
        factory, created = self.factory(node)
        run(node, factory)
        node.set_balance(created, 5)
        run(node, created, word(int.from_bytes(CAROL)))
        state = node.chain.state_at(Tag.LATEST)
        call = deploy(node, assemble(f"0 0 0 0 0 0x{created.hex()} 0 CALL"))

        assert (state.nonce(created), state.code(created), state.balance(created)) == (1, b"", 0)
        assert state.storage(created, 0) == 0
        assert run(node, call).gas_used == 21_000 + 21 + 2_600
        run(node, factory)
        assert node.chain.state_at(Tag.LATEST).code(created) == b""

    def test_created_in_the_transaction(self, node: Node) -> None:
        """Case 9: a contract of the same transaction is deleted, and can be created again."""
        factory, created = self.factory(node)
        payee = f"0x{CAROL.hex()} 0 MSTORE"
        both = f"0 0 0 0 0 0x{factory.hex()} GAS CALL POP {payee}"
        caller = deploy(node, assemble(f"{both} 0 0 32 0 0 0x{created.hex()} GAS CALL"))
        run(node, caller)
        assert not node.chain.state_at(Tag.LATEST).exists(created)
        run(node, factory)

        assert node.chain.state_at(Tag.LATEST).code(created) == DESTROYED

    @pytest.mark.parametrize(("code", "nonce"), [(DESTROYED, 0), (CREATOR, 1)])
    def test_nonce(self, node: Node, code: bytes, nonce: int) -> None:
        """Cases 10 and 11: one whose nonce is 0 is deleted."""
        contract = deploy(node, code)
        run(node, contract, word(int.from_bytes(CAROL)))
        state = node.chain.state_at(Tag.LATEST)

        assert state.exists(contract) is bool(nonce)
        assert (state.nonce(contract), state.code(contract)) == (nonce, b"")

    def test_not_before(self) -> None:
        """Case 14: the newest upgrade that networks have deletes them all."""
        with Node(config_of("fast", "vetiver")) as node:
            factory, created = self.factory(node)
            run(node, factory)
            run(node, created, word(int.from_bytes(CAROL)))
            run(node, factory)

            assert node.chain.state_at(Tag.LATEST).code(created) == DESTROYED
