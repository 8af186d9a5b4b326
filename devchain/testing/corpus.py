"""The corpus of a campaign: sequences of steps as JSON, in a folder and from other workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from devchain.contracts.abi import Param
from devchain.testing.corpus_folder import CorpusFolder
from devchain.testing.machine import MachineRun, Step
from devchain.types import AddressBytes, checksum


class Corpus:
    """The sequences that fit the actions of a run: of a folder, and received from others.

    `share` is given each sequence that is added or read, as JSON.
    """

    def __init__(
        self, folder: Path, run: MachineRun, share: Callable[[bytes], None] | None = None
    ) -> None:
        """Read nothing yet; the folder is made when a sequence is added."""
        self._folder, self._run, self._share = CorpusFolder(folder), run, share
        self.sequences: list[list[Step]] = []

    def load(self) -> Iterator[list[Step]]:
        """Share the sequences of the folder that have not been read; damaged ones are left out."""
        for written in self._folder.read_new():
            if self._share:
                self._share(written)
            yield from self._fitting([written])

    def receive(self, written: Iterable[bytes]) -> Iterator[list[Step]]:
        """Keep what others have added as files too; the sequences that are new and fit."""
        return self._fitting(each for each in written if self._folder.add(each))

    def add(self, sequence: list[Step]) -> None:
        """Keep a sequence, in memory and as a file, and share it."""
        self.sequences.append(sequence)
        written = orjson.dumps([self._described(each) for each in sequence])
        if self._folder.add(written) and self._share:
            self._share(written)

    def _fitting(self, written: Iterable[bytes]) -> Iterator[list[Step]]:
        for each in written:
            try:
                sequence = [self._step(described) for described in orjson.loads(each)]
            except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
                continue
            yield sequence

    def _described(self, step: Step) -> dict[str, Any]:
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
