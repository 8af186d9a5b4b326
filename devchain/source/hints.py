"""Hints: what is known about a failure whose reason says too little, or that has none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from devchain.contracts.artifacts import Artifact
from devchain.contracts.names import Names, raw
from devchain.contracts.source_map import source_ids
from devchain.contracts.sources import stale_notice
from devchain.evm.opcodes import Op
from devchain.evm.revert_reasons import panic_code
from devchain.evm.rootstock.gas import CODE_LIMIT
from devchain.source.explain import ENTRY_NOTE, INVALID_OPCODE, place_of, site_of
from devchain.source.map import Position
from devchain.source.operands import (
    IntegerType,
    failed_index,
    has_operator,
    index_text,
    last_checks,
    last_comparison,
    out_of_bounds,
    overflow,
)
from devchain.source.refusals import refusal, wrong_enum
from devchain.text import plural
from devchain.tracing import frames as failures
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
    asked = [as_address(check.operands[0]) for check in checks if check.opcode == Op.EXTCODESIZE]
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


MEANINGS = (
    (r"safeadd", "overflow: the sum does not fit the type"),
    (r"safesub", "underflow: the difference does not fit the type"),
    (r"safemul", "overflow: the product does not fit the type"),
    (r"safepow", "overflow: the power does not fit the type, or its exponent is negative"),
    (r"safediv", "division by zero, or of a signed number an overflow"),
    (r"safemod", "modulo by zero"),
    (r"clamp sgt", "overflow: the result does not fit the type"),
    (r"range\(\) bounds check|clamp le end", "a loop has more rounds than its bound"),
    (r"(u?int|decimal)\d* bounds check", "out of bounds: the value does not fit the type"),
    (r"bounds check", "index out of bounds"),
    (r"clamp|validate", "out of bounds: the value does not fit the type"),
    (r"extcodesize is zero", "there is no contract at the address: it has no code"),
    (r"returndatasize too small", "the call returned less than its return type needs"),
    (r"nonpayable check", "the function is not payable"),
    (r"unreachable", "code that was declared unreachable was reached"),
)
"""What names of checks mean, by the first pattern that matches."""

SIZED = re.compile(r"((?:String|Bytes|DynArray)\[.*?(\d+)\]) bounds check")
"""The name of a check of the size of a value, or of an index."""

WORD = re.compile(r"(u?)int(\d+) bounds check")
"""The name of a check of a result, or of a value that is converted."""

ABOVE_ZERO = "clamp gt 0"

GUARDED = {
    Op.DIV: "division by zero",
    Op.SDIV: "division by zero",
    Op.MOD: "modulo by zero",
    Op.SMOD: "modulo by zero",
    Op.SUB: "pop on an empty array",
}
"""What a value above zero is needed for, by the first such opcode behind the check."""

DIVISIONS = frozenset({Op.DIV, Op.SDIV})
WORD_PRODUCT = re.compile(r"(× .* )u?int256$")
DECIMAL_BITS = 168
UNSHOWN = "overflow: the result does not fit the type"
"""What is said of decimals, which are numbers of this type times 10^10."""


def vyper_hint(path: Path, position: Position | None) -> str:
    """What the check that failed means; empty if that is not known."""
    checks = path.code_map.code.checks
    offsets = [path.end, *(offset for offset, _ in reversed(path.jumps))][:2]
    at = next((offset for offset in offsets if offset in checks), None)
    name = "" if at is None else checks[at]
    meaning = next((text for pattern, text in MEANINGS if re.search(pattern, name)), "")
    function = position.function if position else None
    # Of Venom's code any may have no place but the function.
    is_entry = position and function and position.span == function.span
    if is_entry and path.code_map.is_in_order:
        if sized := SIZED.fullmatch(name):
            return f"an argument is longer than its type, {sized[1]}, allows"
        if not meaning and not path.code_map.creating:
            return "the function is locked: it was entered again (reentrancy)"
    found = _by_numbers(path, name, at, position) if at is not None else ""
    # Vyper gives the name of the check of an index to those of the arithmetic in it, too.
    is_open = name.endswith("] bounds check") and position and has_operator(position)
    return found or ("" if is_open else meaning)


def _by_numbers(path: Path, name: str, at: int, position: Position | None) -> str:
    if name == ABOVE_ZERO:
        behind = path.code_map.opcodes_behind(at)
        return next((GUARDED[each] for each in behind if each in GUARDED), "")
    word = WORD.fullmatch(name)
    if word and int(word[2]) == DECIMAL_BITS:
        return UNSHOWN
    if word or name.startswith("safe") or name == "clamp sgt":
        kind = IntegerType(int(word[2]), is_signed=not word[1]) if word else None
        return _vyper_overflow(path, position, kind) or _division(path, name)
    return _item(path, SIZED.fullmatch(name), position) if name.endswith("] bounds check") else ""


def _vyper_overflow(path: Path, position: Position | None, kind: IntegerType | None = None) -> str:
    # A product that does not fit 256 bits may be one of a smaller type.
    text = overflow(path, position, kind) if position else ""
    return WORD_PRODUCT.sub(r"\1the type", text)


def _division(path: Path, name: str) -> str:
    divisions = [check for check in last_checks(path) if check.opcode in DIVISIONS]
    is_zero = bool(divisions) and divisions[-1].operands[1] == 0
    return "division by zero" if name == "safediv" and is_zero else ""


def _item(path: Path, sized: re.Match[str] | None, position: Position | None) -> str:
    compared = last_comparison(path)
    if sized and compared:
        limit, (one, two) = int(sized[2]), compared.operands
        is_full = one >= limit == two + (compared.opcode == Op.GT)
        if is_full and position and ".append(" in position.whole_statement.code:
            return "append to a full array"
        is_long = compared.opcode == Op.GT and one > two == limit
        if is_long or not sized[1].startswith("DynArray"):
            return f"a value is longer than its type, {sized[1]}, allows"
    if text := _vyper_overflow(path, position):
        return text
    text = out_of_bounds(path)
    return f"out of bounds: {text}" if text else ""


NO_SOURCE_MAP = (
    "no source map in the artifact: want Hardhat's or Foundry's build-info, or standard JSON of "
    "the compiler with source maps"
)
UNKNOWN_SOURCES = (
    "its JSON does not list the sources of its source map: compile again, to standard JSON "
    'with "*" in outputSelection, and keep the input beside the output'
)
UNKNOWN_MODULES = (
    "its JSON does not list the modules that it imports: compile again, to standard JSON "
    'with "*" in outputSelection, and keep the input beside the output'
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
    if not any(code.source_map for code in codes):
        return NO_SOURCE_MAP
    if artifact.deploys_other_code:
        return OTHER_CODE
    if not artifact.sources:
        return UNKNOWN_SOURCES
    # Of solc some ids are those of what it generates.
    used = {number for code in codes for number in source_ids(code.source_map)}
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
