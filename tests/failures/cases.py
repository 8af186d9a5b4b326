"""The table of failures: which function of which contract fails, and how.

The lines on which a case fails are marked in the contracts (`sources`). Names are those of the
Solidity contracts; the Vyper ones are the same in snake case (`Reasons.requireText` is
`require_text` of `reasons.vy`) unless `vyper` says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.failures.builds import Build

BARE = "bare"
INVALID = "invalid opcode"
OUT_OF_GAS = "out of gas"

Outcome = str | Mapping[str, str]
"""How a case fails, in the words of `world.describe`; by build, compiler or language."""


def text(reason: str) -> str:
    """A revert with a text."""
    return f'"{reason}"'


def panic(code: int) -> dict[str, str]:
    """A panic since Solidity 0.8, an invalid opcode before, and no payload with Vyper."""
    return {"solidity-0.8": f"panic 0x{code:02x}", "solidity": INVALID, "vyper": BARE}


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One failure.

    `target` is a contract and its function, or `constructor`. Of the arguments `@Target` is the
    address of that contract. `data` replaces the call data, `at` is the contract called if it is
    another one. `hint` is a word of the explanation where a revert is bare. `setup` are calls, of
    transactions of their own, that come before. `repeats` if its frames are many and alike, so that
    one of each is marked. `absent` says why a compiler or a language has no
    such case.
    """

    name: str
    target: str
    arguments: tuple[Any, ...] = ()
    outcome: Outcome = BARE
    hint: str | Mapping[str, str] = ""
    value: int = 0
    gas: int | None = None
    data: str | None = None
    at: str = ""
    vyper: str = ""
    setup: tuple[str, ...] = ()
    repeats: bool = False
    absent: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    def contract(self, language: str) -> str:
        """Name of the contract in that language."""
        return self._named(language)[0]

    def function(self, language: str) -> str:
        """Name of the function in that language."""
        return self._named(language)[1]

    def _named(self, language: str) -> tuple[str, str]:
        contract, _, function = self.target.partition(".")
        if language == "Vyper":
            if self.vyper:
                contract, _, function = self.vyper.partition(".")
            return vyper_name(contract), function if self.vyper else snake_case(function)
        return contract, function


def snake_case(name: str) -> str:
    """`requireText` as `require_text`."""
    return re.sub("(?<=[a-z])([A-Z])", r"_\1", name).lower()


def vyper_name(contract: str) -> str:
    """Name of the Vyper contract that is the same as a Solidity one."""
    return snake_case(contract)


def entry_of(found: str | Mapping[str, str], build: Build) -> str:
    """The entry of a build, of its compiler, or of its language."""
    if isinstance(found, str):
        return found
    for key in (build.name, build.family, build.language.lower()):
        if key in found:
            return found[key]
    return ""


DEPLOYED: dict[str, tuple[str, ...]] = {
    "Ledger": (),
    "Reasons": (),
    "Panics": (),
    "Structure": (),
    "Target": (),
    "Liar": (),
    "Greedy": (),
    "Refuser": (),
    "Middle": ("@Target",),
    "Caller": ("@Target", "@Middle", "@Liar"),
    "Factory": ("@blueprint creation",),
    "Implementation": (),
    "Proxy": ("@Implementation",),
    "Cloner": ("@Implementation",),
    "Entry": (),
    "Receiver": (),
    "Unpaid": (),
    "Gas": (),
    "Merged": (),
    "Single": (),
    "LocalVariables": (),
}
"""The contracts that are deployed for every case, in this order, and their arguments."""

LINKED = {"Structure": "Ledger"}
"""Contracts with an external library."""

