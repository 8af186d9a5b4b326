"""The method reference `rpc.md`, made from the catalog, and the tables of presets in `like.md`."""

from __future__ import annotations

from collections.abc import Mapping

from devchain.config import Config, config_fields
from devchain.contracts.artifact_registry import Registry
from devchain.errors import (
    AccountUnknown,
    BlockNotFound,
    DevchainError,
    ExecutionOutOfGas,
    ExecutionReverted,
    GasLimitExceeded,
    InsufficientFunds,
    MethodNotFound,
    NonceTooLow,
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
from devchain.rpc.errors import error_object
from devchain.rpc.method import Method, Parameter
from devchain.rpc.wire_types import wire_type

HOSTED = hosted(DEVCHAIN)

INTRODUCTION = """\
# Methods

Every JSON-RPC method devchain answers. Parameters are positional; `?` marks those that may be
left out. QUANTITY is a number as 0x hex, DATA bytes as 0x hex. This page is made from the code by
`make docs`. All methods are enabled unless `--methods`, `--no-methods` or `--hosted` disable some;
`devchain methods` lists the enabled ones. `rpc.discover` returns the same information as an OpenRPC
document.

Examples show the parameters, then the result; long values are shortened. Wrong parameters are error
-32602 in every method, with a message that names the parameter.
"""


def render(examples: Mapping[str, str]) -> str:
    """The reference as Markdown; `examples` has the examples of each method, by name."""
    chapters = (_chapter(title, examples) for title in CHAPTERS)
    return "\n".join([INTRODUCTION, *chapters, _unsupported(UNSUPPORTED | DEPRECATED)])


def _chapter(title: str, examples: Mapping[str, str]) -> str:
    methods = [
        method for method in METHODS.values() if method.chapter == title and not method.is_alias
    ]
    return "\n".join([f"## {title}\n", *(_method(method, examples) for method in methods)])


def _method(method: Method, examples: Mapping[str, str]) -> str:
    lines = [f"### `{method.name}({method.signature})`\n", method.documentation, ""]
    lines.extend(_parameter(parameter) for parameter in method.parameters)
    lines.append(f"- result: {wire_type(method.returns).label}")
    if len(method.names) > 1:
        lines.append("- also called " + ", ".join(f"`{name}`" for name in method.names[1:]))
    if method.hosted:
        lines.append(f"- also offered with `--hosted`{_hosted_differences(method)}")
    if examples.get(method.name):
        lines.append(examples[method.name])
    return "\n".join([*lines, ""])


def _hosted_differences(method: Method) -> str:
    least, _ = HOSTED.parameter_counts.get(method.name, (0, None))
    required = [f"`{parameter.name}`" for parameter in method.parameters[method.required : least]]
    required += [f"`{member}`" for member in HOSTED.required_members.get(method.name, ())]
    refused = [] if method.hosted_pending else ["`pending` is refused (-32201)"]
    if required:
        verb = "is" if len(required) == 1 else "are"
        refused.append(f"{' and '.join(required)} {verb} required (-32602)")
    return f", where {' and '.join(refused)}" if refused else ""


def _parameter(parameter: Parameter) -> str:
    optional = ", optional" if parameter.is_optional else ""
    return f"- `{parameter.name}`: {wire_type(parameter.hint).label}{optional}"


def _unsupported(reasons: dict[str, str]) -> str:
    rows = [f"| `{name}` | {reason} |" for name, reason in reasons.items()]
    head = ["## Not supported\n", "| method | why, and what to use instead |", "| --- | --- |"]
    return "\n".join([*head, *rows, ""])


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
    "a custom error whose ABI is not known": _reverted(bytes.fromhex("82b42900")),
    "a revert without data": _reverted(b""),
    "out of gas": ExecutionOutOfGas("out of gas"),
    "gas above the block's": GasLimitExceeded(
        "transaction's gas limit of 90 is higher than the block's gas limit of 80",
        "; give it less, or raise --gas-limit",
        wanted=80,
        got=90,
    ),
    "a nonce that is used": NonceTooLow(
        "transaction nonce too low", ": next nonce 5, tx nonce 4", wanted=5, got=4
    ),
    "too little money": InsufficientFunds(
        "insufficient funds", " for gas: balance 1 wei, gas 2 wei", wanted=2, got=1
    ),
    "an unknown account": AccountUnknown("account 0x12… is unknown", address="0x12…"),
    "a block that there is not": BlockNotFound(
        "header not found: 9; the newest block is 7", number=9, newest=7
    ),
    "a method that there is not": MethodNotFound(
        "the method eth_none does not exist/is not available", name="eth_none"
    ),
}
"""Errors that the page of presets shows as each of them has them."""


def render_presets() -> str:
    """A table of the defaults of presets, and one of their errors."""
    names = [None, *PRESETS]
    configs = [Config(like=name) for name in names]
    titles = ["devchain", *(f"`{like}`" for like in PRESETS)]
    head = [_row("", *titles), _row(*["---"] * (len(titles) + 1))]
    changed = {name for preset in PRESETS.values() for name in preset.defaults}
    defaults = [
        _row(f"`{field.name}`", *(_shown(getattr(config, field.name)) for config in configs))
        for field in config_fields()
        if field.name in changed
    ]
    chain_ids = _row("chain id of `local`", *(str(config.effective_chain_id) for config in configs))
    errors = [
        _row(what, *(_error(example, config) for config in configs))
        for what, example in EXAMPLES.items()
    ]
    return "\n".join([*head, chain_ids, *defaults, "", "## Errors", "", *head, *errors])


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
    return f"{members['code']} `{members['message']}`"
