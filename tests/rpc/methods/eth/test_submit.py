"""`devchain.rpc.methods.eth.submit`"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import rlp
from eth_account import Account

from devchain import connect
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import InsufficientFunds, RpcFailure
from devchain.node import Node
from devchain.rpc.methods.eth.submit import (
    pending_transactions,
    send_raw_transaction,
    send_transaction,
)
from devchain.types import ZERO_HASH, TransactionRequest, checksum
from tests.accounts import ALICE, ALICE_HEX, ALICE_KEY, BOB, BOB_HEX, FUNDS, UNFUNDED_HEX
from tests.actions import deploy
from tests.bytecode import REVERT, error_payload
from tests.contracts.till import TILL, WHERE

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
CHAIN_ID = 31


def signed(**given: Any) -> bytes:
    """A transaction of ALICE's as it goes over the wire."""
    tx = {
        "nonce": 0,
        "gas": 21_000,
        "gasPrice": 0,
        "to": BOB,
        "value": 1,
        "data": b"",
        "chainId": CHAIN_ID,
        **given,
    }
    made = Account.sign_transaction({k: v for k, v in tx.items() if v is not None}, ALICE_KEY)
    return bytes(made.raw_transaction)


def resigned(raw: bytes, **given: int) -> bytes:
    """The same transaction with other values of v, r or s."""
    items = rlp.decode(raw)
    for name, value in given.items():
        items[{"v": 6, "r": 7, "s": 8}[name]] = rlp.sedes.big_endian_int.serialize(value)
    return bytes(rlp.encode(items))


def refusal(client: LocalClient, method: str, *params: object) -> tuple[int, str]:
    """Code and message with which a call is refused."""
    with pytest.raises(RpcFailure) as caught:
        client.call(method, *params)
    return caught.value.code, caught.value.message


USE_LEGACY = "use a legacy transaction, type 0 (--legacy in cast, forge)"


class TestSendRawTransaction:
    def test_not_mined(self, node: Node) -> None:
        """A node that does not mine answers the hash all the same, never zeros."""
        node.miner.running = False

        actual = send_raw_transaction(node, signed())

        assert actual != ZERO_HASH
        assert node.mempool.find(actual) is not None

    @pytest.mark.parametrize(
        "raw",
        [
            "0x",
            "0x00",
            "0x05c0",
            "0x7f",
            "0x80",
            "0xc0",
            "0xc1",
            "0xf8",
            "0xff" + "ff" * 8,
            "0xb8" + "ff" * 8,
            "0x" + signed()[:-1].hex(),
            "0x" + signed().hex() + "00",
            "0x" + rlp.encode(rlp.decode(signed())[:-1]).hex(),
            "0x" + rlp.encode([*rlp.decode(signed()), b""]).hex(),
            "0x" + rlp.encode([b"\x00\x01", *rlp.decode(signed())[1:]]).hex(),
            "0x"
            + rlp.encode([*rlp.decode(signed())[:3], b"\1" * 19, *rlp.decode(signed())[4:]]).hex(),
            "0x" + rlp.encode([b"\1" * 9, *rlp.decode(signed())[1:]]).hex(),
        ],
    )
    def test_malformed(self, client: LocalClient, raw: str) -> None:
        """Bytes that are not a signed transaction are an invalid parameter."""
        code, message = refusal(client, "eth_sendRawTransaction", raw)

        assert code == -32602
        assert "internal" not in message

    @pytest.mark.parametrize(
        "given",
        [
            {"r": 0},
            {"s": 0},
            {"r": ORDER},
            {"s": ORDER},
            {"r": 2**256 - 1},
            {"v": 0},
            {"v": 29},
            {"v": 34},
            {"v": 2**64},
            {"v": 2**256 - 1},
        ],
    )
    def test_bad_signature(self, client: LocalClient, given: dict[str, int]) -> None:
        """A signature that cannot be one is refused."""
        raw = resigned(signed(), **given)

        code, _ = refusal(client, "eth_sendRawTransaction", "0x" + raw.hex())

        assert code in {-32602, -32010}

    @pytest.mark.parametrize("chain_id", [CHAIN_ID, None], ids=["EIP-155", "before"])
    def test_high_s(self, client: LocalClient, chain_id: int | None) -> None:
        """The mirrored signature, with s in the upper half, is refused."""
        raw = signed(chainId=chain_id)
        items = [int.from_bytes(each, "big") for each in rlp.decode(raw)[6:]]
        flipped = items[0] + (1 if items[0] % 2 else -1)

        mirrored = resigned(raw, v=flipped, s=ORDER - items[2])

        code, message = refusal(client, "eth_sendRawTransaction", "0x" + mirrored.hex())
        assert code == -32602
        assert message.startswith("the signature is not valid: ")


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no account": (
        {"from": UNFUNDED_HEX, "value": "0x1"},
        f"no key is held for account {UNFUNDED_HEX}",
    ),
    "gas over the block's": (
        {"gas": hex(6_800_001)},
        (
            "transaction's gas limit of 6800001 is higher than the block's gas limit of 6800000; "
            "give it less, "
            "or raise --gas-limit or Config.gas_limit"
        ),
    ),
    "basic cost": (
        {"gas": "0x5207"},
        "transaction's basic cost is above the gas limit: needs 21000 gas, has 20999",
    ),
    "nonce too high": (
        {"nonce": "0x10"},
        (
            "transaction nonce too high: next nonce 0, tx nonce 16, "
            "at most 16 may wait (--account-slots or Config.account_slots)"
        ),
    ),
    "gas too dear": (
        {"gasPrice": hex(FUNDS)},
        f"insufficient funds for gas: balance {FUNDS} wei, gas {90_000 * FUNDS} wei",
    ),
    "value too high": (
        {"value": hex(FUNDS + 1)},
        (
            "insufficient funds to pay for pending and new transactions: "
            f"balance {FUNDS} wei, cost {FUNDS + 1} wei"
        ),
    ),
    "init code too large": (
        {"to": None, "data": "0x" + "00" * 49_153, "gas": "0x66ff00"},
        "transaction's init code size is invalid: 49153 bytes, at most 49152",
    ),
}


