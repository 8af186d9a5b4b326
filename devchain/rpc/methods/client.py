"""`eth_`, `net_`, `web3_` and `rpc_` methods about the node itself: chain id, accounts, methods."""

from __future__ import annotations

import sys
import zlib
from functools import lru_cache
from typing import Any

from eth_utils.crypto import keccak

from devchain.config import Config
from devchain.node import Node, version
from devchain.rpc.json_codec import Encoded, Number, encode
from devchain.rpc.method import rpc
from devchain.types import Address, Hash32

PROTOCOL_VERSION = 0x3E


@rpc("eth_chainId", hosted=True)
def chain_id(node: Node) -> int:
    """The chain id that transactions are signed for: 30 main, 31 test, 32 dev, 33 local."""
    return node.config.effective_chain_id


@rpc("eth_blockNumber", hosted=True)
def block_number(node: Node) -> int:
    """The number of the latest block."""
    return node.chain.height


@rpc("eth_accounts", hosted=True)
def accounts(node: Node) -> list[Address]:
    """The addresses of the node's accounts, locked ones included. Empty with `--hosted`."""
    return node.accounts.addresses()


@rpc("eth_requestAccounts")
def request_accounts(node: Node) -> list[Address]:
    """The same as `eth_accounts`. Web pages ask a wallet for its accounts with it."""
    return accounts(node)


@rpc("eth_protocolVersion", hosted=True)
def protocol_version(node: Node) -> int:
    """The version of Rootstock's wire protocol, 0x3e."""
    return PROTOCOL_VERSION


@rpc("eth_syncing")
def syncing(node: Node) -> bool:
    """Whether the node is synchronizing. Always false: it has no peers."""
    return False


@rpc("eth_config", hosted=True)
def config(node: Node) -> dict[str, Any]:
    """The hardfork in force, with precompiled and system contracts by name (EIP-7910).

    `activationTime` is 0, `blobSchedule` null where a hardfork has no blobs. No other hardfork is
    scheduled: `next` and `last` are null. `forkId` is the CRC-32 of the genesis hash (EIP-6122).
    """
    rules, blobs = node.chain.rules, node.chain.rules.blob_schedule
    current = {
        "activationTime": Number(0),
        "blobSchedule": blobs
        and {
            "baseFeeUpdateFraction": Number(blobs.base_fee_update_fraction),
            "max": Number(blobs.max),
            "target": Number(blobs.target),
        },
        "chainId": node.config.effective_chain_id,
        "forkId": zlib.crc32(node.chain.block(0).hash).to_bytes(4),
        "precompiles": dict(sorted(rules.precompile_names().items())),
        "systemContracts": rules.system_contract_names,
    }
    return {"current": current, "next": None, "last": None}


# Network


@rpc("net_version", hosted=True)
def network_version(node: Node) -> str:
    """The network id as decimal text. It equals the chain id."""
    return str(node.config.effective_chain_id)


@rpc("net_listening")
def listening(node: Node) -> bool:
    """Whether the node accepts connections. Always true."""
    return True


@rpc("net_peerCount")
def peer_count(node: Node) -> int:
    """The number of connected peers. Always 0."""
    return 0


@rpc("net_peerList")
def peer_list(node: Node) -> list[str]:
    """The known peers. Always empty."""
    return []


# Utilities


@rpc("web3_clientVersion", hosted=True)
def client_version(node: Node) -> str:
    """Name, version and hardfork of this node, and its Python version."""
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    default = f"devchain/{version()}/{node.config.hardfork}/{python}"
    return node.config.client_version or default


@rpc("web3_sha3", hosted=True)
def sha3(node: Node, data: bytes) -> Hash32:
    """The Keccak-256 hash of the data. This is not the standardized SHA3-256."""
    return Hash32(keccak(data))


# The methods of this node


@rpc("rpc_modules")
def modules(node: Node) -> dict[str, str]:
    """The namespaces with enabled methods, with their versions."""
    # Imported here because the catalog, which this needs, imports this module.
    from devchain.rpc.enabled_methods import EnabledMethods  # noqa: PLC0415

    return dict.fromkeys(EnabledMethods(node.config).namespaces(), "1.0")


@rpc("rpc.discover", slow=True)
def discover(node: Node) -> dict[str, Any]:
    """The enabled methods as an OpenRPC document, with JSON schemas of parameters and results."""
    return _document(node.config)


@lru_cache(maxsize=8)
def _document(config: Config) -> Encoded:
    from devchain.rpc.enabled_methods import EnabledMethods  # noqa: PLC0415
    from devchain.rpc.openrpc import document  # noqa: PLC0415

    return Encoded(encode(document(EnabledMethods(config), version())))
