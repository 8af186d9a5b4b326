"""Contracts of the project in the current folder, and names from them on nodes that have none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from devchain.client.http import Client
from devchain.client.views import data_bytes
from devchain.errors import DevchainError, InvalidInput, RpcFailure

if TYPE_CHECKING:
    from devchain.contracts.artifact_registry import Registry
    from devchain.contracts.names import Names


def local_contracts(path: Path | None = None, into: Registry | None = None) -> Registry | None:
    """The contracts of the project at a path or here, in the registry `into` or a new one."""
    from devchain.contracts.artifact_files import find_project
    from devchain.contracts.artifact_registry import Registry

    if path is None and find_project(Path.cwd()) is None:
        return None
    registry = Registry() if into is None else into
    registry.load(path or Path.cwd())
    return registry


def project_names(node: Client) -> Names | None:
    """Names of contracts on a node by the artifacts of the project here; None without a project."""
    return names_on(node) if project_contracts() else None


def names_on(node: Client) -> Names:
    """Names by the artifacts of the project here, and the code that the node has at an address."""
    from devchain.contracts.artifact_registry import Registry
    from devchain.contracts.names import Names

    registry = project_contracts() or Registry()
    codes: dict[bytes, bytes] = {}

    def code_at(address: bytes) -> bytes:
        if address not in codes:
            try:
                codes[address] = data_bytes(
                    node.call("eth_getCode", f"0x{address.hex()}", "latest")
                )
            except (RpcFailure, InvalidInput):
                codes[address] = b""
        return codes[address]

    return Names(registry, code_at)


def implementations_on(node: Client, address: str) -> list[str]:
    """The contracts to which the one at an address of a node delegates all calls, as `proxies`."""
    from devchain.contracts.proxies import AccountReader, implementations
    from devchain.types import Address

    def code(address: Address) -> bytes:
        return data_bytes(node.call("eth_getCode", f"0x{address.hex()}", "latest"))

    def slots(address: Address, wanted: Sequence[int]) -> list[int]:
        account = f"0x{address.hex()}"
        words = node.batch([("eth_getStorageAt", account, hex(slot), "latest") for slot in wanted])
        return [
            0 if isinstance(word, RpcFailure) else int.from_bytes(data_bytes(word))
            for word in words
        ]

    def call(to: Address, data: bytes) -> bytes:
        request = {"to": f"0x{to.hex()}", "data": f"0x{data.hex()}"}
        try:
            return data_bytes(node.call("eth_call", request, "latest"))
        except RpcFailure:
            return b""

    try:
        delegates = implementations(Address(data_bytes(address)), AccountReader(code, slots, call))
    except (RpcFailure, InvalidInput):
        return []
    return [f"0x{delegate.hex()}" for delegate in delegates]


def project_contracts() -> Registry | None:
    """The contracts of the project here; None if there is none, or one that cannot be read."""
    return _contracts_of(Path.cwd())


@cache
def _contracts_of(folder: Path) -> Registry | None:
    from devchain.contracts.artifact_files import find_project

    try:
        return local_contracts(folder) if find_project(folder) else None
    except DevchainError:
        return None