class TestSendTransaction:
    def test_given(self, client: LocalClient) -> None:
        """Given members are used."""
        request = {
            "from": ALICE_HEX,
            "to": BOB_HEX,
            "gas": "0x5300",
            "gasPrice": "0x2",
            "value": "0x3",
            "nonce": "0x0",
            "data": "0x00",
            "chainId": "0x1f",
        }

        sent = client.call("eth_sendTransaction", request)

        tx = client.call("eth_getTransactionByHash", sent)
        shared = {"from", "to", "gas", "gasPrice", "value", "nonce"}
        assert {name: tx[name] for name in shared} == {name: request[name] for name in shared}
        assert tx["input"] == "0x00"

    def test_nonce_gap(self, client: LocalClient) -> None:
        """A nonce ahead of the account's waits for those before it."""
        client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "nonce": "0x1"})

        assert client.call("eth_blockNumber") == "0x0"
        client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})
        assert client.call("eth_getTransactionCount", ALICE_HEX) == "0x2"

    @pytest.mark.parametrize(("given", "expected"), REFUSED.values(), ids=REFUSED)
    def test_refused(self, client: LocalClient, given: dict[str, Any], expected: str) -> None:
        """What the mempool refuses is refused with the real node's words, and nothing changes."""
        request = {"from": ALICE_HEX, "to": BOB_HEX, **given}

        code, message = refusal(client, "eth_sendTransaction", request)

        assert code == (-32000 if request["from"] == UNFUNDED_HEX else -32010)
        assert message == expected
        assert client.call("eth_blockNumber") == "0x0"

    @pytest.mark.parametrize(
        ("given", "kind"),
        [
            ({"type": "0x1"}, "1 (EIP-2930 access list)"),
            ({"type": "0x2"}, "2 (EIP-1559 dynamic fee)"),
            ({"maxFeePerGas": "0x1", "maxPriorityFeePerGas": "0x1"}, "2 (EIP-1559 dynamic fee)"),
            ({"type": "0x3"}, "3 (EIP-4844 blob)"),
            ({"type": "0x4"}, "4 (EIP-7702 set code)"),
            ({"type": "0x7f"}, "127 (unknown)"),
        ],
    )
    def test_typed(self, client: LocalClient, given: dict[str, Any], kind: str) -> None:
        """A typed transaction is refused by the name of its type."""
        actual = refusal(client, "eth_sendTransaction", {"from": ALICE_HEX, **given})

        assert actual == (
            -32010,
            f"transaction type {kind} is not supported: {USE_LEGACY}",
        )

    def test_reverted(self, node: Node, client: LocalClient) -> None:
        """A transaction that reverts is mined with status 0 and its hash is answered."""
        reverting = deploy(node, REVERT)

        sent = client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": "0x" + reverting.hex()})

        assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x0"