UNCHECKED = "its arithmetic wraps silently"
NO_WRAP = {"solidity-0.4": UNCHECKED, "solidity-0.6": UNCHECKED}
NO_ERRORS = {
    "solidity-0.4": "it has no custom errors",
    "solidity-0.6": "it has no custom errors",
    "vyper": "it has no custom errors",
}
NO_TRY = {"solidity-0.4": "it has no try", "vyper": "it has no try"}
NO_MODIFIERS = {"vyper": "it has no modifiers"}
NO_INHERITANCE = {"vyper": "it has no inheritance"}
NO_MERGING = {"vyper": "its optimizer merges no code of statements"}
NO_ASSEMBLY = {"vyper": "it has no assembly"}
NO_POINTERS = {"vyper": "it has no function pointers"}
NEW = {
    "solidity-0.4": "it has none",
    "solidity-0.6": "it has none",
    "vyper": "it has none",
}
ONLY_VYPER = {"solidity": "Vyper's own"}
NO_ARGUMENT_CHECK = {"solidity-0.4": "its decoder does not check arguments"}
NO_DIRT_CHECK = {
    "solidity-0.4": "its decoder does not check arguments",
    "solidity-0.6": "its decoder does not check arguments",
}
WORD = "%064x"
NOBODY = "0x" + 40 * "0"
RUNS_IN_CALLEE = 400_000

