"""Finding where in the source an execution failed: paths of frames become source traces.

The offset at which a message ended has a place in the compiler's source map, if it is code of a
statement. Otherwise the path is followed backwards, through the jumps that led there:

    Vault.sol:17   amount - fee        jump into code of the compiler (i)
    no source      checked subtraction jump
    no source      REVERT              the message ended here

The nearest place before is that of the statement, in the same internal function or, if the
compiler's code was called as one, in its caller. Optimizers merge equal blocks of code, so that the
place of such a block may be that of another statement: these count as having none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from devchain.contracts.code_map import CodeMap, Position
from devchain.contracts.names import Names
from devchain.contracts.source_map import INTO, OUT_OF
from devchain.contracts.source_trace import CONTEXT, SourceFrame, SourceTrace
from devchain.contracts.stack_values import argument_text
from devchain.contracts.syntax_tree import Function
from devchain.tracing.failure_hints import hint_of
from devchain.tracing.frames import Frame
from devchain.tracing.path_recorder import InternalCall, Path
from devchain.types import SELECTOR_SIZE

NEAR = 64
"""Instructions before the end of a path that are of the same statement as it, most likely."""


@dataclass(frozen=True, slots=True)
class Place:
    """A function on the path to a failure, and where in it; `call` is the jump that entered it."""

    position: Position | None
    function: Function | None
    call: InternalCall | None = None
    is_approximate: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """A position on a path, and how many internal functions below its own were left for it."""

    position: Position | None
    left: int = 0
    is_approximate: bool = False


def source_trace(top: Frame, names: Names, reason: Callable[[Frame], str]) -> SourceTrace:
    """Where and why a frame failed: through the calls that passed on the failure, to its origin."""
    frames: list[SourceFrame] = []
    frame = top
    while child := passed_on(frame):
        frames += _source_frames(frame, names, child)
        frame = child
    frames += _source_frames(frame, names)
    return SourceTrace(reason(frame), tuple(frames), hint_of(frame, names))


def failing_frames(top: Frame) -> list[Frame]:
    """A failed frame, the call whose failure it passed on, and so on to the failure's origin."""
    frames = [top]
    while child := passed_on(frames[-1]):
        frames.append(child)
    return frames


def source_frames(frame: Frame, names: Names) -> list[SourceFrame]:
    """The functions in which a failed message was, those whose place is known."""
    if frame.path is None:
        return []
    return [each for each in _source_frames(frame, names, passed_on(frame)) if each.path]


def place_of(frame: Frame) -> Position | None:
    """Where in its source a frame failed, or made the call that failed in its place."""
    child = passed_on(frame)
    places = _places_at_site(child) if child else _places_at_end(frame)
    return places[-1].position if places else None


def passed_on(frame: Frame) -> Frame | None:
    """The call whose failure a failed frame passed on; None if it failed by itself."""
    last = frame.calls[-1] if frame.calls else None
    if last is None or not last.failure or last.precompiled or not frame.failure:
        return None
    if frame.output:
        return last if last.output == frame.output else None
    if last.path is None or frame.path is None or last.call_site is None:
        return None
    end = _find_end(frame.path).position
    site = last.call_site.code_map.position(last.call_site.offset)
    if end is None or site is None or end.file is not site.file:
        return None
    is_same = end.statement == site.statement and end.statement is not None
    return last if is_same or end.span == site.span else None


# Frames


def _source_frames(frame: Frame, names: Names, child: Frame | None = None) -> Iterator[SourceFrame]:
    """The functions of one message, up to where it ended or sent another."""
    places = _places_at_site(child) if child else _places_at_end(frame)
    contract = names.created(frame.input) if frame.is_creation else names.contract(frame.to)
    label = contract or names.address_text(frame.to)
    if not places:
        yield SourceFrame(label, _called(frame, names), _arguments(frame, names))
        return
    external = _external_function(frame, places)
    for number, each in enumerate(places):
        arguments = None
        if number == 0 and each.function in {external, None}:
            arguments = _arguments(frame, names)
        elif each.function and each.function.kind != "modifier":
            arguments = _internal_arguments(each, frame, names)
        yield _source_frame(each, label, _called(frame, names), arguments)


def _source_frame(place: Place, contract: str, called: str, arguments: str | None) -> SourceFrame:
    position, function = place.position, place.function
    name = function.own_name if function else called
    owner = function.contract if function and function.contract else contract
    frame = SourceFrame(owner, name, arguments, function.kind if function else "")
    if position is None:
        return replace(frame, note=place.note)
    file, line = position.file, position.line
    end = max(position.span[0], position.span[1] - 1)
    first = max(1, line - CONTEXT)
    return replace(
        frame,
        path=position.path,
        line=line,
        column=position.column,
        end_line=file.line(end),
        end_column=file.column(end) + 1,
        is_approximate=place.is_approximate,
        note=place.note,
        lines=tuple((number, file.text_of_line(number)) for number in range(first, line + 1)),
    )


def _called(frame: Frame, names: Names) -> str:
    """The name of the function that a message calls, or what stands for it."""
    if frame.is_creation:
        return "constructor"
    text = names.function(frame.to, frame.input)
    return text.partition("(")[0]


