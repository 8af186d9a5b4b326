"""Contracts that a devchain node knows: asked for by their code when they are looked up."""

from __future__ import annotations

from eth_hash.auto import keccak

from devchain.client.http import Client
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.errors import DevchainError, RpcFailure
from devchain.types import Address

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
        self._of_node: set[int] = set()

    def _of_runtime(self, code: bytes, address: Address | None) -> Artifact | None:
        # The node is asked for the contract at the address: several may have this code.
        artifact = super()._of_runtime(code, address)
        if artifact and id(artifact) not in self._of_node:
            return artifact
        asked = self._ask_for(address) if code and address else []
        for sent in asked:
            if address and sent.matches_code(code):
                self.add_deployed(sent, address, code)
        if asked or (artifact is None and self._ask_for(code)):
            artifact = super()._of_runtime(code, address)
        return artifact

    def find_by_init_code(
        self, init_code: bytes, address: Address | None = None
    ) -> Artifact | None:
        """As of every registry."""
        artifact = super().find_by_init_code(init_code, address)
        if artifact is None and self._ask_for(init_code):
            artifact = super().find_by_init_code(init_code, address)
        return artifact

    def _ask_for(self, contract: bytes) -> list[Artifact]:
        key = keccak(contract)
        if not contract or not self._is_devchain or key in self._asked:
            return []
        self._asked.add(key)
        try:
            written = self._client.call("devchain_getBuildInfo", f"0x{contract.hex()}")
            added = self.add_sent(parse_artifacts(written, outlined=True))
        except RpcFailure as failure:
            self._is_devchain = failure.code != METHOD_NOT_FOUND
        except DevchainError:  # more than a registry takes
            self._is_devchain = False
        else:
            self._of_node |= {id(artifact) for artifact in self if artifact in added}
            return added
        return []
