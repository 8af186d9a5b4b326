"""The method reference `rpc.md`, made from the catalog, and the tables of presets in `like.md`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from devchain.config import Config, ConfigField, config_fields
from devchain.contracts.artifact_registry import Registry
from devchain.errors import (
    AccountUnknown,
    BlockNotFound,
    DevchainError,
    ExecutionOutOfGas,
    ExecutionReverted,
    MethodNotFound,
    NonceTooLow,
    Simulation,
    VmError,
)
from devchain.evm.revert_reasons import (
    ERROR_SELECTOR,
    PANIC_SELECTOR,
    REVERTED,
    add_revert_details,
)
from devchain.presets import DEVCHAIN, PRESETS, hosted
from devchain.rpc.catalog import CHAPTERS, DEPRECATED, METHODS, UNSUPPORTED
from devchain.rpc.errors import MEANINGS, VM_PREFIX, error_object
from devchain.rpc.method import Method, Parameter
from devchain.rpc.openrpc import COMPONENTS
from devchain.rpc.schemas import Schema
from devchain.rpc.wire_types import wire_type

HOSTED = hosted(DEVCHAIN)

INTRODUCTION = """\
# Methods

Every JSON-RPC method of devchain. This page is made from the code by `make docs`.

A signature shows parameters by position, `?` for optional ones, and the result after `→`. A boolean
result is true unless the text says more. *Hosted* methods are also served with `--hosted`. Examples
show the parameters, then the result; long values are shortened. rskj is Rootstock's own node.

`devchain methods` lists the enabled methods; `--methods` and `--no-methods` choose them.
`rpc.discover` returns this reference as an OpenRPC document.
"""

TYPES = """\
## Types