class TestRevertOnSend:
    @pytest.fixture
    def config(self, config: Config) -> Config:
        """A node with Hardhat's habit."""
        return replace(config, revert_on_send=True)

    def test_sent(self, node: Node, client: LocalClient) -> None:
        """The revert is answered, though the transaction is mined; the data has its hash."""
        reverting = deploy(node, REVERT)
        payload = "0x" + error_payload("no").hex()
        request = {"from": ALICE_HEX, "to": "0x" + reverting.hex(), "data": payload}

        with pytest.raises(RpcFailure) as caught:
            client.call("eth_sendTransaction", request)

        text = "VM Exception while processing transaction: execution reverted: no"
        assert (caught.value.code, caught.value.message) == (-32015, text)
        mined = "0x" + node.chain.head.transactions[0].hash.hex()
        assert caught.value.data == {"message": text, "txHash": mined, "data": payload}
        assert client.call("eth_blockNumber") == "0x2"

    @pytest.mark.parametrize("like", [None, "hardhat"])
    def test_stack_trace(self, config: Config, like: str | None) -> None:
        """Where the source is known the data has the place too; Hardhat's has the same members."""
        with Node(replace(config, like=like)) as node:
            till = node.deploy(TILL)
            request = {"to": f"0x{till.address.hex()}", "data": f"0x34fcf437{3:064x}"}
            request |= {"from": checksum(node.accounts.addresses()[1]), "gas": hex(100_000)}
            with pytest.raises(RpcFailure) as caught:
                connect(node).call("eth_sendTransaction", request)

        assert list(caught.value.data) == ["message", "txHash", "data", "stackTrace"]
        assert caught.value.data["stackTrace"].splitlines()[1:] == WHERE

    def test_defect_in_a_stack_trace(
        self, node: Node, client: LocalClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An error is answered without its place if looking for that fails."""
        till = node.deploy(TILL)
        monkeypatch.setattr(node.explainer, "source_trace", lambda _: {}["x"])
        request = {"from": BOB_HEX, "to": f"0x{till.address.hex()}", "gas": hex(100_000)}

        with pytest.raises(RpcFailure) as caught:
            client.call("eth_sendTransaction", {**request, "data": f"0x34fcf437{3:064x}"})

        assert list(caught.value.data) == ["message", "txHash", "data"]

    def test_raw(self, client: LocalClient) -> None:
        """So is that of a signed transaction, here a creation of invalid code."""
        raw = signed(to="", data="0xfe", gas=100_000, value=0)

        assert refusal(client, "eth_sendRawTransaction", "0x" + raw.hex()) == (
            -32015,
            "VM Exception while processing transaction: invalid opcode",
        )


class TestMinimumGasPrice:
    @pytest.fixture
    def config(self, config: Config) -> Config:
        """A node with a minimum gas price that does not mine."""
        return replace(config, min_gas_price=10, mining=False)

    def test_default(self, client: LocalClient) -> None:
        """Without a gas price the transaction has the lowest one accepted."""
        sent = client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})

        assert client.call("eth_getTransactionByHash", sent)["gasPrice"] == "0xa"

    def test_too_low(self, client: LocalClient) -> None:
        """Less is refused."""
        actual = refusal(client, "eth_sendTransaction", {"from": ALICE_HEX, "gasPrice": "0x9"})

        assert actual == (-32010, "transaction's gas price lower than block's minimum: 9 < 10 wei")

    def test_replacement(self, client: LocalClient) -> None:
        """A replacement of a pending transaction has to pay 40 % more."""
        request = {"from": ALICE_HEX, "to": BOB_HEX, "nonce": "0x0", "gasPrice": "0xa"}
        client.call("eth_sendTransaction", request)

        actual = refusal(client, "eth_sendTransaction", {**request, "gasPrice": "0xd"})

        assert actual == (
            -32010,
            "gas price not enough to bump transaction: offers 13 wei, replacing takes 14",
        )
        client.call("eth_sendTransaction", {**request, "gasPrice": "0xe"})
        assert len(client.call("eth_pendingTransactions")) == 1

    @pytest.mark.parametrize(("nonce", "place"), [("0x0", "pending"), ("0x1", "queued")])
    def test_known(self, client: LocalClient, nonce: str, place: str) -> None:
        """The same transaction is refused the second time."""
        request = {"from": ALICE_HEX, "to": BOB_HEX, "nonce": nonce}
        client.call("eth_sendTransaction", request)

        actual = refusal(client, "eth_sendTransaction", request)

        assert actual == (-32010, f"{place} transaction with same hash already exists")


class TestUnknownSender:
    def test_no_funds(self, node: Node) -> None:
        """An account the chain does not know cannot pay for anything."""
        key = b"\x01" * 32
        raw = Account.sign_transaction(
            {"nonce": 0, "gas": 21_000, "gasPrice": 0, "to": BOB, "value": 1, "chainId": 31}, key
        ).raw_transaction

        with pytest.raises(InsufficientFunds, match="the sender account doesn't exist"):
            send_raw_transaction(node, bytes(raw))


class TestPendingTransactions:
    def test_queued(self, node: Node) -> None:
        """What lacks a nonce before it is not pending."""
        send_transaction(node, TransactionRequest(ALICE, BOB, nonce=1))

        assert pending_transactions(node) == []

    def test_of_others(self, node: Node) -> None:
        """Those of other senders are not the operator's."""
        key = b"\x01" * 32
        sender = Account.from_key(key).address
        send_transaction(node, TransactionRequest(ALICE, bytes.fromhex(sender[2:]), value=10))  # type: ignore[arg-type]  # 20 bytes
        node.miner.running = False
        tx = {"nonce": 0, "gas": 21_000, "gasPrice": 0, "to": BOB, "value": 1, "chainId": 31}
        send_raw_transaction(node, bytes(Account.sign_transaction(tx, key).raw_transaction))

        assert len(node.mempool.pending()) == 1
        assert pending_transactions(node) == []
