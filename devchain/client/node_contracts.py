"""Contracts that a devchain node knows: asked for by their code when they are looked up."""

from __future__ import annotations

from eth_hash.auto import keccak

from devchain.client.http import Client
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.errors import DevchainError, RpcFailure

METHOD_NOT_FOUND = -32601


class NodeContracts(Registry):
    """Artifacts that were loaded here, and of code that none of them is of, those of a node.

    A node that is not devchain is asked once; a devchain node once for each code and contract.
    """

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self._is_devchain = True
        self._asked: set[bytes] = set()

    def matching(self, code: bytes, *, creating: bool) -> tuple[Artifact, ...]:
        """As of every registry."""
        found = super().matching(code, creating=creating)
        if not found and self._ask_for(code):
            found = super().matching(code, creating=creating)
        return found

    def _ask_for(self, contract: bytes) -> bool:
        key = keccak(contract)
        if not contract or not self._is_devchain or key in self._asked:
            return False
        self._asked.add(key)
        try:
            written = self._client.call("devchain_getBuildInfo", f"0x{contract.hex()}")
            self.add_sent(parse_artifacts(written, outlined=True))
        except RpcFailure as failure:
            self._is_devchain = failure.code != METHOD_NOT_FOUND
        except DevchainError:  # more than a registry takes
            self._is_devchain = False
        else:
            return bool(written)
        return False
