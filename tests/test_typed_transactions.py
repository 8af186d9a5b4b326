"""Typed transactions on Rootstock: types 1 and 2 (RSKIP546) and 4 (RSKIP545) under `next`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rlp
from eth_account import Account
from eth_utils.exceptions import ValidationError
from web3 import Web3
from web3.middleware import SignAndSendRawMiddlewareBuilder

from devchain.chain.transaction import decode, sign_digest
from devchain.client.http import LocalClient
from devchain.client.web3 import provider
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.state.keccak import keccak
from devchain.types import Tag
from tests.accounts import ALICE, ALICE_HEX, ALICE_KEY, BOB, BOB_HEX, BOB_KEY, CAROL, FUNDS
from tests.actions import deploy, fingerprint, reopen, run
from tests.bytecode import COUNTER, PROXY, REVERT, assemble, word
from tests.conftest import GENESIS_TIME
from tests.evm.rootstock.machine import returning
from tests.merkle import root_of_list

CHAIN_ID = 31
GWEI = 10**9
ACCESS_LIST = [{"address": BOB_HEX, "storageKeys": ["0x" + word(5).hex()]}]
LIST_GAS = 80 * len(rlp.encode([[BOB, [word(5)]]]))


def config_of(engine: str, **given: Any) -> Config:
    return Config(
        hardfork="next",
        network="test",
        engine=engine,
        min_gas_price=GWEI,
        fixed_clock=GENESIS_TIME,
        **given,
    )


@pytest.fixture(params=["fast", "reference"])
def node(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node under the next upgrade, with each engine."""
    with Node(config_of(request.param)) as node:
        yield node


@pytest.fixture
def client(node: Node) -> LocalClient:
    return LocalClient(node)


def authorize(key: bytes = BOB_KEY, /, **given: Any) -> Any:
    """BOB's authorization for another account's code."""
    return Account.sign_authorization({"chainId": CHAIN_ID, "nonce": 0, **given}, key)


def signed(node: Node, kind: int, key: bytes = ALICE_KEY, **given: Any) -> str:
    """A transaction to CAROL signed by eth-account."""
    sender = bytes.fromhex(Account.from_key(key).address[2:])
    fees = {"maxFeePerGas": 3 * GWEI, "maxPriorityFeePerGas": 2 * GWEI}
    wanted = {
        "type": kind,
        "chainId": CHAIN_ID,
        "nonce": node.mempool.pending_nonce(sender),  # type: ignore[arg-type]  # 20 bytes
        "to": CAROL,
        "value": 7,
        "gas": 200_000,
        **({"gasPrice": 2 * GWEI} if kind == 1 else fees),
        **given,
    }
    return str(Account.sign_transaction(wanted, key).raw_transaction.to_0x_hex())


def mined(client: LocalClient, raw: str) -> dict[str, Any]:
    """The receipt of a signed transaction."""
    sent = client.call("eth_sendRawTransaction", raw)
    return client.call("eth_getTransactionReceipt", sent)  # type: ignore[no-any-return]  # JSON