def _arguments(frame: Frame, names: Names) -> str | None:
    """The arguments of a message by the contract's ABI; None if they are not known."""
    if frame.is_creation:
        text = names.creation(frame.input)
    else:
        text = names.function(frame.to, frame.input)
    _, parenthesis, rest = text.partition("(")
    return rest.removesuffix(")") if parenthesis else None


def _internal_arguments(place: Place, frame: Frame, names: Names) -> str | None:
    call, function = place.call, place.function
    path = frame.path
    if call is None or function is None or path is None:
        return None
    code_map = path.code_map
    if code_map.artifact.language != "Solidity" or not code_map.has_calling_convention:
        return None
    reverse = code_map.artifact.via_ir
    return argument_text(function, call.stack, path.memory, names.address, reverse=reverse)


def _external_function(frame: Frame, places: Sequence[Place]) -> Function | None:
    """The function of the source that a message calls; None if it is not known."""
    position = next((each.position for each in places if each.position), None)
    if position is None:
        return None
    if frame.is_creation:
        return next((each.function for each in places if each.function), None)
    selector = frame.input[:SELECTOR_SIZE].hex()
    functions = position.file.functions.values()
    found = next((each for each in functions if each.selector and each.selector == selector), None)
    return found or places[0].function


# Places


def _places_at_site(child: Frame) -> list[Place]:
    """The functions that were running when a message was sent."""
    site = child.call_site
    if site is None:
        return []
    position = site.code_map.position(site.offset)
    return _places(site.code_map, site.calls, _Found(position))


def _places_at_end(frame: Frame) -> list[Place]:
    """The functions that were running when a message failed."""
    path = frame.path
    if path is None:
        return []
    found = _find_end(path)
    kept = path.calls[: len(path.calls) - found.left]
    return _places(path.code_map, kept, found, frame)


def _places(
    code_map: CodeMap,
    calls: Sequence[InternalCall],
    last: _Found,
    frame: Frame | None = None,
) -> list[Place]:
    places: list[Place] = []
    entered: InternalCall | None = None
    expected: Function | None = None
    if frame and not frame.is_creation:
        expected = code_map.functions_by_selector.get(frame.input[:SELECTOR_SIZE].hex())
    for call in calls:
        position = code_map.position(call.offset)
        if position and position.is_exact:
            places += _entered(code_map, expected, entered, position)
            places.append(Place(position, position.function, entered))
            expected = None
        target = code_map.function_at(call.target)
        if target or (position and position.is_exact):
            entered, expected = call, target or None
    if last.position is None:
        return places
    position = last.position
    if position.function is None and not position.is_exact and expected:
        position = code_map.position_of(expected) or position
    places += _entered(code_map, expected, entered, position)
    note = "" if position.is_exact else _note(position)
    places.append(Place(position, position.function, entered, last.is_approximate, note))
    return places


def _entered(
    code_map: CodeMap, expected: Function | None, call: InternalCall | None, position: Position
) -> Iterator[Place]:
    """The function that was entered, if the place found is in code inlined into it.

    That is a modifier, or a function that the optimizer inlined.
    """
    inner = position.function
    if expected is None or inner is None or expected.span == inner.span:
        return
    start = code_map.position_of(expected)
    if start is None:
        return
    span = next((span for name, span in expected.modifiers if name == inner.own_name), None)
    if inner.kind == "modifier" and span:
        yield Place(replace(start, span=span), expected, call)
    else:
        yield Place(start, expected, call, is_approximate=True)


def _note(position: Position) -> str:
    if position.function is None:
        return "code of the compiler: the choice of the function"
    return "code of the compiler: checks of the call"


# Positions on a path


def _find_end(path: Path) -> _Found:
    """Where a path ended."""
    code_map = path.code_map
    here = code_map.position(path.end)
    is_merged = code_map.is_merged(path.end)
    if here and here.is_exact and not is_merged:
        return _Found(here)
    nearest: Position | None = None
    for steps, (offset, left) in enumerate(_backwards(path)):
        position = code_map.position(offset)
        nearest = nearest or position
        if position and position.is_exact and not code_map.is_merged(offset):
            is_same = bool(here and here.is_exact and here.statement == position.statement)
            is_near = left > 0 or steps <= NEAR
            if is_same and here:
                return _Found(here, left)
            is_guess = bool(here and here.is_exact) or not is_near
            return _Found(position, left, is_approximate=is_guess)
    return _Found(here or nearest, is_approximate=bool(here and here.is_exact))


def _backwards(path: Path) -> Iterator[tuple[int, int]]:
    """Offsets of a path from its end back, with the number of internal functions that were left.

    Internal functions that had returned are left out.
    """
    code_map, last, level = path.code_map, path.end, 0
    for offset, target in reversed(path.jumps):
        if level <= 0:
            yield from ((each, -level) for each in code_map.backwards(last, target))
        kind = code_map.jumps.get(offset)
        if kind == INTO:
            level -= 1
        elif kind == OUT_OF or code_map.jumps.get(target - 1) == INTO:
            level += 1
        last = offset
    if len(path.jumps) < (path.jumps.maxlen or 0) and level <= 0:
        yield from ((each, -level) for each in code_map.backwards(last, 0))