| type | in JSON |
| --- | --- |
| QUANTITY | a number as 0x hex |
| NUMBER | a QUANTITY, a JSON integer, or decimal text |
| DATA | bytes as 0x hex |
| ADDRESS, HASH | DATA of 20 and of 32 bytes |
| BLOCK | a number, a hash, a tag such as `latest` or `pending`, or an EIP-1898 object |
| STATE | a BLOCK, or `{"blockNumber", "transactionIndex"}` for the state before a transaction |"""

OBJECTS = (
    *("Call", "LogFilter", "StateOverrides", "BlockOverrides"),
    *("Block", "Transaction", "Receipt", "Log", "Proof"),
)
"""Schemas of objects that the page lists with their members."""


def render(examples: Mapping[str, str]) -> str:
    """The reference as Markdown; `examples` has an example of each method, by name."""
    chapters = (_chapter(title, examples) for title in CHAPTERS)
    return "\n".join(
        [INTRODUCTION, _types(), _errors(), *chapters, _unsupported(UNSUPPORTED | DEPRECATED)]
    )


def _types() -> str:
    rows = [_row(name, _members(COMPONENTS[name])) for name in OBJECTS]
    return "\n".join([TYPES, *rows, ""])


def _members(schema: Schema) -> str:
    if "properties" in schema:
        return ", ".join(f"`{name}`" for name in schema["properties"])
    return f"by address: {_members(schema['additionalProperties'])}"


def _errors() -> str:
    rows = [
        _row(str(code), meaning)
        for code, meaning in sorted(MEANINGS.items())
        if code not in {int(kind) for kind in Simulation}
    ]
    rows.append(_row("-38010 to -38026", "`eth_simulateV1` refuses the request"))
    return "\n".join(["## Error codes\n", *_head("code", "meaning"), *rows, ""])


def _chapter(title: str, examples: Mapping[str, str]) -> str:
    methods = [each for each in METHODS.values() if each.chapter == title and not each.is_alias]
    # The method that takes a block by its hash follows the one that takes its number.
    groups = groupby(methods, key=lambda method: method.function)
    return "\n".join([f"## {title}\n", *(_entry(list(group), examples) for _, group in groups)])


def _entry(methods: list[Method], examples: Mapping[str, str]) -> str:
    first = methods[0]
    lines = [f"### {', '.join(method.name for method in methods)}\n"]
    lines += [*(f"`{_signature(method)}`{_hosted(method)}\n" for method in methods)]
    lines += [first.documentation, ""]
    if len(first.names) > 1:
        lines.append(f"Also {', '.join(f'`{name}`' for name in first.names[1:])}.\n")
    found = [examples[each.name] for each in methods if examples.get(each.name)]
    return "\n".join([*lines, *found[:1]])


def _signature(method: Method) -> str:
    parameters = ", ".join(_parameter(each) for each in method.parameters)
    return f"{method.name}({parameters}) → {wire_type(method.returns).label}"


def _parameter(parameter: Parameter) -> str:
    label = wire_type(parameter.hint).label
    if parameter.is_optional:
        return f"{parameter.name}?: {label.removesuffix(' or null')}"
    return f"{parameter.name}: {label}"


def _hosted(method: Method) -> str:
    if not method.hosted:
        return ""
    least, _ = HOSTED.parameter_counts.get(method.name, (0, None))
    required = [f"`{parameter.name}`" for parameter in method.parameters[method.required : least]]
    required += [f"`{member}`" for member in HOSTED.required_members.get(method.name, ())]
    notes = ["*hosted*"]
    if not method.hosted_pending:
        notes.append("not `pending`")
    if required:
        notes.append(f"{' and '.join(required)} required")
    return f" {', '.join(notes)}"


def _unsupported(reasons: dict[str, str]) -> str:
    by_reason: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        by_reason.setdefault(reason, []).append(f"`{name}`")
    rows = [_row(", ".join(names), reason) for reason, names in by_reason.items()]
    return "\n".join(["## Not supported\n", *_head("method", "why, and what to use"), *rows, ""])


def _head(*titles: str) -> list[str]:
    return [_row(*titles), _row(*["---"] * len(titles))]


# Presets

MAX_SHOWN_TEXT = 40
"""Longer values are shown with their first and last 16 characters."""


def _word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def _reverted(payload: bytes) -> VmError:
    return add_revert_details(ExecutionReverted(REVERTED, payload), Registry())


EXAMPLES: Mapping[str, DevchainError] = {
    "a revert with a reason": _reverted(
        ERROR_SELECTOR + _word(32) + _word(3) + b"why".ljust(32, b"\0")
    ),
    "a panic": _reverted(PANIC_SELECTOR + _word(0x11)),
    "an unknown custom error": _reverted(bytes.fromhex("82b42900")),
    "a revert without data": _reverted(b""),
    "out of gas": ExecutionOutOfGas("out of gas"),
    "a used nonce": NonceTooLow(
        "transaction nonce too low", ": next nonce 5, tx nonce 4", wanted=5, got=4
    ),
    "an unknown account": AccountUnknown("account 0x12… is unknown", address="0x12…"),
    "an unknown block": BlockNotFound(
        "header not found: 9; the newest block is 7", number=9, newest=7
    ),
    "an unknown method": MethodNotFound(
        "the method eth_none does not exist/is not available", name="eth_none"
    ),
}
"""Errors that the page of presets shows in the words of each."""


VM_NOTE = f"`VM…` stands for `{VM_PREFIX.removesuffix(': ')}`."


def render_presets() -> str:
    """A table of the defaults of presets, and one of their errors, without other versions."""
    presets = {name: preset for name, preset in PRESETS.items() if "@" not in name}
    names = [None, *presets]
    configs = [Config(like=name) for name in names]
    head = _head("", "devchain", *(f"`{like}`" for like in presets))
    changed = {name for preset in presets.values() for name in preset.defaults}
    defaults = [
        _row(f"`{field.name}`", *_defaults(field, configs))
        for field in config_fields()
        if field.name in changed
    ]
    chain_ids = _row("chain id of `local`", *(str(config.effective_chain_id) for config in configs))
    errors = [
        _row(what, *(_error(example, config) for config in configs))
        for what, example in EXAMPLES.items()
    ]
    return "\n".join(
        [*head, chain_ids, *defaults, "", "## Errors", "", VM_NOTE, "", *head, *errors]
    )


def _defaults(field: ConfigField, configs: list[Config]) -> list[str]:
    """Devchain's default, then those of the presets that have another."""
    own, *others = (_shown(getattr(config, field.name)) for config in configs)
    return [own, *("" if shown == own else shown for shown in others)]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _shown(value: object) -> str:
    if value is None or value == ():
        return ""
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    if len(text) > MAX_SHOWN_TEXT:
        text = f"{text[:16]}…{text[-16:]}"
    return f"`{text}`"


def _error(error: DevchainError, config: Config) -> str:
    members = error_object(error, config)
    message = members["message"].replace(VM_PREFIX, "VM…: ")
    return f"{members['code']} `{message}`"
