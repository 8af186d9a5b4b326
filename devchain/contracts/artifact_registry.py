"""Registry of the artifacts of a node: lookups by deployed code, init code, address and name."""

from __future__ import annotations

import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from eth_hash.auto import keccak

from devchain.config import Limit
from devchain.contracts.abi import (
    SELECTOR,
    Abi,
    Decoded,
    Entry,
    decode_call,
    decode_entry,
    decode_event,
    decode_log,
)
from devchain.contracts.artifacts import COMPILED, Artifact
from devchain.contracts.sources import texts_of
from devchain.contracts.standard_abis import standard_entries
from devchain.errors import ConfigError, LimitExceeded
from devchain.networks import NEWEST
from devchain.types import Address, Hash32

if TYPE_CHECKING:
    from devchain.contracts.code_map import CodeMap

MAX_CACHED = 4096
CHECK_PAUSE = 10  # pause after a check whether files have changed, in multiples of the time it took
MAX_ARTIFACTS: Annotated[
    int, Limit("JSON-RPC", "Contract artifacts of a node.", "No more are added: error -32012.")
] = 20_000
MAX_ARTIFACT_BYTES: Annotated[
    int,
    Limit(
        "JSON-RPC",
        "Code and sources of the artifacts that clients add.",
        "No more are added: error -32012.",
        "bytes",
    ),
] = 200_000_000


_log = logging.getLogger(__name__)

Types = tuple[tuple[str, bool], ...]  # of an entry's parameters, with whether each is indexed

PrecompiledAbis = Mapping[Address, tuple[str, Callable[[], list[Any]]]]
"""Names of precompiled contracts, and functions that return their ABI in JSON's form."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What was loaded of a path: the state of its files then, and what was skipped."""

    state: int
    detailed: bool
    notices: list[str]