class TestFees:
    @pytest.mark.parametrize("kind", [1, 2])
    @pytest.mark.parametrize("listed", [[], ACCESS_LIST], ids=["plain", "list"])
    def test_mined(
        self, node: Node, client: LocalClient, kind: int, listed: list[dict[str, Any]]
    ) -> None:
        """The price is the smaller of both fees; the access list costs by byte, or nothing."""
        receipt = mined(client, signed(node, kind, accessList=listed))
        shown = client.call("eth_getTransactionByHash", receipt["transactionHash"])
        gas = 21_000 + (LIST_GAS if listed else 0)

        assert (receipt["status"], receipt["type"]) == ("0x1", hex(kind))
        assert int(receipt["gasUsed"], 16) == gas
        assert int(receipt["effectiveGasPrice"], 16) == 2 * GWEI
        assert node.balance(ALICE) == FUNDS - 7 - gas * 2 * GWEI
        assert (shown["type"], shown["gasPrice"], shown["chainId"]) == (
            hex(kind),
            hex(2 * GWEI),
            hex(CHAIN_ID),
        )
        assert shown["accessList"] == listed
        assert shown["yParity"] == shown["v"]
        assert shown.get("maxFeePerGas") == (hex(3 * GWEI) if kind == 2 else None)
        assert shown.get("maxPriorityFeePerGas") == (hex(2 * GWEI) if kind == 2 else None)

    def test_encoding(self, node: Node, client: LocalClient) -> None:
        """Receipts have four fields after their type, legacy ones six; blocks have byte strings."""
        raw = signed(node, 2)
        mined(client, raw)
        (block,) = node.chain.blocks_after(0)
        receipt = block.receipts[0]
        fields = [b"\1", receipt.gas_used, receipt.bloom.to_bytes(256), []]

        assert block.header.transaction_root == root_of_list([bytes.fromhex(raw[2:])])
        assert block.header.receipt_root == root_of_list([b"\2" + rlp.encode(fields)])

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            ({"maxPriorityFeePerGas": 4 * GWEI}, "max priority fee per gas higher than max fee"),
            ({"maxPriorityFeePerGas": GWEI - 1}, "gas price lower than block's minimum"),
            ({"chainId": 30}, "chain id"),
            ({"gas": 21_000 + LIST_GAS - 1, "accessList": ACCESS_LIST}, "basic cost is above"),
        ],
    )
    def test_refused(self, node: Node, client: LocalClient, given: Any, text: str) -> None:
        """A fee that is too low or contradictory, another chain, too little gas."""
        with pytest.raises(RpcFailure, match=text):
            mined(client, signed(node, 2, **given))

    def test_sent_by_the_node(self, node: Node, client: LocalClient) -> None:
        """A request is of type 2 if it has its fees, of type 0 if it has none."""
        wanted: dict[str, Any] = {"from": ALICE_HEX, "to": BOB_HEX}
        kinds = []
        for fees in ({}, {"maxFeePerGas": hex(GWEI)}, {"type": "0x2"}, {"type": "0x1"}):
            sent = client.call("eth_sendTransaction", {**wanted, **fees})
            receipt = client.call("eth_getTransactionReceipt", sent)
            kinds.append((receipt["type"], int(receipt["effectiveGasPrice"], 16)))

        assert kinds == [("0x0", GWEI), ("0x2", GWEI), ("0x2", GWEI), ("0x1", GWEI)]

    def test_estimate(self, client: LocalClient) -> None:
        """Estimates and calls charge the access list; a call's price is the smaller fee."""
        wanted = {"from": ALICE_HEX, "to": BOB_HEX, "accessList": ACCESS_LIST}
        price = assemble("GASPRICE 0 MSTORE 32 0 RETURN").hex()
        fees = {"maxFeePerGas": hex(5 * GWEI), "maxPriorityFeePerGas": hex(2 * GWEI)}
        answer = client.call(
            "eth_call", {**wanted, **fees}, "latest", {BOB_HEX: {"code": "0x" + price}}
        )

        assert int(client.call("eth_estimateGas", wanted), 16) == 21_000 + LIST_GAS
        assert int(answer, 16) == 2 * GWEI

    def test_base_fee(self, client: LocalClient) -> None:
        """It is shown as 0, so that clients send type 2, and the whole price is the tip."""
        block = client.call("eth_getBlockByNumber", "latest", False)  # JSON
        history = client.call("eth_feeHistory", "0x1", "latest", [50])

        assert block["baseFeePerGas"] == "0x0"
        assert history["baseFeePerGas"] == ["0x0", "0x0"]
        assert int(client.call("eth_maxPriorityFeePerGas"), 16) >= GWEI

    def test_not_before(self) -> None:
        """Vetiver has no typed transactions, and shows no base fee."""
        with Node(network="test") as earlier:
            client = LocalClient(earlier)
            with pytest.raises(RpcFailure, match="type 2"):
                mined(client, signed(earlier, 2))
            block = client.call("eth_getBlockByNumber", "latest", False)  # JSON
            assert "baseFeePerGas" not in block


def test_web3(node: Node) -> None:
    """web3.py fills in fees and sends type 2 by itself."""
    w3 = Web3(provider(node))
    account = w3.eth.account.from_key(ALICE_KEY)
    w3.middleware_onion.inject(
        SignAndSendRawMiddlewareBuilder.build(account),
        layer=0,
    )
    sent = w3.eth.send_transaction(
        {
            "from": account.address,
            "to": Web3.to_checksum_address(BOB),
            "value": Web3.to_wei(1, "wei"),
        }
    )
    receipt = w3.eth.wait_for_transaction_receipt(sent)

    assert (receipt["type"], receipt["status"]) == (2, 1)
    assert w3.eth.get_transaction(sent)["maxFeePerGas"] == receipt["effectiveGasPrice"]


