"""The artifact of the contract `Till`, with its source, source maps and syntax tree."""

from __future__ import annotations

from pathlib import Path

from devchain.contracts.artifact_files import load_artifacts
from devchain.contracts.artifacts import Artifact

FILE = Path(__file__).parents[1] / "testing" / "contracts" / "till-plain.json"
TILL: Artifact = next(each for each in load_artifacts(FILE, detailed=True) if each.name == "Till")

WHERE = [
    "  at Till.setRate(to=3)        contracts/Till.sol:67",
    "  at modifier Owned.onlyOwner  contracts/Till.sol:27",
    "       26 │ modifier onlyOwner() {",
    '     > 27 │     require(msg.sender == owner, unicode"not the owner ✋");',
]
"""What is shown of `setRate(3)` by another than the owner, without its reason."""
