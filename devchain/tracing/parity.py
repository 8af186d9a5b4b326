"""Frames in a flat list, each with its place in the tree, as Parity shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from devchain.tracing.frames import Frame


@dataclass(frozen=True, slots=True)
class FlatFrame:
    """A frame, the path that leads to it from the top, and how many frames it called."""

    frame: Frame
    path: tuple[int, ...]
    subtraces: int


def flatten(
    frame: Frame, path: tuple[int, ...] = (), *, precompiles: bool = False
) -> Iterator[FlatFrame]:
    """A frame and all below it; plain calls of precompiled contracts only if asked for."""
    calls = [each for each in frame.calls if precompiles or not _is_hidden(each)]
    yield FlatFrame(frame, path, len(calls))
    for index, call in enumerate(calls):
        yield from flatten(call, (*path, index), precompiles=precompiles)


def _is_hidden(frame: Frame) -> bool:
    return frame.precompiled and frame.kind in {"CALL", "STATICCALL"}
