"""Hints: what is known about a failure whose reason says too little, or that has none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile

from devchain.contracts.artifacts import Artifact
from devchain.contracts.code_map import Location
from devchain.contracts.names import Names, raw
from devchain.contracts.source_map import source_ids
from devchain.contracts.sources import stale_notice
from devchain.contracts.value_types import ValueType, parse_type
from devchain.evm.opcodes import JUMPS, Op
from devchain.evm.revert_reasons import panic_code
from devchain.evm.rootstock.gas import CODE_LIMIT
from devchain.source.explain import ENTRY_NOTE, call_location, innermost_function
from devchain.source.refusals import refusal, wrong_enum
from devchain.text import plural
from devchain.tracing import frames as failures
from devchain.tracing.frames import Frame
from devchain.tracing.opcode_step import as_address, as_int, mnemonic
from devchain.tracing.paths import Check, Path
from devchain.types import SELECTOR_SIZE, WORD_SIZE

STIPEND = 2_300  # gas that `transfer` and `send` of Solidity give

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
    place = innermost_function(frame, names)
    is_open = place is None or place.is_near or code_map.called(frame.input) is None
    changed = stale_notice([source for source in code_map.stale if is_open or source.newer_than])
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
    place = innermost_function(frame, names)
    location = place.location if place else None
    is_open = place is None or place.note == ENTRY_NOTE or place.is_near
    found = refusal(frame, names) if is_open else ""
    if found or frame.reverted:
        return found or _bare_hint(frame, names, location)
    return _call_hint(frame, names) or _halt_hint(frame, names, location)


def _halt_hint(frame: Frame, names: Names, location: Location | None) -> str:
    if frame.failure is failures.OUT_OF_GAS:
        return _gas_hint(frame, names)
    if frame.failure is failures.CODE_TOO_LARGE:
        return f"the code of the contract is larger than {CODE_LIMIT:,} bytes"
    if location is None or frame.path is None or frame.path.opcode != Op.INVALID:
        return ""
    return next((text for pattern, text in INVALID_TEXTS if re.search(pattern, location.text)), "")


# Reverts


def _panic_hint(frame: Frame, names: Names) -> str:
    code = panic_code(frame.output)
    if frame.path is None or code not in {OVERFLOW, BOUNDS}:
        return ""
    return out_of_bounds(frame.path) if code == BOUNDS else _overflow(frame, frame.path, names)


def _overflow(frame: Frame, path: Path, names: Names) -> str:
    # Of a place that is not known exactly it may be in any statement of the function.
    place = innermost_function(frame, names)
    if place is None:
        return ""
    if not place.is_near:
        return overflow(path, place.location)
    around = place.function and path.code_map.location_of(place.function)
    return overflow(path, around) if around else ""


def _bare_hint(frame: Frame, names: Names, location: Location | None) -> str:
    found = _call_hint(frame, names)
    if found or frame.path is None:
        return found
    found = (
        _missing_code(frame, names)
        or _returned(frame, names, location)
        or _getter_hint(frame, frame.path, names)
        or (wrong_enum(frame, names) if not frame.path.code_map.is_vyper else "")
    )
    if found:
        return found
    if location and "abi_decode" in location.simple_statement.text.replace("abi.d", "abi_d"):
        return "the data cannot be decoded to these types"
    return vyper_hint(frame.path, location) if frame.path.code_map.is_vyper else ""


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


def _returned(frame: Frame, names: Names, location: Location | None) -> str:
    last = frame.calls[-1] if frame.calls else None
    if last is None or last.failure or last.is_creation or location is None:
        return ""
    site = call_location(last, location.function)
    if site is None or site.statement != location.statement:
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

WORD = re.compile(r"(u?)int(\d+) bounds check")  # the check of a result or a conversion
ABOVE_ZERO = "clamp gt 0"

GUARDED: dict[int, str] = {
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


def vyper_hint(path: Path, location: Location | None) -> str:
    """What the check that failed means; empty if that is not known."""
    checks = path.code_map.code.checks
    offsets = [path.end, *(offset for offset, _ in reversed(path.jumps))][:2]
    at = next((offset for offset in offsets if offset in checks), None)
    name = "" if at is None else checks[at]
    meaning = next((text for pattern, text in MEANINGS if re.search(pattern, name)), "")
    function = location.function if location else None
    # Of Venom's code any may have no place but the function.
    is_entry = location and function and location.span == function.span
    if is_entry and not path.code_map.is_rearranged:
        if sized := SIZED.fullmatch(name):
            return f"an argument is longer than its type, {sized[1]}, allows"
        if not meaning and not path.code_map.creating:
            return "the function is locked: it was entered again (reentrancy)"
    found = _by_numbers(path, name, at, location) if at is not None else ""
    # Vyper gives the name of the check of an index to those of the arithmetic in it, too.
    is_open = name.endswith("] bounds check") and location and _operators(location)[1]
    return found or ("" if is_open else meaning)


def _by_numbers(path: Path, name: str, at: int, location: Location | None) -> str:
    if name == ABOVE_ZERO:
        code = path.code_map.code_by_offset
        behind = [code[offset].opcode for offset in code if offset > at]
        block = takewhile(lambda opcode: opcode not in JUMPS, behind)
        return next((GUARDED[opcode] for opcode in block if opcode in GUARDED), "")
    word = WORD.fullmatch(name)
    if word and int(word[2]) == DECIMAL_BITS:
        return UNSHOWN
    if word or name.startswith("safe") or name == "clamp sgt":
        kind = parse_type(f"{word[1]}int{word[2]}") if word else None
        divisions = [check for check in last_checks(path) if check.opcode in DIVISIONS]
        is_zero = name == "safediv" and bool(divisions) and divisions[-1].operands[1] == 0
        return _vyper_overflow(path, location, kind) or ("division by zero" if is_zero else "")
    return _item(path, SIZED.fullmatch(name), location) if name.endswith("] bounds check") else ""


def _vyper_overflow(path: Path, location: Location | None, kind: ValueType | None = None) -> str:
    # A product that does not fit 256 bits may be one of a smaller type.
    text = overflow(path, location, kind) if location else ""
    return WORD_PRODUCT.sub(r"\1the type", text)


def _item(path: Path, sized: re.Match[str] | None, location: Location | None) -> str:
    compared = last_comparison(path)
    if sized and compared:
        limit, (one, two) = int(sized[2]), compared.operands
        is_full = one >= limit == two + (compared.opcode == Op.GT)
        if is_full and location and ".append(" in location.simple_statement.code:
            return "append to a full array"
        is_long = compared.opcode == Op.GT and one > two == limit
        if is_long or not sized[1].startswith("DynArray"):
            return f"a value is longer than its type, {sized[1]}, allows"
    if text := _vyper_overflow(path, location):
        return text
    text = out_of_bounds(path)
    return f"out of bounds: {text}" if text else ""


# Operands of arithmetic and of indices that failed, as they were on the stack at the check
#
# A check is a comparison behind the operation and a JUMPI behind that, in one basic block:
#
#     DUP2 DUP2 ADD    250, 6
#     DUP1 PUSH1 ff    256, 255
#     LT ... JUMPI     256 is above 255: it fails here
#
# `Path.checks` has the operands of the last arithmetic and comparisons that ran. An operation is
# named if its statement has that operator and its exact result does not fit the type that the
# comparison checks. Where the optimizer left no such comparison in the block, nothing is named.

WORDS = 1 << 256
SIGNED = frozenset({Op.SLT, Op.SGT, Op.SDIV})
COMPARISONS = frozenset({Op.LT, Op.GT, Op.SLT, Op.SGT})
WRITTEN: dict[int, str] = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}
SHOWN: dict[int, str] = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "×"}
OPERATOR = re.compile(r"\*\*|[-+*]")
CONSTANT_POWER = re.compile(r"(?<![\w$.])[\d_.]+(?:e\d+)?\s*\*\*\s*[\d_]+(?![\w$.])")
"""A power that the compiler computes, such as `10**18`."""


def fits(kind: ValueType, number: int) -> bool:
    lowest, highest = kind.bounds
    return lowest <= number <= highest


def read(kind: ValueType, word: int) -> int:
    return signed(word) if kind.is_signed else word


def signed(word: int) -> int:
    return word - WORDS if word >> 255 else word


_ALL_TYPES = [parse_type(f"{name}{bits}") for bits in range(8, 257, 8) for name in ("int", "uint")]
_RESULTS: dict[int, Callable[[int, int], int]] = {
    Op.ADD: lambda one, two: one + two,
    Op.SUB: lambda one, two: one - two,
    Op.MUL: lambda one, two: one * two,
    Op.DIV: lambda one, two: one // two if two else 0,
    Op.SDIV: lambda one, two: _quotient(signed(one), signed(two)),
}
INVERSE: dict[int, int] = {Op.ADD: Op.SUB, Op.SUB: Op.ADD, Op.DIV: Op.MUL, Op.SDIV: Op.MUL}
"""The operation whose operand is compared with the result of the other one on a limit."""


def _quotient(one: int, two: int) -> int:
    # Rounded towards zero
    return (abs(one) // abs(two) if two else 0) * (-1 if (one < 0) != (two < 0) else 1)


def last_checks(path: Path) -> list[Check]:
    """The arithmetic and comparisons of the block that ended with the check that failed."""
    block = _failed_block(path)
    checks: list[Check] = []
    for check in reversed(path.checks):
        if check.offset in block:
            checks.append(check)
        elif checks:
            break
    return checks[::-1]


def _failed_block(path: Path) -> range:
    # From its first instruction to the JUMPI behind which nothing but a failure came.
    code, last = path.code_map.code.template, path.end
    for offset, target in reversed(path.jumps):
        first, failed = target, -1
        for offset_between in range(target, last + 1):
            if offset_between in path.code_map.code_by_offset and code[offset_between] == Op.JUMPI:
                first, failed = (failed + 1 if failed >= 0 else target), offset_between
        if failed >= 0:
            return range(first, failed + 1)
        last = offset
    return range(0)


def overflow(path: Path, location: Location, kind: ValueType | None = None) -> str:
    """The operation of the statement at a location whose result does not fit its type.

    Without `kind` the type is derived from the check. Empty if the operands are not known.
    """
    code, written = _operators(location)
    if "**" in written:
        written.discard("*")  # a power is computed by multiplications
    checks = last_checks(path)
    named = {word for check in checks for word in check.operands}
    for check in reversed(path.checks):
        if WRITTEN.get(check.opcode) in written and (kind or _result(check) in named):
            kinds = [kind] if kind else _kinds(_result(check), checks, check.opcode)
            texts = (_overflowed(check, kind) for kind in kinds)
            if text := next(filter(None, texts), ""):
                return text
    if path.code_map.is_vyper:
        return ""
    return _beyond_limit(checks, written) or _incremented(checks, code)


def _operators(location: Location) -> tuple[str, set[str]]:
    code = CONSTANT_POWER.sub("", location.simple_statement.code)
    return code, set(OPERATOR.findall(code))


def _result(check: Check) -> int:
    return _RESULTS[check.opcode](*check.operands) % WORDS


def _beyond_limit(checks: Sequence[Check], written: set[str]) -> str:
    # solc before 0.8.16 compares before it computes: `x > 255 - y` for `x + y`, `x < y` for `x - y`
    if [check.opcode for check in checks] in ([Op.LT], [Op.GT]) and "-" in written:
        one, two = checks[0].operands
        less, more = (one, two) if checks[0].opcode == Op.LT else (two, one)
        return _text(less, Op.SUB, more, parse_type("uint256")) if less < more else ""
    for check, compared in pairwise(checks):
        inverse = INVERSE.get(check.opcode, 0)
        if WRITTEN.get(inverse) not in written or compared.opcode not in COMPARISONS:
            continue
        result, (limit, second) = _result(check), check.operands
        if result in compared.operands:
            first = compared.operands[compared.operands[0] == result]
            for kind in _ALL_TYPES:
                if read(kind, limit) in kind.bounds:
                    text = _overflowed(Check(check.offset, inverse, (first, second)), kind)
                    if text:
                        return text
    return ""


def _overflowed(check: Check, kind: ValueType) -> str:
    one, two = (read(kind, word) for word in check.operands)
    result = _RESULTS[check.opcode](one, two)
    if not fits(kind, one) or not fits(kind, two) or fits(kind, result):
        return ""
    return _text(one, check.opcode, two, kind)


def _text(one: int, opcode: int, two: int, kind: ValueType) -> str:
    if opcode == Op.SUB and not kind.is_signed:
        return f"underflow: {one:,} - {two:,} is below zero"
    result = _RESULTS[opcode](one, two)
    direction = "underflow" if result < kind.bounds[0] else "overflow"
    second = f"({two:,})" if two < 0 else f"{two:,}"
    if opcode == Op.SUB and one == 0:
        return f"{direction}: -{second} does not fit {kind.text}"
    return f"{direction}: {one:,} {SHOWN[opcode]} {second} does not fit {kind.text}"


def _kinds(result: int, checks: Sequence[Check], opcode: int) -> Iterator[ValueType]:
    # Smaller types by what the result is compared with: a limit, or the result cut to the type.
    is_signed = any(check.opcode in SIGNED for check in checks)
    for check in checks:
        if result not in check.operands:
            continue
        other = check.operands[check.operands[0] == result]
        for kind in _ALL_TYPES[:-1]:
            if check.opcode in {Op.EQ, Op.SUB}:
                if other == _cut(result, kind) != result:
                    yield kind
            elif kind.is_signed == is_signed and read(kind, other) in kind.bounds:
                yield kind
    opcodes = {check.opcode for check in checks}
    if not opcodes.isdisjoint(DIVISIONS if opcode == Op.MUL else COMPARISONS):
        yield parse_type("int256" if is_signed else "uint256")


def _cut(word: int, kind: ValueType) -> int:
    low = word % (1 << kind.size)
    return (low - (1 << kind.size) if kind.is_signed and low > kind.bounds[1] else low) % WORDS


def _incremented(checks: Sequence[Check], code: str) -> str:
    # `x++` is refused where `x` is the highest value of its type, `x--` where it is the lowest.
    if not checks or checks[-1].opcode not in {Op.EQ, Op.SUB}:
        return ""
    word, limit = checks[-1].operands
    if word != limit:
        return ""
    if "++" in code and "--" not in code:
        highest = (kind for kind in _ALL_TYPES if read(kind, word) == kind.bounds[1])
        return next((_text(kind.bounds[1], Op.ADD, 1, kind) for kind in highest), "")
    if "--" in code and "++" not in code:
        lowest = (kind for kind in _ALL_TYPES if read(kind, word) == kind.bounds[0])
        return next((_text(kind.bounds[0], Op.SUB, 1, kind) for kind in lowest), "")
    return ""


def failed_index(path: Path) -> tuple[int, int] | None:
    """An index, and the length that it is not below, of the bounds check that failed."""
    check = last_comparison(path)
    if check is None:
        return None
    one, two = check.operands if check.opcode == Op.LT else check.operands[::-1]
    return (one, two) if one >= two else (two, one + 1)  # as `GT index 2` for a length of 3


def last_comparison(path: Path) -> Check | None:
    """The comparison of two numbers on which the check that failed depends."""
    checks = [check for check in last_checks(path) if check.opcode in {Op.LT, Op.GT}]
    return checks[-1] if checks else None


def out_of_bounds(path: Path) -> str:
    index = failed_index(path)
    return index_text(*index) if index else ""


def index_text(index: int, length: int) -> str:
    return f"index {index:,}, but the length is {length:,}"


# Contracts without locations

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
    codes = [code for code in (artifact.creation, artifact.runtime) if code.template]
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
