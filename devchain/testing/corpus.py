"""The corpus of a campaign: sequences of steps, one JSON file each, that several campaigns share.

The name of a file is the hash of its content, so that campaigns of several processes or machines
add to one folder without asking each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from devchain.contracts.abi import Param
from devchain.testing.machine import MachineRun, Step
from devchain.types import AddressBytes, checksum

MAX_FILES = 10_000
MAX_FILE_BYTES = 1_000_000


class Corpus:
    """The sequences of a folder that fit the actions of a run."""

    def __init__(self, folder: Path, run: MachineRun) -> None:
        """Read nothing yet; the folder is made when a sequence is added."""
        self._folder, self._run = folder, run
        self._names: set[str] = set()
        self.sequences: list[list[Step]] = []

    def load(self) -> Iterator[list[Step]]:
        """The sequences of the folder that have not been read; damaged ones are left out."""
        if not self._folder.is_dir():
            return
        for path in sorted(self._folder.glob("*.json"))[:MAX_FILES]:
            if path.name in self._names or path.stat().st_size > MAX_FILE_BYTES:
                continue
            self._names.add(path.name)
            try:
                described = orjson.loads(path.read_bytes())
                yield [self._step(each) for each in described]
            except (OSError, ValueError, LookupError, TypeError, AttributeError):
                continue

    def add(self, sequence: list[Step]) -> None:
        """Keep a sequence, in memory and as a file."""
        self.sequences.append(sequence)
        written = orjson.dumps([self._described(each) for each in sequence])
        name = f"{sha256(written).hexdigest()[:24]}.json"
        if name in self._names:
            return
        self._names.add(name)
        self._folder.mkdir(parents=True, exist_ok=True)
        # Written under another name first: others read the folder at any moment.
        partial = self._folder / f"{name}.partial"
        partial.write_bytes(written)
        partial.replace(self._folder / name)

    def _described(self, step: Step) -> dict[str, Any]:
        """A step as JSON."""
        params = self._run.actions[step.action].params
        pairs = zip(params, step.arguments, strict=True)
        return {
            "action": step.action,
            "arguments": [_to_json(param, value) for param, value in pairs],
            "sender": step.sender,
            "value": str(step.value),
            "seconds": step.seconds,
            "blocks": step.blocks,
        }

    def _step(self, described: dict[str, Any]) -> Step:
        """The step that JSON describes; raises `ValueError`, `LookupError` or `TypeError`."""
        action = self._run.actions[described["action"]]
        pairs = zip(action.params, described["arguments"], strict=True)
        step = Step(
            action.name,
            tuple(_from_json(param, value) for param, value in pairs),
            int(described["sender"]) % len(self._run.senders),
            int(described["value"]),
            int(described["seconds"]),
            int(described["blocks"]),
        )
        if min(step.sender, step.value, step.seconds, step.blocks) < 0:
            raise ValueError("a number is negative")
        return step


def _to_json(param: Param, value: Any) -> Any:
    """A value of an ABI type as JSON: integers and decimals as text, bytes as hex."""
    if param.kind.endswith("]"):
        return [_to_json(param.element, each) for each in value]
    if param.components:
        return [_to_json(*each) for each in zip(param.components, value, strict=True)]
    if param.kind == "address":
        return checksum(value)
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, bool | str) else str(value)


def _from_json(param: Param, value: Any) -> Any:
    if param.kind.endswith("]"):
        return [_from_json(param.element, each) for each in value]
    if param.components:
        return tuple(_from_json(*each) for each in zip(param.components, value, strict=True))
    if param.kind == "address":
        return AddressBytes(bytes.fromhex(value[2:]))
    if param.kind in {"bool", "string"}:
        return value
    if param.kind == "function" or param.kind.startswith("bytes"):
        return bytes.fromhex(value)
    return _number(param.kind, value)


def _number(kind: str, text: str) -> Any:
    from decimal import Decimal

    return Decimal(text) if "fixed" in kind else int(text)