def test_engines_and_files(tmp_path: Path) -> None:
    """Both engines mine equal blocks, which are the same after a restart."""
    prints = []
    for engine in ("fast", "reference"):
        kept = {"data_dir": tmp_path / "node"} if engine == "fast" else {}
        node = Node(config_of(engine, **kept))
        counter = deploy(node, COUNTER)
        client = LocalClient(node)
        for kind in (1, 2):
            mined(client, signed(node, kind, accessList=ACCESS_LIST, to=counter))
        mined(client, TestNamespace().raw(node))
        listed = [authorize(address=counter), authorize(address=CAROL, nonce=1)]
        receipt = mined(client, signed(node, 4, to=BOB, authorizationList=listed))
        traced = client.call("debug_traceTransaction", receipt["transactionHash"])
        assert traced["gas"] == int(receipt["gasUsed"], 16)
        if kept:
            found = fingerprint(node)
            prints.append((found["blocks"], found["accounts"]))
            node = reopen(node)
        found = fingerprint(node)
        prints.append((found["blocks"], found["accounts"]))
        node.close()

    assert prints == prints[:1] * 3


class TestNamespace:
    def raw(self, node: Node, kind: int = 0x203, chain_id: int | None = CHAIN_ID) -> str:
        """A transaction of one of Rootstock's own types to CAROL, signed by ALICE."""
        nonce = node.mempool.pending_nonce(ALICE)
        fields: list[Any] = [nonce, 2 * GWEI, 30_000, CAROL, 7, b"\1"]
        prefix = kind.to_bytes(2)
        signed_part = fields if chain_id is None else [*fields, chain_id, b"", b""]
        message = (b"" if chain_id is None else prefix) + rlp.encode(signed_part)
        (parity, r, s), _ = sign_digest(keccak(message), ALICE_KEY)
        v = parity + (27 if chain_id is None else 35 + 2 * chain_id)
        return "0x" + (prefix + bytes(rlp.encode([*fields, v, r, s]))).hex()

    @pytest.mark.parametrize("chain_id", [CHAIN_ID, None])
    def test_mined(self, node: Node, client: LocalClient, chain_id: int | None) -> None:
        """A type of Rootstock's own (RSKIP543) does what a legacy transaction does."""
        raw = self.raw(node, chain_id=chain_id)
        receipt = mined(client, raw)
        shown = client.call("eth_getTransactionByHash", receipt["transactionHash"])
        (block,) = node.chain.blocks_after(0)
        found = block.receipts[0]
        legacy = [b"\1", found.gas_used, bytes(256), [], found.gas_used, b"\1"]

        assert (receipt["type"], shown["type"], shown["from"]) == ("0x0203", "0x0203", ALICE_HEX)
        assert int(receipt["gasUsed"], 16) == 21_016
        assert "accessList" not in shown
        assert block.header.receipt_root == root_of_list([b"\2\3" + rlp.encode(legacy)])
        assert block.header.transaction_root == root_of_list([bytes.fromhex(raw[2:])])
        assert client.call("eth_getRawTransactionByHash", receipt["transactionHash"]) == raw
        assert client.call("debug_traceTransaction", receipt["transactionHash"])["gas"] == 21_016

    def test_sent_by_the_node(self, node: Node, client: LocalClient) -> None:
        """A request has the type in `rskSubtype`; what is signed is what a client would sign."""
        wanted = {"from": ALICE_HEX, "to": "0x" + CAROL.hex(), "gas": hex(30_000), "data": "0x01"}
        given = {"gasPrice": hex(2 * GWEI), "value": "0x7", "type": "0x2", "rskSubtype": "0x3"}
        raw = self.raw(node)
        sent = client.call("eth_sendTransaction", {**wanted, **given})

        assert client.call("eth_getRawTransactionByHash", sent) == raw
        assert client.call("eth_getTransactionReceipt", sent)["type"] == "0x0203"

    @pytest.mark.parametrize("odd", [{"rskSubtype": "0x80"}, {"type": "0x1"}])
    def test_wrong_request(self, client: LocalClient, odd: dict[str, str]) -> None:
        """A type above 0x7f, and another type beside it."""
        wanted = {"from": ALICE_HEX, "to": BOB_HEX, "type": "0x2", "rskSubtype": "0x3"}
        with pytest.raises(RpcFailure, match="rskSubtype is at most 0x7f"):
            client.call("eth_sendTransaction", {**wanted, **odd})

    def test_refused(self, node: Node, client: LocalClient) -> None:
        """A type above 0x7f, another chain id, and Vetiver's rules."""
        for raw, text in ((self.raw(node, 0x280), "not an RLP"), (self.raw(node, 0x203, 30), "30")):
            with pytest.raises(RpcFailure, match=text):
                mined(client, raw)
        with Node(network="test") as earlier, pytest.raises(RpcFailure, match="type 2"):
            mined(LocalClient(earlier), self.raw(node))


