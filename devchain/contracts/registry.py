"""The contracts a node knows by name: which artifact some code is of, and what its bytes say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from eth_hash.auto import keccak

from devchain.contracts.abi import (
    SELECTOR,
    Abi,
    Decoded,
    Entry,
    decode_call,
    decode_error,
    decode_event,
    format_arguments,
)
from devchain.contracts.artifacts import Artifact
from devchain.errors import LimitExceeded
from devchain.types import Address, Hash32

MOST_REMEMBERED = 4096
MOST_KNOWN = 20_000
"""Artifacts, so that nobody fills the memory through JSON-RPC."""


class Registry:
    """Artifacts by deployed code, ABIs by address, errors by selector.

    What is asked often, which artifact some code is of, is remembered by the code's hash.
    """

    def __init__(self, artifacts: Iterable[Artifact] = ()) -> None:
        """Know those artifacts."""
        self._artifacts: list[Artifact] = []
        self._known: set[int] = set()
        self._errors: dict[bytes, Entry] = {}
        self._found: dict[bytes, Artifact | None] = {}
        self._at: dict[Address, tuple[Artifact, bytes]] = {}
        for each in artifacts:
            self.add(each)

    def __bool__(self) -> bool:
        return bool(self._artifacts)

    def __iter__(self) -> Iterator[Artifact]:
        return iter(self._artifacts)

    def copy(self) -> Registry:
        """One that knows the same and learns by itself."""
        twin = copy(self)
        twin._artifacts, twin._errors = list(self._artifacts), dict(self._errors)  # noqa: SLF001
        twin._found, twin._at = dict(self._found), dict(self._at)  # noqa: SLF001  # a registry too
        twin._known = set(self._known)  # noqa: SLF001
        return twin

    def add(self, artifact: Artifact) -> None:
        """Know an artifact; the newest wins. Raises `LimitExceeded` when too many are known."""
        if id(artifact) in self._known or artifact in self._artifacts:
            return
        if len(self._artifacts) >= MOST_KNOWN:
            raise _too_many()
        self._known.add(id(artifact))  # which lives as long as the list does
        self._artifacts.append(artifact)
        self._errors |= artifact.abi.errors
        self._found.clear()

    def add_deployed(self, artifact: Artifact, address: Address, code: bytes) -> None:
        """Know which artifact is at an address, for as long as that code is there.

        An empty code means any. Raises `LimitExceeded` when too many are known.
        """
        if len(self._at) >= MOST_KNOWN and address not in self._at:
            raise _too_many()
        self._at[address] = (artifact, code)
        self._errors |= artifact.abi.errors

    def find_by_name(self, name: str) -> list[Artifact]:
        """The artifacts of that name, or of that `path:name`."""
        full = (each for each in self._artifacts)
        return [each for each in full if name in (each.name, f"{each.source}:{each.name}")]

    def find_by_code(self, code: bytes, address: Address | None = None) -> Artifact | None:
        """The artifact that deployed code is of; None if none is known."""
        placed = self._at.get(address) if address else None
        if placed and placed[1] in (b"", code):
            return placed[0]
        if not code or not self._artifacts:
            return None
        key = keccak(code)
        if key not in self._found:
            if len(self._found) >= MOST_REMEMBERED:
                self._found.clear()
            known = (each for each in reversed(self._artifacts) if each.is_at(code))
            self._found[key] = max(known, key=_knowledge, default=None)
        return self._found[key]

    def find_by_init_code(self, init_code: bytes) -> Artifact | None:
        """The artifact whose creation code begins that init code; None if none is known."""
        for each in reversed(self._artifacts):
            size = len(each.creation.template)
            if size and each.creation.matches(init_code[:size]):
                return each
        return None

    def describe_transaction(self, to: Address | None, code: bytes, call_data: bytes) -> str:
        """What a transaction does, `Vault.deposit()` or `new Vault(secondsLocked=100)`.

        `code` is that at `to`; empty if its contract is not known.
        """
        if to is None:
            made = self.find_by_init_code(call_data)
            body = call_data[len(made.creation.template) :] if made else b""
            given = made.abi.constructor.decode(body) if made else None
            shown = format_arguments(made.abi.constructor.inputs, given) if made and given else ""
            return f"new {made.name}({shown})" if made else ""
        artifact = self.find_by_code(code, to)
        called = decode_call(artifact.abi, call_data) if artifact else None
        return f"{artifact.name}.{called or 'fallback()'}" if artifact else ""

    def decode_error(self, payload: bytes) -> Decoded | None:
        """The custom error in a revert payload, whichever contract it is of; None if unknown."""
        entry = self._errors.get(payload[:SELECTOR])
        return decode_error(Abi((entry,)), payload) if entry else None

    def decode_event(
        self, code: bytes, topics: tuple[Hash32, ...], body: bytes, address: Address | None = None
    ) -> Decoded | None:
        """The event in a log of some code; None if unknown."""
        artifact = self.find_by_code(code, address)
        return decode_event(artifact.abi, topics, body) if artifact else None


def _too_many() -> LimitExceeded:
    return LimitExceeded(f"{MOST_KNOWN} artifacts are known already: start the node anew")


def _knowledge(artifact: Artifact) -> int:
    """How much an artifact tells: one with sources and source maps wins over one without."""
    return bool(artifact.sources) + bool(artifact.runtime.source_map)
