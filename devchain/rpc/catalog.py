"""All JSON-RPC methods: the chapters and their modules, and the methods that are not supported."""

from __future__ import annotations

from importlib import import_module

from devchain.rpc.method import Method

CHAPTERS = {
    "Client": "client",
    "Blocks and transactions": "block",
    "State and calls": "execute",
    "Fees": "fee_market",
    "Logs, filters and subscriptions": "filter",
    "Signing and sending": "submit",
    "Mining work": "work",
    "Raw headers and receipts": "rsk",
    "Mining, snapshots and time": "mining",
    "State edits and impersonation": "cheats",
    "About the chain": "node",
    "Accounts": "personal",
    "Mempool": "txpool",
    "Clients": "sco",
    "Tracing": "trace",
    "Otterscan": "ots",
    "Contracts by name": "devchain",
    "Mocked calls": "mocks",
    "Bitcoin": "bitcoin",
    "The peg": "peg",
}
"""Title of a chapter in the docs: its module in `devchain.rpc.methods`."""

_NO_COMPILER = (
    "the node has no compilers, for security: compile with solc or vyper and send bytecode"
)
_NO_WHISPER = "Whisper is not part of Rootstock: use a messaging service of your own"
_NO_DATABASE = "the node keeps no key-value store for clients: use a file or a database of your own"
_FIXED_CHAIN_ID = "signatures commit to the chain id: start a node with --chain-id instead"

# Names that are not methods, with the reason that the error message gives.

UNSUPPORTED = {
    "anvil_setChainId": _FIXED_CHAIN_ID,
    **dict.fromkeys(("eth_getCompilers", "eth_compileLLL"), _NO_COMPILER),
    **dict.fromkeys(("eth_compileSolidity", "eth_compileSerpent"), _NO_COMPILER),
    **dict.fromkeys(("shh_post", "shh_version", "shh_newIdentity", "shh_hasIdentity"), _NO_WHISPER),
    **dict.fromkeys(("shh_newGroup", "shh_addToGroup", "shh_newFilter"), _NO_WHISPER),
    **dict.fromkeys(("shh_uninstallFilter", "shh_getFilterChanges"), _NO_WHISPER),
    "shh_getMessages": _NO_WHISPER,
}

DEPRECATED = dict.fromkeys(("db_putString", "db_getString", "db_putHex", "db_getHex"), _NO_DATABASE)


def _all_methods() -> dict[str, Method]:
    methods: dict[str, Method] = {}
    for chapter, path in CHAPTERS.items():
        module = import_module(f"devchain.rpc.methods.{path}")
        for function in vars(module).values():
            if not hasattr(function, "__rpc__") or function.__module__ != module.__name__:
                continue
            for method in Method.from_function(function, chapter).variants():
                if method.name in methods:
                    raise TypeError(f"{method.name} is defined twice")
                methods[method.name] = method
    return methods


METHODS = _all_methods()  # by wire name, in the order of the chapters and of their modules
