"""What ran, by artifact: the counters of a node with coverage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from devchain.abi.artifacts import Artifact, Code
from devchain.abi.registry import Registry

MOST_UNKNOWN = 512
MOST_REMEMBERED = 4_096

Counts = dict[int, int]
"""How often each place in some code ran."""

Key = tuple[bool, tuple[int, ...]]
"""Whether it is creation code, and which artifacts it is of, by identity."""


@dataclass(slots=True)
class Coverage:
    """How often every instruction ran, of code that artifacts know.

    What runs before its artifact is known is kept for later, the oldest forgotten first; so is the
    init code of contracts nobody will ever name. Everything that ran counts: transactions, also
    those taken back, calls and estimates.
    """

    known: Registry
    _ran: dict[Key, Counts] = field(default_factory=dict)
    _of_code: dict[tuple[bool, bytes], Counts] = field(default_factory=dict)
    _unknown: dict[tuple[bool, bytes], Counts] = field(default_factory=dict)

    def counts(self, code: bytes, *, creating: bool) -> Counts:
        """How often each place in some code ran so far, to be counted on."""
        asked = (creating, code)
        found = self._of_code.get(asked)
        if found is None:
            found = self._unknown.get(asked)
        return self._first_seen(asked) if found is None else found

    def _first_seen(self, asked: tuple[bool, bytes]) -> Counts:
        owners = self._owners(*asked)
        if not owners:
            if len(self._unknown) >= MOST_UNKNOWN:
                del self._unknown[next(iter(self._unknown))]
            return self._unknown.setdefault(asked, {})
        if len(self._of_code) >= MOST_REMEMBERED:  # every init code with other arguments is one
            self._of_code.clear()
        counts = self._ran.setdefault((asked[0], owners), {})
        self._of_code[asked] = counts
        return counts

    def _owners(self, creating: bool, code: bytes) -> tuple[int, ...]:  # noqa: FBT001  # as in a key
        """The artifacts that code is of: those with its very metadata, else all that match."""
        found = [each for each in self.known if _is_of(each, code, creating=creating)]
        same = [each for each in found if _code(each, creating=creating).has_metadata_of(code)]
        return tuple(id(each) for each in same or found)

    def settle(self) -> None:
        """Ask again for what was unknown: artifacts may have come since."""
        for asked, counts in list(self._unknown.items()):
            owners = self._owners(*asked)
            if owners:
                del self._unknown[asked]
                _add(self._ran.setdefault((asked[0], owners), {}), counts)

    def of(self, artifact: Artifact, *, creating: bool) -> Counts:
        """How often each place in an artifact's code ran."""
        found: Counts = {}
        for (is_creation, owners), counts in self._ran.items():
            if is_creation is creating and id(artifact) in owners:
                _add(found, counts)
        return found


def _add(counts: Counts, more: Mapping[int, int]) -> None:
    for place, count in more.items():
        counts[place] = counts.get(place, 0) + count


def _code(artifact: Artifact, *, creating: bool) -> Code:
    return artifact.creation if creating else artifact.runtime


def _is_of(artifact: Artifact, code: bytes, *, creating: bool) -> bool:
    """Whether the artifact can tell what some code is, and it is that."""
    own = _code(artifact, creating=creating)
    if not own.source_map:
        return False
    return own.matches(code[: len(own.template)]) if creating else artifact.is_at(code)
