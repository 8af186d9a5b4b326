"""The requests that were recorded on other nodes, in the order in which they are made.

A name with `$` is a variable of `tests.peers.player`: an account, a contract, a payload.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A request by its name; `body` is sent as it is in place of a method's envelope.

    A parameter `{"raw": {...}}` is a transaction that `$A1` signs, with these fields in place of
    usual ones.
    """

    name: str
    method: str = ""
    params: tuple[Any, ...] = ()
    body: bytes = b""


PAYLOADS = {
    "reason": "$REASON",
    "custom-error": "$CUSTOM",
    "custom-error-short": "$CUSTOM_SHORT",
    "assert": "$PANIC01",
    "overflow": "$PANIC11",
    "unknown-panic": "$PANIC77",
    "no-data": "0x",
    "other-data": "0x0102",
}
"""What the reverting contract is called with, and reverts with."""
GAS = "0x186a0"


def _executions() -> list[Request]:
    """Failing executions, by each of the methods that execute."""
    found = []
    for kind, payload in PAYLOADS.items():
        call = {"from": "$A0", "to": "$REVERTS", "data": payload}
        found += [
            Request(f"call-{kind}", "eth_call", (call, "latest")),
            Request(f"estimate-{kind}", "eth_estimateGas", (call,)),
            Request(f"send-{kind}", "eth_sendTransaction", ({**call, "gas": GAS},)),
            Request(
                f"raw-{kind}",
                "eth_sendRawTransaction",
                ({"raw": {"to": "$REVERTS", "data": payload}},),
            ),
        ]
    for kind, contract in {"invalid-opcode": "$INVALID", "out-of-gas": "$LOOPS"}.items():
        call = {"from": "$A0", "to": contract, "gas": GAS}
        found += [
            Request(f"call-{kind}", "eth_call", (call, "latest")),
            Request(f"estimate-{kind}", "eth_estimateGas", (call,)),
            Request(f"send-{kind}", "eth_sendTransaction", (call,)),
            Request(f"raw-{kind}", "eth_sendRawTransaction", ({"raw": {"to": contract}},)),
        ]
    create = {"from": "$A0", "data": "$REVERTING_INIT"}
    return [
        *found,
        Request("call-creation", "eth_call", (create, "latest")),
        Request("estimate-creation", "eth_estimateGas", (create,)),
        Request("send-creation", "eth_sendTransaction", ({**create, "gas": GAS},)),
    ]


def _refusals() -> list[Request]:
    """Calls and transactions that are refused before they are executed."""
    plain = {"from": "$A0", "to": "$STOPS"}
    return [
        Request("call-value", "eth_call", ({**plain, "value": "$RICH"}, "latest")),
        Request("call-little-gas", "eth_call", ({**plain, "gas": "0x64"}, "latest")),
        Request("call-much-gas", "eth_call", ({**plain, "gas": "0xe8d4a51000"}, "latest")),
        Request("call-no-code", "eth_call", ({"to": "$NOBODY", "data": "0x12345678"}, "latest")),
        Request("call-later-block", "eth_call", (plain, "0xffff")),
        Request("call-unknown-block", "eth_call", (plain, {"blockHash": "$UNKNOWN"})),
        Request("call-bad-block", "eth_call", (plain, "newest")),
        Request("estimate-value", "eth_estimateGas", ({**plain, "value": "$RICH"},)),
        Request("send-unknown-account", "eth_sendTransaction", ({**plain, "from": "$NOBODY"},)),
        Request("send-value", "eth_sendTransaction", ({**plain, "gas": GAS, "value": "$RICH"},)),
        Request("send-old-nonce", "eth_sendTransaction", ({**plain, "gas": GAS, "nonce": "0x0"},)),
        Request("send-much-gas", "eth_sendTransaction", ({**plain, "gas": "0x77359400"},)),
        Request("send-little-gas", "eth_sendTransaction", ({**plain, "gas": "0x4e20"},)),
        Request("raw", "eth_sendRawTransaction", ({"raw": {}},)),
        Request("raw-old-nonce", "eth_sendRawTransaction", ({"raw": {"nonce": 0}},)),
        Request("raw-value", "eth_sendRawTransaction", ({"raw": {"value": "$RICH"}},)),
        Request("raw-poor", "eth_sendRawTransaction", ({"raw": {"poor": True}},)),
        Request("raw-much-gas", "eth_sendRawTransaction", ({"raw": {"gas": 2_000_000_000}},)),
        Request("raw-little-gas", "eth_sendRawTransaction", ({"raw": {"gas": 20_000}},)),
        Request("raw-other-chain", "eth_sendRawTransaction", ({"raw": {"chainId": 999}},)),
        Request("raw-garbage", "eth_sendRawTransaction", ("0x1234",)),
        Request("raw-empty", "eth_sendRawTransaction", ("0x",)),
        Request("raw-cut", "eth_sendRawTransaction", ("0xf86b8085",)),
    ]


PANIC_CODES = (0x00, 0x12, 0x21, 0x22, 0x31, 0x32, 0x41, 0x51)
"""Solidity's, but for those among the payloads."""

