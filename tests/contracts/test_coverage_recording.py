"""`devchain.contracts.coverage`"""

from __future__ import annotations

from dataclasses import replace

from devchain.contracts.abi import Abi
from devchain.contracts.artifacts import Artifact, Code
from devchain.contracts.coverage import MAX_CACHED, MAX_UNKNOWN, Coverage
from devchain.contracts.registry import Registry

# PUSH1 0, STOP and a CBOR map of one entry as metadata
PLAIN, METADATA = bytes.fromhex("600000"), bytes.fromhex("a16178610100")
OTHER_METADATA = bytes.fromhex("a16178610200")
SIZE = b"\0\x06"


def artifact(metadata: bytes = METADATA, source_map: str = "0:1:0") -> Artifact:
    """An artifact whose creation and runtime code are alike."""
    code = Code(PLAIN + metadata + SIZE, source_map=source_map)
    return Artifact("One", Abi(()), creation=code, runtime=code)


class TestCoverage:
    def test_creation_and_runtime(self) -> None:
        """Init code is known by its beginning, arguments follow; it counts on its own."""
        one = artifact()
        coverage = Coverage(Registry([one]))
        for argument in (b"\1", b"\2"):
            counts = coverage.counts(one.creation.template + argument, creating=True)
            counts[0] = counts.get(0, 0) + 1

        assert coverage.counts_of(one, creating=True) == {0: 2}
        assert coverage.counts_of(one, creating=False) == {}

    def test_the_very_metadata(self) -> None:
        """Of two contracts that differ in their metadata alone, the one that is meant counts."""
        one, other = artifact(), artifact(OTHER_METADATA)
        coverage = Coverage(Registry([one, other]))
        coverage.counts(one.runtime.template, creating=False)[0] = 1

        assert coverage.counts_of(one, creating=False) == {0: 1}
        assert coverage.counts_of(other, creating=False) == {}

    def test_other_metadata(self) -> None:
        """If no metadata is the same, whatever matches counts."""
        one = artifact()
        coverage = Coverage(Registry([one]))
        coverage.counts(PLAIN + OTHER_METADATA + SIZE, creating=False)[0] = 1

        assert coverage.counts_of(one, creating=False) == {0: 1}

    def test_known_later(self) -> None:
        """What ran before its artifact was known counts once it is."""
        one, known = artifact(), Registry()
        coverage = Coverage(known)
        coverage.counts(one.runtime.template, creating=False)[0] = 3
        known.add(one)
        coverage.counts(one.runtime.template, creating=False)[0] += 1

        coverage.match_new_artifacts()

        assert coverage.counts_of(one, creating=False) == {0: 4}

    def test_without_source_map(self) -> None:
        """An artifact that cannot tell what ran is passed over."""
        one = artifact()
        mute = replace(one, runtime=replace(one.runtime, source_map=""))
        coverage = Coverage(Registry([one, mute]))
        coverage.counts(one.runtime.template, creating=False)[0] = 1

        assert coverage.counts_of(mute, creating=False) == {}
        assert coverage.counts_of(one, creating=False) == {0: 1}

    def test_bounded(self) -> None:
        """However many codes run, few of the unknown are kept; none of the known is lost."""
        one = artifact()
        coverage = Coverage(Registry([one]))
        for number in range(MAX_CACHED + MAX_UNKNOWN):
            unknown, argument = number.to_bytes(4, "big"), number.to_bytes(4, "big")
            coverage.counts(unknown, creating=False)
            counts = coverage.counts(one.creation.template + argument, creating=True)
            counts[0] = counts.get(0, 0) + 1

        assert len(coverage._unmatched) == MAX_UNKNOWN
        assert len(coverage._by_code) <= MAX_CACHED
        assert coverage.counts_of(one, creating=True) == {0: MAX_CACHED + MAX_UNKNOWN}
