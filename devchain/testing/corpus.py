"""The corpus of a campaign: sequences of steps as JSON, in a database of Hypothesis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import orjson

from devchain.testing.machine import MachineRun, Step

if TYPE_CHECKING:
    from hypothesis.database import ExampleDatabase


class Corpus:
    """The sequences that fit the actions of a run; other campaigns may add to the same database."""

    def __init__(self, database: ExampleDatabase, run: MachineRun) -> None:
        """Read nothing yet."""
        self._database, self._run = database, run
        self.key = f"devchain corpus of {run.machine.__name__}".encode()
        self._known: set[bytes] = set()
        self.sequences: list[list[Step]] = []

    def load(self) -> Iterator[list[Step]]:
        """The sequences of the database that have not been read; damaged ones are left out."""
        for written in sorted({*self._database.fetch(self.key)} - self._known):
            self._known.add(written)
            try:
                sequence = [self._step(described) for described in orjson.loads(written)]
            except (ValueError, LookupError, TypeError):
                continue
            yield sequence

    def add(self, sequence: list[Step]) -> None:
        """Keep a sequence."""
        self.sequences.append(sequence)
        written = orjson.dumps([self._described(step) for step in sequence])
        if written not in self._known:
            self._known.add(written)
            self._database.save(self.key, written)

    def _described(self, step: Step) -> dict[str, Any]:
        return {
            "action": step.action,
            "arguments": self._run.actions[step.action].entry.encode(step.arguments).hex(),
            "sender": step.sender,
            "value": str(step.value),
            "seconds": step.seconds,
            "blocks": step.blocks,
        }

    def _step(self, described: dict[str, Any]) -> Step:
        action = self._run.actions[described["action"]]
        arguments = action.entry.decode(bytes.fromhex(described["arguments"]))
        if arguments is None:
            raise ValueError("the arguments are of other types")
        step = Step(
            action.name,
            arguments,
            int(described["sender"]) % len(self._run.senders),
            int(described["value"]),
            int(described["seconds"]),
            int(described["blocks"]),
        )
        if min(step.value, step.seconds, step.blocks) < 0:
            raise ValueError("a number is negative")
        return step
