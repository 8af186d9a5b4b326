"""Which of several contracts with equal code was deployed: found by the init code that made it.

`contract Gold is Token("gold") {}` and `contract Silver is Token("silver") {}` have the same
runtime code, but for a hash in its metadata where compilers write one. Their init codes differ:

    init code at 0x12..  →  60806040..676f6c64..      creation code of Gold   60806040..676f6c64..
                                                      creation code of Silver 60806040..73696c76..

Nothing here is asked for code that one contract alone has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eth_hash.auto import keccak

from devchain.contracts.artifacts import Artifact
from devchain.types import Address

MAX_RUN = 1_024
MAX_NAMED = 4_096


class Deployments:
    """The init codes of contracts, and the names by which they were deployed.

    `find_on_chain` gives the init code that made the contract at an address: None if there is no
    contract, empty if it is not known. A contract that is not on the chain is being created by the
    execution that is recorded, or was by one that failed: its init code has run before.
    """

    def __init__(self, find_on_chain: Callable[[Address], bytes | None] | None = None) -> None:
        """Know those of a chain; of none, what runs alone."""
        self.find_on_chain = find_on_chain
        self._run: dict[Address, bytes] = {}
        self._named: dict[bytes, Artifact] = {}

    def copy(self) -> Deployments:
        """A copy without a chain."""
        copied = Deployments()
        copied._run, copied._named = self._run.copy(), self._named.copy()
        return copied

    def is_on_chain(self, address: Address) -> bool:
        """Whether there is a contract at an address."""
        return self.find_on_chain is not None and self.find_on_chain(address) is not None

    def init_code(self, address: Address) -> bytes:
        """The init code of the contract at an address; empty if it is not known."""
        found = self.find_on_chain(address) if self.find_on_chain else None
        return self._run.get(address, b"") if found is None else found

    def add_run(self, address: Address, init_code: bytes) -> None:
        """Note that init code runs for a contract at an address."""
        self._run.pop(address, None)
        if len(self._run) >= MAX_RUN:
            del self._run[next(iter(self._run))]
        self._run[address] = init_code

    def add_named(self, init_code: bytes, artifact: Artifact) -> None:
        """Note that a contract is deployed by name."""
        key = keccak(init_code)
        self._named.pop(key, None)
        if len(self._named) >= MAX_NAMED:
            del self._named[next(iter(self._named))]
        self._named[key] = artifact

    def named(self, init_code: bytes) -> Artifact | None:
        """The contract that was last deployed by name with that init code; None if none was."""
        return self._named.get(keccak(init_code)) if self._named and init_code else None


def are_same(artifacts: Sequence[Artifact]) -> bool:
    """Whether artifacts with equal code are of one contract, by name and source."""
    first = artifacts[0]
    sources = {each.source for each in artifacts if each.source}
    return len(sources) < 2 and all(each.name == first.name for each in artifacts)


def of_metadata(artifacts: Sequence[Artifact], code: bytes, *, creating: bool) -> list[Artifact]:
    """Those of several artifacts whose metadata is that of the code; all of them if none has it."""
    exact = [
        each
        for each in artifacts
        if (each.creation if creating else each.runtime).has_metadata_of(code)
    ]
    return exact or list(artifacts)


def created_by(init_code: bytes, artifacts: Sequence[Artifact]) -> list[Artifact]:
    """Those of several artifacts whose creation code some init code starts with."""
    found = [
        each
        for each in artifacts
        if (size := len(each.creation.template)) and each.creation.matches(init_code[:size])
    ]
    return (
        found if len(found) < 2 or are_same(found) else of_metadata(found, init_code, creating=True)
    )