CASES = (
    # require, revert, assert
    Case("require_text", "Reasons.requireText", (10,), text("amount too high")),
    Case("require_bare", "Reasons.requireBare", (10,)),
    Case("require_many_lines", "Reasons.requireManyLines", (7,), text("spread over lines")),
    Case("revert_bare", "Reasons.revertBare", (10,)),
    Case("revert_text", "Reasons.revertText", (10,), text("no more")),
    Case(
        "long_text",
        "Reasons.longText",
        (10,),
        text("a reason that takes more than one word of memory, and another one"),
    ),
    Case(
        "revert_empty_text",
        "Reasons.revertEmptyText",
        (10,),
        {"solidity": text("")},
        absent={"vyper": "its compiler refuses an empty text"},
    ),
    Case(
        "assert",
        "Reasons.assertion",
        (10,),
        {**panic(0x01), "vyper": INVALID},
        vyper="Reasons.assert_unreachable",
    ),
    Case("raise_unreachable", "Reasons.raiseUnreachable", (10,), INVALID, absent=ONLY_VYPER),
    Case("computed_text", "Reasons.computedText", (10,), text("computed"), absent=ONLY_VYPER),
    Case("ternary", "Reasons.ternary", (11,), text("chosen branch")),
    Case("string_too_long", "Reasons.nameTooLong", ("nine chars",), text("name too long")),
    Case("same_bare_first", "Reasons.firstBare", (1,)),
    Case("same_bare_second", "Reasons.secondBare", (2,)),
    Case("same_text_first", "Reasons.firstText", (1,), text("same text")),
    Case("same_text_second", "Reasons.secondText", (2,), text("same text")),
    Case("first_bare", "Reasons.twoBare", (10, 1)),
    Case("second_bare", "Reasons.twoBare", (1, 10)),
    Case("either_first", "Reasons.oneOfTwo", (21,), text("either")),
    Case("either_second", "Reasons.oneOfTwo", (11,), text("either")),
    Case(
        "custom_error",
        "Reasons.customError",
        (10,),
        {"solidity": "error TooMuch", "vyper": "error 0xe0f0d3cc"},
        vyper="Reasons.raw_revert_error",
        absent={key: why for key, why in NO_ERRORS.items() if key != "vyper"},
    ),
    Case("first_error", "Reasons.twoErrors", (10, 1), "error TooMuch", absent=NO_ERRORS),
    Case("second_error", "Reasons.twoErrors", (1, 10), "error TooMuch", absent=NO_ERRORS),
    Case("custom_error_empty", "Reasons.customErrorEmpty", (10,), "error Empty", absent=NO_ERRORS),
    Case(
        "custom_error_many_lines",
        "Reasons.customErrorManyLines",
        (10,),
        "error TooMuch",
        absent=NO_ERRORS,
    ),
    Case(
        "require_custom_error",
        "Reasons.requireCustomError",
        (10,),
        "error TooMuch",
        absent=NO_ERRORS,
    ),
    Case("assembly_revert", "Reasons.assemblyRevert", (10,), absent=NO_ASSEMBLY),
    Case("assembly_invalid", "Reasons.assemblyInvalid", (10,), INVALID, absent=NO_ASSEMBLY),
    # what optimizers merge
    Case("merged_call", "Merged.give", ("@Refuser", 5), text("too few"), absent=NO_MERGING),
    Case("merged_with_modifier", "Merged.cancel", (1,), text("no role"), absent=NO_MODIFIERS),
    Case("after_modifier", "Merged.act", (0,), text("too early"), absent=NO_MODIFIERS),
    Case(
        "merged_error_sender",
        "Merged.passFrom",
        (NOBODY, "@Refuser", 5),
        "error NoSender",
        absent=NO_ERRORS,
    ),
    Case("merged_error_receiver", "Merged.pass", (NOBODY, 5), "error NoReceiver", absent=NO_ERRORS),
    Case(
        "merged_error_call",
        "Merged.passFrom",
        ("@Refuser", "@Target", 5),
        "error TooFew",
        absent=NO_ERRORS,
    ),
    # arithmetic, arrays, conversions
    Case("checked_add", "Panics.add", (2**256 - 1,), panic(0x11), "overflow", absent=NO_WRAP),
    Case(
        "checked_add_many_lines",
        "Panics.addManyLines",
        (2**256 - 1,),
        panic(0x11),
        "overflow",
        absent=NO_WRAP,
    ),
    Case("first_add", "Panics.twoAdds", (2**256 - 1, 1), panic(0x11), "overflow", absent=NO_WRAP),
    Case("second_add", "Panics.twoAdds", (1, 2**256 - 1), panic(0x11), "overflow", absent=NO_WRAP),
    Case("checked_subtract", "Panics.subtract", (6,), panic(0x11), "underflow", absent=NO_WRAP),
    Case("checked_multiply", "Panics.multiply", (2**255,), panic(0x11), "overflow", absent=NO_WRAP),
    Case("checked_increment", "Panics.increment", (), panic(0x11), "overflow", absent=NO_WRAP),
    Case("checked_negate", "Panics.negate", (), panic(0x11), "overflow", absent=NO_WRAP),
    Case("checked_power", "Panics.power", (120,), panic(0x11), "overflow", absent=NO_WRAP),
    Case("checked_decimal", "Panics.decimalProduct", (2,), hint="overflow", absent=ONLY_VYPER),
    Case(
        "next_to_unchecked",
        "Panics.nextToUnchecked",
        (2**256 - 2,),
        panic(0x11),
        "overflow",
        absent=NO_WRAP,
    ),
    Case(
        "cast", "Panics.cast", (256,), {"solidity": text("does not fit in 8 bits"), "vyper": BARE}
    ),
    Case("cast_negative", "Panics.castNegative", (-1,), absent=ONLY_VYPER),
    Case("divide_by_zero", "Panics.divide", (0,), panic(0x12), "division"),
    Case("modulo_by_zero", "Panics.modulo", (0,), panic(0x12), "modulo"),
    Case("divide_signed", "Panics.divideSigned", (-1,), panic(0x11), "overflow", absent=NO_WRAP),
    Case("memory_bounds", "Panics.memoryBounds", (2,), panic(0x32), "bounds"),
    Case("storage_bounds", "Panics.storageBounds", (2,), panic(0x32), "bounds"),
    Case("first_index", "Panics.twoIndexes", (2, 0), panic(0x32), "bounds"),
    Case("second_index", "Panics.twoIndexes", (0, 2), panic(0x32), "bounds"),
    Case("fixed_bounds", "Panics.fixedBounds", (3,), panic(0x32), "bounds"),
    Case("calldata_bounds", "Panics.calldataBounds", ([1, 2], 2), panic(0x32), "bounds"),
    Case(
        "bytes_bounds",
        "Panics.bytesBounds",
        (0,),
        panic(0x32),
        "bounds",
        absent={"vyper": "its byte arrays have no elements"},
    ),
    Case(
        "calldata_slice",
        "Panics.slice",
        (b"12", 33),
        vyper="Panics.slice_bounds",
        absent={"solidity-0.4": "it has no slices"},
    ),
    Case(
        "getter_bounds",
        "Panics.values",
        (2,),
        {"solidity-0.8": BARE, "solidity": INVALID, "vyper": BARE},
        hint="out of bounds",
        vyper="Panics.values",
    ),
    Case(
        "pop_empty",
        "Panics.popEmpty",
        (),
        panic(0x31),
        "empty",
        absent={"solidity-0.4": "it has no pop"},
    ),
    Case("append_full", "Panics.appendFull", (), absent=ONLY_VYPER),
    Case(
        "enum_conversion",
        "Panics.convertEnum",
        (4,),
        panic(0x21),
        {"solidity": "enum", "vyper": "out of bounds"},
    ),
    Case(
        "unset_function",
        "Panics.unsetFunction",
        (1,),
        {**panic(0x51), "solidity-0.4": "invalid jump destination"},
        absent=NO_POINTERS,
    ),
    Case(
        "allocate_too_much",
        "Panics.allocate",
        (2**64,),
        {"solidity-0.8": "panic 0x41", "solidity-0.6": BARE, "solidity-0.4": OUT_OF_GAS},
        absent={"vyper": "its memory has a fixed size"},
    ),
    Case("loop", "Panics.loop", (3,), text("failed in a loop")),
    Case("loop_bounds", "Panics.loopBounds", (3,), panic(0x32), "bounds"),
    Case("range_bound", "Panics.rangeBound", (5,), absent=ONLY_VYPER),
    # internal calls, modifiers, inheritance, libraries
    Case("nested_internal", "Structure.outer", (10,), text("two levels down")),
    Case("first_call", "Structure.twice", (10, 1), text("two levels down")),
    Case("second_call", "Structure.twice", (1, 10), text("two levels down")),
    Case("shared_first", "Structure.sharedFirst", (1,), text("shared helper")),
    Case("shared_second", "Structure.sharedSecond", (8,), text("shared helper")),
    Case("in_arguments", "Structure.inArguments", (9,), text("argument refused")),
    Case(
        "recursion",
        "Structure.recursive",
        (3,),
        text("bottom"),
        absent={"vyper": "its compiler refuses recursion"},
    ),
    Case(
        "function_pointer",
        "Structure.pointed",
        (7,),
        text("called by pointer"),
        absent=NO_POINTERS,
    ),
    Case("modifier_before", "Structure.before", (10,), text("not small"), absent=NO_MODIFIERS),
    Case(
        "modifier_after",
        "Structure.afterwards",
        (10,),
        text("total is too high"),
        absent=NO_MODIFIERS,
    ),
    Case(
        "inside_modified",
        "Structure.insideModified",
        (5,),
        text("in the modified body"),
        absent=NO_MODIFIERS,
    ),
    Case(
        "modifier_internal",
        "Structure.helped",
        (0,),
        text("not above the total"),
        absent=NO_MODIFIERS,
    ),
    Case(
        "second_modifier", "Structure.twoModifiers", (10,), text("not small"), absent=NO_MODIFIERS
    ),
    Case(
        "modifier_argument",
        "Structure.modifierArgument",
        (1,),
        text("argument refused"),
        absent=NO_MODIFIERS,
    ),
    Case("super_call", "Structure.hook", (3,), text("base refuses"), absent=NO_INHERITANCE),
    Case("inherited", "Structure.inherited", (4,), panic(0x01), absent=NO_INHERITANCE),
    Case(
        "internal_library",
        "Structure.inLibrary",
        (100,),
        {"solidity": text("SafeMath: too large"), "vyper": text("ledger: too little")},
        vyper="Structure.in_module",
        absent={"vyper-0.3": "it has no modules"},
    ),
    Case(
        "imported_library",
        "Structure.inImportedLibrary",
        (10,),
        text("Checks: not small"),
        absent={"vyper": "like the case before"},
    ),
    Case("free_function", "Structure.inFreeFunction", (1,), text("odd"), absent=NEW),
    Case("operator", "Structure.inOperator", (5,), text("sum is too high"), absent=NEW),
    Case(
        "external_library",
        "Structure.inExternalLibrary",
        (1,),
        text("Ledger: too little"),
        absent={"vyper": "it has no external libraries"},
    ),
    Case(
        "nonreentrant",
        "Structure.locking",
        (1,),
        {"solidity": text("reentrant"), "vyper": BARE},
        hint={"vyper": "reentran"},
        vyper="Structure.locked",
    ),
    Case(
        "default_argument",
        "Structure.defaultArgument",
        (10,),
        text("above the default"),
        absent=ONLY_VYPER,
    ),
    Case(
        "immutable_limit",
        "Structure.immutableLimit",
        (12,),
        text("above the cap"),
        absent=ONLY_VYPER,
    ),
    # calls of other contracts
    Case("interface_call", "Caller.throughInterface", (6,), text("Target: too much")),
    Case("bare_in_callee", "Caller.bare", (6,)),
    Case("two_contracts", "Caller.twoContracts", (6,), text("Target: too much")),
    Case("sibling", "Caller.sibling", (6,), text("Target: too much")),
    Case("self_call", "Caller.selfCall", (6,), text("Target: too much")),
    Case("swallowed", "Caller.swallowed", (6,), text("the call failed")),
    Case(
        "swallowed_then_other",
        "Caller.swallowedThenOther",
        (6,),
        panic(0x01),
        absent={"vyper": "like the case before"},
    ),
    Case("swallowed_then_bare", "Caller.swallowedThenBare", (6,)),
    Case("assembly_bubbles", "Caller.bubble", (6,), text("Target: too much")),
    Case("rethrown", "Caller.rethrow", (6,), text("Target: too much"), absent=NO_TRY),
    Case("caught_and_refused", "Caller.caught", (6,), text("caught and refused"), absent=NO_TRY),
    Case("try_body", "Caller.inTryBody", (1,), text("in the try body"), absent=NO_TRY),
    Case("no_code", "Caller.noCode", (1,), hint="no code"),
    Case(
        "destroyed_callee",
        "Caller.destroyed",
        (1,),
        hint="no code",
        setup=("Target.destroy",),
    ),
    Case(
        "short_return",
        "Caller.shortReturn",
        (1,),
        hint={"solc-0.4-optimized": "", "solidity": "return", "vyper": "return"},
    ),
    Case(
        "wrong_return",
        "Caller.wrongReturn",
        (),
        hint="return",
        absent={
            "solidity-0.4": "its decoder does not check returned values",
            "solidity-0.6": "its decoder does not check returned values",
        },
    ),
    Case("unknown_function_of_callee", "Caller.unknownFunction", (1,), hint="selector"),
    Case(
        "static_violation",
        "Caller.poke",
        (),
        outcome=OUT_OF_GAS,
        hint="static",
        gas=RUNS_IN_CALLEE,
        absent={"solidity-0.4": "it has no static calls"},
    ),
    Case("out_of_gas_in_callee", "Caller.spin", (), hint="out of gas"),
    Case("transfer_balance", "Caller.transferTooMuch", ("@Liar",), hint="balance"),
    Case("transfer_stipend", "Caller.transferTo", ("@Greedy",), hint="out of gas", value=1),
    Case(
        "transfer_refused",
        "Caller.transferTo",
        ("@Refuser",),
        {"solidity": text("no payments"), "vyper": BARE},
        hint="no payments",
        value=1,
    ),
    Case(
        "send_stipend",
        "Caller.sendTo",
        ("@Greedy",),
        text("send failed"),
        value=1,
        absent={"vyper": "its send reverts"},
    ),
    Case(
        "send_bare", "Caller.sendBare", ("@Greedy",), value=1, absent={"vyper": "its send reverts"}
    ),
    Case(
        "abi_decode",
        "Caller.decode",
        (b"short",),
        hint="decod",
        absent={"solidity-0.4": "it has no abi.decode"},
    ),
    Case("bad_signature", "Caller.recover", (b"\1" * 32,), text("bad signature")),
    Case("precompile_refuses", "Caller.addPoints", (7,), hint="precompile", gas=RUNS_IN_CALLEE),
    Case("bridge_refuses", "Caller.registerHeader", (b"\1",), hint="Bridge", gas=RUNS_IN_CALLEE),
    # creation
    Case(
        "constructor",
        "Child.constructor",
        (20,),
        {"solidity": text("Child: too large"), "vyper": text("too large")},
        vyper="Creation.constructor",
    ),
    Case(
        "constructor_arguments",
        "Child.constructor",
        data="",
        hint="argument",
        vyper="Creation.constructor",
        absent={**NO_ARGUMENT_CHECK, "vyper": "its constructor reads zeros beyond the data"},
    ),
    Case(
        "constructor_internal",
        "Child.constructor",
        (7,),
        {"solidity": text("Child: odd"), "vyper": text("odd")},
        vyper="Creation.constructor",
    ),
    Case(
        "base_constructor",
        "Child.constructor",
        (10,),
        text("Parent: eleven"),
        absent=NO_INHERITANCE,
    ),
    Case(
        "state_initialiser",
        "Initialised.constructor",
        (),
        text("not eleven"),
        absent={"vyper": "its variables have no initial values"},
    ),
    Case("nonpayable_constructor", "Plain.constructor", (), hint="payable", value=1),
    Case(
        "code_too_large",
        "Large.constructor",
        (24577,),
        "contract code has 24577 bytes, the limit is 24576",
        absent=NO_ASSEMBLY,
    ),
    Case(
        "reserved_code_prefix",
        "Reserved.constructor",
        (),
        "invalid contract code: starts with 0xef",
        absent=NO_ASSEMBLY,
    ),
    Case("new_fails", "Factory.make", (20,), hint="too large"),
    Case(
        "create_collision",
        "Factory.makeTwice",
        (),
        OUT_OF_GAS,
        gas=RUNS_IN_CALLEE,
        hint="collision",
        absent={"solidity-0.4": "it has no CREATE2"},
    ),
    Case("new_balance", "Factory.makeRich", (), hint="balance"),
    Case(
        "new_code_too_large",
        "Factory.makeLarge",
        (24577,),
        OUT_OF_GAS,
        hint="24,576",
        absent=NO_ASSEMBLY,
    ),
    # proxies
    Case("proxy", "Implementation.spend", (6,), text("Implementation: too much"), at="Proxy"),
    Case(
        "minimal_proxy_bare",
        "Cloner.spendBareThroughClone",
        (6,),
        absent={"vyper": "its implementation fails with text"},
    ),
    Case(
        "minimal_proxy",
        "Cloner.spendThroughClone",
        (6,),
        {"solidity": text("Implementation: too much"), "vyper": text("Target: too much")},
        vyper="Caller.spend_through_clone",
    ),
    Case(
        "proxy_unknown_function",
        "Implementation",
        data="0x12345678",
        hint={"solidity": "selector"},
        at="Proxy",
    ),
    # the way into a contract
    Case("unknown_function", "Entry", data="0x12345678", hint="selector"),
    Case("selector_too_short", "Entry", data="0x1234", hint="selector"),
    Case("value_without_receive", "Entry", data="0x", hint="receive", value=1),
    Case("value_to_nonpayable", "Entry.pay", (1,), hint="payable", value=1),
    Case("value_to_nonpayable_fallback", "Unpaid", data="0x", hint="payable", value=1),
    Case(
        "calldata_too_short",
        "Entry.pair",
        data="pair(uint256,uint256) " + WORD % 1,
        hint="call data",
        absent=NO_ARGUMENT_CHECK,
    ),
    Case(
        "dirty_bool",
        "Entry.flag",
        data="flag(bool) " + WORD % 2,
        hint="bool",
        absent=NO_DIRT_CHECK,
        vyper="Entry.set_flag",
    ),
    Case(
        "dirty_address",
        "Entry.owner",
        data="owner(address) " + WORD % 2**160,
        hint="address",
        absent=NO_DIRT_CHECK,
    ),
    Case(
        "wild_offset",
        "Entry.many",
        data="many(uint256[]) " + WORD % 2**200,
        absent={**NO_ARGUMENT_CHECK, "vyper-0.4": "it reads zeros beyond the call data"},
    ),
    Case(
        "argument_too_long",
        "Entry.text",
        ("12345",),
        hint="5 bytes, and String[4] has at most 4",
        absent=ONLY_VYPER,
    ),
    Case(
        "list_too_long",
        "Entry.labels",
        ([1, 2], [("0x" + "00" * 20, "a")] * 5),
        hint="5 items, and DynArray[Label, 4] has at most 4",
        absent=ONLY_VYPER,
    ),
    Case(
        "member_too_long",
        "Entry.labels",
        ([1, 2], [("0x" + "00" * 20, "a"), ("0x" + "00" * 20, "héé")]),
        hint="argument 2 (labels[1].text)",
        absent=ONLY_VYPER,
    ),
    Case(
        "divide_beside_modulo",
        "Panics.several",
        (1, 0, 0),
        hint="division by zero",
        absent=ONLY_VYPER,
    ),
    Case(
        "modulo_beside_divide",
        "Panics.several",
        (1, 1, 0),
        hint="modulo by zero",
        absent=ONLY_VYPER,
    ),
    Case(
        "index_beside_divide",
        "Panics.several",
        (7, 1, 1),
        hint="index 7, but the length is 2",
        absent=ONLY_VYPER,
    ),
    Case(
        "small_product",
        "Panics.smallProduct",
        (100, 99),
        hint="100 × 99 does not fit uint8",
        absent=ONLY_VYPER,
    ),
    Case(
        "before_any_jump",
        "Single.divide",
        (1, 0, 1),
        hint="division by zero",
        absent=ONLY_VYPER,
    ),
    Case("append_to_full", "Entry.fill", (1,), hint="append to a full array", absent=ONLY_VYPER),
    Case(
        "receive_reverts",
        "Receiver",
        data="0x",
        value=1,
        outcome={"solidity": text("Receiver: too little"), "vyper": text("no payments")},
        vyper="Refuser.",
    ),
    Case(
        "fallback_reverts",
        "Receiver",
        data="0x12345678",
        value=6,
        outcome={"solidity": text("Receiver: no such function"), "vyper": text("no such function")},
        vyper="Refuser.",
    ),
    # arithmetic with local variables only, of which vyper's source maps say little
    Case(
        "local_difference", "LocalVariables.difference", (9,), hint="underflow", absent=ONLY_VYPER
    ),
    Case("local_second", "LocalVariables.secondOfTwo", (1, 2), hint="underflow", absent=ONLY_VYPER),
    Case("local_first", "LocalVariables.firstOfTwo", (1, 2), hint="underflow", absent=ONLY_VYPER),
    Case(
        "local_in_loop", "LocalVariables.loopSum", (2**256 - 1,), hint="overflow", absent=ONLY_VYPER
    ),
    Case(
        "local_second_in_loop",
        "LocalVariables.loopOfTwo",
        (2**256 - 1 - 9,),
        hint="overflow",
        absent=ONLY_VYPER,
    ),
    Case(
        "local_after_loop", "LocalVariables.loopBefore", (3,), hint="underflow", absent=ONLY_VYPER
    ),
    Case(
        "local_over_list", "LocalVariables.loopOverList", (4,), hint="underflow", absent=ONLY_VYPER
    ),
    Case("local_after_if", "LocalVariables.afterIf", (4,), hint="underflow", absent=ONLY_VYPER),
    Case("local_in_branch", "LocalVariables.inBranch", (5,), hint="underflow", absent=ONLY_VYPER),
    Case("local_in_else", "LocalVariables.inBranch", (3,), hint="underflow", absent=ONLY_VYPER),
    Case(
        "local_only_in_branch",
        "LocalVariables.branchOfOne",
        (5,),
        hint="underflow",
        absent=ONLY_VYPER,
    ),
    Case(
        "local_in_condition",
        "LocalVariables.inCondition",
        (1, 2),
        hint="underflow",
        absent=ONLY_VYPER,
    ),
    Case("local_in_elif", "LocalVariables.inElif", (1, 2), hint="underflow", absent=ONLY_VYPER),
    Case("local_cast", "LocalVariables.cast", (256,), hint="out of bounds", absent=ONLY_VYPER),
    Case(
        "local_small_sum", "LocalVariables.smallSum", (200, 100), hint="overflow", absent=ONLY_VYPER
    ),
    Case(
        "local_product",
        "LocalVariables.product",
        (2**100, 2**100),
        hint="overflow",
        absent=ONLY_VYPER,
    ),
    Case("local_negative", "LocalVariables.negative", (-(2**255),), hint="", absent=ONLY_VYPER),
    Case("local_returned", "LocalVariables.returned", (1, 2), hint="underflow", absent=ONLY_VYPER),
    Case(
        "local_returned_early",
        "LocalVariables.returnedEarly",
        (1, 2),
        hint="underflow",
        absent=ONLY_VYPER,
    ),
    Case("local_asserted", "LocalVariables.asserted", (1, 2), hint="underflow", absent=ONLY_VYPER),
    Case("local_stored", "LocalVariables.stored", (1, 2), hint="underflow", absent=ONLY_VYPER),
    Case(
        "local_on_lines", "LocalVariables.threeLines", (1, 2), hint="underflow", absent=ONLY_VYPER
    ),
    Case("local_internal", "LocalVariables.passed", (1, 2), hint="underflow", absent=ONLY_VYPER),
    Case("local_argument", "LocalVariables.argument", (1, 2), hint="underflow", absent=ONLY_VYPER),
    Case(
        "local_after_call", "LocalVariables.afterCall", (3, 10), hint="underflow", absent=ONLY_VYPER
    ),
    Case(
        "local_two_operations",
        "LocalVariables.twoOperations",
        (1, 2, 4),
        hint="underflow",
        absent=ONLY_VYPER,
    ),
    Case(
        "local_last_of_three",
        "LocalVariables.bothForms",
        (2**255, 2),
        hint="overflow",
        absent=ONLY_VYPER,
    ),
    Case(
        "local_unmapped",
        "LocalVariables.unmapped",
        (1, 256),
        hint="out of bounds",
        absent=ONLY_VYPER,
    ),
    # gas and depth
    Case("out_of_gas_loop", "Gas.loop", (), OUT_OF_GAS, "gas limit of 100,000", gas=100_000),
    Case("out_of_gas_write", "Gas.write", (1,), OUT_OF_GAS, "gas limit of 55,000", gas=55_000),
    Case("out_of_gas_memory", "Gas.expand", (2**40,), OUT_OF_GAS, "gas", absent=NO_ASSEMBLY),
    Case(
        "endless_recursion",
        "Gas.endless",
        (1,),
        {"solc-0.8-ir": OUT_OF_GAS, "solidity": "stack overflow"},
        gas=1_000_000,
        repeats=True,
        absent={"vyper": "its compiler refuses recursion"},
    ),
    Case("call_depth", "Gas.deep", (1,), hint="depth", repeats=True),
)