class TestDelegation:
    def test_runs_the_code(self, node: Node, client: LocalClient) -> None:
        """BOB's account runs the counter's code on its own storage, also called by contracts."""
        counter = deploy(node, COUNTER)
        called = run(node, counter)
        receipt = mined(
            client, signed(node, 4, to=BOB, value=0, authorizationList=[authorize(address=counter)])
        )
        state = node.chain.state_at(Tag.LATEST)

        assert int(receipt["gasUsed"], 16) == called.gas_used + 25_000
        assert state.code(BOB) == b"\xef\1\0" + counter
        assert (state.nonce(BOB), state.storage(BOB, 0), state.storage(counter, 0)) == (1, 1, 1)
        assert client.call("eth_call", {"to": BOB_HEX}) == "0x" + word(2).hex()
        caller = deploy(node, assemble(f"32 0 0 0 0 0x{BOB.hex()} GAS CALL POP 32 0 RETURN"))
        answer = client.call("eth_call", {"to": "0x" + caller.hex()})
        assert answer == "0x" + word(2).hex()
        size = deploy(node, assemble(f"0x{BOB.hex()} EXTCODESIZE 0 MSTORE 32 0 RETURN"))
        assert int(client.call("eth_call", {"to": "0x" + size.hex()}), 16) == 23

    def test_refund(self, node: Node, client: LocalClient) -> None:
        """An account that delegates already gives 9,500 gas back, above the half of the gas."""
        target = deploy(node, assemble("STOP"))
        listed = [authorize(address=target, nonce=number) for number in range(8)]
        receipt = mined(client, signed(node, 4, gas=400_000, authorizationList=listed))

        assert int(receipt["gasUsed"], 16) == 21_000 + 8 * 25_000 - 7 * 9_500
        gas = int(receipt["gasUsed"], 16)
        assert node.balance(node.miner.coinbase) >= gas * 2 * GWEI

    def test_removed(self, node: Node, client: LocalClient) -> None:
        """The zero address removes the code; precompiled contracts are empty code."""
        listed = [authorize(address=bytes(19) + b"\4"), authorize(address=bytes(20), nonce=1)]
        mined(client, signed(node, 4, authorizationList=listed[:1]))
        assert client.call("eth_call", {"to": BOB_HEX, "data": "0x1234"}) == "0x"
        mined(client, signed(node, 4, authorizationList=listed[1:]))

        assert client.call("eth_getCode", BOB_HEX) == "0x"

    @pytest.mark.parametrize("odd", [{"nonce": 1}, {"chainId": 30}, {"nonce": 2**64 - 1}])
    def test_of_no_effect(self, node: Node, client: LocalClient, odd: dict[str, int]) -> None:
        """An authorization that is not valid is skipped, but paid."""
        receipt = mined(
            client, signed(node, 4, authorizationList=[authorize(address=CAROL, **odd)])
        )

        assert (receipt["status"], receipt["gasUsed"]) == ("0x1", hex(21_000 + 25_000))
        assert client.call("eth_getCode", BOB_HEX) == "0x"

    def test_contracts_do_not_delegate(self, node: Node, client: LocalClient) -> None:
        """Other code is not replaced."""
        node.set_code(BOB, PROXY)
        mined(client, signed(node, 4, authorizationList=[authorize(address=CAROL)]))

        assert node.chain.state_at(Tag.LATEST).code(BOB) == PROXY

    @pytest.mark.parametrize(
        ("code", "accepted"),
        [
            (b"\xef\1\0" + CAROL, True),
            (b"\xef\1\0", False),
            (b"\xef\1\0" + CAROL + b"\0", False),
            (PROXY, False),
        ],
    )
    def test_code_of_the_sender(
        self, node: Node, client: LocalClient, code: bytes, *, accepted: bool
    ) -> None:
        """The sender of type 4 may delegate, but have no other code; other types do not ask."""
        node.set_code(ALICE, code)
        raw = signed(node, 4, authorizationList=[authorize(address=CAROL)])
        if accepted:
            assert mined(client, raw)["status"] == "0x1"
        else:
            with pytest.raises(RpcFailure, match="sender of a transaction of type 4 has code"):
                mined(client, raw)
            state = node.chain.open_state(node.chain.head.header)
            state.set_code(ALICE, code)
            tx = decode(bytes.fromhex(raw[2:]), CHAIN_ID, node.chain.rules).signed
            with pytest.raises(ValidationError, match="type 4 has code"):
                state.apply_transaction(tx)
        assert mined(client, signed(node, 2))["status"] == "0x1"

    def test_one_in_the_mempool(self, node: Node, client: LocalClient) -> None:
        """An account that delegates has one transaction in the mempool, without a gap."""
        target = deploy(node, assemble("STOP"))
        mined(client, signed(node, 4, authorizationList=[authorize(address=target)]))
        node.miner.set_automine(on=False)
        with pytest.raises(RpcFailure, match="gapped-nonce"):
            client.call("eth_sendRawTransaction", signed(node, 2, BOB_KEY, nonce=2))
        client.call("eth_sendRawTransaction", signed(node, 2, BOB_KEY))
        with pytest.raises(RpcFailure, match="already has a transaction"):
            client.call("eth_sendRawTransaction", signed(node, 2, BOB_KEY))

        assert len(node.mempool) == 1

    def test_estimate(self, node: Node, client: LocalClient) -> None:
        """Calls and estimates apply the authorizations of the request."""
        counter = deploy(node, COUNTER)
        each = authorize(address=counter)
        listed = {
            "chainId": hex(each.chain_id),
            "address": "0x" + bytes(each.address).hex(),
            "nonce": hex(each.nonce),
            "yParity": hex(each.y_parity),
            "r": hex(each.r),
            "s": hex(each.s),
        }
        wanted = {"from": ALICE_HEX, "to": BOB_HEX, "authorizationList": [listed]}
        needed = int(client.call("eth_estimateGas", wanted), 16)
        sent = client.call("eth_sendTransaction", {**wanted, "gas": hex(needed)})
        receipt = client.call("eth_getTransactionReceipt", sent)

        assert receipt["type"] == "0x4"
        assert node.chain.state_at(Tag.LATEST).storage(BOB, 0) == 1
        assert client.call("eth_getTransactionByHash", sent)["authorizationList"] == [listed]