class Registry:
    """Artifacts, those assigned to an address, and custom errors by selector.

    If contracts have equal code, metadata included, lookups return the one assigned to the address,
    else the one added last. `changes` counts what was added, for caches of what was found.
    """

    def __init__(
        self, artifacts: Iterable[Artifact] = (), monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._monotonic = monotonic
        self.hardfork = NEWEST
        self._loaded: dict[Path, _Loaded] = {}
        self._next_check = -math.inf
        self._artifacts: list[Artifact] = []
        self._by_name: dict[str, tuple[Artifact, ...]] = {}
        self._sent_bytes = 0
        self.changes = 0
        self._errors: dict[bytes, Entry] = {}
        self._by_code: dict[tuple[bool, bytes], tuple[Artifact, ...]] = {}
        self._by_selector: dict[bytes, dict[Types, Entry]] | None = None
        self._by_address: dict[Address, tuple[Artifact, bytes]] = {}
        self._interfaces: dict[Abi, None] = {}
        self._precompiled: dict[Address, tuple[str, Callable[[], list[Any]]]] = {}
        self._details: dict[str, list[Artifact]] = {}
        self._enums: dict[str, list[str]] = {}
        self._compiled: dict[int, tuple[Artifact, Artifact]] = {}
        self._code_maps: dict[tuple[int, bool], CodeMap] = {}
        for artifact in artifacts:
            self.add(artifact)

    def __bool__(self) -> bool:
        return bool(self._artifacts)

    def __iter__(self) -> Iterator[Artifact]:
        return iter(self._artifacts)

    def copy(self) -> Registry:
        copied = Registry()
        shared = {"_details", "_compiled", "_code_maps"}  # caches of what is read
        for name, value in vars(self).items():
            setattr(copied, name, value if name in shared else copy(value))
        return copied

    def load(self, path: Path, *, detailed: bool = False) -> None:
        """Add the artifacts of a file, folder, project (see `load_artifacts`) or source file."""
        from devchain.contracts.artifact_files import files_state, load_artifacts

        loaded = self._loaded[path] = _Loaded(files_state(path), detailed, [])
        if path.suffix in COMPILED and path.is_file():
            from devchain.contracts.compile import compile_unit, unit_of

            for artifact in compile_unit(unit_of(path), hardfork=self.hardfork):
                self.add(artifact)
            return
        for artifact in load_artifacts(path, detailed=detailed, notices=loaded.notices):
            self.add(artifact)

    @property
    def notices(self) -> list[str]:
        """A line for each file that `load` skipped, and for each folder without artifacts."""
        return [notice for loaded in self._loaded.values() for notice in loaded.notices]

    def refresh(self) -> bool:
        """Load the paths again whose files have changed since; whether there are such.

        The time between two checks is ten times what the first took.
        """
        from devchain.contracts.artifact_files import files_state

        if not self._loaded or (start := self._monotonic()) < self._next_check:
            return False
        is_changed = False
        for path, known in list(self._loaded.items()):
            try:
                if files_state(path) != known.state:
                    is_changed = True
                    self.load(path, detailed=known.detailed)
            except (ConfigError, LimitExceeded) as error:
                _log.warning("%s was not read again: %s", path, error)
        if is_changed:
            self.changes += 1
            self._details.clear()
            self._compiled.clear()
            self._code_maps.clear()
        now = self._monotonic()
        self._next_check = now + CHECK_PAUSE * (now - start)
        return is_changed

    def add(self, artifact: Artifact) -> None:
        """Add an artifact; lookups prefer the newest. Raises `LimitExceeded` beyond 20,000."""
        if self._has(artifact):
            return
        if len(self._artifacts) >= MAX_ARTIFACTS:
            raise _too_many()
        self._artifacts.append(artifact)
        self.changes += 1
        self._by_name[artifact.name] = (*self._by_name.get(artifact.name, ()), artifact)
        self._errors |= artifact.abi.errors
        self._by_code.clear()
        self._enums.clear()
        self._by_selector = None

    def _has(self, artifact: Artifact) -> bool:
        # Layouts are not compared otherwise: a contract may have been compiled again for its own.
        return any(
            known == artifact and artifact.storage_layout in (None, known.storage_layout)
            for known in self._by_name.get(artifact.name, ())
        )

    def add_sent(self, artifacts: Iterable[Artifact]) -> list[Artifact]:
        """Add what a client has sent; raises `LimitExceeded` beyond 200 MB of it, or as `add`.

        Returns the artifacts without the sources that have no text: these would be read from the
        paths that the client chose, and shown to it.
        """
        known = []
        for artifact in artifacts:
            sources = {number: each for number, each in artifact.sources.items() if each.text}
            known.append(replace(artifact, sources=sources))
        new = [artifact for artifact in known if not self._has(artifact)]
        size = _size(new)
        if self._sent_bytes + size > MAX_ARTIFACT_BYTES:
            raise LimitExceeded(
                f"the node has {self._sent_bytes} bytes of artifacts, {size} more are beyond the "
                f"limit of {MAX_ARTIFACT_BYTES}: load them with --artifacts"
            )
        for artifact in new:
            self.add(artifact)
        self._sent_bytes += size
        return known

    def add_deployed(self, artifact: Artifact, address: Address, code: bytes) -> None:
        """Assign an artifact to an address, as long as the address has that code.

        Empty `code` assigns it whatever the code. Raises `LimitExceeded` beyond 20,000.
        """
        if len(self._by_address) >= MAX_ARTIFACTS and address not in self._by_address:
            raise _too_many()
        self._by_address[address] = (artifact, code)
        self.changes += 1
        self._by_selector = None
        self._errors |= artifact.abi.errors

    def add_interface(self, abi: Abi) -> None:
        """Decode by an ABI what no artifact decodes; raises `LimitExceeded` beyond 20,000."""
        if abi in self._interfaces:
            return
        if len(self._interfaces) >= MAX_ARTIFACTS:
            raise _too_many()
        self._interfaces[abi] = None
        self.changes += 1
        self._by_selector = None
        self._errors |= abi.errors

    def add_precompiled(self, abis: PrecompiledAbis) -> None:
        """Assign artifacts to precompiled contracts, made when they are looked up first."""
        self._precompiled = dict(abis)

    def may_know(self, address: Address) -> bool:
        """Whether there may be a name for what is at an address."""
        return bool(self._artifacts) or address in self._by_address or address in self._precompiled

    def _assigned(self, address: Address) -> tuple[Artifact, bytes] | None:
        if address in self._precompiled:
            name, describe = self._precompiled.pop(address)
            artifact = Artifact(name, Abi.from_json(describe()), language="")
            self._by_address.setdefault(address, (artifact, b""))
        return self._by_address.get(address)

    def deployed(self) -> list[Address]:
        """The addresses that artifacts were assigned to."""
        return list(self._by_address)

    def find_by_name(self, name: str) -> list[Artifact]:
        """The contracts of that name, or of a full name: `Vault`, `src/Vault.sol:Vault`.

        The path in a full name may begin at any folder: `Vault.sol:Vault`. Contracts that differ
        are all returned. If one was compiled in several ways, or several are equal, it is the one
        added last.
        """
        path, _, last = name.rpartition(":")
        contracts: dict[object, Artifact] = {}
        for artifact in self._by_name.get(last, ()):
            if not path or f"/{full_name(artifact)}".endswith(f"/{name}"):
                origin = artifact.source or artifact.file
                contracts[(artifact.project, origin) if origin else id(artifact)] = artifact
        exact = [contract for contract in contracts.values() if path and contract.path == name]
        found: list[Artifact] = []
        for contract in exact or contracts.values():
            found = [other for other in found if not other.is_equivalent(contract)]
            found.append(contract)
        return found

    def names(self) -> list[str]:
        return sorted(self._by_name)

    def find_by_code(self, code: bytes, address: Address | None = None) -> Artifact | None:
        """The artifact of deployed code, or the one assigned to the address; None if unknown."""
        return next(iter(self.candidates(code, address)), None)

    def candidates(self, code: bytes, address: Address | None = None) -> tuple[Artifact, ...]:
        """The contracts that deployed code may be of; one alone if it is assigned to the address.

        Several are contracts with equal code, the one added last first.
        """
        matching = self.matching(code, creating=False)
        assigned, assigned_code = (self._assigned(address) if address else None) or (None, b"")
        if assigned is None or assigned_code not in (b"", code):
            return matching
        own = (artifact for artifact in matching if is_same_contract(artifact, assigned))
        return (next(own, assigned),)

    def find_by_init_code(self, init_code: bytes) -> Artifact | None:
        matching = self.matching(init_code, creating=True)
        return matching[0] if matching else None

    def matching(self, code: bytes, *, creating: bool) -> tuple[Artifact, ...]:
        """The contracts whose code that is, the one added last first; of each one artifact.

        Where some have its metadata too, it is one of these alone.
        """
        if not code or not self._artifacts:
            return ()
        key = creating, keccak(code)
        found = self._by_code.get(key)
        if found is None:
            if len(self._by_code) >= MAX_CACHED:
                self._by_code.clear()
            found = self._by_code[key] = tuple(self._find_matching(code, creating=creating))
        return found

    def _find_matching(self, code: bytes, *, creating: bool) -> list[Artifact]:
        matching = matching_artifacts(self._artifacts[::-1], code, creating=creating)
        if not creating:
            matching.sort(key=lambda known: (not known.sources) + (not known.runtime.source_map))
        contracts: list[Artifact] = []
        for artifact in matching:
            if not any(is_same_contract(artifact, contract) for contract in contracts):
                contracts.append(artifact)
        return contracts

    def decode_error(self, payload: bytes) -> Decoded | None:
        """Decode the custom error in a revert payload, of any contract; None if unknown."""
        selector = payload[:SELECTOR]
        known = self._errors.get(selector) or next(iter(standard_entries().get(selector, ())), None)
        return decode_entry(known, payload)

    def decode_call(
        self, code: bytes, call_data: bytes, address: Address | None = None
    ) -> Decoded | None:
        """Decode a call of that code, else by any artifact: a proxy has functions of another."""
        artifact = self.find_by_code(code, address)
        decoded = decode_call(artifact.abi, call_data) if artifact else None
        if decoded or len(call_data) < SELECTOR:
            return decoded
        candidates = self._with_selector(call_data[:SELECTOR])
        return next(filter(None, (decode_entry(entry, call_data) for entry in candidates)), None)

    def decode_creation(self, init_code: bytes) -> Decoded | None:
        """Decode the arguments of a constructor behind its init code; None if it is not known."""
        created = self.find_by_init_code(init_code)
        if created is None:
            return None
        constructor = created.abi.constructor
        arguments = constructor.decode(init_code[len(created.creation.template) :])
        return None if arguments is None else Decoded(constructor, arguments)

    def decode_event(
        self, code: bytes, topics: tuple[Hash32, ...], body: bytes, address: Address | None = None
    ) -> Decoded | None:
        """Decode a log emitted by that code, else by any artifact; None if unknown."""
        artifact = self.find_by_code(code, address)
        decoded = decode_event(artifact.abi, topics, body) if artifact else None
        if decoded or not topics:
            return decoded
        candidates = self._with_selector(topics[0])
        return next(filter(None, (decode_log(entry, topics, body) for entry in candidates)), None)

    # Sources

    def compiled(
        self, code: bytes, address: Address | None = None, *, creating: bool
    ) -> Artifact | None:
        """The artifact of deployed code, or of init code, with all that its files have of it."""
        artifact = self.find_by_init_code(code) if creating else self.find_by_code(code, address)
        if artifact and not creating and not artifact.matches_code(code):
            artifact = self.find_by_code(code)
        if artifact is None:
            return None
        if id(artifact) not in self._compiled:
            self._compiled[id(artifact)] = artifact, self.with_details(artifact)
        return self._compiled[id(artifact)][1]

    def code_map(
        self, code: bytes, address: Address | None = None, *, creating: bool
    ) -> CodeMap | None:
        """The locations of deployed code, or of init code; None if no artifact has them."""
        from devchain.contracts.code_map import CodeMap

        artifact = self.compiled(code, address, creating=creating)
        if artifact is None or not artifact.sources:
            return None
        key = id(artifact), creating
        if key not in self._code_maps:
            self._code_maps[key] = CodeMap(artifact, creating=creating)
        return self._code_maps[key]

    def enum_text(self, kind: str, value: int) -> str:
        """The member of an enum, `State.Open` of `enum Box.State`, by the sources of `Box`.

        `enum State`, declared outside contracts, is looked up in the sources of contracts that use
        it. The text is empty if there is no such member, or no source is known.
        """
        from devchain.contracts.code_map import enum_members

        name = kind.rpartition(" ")[2]
        if name not in self._enums:
            if len(self._enums) >= MAX_CACHED:
                self._enums.clear()
            in_use = f'"enum {name}'.encode()
            artifacts: Iterable[Artifact] = self._by_name.get(name.partition(".")[0], ())[-1:]
            if "." not in name:
                artifacts = (
                    artifact
                    for artifact in self._artifacts
                    if in_use in orjson.dumps([artifact.abi.described, artifact.storage_layout])
                )
            known = [texts_of(self.with_details(artifact)).values() for artifact in artifacts]
            self._enums[name] = enum_members(kind, dict.fromkeys(chain.from_iterable(known)))
        members = self._enums[name]
        return f"{name.rpartition('.')[2]}.{members[value]}" if 0 <= value < len(members) else ""

    def with_details(self, artifact: Artifact) -> Artifact:
        from devchain.contracts.artifact_files import load_artifacts

        best = artifact
        for path in dict.fromkeys(filter(None, (artifact.file, artifact.project))):
            if best.sources and all(source.text for source in best.sources.values()):
                break
            if path not in self._details:
                self._details[path] = []
                with suppress(ConfigError):
                    self._details[path] = load_artifacts(Path(path), detailed=True)
            for detail in self._details[path]:
                if is_same_contract(detail, artifact) and detail.is_same_compilation(artifact):
                    best = detail.merge(best)
        return best

    def _with_selector(self, key: bytes) -> Iterable[Entry]:
        # Functions by selector, or events by first topic, of all ABIs; the newest come first. What
        # one decodes, others of the same types decode too.
        if self._by_selector is None:
            assigned = (artifact for artifact, _ in self._by_address.values())
            abis = [artifact.abi for artifact in (*reversed(self._artifacts), *assigned)]
            self._by_selector = {}
            for abi in (*abis, *self._interfaces):
                for key_of, entry in (*abi.functions.items(), *abi.events.items()):
                    known = self._by_selector.setdefault(key_of, {})
                    known.setdefault(
                        tuple((each.kind, each.indexed) for each in entry.inputs), entry
                    )
        return (*self._by_selector.get(key, {}).values(), *standard_entries().get(key, ()))


def matching_artifacts(
    artifacts: Iterable[Artifact], code: bytes, *, creating: bool
) -> list[Artifact]:
    """The artifacts whose code that is; where some have its metadata too, these alone."""
    if creating:
        matching = [each for each in artifacts if each.creation.is_start_of(code)]
        exact = [each for each in matching if each.creation.has_metadata_of(code)]
    else:
        matching = [each for each in artifacts if each.matches_code(code)]
        exact = [each for each in matching if each.runtime.has_metadata_of(code)]
    return exact or matching


def full_name(artifact: Artifact) -> str:
    """Project, source and name of a contract: `/home/me/project/src/Vault.sol:Vault`."""
    return f"{artifact.project}/{artifact.path}" if artifact.project else artifact.path


def is_same_contract(one: Artifact, other: Artifact) -> bool:
    return one.name == other.name and (
        one.source == other.source or not (one.source and other.source)
    )


def distinct_names(artifacts: Sequence[Artifact]) -> list[str]:
    """Names by which `find_by_name` finds each of several artifacts alone, as short as they can be.

    They are the paths of sources, with the project before them where they are the same.
    """
    counts = Counter(artifact.path for artifact in artifacts)
    return [
        full_name(artifact) if counts[artifact.path] > 1 else artifact.path
        for artifact in artifacts
    ]


def _too_many() -> LimitExceeded:
    return LimitExceeded(
        f"the node has {MAX_ARTIFACTS} artifacts, the limit: restart it to add others"
    )


def _size(artifacts: Iterable[Artifact]) -> int:
    size = 0
    sources: dict[int, int] = {}
    for artifact in artifacts:
        size += sum(
            2 * len(code.template) + len(code.source_map)
            for code in (artifact.creation, artifact.runtime)
        )
        size += len(orjson.dumps(artifact.abi.described))
        sources |= {id(source): len(source.text) for source in artifact.sources.values()}
    return size + sum(sources.values())