SETTERS: Json = {
    "evm_setAutomine": (True,),
    "hardhat_setNonce": ("$NOBODY", "0x5"),
    "hardhat_setCode": ("$NOBODY", "0x00"),
    "hardhat_setStorageAt": ("$NOBODY", "0x0", "$UNKNOWN"),
    "hardhat_setCoinbase": ("$NOBODY",),
    "hardhat_impersonateAccount": ("$NOBODY",),
    "hardhat_stopImpersonatingAccount": ("$NOBODY",),
    "hardhat_setLoggingEnabled": (False,),
    "hardhat_mine": ("0x1",),
    "hardhat_dropTransaction": ("$UNKNOWN",),
    "anvil_autoImpersonateAccount": (False,),
    "anvil_addBalance": ("$NOBODY", "0x1"),
    "anvil_dropAllTransactions": (),
    "anvil_setBlockTimestampInterval": (5,),
    "anvil_removeBlockTimestampInterval": (),
    "anvil_setTime": (4_100_000_000,),
    "anvil_rollback": (1,),
}
"""Methods that set something, with what they are asked to set."""


def _others() -> list[Request]:
    """What there is not, wrong parameters, results of the methods that differ."""
    return [
        Request("unknown-method", "eth_nosuch", ()),
        Request("missing-parameter", "eth_getBalance", ()),
        Request("missing-block", "eth_getBalance", ("$A2",)),
        Request("too-many-parameters", "eth_chainId", (1,)),
        Request("bad-address", "eth_getBalance", ("0x123", "latest")),
        Request("bad-quantity", "eth_getBlockByNumber", ("0xzz", False)),
        Request("bad-hash", "eth_getTransactionByHash", ("0x12",)),
        Request("no-transaction", "eth_getTransactionByHash", ("$UNKNOWN",)),
        Request("no-receipt", "eth_getTransactionReceipt", ("$UNKNOWN",)),
        Request("no-block", "eth_getBlockByNumber", ("0xffff", False)),
        Request("no-block-hash", "eth_getBlockByHash", ("$UNKNOWN", False)),
        Request("no-balance", "eth_getBalance", ("$A0", "0xffff")),
        Request("no-code", "eth_getCode", ("$NOBODY", "latest")),
        Request("storage", "eth_getStorageAt", ("$STOPS", "0x0", "latest")),
        Request("no-filter", "eth_getFilterChanges", ("0xffff",)),
        Request("logs-reversed", "eth_getLogs", ({"fromBlock": "0x2", "toBlock": "0x1"},)),
        Request("logs-later", "eth_getLogs", ({"fromBlock": "0xffff", "toBlock": "0xffff"},)),
        Request("logs-unknown-block", "eth_getLogs", ({"blockHash": "$UNKNOWN"},)),
        Request("sign-unknown-account", "eth_sign", ("$NOBODY", "0x12")),
        Request("version", "web3_clientVersion", ()),
        Request("chain-id", "eth_chainId", ()),
        Request("net-version", "net_version", ()),
        Request("snapshot", "evm_snapshot", ()),
        Request("revert-unknown", "evm_revert", ("0xffff",)),
        Request("increase-time", "evm_increaseTime", (100,)),
        Request("next-timestamp", "evm_setNextBlockTimestamp", (4_000_000_000,)),
        Request("mine", "evm_mine", ()),
        Request("set-balance", "hardhat_setBalance", ("$NOBODY", "0x1")),
        Request("set-balance-anvil", "anvil_setBalance", ("$NOBODY", "0x1")),
        Request("set-balance-ganache", "evm_setAccountBalance", ("$NOBODY", "0x1")),
        *(Request(name, name, parameters) for name, parameters in SETTERS.items()),
        *(
            Request(
                f"panic-{code:#04x}",
                "eth_call",
                ({"to": "$REVERTS", "data": f"$PANIC{code:02x}"}, "latest"),
            )
            for code in PANIC_CODES
        ),
        Request("parse-error", body=b"{"),
        Request("no-request", body=b'{"jsonrpc":"2.0","id":1}'),
        Request("empty-batch", body=b"[]"),
        Request(
            "batch",
            body=b'[{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]},'
            b'{"jsonrpc":"2.0","id":2,"method":"eth_nosuch","params":[]}]',
        ),
        Request("bad-batch", body=b'[1,{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]'),
        Request("notification", body=b'{"jsonrpc":"2.0","method":"eth_chainId","params":[]}'),
    ]


def _incomplete() -> list[Request]:
    """Transactions without gas or sender, last since not all nodes mine them."""
    return [
        Request(
            "send-without-gas-reverts",
            "eth_sendTransaction",
            ({"from": "$A0", "to": "$REVERTS", "data": "$REASON"},),
        ),
        Request("send-without-gas", "eth_sendTransaction", ({"from": "$A0", "to": "$STOPS"},)),
        Request("send-no-sender", "eth_sendTransaction", ({"to": "$STOPS"},)),
    ]


REQUESTS = (*_executions(), *_refusals(), *_others(), *_incomplete())
