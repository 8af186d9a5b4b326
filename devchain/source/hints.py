"""Hints: what is known about a failure whose reason says too little, or that has none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from devchain.contracts.names import Names, raw
from devchain.contracts.sources import stale_notice
from devchain.evm.opcodes import Op
from devchain.evm.revert_reasons import panic_code
from devchain.evm.rootstock.gas import CODE_LIMIT
from devchain.source.explain import ENTRY_NOTE, INVALID_OPCODE, place_of, site_of
from devchain.source.map import Position
from devchain.source.missing_places import NO_SOURCE_MAP, lacking_sources, why_without_places
from devchain.source.operands import failed_index, index_text, out_of_bounds, overflow
from devchain.source.refusals import refusal, wrong_enum
from devchain.source.vyper_hints import vyper_hint
from devchain.text import plural
from devchain.tracing import error_texts as failures
from devchain.tracing.frames import Frame
from devchain.tracing.opcode_step import as_address, as_int, mnemonic
from devchain.tracing.path_recorder import Path
from devchain.types import SELECTOR_SIZE, WORD_SIZE

STIPEND = 2_300
"""Gas that `transfer` and `send` of Solidity give."""

OVERFLOW, BOUNDS = 0x11, 0x32

INVALID_TEXTS = (
    (r"\bassert\b", "assertion failed"),
    (r"\.pop\b|\.length\s*--", "pop on an empty array"),
    (r"\[", "array index out of bounds"),
    (r"%", "modulo by zero"),
    (r"/", "division by zero"),
    (r"\b[A-Z]\w*\s*\(", "conversion of a number that is no value of the enum"),
)
"""What an invalid opcode means in a statement, before Solidity 0.8."""


STATIC = tuple(
    failure for kind, failure in failures.FAILURES.items() if kind.__name__ == "WriteProtection"
)


def hint_of(frame: Frame, names: Names) -> str:
    """What to know about the failure of a frame; empty if its reason says it."""
    if frame.failure is None:
        return ""
    return "; ".join(filter(None, (_hint(frame, names), source_hint(frame, names))))


def lost_reason(failing: Sequence[Frame], names: Names) -> str:
    """That a failed creation did not give its reason to the contract that created; empty if it did.

    `failing` are the frames from a failed one to the origin of its failure. On Rootstock a creation
    leaves no return data.
    """
    for creator, created in pairwise(failing):
        if created.is_creation and created.output and creator.reverted and not creator.output:
            label = names.contract(creator.to) or names.address_text(creator.to)
            return (
                f"the reason does not reach {label}: on Rootstock a failed creation returns no "
                "data to its creator"
            )
    return ""


def source_hint(frame: Frame, names: Names) -> str:
    """That the place of a failure is not known, or may be wrong: sources changed or are missing."""
    code_map = frame.path.code_map if frame.path else None
    if code_map is None:
        return _without_places(frame, names)
    artifact = code_map.artifact
    reason = why_without_places(artifact)
    if not (code_map.stale or artifact.lacks_sources or reason):
        return ""
    place = place_of(frame, names)
    is_open = place is None or place.is_near or code_map.called(frame.input) is None
    changed = stale_notice([each for each in code_map.stale if is_open or each.newer_than])
    if changed or not is_open:
        return changed
    return lacking_sources(artifact) or (_without_places(frame, names) if place is None else "")


def _without_places(frame: Frame, names: Names) -> str:
    if frame.is_creation:
        artifact = names.registry.compiled(frame.input, creating=True)
    else:
        code = names.code_at(frame.to)
        artifact = names.registry.compiled(code, frame.to, creating=False)
        artifact = artifact or names.artifact(frame.to)
    reason = why_without_places(artifact) if artifact else ""
    if artifact is None or reason in {"", NO_SOURCE_MAP}:
        return ""
    return f"{artifact.name} has no places here: {reason}"


def _hint(frame: Frame, names: Names) -> str:
    if frame.failure in STATIC:
        return "state was changed in a static call: the caller's interface declares a view function"
    if frame.reverted and frame.output:
        return _panic_hint(frame, names)
    place = place_of(frame, names)
    position = place.position if place else None
    is_open = place is None or place.note == ENTRY_NOTE or place.is_near
    found = refusal(frame, names) if is_open else ""
    if found or frame.reverted:
        return found or _bare_hint(frame, names, position)
    return _call_hint(frame, names) or _halt_hint(frame, names, position)


def _halt_hint(frame: Frame, names: Names, position: Position | None) -> str:
    if frame.failure is failures.OUT_OF_GAS:
        return _gas_hint(frame, names)
    if frame.failure is failures.CODE_TOO_LARGE:
        return f"the code of the contract is larger than {CODE_LIMIT:,} bytes"
    return _invalid_hint(frame, position)


# Reverts


def _panic_hint(frame: Frame, names: Names) -> str:
    code = panic_code(frame.output)
    if frame.path is None or code not in {OVERFLOW, BOUNDS}:
        return ""
    return out_of_bounds(frame.path) if code == BOUNDS else _overflow(frame, frame.path, names)


def _overflow(frame: Frame, path: Path, names: Names) -> str:
    # Of a place that is not known exactly it may be in any statement of the function.
    place = place_of(frame, names)
    if place is None:
        return ""
    if not place.is_near:
        return overflow(path, place.position)
    around = place.function and path.code_map.position_of(place.function)
    return overflow(path, around) if around else ""


def _bare_hint(frame: Frame, names: Names, position: Position | None) -> str:
    found = _call_hint(frame, names)
    if found or frame.path is None:
        return found
    found = (
        _missing_code(frame, names)
        or _returned(frame, names, position)
        or _getter_hint(frame, frame.path, names)
        or (wrong_enum(frame, names) if not frame.path.code_map.is_vyper else "")
    )
    if found:
        return found
    if position and "abi_decode" in position.whole_statement.text.replace("abi.d", "abi_d"):
        return "the data cannot be decoded to these types"
    return vyper_hint(frame.path, position) if frame.path.code_map.is_vyper else ""


def _getter_hint(frame: Frame, path: Path, names: Names) -> str:
    code_map = path.code_map
    called = None if code_map.is_vyper or code_map.creating else code_map.called(frame.input)
    if called is None or called.function or "[" not in called.text:
        return ""
    if found := refusal(frame, names):
        return found
    body = frame.input[SELECTOR_SIZE:]
    given = {as_int(body[at : at + WORD_SIZE]) for at in range(0, len(body), WORD_SIZE)}
    index = failed_index(path)
    if index is None or index[0] not in given:
        return "index out of bounds"
    return f"out of bounds: {index_text(*index)}"


def _missing_code(frame: Frame, names: Names) -> str:
    checks = frame.path.checks if frame.path else ()
    asked = [as_address(each.operands[0]) for each in checks if each.opcode == Op.EXTCODESIZE]
    last = frame.calls[-1] if frame.calls else None
    if last and not last.output and not last.precompiled and not last.is_creation:
        asked.append(last.to)
    if not asked or names.code_at(asked[-1]):
        return ""
    return f"there is no contract at {names.address_text(asked[-1])}: the address has no code"


def _returned(frame: Frame, names: Names, position: Position | None) -> str:
    last = frame.calls[-1] if frame.calls else None
    if last is None or last.failure or last.is_creation or position is None:
        return ""
    site = site_of(last)
    if site is None or site.statement != position.statement:
        return ""
    called = names.call(last.to, last.input)
    if len(last.output) < WORD_SIZE:
        return f"{called} returned {plural(len(last.output), 'byte')}, too few for a value"
    return f"{called} returned {raw(last.output)}, which cannot be decoded to the expected types"


# Calls


def _call_hint(frame: Frame, names: Names) -> str:
    last = frame.calls[-1] if frame.calls else None
    if last is None or last.failure is None:
        return ""
    what = _called(last, names)
    reverted = f"reverted: {names.error(last.output)}" if last.output else "reverted"
    if last.failure is failures.INSUFFICIENT_BALANCE:
        return f"the balance of the contract is too low: {what} would send {last.value or 0:,} wei"
    if last.precompiled:
        label = names.contract(last.to) or names.address_text(last.to)
        return f"the precompiled contract {label} refused the call: {last.error}"
    if last.failure is failures.OUT_OF_GAS:
        is_stipend = bool(last.value) and last.gas <= STIPEND
        why = ", all that transfer() and send() give" if is_stipend else ""
        return f"{what} ran out of gas: it had {last.gas:,}{why}"
    if last.failure in STATIC:
        reverted = "failed: it changed state in a static call"
    elif last.failure is failures.CODE_TOO_LARGE:
        reverted = f"failed: its code is larger than {CODE_LIMIT:,} bytes"
    elif not last.reverted:
        reverted = f"failed: {last.error}"
    return f"{what} {reverted}"


def _called(frame: Frame, names: Names) -> str:
    if not frame.is_creation:
        return f"the call of {names.call(frame.to, frame.input)}"
    created = names.created(frame.input)
    return f"the creation of {created or 'a contract'}"


# Other failures


def _gas_hint(frame: Frame, names: Names) -> str:
    label = names.contract(frame.to) or names.address_text(frame.to)
    what = "the constructor" if frame.is_creation else f"the call of {label}"
    where = f" at {mnemonic(frame.path.opcode, None)}" if frame.path else ""
    if frame.is_top:
        return f"the gas limit of {frame.gas:,} was too low: {what} needed more{where}"
    return f"{what} was given {frame.gas:,} gas, and needed more{where}"


def _invalid_hint(frame: Frame, position: Position | None) -> str:
    if position is None or frame.path is None or frame.path.opcode != INVALID_OPCODE:
        return ""
    return next((text for each, text in INVALID_TEXTS if re.search(each, position.text)), "")
