"""Contracts whose instructions have no known places in a source: why, and what to do about it."""

from __future__ import annotations

from devchain.contracts.artifacts import Artifact
from devchain.contracts.source_map import source_ids

NO_SOURCE_MAP = (
    "no source map in the artifact: want Hardhat's or Foundry's build-info, or standard JSON of "
    "the compiler with source maps"
)
UNKNOWN_SOURCES = (
    "the files of its source map were not found, or have changed: compile again, to standard JSON "
    'with "*" in outputSelection, and keep the input beside the output'
)
UNKNOWN_MODULES = (
    "files of modules that it imports were not found, or have changed: compile again, to standard "
    'JSON with "*" in outputSelection, and keep the input beside the output'
)
NO_TEXT = (
    "the text of its source is neither in the artifact nor on disk: run in the root of the "
    "project, or keep the compiler's input with its output"
)
OTHER_CODE = (
    "the code that it deploys is not the deployedBytecode of its artifact: compile without "
    "experimentalCodegen, or with bytecode metadata"
)


def why_without_places(artifact: Artifact) -> str:
    """Why some or all code of a contract has no places, and what to do; empty if it has them."""
    codes = [each for each in (artifact.creation, artifact.runtime) if each.template]
    if not codes:
        return ""
    if not any(each.source_map for each in codes):
        return NO_SOURCE_MAP
    if artifact.deploys_other_code:
        return OTHER_CODE
    if not artifact.sources:
        return UNKNOWN_SOURCES
    # Of solc some ids are those of what it generates.
    used = {number for each in codes for number in source_ids(each.source_map)}
    is_missing = artifact.language == "Vyper" and not used <= artifact.sources.keys()
    return UNKNOWN_MODULES if is_missing else ""


def lacking_sources(artifact: Artifact) -> str:
    """That places in some sources of an artifact are not known; empty if it has all of them."""
    if not artifact.lacks_sources:
        return ""
    count = len(artifact.sources)
    return (
        f"{artifact.name} was compiled of {len(artifact.digests)} sources, of which {count} "
        f"{'is' if count == 1 else 'are'} known: for places in the others give the build-info, or "
        "the compiler's standard JSON"
    )