THIRD, FOURTH, FIFTH = (bytes(19) + bytes([number]) for number in (3, 4, 5))
SCENARIOS = [
    # sender, to, authorizations; ALICE's delegate, ALICE's and BOB's nonce, the gas used
    (ALICE, CAROL, [(ALICE, THIRD, 1), (ALICE, FOURTH, 2)], FOURTH, 3, 0, 61_500),
    (ALICE, CAROL, [(ALICE, THIRD, 4), (ALICE, FIFTH, 99)], THIRD, 5, 0, 61_500),
    (ALICE, CAROL, [(ALICE, THIRD, 6), (BOB, THIRD, 0)], THIRD, 7, 1, 61_500),
    (ALICE, BOB, [(BOB, bytes(19) + b"\1", 1)], THIRD, 8, 2, 36_500),
    (BOB, CAROL, [(BOB, THIRD, 3)], THIRD, 8, 4, 36_500),
    (ALICE, CAROL, [(ALICE, THIRD, 9), (ALICE, FIFTH, 99), (BOB, FIFTH, 9)], THIRD, 10, 4, 86_500),
    (ALICE, CAROL, [(ALICE, THIRD, 11), (ALICE, THIRD, 11)], THIRD, 12, 4, 61_500),
    (ALICE, CAROL, [(ALICE, FOURTH, 12), (ALICE, FIFTH, 13)], FIFTH, 14, 4, 61_500),
]
KEYS = {ALICE: ALICE_KEY, BOB: BOB_KEY}


def test_scenarios_of_rskj(node: Node, client: LocalClient) -> None:
    """What rskj's tests of RSKIP545 do, in turn: several, wrong and repeated authorizations."""
    for sender, to, listed, delegate, nonce, bobs_nonce, gas in SCENARIOS:
        authorizations = [
            authorize(KEYS[each], address=target, nonce=number) for each, target, number in listed
        ]
        raw = signed(node, 4, KEYS[sender], to=to, authorizationList=authorizations)
        receipt = mined(client, raw)
        state = node.chain.state_at(Tag.LATEST)

        assert (receipt["status"], int(receipt["gasUsed"], 16)) == ("0x1", gas)
        assert state.code(ALICE) == b"\xef\1\0" + delegate
        assert (state.nonce(ALICE), state.nonce(BOB)) == (nonce, bobs_nonce)


def test_delegation_outlives_a_revert(node: Node, client: LocalClient) -> None:
    """It stays if the transaction fails; chain id 0 is of every chain."""
    node.set_code(CAROL, REVERT)
    own = authorize(ALICE_KEY, address=CAROL, nonce=1, chainId=0)
    receipt = mined(client, signed(node, 4, to=ALICE, authorizationList=[own]))
    state = node.chain.state_at(Tag.LATEST)

    assert receipt["status"] == "0x0"
    assert state.code(ALICE) == b"\xef\1\0" + CAROL
    assert state.nonce(ALICE) == 2


PROBE = assemble("ORIGIN 0 SSTORE CALLER 1 SSTORE ORIGIN CALLER EQ 2 SSTORE")


def test_origin_and_caller(node: Node, client: LocalClient) -> None:
    """As in rskj's Rskip545OriginInvariantDslTest: BOB is both, at the top and in a call by his
    account; a contract between keeps them apart.
    """
    probe = deploy(node, PROBE)
    relay = deploy(node, assemble(f"0 0 0 0 0 0x{probe.hex()} GAS CALL"))
    used = []
    for target, nonce, at in ((probe, 1, BOB), (relay, 3, probe)):
        own = authorize(address=target, nonce=nonce)
        receipt = mined(client, signed(node, 4, BOB_KEY, to=BOB, authorizationList=[own]))
        state = node.chain.state_at(Tag.LATEST)
        bob = int.from_bytes(BOB)
        assert [state.storage(at, slot) for slot in (0, 1, 2)] == [bob, bob, 1]
        used.append(int(receipt["gasUsed"], 16))
    assert 46_000 < used[1] < used[0], "an account that delegates again is cheaper"

    run(node, relay)
    state = node.chain.state_at(Tag.LATEST)
    slots = [state.storage(probe, slot) for slot in (0, 1, 2)]
    assert slots == [int.from_bytes(ALICE), int.from_bytes(relay), 0]


def padded(data: bytes) -> int:
    return int.from_bytes(data.ljust(32, b"\0"))


OWN = f"0x{BOB.hex()}"
IN_DELEGATION = {
    # as rskj's Rskip545DelegatedOpcodeTest: what reads code, run by BOB's delegate
    "CODESIZE": lambda code, _: len(code),
    "32 0 0 CODECOPY 0 MLOAD": lambda code, _: padded(code[:32]),
    f"{OWN} EXTCODESIZE": lambda _, __: 23,
    f"{OWN} EXTCODEHASH": lambda _, target: int.from_bytes(keccak(b"\xef\1\0" + target)),
    f"32 0 0 {OWN} EXTCODECOPY 0 MLOAD": lambda _, target: padded(b"\xef\1\0" + target),
    f"3 0 0 {OWN} EXTCODECOPY 0 MLOAD": lambda _, __: padded(b"\xef\1\0"),
    "ADDRESS": lambda _, __: int.from_bytes(BOB),
    "CALLER ORIGIN EQ": lambda _, __: 1,
}


@pytest.mark.parametrize("source", IN_DELEGATION)
def test_opcodes_in_a_delegation(node: Node, client: LocalClient, source: str) -> None:
    """The code is the delegate's; other accounts, and the own one by its address, see BOB's."""
    code = assemble(returning(source))
    target = deploy(node, code)
    mined(client, signed(node, 4, authorizationList=[authorize(address=target)]))
    answer = client.call("eth_call", {"from": ALICE_HEX, "to": BOB_HEX})

    assert int(answer, 16) == IN_DELEGATION[source](code, target)


def test_one_hop(node: Node, client: LocalClient) -> None:
    """The code of a delegate that delegates itself is not resolved: it cannot be executed."""
    mined(client, signed(node, 4, authorizationList=[authorize(address=ALICE)]))
    own = authorize(ALICE_KEY, address=deploy(node, COUNTER), nonce=3)
    mined(client, signed(node, 4, authorizationList=[own]))

    with pytest.raises(RpcFailure, match="opcode"):
        client.call("eth_call", {"to": BOB_HEX, "gas": hex(100_000)})
